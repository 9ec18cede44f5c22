//! What a body is made anew for: material, basis, forces, pins.

use std::collections::BTreeMap;

use pliant::world::{Plate, Remake};
use serde::Deserialize;
use serde_json::{Map, json};

use super::{Answer, Family, News, done};
use crate::job::Task;
use crate::protocol::Ask;
use crate::stage::Stage;
use crate::words::sentence;

/// What a job may be asked for: beyond this it takes minutes, or all memory.
const MOST_MODES: usize = 60;
const MOST_RANK: usize = 200;
const MOST_POINTS: usize = 3000;

/// Pins that one client may gather.
const MOST_PINS: usize = 5_000_000;

/// Pins that travel in pieces: by client, the body that they are for, and those that have come.
#[derive(Default)]
pub(super) struct Build {
    gathered: BTreeMap<u32, (u32, Vec<u32>)>,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Words {
    Again(Box<Rebuild>),
    Pins { body: u32, vertices: Vec<u32>, first: bool },
}

/// What to build anew; what is `None` stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rebuild {
    body: u32,
    material: Option<String>,
    /// Constants that the material has of its own, by their keys of the menu.
    constants: Option<BTreeMap<String, f64>>,
    poisson: Option<f64>,
    /// What a surface is cut from, a name of the menu.
    sheet: Option<String>,
    basis: Option<String>,
    /// Linear modes to start from.
    modes: Option<usize>,
    /// Coordinates.
    rank: Option<usize>,
    forces: Option<String>,
    /// Points.
    cubature: Option<usize>,
    pins: Option<Pins>,
}

/// All pinned vertices of the shown surface.
#[derive(Deserialize)]
#[serde(untagged)]
enum Pins {
    These(Vec<u32>),
    Gathered(Gathered),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Gathered {
    Gathered,
}

impl Family for Build {
    fn ask(&mut self, client: u32, ask: &Ask, stage: &mut Stage) -> Answer {
        match ask.read_as()? {
            Words::Pins { body, vertices, first } => {
                stage.actor(body)?;
                let gathered = self.gathered.entry(client).or_insert((body, Vec::new()));
                if first {
                    *gathered = (body, Vec::new());
                }
                if gathered.0 != body {
                    return Err(format!("pins of body {} are being gathered; begin anew", gathered.0));
                }
                if gathered.1.len() + vertices.len() > MOST_PINS {
                    return Err(format!("more than {MOST_PINS} pins; begin anew with fewer"));
                }
                gathered.1.extend(vertices);
                done()
            }
            Words::Again(change) => {
                let number = change.body;
                let actor = stage.actor(number)?;
                in_bounds(&change)?;
                let live = stage.live_body(actor.id).live();
                let factors = [live.stiffness(), live.density()];
                let (name, model) = (actor.name.clone(), live.model().clone());
                let change = self.remake(client, *change)?;
                let job = Task::Rebuild { name, model, factors, change: Box::new(change) };
                let started = stage.jobs.start(job.into_job(Some(client), Some(number)), None);
                let started = started.map_err(|refusal| refusal.sentence().to_owned())?;
                stage.actor_mut(number)?.asked = factors;
                Ok(Map::from_iter([("job".to_owned(), json!(started))]))
            }
        }
    }

    fn hear(&mut self, news: &News, _: &mut Stage) {
        if let News::Left { client } = news {
            self.gathered.remove(client);
        }
    }
}

impl Build {
    /// The words of the page in those of the library.
    fn remake(&mut self, client: u32, change: Rebuild) -> Result<Remake, String> {
        let Rebuild { body, material, constants, poisson, sheet, basis, modes, rank, forces, cubature, pins } =
            change;
        let plate = sheet.map(|name| Plate::find(&name)).transpose();
        let plate = plate.map_err(|e| sentence(&e))?;
        let pins = match pins {
            None => None,
            Some(Pins::These(vertices)) => Some(vertices),
            Some(Pins::Gathered(Gathered::Gathered)) => match self.gathered.remove(&client) {
                Some((of, vertices)) if of == body => Some(vertices),
                _ => return Err(format!("no pins of body {body} were gathered; send them first")),
            },
        };
        let constants = constants.unwrap_or_default();
        Ok(Remake { material, constants, poisson, plate, pins, basis, modes, rank, forces, points: cubature })
    }
}

fn in_bounds(change: &Rebuild) -> Result<(), String> {
    for (what, asked, most) in [
        ("modes", change.modes, MOST_MODES),
        ("coordinates", change.rank, MOST_RANK),
        ("cubature points", change.cubature, MOST_POINTS),
    ] {
        if let Some(asked) = asked.filter(|n| !(1..=most).contains(n)) {
            return Err(format!("{asked} {what} were asked for; the studio makes 1 to {most}"));
        }
    }
    Ok(())
}
