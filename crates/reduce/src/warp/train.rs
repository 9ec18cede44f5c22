//! Training of a warp for the coordinates of a basis: what it sums over all elements exactly, and which few stand for the rest.
//!
//! Poses are drawn as those of forces are: half of equal energy in as many of the softest vibrations as the basis was made from
//! modes, half of equal force in all of them, which is what hands make. A body that nothing holds is also shown turned, by angles
//! of a radian or so: what its elements do apart from the whole turns with it.
//!
//! What is made small is the error of p, by mass, relative to the pose.

use std::sync::Arc;

use pliant_energy::{Body, Inadmissible};
use pliant_linalg::{
    DenseCholesky, DenseSymmetric, LocalVector, Mat3, Note, Progress, Random, Term, Vec3, Watch, par,
};
use pliant_mesh::data::bounds;
use rayon::prelude::*;

use super::reduced::{ReducedWarp, WarpFacts, WarpNumbers, least_points, pulls, whole_gradient, whole_pull};
use crate::error::WARP;
use crate::force::cubature::{
    Law, Samples, Spectrum, Summands, Trainer, expand, mean_reach, project, trainer,
};
use crate::force::projected::project_mass;
use crate::force::setting::{POSE_SCALE, POSES};
use crate::rotation_strain::Warp;
use crate::rotation_strain::element::{Element, beyond_linear, elements};
use crate::{Basis, ReduceError};

/// Points where nobody says, or one a coordinate where that is more.
const USUAL_POINTS: usize = 150;

/// The pose scale where nobody says: warping is for motions that go far.
const USUAL_SCALE: f64 = 0.3;

/// Errors are measured on so many poses at most.
const JUDGED: usize = 100;

/// λ of the Laplacian below this part of the largest is that of a translation.
const ROUNDING: f64 = 1e-11;

/// Poses at a time.
const POSES_AT_ONCE: usize = 32;

/// Vertices in one task. Part of the bits of a sum.
const TASK: usize = 512;

/// How a warp is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarpTraining {
    /// Elements; default 150, or one a coordinate where that is more, or all there are.
    pub points: Option<usize>,
    /// Poses; as many fresh ones judge it, at most a hundred.
    pub poses: usize,
    /// The mean over poses of the largest displacement, as a part of the longest side of the bounding box; default 0.3.
    pub pose_scale: Option<f64>,
    /// How many of the softest vibrations poses of equal energy are made of; all where that is `None`.
    pub vibrations: Option<usize>,
    /// Where random choices start.
    pub seed: u64,
    /// How elements are chosen.
    pub trainer: Trainer,
}

impl Default for WarpTraining {
    fn default() -> Self {
        let trainer = Trainer::default();
        Self { points: None, poses: 200, pose_scale: None, vibrations: None, seed: 0, trainer }
    }
}

impl WarpTraining {
    /// Whether `body` can have it, in `rank` coordinates where that is known.
    ///
    /// # Errors
    /// More points than elements, or fewer than can tell the coordinates apart; no poses; a scale that is no length.
    pub fn check(&self, body: &Body, rank: Option<usize>) -> Result<(), ReduceError> {
        let (all, least) = (elements(body)?.len(), rank.map_or(1, least_points));
        let (sentence, term): (String, Term) = match (self.points, self.pose_scale) {
            (Some(points), _) if points > all || points < least => (
                format!(
                    "{points} points were asked for to warp with; expected {least} to {all}: {}the mesh has {all} elements",
                    rank.map_or(String::new(), |r| {
                        format!("each of them tells nine of the {r} coordinates apart at most, and ")
                    })
                ),
                WARP,
            ),
            (_, Some(scale)) if !(scale.is_finite() && scale > 0.0) => (
                format!("the pose scale is {scale}; expected a finite number > 0 (0.3 is usual to warp)"),
                POSE_SCALE,
            ),
            _ if self.poses == 0 => ("a warp is trained on at least 1 pose, got 0".into(), POSES),
            _ => return Ok(()),
        };
        Err(ReduceError::Request(Note::new(sentence, &[term])))
    }
}

/// The numbers of a warp of `body` in the coordinates of `basis`.
///
/// # Errors
/// As [`WarpTraining::check`]; a mesh whose elements have no size, a basis that cannot move; or the watch asked to stop.
pub fn train(
    body: &Body,
    basis: &Basis,
    training: &WarpTraining,
    watch: &mut Watch<'_>,
) -> Result<WarpNumbers, ReduceError> {
    training.check(body, Some(basis.rank()))?;
    Progress::stage("preparing the warp").tell(watch)?;
    let full = Warp::new(body)?;
    let elements = elements(body)?;
    let smoothing = smoothing(&full, body, basis)?;
    let (mean, spread) = sums(&elements, basis);
    let points = training.points.unwrap_or(USUAL_POINTS.max(basis.rank()).min(elements.len()));
    let mut streams = Random(training.seed);
    let [mut first, mut second, mut third, mut choice] = std::array::from_fn(|_| Random(streams.bits()));
    let drawn = Poses::new(body, basis, training)?;
    let (known, fresh) = (drawn.draw(training.poses, &mut first), drawn.draw(training.poses, &mut second));
    let turned = drawn.turned(&known, &mut third);
    let exact = Exact { full: &full, basis, mean: &mean, spread: &spread };
    let elements: Arc<[Element]> = elements.into();
    let mut samples = |poses: Vec<f64>, lengths: &[f64]| -> Result<Samples<'_>, ReduceError> {
        let (forces, whole) = exact.sums(&poses, watch)?;
        let along: Arc<[f64]> = square(&smoothing).into();
        let sum = Apart { elements: elements.clone(), whole };
        Ok(Samples::of(Arc::new(sum), basis, poses, forces, Some(along))?.by_lengths(lengths))
    };
    // What is seen is as long as what it is made of, more or less; turned or not.
    let length = |q: &[f64]| q.iter().map(|q| q * q).sum::<f64>().sqrt();
    let lengths = |poses: &[f64]| poses.chunks_exact(basis.rank()).map(length).collect::<Vec<f64>>();
    let (of_known, of_fresh) = (lengths(&known), lengths(&fresh));
    let of_seen: Vec<f64> = of_known.iter().chain(of_known.iter().step_by(2)).copied().collect();
    let poses = [&known[..], &turned].concat();
    let seen = samples(poses, &of_seen)?;
    let unseen = samples(fresh.clone(), &of_fresh)?;
    let (name, selected) = trainer::best_of(training.trainer, &seen, &unseen, points, &mut choice, watch)?;
    let facts = WarpFacts {
        points,
        poses: training.poses,
        judged: training.poses.min(JUDGED),
        pose_scale: drawn.scale,
        trainer: name.into(),
        ..WarpFacts::default()
    };
    let (points, weights) = (selected.cubature.components, selected.cubature.weights);
    let picked = points.iter().map(|&c| elements[c as usize]).collect();
    let mut numbers = WarpNumbers { points, weights, mean, spread, smoothing, facts };
    let mut warp = ReducedWarp::of(picked, basis, numbers.clone())?;
    let judge = Judge::new(&full, body, basis)?;
    let few = numbers.facts.judged * basis.rank();
    [numbers.facts.training_error, _] = judge.errors(&mut warp, &known[..few], watch)?;
    [numbers.facts.validation_error, numbers.facts.basis_error] =
        judge.errors(&mut warp, &fresh[..few], watch)?;
    Ok(numbers)
}

/// T = (UᵀLU)⁺, without translations by the mass.
fn smoothing(full: &Warp, body: &Body, basis: &Basis) -> Result<DenseSymmetric, ReduceError> {
    let r = basis.rank();
    let columns: Vec<f64> = (0..r).flat_map(|k| basis.column(k)).collect();
    let (L, M) = (project_mass(full.laplacian(), &columns), project_mass(body.mass(), &columns));
    let (values, vectors) = L.generalised_eigen(&M).ok_or_else(|| {
        ReduceError::request("the columns of the basis depend on each other; drop some of them")
    })?;
    let least = ROUNDING * values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..r).filter(|&i| values[i] > least).collect();
    if kept.is_empty() {
        return Err(ReduceError::request("no shape of the basis bends or turns the body; take more modes"));
    }
    let entry =
        |i: usize, j: usize| kept.iter().map(|&k| vectors[k * r + i] * vectors[k * r + j] / values[k]).sum();
    Ok(DenseSymmetric::from_upper(r, entry))
}

/// All entries, row by row.
fn square(matrix: &DenseSymmetric) -> Vec<f64> {
    let r = matrix.size();
    (0..r * r).map(|k| matrix.get(k / r, k % r)).collect()
}

/// Ḡ and S.
fn sums(elements: &[Element], basis: &Basis) -> (Vec<f64>, Vec<f64>) {
    let (r, n) = (basis.rank(), basis.size() / 3);
    let whole: f64 = elements.iter().map(|element| element.size).sum();
    // By vertex: what a unit along x, y and z makes of the mean gradient, and Σ s g.
    let (mut unit, mut slope) = (vec![[Mat3::zeros(); 3]; n], vec![Vec3::zeros(); n]);
    for element in elements {
        for (a, (&v, g)) in element.corners().iter().zip(element.slopes()).enumerate() {
            slope[v as usize] += element.size * g;
            for (c, unit) in unit[v as usize].iter_mut().enumerate() {
                let along = Vec3::ith(c, element.size / whole);
                *unit += element.gradient(|b| if b == a { along } else { Vec3::zeros() });
            }
        }
    }
    let part = |task: usize| {
        let (mut mean, mut spread) = (vec![0.0; 9 * r], vec![0.0; 9 * r]);
        for v in task * TASK..((task + 1) * TASK).min(n) {
            for (c, row) in basis.vertex(v).chunks_exact(r).enumerate() {
                for k in 0..9 {
                    let times = unit[v][c][(k / 3, k % 3)];
                    mean[k * r..(k + 1) * r].iter_mut().zip(row).for_each(|(sum, u)| *sum += times * u);
                }
                for j in 0..3 {
                    let sums = &mut spread[(3 * c + j) * r..(3 * c + j + 1) * r];
                    sums.iter_mut().zip(row).for_each(|(sum, u)| *sum += slope[v][j] * u);
                }
            }
        }
        (mean, spread)
    };
    let parts: Vec<_> = (0..n.div_ceil(TASK)).into_par_iter().map(part).collect();
    parts.into_iter().fold((vec![0.0; 9 * r], vec![0.0; 9 * r]), |(mut mean, mut spread), (m, s)| {
        mean.iter_mut().zip(m).for_each(|(sum, x)| *sum += x);
        spread.iter_mut().zip(s).for_each(|(sum, x)| *sum += x);
        (mean, spread)
    })
}

/// Poses in the coordinates of a basis.
struct Poses<'a> {
    basis: &'a Basis,
    spectrum: Spectrum,
    soft: Spectrum,
    /// Linearised rotations of a body that nothing holds by one radian about x, y and z.
    turns: Vec<f64>,
    scale: f64,
    /// m.
    reach: f64,
}

impl<'a> Poses<'a> {
    fn new(body: &Body, basis: &'a Basis, training: &WarpTraining) -> Result<Self, ReduceError> {
        let spectrum = Spectrum::new(body, basis)?;
        let soft = spectrum.softest(training.vibrations.unwrap_or(usize::MAX));
        let scale = training.pose_scale.unwrap_or(USUAL_SCALE);
        let [low, high] = bounds(body.rest());
        let reach = scale * (high - low).max();
        Ok(Self { basis, turns: turns(body, basis), spectrum, soft, scale, reach })
    }

    fn draw(&self, count: usize, random: &mut Random) -> Vec<f64> {
        let half = count / 2;
        let mut all = Vec::new();
        for (spectrum, law, count) in
            [(&self.soft, Law::EqualEnergy, count - half), (&self.spectrum, Law::EqualForce, half)]
        {
            if count > 0 {
                let mut poses = spectrum.draw(count, law, random);
                let mean = mean_reach(self.basis, &poses);
                poses.iter_mut().for_each(|q| *q *= self.reach / mean);
                all.push(poses);
            }
        }
        // In turn, so that the first few are of both kinds.
        let r = self.basis.rank();
        let each: Vec<Vec<&[f64]>> = all.iter().map(|poses| poses.chunks_exact(r).collect()).collect();
        (0..count - half)
            .flat_map(|k| each.iter().filter_map(move |p| p.get(k)))
            .copied()
            .flatten()
            .copied()
            .collect()
    }

    /// Every second of some poses, turned; none where the body cannot turn.
    fn turned(&self, poses: &[f64], random: &mut Random) -> Vec<f64> {
        let r = self.basis.rank();
        if self.turns.is_empty() {
            return Vec::new();
        }
        let mut turned: Vec<f64> = poses.chunks_exact(r).step_by(2).flatten().copied().collect();
        for q in turned.chunks_exact_mut(r) {
            for turn in self.turns.chunks_exact(r) {
                let angle = random.normal();
                q.iter_mut().zip(turn).for_each(|(q, t)| *q += angle * t);
            }
        }
        turned
    }
}

/// q of the linearised rotations about the middle, where the basis has them.
fn turns(body: &Body, basis: &Basis) -> Vec<f64> {
    if body.rigid_count() != 6 || body.parts().len() != 1 {
        return Vec::new();
    }
    let (rest, masses) = (body.rest(), body.vertex_masses());
    let middle = rest.iter().zip(masses).map(|(x, m)| x * *m).sum::<Vec3>() / body.total_mass();
    let mut all = Vec::new();
    for c in 0..3 {
        let u: Vec<f64> =
            rest.iter().flat_map(|x| <[f64; 3]>::from(Vec3::ith(c, 1.0).cross(&(x - middle)))).collect();
        let (mut Mu, mut q) = (vec![0.0; u.len()], vec![0.0; basis.rank()]);
        body.mass().apply_per_axis(&u, &mut Mu);
        basis.project(&Mu, &mut q);
        all.extend(q);
    }
    all
}

/// What a cubature adds up: s Bᵀ(r − r̄) of each element, with r̄ of each pose.
struct Apart {
    elements: Arc<[Element]>,
    whole: Vec<Mat3>,
}

impl Summands for Apart {
    fn count(&self) -> usize {
        self.elements.len()
    }

    fn corners(&self, c: usize) -> &[u32] {
        self.elements[c].corners()
    }

    fn at(
        &self,
        component: u32,
        poses: &[u32],
        u: &[LocalVector],
        out: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        let element = &self.elements[component as usize];
        for ((u, out), &pose) in u.iter().zip(out).zip(poses) {
            let rows = std::array::from_fn(|k| u[3 + k]);
            out[3..].copy_from_slice(&pulls(element, &rows, &self.whole[pose as usize]));
        }
        Ok(())
    }
}

/// The same sums over all elements.
struct Exact<'a> {
    full: &'a Warp,
    basis: &'a Basis,
    mean: &'a [f64],
    spread: &'a [f64],
}

impl Exact<'_> {
    /// Σ_j s_j B_jᵀ(r_j − r̄) at every pose, and r̄.
    fn sums(&self, poses: &[f64], watch: &mut Watch<'_>) -> Result<(Vec<f64>, Vec<Mat3>), ReduceError> {
        let (r, size) = (self.basis.rank(), self.basis.size());
        let total = poses.len() / r;
        let whole: Vec<Mat3> =
            poses.chunks_exact(r).map(|q| beyond_linear(&whole_gradient(self.mean, q))).collect();
        let mut all = Vec::with_capacity(poses.len());
        for (chunk, poses) in poses.chunks(POSES_AT_ONCE * r).enumerate() {
            Progress { stage: "training the warp", done: chunk * POSES_AT_ONCE, total }.tell(watch)?;
            let count = poses.len() / r;
            let displaced = expand(self.basis, poses);
            let (mut u, mut f) = (vec![0.0; size], vec![0.0; size * count]);
            for (t, f) in f.chunks_exact_mut(size).enumerate() {
                (0..size).for_each(|i| u[i] = displaced[i * count + t]);
                self.full.pull_beyond(&u, f);
            }
            all.extend(project(self.basis, &f));
        }
        let mut known = vec![0.0; r];
        for (f, whole) in all.chunks_exact_mut(r).zip(&whole) {
            whole_pull(self.spread, whole, &mut known);
            f.iter_mut().zip(&known).for_each(|(f, known)| *f -= known);
        }
        Ok((all, whole))
    }
}

/// What a warp is off by, beside that of all vertices.
struct Judge<'a> {
    full: &'a Warp,
    body: &'a Body,
    basis: &'a Basis,
    mass: DenseCholesky,
}

impl<'a> Judge<'a> {
    fn new(full: &'a Warp, body: &'a Body, basis: &'a Basis) -> Result<Self, ReduceError> {
        let columns: Vec<f64> = (0..basis.rank()).flat_map(|k| basis.column(k)).collect();
        let mut mass = DenseCholesky::new(basis.rank());
        let of_basis = project_mass(body.mass(), &columns);
        mass.factorise(&of_basis).map_err(|_| ReduceError::NoNaturalModes)?;
        Ok(Self { full, body, basis, mass })
    }

    /// ‖x‖² by mass.
    fn square(&self, x: &[f64], scratch: &mut [f64]) -> f64 {
        self.body.mass().apply_per_axis(x, scratch);
        par::dot(x, scratch)
    }

    /// Of the warp, and of the nearest shape of the basis.
    fn errors(
        &self,
        warp: &mut ReducedWarp,
        poses: &[f64],
        watch: &mut Watch<'_>,
    ) -> Result<[f64; 2], ReduceError> {
        let (r, size) = (self.basis.rank(), self.basis.size());
        let total = poses.len() / r;
        let (mut sums, mut p) = ([0.0; 2], vec![0.0; r]);
        let [mut near, mut scratch] = [(); 2].map(|()| vec![0.0; size]);
        for (chunk, poses) in poses.chunks(POSES_AT_ONCE * r).enumerate() {
            Progress { stage: "judging the warp", done: chunk * POSES_AT_ONCE, total }.tell(watch)?;
            let count = poses.len() / r;
            let (mut linear, mut exact) = (vec![0.0; size * count], vec![0.0; size * count]);
            for (q, u) in poses.chunks_exact(r).zip(linear.chunks_exact_mut(size)) {
                self.basis.expand(q, u);
            }
            self.full.apply_many(&linear, &mut exact);
            for (q, exact) in poses.chunks_exact(r).zip(exact.chunks_exact(size)) {
                let whole = self.square(exact, &mut scratch);
                let mut nearest = vec![0.0; r];
                self.basis.project(&scratch, &mut nearest);
                self.mass.solve(&mut nearest);
                warp.apply(q, &mut p);
                for (sum, coordinates) in sums.iter_mut().zip([&p, &nearest]) {
                    self.basis.expand(coordinates, &mut near);
                    near.iter_mut().zip(exact).for_each(|(near, exact)| *near -= exact);
                    *sum += self.square(&near, &mut scratch) / whole;
                }
            }
        }
        Ok(sums.map(|sum| (sum / total as f64).sqrt()))
    }
}
