//! Which places of a body vibrate alike: a job makes its signature, and a click is answered with a byte for each vertex.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use pliant::linalg::facts::Facts;
use pliant::linalg::ignore_progress;
use pliant::shape::{Kept, Kind, bytes};
use serde::Deserialize;
use serde_json::{Map, json};

use super::{Answer, Family, Making, News, absent, number};
use crate::command::{Refusal, Served};
use crate::job::{Job, Report};
use crate::protocol::Ask;
use crate::shape;
use crate::stage::Stage;
use crate::words::sentence;

/// What a job has made, or will.
type Slot = Arc<Mutex<Option<Arc<Kept>>>>;

#[derive(Default)]
pub(super) struct Compare {
    /// By body and kind.
    kept: BTreeMap<(u32, &'static str), Slot>,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Modes { body: u32, kind: String, pins: Option<bool> },
}

fn kind(name: &str) -> Result<Kind, String> {
    Kind::named(name).ok_or_else(|| "kind: expected vibration or heat".to_owned())
}

impl Family for Compare {
    fn ask(&mut self, client: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        let Words::Modes { body, kind: name, pins } = ask.read_as()?;
        let kind = kind(&name)?;
        let actor = stage.actor(body)?;
        let model = stage.live_body(actor.id).live().model().clone();
        // One of its own: what is there stays until another has been made.
        let slot = Slot::default();
        let into = slot.clone();
        let work = move |report: &mut Report| {
            let mut watch = |p| report.tell(p);
            let made = Kept::usual(model.mesh(), model.recipe(), kind, pins.unwrap_or(false), &mut watch);
            let made = made.map_err(|error| sentence(&error))?;
            *into.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(made));
            Ok(None)
        };
        let title = format!("Comparing {}", actor.name);
        let job = Job { title, by: Some(client), work: Box::new(work) };
        let job = stage.jobs.start(job, None).map_err(|refusal| refusal.sentence().to_owned())?;
        self.kept.insert((body, kind.name()), slot);
        Ok(Map::from_iter([("job".to_owned(), json!(job))]))
    }

    fn hear(&mut self, news: &News, _: &mut Stage) {
        if let News::Came { replaces: Some(gone), .. } | News::Went { body: gone, .. } = *news {
            self.kept.retain(|(body, _), _| *body != gone);
        }
    }

    fn file(&mut self, path: &[&str], stage: &mut Stage) -> Result<Making, Refusal> {
        let body = number(path)?;
        let name = stage.actor(body).map_err(Refusal::Absent)?.name.clone();
        let kind = kind(path.get(1).ok_or_else(|| absent(path))?).map_err(Refusal::Absent)?;
        let slot = self
            .kept
            .get(&(body, kind.name()))
            .map(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner).clone());
        let kept = slot.flatten();
        let kept = kept
            .ok_or_else(|| Refusal::Absent("nothing is known of this body yet; ask for its modes".into()))?;
        match path[2..] {
            ["all"] => Ok(Making::Later(Box::new(move || all(&kept)))),
            [p, from, to] => {
                let (p, from, to) = (whole(p, path)?, whole(from, path)?, whole(to, path)?);
                Ok(Making::Later(Box::new(move || one(&kept, p, from as usize..to as usize + 1))))
            }
            [p, from, to, file] => {
                let (p, from, to) = (whole(p, path)?, whole(from, path)?, whole(to, path)?);
                let stem = Path::new(&name).file_stem().and_then(|s| s.to_str()).unwrap_or("body").to_owned();
                let ending = file.strip_prefix("alike.").unwrap_or("").to_owned();
                let media = match &*ending {
                    "png" => "image/png",
                    "ply" | "npz" => "application/octet-stream",
                    _ => return Err(Refusal::Absent("there is alike.ply, alike.png and alike.npz".into())),
                };
                Ok(Making::Later(Box::new(move || {
                    let bad = |error| Refusal::Bad(sentence(&error));
                    let found = kept.found(p, from as usize..to as usize + 1).map_err(bad)?;
                    let name = format!("{stem}-alike.{ending}");
                    let bytes =
                        found.encode(Path::new(&name), &stem, &Facts::new(), &[], &mut ignore_progress);
                    Ok(Served { media, name: Some(name), bytes: Arc::new(bytes.map_err(bad)?) })
                })))
            }
            _ => Err(absent(path)),
        }
    }
}

fn whole(text: &str, path: &[&str]) -> Result<u32, Refusal> {
    text.parse().ok().filter(|n| *n < u32::MAX).ok_or_else(|| absent(path))
}

/// What holds for any vertex.
fn all(kept: &Kept) -> Result<Served, Refusal> {
    let signature = kept.signature();
    let features = kept.features(&mut ignore_progress).map_err(|error| Refusal::Bad(sentence(&error)))?;
    let features: Vec<u32> = features.iter().map(|feature| feature.vertex).collect();
    let narrow = |numbers: &[f64]| -> Vec<f32> { numbers.iter().map(|x| *x as f32).collect() };
    let times: Vec<f64> = signature.times.iter().map(|t| t * signature.slowest).collect();
    let modes = [kept.eigenvalues().len() as u32];
    let made =
        shape::numbers(&[("times", &narrow(&times))], &[("features", &features), ("modes", &modes)], &[]);
    Ok(Served::bytes(Arc::new(made.map_err(Refusal::Bad)?)))
}

/// How far all vertices are from one.
fn one(kept: &Kept, p: u32, times: std::ops::Range<usize>) -> Result<Served, Refusal> {
    let bad = |error| Refusal::Bad(sentence(&error));
    let (distance, high) = kept.distance(p, times).map_err(bad)?;
    let curve: Vec<f32> = kept.curve(p).map_err(bad)?.iter().map(|x| *x as f32).collect();
    let made = shape::numbers(
        &[("high", &[high as f32]), ("curve", &curve)],
        &[],
        &[("distance", &bytes(&distance, high))],
    );
    Ok(Served::bytes(Arc::new(made.map_err(Refusal::Bad)?)))
}
