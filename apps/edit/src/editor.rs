//! A reduced model under handles.
//!
//! ```text
//! E(q) = Ẽ(q) + Σ_h κ_h E^C_h(q),   B₁ = (K̃(0) + Σ κ_h A_h + δ M̃)⁻¹                                   (T14 eqs 5.1, 5.5)
//! κ_h = 100 k_h,   k_h = max_|d|=1 q(d)ᵀP q(d),   q(d) = κ_h (P + κ_h A_h)⁻¹ G d,
//! P = K̃(0) + σ Σ_{g≠h} A_g,   G = Σ_i w_i U_iᵀ                                                          (1)
//! ```
//! (1): twice what it costs at rest to move a handle by d, the others held, along the direction that costs most. Times a hundred, so that it
//! lags by a hundredth of its way there, and by less elsewhere. k_h depends on κ_h a little, since only a stiff handle keeps its region
//! as it is; three rounds settle that.
//!
//! δ M̃ is as good as nothing; it keeps B₁ where handles leave a turn free, as one vertex does. What moves a handle leaves ∂²E^C alone, so
//! that what BFGS has learnt is kept from frame to frame; new handles make it forget. E^C is taken relative to where a call begins: its terms
//! are larger than their sum by orders of magnitude, and a constant changes nothing.

use std::sync::Arc;

use pliant_dynamics::minimise::{self, Minimiser, Objective, Onlooker, Outcome, Stopping, Units};
use pliant_dynamics::{NotDefinite, Tangent};
use pliant_energy::Body;
use pliant_linalg::{DenseCholesky, DenseSymmetric};
use pliant_reduce::{Model, ReducedForce};
use pliant_sim::SimError;

use crate::Transform;
use crate::targets::Target;
use crate::terms::{STIFFNESS, refused};
use crate::units::{Softest, units};

/// How much stiffer than its region a handle is.
pub(crate) const STIFFER: f64 = 100.0;

/// Other handles, while one is measured: so many times stiffer than the body.
const HELD: f64 = 1e3;

/// The part of the stiffness that δ M̃ is.
const SHIFT: f64 = 1e-10;

/// How an editor solves.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// A name of [`minimise::ALL`].
    pub solver: String,
    /// ε of T14 eq. 5.6.
    pub epsilon: f64,
    /// Iterations of one call.
    pub iterations: usize,
    /// κ of every handle, N/m; `None`: each a hundred times what its region resists.
    pub stiffness: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { solver: "bfgs".into(), epsilon: 1e-6, iterations: 500, stiffness: None }
    }
}

impl Options {
    /// # Errors
    /// A solver that is not in the table, an ε, a number of iterations or a stiffness that makes no sense.
    pub fn check(&self) -> Result<(), SimError> {
        minimise::ALL.get(&self.solver)?;
        let stopping = Stopping { epsilon: self.epsilon, iterations: self.iterations, units: Units::PRINTED };
        stopping.check()?;
        if let Some(k) = self.stiffness.filter(|k| !(k.is_finite() && *k > 0.0)) {
            let sentence =
                format!("the stiffness of handles is {k}; expected a finite number above 0, in N/m");
            return Err(refused(sentence, &[STIFFNESS]));
        }
        Ok(())
    }
}

/// A handle of an [`Editor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HandleId(u32);

impl HandleId {
    /// By its number, as a door has sent it.
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// From 0, in the order in which handles were added; never given twice.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A reduced model that takes the shape which handles ask of it.
///
/// ```
/// use std::sync::Arc;
/// use pliant_edit::{Editor, Options, Transform};
/// use pliant_linalg::Vec3;
/// # use pliant_energy::Recipe;
/// # let mesh = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data();
/// # let small = pliant_reduce::Precompute { modes: Some(6), rank: Some(20), ..Default::default() };
/// # let model = Arc::new(small.build_quietly(mesh, Recipe::default())?.model);
/// let left = pliant_mesh::select::select(model.mesh(), "x<5%")?.vertices;
/// let right = pliant_mesh::select::select(model.mesh(), "x>95%")?.vertices;
/// let mut editor = Editor::new(model, &Options::default())?;
/// editor.add(&left)?;
/// let hand = editor.add(&right)?;
/// for frame in 1..=12 {
///     let lift = Transform::shift(Vec3::y() * (0.02 * f64::from(frame)));
///     editor.place(hand, &lift)?;
///     assert!(editor.solve().converged());
/// }
/// assert!(editor.lag(hand)? < 0.02 * 0.24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Editor {
    model: Arc<Model>,
    body: Arc<Body>,
    pulled: Pulled,
    solver: Box<dyn Minimiser>,
    solver_name: &'static str,
    stopping: Stopping,
    stiffness: Option<f64>,
    handles: Vec<(HandleId, Target)>,
    next: u32,
    q: Vec<f64>,
    softest: Option<Softest>,
}

/// The energy.
struct Pulled {
    force: Box<dyn ReducedForce>,
    model: Arc<Model>,
    /// Σ κ A, Σ κ b, Σ κ c.
    A: DenseSymmetric,
    b: Vec<f64>,
    c: f64,
    /// Where the last call began, Σ κ E^C there and its gradient.
    origin: Vec<f64>,
    pull: f64,
    slope: Vec<f64>,
    /// q beyond that.
    beyond: Vec<f64>,
    /// δ for a shift of 1.
    unit: f64,
    H: DenseSymmetric,
    factor: DenseCholesky,
    scratch: Vec<f64>,
    /// W̃ where it was last asked for.
    elastic: f64,
}

impl Objective for Pulled {
    fn size(&self) -> usize {
        self.b.len()
    }

    fn evaluate(&mut self, q: &[f64], gradient: &mut [f64]) -> f64 {
        let Ok(elastic) = self.force.energy_and_force(q, gradient) else { return f64::INFINITY };
        self.elastic = elastic;
        self.beyond.iter_mut().zip(q).zip(&self.origin).for_each(|((d, q), origin)| *d = q - origin);
        self.A.apply(&self.beyond, &mut self.scratch);
        let mut pull = self.pull;
        for (((g, d), Ad), slope) in gradient.iter_mut().zip(&self.beyond).zip(&self.scratch).zip(&self.slope)
        {
            pull += d * (0.5 * Ad + slope);
            *g += Ad + slope;
        }
        elastic + pull
    }

    fn first_inverse(&mut self, out: &mut DenseSymmetric) {
        self.H.clear();
        self.H.add(1.0, self.model.reduced_stiffness());
        self.H.add(1.0, &self.A);
        let n = self.b.len();
        // A stiffness that is not positive by more than rounding, as of a body that is bent already, is raised until it is.
        for power in 0..=12 {
            self.H.add(SHIFT * self.unit * 10f64.powi(power), self.model.reduced_mass());
            if self.factor.factorise(&self.H).is_ok() {
                break;
            }
        }
        for j in 0..n {
            self.scratch.fill(0.0);
            self.scratch[j] = 1.0;
            self.factor.solve(&mut self.scratch);
            (0..=j).for_each(|i| out.values_mut()[i * n + j] = self.scratch[i]);
        }
    }

    fn factorise(&mut self, q: &[f64], tangent: Tangent, shift: f64) -> Result<(), NotDefinite> {
        let tangent = match tangent {
            Tangent::Exact => pliant_energy::Tangent::Exact,
            Tangent::Positive => pliant_energy::Tangent::Positive,
        };
        self.force.stiffness(q, tangent, &mut self.H).map_err(|_| NotDefinite)?;
        self.H.add(1.0, &self.A);
        if shift > 0.0 {
            self.H.add(shift * self.unit, self.model.reduced_mass());
        }
        self.factor.factorise(&self.H).map_err(|_| NotDefinite)
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
    }
}

impl Pulled {
    /// A call begins at q.
    fn begin(&mut self, q: &[f64]) {
        self.origin.copy_from_slice(q);
        self.A.apply(q, &mut self.slope);
        let products = q.iter().zip(&self.slope).zip(&self.b);
        self.pull = self.c + products.map(|((q, Aq), b)| q * (0.5 * Aq - b)).sum::<f64>();
        self.slope.iter_mut().zip(&self.b).for_each(|(Aq, b)| *Aq -= b);
    }
}

fn trace(matrix: &DenseSymmetric) -> f64 {
    (0..matrix.size()).map(|i| matrix.get(i, i)).sum()
}

impl Editor {
    /// A model at rest, without handles.
    ///
    /// # Errors
    /// As [`Options::check`]; a model without a body.
    pub fn new(model: Arc<Model>, options: &Options) -> Result<Self, SimError> {
        let body = Arc::new(model.body()?);
        Self::of(model, body, options)
    }

    /// The same with the body that the model was made from, where that is at hand.
    ///
    /// # Errors
    /// As [`Options::check`].
    pub fn of(model: Arc<Model>, body: Arc<Body>, options: &Options) -> Result<Self, SimError> {
        options.check()?;
        let entry = minimise::ALL.get(&options.solver)?;
        let r = model.rank();
        let softest = Softest::of_model(&model);
        let units = units(softest.as_ref(), model.mesh(), model.recipe());
        let pulled = Pulled {
            force: model.evaluator(),
            A: DenseSymmetric::zeros(r),
            b: vec![0.0; r],
            c: 0.0,
            origin: vec![0.0; r],
            pull: 0.0,
            slope: vec![0.0; r],
            beyond: vec![0.0; r],
            unit: 0.0,
            H: DenseSymmetric::zeros(r),
            factor: DenseCholesky::new(r),
            scratch: vec![0.0; r],
            elastic: 0.0,
            model: model.clone(),
        };
        let stopping = Stopping { epsilon: options.epsilon, iterations: options.iterations, units };
        let mut editor = Self {
            pulled,
            body,
            solver: (entry.make)(),
            solver_name: entry.name,
            stopping,
            stiffness: options.stiffness,
            handles: Vec::new(),
            next: 0,
            q: vec![0.0; r],
            softest,
            model,
        };
        editor.renew();
        Ok(editor)
    }

    /// Holds some vertices where they were at rest.
    ///
    /// # Errors
    /// No vertex, one that is not there, that is fixed or that no coordinate moves, or one that another handle holds.
    pub fn add(&mut self, vertices: &[u32]) -> Result<HandleId, SimError> {
        let mut vertices = vertices.to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        let new = crate::Handle::stays(format!("handle {}", self.next + 1), vertices);
        let mut all: Vec<crate::Handle> = self
            .handles
            .iter()
            .map(|(id, target)| crate::Handle::stays(format!("handle {}", id.0 + 1), target.vertices.clone()))
            .collect();
        all.push(new);
        crate::handles::check(&all, &self.body)?;
        let vertices = all.pop().map(|handle| handle.vertices).unwrap_or_default();
        let still = |v: &&u32| self.model.basis().vertex(**v as usize).iter().all(|u| *u == 0.0);
        if vertices.iter().filter(still).count() == vertices.len() {
            return Err(SimError::UnmovedVertex { vertex: vertices[0] });
        }
        let target = Target::new(&vertices, &self.body, self.model.basis());
        let id = HandleId(self.next);
        self.next += 1;
        self.handles.push((id, target));
        self.renew();
        Ok(id)
    }

    /// Lets go of a handle.
    ///
    /// # Errors
    /// One that was removed before.
    pub fn remove(&mut self, handle: HandleId) -> Result<(), SimError> {
        let place = self.place_of(handle)?;
        self.handles.remove(place);
        self.renew();
        Ok(())
    }

    /// Says where a handle is to be: a map of its places at rest. Costs 12 r multiplications a handle and takes no memory.
    ///
    /// # Errors
    /// One that was removed; a map that is not finite.
    pub fn place(&mut self, handle: HandleId, to: &Transform) -> Result<(), SimError> {
        let numbers = to.linear.iter().chain(to.offset.iter());
        if let Some(&value) = numbers.clone().find(|x| !x.is_finite()) {
            let (what, expected) = ("a number of a handle's place", "a finite number");
            return Err(SimError::Number { what, value, expected });
        }
        let place = self.place_of(handle)?;
        self.handles[place].1.place(to);
        self.pull();
        Ok(())
    }

    /// Where a handle is to be.
    ///
    /// # Errors
    /// One that was removed.
    pub fn placed(&self, handle: HandleId) -> Result<&Transform, SimError> {
        Ok(self.handles[self.place_of(handle)?].1.transform())
    }

    /// Goes downhill, at most as many iterations as the options allow, from where the last call ended. Takes no memory after the first
    /// call, but where forces are `projected`.
    pub fn solve(&mut self) -> Outcome {
        self.solve_for(self.stopping.iterations, &mut minimise::unseen)
    }

    /// The same with another number of iterations, and somebody who looks on.
    pub fn solve_for(&mut self, iterations: usize, look: &mut Onlooker<'_>) -> Outcome {
        let stopping = Stopping { iterations, ..self.stopping };
        self.pulled.begin(&self.q);
        self.solver.minimise(&mut self.pulled, &mut self.q, &stopping, look)
    }

    /// Back to rest, all handles where they were then.
    pub fn reset(&mut self) {
        self.q.fill(0.0);
        self.handles.iter_mut().for_each(|(_, target)| target.place(&Transform::default()));
        self.renew();
    }

    /// Goes on from these coordinates.
    ///
    /// # Errors
    /// Another number of them, or one that is not finite.
    pub fn go_to(&mut self, q: &[f64]) -> Result<(), SimError> {
        if q.len() != self.q.len() {
            return Err(SimError::Size { what: "the state", found: q.len(), expected: self.q.len() });
        }
        if let Some(&value) = q.iter().find(|x| !x.is_finite()) {
            let (what, expected) = ("a coordinate of the state", "a finite number");
            return Err(SimError::Number { what, value, expected });
        }
        self.q.copy_from_slice(q);
        Ok(())
    }

    /// Forgets what was learnt, as if every frame were the first.
    pub fn forget(&mut self) {
        self.solver.forget();
    }

    /// ε from now on.
    ///
    /// # Errors
    /// One that is not between 0 and 1.
    pub fn set_epsilon(&mut self, epsilon: f64) -> Result<(), SimError> {
        let stopping = Stopping { epsilon, ..self.stopping };
        stopping.check()?;
        self.stopping = stopping;
        Ok(())
    }

    /// q.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The body that it is a model of.
    pub fn body(&self) -> &Arc<Body> {
        &self.body
    }

    /// The minimiser's name.
    pub fn solver(&self) -> &'static str {
        self.solver_name
    }

    /// What ε is relative to.
    pub fn units(&self) -> Units {
        self.stopping.units
    }

    /// Handles, in the order in which they were added.
    pub fn handles(&self) -> impl ExactSizeIterator<Item = HandleId> {
        self.handles.iter().map(|(id, _)| *id)
    }

    /// The vertices of a handle, ascending.
    ///
    /// # Errors
    /// One that was removed.
    pub fn vertices(&self, handle: HandleId) -> Result<&[u32], SimError> {
        Ok(&self.handles[self.place_of(handle)?].1.vertices)
    }

    /// κ of a handle, N/m.
    ///
    /// # Errors
    /// One that was removed.
    pub fn stiffness(&self, handle: HandleId) -> Result<f64, SimError> {
        Ok(self.handles[self.place_of(handle)?].1.stiffness)
    }

    /// E, and W̃ of it, J, at the present state.
    pub fn energies(&mut self) -> [f64; 2] {
        let mut gradient = vec![0.0; self.q.len()];
        self.pulled.begin(&self.q);
        let energy = self.pulled.evaluate(&self.q, &mut gradient);
        [energy, self.pulled.elastic]
    }

    /// How far a handle is from where it is to be: the root of the mean of the square over its mass, m.
    ///
    /// # Errors
    /// One that was removed.
    pub fn lag(&self, handle: HandleId) -> Result<f64, SimError> {
        let target = &self.handles[self.place_of(handle)?].1;
        Ok(target.square_off(&self.q, self.model.basis(), self.body.rest()).sqrt())
    }

    fn place_of(&self, handle: HandleId) -> Result<usize, SimError> {
        self.handles.iter().position(|(id, _)| *id == handle).ok_or(SimError::Removed)
    }

    /// Other handles: other stiffnesses, another Hessian.
    fn renew(&mut self) {
        for h in 0..self.handles.len() {
            let stiffness = self.stiffness.unwrap_or_else(|| STIFFER * self.resistance(h));
            self.handles[h].1.stiffness = stiffness;
        }
        let Pulled { A, unit, model, .. } = &mut self.pulled;
        A.clear();
        self.handles.iter().for_each(|(_, target)| A.add(target.stiffness, &target.A));
        *unit = (trace(model.reduced_stiffness()) + trace(A)) / trace(model.reduced_mass());
        self.solver.forget();
        self.pull();
    }

    /// Σ κ b and Σ κ c.
    fn pull(&mut self) {
        self.pulled.b.fill(0.0);
        self.handles.iter().for_each(|(_, target)| target.add_pull(&mut self.pulled.b));
        self.pulled.c = self.handles.iter().map(|(_, target)| target.constant()).sum();
    }

    /// k_h of (1); of a handle alone on a free body, which nothing resists, that of the lowest mode.
    fn resistance(&self, h: usize) -> f64 {
        let K = self.model.reduced_stiffness();
        let alone = self.handles.len() == 1 && self.model.held() == 0;
        let r = K.size();
        let mut P = DenseSymmetric::zeros(r);
        P.add(1.0, K);
        let whole = trace(K);
        for (_, (_, other)) in self.handles.iter().enumerate().filter(|(g, _)| *g != h) {
            P.add(HELD * whole / trace(&other.A), &other.A);
        }
        P.add(SHIFT * whole / trace(self.model.reduced_mass()), self.model.reduced_mass());
        let softest = self.softest.map_or(1.0, |softest| softest.eigenvalue * self.model.total_mass());
        if alone {
            return softest;
        }
        let target = &self.handles[h].1;
        let mut factor = DenseCholesky::new(r);
        let resistance = settle(whole / trace(&target.A), |kappa| {
            let mut stiffer = P.clone();
            stiffer.add(kappa, &target.A);
            factor.factorise(&stiffer).ok()?;
            let pushes = target.pushes();
            let moved = pushes.map(|push| {
                let mut x = push.to_vec();
                factor.solve(&mut x);
                x
            });
            // xᵀP y = xᵀG d − κ xᵀA y.
            let mut Ay = vec![0.0; r];
            Some(costliest(|d, e| {
                target.A.apply(&moved[e], &mut Ay);
                let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
                kappa * kappa * (dot(&moved[d], pushes[e]) - kappa * dot(&moved[d], &Ay))
            }))
        });
        resistance.unwrap_or(softest)
    }
}

/// Rounds in which κ and what is resisted settle.
const ROUNDS: usize = 3;

/// k for which κ = 100 k, where `of` says what is resisted at κ; `first` is as stiff as the body.
pub(crate) fn settle(first: f64, mut of: impl FnMut(f64) -> Option<f64>) -> Option<f64> {
    let mut k = first;
    for _ in 0..ROUNDS {
        k = of(STIFFER * k).filter(|k| k.is_finite() && *k > 0.0)?;
    }
    Some(k)
}

/// The largest eigenvalue of a symmetric 3×3 matrix.
pub(crate) fn costliest(entry: impl FnMut(usize, usize) -> f64) -> f64 {
    let K = pliant_linalg::Mat3::from_fn(entry);
    let (values, _) = pliant_linalg::symmetric_eigen3(&((K + K.transpose()) * 0.5));
    values.max()
}
