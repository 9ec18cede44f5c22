//! What is dropped, our shapes, and files of a body as it is now.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use pliant::linalg::ignore_progress;
use pliant::mesh::io::motion::{ReducedMotion, glb_bytes};
use pliant::mesh::shapes;
use pliant::reduce::ReduceError;
use pliant::sim::{Conditions, Motion};
use serde::Deserialize;
use serde_json::{Map, json};

use super::{Answer, Family, Making, absent, number};
use crate::command::{Dropped, Refusal, Served};
use crate::job::{Task, rescaled};
use crate::protocol::Ask;
use crate::shape;
use crate::stage::Stage;
use crate::words::sentence;

/// Surfaces of our shapes are made when they are first asked for, and kept.
type Drawn = Arc<OnceLock<Result<Arc<Vec<u8>>, String>>>;

#[derive(Default)]
pub(super) struct Files {
    shapes: BTreeMap<&'static str, Drawn>,
}

impl Files {
    /// The surface of one of our shapes.
    fn shape(&mut self, name: &str) -> Result<Making, Refusal> {
        let entry = shapes::find(name).map_err(|e| Refusal::Absent(sentence(&e)))?;
        let kept = self.shapes.entry(entry.name).or_default().clone();
        Ok(Making::Later(Box::new(move || {
            let made = kept.get_or_init(|| {
                let coarse = shape::coarse(entry).map_err(|e| sentence(&e))?;
                Ok(Arc::new(shape::preview(&coarse)?))
            });
            made.clone().map(Served::bytes).map_err(Refusal::Bad)
        })))
    }
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Shape { name: String, replace: Option<u32>, instead: Option<u32> },
}

impl Family for Files {
    fn ask(&mut self, client: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        let Words::Shape { name, replace, instead } = ask.read_as()?;
        shapes::find(&name).map_err(|e| sentence(&e))?;
        if let Some(body) = replace {
            stage.actor(body)?;
        }
        let job = Task::Shape(name).into_job(Some(client), replace);
        let job = stage.jobs.start(job, instead).map_err(|refusal| refusal.sentence().to_owned())?;
        Ok(Map::from_iter([("job".to_owned(), json!(job))]))
    }

    fn take(&mut self, dropped: Dropped, stage: &mut Stage) -> Result<u32, Refusal> {
        let Dropped { client, replace, instead, files } = dropped;
        // One that went while the file was on its way is not replaced.
        let replace = replace.filter(|body| stage.actor(*body).is_ok());
        stage.jobs.start(Task::Files(files).into_job(client, replace), instead)
    }

    fn file(&mut self, path: &[&str], stage: &mut Stage) -> Result<Making, Refusal> {
        if let ["shape", name] = path {
            return self.shape(name);
        }
        let [_, file] = path else { return Err(absent(path)) };
        let actor = stage.actor(number(path)?);
        let actor = actor.map_err(|why| match stage.actors() {
            [] => Refusal::Early(why),
            _ => Refusal::Absent(why),
        })?;
        let stem = Path::new(&actor.name).file_stem().and_then(|s| s.to_str()).unwrap_or("body").to_owned();
        let body = stage.live_body(actor.id);
        let live = body.live();
        let (model, count, factors) =
            (live.model().clone(), live.coordinates(), [live.stiffness(), live.density()]);
        let history = body.history();
        let history = history.ok_or_else(|| Refusal::Absent("nothing of it is remembered".into()))?;
        let saved =
            |name: String, media, bytes| Served { media, name: Some(name), ..Served::bytes(Arc::new(bytes)) };
        match *file {
            "scenario.toml" => {
                let text = history.scenario(live).map_err(|e| Refusal::Absent(sentence(&e)))?;
                let text = head(&history.conditions(live)) + &text;
                Ok(Making::Made(saved(format!("{stem}.toml"), "application/toml", text.into_bytes())))
            }
            "state.npz" => match history.state_npz(live) {
                Ok(Some(bytes)) => {
                    Ok(Making::Made(saved("state.npz".into(), "application/octet-stream", bytes)))
                }
                Ok(None) => Err(Refusal::Absent(
                    "the last seconds begin at rest, so the scenario needs no state".into(),
                )),
                Err(error) => Err(Refusal::Bad(sentence(&error))),
            },
            "model.pliant" => Ok(Making::Later(Box::new(move || {
                let bad = |e: ReduceError| Refusal::Bad(sentence(&e));
                let mut model = rescaled(&model, factors).map_err(bad)?;
                // What is seen is saved, so that a scenario repeats on it.
                if count < model.basis().rank() {
                    model = Arc::new(model.truncated(count).map_err(bad)?);
                }
                let bytes = model.to_bytes().map_err(bad)?;
                Ok(saved(format!("{stem}.pliant"), "application/octet-stream", bytes))
            }))),
            "motion.glb" => {
                let (motion, basis) = (history.motion(), live.basis().clone());
                Ok(Making::Later(Box::new(move || {
                    if motion.times.len() < 2 {
                        return Err(Refusal::Absent("nothing has moved yet: pull it first".into()));
                    }
                    let all = ReducedMotion {
                        rest: model.mesh(),
                        times: &motion.times,
                        basis: basis.rows(),
                        rank: motion.rank,
                        q: &motion.q,
                        series: &[],
                    };
                    let (bytes, _) =
                        glb_bytes(&all, &mut ignore_progress).map_err(|e| Refusal::Bad(sentence(&e)))?;
                    Ok(saved(format!("{stem}.glb"), "model/gltf-binary", bytes))
                })))
            }
            _ => {
                Err(Refusal::Absent("there is model.pliant, motion.glb, scenario.toml and state.npz".into()))
            }
        }
    }
}

/// The first lines of a saved scenario: what a person has to know to repeat it.
fn head(of: &Conditions) -> String {
    let Conditions { seconds, motion, integrator, tolerance, stiffness, density, coordinates, rank, .. } =
        *of;
    let iterations = of.iterations.map(|n| format!(" --iterations {n}")).unwrap_or_default();
    let motion =
        if motion == Motion::default() { String::new() } else { format!(" --motion {}", motion.name()) };
    let mut head = format!(
        "# The last {seconds:.3} s of a live body.\n\
         # pliant simulate MODEL.pliant THIS.toml{motion} --integrator {integrator} --tolerance {tolerance:?}{iterations}\n"
    );
    if (stiffness, density) != (1.0, 1.0) {
        head += &format!(
            "# Of the model with {stiffness:?} times the stiffness and {density:?} times the density it was built with.\n"
        );
    }
    if coordinates < rank {
        head += &format!("# Of the model cut to the first {coordinates} of its {rank} coordinates.\n");
    }
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_scenario_says_how_to_repeat_it() {
        let usual = Conditions {
            seconds: 1.25,
            motion: Motion::Nonlinear,
            integrator: "newmark",
            tolerance: 1e-8,
            iterations: None,
            stiffness: 1.0,
            density: 1.0,
            coordinates: 6,
            rank: 6,
        };
        assert_eq!(
            head(&usual),
            "# The last 1.250 s of a live body.\n\
             # pliant simulate MODEL.pliant THIS.toml --integrator newmark --tolerance 1e-8\n"
        );
        let motion = Motion::Warped;
        let other =
            Conditions { motion, iterations: Some(3), stiffness: 2.0, density: 0.7, coordinates: 4, ..usual };
        assert_eq!(
            head(&other),
            "# The last 1.250 s of a live body.\n\
             # pliant simulate MODEL.pliant THIS.toml --motion warped --integrator newmark --tolerance 1e-8 --iterations 3\n\
             # Of the model with 2.0 times the stiffness and 0.7 times the density it was built with.\n\
             # Of the model cut to the first 4 of its 6 coordinates.\n"
        );
    }
}
