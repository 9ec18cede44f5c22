//! The slow truth: a body with all its numbers as a [`System`].
//!
//! One symbolic factorisation serves every step; mass and the constant matrix of quasi-Newton are n×n, not 3n×3n, since
//! they treat x, y and z alike.

use pliant_dynamics::{NotDefinite, OutOfDomain, System, Tangent};
use pliant_energy::{Body, Inadmissible, load::Loads, rounding};
use pliant_linalg::Symmetric;
use pliant_linalg::factor::{Cholesky, FactorError};

use crate::SimError;
use crate::alike::Alike;
use crate::subject::{First, Initial, Still, Subject, refuse_held};

/// A body at full order, with loads.
pub struct Full {
    body: Body,
    loads: Loads,
    /// K of the last linearisation, and the loads' stiffness.
    K: Symmetric<3>,
    load_K: Symmetric<3>,
    /// The loads have a stiffness at all.
    load_is_stiff: bool,
    K_rest: Option<Symmetric<3>>,
    A: Symmetric<3>,
    factor: Cholesky<3>,
    mass_factor: Alike,
    fixed: Option<Fixed>,
}

/// m M + L, factorised once.
enum Fixed {
    Alike(Alike),
    General(Box<Cholesky<3>>),
}

impl Full {
    /// A body under loads.
    ///
    /// # Errors
    /// When the loads name what the body has not, or its matrices cannot be ordered.
    pub fn new(body: Body, loads: Loads) -> Result<Self, SimError> {
        loads.check(&body)?;
        let mass_factor = Alike::new(body.mass(), body.dofs()).map_err(factor_error)?;
        let factor = Cholesky::analyse(body.assembly().pattern(), body.dofs()).map_err(factor_error)?;
        let zero = body.zero_matrix();
        let load_is_stiff = !(loads.pressures.is_empty() && loads.springs.is_empty());
        Ok(Self {
            K: zero.clone(),
            load_K: zero.clone(),
            A: zero,
            body,
            loads,
            load_is_stiff,
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

    /// The body, when the system is not needed any more.
    pub fn into_body(self) -> Body {
        self.body
    }

    /// ½ vᵀ M v, J.
    pub fn kinetic_energy(&self, v: &[f64]) -> f64 {
        let mut Mv = vec![0.0; v.len()];
        self.body.mass().apply_alike(v, &mut Mv);
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
        self.body.potential(q).map_err(out_of_domain)
    }

    fn internal_force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), OutOfDomain> {
        self.body.internal_force(q, out).map_err(out_of_domain)?;
        self.body.dofs().hold(out);
        Ok(())
    }

    fn round_off(&mut self, q: &[f64]) -> f64 {
        self.rest_stiffness();
        let K = self.K_rest.as_ref().expect("computed in the line above");
        let mut sums = rounding::sums(K, self.body.rest(), q);
        for spring in &self.loads.springs {
            let v = 3 * spring.vertex as usize;
            let place = self.body.rest()[spring.vertex as usize];
            (0..3).for_each(|c| sums[v + c] += spring.stiffness * (place[c].abs() + q[v + c].abs()));
        }
        self.body.dofs().hold(&mut sums);
        f64::EPSILON * pliant_linalg::par::norm(&sums)
    }

    fn external_force(&mut self, t: f64, q: &[f64], out: &mut [f64]) {
        self.loads.force(&self.body, t, q, out);
        self.body.dofs().hold(out);
    }

    fn load_potential(&mut self, t: f64, q: &[f64]) -> f64 {
        self.loads.potential(&self.body, t, q)
    }

    fn apply_mass(&mut self, x: &[f64], out: &mut [f64]) {
        self.body.mass().apply_alike(x, out);
        self.body.dofs().hold(out);
    }

    fn solve_mass(&mut self, x: &mut [f64]) {
        self.mass_factor.solve(x);
    }

    fn linearise(&mut self, t: f64, q: &[f64], tangent: Tangent) -> Result<(), OutOfDomain> {
        let tangent = match tangent {
            Tangent::Exact => pliant_energy::Tangent::Exact,
            Tangent::Positive => pliant_energy::Tangent::Positive,
        };
        self.body.stiffness(q, tangent, &mut self.K).map_err(out_of_domain)?;
        if self.load_is_stiff {
            self.load_K.clear();
            self.loads.stiffness(&self.body, t, q, 1.0, &mut self.load_K);
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

    fn factorise(
        &mut self,
        mass: f64,
        stiffness: f64,
        rest_stiffness: f64,
        loads: f64,
    ) -> Result<(), NotDefinite> {
        self.A.clear();
        self.A.add(stiffness, &self.K);
        if self.load_is_stiff {
            self.A.add(loads, &self.load_K);
        }
        if rest_stiffness != 0.0 {
            self.rest_stiffness();
            self.A.add(rest_stiffness, self.K_rest.as_ref().expect("computed in the line above"));
        }
        self.A.add_alike(mass, self.body.mass());
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
                Fixed::Alike(Alike::new(&A, self.body.dofs()).map_err(|_| NotDefinite)?)
            }
            None => {
                let mut A = self.rest_stiffness().clone();
                A.add_alike(mass, self.body.mass());
                let mut factor = Cholesky::analyse(A.pattern(), self.body.dofs()).map_err(|_| NotDefinite)?;
                factor.factorise(&A).map_err(|_| NotDefinite)?;
                Fixed::General(Box::new(factor))
            }
        });
        Ok(())
    }

    fn solve_fixed(&mut self, x: &mut [f64]) {
        match self.fixed.as_mut().expect("factorise_fixed comes before solve_fixed") {
            Fixed::Alike(alike) => alike.solve(x),
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

    fn initial(&self, first: First) -> Result<Initial, SimError> {
        refuse_held(self.body.dofs(), &first)?;
        let First { displacement, velocity, acceleration } = first;
        Ok(Initial { q: displacement, v: velocity, a: acceleration, lost: [0.0; 2] })
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
