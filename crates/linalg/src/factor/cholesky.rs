//! A = L Lᵀ for positive definite matrices.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use super::{FactorError, order::Ordered};
use crate::{Dofs, Pattern, Symmetric};

/// A sparse Cholesky factor of the free part of a matrix.
#[derive(Debug)]
pub struct Cholesky<const B: usize> {
    ordered: Ordered,
    pattern: Arc<Pattern>,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    factor: Vec<f64>,
}

impl<const B: usize> Cholesky<B> {
    /// Orders and counts, once for a pattern and its held numbers; `dofs.size()` is B times `pattern.size()`.
    ///
    /// # Errors
    /// `NothingFree`, `TooLarge`, `Ordering`.
    pub fn analyse(pattern: &Arc<Pattern>, dofs: &Dofs) -> Result<Self, FactorError> {
        let ordered = Ordered::new::<B>(pattern, dofs)?;
        let symbolic = analyse(&ordered).ok_or(FactorError::TooLarge { vertices: pattern.size() })?;
        Ok(Self { ordered, pattern: pattern.clone(), symbolic, values: Vec::new(), factor: Vec::new() })
    }

    /// Factorises a matrix on the analysed pattern; no new symbolic step. After an error there is no factor.
    ///
    /// # Errors
    /// `NotPositive` names the number where it failed.
    pub fn factorise(&mut self, matrix: &Symmetric<B>) -> Result<(), FactorError> {
        assert!(self.pattern.same(matrix.pattern()), "a matrix on the analysed pattern");
        self.ordered.gather(matrix, &mut self.values);
        let n = self.ordered.order.len();
        let structure = SymbolicSparseColMatRef::new_unsorted_checked(
            n,
            n,
            &self.ordered.starts,
            None,
            &self.ordered.rows,
        );
        let matrix = SparseColMatRef::new(structure, &self.values);
        let par = parallel();
        let params = Default::default();
        let mut memory = MemBuffer::new(self.symbolic.factorize_numeric_llt_scratch::<f64>(par, params));
        self.factor.resize(self.symbolic.len_val(), 0.0);
        let outcome = self.symbolic.factorize_numeric_llt(
            &mut self.factor,
            matrix,
            Side::Lower,
            Default::default(),
            par,
            MemStack::new(&mut memory),
            params,
        );
        let failed = outcome.err().map(|LltError::NonPositivePivot { index }| index);
        if let Some(index) = failed {
            self.factor.clear();
            let dof = self.ordered.order[index] as usize;
            return Err(FactorError::NotPositive { dof, pivot: f64::NAN });
        }
        Ok(())
    }

    /// x ← A⁻¹ x for one right-hand side of B n numbers; held entries are not read and come out 0.
    pub fn solve(&self, x: &mut [f64]) {
        self.solve_many(x, 1);
    }

    /// X ← A⁻¹ X for `columns` right-hand sides, one after the other in `x`; much cheaper than one by one.
    pub fn solve_many(&self, x: &mut [f64], columns: usize) {
        assert_eq!(x.len(), self.ordered.size * columns, "right-hand sides of the matrix's size");
        self.solve_at(x, columns, |i, k| self.ordered.size * k + i);
    }

    /// Numbers stored in L.
    pub fn nonzeros(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Solves for `columns` right-hand sides; number i of right-hand side k is `x[at(i, k)]`.
    fn solve_at(&self, x: &mut [f64], columns: usize, at: impl Fn(usize, usize) -> usize) {
        assert_eq!(self.factor.len(), self.symbolic.len_val(), "factorised before it solves");
        let n = self.ordered.order.len();
        let order = &self.ordered.order;
        let mut y: Vec<f64> = (0..columns)
            .flat_map(|k| order.iter().map(move |&i| (i as usize, k)))
            .map(|(i, k)| x[at(i, k)])
            .collect();
        let mut memory = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq));
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut y, n, columns),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        x.fill(0.0);
        for k in 0..columns {
            order.iter().zip(&y[k * n..]).for_each(|(&i, &y)| x[at(i as usize, k)] = y);
        }
    }
}

impl Cholesky<1> {
    /// x ← (A ⊗ I₃)⁻¹ x for interleaved x, 3i + c: what a mass that treats x, y and z alike needs.
    pub fn solve_alike(&self, x: &mut [f64]) {
        assert_eq!(x.len(), 3 * self.ordered.size, "three numbers a row");
        self.solve_at(x, 3, |i, k| 3 * i + k);
    }
}

pub(super) fn analyse(ordered: &Ordered) -> Option<SymbolicCholesky<usize>> {
    let n = ordered.order.len();
    // With the identity as order, faer's symbolic step reads the upper triangle whatever `side` says, its numeric step
    // the lower.
    let mut starts = vec![0; n + 1];
    ordered.rows.iter().for_each(|&i| starts[i + 1] += 1);
    (0..n).for_each(|i| starts[i + 1] += starts[i]);
    let (mut next, mut upper) = (starts.clone(), vec![0; ordered.rows.len()]);
    for j in 0..n {
        for &i in &ordered.rows[ordered.starts[j]..ordered.starts[j + 1]] {
            upper[next[i]] = j;
            next[i] += 1;
        }
    }
    let structure = SymbolicSparseColMatRef::new_unsorted_checked(n, n, &starts, None, &upper);
    let params = CholeskySymbolicParams {
        supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
        ..Default::default()
    };
    factorize_symbolic_cholesky(structure, Side::Upper, SymmetricOrdering::Identity, params).ok()
}

pub(super) fn parallel() -> Par {
    match rayon::current_num_threads() {
        1 => Par::Seq,
        threads => Par::rayon(threads),
    }
}
