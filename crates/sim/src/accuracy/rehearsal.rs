//! The scenarios that an accuracy is measured on: a body is pulled by a tenth of its size, and let go; twice, differently.
//!
//! ```text
//! T = 2π √(uᵀMu / uᵀf),   K(0) u = f                            (1) the period of the motion that the load begins
//! M a + C v + K(0) u = f(t),   max_t |u(t)| / |u| = s           (2) how far it swings beyond its equilibrium
//! ```
//! A load is the same force on each of some vertices, along no axis, so that bending both ways, twisting and stretching all
//! take part: first on the quarter of them that is farthest from what is held, then on all the others, across the first.
//! One pull alone was seen to choose coordinates that know nothing of limbs that it does not move: a model that is
//! within what was asked on it may be far outside on another.
//!
//! The load is scaled until the full body, in its equilibrium, moves by the reach that is asked for over s of (2), where
//! that is more than one: a tail that whips goes further after the release than any equilibrium. Where the body buckles on the
//! way, the load is the one that was still carried. It grows to that over one
//! period (1), which leaves that motion next to no swing; is gone with the next step; and the body swings for one and a half
//! periods more. Stiffness-proportional damping takes 2 % of critical damping from the motion (1) and more from what is
//! faster, as in any rubber: what rings on far above it is not what a model of few coordinates is asked about. [`STEPS`] steps
//! a period of Newmark's method.
//!
//! Longer runs would judge the phase alone: two undamped swings whose frequencies are 0.1 % apart are 0.6 % of their
//! amplitude further apart with every period.

use std::sync::Arc;

use pliant_dynamics::integrator::Start;
use pliant_dynamics::statics::{self, Loading};
use pliant_dynamics::{Damping, DampingKind, StepError};
use pliant_energy::load::{Loads, NodalForce};
use pliant_energy::{Body, Tangent};
use pliant_linalg::{Cholesky, Note, Progress, Term, Vec3, Watch, par};

use crate::{Full, Scenario, SimError};

/// How far a body is pulled, in parts of the longest side of its bounding box.
pub const REACH: f64 = 0.1;

/// Steps a period of the motion.
pub const STEPS: usize = 24;

/// The part of critical damping that the motion gets.
const DAMPED: f64 = 0.02;

/// Scaling the load stops when the reach is met to this part of it, or after [`SCALINGS`] equilibria.
const SCALED: f64 = 0.05;
const SCALINGS: usize = 4;

/// Of the load that a body still carried before it buckled, the part that it is pulled with: in motion it goes beyond its equilibrium. Cloth
/// did not get through its pull with all of it. Further out a sheet has equilibria, many of them, which Newton's method with positive
/// tangents finds in hundreds of iterations; a motion among them hangs on folds that no few coordinates have, and is no measure.
const SAFE: f64 = 0.75;

/// Who pulls, where to, how far, and how fast.
#[derive(Clone, Debug, PartialEq)]
pub struct Pull {
    /// Each gets the same force.
    pub vertices: Vec<u32>,
    /// Of the force; its length does not count.
    pub direction: Vec3,
    /// The largest displacement of a vertex, in equilibrium or by (2) after it, in parts of the longest side of the bounding
    /// box.
    pub reach: f64,
    /// How long the load grows, and how long the body swings after it is gone, in periods (1).
    pub periods: [f64; 2],
}

/// A scenario for a body, and where it came from.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// What happens.
    pub scenario: Scenario,
    /// (1), s.
    pub period: f64,
    /// Newton on each vertex, when the load has grown.
    pub force: Vec3,
    /// How many vertices are pulled.
    pub pulled: usize,
    /// [`Pull::reach`], or less where no equilibrium was found so far out.
    pub reach: f64,
}

/// The linear body under 1 N on each vertex.
struct Linear {
    /// The largest displacement of a vertex in equilibrium, m.
    reach: f64,
    /// (1), s.
    period: f64,
    /// (2).
    swing: f64,
}

impl Pull {
    /// The first pull of an accuracy: the farthest quarter, by a tenth, over one period, then one and a half.
    pub fn usual(body: &Body) -> Self {
        let far = by_distance(body);
        Self::of(&far[..far.len().div_ceil(4)], Vec3::new(3.0, -2.0, 4.0))
    }

    /// All pulls of an accuracy: the usual one, and the vertices that it leaves, if any, across it.
    pub fn all(body: &Body) -> Vec<Self> {
        let far = by_distance(body);
        let others = &far[far.len().div_ceil(4)..];
        let second = (!others.is_empty()).then(|| Self::of(others, Vec3::new(2.0, 1.0, -1.0)));
        std::iter::once(Self::usual(body)).chain(second).collect()
    }

    fn of(vertices: &[u32], direction: Vec3) -> Self {
        let mut vertices = vertices.to_vec();
        vertices.sort_unstable();
        Self { vertices, direction, reach: REACH, periods: [1.0, 1.5] }
    }

    /// The scenario.
    ///
    /// # Errors
    /// A body that is not held fast, vertices that cannot move, or the watch asked to stop.
    pub fn scenario(&self, body: &Arc<Body>, watch: &mut Watch<'_>) -> Result<Rehearsal, SimError> {
        if body.rigid_count() > 0 {
            return Err(SimError::Request(Note::new(
                "the body can move as a whole, so that a load carries it away instead of bending it; hold some of its \
                 vertices, such as the lowest 5 %",
                &[Term::new("fix", "hold some of its vertices")],
            )));
        }
        if self.vertices.is_empty() {
            return Err(SimError::Request("nothing of the body can be pulled: every vertex is held".into()));
        }
        let [low, high] = pliant_mesh::data::bounds(body.rest());
        let direction = self.direction.normalize();
        let Linear { reach: linear, period, swing } = self.linear(body, direction, watch)?;
        let wanted = self.reach * (high - low).max() / swing.max(1.0);
        let mut size = wanted / linear;

        // The equilibrium of the full body says how far the load really carries it.
        let mut u = vec![0.0; body.size()];
        let mut reached = self.reach;
        for _ in 0..SCALINGS {
            let loads = Loads {
                forces: vec![NodalForce::always(self.vertices.clone(), direction * size)],
                ..Loads::default()
            };
            let mut system = Full::new(Arc::clone(body), loads)?;
            u.fill(0.0);
            let mut told = |p: Progress| watch(Progress { stage: "scaling the load of the reference", ..p });
            // What does not get there soon is pulled less far, not more slowly: cloth crawls for minutes.
            let options =
                pliant_dynamics::Options { tolerance: 1e-4, iterations: Some(20), ..Default::default() };
            let loading = Loading { options, halvings: 1, ..Loading::default() };
            let carried =
                match statics::solve_as_far_as_possible(&mut system, 0.0, &mut u, &loading, &mut told) {
                    Ok(carried) => carried,
                    Err(StepError::Cancelled) => return Err(SimError::Cancelled),
                    Err(_) => 0.0,
                };
            if carried == 0.0 {
                size *= loading.first * 0.25;
                continue;
            }
            size *= carried;
            let factor = wanted / reach(&u);
            if carried < 1.0 && factor > 1.0 {
                // A body that buckles has no path to follow beyond: it is pulled a little less than as far as it had one.
                size *= SAFE;
                reached = SAFE * self.reach / factor;
                break;
            }
            // A step of at most four: what softens is not sent beyond where it was seen.
            size *= factor.clamp(0.25, 4.0);
            if (factor - 1.0).abs() <= SCALED {
                break;
            }
        }
        let force = direction * size;
        let (scenario, pulled) = (self.timed(force, period), self.vertices.len());
        Ok(Rehearsal { scenario, period, force, pulled, reach: reached })
    }

    /// What the stiffness at rest says of 1 N each.
    fn linear(&self, body: &Body, direction: Vec3, watch: &mut Watch<'_>) -> Result<Linear, SimError> {
        Progress::stage("scaling the load of the reference").tell(watch)?;
        let mut K = body.zero_matrix();
        body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K)
            .map_err(|bad| SimError::Model(format!("the body has no stiffness at rest: {bad}")))?;
        let factor_error = |e: pliant_linalg::factor::FactorError| SimError::Factor(e.to_string());
        let mut factor = Cholesky::analyse(K.pattern(), body.dofs()).map_err(factor_error)?;
        factor.factorise(&K).map_err(factor_error)?;
        let mut f = vec![0.0; body.size()];
        for &v in &self.vertices {
            (0..3).for_each(|c| f[3 * v as usize + c] += direction[c]);
        }
        body.dofs().hold(&mut f);
        let mut u = f.clone();
        factor.solve(&mut u);
        let mut Mu = vec![0.0; u.len()];
        body.mass().apply_per_axis(&u, &mut Mu);
        let (work, inertia) = (par::dot(&f, &u), par::dot(&u, &Mu));
        let still = reach(&u);
        if !(work > 0.0 && inertia > 0.0 && still.is_finite()) {
            return Err(SimError::Request("the load does not move the body: what is pulled is held".into()));
        }
        let period = std::f64::consts::TAU * (inertia / work).sqrt();

        // (2) by Newmark's method with γ = ½, β = ¼ and C = c K: one matrix for all steps.
        let Scenario { dt, damping, .. } = self.timed(direction, period);
        let c = damping.stiffness;
        let [grows, swings] = self.steps();
        let mut A = K.clone();
        A.clear();
        A.add(0.5 * dt * c + 0.25 * dt * dt, &K);
        A.add_per_axis(1.0, body.mass());
        factor.factorise(&A).map_err(factor_error)?;
        let (mut u, mut v, mut a) = (vec![0.0; f.len()], vec![0.0; f.len()], vec![0.0; f.len()]);
        let mut Kx = vec![0.0; f.len()];
        let mut farthest: f64 = 0.0;
        for step in 1..=grows + swings {
            Progress::stage("scaling the load of the reference").tell(watch)?;
            let part = if step <= grows { step as f64 / grows as f64 } else { 0.0 };
            // What is known of the step's end before its acceleration is.
            for i in 0..f.len() {
                u[i] += dt * v[i] + 0.25 * dt * dt * a[i];
                v[i] += 0.5 * dt * a[i];
                a[i] = u[i] + c * v[i];
            }
            K.apply(&a, &mut Kx);
            a.iter_mut().zip(&f).zip(&Kx).for_each(|((a, f), Kx)| *a = part * f - Kx);
            body.dofs().hold(&mut a);
            factor.solve(&mut a);
            for i in 0..f.len() {
                u[i] += 0.25 * dt * dt * a[i];
                v[i] += 0.5 * dt * a[i];
            }
            farthest = farthest.max(reach(&u));
        }
        Ok(Linear { reach: still, period, swing: farthest / still })
    }

    /// In which the load grows, and in which the body swings.
    fn steps(&self) -> [usize; 2] {
        self.periods.map(|p| ((p * STEPS as f64).round() as usize).max(1))
    }

    /// Grown in equal parts, one a step, then gone.
    fn timed(&self, force: Vec3, period: f64) -> Scenario {
        let dt = period / STEPS as f64;
        let [grows, swings] = self.steps();
        // Loads act from ≤ t ≤ to: half a step away from every end of a step.
        let to = (grows as f64 + 0.5) * dt;
        let part = |step: usize| NodalForce {
            vertices: self.vertices.clone(),
            value: force / grows as f64,
            from: (step as f64 - 0.5) * dt,
            to,
        };
        Scenario {
            dt,
            steps: grows + swings,
            loads: Loads { forces: (1..=grows).map(part).collect(), ..Loads::default() }.into(),
            damping: Damping {
                mass: 0.0,
                stiffness: DAMPED * period / std::f64::consts::PI,
                kind: DampingKind::Tangent,
            },
            start: Start::FromLoad,
            initial: None,
            probes: Vec::new(),
        }
    }
}

/// Vertices that are free along x, y and z, those farthest from the middle of what is held first.
pub fn by_distance(body: &Body) -> Vec<u32> {
    let held = |v: usize, c: usize| body.dofs().is_held(3 * v + c);
    let all = 0..body.rest().len();
    let still: Vec<usize> = all.clone().filter(|&v| (0..3).any(|c| held(v, c))).collect();
    let middle = still.iter().map(|&v| body.rest()[v]).sum::<Vec3>() / still.len().max(1) as f64;
    let free = |v: &usize| (0..3).all(|c| !held(*v, c)) && body.vertex_masses()[*v] > 0.0;
    let mut found: Vec<(f64, u32)> =
        all.filter(free).map(|v| ((body.rest()[v] - middle).norm(), v as u32)).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.into_iter().map(|(_, v)| v).collect()
}

/// The largest displacement of a vertex, m.
pub(super) fn reach(u: &[f64]) -> f64 {
    u.as_chunks::<3>().0.iter().map(|d| Vec3::from(*d).norm()).fold(0.0, f64::max)
}
