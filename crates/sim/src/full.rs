//! The slow truth: a body with all its degrees of freedom as a [`System`].
//!
//! One symbolic factorisation serves every step; mass and the constant matrix of quasi-Newton are n×n, not 3n×3n, since
//! they treat x, y and z alike.

use std::sync::Arc;

use pliant_dynamics::{NotDefinite, OutOfDomain, System, Tangent, Weights};
use pliant_energy::{Body, Inadmissible, rounding};
use pliant_linalg::Symmetric;
use pliant_linalg::factor::{Cholesky, FactorError};

use crate::SimError;
use crate::load::{BodyLoad, LoadSet, name_of};
use crate::per_axis::PerAxis;
use crate::subject::{InitialCoordinates, InitialState, Still, Subject, refuse_held};

/// A body at full order, with loads. Nothing of the body changes: several systems may share it.
pub struct Full {
    body: Arc<Body>,
    /// In the order of their sum, with their names.
    loads: Vec<(Arc<str>, Box<dyn BodyLoad>)>,
    /// K of the last linearisation, and the loads' stiffness, which is zero where they have none.
    K: Symmetric<3>,
    load_K: Symmetric<3>,
    load_is_stiff: bool,
    /// The loads' damping; nothing before a load has any.
    load_D: Option<Symmetric<3>>,
    load_is_damping: bool,
    /// All loads had a potential when it was last asked for.
    conservative: bool,
    K_rest: Option<Symmetric<3>>,
    A: Symmetric<3>,
    factor: Cholesky<3>,
    mass_factor: PerAxis,
    fixed: Option<Fixed>,
}

/// m M + L, factorised once.
enum Fixed {
    PerAxis(PerAxis),
    General(Box<Cholesky<3>>),
}

impl Full {
    /// A body under loads: a [`LoadSet`], or the plain lists of [`pliant_energy::Loads`].
    ///
    /// # Errors
    /// When the loads name what the body has not, or its matrices cannot be ordered.
    pub fn new(body: impl Into<Arc<Body>>, loads: impl Into<LoadSet>) -> Result<Self, SimError> {
        Self::with(body.into(), &loads.into())
    }

    fn with(body: Arc<Body>, set: &LoadSet) -> Result<Self, SimError> {
        set.check(body.rest().len())?;
        let mut loads = Vec::with_capacity(set.len());
        for (kind, group) in set.groups() {
            let made = group[0].all_on_body(&group, &body)?;
            let count = made.len();
            let name = |k: usize| name_of(kind, k, count, group.len());
            loads.extend(made.into_iter().enumerate().map(|(k, load)| (name(k), load)));
        }
        let mass_factor = PerAxis::new(body.mass(), body.dofs()).map_err(factor_error)?;
        let factor = Cholesky::analyse(body.assembly().pattern(), body.dofs()).map_err(factor_error)?;
        let zero = body.zero_matrix();
        Ok(Self {
            K: zero.clone(),
            load_K: zero.clone(),
            A: zero,
            body,
            loads,
            load_is_stiff: false,
            load_D: None,
            load_is_damping: false,
            conservative: true,
            K_rest: None,
            factor,
            mass_factor,
            fixed: None,
        })
    }

    /// The body.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// ½ vᵀ M v, J.
    pub fn kinetic_energy(&self, v: &[f64]) -> f64 {
        let mut Mv = vec![0.0; v.len()];
        self.body.mass().apply_per_axis(v, &mut Mv);
        0.5 * pliant_linalg::par::dot(v, &Mv)
    }

    fn rest_stiffness(&mut self) -> &Symmetric<3> {
        self.K_rest.get_or_insert_with(|| {
            let mut K = self.body.zero_matrix();
            self.body
                .stiffness(&vec![0.0; self.body.size()], pliant_energy::Tangent::Exact, &mut K)
                .expect("every energy is defined at rest");
            K
        })
    }
}

impl System for Full {
    fn size(&self) -> usize {
        self.body.size()
    }

    fn elastic_energy(&mut self, q: &[f64]) -> Result<f64, OutOfDomain> {
        self.body.energy(q).map_err(out_of_domain)
    }

    fn internal_force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), OutOfDomain> {
        self.body.force(q, out).map_err(out_of_domain)?;
        self.body.dofs().hold(out);
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
        self.body.force_along(q, x, force, along).map_err(out_of_domain)?;
        self.body.dofs().hold(force);
        self.body.dofs().hold(along);
        Ok(())
    }

    fn round_off(&mut self, q: &[f64]) -> f64 {
        self.rest_stiffness();
        let K = self.K_rest.as_ref().expect("computed in the line above");
        let mut sums = rounding::sums(K, q);
        self.loads.iter().for_each(|(_, load)| load.rounding(&self.body, q, &mut sums));
        self.body.dofs().hold(&mut sums);
        f64::EPSILON * pliant_linalg::par::norm(&sums)
    }

    fn external_force(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.loads.iter_mut().for_each(|(_, load)| load.force(&self.body, t, q, v, out));
        self.body.dofs().hold(out);
    }

    fn load_potential(&mut self, t: f64, q: &[f64], _: &[f64]) -> f64 {
        self.conservative = true;
        let mut potential = 0.0;
        for (_, load) in &mut self.loads {
            match load.potential(&self.body, t, q) {
                Some(more) => potential += more,
                None => self.conservative = false,
            }
        }
        potential
    }

    fn loads_have_potential(&self) -> bool {
        self.conservative
    }

    fn load_to_blame(&mut self, t: f64, q: &[f64], v: &[f64]) -> Option<Arc<str>> {
        let mut f = vec![0.0; q.len()];
        self.loads.iter_mut().find_map(|(name, load)| {
            f.fill(0.0);
            load.force(&self.body, t, q, v, &mut f);
            self.body.dofs().hold(&mut f);
            f.iter().any(|x| !x.is_finite()).then(|| name.clone())
        })
    }

    fn distance(&mut self, d: &[f64]) -> f64 {
        let mut Md = vec![0.0; d.len()];
        self.body.mass().apply_per_axis(d, &mut Md);
        let square = pliant_linalg::par::sum(d.len(), |i| d[i] * Md[i]);
        (square.max(0.0) / self.body.total_mass()).sqrt()
    }

    fn apply_mass(&mut self, x: &[f64], out: &mut [f64]) {
        self.body.mass().apply_per_axis(x, out);
        self.body.dofs().hold(out);
    }

    fn solve_mass(&mut self, x: &mut [f64]) {
        self.mass_factor.solve(x);
    }

    fn linearise(&mut self, t: f64, q: &[f64], v: &[f64], tangent: Tangent) -> Result<(), OutOfDomain> {
        let tangent = match tangent {
            Tangent::Exact => pliant_energy::Tangent::Exact,
            Tangent::Positive => pliant_energy::Tangent::Positive,
        };
        self.body.stiffness(q, tangent, &mut self.K).map_err(out_of_domain)?;
        if self.load_is_stiff {
            self.load_K.clear();
        }
        // A is free until something is factorised: it holds the damping that most bodies do not have.
        self.A.clear();
        (self.load_is_stiff, self.load_is_damping) = (false, false);
        for (_, load) in &mut self.loads {
            self.load_is_stiff |= load.stiffness(&self.body, t, q, v, &mut self.load_K);
            self.load_is_damping |= load.damping(&self.body, t, q, v, &mut self.A);
        }
        if self.load_is_damping {
            let damping = self.load_D.get_or_insert_with(|| self.body.zero_matrix());
            std::mem::swap(damping, &mut self.A);
        }
        Ok(())
    }

    fn apply_stiffness(&mut self, x: &[f64], out: &mut [f64]) {
        self.K.apply(x, out);
        self.body.dofs().hold(out);
    }

    fn apply_rest_stiffness(&mut self, x: &[f64], out: &mut [f64]) {
        self.rest_stiffness().apply(x, out);
        self.body.dofs().hold(out);
    }

    fn factorise(&mut self, weights: &Weights) -> Result<(), NotDefinite> {
        self.A.clear();
        self.A.add(weights.stiffness, &self.K);
        if self.load_is_stiff {
            self.A.add(weights.load_stiffness, &self.load_K);
        }
        if let Some(damping) = self.load_D.as_ref().filter(|_| self.load_is_damping) {
            self.A.add(weights.load_damping, damping);
        }
        if weights.rest_stiffness != 0.0 {
            self.rest_stiffness();
            self.A.add(weights.rest_stiffness, self.K_rest.as_ref().expect("computed in the line above"));
        }
        self.A.add_per_axis(weights.mass, self.body.mass());
        self.factor.factorise(&self.A).map_err(|_| NotDefinite)
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
    }

    fn factorise_fixed(&mut self, mass: f64) -> Result<(), NotDefinite> {
        self.fixed = Some(match self.body.laplacian() {
            Some(mut A) => {
                // A lumped mass lies on the diagonal only.
                add_scalar(&mut A, mass, self.body.mass());
                Fixed::PerAxis(PerAxis::new(&A, self.body.dofs()).map_err(|_| NotDefinite)?)
            }
            None => {
                let mut A = self.rest_stiffness().clone();
                A.add_per_axis(mass, self.body.mass());
                let mut factor = Cholesky::analyse(A.pattern(), self.body.dofs()).map_err(|_| NotDefinite)?;
                factor.factorise(&A).map_err(|_| NotDefinite)?;
                Fixed::General(Box::new(factor))
            }
        });
        Ok(())
    }

    fn solve_fixed(&mut self, x: &mut [f64]) {
        match self.fixed.as_mut().expect("factorise_fixed comes before solve_fixed") {
            Fixed::PerAxis(factor) => factor.solve(x),
            Fixed::General(factor) => factor.solve(x),
        }
    }

    fn projective_force(&mut self, q: &[f64], out: &mut [f64]) -> bool {
        let has = self.body.projective_force(q, out);
        if has {
            self.body.dofs().hold(out);
        }
        has
    }
}

impl Subject for Full {
    fn vertices(&self) -> usize {
        self.body.rest().len()
    }

    fn still(&self, vertex: u32) -> Option<Still> {
        (0..3).all(|c| self.body.dofs().is_held(3 * vertex as usize + c)).then_some(Still::Fixed)
    }

    fn vertex(&self, q: &[f64], vertex: u32) -> [f64; 3] {
        let at = 3 * vertex as usize;
        [q[at], q[at + 1], q[at + 2]]
    }

    fn displacement(&self, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(q);
    }

    fn initial(&self, first: InitialState) -> Result<InitialCoordinates, SimError> {
        refuse_held(self.body.dofs(), &first)?;
        let InitialState { displacement, velocity, acceleration } = first;
        Ok(InitialCoordinates { q: displacement, v: velocity, a: acceleration, lost: [0.0; 2] })
    }

    fn kinetic_energy(&mut self, v: &[f64]) -> f64 {
        Self::kinetic_energy(self, v)
    }
}

fn add_scalar(A: &mut Symmetric<1>, factor: f64, B: &Symmetric<1>) {
    if A.pattern().same(B.pattern()) {
        A.add(factor, B);
        return;
    }
    for (j, b) in B.values().iter().enumerate() {
        let slot = A.pattern().column(j).0.start;
        A.values_mut()[slot][0][0] += factor * b[0][0];
    }
}

fn out_of_domain(error: Inadmissible) -> OutOfDomain {
    OutOfDomain { component: error.component }
}

fn factor_error(error: FactorError) -> SimError {
    SimError::Factor(error.to_string())
}
