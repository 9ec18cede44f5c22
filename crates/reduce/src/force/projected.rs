//! The projected force: exact, through the full mesh, and as slow as that. All other forces are measured against it.
//!
//! ```text
//! W̃(q) = W(Uq),   f̃ = Uᵀ f_int(Uq),   K̃ = Uᵀ K(Uq) U                   (B12 eqs 6 and 7)
//! ```

use std::sync::Arc;

use pliant_energy::{Body, Inadmissible, Tangent, rounding};
use pliant_linalg::{DenseSymmetric, Symmetric, tall};

use super::{Context, Entry, ReducedForce, StoredForce};
use crate::{Basis, ReduceError};

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "projected",
    about: "exact, through the full mesh: the reference, and as slow as that",
    takes: &[],
    suits: |_| None,
    check: |_, _, _| Ok(()),
    prepare: |_, _, _, _| Ok(StoredProjected.into()),
    read: |_| Ok(Arc::new(StoredProjected)),
};

/// The projected force in a model, which has its mesh and recipe in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredProjected;

impl StoredForce for StoredProjected {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, _: &Context<'_>) -> Result<(), String> {
        Ok(())
    }

    fn evaluator(&self, of: &Context<'_>) -> Result<Box<dyn ReducedForce>, ReduceError> {
        let body = of.recipe.build(of.mesh.clone())?;
        Ok(Box::new(Projected::new(Arc::new(body), of.basis.clone())))
    }
}

/// Uᵀ f_int(Uq).
#[derive(Clone)]
pub struct Projected {
    body: Arc<Body>,
    basis: Basis,
    /// U by columns, which sparse products want.
    columns: Arc<[f64]>,
    u: Vec<f64>,
    f: Vec<f64>,
    /// A direction at all vertices, and K times it.
    x: Vec<f64>,
    g: Vec<f64>,
    K: Symmetric<3>,
    /// Once rounding was asked for.
    K_rest: Option<Symmetric<3>>,
}

impl Projected {
    /// `body` in the coordinates of `basis`.
    pub fn new(body: Arc<Body>, basis: Basis) -> Self {
        assert_eq!(basis.size(), body.size(), "a basis of this body");
        let columns: Vec<f64> = (0..basis.rank()).flat_map(|k| basis.column(k)).collect();
        let [u, f, x, g] = [(); 4].map(|()| vec![0.0; body.size()]);
        let K = body.zero_matrix();
        Self { body, basis, columns: columns.into(), u, f, x, g, K, K_rest: None }
    }
}

impl ReducedForce for Projected {
    fn rank(&self) -> usize {
        self.basis.rank()
    }

    fn duplicate(&self) -> Box<dyn ReducedForce> {
        Box::new(self.clone())
    }

    fn energy(&mut self, q: &[f64]) -> Result<f64, Inadmissible> {
        self.basis.expand(q, &mut self.u);
        self.body.energy(&self.u)
    }

    fn force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), Inadmissible> {
        self.basis.expand(q, &mut self.u);
        self.body.force(&self.u, &mut self.f)?;
        self.basis.project(&self.f, out);
        Ok(())
    }

    fn projective_force(&mut self, q: &[f64], out: &mut [f64]) -> bool {
        self.basis.expand(q, &mut self.u);
        let has = self.body.projective_force(&self.u, &mut self.f);
        if has {
            self.basis.project(&self.f, out);
        }
        has
    }

    fn projective_stiffness(&mut self) -> Option<DenseSymmetric> {
        Some(project_mass(&self.body.laplacian()?, &self.columns))
    }

    fn stiffness(
        &mut self,
        q: &[f64],
        tangent: Tangent,
        out: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        self.basis.expand(q, &mut self.u);
        self.body.stiffness(&self.u, tangent, &mut self.K)?;
        *out = project_matrix(&self.K, &self.columns);
        Ok(())
    }

    fn force_along(
        &mut self,
        q: &[f64],
        x: &[f64],
        force: &mut [f64],
        along: &mut [f64],
        _: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        self.basis.expand(q, &mut self.u);
        self.basis.expand(x, &mut self.x);
        self.body.force_along(&self.u, &self.x, &mut self.f, &mut self.g)?;
        self.basis.project(&self.f, force);
        self.basis.project(&self.g, along);
        Ok(())
    }

    /// Of the whole body, where it is: one that has travelled far has fewer digits left for its shape.
    fn round_off(&mut self, q: &[f64]) -> f64 {
        let Self { body, basis, u, K_rest, .. } = self;
        let K = K_rest.get_or_insert_with(|| {
            let mut K = body.zero_matrix();
            body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut K)
                .expect("every energy is defined at rest");
            K
        });
        basis.expand(q, u);
        let e = rounding::sums(K, u);
        let rows = basis.rows().chunks_exact(basis.rank());
        let squares = rows.zip(&e).map(|(row, e)| e * e * row.iter().map(|u| u * u).sum::<f64>());
        f64::EPSILON * squares.sum::<f64>().sqrt()
    }
}

/// Uᵀ A U for U by columns.
pub fn project_matrix(A: &Symmetric<3>, columns: &[f64]) -> DenseSymmetric {
    projected(A.size(), columns, |u, au| A.apply(u, au))
}

/// Uᵀ M U for U by columns and a mass, one number for the three components of a vertex.
pub fn project_mass(M: &Symmetric<1>, columns: &[f64]) -> DenseSymmetric {
    projected(3 * M.size(), columns, |u, mu| M.apply_per_axis(u, mu))
}

fn projected(size: usize, columns: &[f64], apply: impl Fn(&[f64], &mut [f64])) -> DenseSymmetric {
    let rank = columns.len() / size;
    let mut AU = vec![0.0; columns.len()];
    for (u, au) in columns.chunks_exact(size).zip(AU.chunks_exact_mut(size)) {
        apply(u, au);
    }
    let product = tall::gram(columns, &AU, size);
    DenseSymmetric::from_upper(rank, |i, j| 0.5 * (product[j * rank + i] + product[i * rank + j]))
}
