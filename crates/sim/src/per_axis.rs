//! Factorisation axis by axis: solving with A ⊗ I₃, a matrix that treats x, y and z alike, on a body that may
//! hold them apart.
//!
//! Held degrees of freedom are left out, so that x, y and z have a factorisation each where they are held at different
//! vertices, and share one where they are not.

use pliant_linalg::factor::{Cholesky, FactorError};
use pliant_linalg::{Dofs, Symmetric};

/// Factorisation of A ⊗ I₃ on the free degrees of freedom of a body, axis by axis.
pub(crate) struct PerAxis {
    /// One, or one for each of x, y, z; none where an axis is held everywhere.
    factors: Vec<Option<Cholesky<1>>>,
    column: Vec<f64>,
}

impl PerAxis {
    pub(crate) fn new(matrix: &Symmetric<1>, dofs: &Dofs) -> Result<Self, FactorError> {
        let n = matrix.size();
        let axis = |c: usize| Dofs::new((0..n).map(|i| dofs.is_held(3 * i + c)).collect());
        let axes = [axis(0), axis(1), axis(2)];
        let same = axes[0] == axes[1] && axes[1] == axes[2];
        let factors = axes[..if same { 1 } else { 3 }]
            .iter()
            .map(|dofs| {
                if dofs.free().is_empty() {
                    return Ok(None);
                }
                let mut factor = Cholesky::analyse(matrix.pattern(), dofs)?;
                factor.factorise(matrix)?;
                Ok(Some(factor))
            })
            .collect::<Result<Vec<_>, FactorError>>()?;
        Ok(Self { factors, column: vec![0.0; if same { 0 } else { n }] })
    }

    /// x ← (A ⊗ I₃)⁻¹ x; held degrees of freedom come out as zero.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        if let [Some(factor)] = &self.factors[..] {
            factor.solve_per_axis(x);
            return;
        }
        for (c, factor) in self.factors.iter().enumerate() {
            self.column.iter_mut().enumerate().for_each(|(i, y)| *y = x[3 * i + c]);
            match factor {
                Some(factor) => factor.solve(&mut self.column),
                None => self.column.fill(0.0),
            }
            self.column.iter().enumerate().for_each(|(i, y)| x[3 * i + c] = *y);
        }
    }
}
