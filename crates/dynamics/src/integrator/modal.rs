//! Exact oscillators: a linear system, one mode at a time, for any length of step.
//!
//! ```text
//! z̈ + 2δ ż + λ z = F,   2δ = α + β λ,   F = φᵀ f_ext                                          (B12 eq. 3)      (1)
//! z(h) = (C + δS) z₀ + S v₀ + g F         v(h) = −λS z₀ + (C − δS) v₀ + S F                                     (2)
//! C = e^(−δh) cos ωh,   S = e^(−δh) sin(ωh)/ω,   ω² = λ − δ²,   g = ∫₀ʰ S                                       (3)
//! ```
//! with cosh and sinh where ω² < 0. (2) is exact while F stands still. Loads are taken at the end of the step and held
//! over it, so that a load that changes is met to first order, whatever the body does.
//!
//! **Loads that depend on q** (springs, pressure) are taken at the end of the step too: F = Φᵀ f_ext(h, Φ z(h)), solved
//! by Newton's method, one iteration for springs. The work of a constant force over the step is F·(z(h) − z₀) exactly;
//! with F = −∂V/∂z(h) of a convex V that is at most V(z₀) − V(z(h)), so that elastic + kinetic + V never grows: a drag
//! spring of any stiffness at any dt is stable.
//!
//! **Loads that depend on v** (drag) are taken with the mean velocity of the step, v̄ = (q(h) − q₀)/h, held over it like the
//! others: dv̄/dq = 1/h, so that −∂f/∂v enters (2) as a stiffness of −∂f/∂v / h. The work of drag over the step is then
//! h F·v̄, never positive: it takes energy at any dt, which drag by the velocity at the end would not (S of (3) has both signs), and
//! is met to second order.
//!
//! Not for bodies that turn or bend far: their forces are not linear, and this refuses them. Sound and small vibrations
//! are its home.

use std::sync::Arc;

use super::{Integrator, Settings};
use crate::halving::Halving;
use crate::vector::{axpy, dot, first_not_finite, norm, worst};
use crate::{Damping, Options, State, StepError, StepReport, System, Tangent, error::Failure};
use pliant_linalg::{DenseCholesky, DenseSymmetric, Modes};

/// Newton iterations for loads that depend on q.
const MOST_ITERATIONS: usize = 30;

/// Exact oscillators.
#[derive(Clone, Debug)]
pub struct Modal {
    settings: Settings,
    halving: Halving,
    solver: Option<Solver>,
    /// No modes, which stand for those of a system that has changed.
    nothing: Arc<Modes>,
}

impl Modal {
    /// With Rayleigh damping; whether by K at rest or at the end is the same for linear forces.
    pub fn new(settings: Settings) -> Self {
        let nothing = Arc::new(Modes::none());
        Self { settings, halving: Halving::default(), solver: None, nothing }
    }
}

impl Integrator for Modal {
    fn step(&mut self, system: &mut dyn System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let Self { settings: Settings { damping, options }, halving, solver, .. } = self;
        halving.step(system, state, dt, options, &mut |system, state, (t, dt), load| {
            let modes = system.modes().ok_or(Failure::Refused(StepError::NotLinear))?;
            let solver = match &mut *solver {
                Some(solver) if solver.each.len() == modes.len() => {
                    if !Arc::ptr_eq(&solver.modes, &modes) {
                        (solver.modes, solver.prepared) = (modes, None);
                    }
                    solver
                }
                other => other.insert(Solver::new(modes)),
            };
            solver.prepare(damping, dt);
            let report = solver.solve(system, state, (t, dt), options)?;
            solver.end(state)?;
            solver.acted(system, load);
            Ok(report)
        })
    }

    /// Lets go of the modes, so that whoever made them can change them where they are.
    fn renew(&mut self, damping: Damping) {
        self.settings.damping = damping;
        if let Some(solver) = &mut self.solver {
            (solver.modes, solver.prepared) = (self.nothing.clone(), None);
        }
    }

    fn impulse(&self) -> &[f64] {
        self.halving.impulse()
    }

    fn duplicate(&self) -> Box<dyn Integrator> {
        Box::new(self.clone())
    }
}

/// (2) of one mode: what z(h) and v(h) take of z₀, v₀ and F.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Oscillator {
    place: [f64; 3],
    rate: [f64; 3],
}

impl Oscillator {
    /// After h seconds; λ and 2δ of the mode.
    fn after(h: f64, lambda: f64, two_delta: f64) -> Self {
        let delta = 0.5 * two_delta;
        let square = lambda - delta * delta;
        let omega = square.abs().sqrt();
        let (C, S) =
            if square >= 0.0 { damped_wave(h, delta, omega) } else { decay(h, lambda, delta, omega) };
        // A constant force pushes its own way: g ≥ 0, also where rounding disagrees.
        let g = pushed(h, lambda, delta, square).max(0.0);
        Self { place: [C + delta * S, S, g], rate: [-lambda * S, C - delta * S, S] }
    }
}

/// (3) for ω² ≥ 0.
fn damped_wave(h: f64, delta: f64, omega: f64) -> (f64, f64) {
    let (fade, x) = ((-delta * h).exp(), omega * h);
    let sinc = if x == 0.0 { 1.0 } else { x.sin() / x };
    (fade * x.cos(), fade * h * sinc)
}

/// (3) for ω² < 0: e^(−ah) and e^(−bh) with b = δ + ω and a = λ/b = δ − ω, which would cancel.
fn decay(h: f64, lambda: f64, delta: f64, omega: f64) -> (f64, f64) {
    let (a, b) = (lambda / (delta + omega), delta + omega);
    let (slow, fast) = ((-a * h).exp(), (-b * h).exp());
    (0.5 * (slow + fast), slow * h * mean_decay(2.0 * omega * h))
}

/// (1 − e^(−x))/x.
fn mean_decay(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { -(-x).exp_m1() / x }
}

/// g of (3), to round-off in every regime. The textbook's (1 − C − δS)/λ loses all digits where λh² is small.
fn pushed(h: f64, lambda: f64, delta: f64, square: f64) -> f64 {
    let omega = square.abs().sqrt();
    if (delta * delta + square.abs()) * h * h < 1.0 {
        // S is so smooth over the step that Gauss's rule of 16 digits' order integrates it exactly.
        let S = |t: f64| {
            if square >= 0.0 { damped_wave(t, delta, omega).1 } else { decay(t, lambda, delta, omega).1 }
        };
        return GAUSS
            .iter()
            .map(|(x, w)| 0.5 * h * w * (S(0.5 * h * (1.0 + x)) + S(0.5 * h * (1.0 - x))))
            .sum();
    }
    let (a, b) = (lambda / (delta + omega), delta + omega);
    if square < 0.0 && a < 0.5 * b {
        return h * (mean_decay(a * h) - mean_decay(b * h)) / (b - a);
    }
    let (C, S) = if square >= 0.0 { damped_wave(h, delta, omega) } else { decay(h, lambda, delta, omega) };
    (1.0 - C - delta * S) / lambda
}

/// Points in (0, 1) and weights of Gauss's rule with eight points on [−1, 1]; it is symmetric.
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// All modes of one system, and memory for a step.
#[derive(Clone, Debug)]
struct Solver {
    modes: Arc<Modes>,
    /// The step and the damping that `each` is for.
    prepared: Option<(f64, Damping)>,
    each: Vec<Oscillator>,
    /// √g.
    root: Vec<f64>,
    two_delta: Vec<f64>,
    /// z and ż: first where no load acts, at the end with it.
    z: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    /// F, the one that Φ z(h) asks for, and their difference.
    force: Vec<f64>,
    wanted: Vec<f64>,
    rest: Vec<f64>,
    q: Vec<f64>,
    /// v̄.
    mean: Vec<f64>,
    f: Vec<f64>,
    /// The loads' stiffness, with their damping over h, that `coupled` and `factor` are of, with the step in `prepared`.
    load: DenseSymmetric,
    /// The one that is to be met now.
    load_now: DenseSymmetric,
    /// ΦᵀSΦ √g, row by row.
    coupled: Vec<f64>,
    matrix: DenseSymmetric,
    factor: DenseCholesky,
    /// ‖ΦᵀSΦ‖; 0 before it was needed.
    stiff: f64,
    /// Whether `factor` is one.
    factorised: bool,
}

impl Solver {
    fn new(modes: Arc<Modes>) -> Self {
        let n = modes.len();
        let zeros = || vec![0.0; n];
        Self {
            modes,
            prepared: None,
            each: vec![Oscillator::default(); n],
            root: zeros(),
            two_delta: zeros(),
            z: zeros(),
            v: zeros(),
            a: zeros(),
            force: zeros(),
            wanted: zeros(),
            rest: zeros(),
            q: zeros(),
            mean: zeros(),
            f: zeros(),
            load: DenseSymmetric::zeros(n),
            load_now: DenseSymmetric::zeros(n),
            coupled: vec![0.0; n * n],
            matrix: DenseSymmetric::zeros(n),
            factor: DenseCholesky::new(n),
            stiff: 0.0,
            factorised: false,
        }
    }

    /// (2) of every mode, unless it is there.
    fn prepare(&mut self, damping: &Damping, dt: f64) {
        if self.prepared == Some((dt, *damping)) {
            return;
        }
        for (i, &lambda) in self.modes.eigenvalues.iter().enumerate() {
            self.two_delta[i] = damping.mass + damping.stiffness * lambda;
            self.each[i] = Oscillator::after(dt, lambda, self.two_delta[i]);
            self.root[i] = self.each[i].place[2].sqrt();
        }
        self.prepared = Some((dt, *damping));
        self.factorised = false;
    }

    /// F at the end of the step, (t, dt): length dt, ends at t.
    fn solve(
        &mut self,
        system: &mut dyn System,
        state: &State,
        (t, dt): (f64, f64),
        options: &Options,
    ) -> Result<StepReport, Failure> {
        self.coast(system, state);
        expand(&self.modes, &self.z, &mut self.q);
        self.wanted_force(system, state, (t, dt))?;
        self.force.copy_from_slice(&self.wanted);
        let most = options.iterations.unwrap_or(MOST_ITERATIONS);
        let mut round_off = None;
        for iterations in 0.. {
            self.place();
            self.wanted_force(system, state, (t, dt))?;
            self.rest.copy_from_slice(&self.wanted);
            axpy(-1.0, &self.force, &mut self.rest);
            let (residual, largest) = (norm(&self.rest), norm(&self.wanted).max(norm(&self.force)));
            let relative = if residual == 0.0 { 0.0 } else { residual / largest };
            let mut converged = residual <= options.tolerance * largest;
            if !converged {
                let rounding = *round_off.get_or_insert_with(|| 4.0 * system.round_off(&self.q));
                // z + gF rounds before a stiff spring sees it.
                let held = self.stiff * (norm(&self.z) + norm(&self.a));
                converged = residual <= rounding + 4.0 * f64::EPSILON * (largest + held);
            }
            if converged || iterations == most {
                if !converged && options.iterations.is_none() {
                    return Err(Failure::NotConverged {
                        residual: relative,
                        iterations,
                        worst: worst(&self.rest),
                    });
                }
                return Ok(StepReport { iterations, residual: relative, halvings: 0, converged });
            }
            self.correct(system, (t, dt))?;
        }
        unreachable!("the loop ends at the cap")
    }

    /// z and ż at the end of the step without a load.
    fn coast(&mut self, system: &mut dyn System, state: &State) {
        system.apply_mass(&state.q, &mut self.f);
        project(&self.modes, &self.f, &mut self.rest);
        system.apply_mass(&state.v, &mut self.f);
        project(&self.modes, &self.f, &mut self.wanted);
        for (i, Oscillator { place, rate }) in self.each.iter().enumerate() {
            let (z, v) = (self.rest[i], self.wanted[i]);
            self.z[i] = place[0] * z + place[1] * v;
            self.v[i] = rate[0] * z + rate[1] * v;
        }
    }

    /// q = Φ (z + g F).
    fn place(&mut self) {
        for (i, each) in self.each.iter().enumerate() {
            self.a[i] = self.z[i] + each.place[2] * self.force[i];
        }
        expand(&self.modes, &self.a, &mut self.q);
    }

    /// Φᵀ f_ext(t, q, v̄).
    fn wanted_force(
        &mut self,
        system: &mut dyn System,
        state: &State,
        (t, dt): (f64, f64),
    ) -> Result<(), Failure> {
        if let Some(worst) = first_not_finite(&self.q) {
            return Err(Failure::NotFinite { what: "state", worst });
        }
        let moved = self.q.iter().zip(&state.q);
        self.mean.iter_mut().zip(moved).for_each(|(mean, (q, q0))| *mean = (q - q0) / dt);
        system.external_force(t, &self.q, &self.mean, &mut self.f);
        if let Some(worst) = first_not_finite(&self.f) {
            return Err(match system.load_to_blame(t, &self.q, &self.mean) {
                Some(load) => Failure::LoadNotFinite { load, worst },
                None => Failure::NotFinite { what: "load", worst },
            });
        }
        project(&self.modes, &self.f, &mut self.wanted);
        Ok(())
    }

    /// F ← F + (I + Ŝ g)⁻¹ rest, Ŝ = Φᵀ(S + D/h)Φ, by way of the symmetric I + √g Ŝ √g.
    fn correct(&mut self, system: &mut dyn System, (t, dt): (f64, f64)) -> Result<(), Failure> {
        let out = |out: crate::OutOfDomain| Failure::OutOfDomain { component: out.component };
        system.linearise(t, &self.q, &self.mean, Tangent::Exact).map_err(out)?;
        let (stiffness, damping) = (system.load_stiffness(), system.load_damping());
        if stiffness.is_none() && damping.is_none() {
            self.force.copy_from_slice(&self.wanted);
            return Ok(());
        }
        self.load_now.clear();
        if let Some(S) = stiffness {
            self.load_now.values_mut().copy_from_slice(S.values());
        }
        if let Some(D) = damping {
            self.load_now.add(1.0 / dt, D);
        }
        if !self.factorised || self.load != self.load_now {
            self.factorise()?;
        }
        let n = self.modes.len();
        // w = (I + √g Ŝ √g)⁻¹ √g rest, and the correction is rest − Ŝ √g w.
        (0..n).for_each(|i| self.f[i] = self.root[i] * self.rest[i]);
        self.factor.solve(&mut self.f);
        for i in 0..n {
            let row = &self.coupled[i * n..(i + 1) * n];
            self.force[i] += self.rest[i] - crate::vector::dot(row, &self.f);
        }
        Ok(())
    }

    fn factorise(&mut self) -> Result<(), Failure> {
        let n = self.modes.len();
        self.factorised = false;
        std::mem::swap(&mut self.load, &mut self.load_now);
        self.stiff = 0.0;
        for j in 0..n {
            self.load.apply(&self.modes.shapes[j * n..(j + 1) * n], &mut self.f);
            project(&self.modes, &self.f, &mut self.a);
            self.stiff = self.stiff.hypot(norm(&self.a));
            (0..n).for_each(|i| self.coupled[i * n + j] = self.a[i] * self.root[j]);
        }
        let values = self.matrix.values_mut();
        for i in 0..n {
            (i..n).for_each(|j| values[i * n + j] = self.root[i] * self.coupled[i * n + j]);
            values[i * n + i] += 1.0;
        }
        self.factor.factorise(&self.matrix).map_err(|_| Failure::NotDefinite)?;
        self.factorised = true;
        Ok(())
    }

    /// The end of the step becomes the state, if all of it is finite.
    fn end(&mut self, state: &mut State) -> Result<(), Failure> {
        for (i, Oscillator { place, rate }) in self.each.iter().enumerate() {
            let force = self.force[i];
            self.z[i] += place[2] * force;
            self.v[i] += rate[2] * force;
            self.a[i] = force - self.two_delta[i] * self.v[i] - self.modes.eigenvalues[i] * self.z[i];
        }
        let all = [("state", &self.z), ("velocity", &self.v), ("acceleration", &self.a)];
        for (what, x) in all {
            if let Some(worst) = first_not_finite(x) {
                return Err(Failure::NotFinite { what, worst });
            }
        }
        expand(&self.modes, &self.z, &mut state.q);
        expand(&self.modes, &self.v, &mut state.v);
        expand(&self.modes, &self.a, &mut state.a);
        Ok(())
    }

    /// M Φ F: the load that was held over the step, in coordinates.
    fn acted(&mut self, system: &mut dyn System, load: &mut [f64]) {
        expand(&self.modes, &self.force, &mut self.q);
        system.apply_mass(&self.q, load);
    }
}

/// out = Φ z.
fn expand(modes: &Modes, z: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (z, shape) in z.iter().zip(modes.each_shape()) {
        axpy(*z, shape, out);
    }
}

/// out = Φᵀ x.
fn project(modes: &Modes, x: &[f64], out: &mut [f64]) {
    for (out, shape) in out.iter_mut().zip(modes.each_shape()) {
        *out = dot(shape, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// z and ż after h by many small steps of a Taylor series: slow and sure.
    fn reference(h: f64, lambda: f64, two_delta: f64, start: [f64; 3]) -> [f64; 2] {
        let parts = 2000;
        let dt = h / f64::from(parts);
        let [mut z, mut v, force] = start;
        for _ in 0..parts {
            let (mut series, mut term) = ([z, v], [z, v]);
            for k in 1..14 {
                // d/dt (z, v) = (v, F − 2δ v − λ z); F only in the first term.
                let push = if k == 1 { force } else { 0.0 };
                term =
                    [term[1], push - two_delta * term[1] - lambda * term[0]].map(|x| x * dt / f64::from(k));
                (series[0], series[1]) = (series[0] + term[0], series[1] + term[1]);
            }
            [z, v] = series;
        }
        [z, v]
    }

    #[test]
    fn every_regime_is_exact() {
        // Under-, over- and critically damped, near critical from both sides, near and at zero frequency.
        let cases = [
            (4.0, 0.0),
            (4.0, 0.3),
            (4.0, 4.0),
            (4.0, 4.0 * (1.0 + 1e-9)),
            (4.0, 4.0 * (1.0 - 1e-9)),
            (4.0, 9.0),
            (4.0, 40.0),
            (1e-9, 0.0),
            (1e-9, 0.7),
            (0.0, 0.0),
            (0.0, 0.5),
            (0.0, 30.0),
            (900.0, 0.1),
            (900.0, 60.0),
        ];
        for (lambda, two_delta) in cases {
            for h in [1e-4, 0.02, 0.5, 3.0] {
                let each = Oscillator::after(h, lambda, two_delta);
                for start in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.3, -2.0, 5.0]] {
                    let [z, v] = reference(h, lambda, two_delta, start);
                    let of = |c: [f64; 3]| (0..3).map(|k| c[k] * start[k]).sum::<f64>();
                    // What start alone does is of this size; a push from rest is compared with itself.
                    let size = if start[..2] == [0.0, 0.0] { z.abs() } else { 1.0 };
                    let (dz, dv) = ((of(each.place) - z).abs(), (of(each.rate) - v).abs());
                    let what = format!("λ {lambda}, 2δ {two_delta}, h {h}, {start:?}");
                    assert!(dz <= 3e-11 * size, "{what}: z off by {dz:e} of {size:e}");
                    assert!(dv <= 3e-11 * (1.0 + lambda.sqrt()), "{what}: v off by {dv:e}");
                }
            }
        }
    }

    #[test]
    fn a_push_has_all_its_digits_where_the_textbooks_formula_has_none() {
        // z = F h²/2 (1 − 2δh/3 − λh²/12 + …): series in small numbers.
        let (h, lambda, delta) = (1e-3, 1e-4, 1e-3);
        let exact =
            0.5 * h * h * (1.0 - 2.0 * delta * h / 3.0 + (4.0 * delta * delta - lambda) * h * h / 12.0);
        let g = Oscillator::after(h, lambda, 2.0 * delta).place[2];
        assert!((g / exact - 1.0).abs() < 1e-15, "{g:e} instead of {exact:e}");
    }

    #[test]
    fn nothing_overflows_under_heavy_damping() {
        for (lambda, two_delta, h) in
            [(1e12, 1e9, 1.0), (0.0, 1e150, 1.0), (1e200, 0.0, 1e3), (1e-300, 1e3, 1e3)]
        {
            let each = Oscillator::after(h, lambda, two_delta);
            let all = each.place.iter().chain(&each.rate);
            assert!(all.clone().all(|x| x.is_finite()), "λ {lambda:e}, 2δ {two_delta:e}: {each:?}");
        }
    }
}
