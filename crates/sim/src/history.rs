//! The last seconds of a live model, to be saved: as a scenario that repeats them, and as a motion.
//!
//! Kept are the states at the ends of the steps, with velocity and acceleration, and what every grab pulled at in each
//! step. A scenario evaluates its loads at the end of each step, and where a step has to be halved, also within it; a live
//! model holds a target still for a step. So the path of a saved spring stands still too, and goes over to its next place
//! in the first 1/512 of a step, where nothing is ever evaluated: the run has bit for bit the targets that the hands had.
//!
//! What was pushed is not kept: of a motion with pushes the scenario repeats the grabs alone. Settings are not kept
//! either: whoever changes one calls [`History::clear`]. Loads that were added to the model are in no scenario of this.

use std::fmt::Write as _;

use pliant_linalg::Vec3;
use pliant_mesh::io::arrays::{Numbers, npz_bytes};

use crate::scenario::damping_line;
use crate::{InitialState, Live, Motion, SimError};

/// The name of the file that a scenario begins from, beside it.
pub const STATE: &str = "state.npz";

/// Frames a second of a saved motion.
const FRAMES: f64 = 60.0;

/// Grabs at once that need no memory.
const HANDS: usize = 16;

/// More steps than anyone can wait for.
const MOST: f64 = 1e6;

/// Within a step, in parts of it: until here a target stands where it stood, and from there on where it stands next. Steps
/// are halved down to 1/256.
const LEAVES: f64 = 1.0 / 1024.0;
const ARRIVES: f64 = 1.0 / 512.0;

/// Parts of a state, and the one that is played back.
const PARTS: usize = 4;
const SEEN: usize = 3;

/// The last seconds of a [`Live`].
#[derive(Clone, Debug)]
pub struct History {
    dt: f64,
    /// Room for the coordinates of a state.
    room: usize,
    /// Coordinates of the states that are there.
    rank: usize,
    /// Where the first state stands in the ring, and how many there are.
    first: usize,
    count: usize,
    moments: Vec<Moment>,
}

/// The end of a step.
#[derive(Clone, Debug)]
struct Moment {
    t: f64,
    /// q, v, a, and what was seen of q: `room` numbers each.
    state: Vec<f64>,
    /// What pulled in the step that ended.
    hands: Vec<Hand>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Hand {
    /// Which grab: a place has one after the other.
    grab: (usize, u32),
    vertex: u32,
    stiffness: f64,
    target: Vec3,
}

/// A spring of the scenario.
struct Track {
    hand: Hand,
    /// Steps, counted from 1, both included.
    from: usize,
    to: usize,
    /// From which step on the target is where.
    targets: Vec<(usize, Vec3)>,
}

/// What a person has to know to repeat a motion beside its scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// How long it is, s.
    pub seconds: f64,
    /// How it moved.
    pub motion: Motion,
    /// A name of [`pliant_dynamics::integrator::ALL`].
    pub integrator: &'static str,
    /// When a step has converged.
    pub tolerance: f64,
    /// Iterations of a step, where they were limited.
    pub iterations: Option<usize>,
    /// Times the stiffness that the model was built with.
    pub stiffness: f64,
    /// Times the density that the model was built with.
    pub density: f64,
    /// Coordinates in use: the first ones.
    pub coordinates: usize,
    /// Coordinates of the model.
    pub rank: usize,
}

/// Frames of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Thinned {
    /// s, from 0.
    pub times: Vec<f64>,
    /// Coordinates of a frame.
    pub rank: usize,
    /// `rank` numbers for each frame, in the basis [`Live::basis`].
    pub q: Vec<f64>,
}

impl History {
    /// Of `seconds` of steps of `dt` seconds, for models of up to `rank` coordinates. Takes all memory at once.
    ///
    /// # Errors
    /// A number that is not finite or not > 0, or more than a million steps.
    pub fn new(seconds: f64, dt: f64, rank: usize) -> Result<Self, SimError> {
        for (what, value) in [("the length of the history", seconds), ("dt", dt)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(SimError::Number { what, value, expected: "a finite number of seconds > 0" });
            }
        }
        // 1 s of 240 steps a second is 240 steps, whatever rounding says.
        let steps = (seconds / dt - 1e-9).ceil().max(1.0);
        if steps > MOST {
            let what = "the number of steps in the history";
            return Err(SimError::Number { what, value: steps, expected: "at most 1,000,000" });
        }
        let moment = || Moment { t: 0.0, state: vec![0.0; PARTS * rank], hands: Vec::with_capacity(HANDS) };
        // One state more than steps: the one before the first.
        let moments = (0..=steps as usize).map(|_| moment()).collect();
        Ok(Self { dt, room: rank, rank, first: 0, count: 0, moments })
    }

    /// Forgets everything: for when anything but the grabs changes. The next state that is noted is the first.
    pub fn clear(&mut self) {
        (self.first, self.count) = (0, 0);
    }

    /// Notes the state of `live`: after each step, and before the first where the motion shall begin there. Begins anew where
    /// the time since the last state is not `dt`, and where the number of coordinates has changed.
    pub fn note(&mut self, live: &Live) {
        let state = live.state();
        let rank = state.q.len();
        let follows = match self.count.checked_sub(1).map(|last| self.at(last).t) {
            Some(last) => rank == self.rank && (state.t - last - self.dt).abs() <= 1e-6 * self.dt,
            None => true,
        };
        if !follows {
            self.clear();
        }
        if rank > self.room {
            self.room = rank;
            self.moments.iter_mut().for_each(|moment| moment.state = vec![0.0; PARTS * rank]);
        }
        self.rank = rank;
        let length = self.moments.len();
        if self.count == length {
            self.first = (self.first + 1) % length;
            self.count -= 1;
        }
        let room = self.room;
        let moment = &mut self.moments[(self.first + self.count) % length];
        moment.t = state.t;
        let all: [&[f64]; PARTS] = [&state.q, &state.v, &state.a, live.shown()];
        for (x, kept) in all.into_iter().zip(moment.state.chunks_exact_mut(room)) {
            kept[..rank].copy_from_slice(x);
        }
        moment.hands.clear();
        moment.hands.extend(live.hands().map(|(place, held)| Hand {
            grab: (place, held.generation),
            vertex: held.pulls.spring.vertex,
            stiffness: held.pulls.spring.stiffness,
            target: held.pulls.spring.target(state.t),
        }));
        self.count += 1;
    }

    /// How many steps can be repeated.
    pub fn steps(&self) -> usize {
        self.count.saturating_sub(1)
    }

    /// s, of those.
    pub fn seconds(&self) -> f64 {
        self.steps() as f64 * self.dt
    }

    /// A scenario, TOML, that repeats the motion under the [`History::conditions`] of it. Where it does not begin at rest, it
    /// begins from the file [`STATE`] beside it: [`History::state_npz`].
    ///
    /// # Errors
    /// When there is no step to repeat, or `live` has other coordinates than what was noted.
    pub fn scenario(&self, live: &Live) -> Result<String, SimError> {
        self.check(live)?;
        if self.steps() == 0 {
            return Err(SimError::NothingNoted);
        }
        let [x, y, z]: [f64; 3] = live.gravity().into();
        let (dt, steps) = (self.dt, self.steps());
        let mut text = format!("dt = {dt:?}\nsteps = {steps}\ngravity = [{x:?}, {y:?}, {z:?}]\n");
        text += &damping_line(&live.damping());
        if !self.begins_at_rest(live) {
            let _ = writeln!(text, "initial = {STATE:?}");
        }
        self.tracks().iter().for_each(|track| track.write(self.dt, &mut text));
        Ok(text)
    }

    /// What has to be the same where the scenario is to repeat the motion.
    pub fn conditions(&self, live: &Live) -> Conditions {
        Conditions {
            seconds: self.seconds(),
            motion: live.motion(),
            integrator: live.integrator(),
            tolerance: live.solver().tolerance,
            iterations: live.solver().iterations,
            stiffness: live.stiffness(),
            density: live.density(),
            coordinates: live.coordinates(),
            rank: live.model().rank(),
        }
    }

    /// The state that the scenario begins from; `None` where that is rest.
    ///
    /// # Errors
    /// When `live` has other coordinates than what was noted.
    pub fn state(&self, live: &Live) -> Result<Option<InitialState>, SimError> {
        self.check(live)?;
        if self.count == 0 || self.begins_at_rest(live) {
            return Ok(None);
        }
        let of_all = |k: usize| {
            let mut x = vec![0.0; live.basis().size()];
            live.basis().expand(self.part(0, k), &mut x);
            x
        };
        let (displacement, velocity, acceleration) = (of_all(0), of_all(1), Some(of_all(2)));
        Ok(Some(InitialState { displacement, velocity, acceleration }))
    }

    /// The same as the bytes of an `.npz` file: `displacement`, `velocity` and `acceleration`, (n, 3) each.
    ///
    /// # Errors
    /// As [`History::state`].
    pub fn state_npz(&self, live: &Live) -> Result<Option<Vec<u8>>, SimError> {
        let Some(first) = self.state(live)? else { return Ok(None) };
        let shape: &[usize] = &[first.displacement.len() / 3, 3];
        let acceleration = first.acceleration.as_deref().unwrap_or(&[]);
        let bytes = npz_bytes(&[
            ("displacement", shape, Numbers::Reals(&first.displacement)),
            ("velocity", shape, Numbers::Reals(&first.velocity)),
            ("acceleration", shape, Numbers::Reals(acceleration)),
        ]);
        bytes.map(Some).map_err(|error| SimError::Scenario(error.to_string()))
    }

    /// The motion, at most 60 frames a second, for [`pliant_mesh::io::motion::ReducedMotion`].
    pub fn motion(&self) -> Thinned {
        let mut motion = Thinned { times: Vec::new(), rank: self.rank, q: Vec::new() };
        let every = (1.0 / (FRAMES * self.dt)).max(1.0);
        let Some(last) = self.count.checked_sub(1) else { return motion };
        // Backwards from the last state, which is what is seen now; the others are those nearest in time.
        let frames = (last as f64 / every).floor() as usize;
        let before_last = |frame: usize| ((frames - frame) as f64 * every).round() as usize;
        let first = last - before_last(0).min(last);
        for frame in 0..=frames {
            let moment = last - before_last(frame).min(last);
            motion.times.push((moment - first) as f64 * self.dt);
            motion.q.extend_from_slice(self.part(moment, SEEN));
        }
        motion
    }

    fn at(&self, moment: usize) -> &Moment {
        &self.moments[(self.first + moment) % self.moments.len()]
    }

    /// q, v, a or what was seen.
    fn part(&self, moment: usize, which: usize) -> &[f64] {
        &self.at(moment).state[which * self.room..][..self.rank]
    }

    fn check(&self, live: &Live) -> Result<(), SimError> {
        let (found, expected) = (self.rank, live.coordinates());
        let fits = self.count == 0 || found == expected;
        fits.then_some(()).ok_or(SimError::Size { what: "the history", found, expected })
    }

    fn begins_at_rest(&self, live: &Live) -> bool {
        let still = |k: usize| self.part(0, k).iter().all(|x| *x == 0.0);
        still(0) && still(1) && live.falls(self.part(0, 2))
    }

    /// What each grab pulled at, in the order in which they began.
    fn tracks(&self) -> Vec<Track> {
        let mut tracks: Vec<Track> = Vec::new();
        for step in 1..self.count {
            for &hand in &self.at(step).hands {
                let goes_on = |t: &&mut Track| t.hand.grab == hand.grab && t.to + 1 == step;
                match tracks.iter_mut().find(goes_on) {
                    Some(track) => {
                        track.to = step;
                        if track.targets.last().is_none_or(|(_, last)| *last != hand.target) {
                            track.targets.push((step, hand.target));
                        }
                    }
                    None => {
                        let targets = vec![(step, hand.target)];
                        tracks.push(Track { hand, from: step, to: step, targets });
                    }
                }
            }
        }
        tracks
    }
}

impl Track {
    fn write(&self, dt: f64, text: &mut String) {
        let Hand { vertex, stiffness, .. } = self.hand;
        // In the step that ends at its first time it acts from the beginning, but not yet in the state before that.
        let (from, to) = ((self.from as f64 - 1.0 + ARRIVES) * dt, (self.to as f64 + LEAVES) * dt);
        let _ = write!(
            text,
            "\n[[spring]]\nvertex = {vertex}\nstiffness = {stiffness:?}\nfrom = {from:?}\nto = {to:?}\npath = ["
        );
        let mut point = |t: f64, p: Vec3| {
            let _ = write!(text, "\n  [{t:?}, {:?}, {:?}, {:?}],", p.x, p.y, p.z);
        };
        let (first, mut last) = self.targets[0];
        point(first as f64 * dt, last);
        for &(step, target) in &self.targets[1..] {
            let before = step as f64 - 1.0;
            point((before + LEAVES) * dt, last);
            point((before + ARRIVES) * dt, target);
            last = target;
        }
        text.push_str("\n]\n");
    }
}
