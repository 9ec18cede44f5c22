//! The equation at the end of a step, and its residual.
//!
//! ```text
//! R(d) = M a + C v + f_int(q) − s f_ext(t, q, v) = 0     q = q₀ + d,  v = c_v d + v̂,  a = c_a d + â        (1)
//! ∂R/∂d = (c_a + α c_v) M + (1 + β c_v) K + s (−∂f_ext/∂q − c_v ∂f_ext/∂v)                                  (2)
//! ```
//! (`rest` damping: β c_v goes to K(0) instead.) Every implicit scheme here is (1) with its own c_v, c_a, v̂, â; statics has neither v nor a. The unknown is the
//! increment d: c_a ~ 1/dt² would magnify the round-off of a difference q − q₀ until no tolerance could be met.
//! (2) leaves out ∂K/∂q v of tangent damping, which would need third derivatives: the iteration then gains a digit
//! or so an iteration instead of doubling them, since the missing part is small as the motion in one step.

use std::sync::Arc;

use crate::vector::{add, axpy, dot, first_not_finite, norm, scale};
use crate::{Damping, DampingKind, OutOfDomain, State, System, Weights, error::Failure};

/// How velocity and acceleration at the end of a step follow from d, v₀ and a₀: v = r·(d, v₀, a₀), a likewise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) rate: [f64; 3],
    pub(crate) acceleration: [f64; 3],
}

impl Rule {
    /// Backward Euler: v = d / dt, a = (v − v₀) / dt.
    pub(crate) fn backward_euler(dt: f64) -> Self {
        Self { rate: [1.0 / dt, 0.0, 0.0], acceleration: [1.0 / (dt * dt), -1.0 / dt, 0.0] }
    }
}

/// Where the K of the damping force β K v is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DampedBy {
    Nothing,
    /// K(q) at the end of the step, as a product that comes with the internal force: no matrix is left behind.
    End,
    /// K of the last `linearise`, which the caller has done at the start of the step.
    Start,
    /// K(0).
    Rest,
}

impl DampedBy {
    pub(crate) fn of(damping: &Damping) -> Self {
        match damping.kind {
            _ if damping.stiffness == 0.0 => Self::Nothing,
            DampingKind::Tangent => Self::End,
            DampingKind::Rest => Self::Rest,
        }
    }
}

/// The numbers of equation (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Problem {
    /// End of the step, s.
    pub(crate) t: f64,
    /// c_v, 1/s.
    pub(crate) rate: f64,
    /// c_a, 1/s²; 0 in statics, which never asks for the mass.
    pub(crate) acceleration: f64,
    /// s, the part of the load that acts.
    pub(crate) load: f64,
    /// h, the part that acts of what [`Balance::keep`] was told: a constant force beside the loads.
    pub(crate) kept: f64,
    /// α and β.
    pub(crate) damping: Damping,
    pub(crate) damped_by: DampedBy,
    /// Takes the projective gradient in place of f_int.
    pub(crate) projective: bool,
}

impl Problem {
    /// One step by `rule` that ends at `t`.
    pub(crate) fn step(t: f64, rule: &Rule, damping: Damping) -> Self {
        let (rate, acceleration) = (rule.rate[0], rule.acceleration[0]);
        let damped_by = DampedBy::of(&damping);
        Self { t, rate, acceleration, load: 1.0, kept: 0.0, damping, damped_by, projective: false }
    }

    /// f_int = s f_ext(t) + h f_kept.
    pub(crate) fn statics(t: f64, load: f64, kept: f64) -> Self {
        let damping = Damping::default();
        let damped_by = DampedBy::Nothing;
        Self { t, rate: 0.0, acceleration: 0.0, load, kept, damping, damped_by, projective: false }
    }

    /// The weights of M, K, K(0) and the loads in (2).
    pub(crate) fn weights(&self) -> Weights {
        let damped = self.damping.stiffness * self.rate;
        let (stiffness, rest_stiffness) = match self.damped_by {
            DampedBy::Nothing => (1.0, 0.0),
            DampedBy::End | DampedBy::Start => (1.0 + damped, 0.0),
            DampedBy::Rest => (1.0, damped),
        };
        Weights {
            mass: self.acceleration + self.damping.mass * self.rate,
            stiffness,
            rest_stiffness,
            load_stiffness: self.load,
            load_damping: self.load * self.rate,
        }
    }

    fn is_dynamic(&self) -> bool {
        self.acceleration != 0.0
    }
}

/// N. A body that comes to rest halves its forces every few steps for ever. Below this their squares, and products with
/// displacements that are smaller still, leave the range of f64, and no direction can be told from another.
const NOTHING: f64 = 1e-140;

/// Sizes of the forces at one state, N.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Magnitudes {
    pub(crate) residual: f64,
    pub(crate) internal: f64,
    pub(crate) external: f64,
    pub(crate) inertia: f64,
    pub(crate) damping: f64,
}

impl Magnitudes {
    /// What the tolerance is relative to.
    pub(crate) fn largest(&self) -> f64 {
        self.internal.max(self.external).max(self.inertia)
    }

    /// ‖R‖ relative to the largest force.
    pub(crate) fn relative(&self) -> f64 {
        if self.residual == 0.0 { 0.0 } else { self.residual / self.largest() }
    }

    /// What rounding leaves of the sum of these forces, beside the round-off inside f_int.
    pub(crate) fn rounding(&self) -> f64 {
        4.0 * f64::EPSILON * (self.internal + self.external + self.inertia + self.damping)
    }

    /// Whether a residual that cannot be made smaller is good enough all the same.
    pub(crate) fn is_nothing(&self) -> bool {
        self.residual <= NOTHING
    }
}

/// Why a residual has no value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    NotFinite {
        what: &'static str,
        worst: usize,
    },
    /// The force of a load that has a name.
    Load {
        load: Arc<str>,
        worst: usize,
    },
    OutOfDomain(OutOfDomain),
    NoProjectiveGradient,
}

impl From<OutOfDomain> for Trouble {
    fn from(out: OutOfDomain) -> Self {
        Self::OutOfDomain(out)
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::NotFinite { what, worst } => Self::NotFinite { what, worst },
            Trouble::Load { load, worst } => Self::LoadNotFinite { load, worst },
            Trouble::OutOfDomain(OutOfDomain { component }) => Self::OutOfDomain { component },
            Trouble::NoProjectiveGradient => Self::Refused(crate::StepError::NoProjectiveGradient),
        }
    }
}

/// Evaluates (1). Keeps q, v, a of the last evaluation: the state at the end of the step, once that has converged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    q0: Vec<f64>,
    v_hat: Vec<f64>,
    a_hat: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
    internal: Vec<f64>,
    external: Vec<f64>,
    inertia: Vec<f64>,
    damping: Vec<f64>,
    /// K v, where it comes with the internal force.
    along: Vec<f64>,
    scratch: Vec<f64>,
    /// A constant force, of which the part h acts; nothing until it is told.
    kept: Vec<f64>,
    /// The part of v₀ in v̂; in Newmark's rule that is all of v̂, and K v̂ is so many times K v₀.
    carried: f64,
}

impl Balance {
    /// A step from `state` by `rule`.
    pub(crate) fn begin(&mut self, state: &State, rule: &Rule) {
        let n = self.begin_at(&state.q);
        self.carried = rule.rate[1];
        for i in 0..n {
            self.v_hat[i] = rule.rate[1] * state.v[i] + rule.rate[2] * state.a[i];
            self.a_hat[i] = rule.acceleration[1] * state.v[i] + rule.acceleration[2] * state.a[i];
        }
    }

    /// Statics from q.
    pub(crate) fn begin_at(&mut self, q: &[f64]) -> usize {
        let all = [
            &mut self.q0,
            &mut self.v_hat,
            &mut self.a_hat,
            &mut self.q,
            &mut self.v,
            &mut self.a,
            &mut self.internal,
            &mut self.external,
            &mut self.inertia,
            &mut self.damping,
            &mut self.along,
            &mut self.scratch,
        ];
        all.into_iter().for_each(|x| x.resize(q.len(), 0.0));
        self.q0.copy_from_slice(q);
        self.v_hat.fill(0.0);
        self.a_hat.fill(0.0);
        q.len()
    }

    /// What holds q still without any load becomes the force of which the part h acts.
    pub(crate) fn keep(&mut self, system: &mut dyn System, q: &[f64]) -> Result<(), Trouble> {
        self.kept.resize(q.len(), 0.0);
        Ok(system.internal_force(q, &mut self.kept)?)
    }

    /// Whether what was kept is no force.
    pub(crate) fn kept_is_nothing(&self) -> bool {
        norm(&self.kept) <= NOTHING
    }

    /// R(d) into `out`.
    pub(crate) fn residual(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        d: &[f64],
        out: &mut [f64],
    ) -> Result<Magnitudes, Trouble> {
        self.place(problem, d)?;
        if problem.damped_by == DampedBy::End {
            system.internal_force_along(problem.t, &self.q, &self.v, &mut self.internal, &mut self.along)?;
        } else if !problem.projective {
            system.internal_force(&self.q, &mut self.internal)?;
        } else if !system.projective_force(&self.q, &mut self.internal) {
            return Err(Trouble::NoProjectiveGradient);
        }
        self.load(system, problem);
        self.inertia_and_damping(system, problem)?;
        self.sum(out).map_err(|trouble| self.named(system, problem, trouble))
    }

    /// R(0) into `out`, without an internal force: the one that the last evaluation found, if that was where this step
    /// starts. Where not, `false`. Once a step: what was found is spent.
    pub(crate) fn residual_at_start(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        out: &mut [f64],
    ) -> bool {
        if self.q != self.q0 {
            return false;
        }
        self.v.copy_from_slice(&self.v_hat);
        self.a.copy_from_slice(&self.a_hat);
        scale(self.carried, &mut self.along);
        self.load(system, problem);
        self.inertia_and_damping(system, problem).is_ok() && self.sum(out).is_ok()
    }

    /// R of the forces that were computed.
    fn sum(&self, out: &mut [f64]) -> Result<Magnitudes, Trouble> {
        for i in 0..out.len() {
            out[i] = self.inertia[i] + self.damping[i] + self.internal[i] - self.external[i];
        }
        let sizes = Magnitudes {
            residual: norm(out),
            internal: norm(&self.internal),
            external: norm(&self.external),
            inertia: norm(&self.inertia),
            damping: norm(&self.damping),
        };
        if sizes.residual.is_finite() { Ok(sizes) } else { Err(self.not_finite(out)) }
    }

    /// The potential whose gradient is R, J, and the size of its rounding:
    /// W + s V + aᵀM a / 2c_a + α vᵀM v / 2c_v + β vᵀK v / 2c_v. Exact unless the damping is by K at the end.
    pub(crate) fn potential(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        d: &[f64],
    ) -> Result<(f64, f64), Trouble> {
        self.place(problem, d)?;
        let elastic = system.elastic_energy(&self.q)?;
        if problem.damped_by == DampedBy::End {
            system.internal_force_along(problem.t, &self.q, &self.v, &mut self.internal, &mut self.along)?;
        }
        self.inertia_and_damping(system, problem)?;
        self.level(system, problem, elastic)
    }

    /// [`Balance::potential`] and [`Balance::residual`] at once, of the true gradient.
    pub(crate) fn potential_and_residual(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        d: &[f64],
        out: &mut [f64],
    ) -> Result<((f64, f64), Magnitudes), Trouble> {
        self.place(problem, d)?;
        let elastic = system.energy_and_force(&self.q, &mut self.internal)?;
        if problem.damped_by == DampedBy::End {
            system.internal_force_along(problem.t, &self.q, &self.v, &mut self.internal, &mut self.along)?;
        }
        self.load(system, problem);
        self.inertia_and_damping(system, problem)?;
        let level = self.level(system, problem, elastic)?;
        let sizes = self.sum(out).map_err(|trouble| self.named(system, problem, trouble))?;
        Ok((level, sizes))
    }

    /// s f_ext + h f_kept.
    fn load(&mut self, system: &mut dyn System, problem: &Problem) {
        system.external_force(problem.t, &self.q, &self.v, &mut self.external);
        if problem.load != 1.0 {
            scale(problem.load, &mut self.external);
        }
        if problem.kept != 0.0 {
            axpy(problem.kept, &self.kept, &mut self.external);
        }
    }

    /// The potential whose elastic part is known, with inertia and damping as computed.
    fn level(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        elastic: f64,
    ) -> Result<(f64, f64), Trouble> {
        let mut terms =
            [elastic, problem.load * system.load_potential(problem.t, &self.q, &self.v), 0.0, 0.0];
        if problem.is_dynamic() {
            terms[2] = dot(&self.a, &self.inertia) / (2.0 * problem.acceleration);
            terms[3] = dot(&self.v, &self.damping) / (2.0 * problem.rate);
        }
        if problem.kept != 0.0 {
            terms[2] -= problem.kept * dot(&self.kept, &self.q);
        }
        let size: f64 = terms.iter().map(|x| x.abs()).sum();
        if size.is_finite() {
            return Ok((terms.iter().sum(), 8.0 * f64::EPSILON * size));
        }
        Err(Trouble::NotFinite { what: "state", worst: first_not_finite(&self.q).unwrap_or(0) })
    }

    /// The last evaluation becomes the state, if all of it is finite.
    pub(crate) fn end(&self, state: &mut State) -> Result<(), Failure> {
        for (what, x) in [("state", &self.q), ("velocity", &self.v), ("acceleration", &self.a)] {
            if let Some(worst) = first_not_finite(x) {
                return Err(Failure::NotFinite { what, worst });
            }
        }
        state.q.copy_from_slice(&self.q);
        state.v.copy_from_slice(&self.v);
        state.a.copy_from_slice(&self.a);
        Ok(())
    }

    /// The d that ends without an acceleration: a = c_a d + â = 0.
    pub(crate) fn coast(&self, problem: &Problem, d: &mut [f64]) {
        d.iter_mut().zip(&self.a_hat).for_each(|(d, a)| *d = -a / problem.acceleration);
    }

    /// Ends at d, to which the correction p has led from where R was `r`, without an evaluation there. Forces change by K p, and (2)
    /// knows that: ∂R/∂d p = −R. What the loads' stiffness has in it is taken for the body's: it serves the next prediction alone.
    pub(crate) fn settle(
        &mut self,
        system: &mut dyn System,
        problem: &Problem,
        d: &[f64],
        p: &[f64],
        r: &[f64],
    ) -> Result<(), Trouble> {
        self.place(problem, d)?;
        let weights = problem.weights();
        let stiffness = weights.stiffness + weights.rest_stiffness;
        system.apply_mass(p, &mut self.scratch);
        for i in 0..p.len() {
            let Kp = -(r[i] + weights.mass * self.scratch[i]) / stiffness;
            self.internal[i] += Kp;
            self.along[i] += problem.rate * Kp;
        }
        Ok(())
    }

    /// q and v of d.
    pub(crate) fn place_of(&self, problem: &Problem, d: &[f64], q: &mut [f64], v: &mut [f64]) {
        add(&self.q0, 1.0, d, q);
        add(&self.v_hat, problem.rate, d, v);
    }

    /// s f_ext of the last evaluation: what acted on the body, once the step has converged.
    pub(crate) fn external(&self) -> &[f64] {
        &self.external
    }

    /// q, v, a of d.
    fn place(&mut self, problem: &Problem, d: &[f64]) -> Result<(), Trouble> {
        add(&self.q0, 1.0, d, &mut self.q);
        if problem.is_dynamic() {
            add(&self.v_hat, problem.rate, d, &mut self.v);
            add(&self.a_hat, problem.acceleration, d, &mut self.a);
        } else {
            self.v.fill(0.0);
        }
        match first_not_finite(&self.q) {
            Some(worst) => Err(Trouble::NotFinite { what: "state", worst }),
            None => Ok(()),
        }
    }

    /// M a and C v.
    fn inertia_and_damping(&mut self, system: &mut dyn System, problem: &Problem) -> Result<(), Trouble> {
        self.damping.fill(0.0);
        if !problem.is_dynamic() {
            self.inertia.fill(0.0);
            return Ok(());
        }
        system.apply_mass(&self.a, &mut self.inertia);
        if problem.damping.mass != 0.0 {
            system.apply_mass(&self.v, &mut self.scratch);
            axpy(problem.damping.mass, &self.scratch, &mut self.damping);
        }
        match problem.damped_by {
            DampedBy::Nothing => return Ok(()),
            // With the internal force.
            DampedBy::End => self.scratch.copy_from_slice(&self.along),
            DampedBy::Start => system.apply_stiffness(&self.v, &mut self.scratch),
            DampedBy::Rest => system.apply_rest_stiffness(&self.v, &mut self.scratch),
        }
        axpy(problem.damping.stiffness, &self.scratch, &mut self.damping);
        Ok(())
    }

    /// The same trouble, with the name of the load where it is one that has a name.
    fn named(&self, system: &mut dyn System, problem: &Problem, trouble: Trouble) -> Trouble {
        match trouble {
            Trouble::NotFinite { what: "load", worst } => {
                match system.load_to_blame(problem.t, &self.q, &self.v) {
                    Some(load) => Trouble::Load { load, worst },
                    None => trouble,
                }
            }
            other => other,
        }
    }

    /// Which force is to blame.
    fn not_finite(&self, residual: &[f64]) -> Trouble {
        let named = [
            ("load", &self.external),
            ("internal force", &self.internal),
            ("inertia", &self.inertia),
            ("damping force", &self.damping),
        ];
        let found = named.iter().find_map(|(what, x)| first_not_finite(x).map(|worst| (*what, worst)));
        let (what, worst) = found.unwrap_or(("residual", crate::vector::worst(residual)));
        Trouble::NotFinite { what, worst }
    }
}
