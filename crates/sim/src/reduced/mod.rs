//! A reduced model as a [`System`] of r coordinates: what a step costs does not depend on the mesh.
//!
//! ```text
//! M̃ q̈ + C̃ q̇ + f̃(q) = Uᵀ f_ext(t, Uq, Uq̇),   M̃ = UᵀMU,   C̃ = α M̃ + β K̃
//! ```
//! All matrices are dense, r×r. Nothing allocates once it was made, but for models whose forces are `projected`, which
//! go through the whole mesh. Loads are those of full order, projected exactly.
//!
//! The stiffness s and the density d of a live model may be factors over what it was built with: W̃, f̃, K̃ and their
//! rounding are s times the model's, M̃ and gravity d times, and of a linear model λ → λ s/d, φ → φ/√d.

mod loads;

use std::sync::Arc;

use pliant_dynamics::{NotDefinite, OutOfDomain, System, Tangent, Weights};
use pliant_energy::Inadmissible;
use pliant_linalg::{DenseCholesky, DenseSymmetric, Modes, Vec3};
use pliant_reduce::force::Linear;
use pliant_reduce::warp::ReducedWarp;
use pliant_reduce::{Model, ReducedForce};

use crate::load::LoadSet;
use crate::subject::{InitialCoordinates, InitialState, Still, Subject, refuse_held};
use crate::{Motion, SimError};
pub(crate) use loads::{Held, ReducedLoads};

/// A reduced model, with loads.
pub struct Reduced {
    model: Arc<Model>,
    motion: Motion,
    /// What the body looks like where that is not how it moves.
    seen: Option<Seen>,
    force: Box<dyn ReducedForce>,
    pub(crate) loads: ReducedLoads,
    /// K̃ of the last linearisation, and the loads' stiffness.
    K: DenseSymmetric,
    load_K: DenseSymmetric,
    load_is_stiff: bool,
    /// The loads' damping.
    load_D: DenseSymmetric,
    load_is_damping: bool,
    A: DenseSymmetric,
    factor: DenseCholesky,
    mass_factor: Arc<DenseCholesky>,
    /// m M̃ + L̃ of quasi-Newton, and its inverse: one product in place of two triangular solves (C17 below eq. 4.4). L̃ is
    /// UᵀLU of the chosen tets where the forces have one, else K̃(0). Measured: a product takes 1.4 µs at r = 135 and 0.18 at
    /// r = 40, two triangular solves 2.1 and 0.40; the inverse 290 and 16 µs more than the factor. It pays after 430 and 75
    /// solves, hence here, where it lives for ever, and not for `factor`: Broyden's bases live for 40 to 260.
    fixed: DenseCholesky,
    inverse: DenseSymmetric,
    stand_in: Option<Arc<DenseSymmetric>>,
    /// With the factors, and without.
    modes: Option<Arc<Modes>>,
    own_modes: Option<Arc<Modes>>,
    factors: Factors,
    /// m/s².
    gravity: Vec3,
    /// |K̃(0)|, number by number, and |q|: what rounds in f̃.
    size_of_K: Arc<DenseSymmetric>,
    size_of_q: Vec<f64>,
    scratch: Vec<f64>,
}

/// A body that is shown warped.
#[derive(Clone)]
struct Seen {
    warp: ReducedWarp,
    /// p of the q that was looked at last.
    p: Vec<f64>,
}

/// Times what the model was built with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Factors {
    pub(crate) stiffness: f64,
    pub(crate) density: f64,
}

impl Reduced {
    /// A model under loads: a [`LoadSet`], or the plain lists of [`pliant_energy::Loads`].
    ///
    /// # Errors
    /// When the loads name what the model has not, or its parts do not fit together.
    pub fn new(model: Arc<Model>, loads: impl Into<LoadSet>) -> Result<Self, SimError> {
        Self::moving(model, loads, Motion::default())
    }

    /// The same in another motion than by the forces that it was built with.
    ///
    /// # Errors
    /// As [`Reduced::new`]; a warped motion of a model without a warp.
    pub fn moving(model: Arc<Model>, loads: impl Into<LoadSet>, motion: Motion) -> Result<Self, SimError> {
        Self::with(model, &loads.into(), motion)
    }

    fn with(model: Arc<Model>, loads: &LoadSet, motion: Motion) -> Result<Self, SimError> {
        loads.check(model.mesh().vertices.len())?;
        let force: Box<dyn ReducedForce> = match motion.is_linear() {
            true => Box::new(Linear::new(model.reduced_stiffness().clone())),
            false => model.evaluator(),
        };
        let seen = match motion {
            Motion::Warped => {
                let warp = model.warp()?.ok_or(SimError::NoWarp)?;
                Some(Seen { p: vec![0.0; warp.rank()], warp })
            }
            Motion::Linear | Motion::Nonlinear => None,
        };
        let r = model.basis().rank();
        let mut mass_factor = DenseCholesky::new(r);
        mass_factor.factorise(model.reduced_mass()).map_err(|row| {
            SimError::Model(format!("its reduced mass is not positive definite (row {row}); build it again"))
        })?;
        let modes = match motion.is_linear() || model.force().is_linear() {
            true => {
                let modes = Modes::of(model.reduced_stiffness(), model.reduced_mass());
                Some(modes.ok_or_else(|| {
                    SimError::Model("its reduced stiffness has no eigenvalues; build it again".into())
                })?)
            }
            false => None,
        };
        Ok(Self {
            motion,
            seen,
            loads: ReducedLoads::new(&model, loads)?,
            K: DenseSymmetric::zeros(r),
            load_K: DenseSymmetric::zeros(r),
            load_is_stiff: false,
            load_D: DenseSymmetric::zeros(r),
            load_is_damping: false,
            A: DenseSymmetric::zeros(r),
            factor: DenseCholesky::new(r),
            mass_factor: Arc::new(mass_factor),
            fixed: DenseCholesky::new(r),
            inverse: DenseSymmetric::zeros(r),
            stand_in: None,
            modes: modes.clone().map(Arc::new),
            own_modes: modes.map(Arc::new),
            factors: Factors { stiffness: 1.0, density: 1.0 },
            gravity: loads.gravity(),
            size_of_K: Arc::new(DenseSymmetric::from_upper(r, |i, j| {
                model.reduced_stiffness().get(i, j).abs()
            })),
            size_of_q: vec![0.0; r],
            scratch: vec![0.0; r],
            force,
            model,
        })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// How it moves.
    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// p of the q that was looked at last, where the body is shown warped.
    pub(crate) fn seen(&self) -> Option<&[f64]> {
        self.seen.as_ref().map(|seen| &seen.p[..])
    }

    pub(crate) fn set_gravity(&mut self, gravity: Vec3) {
        self.gravity = gravity;
        self.loads.set_gravity(&self.model, gravity * self.factors.density);
    }

    pub(crate) fn gravity(&self) -> Vec3 {
        self.gravity
    }

    pub(crate) fn factors(&self) -> Factors {
        self.factors
    }

    /// Takes no memory where nobody else holds the modes: an integrator lets go of them when it is told to renew.
    pub(crate) fn set_factors(&mut self, factors: Factors) {
        self.factors = factors;
        self.set_gravity(self.gravity);
        self.loads.set_density(factors.density);
        if let (Some(modes), Some(own)) = (&mut self.modes, &self.own_modes) {
            own.rescale_into(factors.stiffness, factors.density, Arc::make_mut(modes));
        }
    }

    /// Another one in the same state, which shares all that is constant.
    pub(crate) fn duplicate(&self) -> Self {
        Self {
            motion: self.motion,
            seen: self.seen.clone(),
            model: self.model.clone(),
            force: self.force.duplicate(),
            loads: self.loads.clone(),
            K: self.K.clone(),
            load_K: self.load_K.clone(),
            load_is_stiff: self.load_is_stiff,
            load_D: self.load_D.clone(),
            load_is_damping: self.load_is_damping,
            A: self.A.clone(),
            factor: self.factor.clone(),
            mass_factor: self.mass_factor.clone(),
            fixed: self.fixed.clone(),
            inverse: self.inverse.clone(),
            stand_in: self.stand_in.clone(),
            modes: self.modes.clone(),
            own_modes: self.own_modes.clone(),
            factors: self.factors,
            gravity: self.gravity,
            size_of_K: self.size_of_K.clone(),
            size_of_q: self.size_of_q.clone(),
            scratch: self.scratch.clone(),
        }
    }

    /// The acceleration at rest under gravity alone.
    pub(crate) fn falling(&self) -> Vec<f64> {
        let mut a = self.loads.gravity().to_vec();
        self.mass_factor.solve(&mut a);
        a.iter_mut().for_each(|a| *a /= self.factors.density);
        a
    }
}

impl System for Reduced {
    fn size(&self) -> usize {
        self.model.basis().rank()
    }

    fn elastic_energy(&mut self, q: &[f64]) -> Result<f64, OutOfDomain> {
        self.force.energy(q).map(|W| self.factors.stiffness * W).map_err(out_of_domain)
    }

    fn energy_and_force(&mut self, q: &[f64], out: &mut [f64]) -> Result<f64, OutOfDomain> {
        let W = self.force.energy_and_force(q, out).map_err(out_of_domain)?;
        times(self.factors.stiffness, out);
        Ok(self.factors.stiffness * W)
    }

    fn internal_force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), OutOfDomain> {
        self.force.force(q, out).map_err(out_of_domain)?;
        times(self.factors.stiffness, out);
        Ok(())
    }

    fn internal_force_along(
        &mut self,
        _: f64,
        q: &[f64],
        x: &[f64],
        force: &mut [f64],
        along: &mut [f64],
    ) -> Result<(), OutOfDomain> {
        self.force.force_along(q, x, force, along, &mut self.A).map_err(out_of_domain)?;
        times(self.factors.stiffness, force);
        times(self.factors.stiffness, along);
        Ok(())
    }

    fn round_off(&mut self, q: &[f64]) -> f64 {
        self.size_of_q.iter_mut().zip(q).for_each(|(size, q)| *size = q.abs());
        self.size_of_K.apply(&self.size_of_q, &mut self.scratch);
        let moved = self.scratch.iter().map(|x| x * x).sum::<f64>().sqrt();
        let elastic = self.force.round_off(q) + f64::EPSILON * moved;
        self.factors.stiffness * elastic + f64::EPSILON * self.loads.rounding(q)
    }

    fn external_force(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.loads.force(t, q, v, out);
    }

    fn load_potential(&mut self, t: f64, q: &[f64], _: &[f64]) -> f64 {
        self.loads.potential(t, q)
    }

    fn loads_have_potential(&self) -> bool {
        self.loads.have_potential()
    }

    fn load_to_blame(&mut self, t: f64, q: &[f64], v: &[f64]) -> Option<Arc<str>> {
        self.loads.blame(t, q, v, &mut self.scratch)
    }

    /// The density is in both M̃ and m.
    fn distance(&mut self, d: &[f64]) -> f64 {
        self.model.reduced_mass().apply(d, &mut self.scratch);
        let square: f64 = d.iter().zip(&self.scratch).map(|(d, m)| d * m).sum();
        (square.max(0.0) / self.model.total_mass()).sqrt()
    }

    fn apply_mass(&mut self, x: &[f64], out: &mut [f64]) {
        self.model.reduced_mass().apply(x, out);
        times(self.factors.density, out);
    }

    fn solve_mass(&mut self, x: &mut [f64]) {
        self.mass_factor.solve(x);
        let density = self.factors.density;
        x.iter_mut().for_each(|x| *x /= density);
    }

    fn linearise(&mut self, t: f64, q: &[f64], v: &[f64], tangent: Tangent) -> Result<(), OutOfDomain> {
        let tangent = match tangent {
            Tangent::Exact => pliant_energy::Tangent::Exact,
            Tangent::Positive => pliant_energy::Tangent::Positive,
        };
        self.force.stiffness(q, tangent, &mut self.K).map_err(out_of_domain)?;
        self.load_K.clear();
        self.load_is_stiff = self.loads.stiffness(t, q, v, &mut self.load_K);
        self.load_D.clear();
        self.load_is_damping = self.loads.damping(t, q, v, &mut self.load_D);
        Ok(())
    }

    fn apply_stiffness(&mut self, x: &[f64], out: &mut [f64]) {
        self.K.apply(x, out);
        times(self.factors.stiffness, out);
    }

    fn apply_rest_stiffness(&mut self, x: &[f64], out: &mut [f64]) {
        self.model.reduced_stiffness().apply(x, out);
        times(self.factors.stiffness, out);
    }

    fn factorise(&mut self, weights: &Weights) -> Result<(), NotDefinite> {
        let factors = self.factors;
        self.A.clear();
        self.A.add(weights.stiffness * factors.stiffness, &self.K);
        if self.load_is_stiff {
            self.A.add(weights.load_stiffness, &self.load_K);
        }
        if self.load_is_damping {
            self.A.add(weights.load_damping, &self.load_D);
        }
        if weights.rest_stiffness != 0.0 {
            self.A.add(weights.rest_stiffness * factors.stiffness, self.model.reduced_stiffness());
        }
        self.A.add(weights.mass * factors.density, self.model.reduced_mass());
        self.factor.factorise(&self.A).map_err(|_| NotDefinite)
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
    }

    fn factorise_fixed(&mut self, mass: f64) -> Result<(), NotDefinite> {
        let Self { stand_in, force, model, A, factors, .. } = self;
        let L = stand_in.get_or_insert_with(|| {
            Arc::new(force.projective_stiffness().unwrap_or_else(|| model.reduced_stiffness().clone()))
        });
        A.clear();
        A.add(factors.stiffness, L);
        A.add(mass * factors.density, model.reduced_mass());
        self.fixed.factorise(&self.A).map_err(|_| NotDefinite)?;
        // Column by column; above the diagonal is enough.
        let r = self.scratch.len();
        for j in 0..r {
            self.scratch.fill(0.0);
            self.scratch[j] = 1.0;
            self.fixed.solve(&mut self.scratch);
            (0..=j).for_each(|i| self.inverse.values_mut()[i * r + j] = self.scratch[i]);
        }
        Ok(())
    }

    fn solve_fixed(&mut self, x: &mut [f64]) {
        self.inverse.apply(x, &mut self.scratch);
        x.copy_from_slice(&self.scratch);
    }

    fn projective_force(&mut self, q: &[f64], out: &mut [f64]) -> bool {
        let has = self.force.projective_force(q, out);
        if has {
            times(self.factors.stiffness, out);
        }
        has
    }

    fn modes(&self) -> Option<Arc<Modes>> {
        self.modes.clone()
    }

    fn load_stiffness(&self) -> Option<&DenseSymmetric> {
        self.load_is_stiff.then_some(&self.load_K)
    }

    fn load_damping(&self) -> Option<&DenseSymmetric> {
        self.load_is_damping.then_some(&self.load_D)
    }
}

impl Subject for Reduced {
    fn vertices(&self) -> usize {
        self.model.mesh().vertices.len()
    }

    fn still(&self, vertex: u32) -> Option<Still> {
        if self.model.held_components()[vertex as usize] == [true; 3] {
            return Some(Still::Fixed);
        }
        let rows = self.model.basis().vertex(vertex as usize);
        rows.iter().all(|b| *b == 0.0).then_some(Still::Unmoved)
    }

    fn vertex(&self, q: &[f64], vertex: u32) -> [f64; 3] {
        self.model.basis().at(q, vertex as usize)
    }

    fn displacement(&self, q: &[f64], out: &mut [f64]) {
        self.model.basis().expand(q, out);
    }

    fn show(&mut self, q: &[f64], seen: &mut [f64]) {
        match &mut self.seen {
            Some(Seen { warp, .. }) => warp.apply(q, seen),
            None => seen.copy_from_slice(q),
        }
    }

    fn look(&mut self, q: &[f64]) {
        if let Some(Seen { warp, p }) = &mut self.seen {
            warp.apply(q, p);
            self.loads.look(&self.model, q, p);
        }
    }

    /// M̃ q = UᵀM u: the nearest state by mass.
    fn initial(&self, first: InitialState) -> Result<InitialCoordinates, SimError> {
        let body = self.model.body()?;
        refuse_held(body.dofs(), &first)?;
        let nearest = |u: &[f64]| {
            let (mut Mu, mut q) = (vec![0.0; u.len()], vec![0.0; self.size()]);
            body.mass().apply_per_axis(u, &mut Mu);
            self.model.basis().project(&Mu, &mut q);
            self.mass_factor.solve(&mut q);
            let mut left = vec![0.0; u.len()];
            self.model.basis().expand(&q, &mut left);
            left.iter_mut().zip(u).for_each(|(left, u)| *left = u - *left);
            let whole: f64 = u.iter().zip(&Mu).map(|(u, m)| u * m).sum();
            body.mass().apply_per_axis(&left, &mut Mu);
            let part: f64 = left.iter().zip(&Mu).map(|(u, m)| u * m).sum();
            (q, if whole > 0.0 { (part.max(0.0) / whole).sqrt() } else { 0.0 })
        };
        let ((q, lost_q), (v, lost_v)) = (nearest(&first.displacement), nearest(&first.velocity));
        let a = first.acceleration.as_deref().map(|a| nearest(a).0);
        Ok(InitialCoordinates { q, v, a, lost: [lost_q, lost_v] })
    }

    fn usual_integrator(&self) -> &'static str {
        if self.motion.is_linear() { "modal" } else { usual_integrator(&self.model) }
    }

    fn kinetic_energy(&mut self, v: &[f64]) -> f64 {
        self.model.reduced_mass().apply(v, &mut self.scratch);
        0.5 * self.factors.density * v.iter().zip(&self.scratch).map(|(v, p)| v * p).sum::<f64>()
    }
}

/// The integrator for a model of which nobody says how it is to be stepped: where forces are not linear a matrix costs several of
/// them, and Broyden's method needs few matrices.
pub fn usual_integrator(model: &Model) -> &'static str {
    if model.force().is_linear() { "newmark" } else { "newmark-broyden" }
}

fn times(factor: f64, x: &mut [f64]) {
    x.iter_mut().for_each(|x| *x *= factor);
}

fn out_of_domain(error: Inadmissible) -> OutOfDomain {
    OutOfDomain { component: error.component }
}
