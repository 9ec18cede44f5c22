//! The body that is shown: a world of one body, whose hands are on it, and what the page is told of it.

use pliant::mesh::Kind;
use pliant::sim::Live;
use pliant::world::open::own_constants;
use pliant::world::{BodyId, LiveBody, Matter, PLATES, Stumble, World, WorldError};

use super::clock::DT;
use super::grabs::Hand;
use crate::job::Finished;
use crate::protocol::BodyFacts;
use crate::words;

/// How much is kept for saving, s.
const KEPT: f64 = 10.0;

/// The body.
pub(super) struct Playing {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) world: World,
    /// The one in the world.
    pub(super) body: BodyId,
    pub(super) hands: Vec<Hand>,
    /// Factors of stiffness and density when a rebuild was last asked for: what it is built with.
    pub(super) asked: [f64; 2],
    /// Young's modulus (of a surface: 1) and density as built.
    pub(super) matter: [f64; 2],
    pub(super) late: u32,
}

impl Playing {
    /// A body at rest, with settings that suit it.
    pub(super) fn new(number: u32, finished: &Finished) -> Result<Self, WorldError> {
        let model = &finished.model;
        let mut body = LiveBody::new(model.clone())?;
        body.remember(KEPT, DT)?;
        let mut world = World::new(DT);
        Ok(Self {
            number,
            name: finished.name.clone(),
            body: world.add(Box::new(body)),
            world,
            hands: Vec::new(),
            asked: [1.0; 2],
            matter: Matter::of(model).map_or([1.0; 2], |m| [m.stiffness, m.density]),
            late: 0,
        })
    }

    /// The body in the world.
    pub(super) fn live_body(&self) -> &LiveBody {
        self.world.get(self.body).expect("it is put in when this is made, and never taken out")
    }

    /// The model in motion.
    pub(super) fn live(&self) -> &Live {
        self.live_body().live()
    }

    /// Changes the model in motion.
    pub(super) fn change_live<T>(&mut self, change: impl FnOnce(&mut Live) -> T) -> T {
        let body: &mut LiveBody =
            self.world.get_mut(self.body).expect("it is put in when this is made, and never taken out");
        body.change(change)
    }

    /// One step that is due, and whether there was one.
    pub(super) fn step_due(&mut self) -> bool {
        let Some((late, _)) = self.world.step_due() else { return false };
        self.late = self.late.saturating_add(u32::from(late));
        true
    }

    /// Why the body was put back since this was last asked.
    pub(super) fn stumbled(&mut self) -> Option<Stumble> {
        let stumble = self.world.take_stumble()?;
        self.forget_open_hands();
        Some(stumble)
    }

    /// Back to rest at t = 0, all grabs released.
    pub(super) fn reset(&mut self) {
        // The body is there.
        let _ = self.world.reset(self.body);
        self.forget_open_hands();
    }

    /// Kinetic and elastic energy, J, and whether nothing can be seen to move.
    pub(super) fn energies(&mut self) -> (f64, f64, bool) {
        let energies = self.world.energies(self.body).unwrap_or_default();
        let elastic = if energies.elastic.is_finite() { energies.elastic } else { 0.0 };
        (energies.kinetic, elastic, self.world.is_at_rest(self.body).unwrap_or(true))
    }

    /// Factors of stiffness and density over what was built.
    pub(super) fn factors(&self) -> [f64; 2] {
        [self.live().stiffness(), self.live().density()]
    }
}

/// What is known of a body that a job has made.
pub(super) fn facts(number: u32, finished: &Finished) -> BodyFacts {
    let model = &finished.model;
    let matter = Matter::of(model);
    let kind = if model.mesh().kind() == Kind::Tets { "tets" } else { "triangles" };
    let plate = PLATES.iter().find(|plate| plate.is_of(model.recipe()));
    let sheet = (model.mesh().kind() != Kind::Tets).then(|| plate.map_or("", |plate| plate.name));
    let own = own_constants(model).into_iter();
    let pinned = model.held_components().iter().filter(|held| held.contains(&true)).count();
    BodyFacts {
        body: number,
        why: finished.why,
        by: finished.by,
        name: finished.name.clone(),
        kind,
        vertices: model.mesh().vertices.len(),
        elements: model.mesh().elements.len(),
        surface_vertices: model.surface().rest.len(),
        triangles: model.surface().triangles.len(),
        rank: model.rank(),
        modes: model.facts().eigenvalues.len(),
        frequencies_hz: model.frequencies_hz(),
        basis: model.facts().basis.clone(),
        forces: model.force().name(),
        cubature_points: model.force().size("cubature_points"),
        validation_error: model.facts().training.as_ref().map(|t| t.validation_error),
        static_error: model.facts().training.as_ref().and_then(|t| t.static_error),
        frequency_error: model.facts().training.as_ref().and_then(|t| t.frequency_error),
        pull_error: model.facts().pull.map(|pull| pull.error),
        outlook: model.outlook().as_ref().map(words::note),
        material: matter.as_ref().map_or_else(String::new, |m| m.material.to_owned()),
        constants: own.filter_map(|(constant, number)| Some((constant.key, number?))).collect(),
        poisson: matter.as_ref().and_then(|m| m.poisson),
        sheet,
        pinned,
        free: pinned == 0,
        length: model.longest_side(),
        mass: model.total_mass(),
        bytes: model.size_in_bytes(),
        notes: finished.notes.clone(),
    }
}
