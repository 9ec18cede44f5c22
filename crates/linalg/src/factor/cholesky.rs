//! A = L Lᵀ for positive definite matrices.

use std::sync::Arc;

use super::{FactorError, fronts::Fronts, numeric, solve};
use crate::{Dofs, Pattern, Symmetric};

/// A sparse Cholesky factor of the free part of a matrix.
#[derive(Debug)]
pub struct Cholesky<const B: usize> {
    pattern: Arc<Pattern>,
    fronts: Fronts,
    /// Empty as long as nothing is factorised.
    panels: Vec<f64>,
}

impl<const B: usize> Cholesky<B> {
    /// Orders and counts, once for a pattern and its held degrees of freedom; `dofs.size()` is B times `pattern.size()`.
    ///
    /// # Errors
    /// `NothingFree`, `TooLarge`, `Ordering`.
    pub fn analyse(pattern: &Arc<Pattern>, dofs: &Dofs) -> Result<Self, FactorError> {
        Ok(Self { pattern: pattern.clone(), fronts: Fronts::new::<B>(pattern, dofs)?, panels: Vec::new() })
    }

    /// Factorises a matrix on the analysed pattern; no new symbolic step. After an error there is no factor.
    ///
    /// # Errors
    /// `NotPositive` names the degree of freedom where a pivot was not positive, or so small that it is rounding.
    pub fn factorise(&mut self, matrix: &Symmetric<B>) -> Result<(), FactorError> {
        assert!(self.pattern.same(matrix.pattern()), "a matrix on the analysed pattern");
        if self.panels.is_empty() {
            self.panels = reserve(self.fronts.stored())
                .ok_or(FactorError::TooLarge { vertices: self.pattern.size() })?;
        }
        let values = matrix.values().as_flattened().as_flattened();
        numeric::factorise(&self.fronts, values, &mut self.panels).map_err(|index| {
            self.panels = Vec::new();
            FactorError::NotPositive { dof: self.fronts.order[index] as usize, block: B }
        })
    }

    /// x ← A⁻¹ x for one right-hand side of B n numbers; held entries are not read and come out 0.
    pub fn solve(&self, x: &mut [f64]) {
        self.solve_many(x, 1);
    }

    /// X ← A⁻¹ X for `columns` right-hand sides, one after the other in `x`; much cheaper than one by one.
    pub fn solve_many(&self, x: &mut [f64], columns: usize) {
        let size = self.fronts.size;
        assert_eq!(x.len(), size * columns, "right-hand sides of the matrix's size");
        self.solve_at(x, columns, |i, k| size * k + i);
    }

    /// Numbers stored in L.
    pub fn nonzeros(&self) -> usize {
        self.fronts.stored()
    }

    /// Solves for `columns` right-hand sides; number i of right-hand side k is `x[at(i, k)]`.
    fn solve_at(&self, x: &mut [f64], columns: usize, at: impl Fn(usize, usize) -> usize) {
        assert_eq!(self.panels.len(), self.fronts.stored(), "factorised before it solves");
        let order = || self.fronts.order.iter().map(|&i| i as usize);
        let padded = solve::padded(columns);
        let mut y = vec![0.0; self.fronts.order.len() * padded];
        for (i, row) in order().zip(y.chunks_exact_mut(padded)) {
            row[..columns].iter_mut().enumerate().for_each(|(k, y)| *y = x[at(i, k)]);
        }
        solve::solve(&self.fronts, &self.panels, &mut y, padded);
        x.fill(0.0);
        for (i, row) in order().zip(y.chunks_exact(padded)) {
            row[..columns].iter().enumerate().for_each(|(k, &y)| x[at(i, k)] = y);
        }
    }
}

impl Cholesky<1> {
    /// x ← (A ⊗ I₃)⁻¹ x for interleaved x, 3i + c: what a mass that treats x, y and z alike needs.
    pub fn solve_per_axis(&self, x: &mut [f64]) {
        assert_eq!(x.len(), 3 * self.fronts.size, "three entries a row");
        self.solve_at(x, 3, |i, k| 3 * i + k);
    }
}

/// Zeros, or `None` where there is no room for them.
fn reserve(length: usize) -> Option<Vec<f64>> {
    let mut room = Vec::new();
    room.try_reserve_exact(length).ok()?;
    room.resize(length, 0.0);
    Some(room)
}
