//! What a body is made anew for: material, basis, forces, pins; its form, its hold, its size.

use std::collections::BTreeMap;

use pliant::mesh::Kind;
use pliant::world::open::Up;
use pliant::world::{Form, Holding, Open, Plate, Remake};
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

/// Tets of a solid that a page may ask for.
const TETS: std::ops::RangeInclusive<usize> = 50..=60_000;

/// Lengths that a page may ask for, m.
const LENGTHS: std::ops::RangeInclusive<f64> = 1e-6..=1e4;

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
    Shape(Reshape),
    Back { body: u32 },
    Forward { body: u32 },
}

/// What to make of the surface or solid that a body came as; what is `None` stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reshape {
    body: u32,
    /// A name of its `forms`.
    form: Option<String>,
    /// Tets of a solid, about.
    tets: Option<usize>,
    /// `bottom`, `top`, `corners` or `nothing`.
    hold: Option<Where>,
    /// The axis that is to point up.
    up: Option<String>,
    /// Its longest side, m.
    size: Option<f64>,
    /// The job that is cancelled first.
    instead: Option<u32>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Where {
    Bottom,
    Top,
    Corners,
    Nothing,
}

/// What a surface is cut from.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnPlate {
    /// Young's modulus, Pa.
    young: f64,
    /// kg/m³.
    density: f64,
    /// m.
    thickness: f64,
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
    /// The same in numbers of one's own.
    plate: Option<OwnPlate>,
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
            Words::Shape(change) => {
                let (number, instead) = (change.body, change.instead);
                let job = reshape(change, stage)?.into_job(Some(client), Some(number));
                let started =
                    stage.jobs.start(job, instead).map_err(|refusal| refusal.sentence().to_owned())?;
                let id = stage.actor(number)?.id;
                let live = stage.live_body(id).live();
                stage.actor_mut(number)?.asked = [live.stiffness(), live.density()];
                Ok(Map::from_iter([("job".to_owned(), json!(started))]))
            }
            Words::Back { body } => Ok(numbered(stage.go_back(body, false, client)?)),
            Words::Forward { body } => Ok(numbered(stage.go_back(body, true, client)?)),
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
        let Rebuild { body, material, constants, poisson, sheet, plate, .. } = change;
        let Rebuild { basis, modes, rank, forces, cubature, pins, .. } = change;
        let named = sheet.map(|name| Plate::find(&name)).transpose().map_err(|e| sentence(&e))?;
        let own =
            plate.map(|OwnPlate { young, density, thickness }| Plate { name: "", young, density, thickness });
        let plate = own.or(named);
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

/// The words of the page in those of the library.
fn reshape(change: Reshape, stage: &Stage) -> Result<Task, String> {
    let Reshape { body, form, tets, hold, up, size, instead: _ } = change;
    let actor = stage.actor(body)?;
    let live = stage.live_body(actor.id).live();
    let model = live.model().clone();
    if let Some(tets) = tets.filter(|n| !TETS.contains(n)) {
        let (least, most) = (TETS.start(), TETS.end());
        return Err(format!("{tets} tets were asked for; the studio makes {least} to {most}"));
    }
    if let Some(size) = size.filter(|size| !LENGTHS.contains(size)) {
        return Err(format!("a length of {size} m was asked for; bodies are from 1 µm to 10 km long"));
    }
    let solid = model.mesh().kind() == Kind::Tets;
    let now = actor.form.unwrap_or(if solid { Form::Fitting } else { Form::Shell });
    let form = form.map(|name| Form::find(&name)).transpose().map_err(|e| sentence(&e))?;
    let form = form.unwrap_or(now);
    let shown = 0..model.surface_basis().len();
    let holding = match hold {
        None => {
            Holding::Shown(shown.filter(|p| model.surface_basis().is_held(*p)).map(|p| p as u32).collect())
        }
        Some(Where::Bottom) => Holding::Bottom,
        Some(Where::Top) => Holding::Top,
        Some(Where::Corners) => Holding::Corners,
        Some(Where::Nothing) => Holding::These(Vec::new()),
    };
    let up = up.map(|name| Up::find(&name)).transpose().map_err(|e| sentence(&e))?.unwrap_or_default();
    // Matter that suits one size or a solid does not suit another size or a sheet.
    let same = size.is_none() && (form == Form::Shell) != solid;
    let usual = Open::default();
    let tets = tets.unwrap_or(if solid { model.mesh().elements.len() } else { usual.tets });
    let how = Box::new(Open { form, tets, holding, up, size, ..usual });
    let factors = [live.stiffness(), live.density()];
    Ok(Task::Reshape { name: actor.name.clone(), model, factors, how, same })
}

fn numbered(body: u32) -> Map<String, serde_json::Value> {
    Map::from_iter([("body".to_owned(), json!(body))])
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
