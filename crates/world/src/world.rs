//! What a game loop, a notebook or a page holds: bodies, hands, and a clock.
//!
//! [`World::advance`] takes the seconds that have passed, steps every body as often as is due, and puts back what flew away. A body
//! whose load gives a force that is not finite stays as it is, and that is told.
//! It takes no memory, does no IO and measures no time.

use std::any::Any;
use std::sync::Arc;

use pliant_linalg::Vec3;
use pliant_mesh::ShownSurface;
use pliant_reduce::Model;

use crate::crew::Crew;
use crate::pick::{Picked, first_hit};
use crate::{Body, BodyId, Clock, Energies, HandId, Held, LiveBody, Trouble, WorldError};

/// Length of a step by default, s.
const STEP: f64 = 1.0 / 240.0;

/// A body that stumbles twice within so many seconds of the clock does so by itself.
const SOON: f64 = 2.0;

/// Fewer bodies than these are stepped by one thread: to wake another takes as long as some steps of a small one.
const WORTH_SHARING: usize = 4;

/// What [`World::advance`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Advanced {
    /// Steps of every body.
    pub steps: u32,
    /// Of those, begun more than 1/60 s of the clock after their time.
    pub late: u32,
    /// Seconds of the clock that could not be paid back.
    pub forgotten: f64,
    /// How often a body could not go on: [`World::take_stumble`] says why.
    pub stumbles: u32,
}

/// A body that could not go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Stumble {
    /// The body.
    pub body: BodyId,
    /// Why.
    pub trouble: Trouble,
    /// It was put back to rest, its hands open. Else its step was refused, and all of it is as it was: a load gave a force that is
    /// not finite.
    pub put_back: bool,
    /// Gravity was taken away: it brought the body down twice, or allowed no rest.
    pub gravity_taken: bool,
}

/// Bodies in time.
pub struct World {
    slots: Vec<Slot>,
    clock: Clock,
    /// Seconds of the clock since the world was made.
    elapsed: f64,
    /// For [`World::pick`].
    positions: Vec<f64>,
    /// Whether bodies at rest are left alone.
    sleep: bool,
    /// Who steps many bodies, unless one thread does.
    crew: Option<Crew>,
}

struct Slot {
    generation: u32,
    body: Option<Box<dyn Body>>,
    /// What this step ended with.
    trouble: Option<Trouble>,
    /// On the clock.
    stumbled: Option<f64>,
    /// The last one that nobody has asked for.
    stumble: Option<Stumble>,
}

impl Default for World {
    /// Without bodies; steps of 1/240 s.
    fn default() -> Self {
        Self::new(STEP)
    }
}

impl World {
    /// Without bodies; steps of `step` seconds.
    pub fn new(step: f64) -> Self {
        Self {
            slots: Vec::new(),
            clock: Clock::new(step),
            elapsed: 0.0,
            positions: Vec::new(),
            sleep: false,
            crew: None,
        }
    }

    /// Adds a body.
    pub fn add(&mut self, body: Box<dyn Body>) -> BodyId {
        let numbers = 3 * body.shown().rest.len();
        if self.positions.len() < numbers {
            self.positions.resize(numbers, 0.0);
        }
        let place = self.slots.iter().position(|slot| slot.body.is_none()).unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, body: None, trouble: None, stumbled: None, stumble: None });
            self.slots.len() - 1
        });
        if let Some(crew) = &self.crew {
            crew.reserve(self.slots.len());
        }
        let slot = &mut self.slots[place];
        (slot.body, slot.stumbled, slot.stumble) = (Some(body), None, None);
        BodyId { place: place as u32, generation: slot.generation }
    }

    /// Adds a model at rest, with settings that suit it.
    ///
    /// # Errors
    /// A model whose numbers allow no motion.
    pub fn add_model(&mut self, model: impl Into<Arc<Model>>) -> Result<BodyId, WorldError> {
        Ok(self.add(Box::new(LiveBody::new(model.into())?)))
    }

    /// Takes a body out; its hands are open.
    pub fn remove(&mut self, id: BodyId) -> Option<Box<dyn Body>> {
        let slot = self.slots.get_mut(id.place as usize).filter(|slot| slot.generation == id.generation)?;
        let body = slot.body.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        Some(body)
    }

    /// Every body, in the order of their places.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        let slots = (0..).zip(&self.slots).filter(|(_, slot)| slot.body.is_some());
        slots.map(|(place, slot)| BodyId { place, generation: slot.generation })
    }

    /// A body.
    ///
    /// # Errors
    /// [`WorldError::NoBody`].
    pub fn body(&self, id: BodyId) -> Result<&(dyn Body + 'static), WorldError> {
        let slot = self.slots.get(id.place as usize).filter(|slot| slot.generation == id.generation);
        slot.and_then(|slot| slot.body.as_deref()).ok_or(WorldError::NoBody)
    }

    /// A body, to be changed.
    ///
    /// # Errors
    /// [`WorldError::NoBody`].
    pub fn body_mut(&mut self, id: BodyId) -> Result<&mut (dyn Body + 'static), WorldError> {
        let slot = self.slots.get_mut(id.place as usize).filter(|slot| slot.generation == id.generation);
        match slot.and_then(|slot| slot.body.as_deref_mut()) {
            Some(body) => Ok(body),
            None => Err(WorldError::NoBody),
        }
    }

    /// A body of a known type, such as [`LiveBody`]; `None` for others.
    pub fn get<B: Body>(&self, id: BodyId) -> Option<&B> {
        let body: &dyn Any = self.body(id).ok()?;
        body.downcast_ref()
    }

    /// The same, to be changed.
    pub fn get_mut<B: Body>(&mut self, id: BodyId) -> Option<&mut B> {
        let body: &mut dyn Any = self.body_mut(id).ok()?;
        body.downcast_mut()
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The clock, for another speed, or to forget what is owed after a pause.
    pub fn clock_mut(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Whether bodies at rest are left alone: not stepped, their time standing still, until a hand, a change or a reset wakes them. A
    /// load that begins to act by itself at some time wakes nobody; where there is one, let nobody sleep. Nobody does by default.
    pub fn let_sleep(&mut self, sleep: bool) {
        self.sleep = sleep;
    }

    /// Many bodies are stepped by so many threads, the caller's among them; by that one alone by default. No bit of any motion
    /// depends on it.
    ///
    /// # Errors
    /// [`WorldError::NoThreads`] of a system that gives none; who stepped before goes on.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), WorldError> {
        self.crew = match threads {
            0 | 1 => None,
            _ => Some(Crew::new(threads).map_err(|e| WorldError::NoThreads { threads, why: e.to_string() })?),
        };
        if let Some(crew) = &self.crew {
            crew.reserve(self.slots.len());
        }
        Ok(())
    }

    /// How many threads step many bodies.
    pub fn threads(&self) -> usize {
        self.crew.as_ref().map_or(1, Crew::threads)
    }

    /// Whether nobody could see any body move, and no hand holds one.
    pub fn is_still(&self) -> bool {
        self.slots.iter().filter_map(|slot| slot.body.as_deref()).all(Body::is_at_rest)
    }

    /// Seconds of the caller's clock pass: every body takes the steps that are due. Takes no memory.
    pub fn advance(&mut self, seconds: f64) -> Advanced {
        let mut done = Advanced { forgotten: self.pass(seconds), ..Advanced::default() };
        while let Some((late, stumbles)) = self.step_due() {
            done.steps += 1;
            done.late += u32::from(late);
            done.stumbles += stumbles;
        }
        done
    }

    /// The first half of [`World::advance`]: time passes; seconds that are forgotten.
    pub fn pass(&mut self, seconds: f64) -> f64 {
        if seconds > 0.0 && seconds.is_finite() {
            self.elapsed += seconds;
        }
        self.clock.pass(seconds)
    }

    /// The second half, one step at a time: whether the step was late and how many bodies could not take it; `None` when no
    /// step is due.
    pub fn step_due(&mut self) -> Option<(bool, u32)> {
        if !self.clock.due() {
            return None;
        }
        let late = self.clock.begin_step();
        Some((late, self.step()))
    }

    /// One step of every body, whatever the clock says; how many could not take it.
    pub fn step(&mut self) -> u32 {
        self.step_bodies();
        let mut stumbles = 0;
        for place in 0..self.slots.len() {
            if let Some(trouble) = self.slots[place].trouble.take() {
                self.put_back(place, trouble);
                stumbles += 1;
            }
        }
        stumbles
    }

    fn step_bodies(&mut self) {
        let (dt, sleep) = (self.clock.step(), self.sleep);
        let awake = |body: &dyn Body| !(sleep && body.is_at_rest());
        let bodies = self.slots.iter().filter_map(|slot| slot.body.as_deref());
        let mut due = bodies.filter(|body| awake(*body));
        match &self.crew {
            Some(crew) if due.nth(WORTH_SHARING - 1).is_some() => {
                // Out of their slots while they are stepped.
                let slots = self.slots.iter_mut().enumerate();
                let due = slots.filter_map(|(k, slot)| Some((k, slot.body.take_if(|body| awake(&**body))?)));
                crew.begin(dt, due);
                crew.end(|place, body, went| {
                    let slot = &mut self.slots[place];
                    (slot.body, slot.trouble) = (Some(body), went.err());
                });
            }
            _ => {
                for slot in &mut self.slots {
                    if let Some(body) = slot.body.as_deref_mut().filter(|body| awake(*body)) {
                        slot.trouble = body.step(dt).err();
                    }
                }
            }
        }
    }

    /// A body goes back to rest at t = 0; its hands open. Where its gravity allows no rest, that is taken away, which is a
    /// stumble.
    ///
    /// # Errors
    /// [`WorldError::NoBody`].
    pub fn reset(&mut self, id: BodyId) -> Result<(), WorldError> {
        if self.body_mut(id)?.reset().is_err() {
            self.put_back(id.place as usize, Trouble::NoRest);
        }
        Ok(())
    }

    /// Why a body could not go on since this was last asked; the last reason where there were several.
    pub fn take_stumble(&mut self) -> Option<Stumble> {
        self.slots.iter_mut().find_map(|slot| slot.stumble.take())
    }

    fn put_back(&mut self, place: usize, trouble: Trouble) {
        let slot = &mut self.slots[place];
        let Some(body) = &mut slot.body else { return };
        let (put_back, mut gravity_taken) = (!trouble.is_refusal(), false);
        if put_back {
            let soon = slot.stumbled.replace(self.elapsed).is_some_and(|then| self.elapsed - then < SOON);
            let gravity = body.gravity();
            // Hands have let go, so what brings it down again and again is a gravity that it cannot bear.
            if body.reset().is_err() || soon && gravity.norm() > 0.0 {
                let _ = body.set_gravity(Vec3::zeros());
                gravity_taken = body.reset().is_ok();
                if !gravity_taken {
                    // It was not the gravity.
                    let _ = body.set_gravity(gravity);
                }
            }
        }
        let body = BodyId { place: place as u32, generation: slot.generation };
        slot.stumble = Some(Stumble { body, trouble, put_back, gravity_taken });
    }

    /// A hand closes on a vertex of the shown surface and pulls it to `target`, m, as hard as suits the body.
    ///
    /// # Errors
    /// A body or a vertex that is not there, a part that cannot move, a target that is no place.
    pub fn grab(&mut self, id: BodyId, vertex: u32, target: Vec3) -> Result<HandId, WorldError> {
        Ok(HandId { body: id, hold: self.body_mut(id)?.grab(vertex, target)? })
    }

    /// A hand moves, m.
    ///
    /// # Errors
    /// [`WorldError::Released`] of an open hand; a target that is no place.
    pub fn drag(&mut self, hand: HandId, target: Vec3) -> Result<(), WorldError> {
        self.body_mut(hand.body).map_err(|_| WorldError::Released)?.drag(hand.hold, target)
    }

    /// A hand opens.
    ///
    /// # Errors
    /// [`WorldError::Released`] of one that is open already.
    pub fn release(&mut self, hand: HandId) -> Result<(), WorldError> {
        self.body_mut(hand.body).map_err(|_| WorldError::Released)?.release(hand.hold)
    }

    /// What a hand holds; `None` of an open one.
    pub fn held(&self, hand: HandId) -> Option<Held> {
        self.body(hand.body).ok()?.held(hand.hold)
    }

    /// What is seen of a body, at rest: positions, triangles, colours.
    ///
    /// # Errors
    /// [`WorldError::NoBody`].
    pub fn shown(&self, id: BodyId) -> Result<&Arc<ShownSurface>, WorldError> {
        Ok(self.body(id)?.shown())
    }

    /// Where the shown vertices of a body are, x y z of each in turn, m, in 32 bits. Takes no memory.
    ///
    /// # Errors
    /// A body that is not there, a buffer of another length.
    pub fn surface(&self, id: BodyId, buffer: &mut [f32]) -> Result<(), WorldError> {
        let body = self.body(id)?;
        fits(body, buffer.len())?;
        body.positions_f32(buffer);
        Ok(())
    }

    /// The same with all digits.
    ///
    /// # Errors
    /// As [`World::surface`].
    pub fn surface_f64(&self, id: BodyId, buffer: &mut [f64]) -> Result<(), WorldError> {
        let body = self.body(id)?;
        fits(body, buffer.len())?;
        body.positions(buffer);
        Ok(())
    }

    /// What the ray from `origin` along `direction` meets first, of all bodies as they are now.
    pub fn pick(&mut self, origin: Vec3, direction: Vec3) -> Option<Picked> {
        let mut best: Option<Picked> = None;
        for (place, slot) in (0..).zip(&self.slots) {
            let Some(body) = &slot.body else { continue };
            let shown = body.shown();
            let x = &mut self.positions[..3 * shown.rest.len()];
            body.positions(x);
            let Some(hit) = first_hit(origin, direction, x, &shown.triangles) else { continue };
            if best.is_none_or(|best| hit.distance < best.distance) {
                best = Some(Picked {
                    body: BodyId { place, generation: slot.generation },
                    triangle: hit.triangle,
                    vertex: hit.vertex,
                    point: origin + direction * hit.distance,
                    distance: hit.distance,
                });
            }
        }
        best
    }

    /// Energies of a body, J.
    ///
    /// # Errors
    /// [`WorldError::NoBody`].
    pub fn energies(&mut self, id: BodyId) -> Result<Energies, WorldError> {
        Ok(self.body_mut(id)?.energies())
    }

    /// Whether nobody could see a body move, and no hand holds it.
    ///
    /// # Errors
    /// [`WorldError::NoBody`].
    pub fn is_at_rest(&self, id: BodyId) -> Result<bool, WorldError> {
        Ok(self.body(id)?.is_at_rest())
    }
}

fn fits(body: &dyn Body, found: usize) -> Result<(), WorldError> {
    let expected = 3 * body.shown().rest.len();
    if found == expected { Ok(()) } else { Err(WorldError::Buffer { found, expected }) }
}
