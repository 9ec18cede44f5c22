//! Training of a cubature: poses, exact forces there, a choice of components and weights, and how good it is.
//!
//! ```text
//! ε(w) = √( 1/T Σ_t ‖F̃(q_t) − Σ_i w_i f̃_i(q_t)‖² / ‖F̃(q_t)‖² )                        (T14 eq. 3.7)
//! ```
//! is measured on the poses of the training and on as many fresh ones: the second is what a user will see.
//!
//! Poses as far out as these say little about the stiffness at rest: slender bodies are many times stiffer there than next
//! to it, and a cubature trained on them alone was seen to have natural frequencies 30 % off. So every vibration of the
//! reduced body, alone and gentle, is trained as well, by the work that it takes: that is its frequency. (Its forces
//! are not: those of a few components across a soft vibration do not cancel as those of all do, and to fit them costs more
//! than it brings; docs/adr/0010-cubature-trainer.md has numbers.) These poses are not counted in ε.

use std::sync::OnceLock;

use pliant_energy::{Body, Tangent};
use pliant_linalg::{DenseSymmetric, Note, Random, Watch};
use pliant_mesh::data::bounds;

use super::forces::exact_forces;
use super::poses::{Law, Spectrum, bearable, mean_reach};
use super::rest::correction;
use super::samples::Samples;
use super::statics::{Statics, frequency_error};
use super::trainer::{Select, Selected, ridge_of};
use super::{Cubature, CubatureForce, Pieces, Trainer, nn_htp};
use crate::force::setting::{POINTS, POSE_SCALE, POSES};
use crate::force::{ReducedForce, TrainingFacts};
use crate::{Basis, ReduceError};

/// The most memory that a training may take, bytes: what a small computer has to spare.
pub const MOST_BYTES: f64 = 4e9;

/// The pose scale of a solid, and the largest of a surface, where none is asked for.
const USUAL_SCALE: f64 = 0.1;

/// How far a gentle pose goes, as a part of the pose scale: next to linear, yet far from rounding.
const GENTLE: f64 = 0.01;

/// What the work of all gentle poses together weighs, as a part of the forces of the others: it is one number a pose, and
/// costs next to nothing.
const GENTLE_SHARE: f64 = 2.0;

/// Of several trainers one is chosen by a trial with this part of the points, where that is not less than so many.
const TRIAL: usize = 4;
const LEAST_TRIAL: usize = 20;

/// How forces are measured in a training, and at which poses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// By what they do to vibrations of equal energy; half of the poses hold vibrations of equal energy, half such of equal force. The
    /// softest vibration, which is what is seen, counts as much as the stiffest.
    #[default]
    Vibrations,
    /// By their components, at vibrations of equal energy: T14 eq. 3.7 as it is printed.
    Forces,
}

/// What a cubature is trained with.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// s: the most components.
    pub points: usize,
    /// T: random poses; as many fresh ones validate.
    pub poses: usize,
    /// The mean over poses of the largest displacement of a vertex, as a part of the longest side of the bounding box. Default: a
    /// tenth, of a surface less where its edges would stretch more than one can be asked to.
    pub pose_scale: Option<f64>,
    /// Where random choices start.
    pub seed: u64,
    /// How components are chosen.
    pub trainer: Trainer,
    /// How forces are measured.
    pub rows: Rows,
    /// Whether the softest vibrations are made exact afterwards, where that brings shapes under loads nearer.
    pub correct: bool,
    /// Whether the flaps of a surface are chosen from, as T14 counts components, and not its hinges, edges and triangles: nearer at equal
    /// points, and farther off at equal cost of a step (docs/adr/0016-flaps.md).
    pub flaps: bool,
}

impl Default for Training {
    fn default() -> Self {
        Self {
            points: 150,
            poses: 500,
            pose_scale: None,
            seed: 1,
            trainer: Trainer::default(),
            rows: Rows::default(),
            correct: true,
            flaps: false,
        }
    }
}

impl Training {
    /// T14 eq. 3.7, its poses and its components as they are printed, and nothing else: for comparisons with the document.
    pub fn as_printed() -> Self {
        Self { rows: Rows::Forces, correct: false, flaps: true, ..Self::default() }
    }

    /// Whether a cubature of `body` can be trained so.
    ///
    /// # Errors
    /// More points than components, none, no poses, a scale that is no length, or more memory than [`MOST_BYTES`] whatever
    /// the basis.
    pub fn check(&self, body: &Body) -> Result<(), ReduceError> {
        check_points(self.points, self.pieces_of(body).in_body(body).count())?;
        check_poses(self)?;
        check_memory(self.points, self.poses, 1)
    }

    fn pieces_of(&self, body: &Body) -> Pieces {
        if self.flaps && body.flaps().is_some() { Pieces::Flaps } else { Pieces::Components }
    }
}

/// A cubature and what is worth knowing about it.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Components and weights.
    pub cubature: Cubature,
    /// How it was trained and how good it is.
    pub facts: TrainingFacts,
    /// The training error after each iteration.
    pub errors: Vec<f64>,
    /// Poses, of the training and fresh, that were halved until the energy was defined.
    pub shrunk: usize,
    /// What a user should know.
    pub warnings: Vec<Note>,
}

/// Chooses at most `training.points` components of `body` and their weights.
///
/// # Errors
/// More points than components, none, no poses, a scale that is no length, or a basis whose shapes cost nothing.
pub fn train(
    body: &Body,
    basis: &Basis,
    training: &Training,
    watch: &mut Watch<'_>,
) -> Result<Trained, ReduceError> {
    // Before the poses cost time.
    training.check(body)?;
    TrainingSet::new(body, basis, training, watch)?.train(training.points, watch)
}

/// Poses and exact forces for training and validation: made once, used for any number of points.
pub struct TrainingSet<'a> {
    body: &'a Body,
    basis: &'a Basis,
    pieces: Pieces,
    spectrum: Spectrum,
    /// What trainers see.
    known: Samples<'a>,
    /// The same poses, and fresh ones, with forces as they are: what a cubature is judged by.
    judged: Samples<'a>,
    fresh: Samples<'a>,
    /// Made when the first cubature is there.
    statics: OnceLock<Statics>,
    /// Of poses, m.
    reach: f64,
    correct: bool,
    facts: TrainingFacts,
    /// Where the choice of candidates starts.
    choice: Random,
    trainer: Trainer,
    shrunk: usize,
    /// The pose scale of the training poses as they are, halved ones included.
    reached: f64,
}

impl<'a> TrainingSet<'a> {
    /// As many poses as `training` says, twice; its number of points is not used.
    ///
    /// # Errors
    /// As [`train`], but for the number of points.
    pub fn new(
        body: &'a Body,
        basis: &'a Basis,
        training: &Training,
        watch: &mut Watch<'_>,
    ) -> Result<Self, ReduceError> {
        let &Training { points, poses, pose_scale, seed, trainer, rows, correct, .. } = training;
        let pieces = training.pieces_of(body);
        check_poses(training)?;
        check_memory(1, poses, basis.rank())?;
        let spectrum = Spectrum::new(body, basis)?;
        // Streams of their own, so that more poses do not change which components are tried.
        let mut streams = Random(seed);
        let [mut first, mut second, choice] = std::array::from_fn(|_| Random(streams.bits()));
        let mut known = spectrum.draw(poses, Law::EqualEnergy, &mut first);
        let mut fresh = spectrum.draw(poses, Law::EqualEnergy, &mut second);
        let [low, high] = bounds(body.rest());
        let longest = (high - low).max();
        let mean = mean_reach(basis, &known);
        let pose_scale = match pose_scale {
            Some(scale) => scale,
            None => USUAL_SCALE.min(bearable(body, basis, &known) * mean / longest),
        };
        let reach = pose_scale * longest;
        known.iter_mut().chain(&mut fresh).for_each(|q| *q *= reach / mean);
        if rows == Rows::Vibrations {
            let mut pulled = spectrum.draw(poses / 2, Law::EqualForce, &mut first);
            let mean = mean_reach(basis, &pulled);
            pulled.iter_mut().for_each(|q| *q *= reach / mean);
            known.truncate((poses - poses / 2) * basis.rank());
            known.extend(pulled);
        }
        let (forces, shrunk) = exact_forces(body, basis, &mut known, "training forces", watch)?;
        let reached = if shrunk > 0 { mean_reach(basis, &known) / longest } else { pose_scale };
        let mut gentle = spectrum.alone(basis, GENTLE * reach);
        let (pulls, _) = exact_forces(body, basis, &mut gentle, "training forces", watch)?;
        let along = (rows == Rows::Vibrations).then(|| spectrum.directions.clone());
        let energy = pieces.in_body(body);
        let judged = Samples::new(energy, basis, known.clone(), forces.clone(), None)?;
        let known =
            Samples::new(energy, basis, known, forces, along)?.with_gentle(gentle, &pulls, GENTLE_SHARE)?;
        let (forces, more) = exact_forces(body, basis, &mut fresh, "validation forces", watch)?;
        let fresh = Samples::new(energy, basis, fresh, forces, None)?;
        let facts = TrainingFacts {
            trainer: trainer.name.into(),
            poses,
            pose_scale,
            points,
            training_error: f64::NAN,
            validation_error: f64::NAN,
            static_error: None,
            frequency_error: None,
        };
        let statics = OnceLock::new();
        let shrunk = shrunk + more;
        Ok(Self {
            body,
            basis,
            pieces,
            spectrum,
            known,
            judged,
            fresh,
            statics,
            reach,
            correct,
            facts,
            choice,
            trainer,
            shrunk,
            reached,
        })
    }

    /// The poses of the training and the fresh ones, r numbers each, one after the other.
    pub fn poses(&self) -> (&[f64], &[f64]) {
        (&self.known.poses, &self.fresh.poses)
    }

    /// ε of any cubature on the poses of the training and on the fresh ones.
    ///
    /// # Errors
    /// An energy that is not defined at a pose.
    pub fn errors(&self, cubature: &Cubature) -> Result<[f64; 2], ReduceError> {
        let mut force = self.force_of(cubature);
        Ok([self.judged.error_in_use(&mut force)?, self.fresh.error_in_use(&mut force)?])
    }

    /// At most `points` components and their weights.
    ///
    /// # Errors
    /// More points than components, none, or more than fit into [`MOST_BYTES`].
    pub fn train(&self, points: usize, watch: &mut Watch<'_>) -> Result<Trained, ReduceError> {
        self.train_by(self.trainer, points, watch)
    }

    /// As [`TrainingSet::train`], by another trainer on the same poses.
    ///
    /// # Errors
    /// As [`TrainingSet::train`].
    pub fn train_by(
        &self,
        trainer: Trainer,
        points: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Trained, ReduceError> {
        check_points(points, self.known.sum.count())?;
        check_memory(points, self.known.count(), self.known.basis.rank())?;
        let mut entrants = trainer.entrants()?;
        // Which is the better one shows with fewer points, too.
        let trial = points / TRIAL;
        if entrants.len() > 1 && trial >= LEAST_TRIAL {
            let winner = self.best_of(&entrants, trial, watch)?.1;
            entrants = vec![entrants[winner]];
        }
        Ok(self.best_of(&entrants, points, watch)?.0)
    }

    /// The best of some trainers with so many points, and which of them it is.
    fn best_of(
        &self,
        entrants: &[(Trainer, Select)],
        points: usize,
        watch: &mut Watch<'_>,
    ) -> Result<(Trained, usize), ReduceError> {
        let ridge = ridge_of(&self.known, points);
        let mut best: Option<(Trained, usize)> = None;
        for (k, &(trainer, select)) in entrants.iter().enumerate() {
            let selected = select(&self.known, points, ridge, &mut self.choice.clone(), watch)?;
            let trained = self.corrected(trainer, points, selected, watch)?;
            if best.as_ref().is_none_or(|(best, _)| trained.facts.is_nearer_than(&best.facts)) {
                best = Some((trained, k));
            }
        }
        Ok(best.expect("every trainer is one or has some to try"))
    }

    /// How good any cubature is, whoever trained it: the trainer's name in it is that of this set.
    ///
    /// # Errors
    /// An energy that is not defined at a pose, or the watch asked to stop.
    pub fn judge(&self, cubature: &Cubature, watch: &mut Watch<'_>) -> Result<TrainingFacts, ReduceError> {
        self.facts_of(self.trainer, cubature.components.len(), cubature, watch)
    }

    /// At most `points` components of a cubature that was trained here, with weights of their own: in a fraction of the time
    /// of a training, and next to as good where not many go.
    ///
    /// # Errors
    /// As [`TrainingSet::train`].
    pub fn thin(
        &self,
        cubature: &Cubature,
        points: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Trained, ReduceError> {
        check_points(points, self.known.sum.count())?;
        let selected = nn_htp::thin(&self.known, cubature, points, ridge_of(&self.known, points))?;
        self.corrected(self.trainer, points, selected, watch)
    }

    fn force_of(&self, cubature: &Cubature) -> CubatureForce {
        CubatureForce::of_pieces(cubature.pieces.in_body(self.body), cubature, self.basis)
    }

    /// With a rest correction where that brings shapes under loads nearer.
    fn corrected(
        &self,
        trainer: Trainer,
        points: usize,
        selected: Selected,
        watch: &mut Watch<'_>,
    ) -> Result<Trained, ReduceError> {
        let Selected { cubature, errors, .. } = selected;
        let plain = Cubature { pieces: self.pieces, ..cubature };
        let mut force = self.force_of(&plain);
        let mut rest = DenseSymmetric::zeros(self.basis.rank());
        force
            .stiffness(&vec![0.0; self.basis.rank()], Tangent::Exact, &mut rest)
            .expect("every energy is defined at rest");
        let correction = if self.correct { correction(&self.spectrum, &rest) } else { None };
        let possible = correction.is_some();
        let corrected = correction.map(|R| Cubature { correction: Some(R.into()), ..plain.clone() });
        let mut best = (self.facts_of(trainer, points, &plain, watch)?, plain);
        if let Some(cubature) = corrected {
            match self.facts_of(trainer, points, &cubature, watch) {
                // A correction may turn a component inside out at a pose where none was.
                Err(ReduceError::Request(_)) => {}
                Err(other) => return Err(other),
                Ok(facts) if facts.is_nearer_than(&best.0) && facts.is_as_tame_as(&best.0) => {
                    best = (facts, cubature);
                }
                Ok(_) => {}
            }
        }
        Ok(self.told(best.0, best.1, errors, possible))
    }

    fn facts_of(
        &self,
        trainer: Trainer,
        points: usize,
        cubature: &Cubature,
        watch: &mut Watch<'_>,
    ) -> Result<TrainingFacts, ReduceError> {
        let mut force = self.force_of(cubature);
        if self.statics.get().is_none() {
            let mut random = self.choice.clone();
            let made = Statics::new(
                self.body,
                self.basis,
                &self.spectrum,
                self.reach,
                &mut random,
                &mut force,
                watch,
            )?;
            // Another thread may have been quicker; its loads are the same.
            let _ = self.statics.set(made);
        }
        let statics = self.statics.get().expect("just made");
        Ok(TrainingFacts {
            trainer: trainer.name.into(),
            points,
            training_error: self.judged.error_in_use(&mut force)?,
            validation_error: self.fresh.error_in_use(&mut force)?,
            static_error: statics.error(&self.spectrum, &mut force),
            frequency_error: Some(frequency_error(&self.spectrum, &mut force)).filter(|e| e.is_finite()),
            ..self.facts.clone()
        })
    }

    fn told(&self, facts: TrainingFacts, cubature: Cubature, errors: Vec<f64>, correctable: bool) -> Trained {
        let mut warnings = Vec::new();
        if self.shrunk > 0 {
            let sentence = format!(
                "{} of {} poses turned a component inside out and were halved until none was, so that training poses reach \
                 {:.3} of the body on the mean, not the {} of the {POSE_SCALE}; larger motions are outside of what was \
                 trained, and a smaller one avoids the halving",
                self.shrunk,
                2 * facts.poses,
                self.reached,
                facts.pose_scale
            );
            warnings.push(Note::new(sentence, &[POSE_SCALE]));
        }
        if self.correct && !correctable {
            let sentence = format!(
                "{} points are too few for {} coordinates: the softest vibrations could not be made those of the body; \
                 more points help, or fewer coordinates",
                cubature.components.len(),
                self.basis.rank()
            );
            warnings.push(Note::new(sentence, &[POINTS]));
        }
        Trained { cubature, facts, errors, shrunk: self.shrunk, warnings }
    }
}

fn check_points(points: usize, components: usize) -> Result<(), ReduceError> {
    let wrong = if points == 0 {
        "a cubature needs at least 1 point; 100 to 400 are usual".into()
    } else if points > components {
        format!(
            "{points} cubature points are more than the {components} components of the body; ask for at most {components}, \
             or take the projected force"
        )
    } else {
        return Ok(());
    };
    Err(ReduceError::Request(Note::new(wrong, &[POINTS])))
}

/// What a training needs at most, bytes: the normal equations of all components of an iteration, the two matrices of their
/// inverse and a copy; columns of A as B (9 d numbers) and G (9 T), twice while they are picked; poses and forces.
fn bytes(points: usize, poses: usize, rank: usize) -> f64 {
    let (s, t, d) = (points as f64, poses as f64, rank as f64);
    let n = 2.0 * s;
    8.0 * (4.0 * n * n + 2.0 * 9.0 * (t + d) * n + 8.0 * d * t)
}

/// The most points that fit into [`MOST_BYTES`] with so many poses and coordinates; 0 where not even one does.
pub fn most_points(poses: usize, rank: usize) -> usize {
    let (t, d) = (poses as f64, rank as f64);
    // 4 n² + 2 b n = c, as in `bytes`.
    let (b, c) = (9.0 * (t + d), MOST_BYTES / 8.0 - 8.0 * d * t);
    let n = if c > 0.0 { ((b * b + 4.0 * c).sqrt() - b) / 4.0 } else { 0.0 };
    (n / 2.0) as usize
}

fn check_memory(points: usize, poses: usize, rank: usize) -> Result<(), ReduceError> {
    let need = bytes(points, poses, rank);
    if need <= MOST_BYTES {
        return Ok(());
    }
    // The largest number for which it fits; 0 where none does.
    let most = |fits: &dyn Fn(usize) -> bool| {
        let (mut low, mut high) = (0, points.max(poses));
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            (low, high) = if fits(middle) { (middle, high) } else { (low, middle - 1) };
        }
        low
    };
    let fewer_points = most(&|s| s <= points && bytes(s, poses, rank) <= MOST_BYTES);
    let fewer_poses = most(&|t| t <= poses && bytes(points, t, rank) <= MOST_BYTES);
    let instead = match (fewer_points, fewer_poses) {
        (0, 0) => "take fewer of both".into(),
        (0, t) => format!("at most {t} poses fit"),
        (s, 0) => format!("at most {s} points fit"),
        (s, t) => format!("at most {s} points fit, or {t} poses"),
    };
    let sentence = format!(
        "to train {points} cubature points on {poses} poses would take about {:.0} GB of memory, and more than {:.0} GB is \
         refused: {instead}",
        need / 1e9,
        MOST_BYTES / 1e9
    );
    Err(ReduceError::Request(Note::new(sentence, &[POINTS, POSES])))
}

fn check_poses(training: &Training) -> Result<(), ReduceError> {
    let (wrong, term) = if training.poses == 0 {
        ("a cubature is trained on at least 1 pose; 500 to 1000 are usual".into(), POSES)
    } else if let Some(scale) = training.pose_scale.filter(|s| !(s.is_finite() && *s > 0.0)) {
        let sentence =
            format!("the {POSE_SCALE} must be a finite number > 0, got {scale}; 0.1 of the body is usual");
        (sentence, POSE_SCALE)
    } else {
        return Ok(());
    };
    Err(ReduceError::Request(Note::new(wrong, &[term])))
}
