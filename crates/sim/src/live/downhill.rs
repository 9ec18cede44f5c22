//! The last resort of a body in motion: a step that goes downhill, as far as it comes.
//!
//! ```text
//! Φ(d) = ‖d − h v‖²_M / 2h² + ½ dᵀ(α M + β K(0)) d / h + W(q + d) + V(q + d),      v₁ = d/h,      Φ(0) = T + W + V      (1)
//! ```
//! The minimiser of Φ is the step of backward Euler. Newton's method with positive tangents goes there from d = 0, each step cut until Φ
//! has fallen by a part of what its slope promises. So (W + V)(q + d) ≤ Φ(d) ≤ T + W + V wherever it is stopped: there is enough
//! energy for the place that it has come to, and what is left is enough for a part of the speed (`guard.rs`). Where a load has no potential
//! its force is taken for constant, V = −f·d.

use pliant_dynamics::{Damping, State, StepError, StepReport, System, Tangent, Weights};

use crate::Reduced;

/// Iterations: nobody waits for more.
const ITERATIONS: usize = 12;

/// Cuts of a step by half.
const CUTS: usize = 30;

/// The part of the slope by which Φ must fall.
const FALLS: f64 = 1e-4;

/// ‖∇Φ‖ relative to the largest force: better than can be seen.
const TOLERANCE: f64 = 1e-4;

/// Memory of a step downhill.
#[derive(Clone)]
pub(super) struct Downhill {
    d: Vec<f64>,
    longer: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    /// d − h v, and what M is multiplied by in ∇Φ.
    off: Vec<f64>,
    /// ∇Φ, and what Newton's method makes of it.
    gradient: Vec<f64>,
    p: Vec<f64>,
    load: Vec<f64>,
    scratch: Vec<f64>,
    impulse: Vec<f64>,
}

/// What stays the same in a step.
struct Step<'a> {
    q: &'a [f64],
    velocity: &'a [f64],
    /// Its end and its length, s.
    t: f64,
    h: f64,
    /// α and β.
    damping: Damping,
    /// Whether all loads have a potential.
    conservative: bool,
}

impl Step<'_> {
    /// Of dᵀM d / 2 in Φ without its damping, 1/s².
    fn inertia(&self) -> f64 {
        1.0 / (self.h * self.h)
    }

    fn weights(&self) -> Weights {
        let loads = f64::from(u8::from(self.conservative));
        Weights {
            mass: self.inertia() + self.damping.mass / self.h,
            stiffness: 1.0,
            rest_stiffness: self.damping.stiffness / self.h,
            load_stiffness: loads,
            load_damping: 0.0,
        }
    }
}

impl Downhill {
    pub(super) fn new(size: usize) -> Self {
        let zeros = || vec![0.0; size];
        Self {
            d: zeros(),
            longer: zeros(),
            q: zeros(),
            v: zeros(),
            off: zeros(),
            gradient: zeros(),
            p: zeros(),
            load: zeros(),
            scratch: zeros(),
            impulse: zeros(),
        }
    }

    /// ∫ f_ext dt of the last step.
    pub(super) fn impulse(&self) -> &[f64] {
        &self.impulse
    }

    /// Takes the body on by `h`, s.
    ///
    /// # Errors
    /// A load that is not finite, and a state from which Φ cannot be made less; the state is then as it was.
    pub(super) fn step(
        &mut self,
        system: &mut Reduced,
        state: &mut State,
        h: f64,
        damping: Damping,
    ) -> Result<StepReport, StepError> {
        let conservative = system.loads_have_potential();
        let step = Step { q: &state.q, velocity: &state.v, t: state.t + h, h, damping, conservative };
        self.d.fill(0.0);
        self.load.fill(0.0);
        let mut level = self.level(system, &step, false).unwrap_or(f64::NAN);
        let mut report = StepReport::default();
        loop {
            let (residual, largest) = self.slope(system, &step)?;
            report.residual = if largest > 0.0 { residual / largest } else { 0.0 };
            report.converged = residual <= TOLERANCE * largest;
            if report.converged || report.iterations == ITERATIONS {
                break;
            }
            match self.downhill(system, &step, level) {
                Some(lower) => level = lower,
                None => break,
            }
            report.iterations += 1;
        }
        if report.iterations == 0 && !report.converged {
            let (iterations, residual) = (0, report.residual);
            return Err(StepError::NoConvergence { t: step.t, residual, iterations, halvings: 0, worst: 0 });
        }
        for (impulse, load) in self.impulse.iter_mut().zip(&self.load) {
            *impulse = h * load;
        }
        state.t = step.t;
        for k in 0..state.q.len() {
            let v = self.d[k] / h;
            state.q[k] += self.d[k];
            state.a[k] = (v - state.v[k]) / h;
            state.v[k] = v;
        }
        Ok(report)
    }

    /// q and v of d.
    fn place(&mut self, step: &Step<'_>, longer: bool) {
        let d = if longer { &self.longer } else { &self.d };
        for k in 0..d.len() {
            (self.q[k], self.v[k]) = (step.q[k] + d[k], d[k] / step.h);
        }
    }

    /// Φ of d or of what is longer, J, where it is defined. `load` is the force at the beginning where it has no potential.
    fn level(&mut self, system: &mut Reduced, step: &Step<'_>, longer: bool) -> Option<f64> {
        self.place(step, longer);
        let Weights { rest_stiffness, .. } = step.weights();
        let d = if longer { &self.longer } else { &self.d };
        for k in 0..d.len() {
            self.off[k] = d[k] - step.h * step.velocity[k];
        }
        system.apply_mass(&self.off, &mut self.scratch);
        let mut level = 0.5 * step.inertia() * dot(&self.off, &self.scratch);
        if step.damping.mass != 0.0 {
            system.apply_mass(d, &mut self.scratch);
            level += 0.5 * step.damping.mass / step.h * dot(d, &self.scratch);
        }
        if rest_stiffness != 0.0 {
            system.apply_rest_stiffness(d, &mut self.scratch);
            level += 0.5 * rest_stiffness * dot(d, &self.scratch);
        }
        level += system.elastic_energy(&self.q).ok()?;
        level += if step.conservative {
            system.load_potential(step.t, &self.q, &self.v)
        } else {
            -dot(&self.load, d)
        };
        level.is_finite().then_some(level)
    }

    /// ∇Φ at d: its size and that of the largest force in it, N.
    fn slope(&mut self, system: &mut Reduced, step: &Step<'_>) -> Result<(f64, f64), StepError> {
        self.place(step, false);
        let Weights { mass, rest_stiffness, .. } = step.weights();
        let begins = self.d.iter().all(|d| *d == 0.0);
        if step.conservative || begins {
            system.external_force(step.t, &self.q, &self.v, &mut self.load);
        }
        if let Some(worst) = self.load.iter().position(|f| !f.is_finite()) {
            let t = step.t;
            return Err(match system.load_to_blame(t, &self.q, &self.v) {
                Some(load) => StepError::LoadNotFinite { t, load, worst, halvings: 0 },
                None => StepError::NotFinite { t, what: "load", worst, halvings: 0 },
            });
        }
        if let Err(out) = system.internal_force(&self.q, &mut self.gradient) {
            return Err(StepError::OutOfDomain { t: step.t, component: out.component });
        }
        let mut largest = norm(&self.gradient).max(norm(&self.load));
        self.gradient.iter_mut().zip(&self.load).for_each(|(g, f)| *g -= f);
        // ∇ of the first term and of α: M (mass d − v/h).
        for k in 0..self.d.len() {
            self.off[k] = mass * self.d[k] - step.velocity[k] / step.h;
        }
        system.apply_mass(&self.off, &mut self.scratch);
        largest = largest.max(norm(&self.scratch));
        self.gradient.iter_mut().zip(&self.scratch).for_each(|(g, x)| *g += x);
        if rest_stiffness != 0.0 {
            system.apply_rest_stiffness(&self.d, &mut self.scratch);
            self.gradient.iter_mut().zip(&self.scratch).for_each(|(g, x)| *g += rest_stiffness * x);
        }
        Ok((norm(&self.gradient), largest))
    }

    /// One step of Newton's method from where ∇Φ was found, and Φ behind it; `None` where it does not fall.
    fn downhill(&mut self, system: &mut Reduced, step: &Step<'_>, level: f64) -> Option<f64> {
        system.linearise(step.t, &self.q, &self.v, Tangent::Positive).ok()?;
        system.factorise(&step.weights()).ok()?;
        self.p.iter_mut().zip(&self.gradient).for_each(|(p, g)| *p = -g);
        system.solve(&mut self.p);
        let slope = dot(&self.p, &self.gradient);
        if slope >= 0.0 || slope.is_nan() {
            return None;
        }
        let mut length = 1.0;
        for _ in 0..CUTS {
            for k in 0..self.d.len() {
                self.longer[k] = self.d[k] + length * self.p[k];
            }
            if let Some(lower) =
                self.level(system, step, true).filter(|x| *x <= level + FALLS * length * slope)
            {
                std::mem::swap(&mut self.d, &mut self.longer);
                return Some(lower);
            }
            length *= 0.5;
        }
        None
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
