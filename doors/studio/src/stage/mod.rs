//! The stage: some bodies in one world, what is being made for it, and whether time stands still.
//!
//! Families change it; what others must hear of that is collected as [`News`] and told by the engine.

mod actor;
mod former;
mod jobs;
mod news;

use std::sync::Arc;

use pliant::linalg::Vec3;
use pliant::world::{Body as _, BodyId, LiveBody, World};

use crate::hub::{Hub, Shapes};
use crate::job::Finished;
use crate::words::sentence;

pub(crate) use actor::{Actor, BodyFacts, Place};
use former::{Former, Kept};
pub(crate) use jobs::Jobs;
pub(crate) use news::News;

/// Length of a step, s.
pub(crate) const DT: f64 = 1.0 / 240.0;

/// How much is kept for saving, s.
const KEPT: f64 = 10.0;

/// Bodies that there may be.
pub(crate) const MOST_BODIES: usize = 64;

/// Between two bodies that stand side by side, in lengths of the longer one.
const GAP: f64 = 0.25;

pub(crate) struct Stage {
    pub(crate) hub: Arc<Hub>,
    pub(crate) world: World,
    actors: Vec<Actor>,
    next_body: u32,
    former: Former,
    pub(crate) jobs: Jobs,
    pub(crate) paused: bool,
    /// One step is asked for, while paused.
    pub(crate) step_once: bool,
    /// Something that a stage at rest must show.
    pub(crate) changed: bool,
    news: Vec<News>,
}

impl Stage {
    pub(crate) fn new(hub: Arc<Hub>) -> Self {
        let mut world = World::new(DT);
        world.let_sleep(true);
        // A system that gives no more than one leaves the bodies to that.
        let _ = world.set_threads(std::thread::available_parallelism().map_or(1, usize::from));
        Self {
            jobs: Jobs::new(hub.clone()),
            hub,
            world,
            actors: Vec::new(),
            next_body: 1,
            former: Former::default(),
            paused: false,
            step_once: false,
            changed: false,
            news: Vec::new(),
        }
    }

    /// What has happened since this was last asked.
    pub(crate) fn take_news(&mut self) -> Vec<News> {
        std::mem::take(&mut self.news)
    }

    pub(crate) fn tell(&mut self, news: News) {
        self.changed = true;
        self.news.push(news);
    }

    /// Every body, in the order in which they came.
    pub(crate) fn actors(&self) -> &[Actor] {
        &self.actors
    }

    /// Their numbers.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        self.actors.iter().map(|actor| actor.number).collect()
    }

    /// A body by its number.
    ///
    /// # Errors
    /// A sentence, of one that is not there.
    pub(crate) fn actor(&self, number: u32) -> Result<&Actor, String> {
        self.actors.iter().find(|actor| actor.number == number).ok_or_else(|| self.no_body(number))
    }

    /// The same, to be changed.
    ///
    /// # Errors
    /// As [`Stage::actor`].
    pub(crate) fn actor_mut(&mut self, number: u32) -> Result<&mut Actor, String> {
        match self.actors.iter().position(|actor| actor.number == number) {
            Some(place) => Ok(&mut self.actors[place]),
            None => Err(self.no_body(number)),
        }
    }

    /// Whom a number means: that of a draft means the finished body, since whoever asks may not have heard of it yet.
    pub(crate) fn meant(&self, number: u32) -> u32 {
        self.actors.iter().find(|actor| actor.draft == Some(number)).map_or(number, |actor| actor.number)
    }

    fn no_body(&self, number: u32) -> String {
        if self.actors.is_empty() {
            return "there is no body yet; wait for it, or drop a file".into();
        }
        let known: Vec<String> = self.numbers().iter().map(u32::to_string).collect();
        let (there, was) = (known.join(", "), if number < self.next_body { "is gone" } else { "never was" });
        format!("body {number} {was}; there is {there}")
    }

    /// The live body of an actor, and its model in motion.
    pub(crate) fn live_body(&self, id: BodyId) -> &LiveBody {
        self.world.get(id).expect("an actor's body is put in with it, and taken out with it")
    }

    pub(crate) fn live_body_mut(&mut self, id: BodyId) -> &mut LiveBody {
        self.world.get_mut(id).expect("an actor's body is put in with it, and taken out with it")
    }

    /// A body that a job has made comes onto the stage; its number.
    ///
    /// # Errors
    /// A model whose numbers allow no motion, too many bodies.
    pub(crate) fn install(&mut self, finished: &Finished) -> Result<u32, String> {
        let mut body = LiveBody::new(finished.model.clone()).map_err(|e| sentence(&e))?;
        body.remember(KEPT, DT).map_err(|e| sentence(&e))?;
        let suiting = body.suiting_strength();
        body.set_strength(Some(suiting)).map_err(|e| sentence(&e))?;
        // One that went meanwhile is not replaced.
        let old = finished.replaces.and_then(|old| self.actor(self.meant(old)).ok()).cloned();
        let (mut place, mut gravity) = (self.beside(bounds(&body), old.as_ref()), Vec3::zeros());
        match &old {
            Some(old) if matches!(finished.why, "rebuilt" | "refined") => {
                let now = self.live_body(old.id);
                old.pass_on(now, &mut body);
                if let Some(carry) = &finished.carry {
                    let (q, v) = (carry.apply(now.live().q()), carry.apply(now.live().velocity()));
                    // Where the finished body cannot be it stays at rest.
                    let _ = body.change(|live| live.set_state(&q, &v));
                }
                (place, gravity) = (old.place, old.gravity);
            }
            Some(old) if finished.why == "reshaped" => (place, gravity) = (old.place, old.gravity),
            Some(_) => {}
            None => self.room_for_one()?,
        }
        let goes_on = |_: &&Actor| matches!(finished.why, "rebuilt" | "refined");
        let before = old.as_ref().filter(goes_on).map_or((None, None), |old| (old.form, old.became));
        let (form, became) = (finished.form.or(before.0), finished.became.or(before.1));
        let replaces = old.map(|old| {
            let number = old.number;
            let kept = self.take_out(old);
            match finished.why {
                "rebuilt" | "reshaped" => self.former.replaced(number, self.next_body, kept),
                "refined" => self.former.renamed(number, self.next_body),
                _ => self.former.forget(number),
            }
            number
        });
        if finished.why == "reshaped" {
            // What it cannot bear at its new size it is not given.
            let felt = place.turn.transpose() * gravity;
            if body.change(|live| live.set_gravity(felt)).is_err() {
                gravity = Vec3::zeros();
            }
        }
        let id = self.world.add(Box::new(body));
        let draft = replaces.filter(|_| finished.why == "refined");
        let actor = Actor { place, gravity, draft, form, became, ..Actor::new(finished, self.next_body, id) };
        Ok(self.enter(actor, replaces, finished.why, finished.by))
    }

    /// A second body like one that is there, beside the others; its number.
    ///
    /// # Errors
    /// A body that is not there, too many of them.
    pub(crate) fn duplicate(&mut self, number: u32, by: u32) -> Result<u32, String> {
        let actor = self.actor(number)?.clone();
        self.room_for_one()?;
        let body = self.live_body(actor.id).duplicate();
        let [low, high] = bounds(&body);
        let turned = Place { position: Vec3::zeros(), ..actor.place };
        let place = Place { position: self.beside(turned.bounds(low, high), None).position, ..turned };
        let id = self.world.add(Box::new(body));
        let twin = Actor { number: self.next_body, draft: None, id, place, ..actor };
        Ok(self.enter(twin, None, "duplicated", Some(by)))
    }

    /// A body becomes again what it was before it was made anew, or with `again` what it was before that was undone; its new number.
    ///
    /// # Errors
    /// A body that is not there or was nothing else, work that is going on.
    pub(crate) fn go_back(&mut self, number: u32, again: bool, by: u32) -> Result<u32, String> {
        let now = self.actor(number)?.clone();
        if let Some(job) = self.jobs.newest() {
            return Err(format!("job {job} is at work; wait for it, or stop it first"));
        }
        let Some(Kept { actor, body }) = self.former.take(number, again) else {
            let which =
                if again { "nothing was undone that could be done again" } else { "it was not made anew" };
            return Err(format!("body {number}: {which}"));
        };
        let place = now.place;
        let kept = self.take_out(now);
        self.former.put(number, again, kept);
        self.former.renamed(number, self.next_body);
        let id = self.world.add(body);
        let restored = Actor { number: self.next_body, draft: None, id, place, ..actor };
        let felt = place.turn.transpose() * restored.gravity;
        // It bore as much when it stood there.
        let _ = self.live_body_mut(id).change(|live| live.set_gravity(felt));
        Ok(self.enter(restored, Some(number), "restored", Some(by)))
    }

    /// A body leaves the stage, at rest.
    fn take_out(&mut self, actor: Actor) -> Kept {
        // The body is there; one that finds no rest goes as it is.
        let _ = self.world.reset(actor.id);
        let body = self.world.remove(actor.id);
        let body = body.expect("an actor's body is put in with it, and taken out with it");
        self.actors.retain(|other| other.number != actor.number);
        Kept { actor, body }
    }

    /// A body goes.
    ///
    /// # Errors
    /// A body that is not there.
    pub(crate) fn remove(&mut self, number: u32, by: u32) -> Result<(), String> {
        let id = self.actor(number)?.id;
        self.world.remove(id);
        self.actors.retain(|actor| actor.number != number);
        self.former.forget(number);
        self.hub.show_bodies(self.numbers());
        self.tell(News::Went { body: number, by: Some(by) });
        Ok(())
    }

    /// A body goes back to rest at t = 0; its hands open.
    ///
    /// # Errors
    /// A body that is not there.
    pub(crate) fn reset(&mut self, number: u32) -> Result<(), String> {
        let id = self.actor(number)?.id;
        // The body is there.
        let _ = self.world.reset(id);
        self.tell(News::Reset);
        self.note_stumbles();
        Ok(())
    }

    /// Bodies that could not go on since this was last asked.
    pub(crate) fn note_stumbles(&mut self) {
        while let Some(stumble) = self.world.take_stumble() {
            let Some(actor) = self.actors.iter_mut().find(|actor| actor.id == stumble.body) else { continue };
            if stumble.gravity_taken {
                actor.gravity = Vec3::zeros();
            }
            let body = actor.number;
            self.tell(News::Stumbled { body, stumble });
        }
    }

    fn room_for_one(&self) -> Result<(), String> {
        if self.actors.len() < MOST_BODIES {
            return Ok(());
        }
        Err(format!("there are {MOST_BODIES} bodies already, which is the limit; remove one first"))
    }

    fn enter(&mut self, actor: Actor, replaces: Option<u32>, why: &'static str, by: Option<u32>) -> u32 {
        let number = actor.number;
        self.next_body += 1;
        self.actors.push(actor);
        self.hub.show_bodies(self.numbers());
        self.tell(News::Came { body: number, replaces, why, by });
        number
    }

    /// To the right of all others, on the ground that the first stands on; `instead` is not in the way.
    fn beside(&self, [low, high]: [Vec3; 2], instead: Option<&Actor>) -> Place {
        let in_the_way = |actor: &&Actor| instead.is_none_or(|old| old.number != actor.number);
        let boxes: Vec<[Vec3; 2]> = self
            .actors
            .iter()
            .filter(in_the_way)
            .map(|actor| {
                let [low, high] = bounds(self.live_body(actor.id));
                actor.place.bounds(low, high)
            })
            .collect();
        let mut place = Place::default();
        let Some(ground) = boxes.first().map(|[low, _]| low.y) else { return place };
        let right = boxes.iter().map(|[_, high]| high.x).fold(f64::NEG_INFINITY, f64::max);
        let longest = boxes.iter().map(|[low, high]| (high - low).amax()).fold((high - low).amax(), f64::max);
        place.position = Vec3::new(right + GAP * longest - low.x, ground - low.y, 0.0);
        place
    }

    /// The shapes of a body, as they go over the wire.
    ///
    /// # Errors
    /// A body that is not there.
    pub(crate) fn shapes(&self, number: u32) -> Result<&Shapes, String> {
        Ok(&self.actor(number)?.shapes)
    }
}

/// The box around what is seen of a body at rest.
fn bounds(body: &LiveBody) -> [Vec3; 2] {
    let empty = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
    body.shown().rest.iter().fold(empty, |[low, high], p| [low.inf(p), high.sup(p)])
}
