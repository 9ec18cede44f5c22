//! A = L D Lᵀ for matrices that may be indefinite.
//!
//! D has blocks of one and two; pivots are chosen within a supernode (Bunch and Kaufman), never across, so that the
//! pattern of L stays what was counted. A matrix that needs more than that meets a pivot near zero and is refused.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, IntranodeLbltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use super::{FactorError, order::Ordered};
use crate::{Dofs, Pattern, Symmetric};

/// How many eigenvalues of the free part are above and below zero (Sylvester).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inertia {
    /// Eigenvalues above zero.
    pub positive: usize,
    /// Eigenvalues below zero.
    pub negative: usize,
}

/// A sparse LDLᵀ factor of the free part of a matrix.
#[derive(Debug)]
pub struct Ldlt<const B: usize> {
    ordered: Ordered,
    pattern: Arc<Pattern>,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    factor: Vec<f64>,
    /// Below the diagonal of D.
    off: Vec<f64>,
    forth: Vec<usize>,
    back: Vec<usize>,
    inertia: Inertia,
}

impl<const B: usize> Ldlt<B> {
    /// Orders and counts, once for a pattern and its held degrees of freedom; `dofs.size()` is B times `pattern.size()`.
    ///
    /// # Errors
    /// `NothingFree`, `TooLarge`, `Ordering`.
    pub fn analyse(pattern: &Arc<Pattern>, dofs: &Dofs) -> Result<Self, FactorError> {
        let ordered = Ordered::new::<B>(pattern, dofs)?;
        let symbolic = analyse(&ordered).ok_or(FactorError::TooLarge { vertices: pattern.size() })?;
        let n = ordered.order.len();
        Ok(Self {
            ordered,
            pattern: pattern.clone(),
            symbolic,
            values: Vec::new(),
            factor: Vec::new(),
            off: vec![0.0; n],
            forth: vec![0; n],
            back: vec![0; n],
            inertia: Inertia { positive: 0, negative: 0 },
        })
    }

    /// Factorises a matrix on the analysed pattern; no new symbolic step. After an error there is no factor.
    ///
    /// # Errors
    /// `Singular` names the degree of freedom where a pivot vanished.
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
        let par = parallel();
        let params = Default::default();
        let mut memory =
            MemBuffer::new(self.symbolic.factorize_numeric_intranode_lblt_scratch::<f64>(par, params));
        self.factor.resize(self.symbolic.len_val(), 0.0);
        self.symbolic.factorize_numeric_intranode_lblt(
            &mut self.factor,
            &mut self.off,
            &mut self.forth,
            &mut self.back,
            SparseColMatRef::new(structure, &self.values),
            Side::Lower,
            par,
            MemStack::new(&mut memory),
            params,
        );
        self.inertia = self.read_inertia().inspect_err(|_| self.factor.clear())?;
        Ok(())
    }

    /// x ← A⁻¹ x for one right-hand side of B n numbers; held entries are not read and come out 0.
    pub fn solve(&self, x: &mut [f64]) {
        self.solve_many(x, 1);
    }

    /// X ← A⁻¹ X for `columns` right-hand sides, one after the other in `x`; much cheaper than one by one.
    pub fn solve_many(&self, x: &mut [f64], columns: usize) {
        let size = self.ordered.size;
        assert_eq!(x.len(), size * columns, "right-hand sides of the matrix's size");
        assert_eq!(self.factor.len(), self.symbolic.len_val(), "factorised before it solves");
        let order = &self.ordered.order;
        let n = order.len();
        let mut y: Vec<f64> = (0..columns)
            .flat_map(|k| order.iter().map(move |&i| size * k + i as usize))
            .map(|at| x[at])
            .collect();
        let mut memory = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq));
        let permutation = PermRef::new_checked(&self.forth, &self.back, n);
        IntranodeLbltRef::new(&self.symbolic, &self.factor, &self.off, permutation).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut y, n, columns),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        x.fill(0.0);
        for k in 0..columns {
            order.iter().zip(&y[k * n..]).for_each(|(&i, &y)| x[size * k + i as usize] = y);
        }
    }

    /// Numbers stored in L.
    pub fn nonzeros(&self) -> usize {
        self.symbolic.len_val()
    }

    /// The signs of the eigenvalues of what was factorised.
    pub fn inertia(&self) -> Inertia {
        assert_eq!(self.factor.len(), self.symbolic.len_val(), "factorised before it is asked");
        self.inertia
    }

    /// Signs of D's blocks; an error where one is singular, measured against the largest number of its row of A.
    fn read_inertia(&self) -> Result<Inertia, FactorError> {
        let scale = self.row_scale();
        let diagonal = self.diagonal();
        let mut inertia = Inertia { positive: 0, negative: 0 };
        let mut i = 0;
        while i < diagonal.len() {
            let row = self.forth[i];
            let dof = self.ordered.order[row] as usize;
            let singular = |pivot: f64| FactorError::Singular { dof, block: B, pivot };
            let floor = 16.0 * f64::EPSILON * scale[row];
            if self.off[i] == 0.0 {
                let d = diagonal[i];
                // Written so that NaN is refused as well.
                if !(d.abs() > floor && d.is_finite()) {
                    return Err(singular(d));
                }
                if d > 0.0 {
                    inertia.positive += 1
                } else {
                    inertia.negative += 1
                }
                i += 1;
            } else {
                // Two numbers, of which Bunch and Kaufman make sure that the determinant is negative.
                let (a, b, c) = (diagonal[i], self.off[i], diagonal[i + 1]);
                let determinant = a * c - b * b;
                let size = a.abs().max(b.abs()).max(c.abs());
                let smaller = determinant.abs() / size;
                if !(smaller > floor && determinant.is_finite()) {
                    return Err(singular(smaller));
                }
                let both = if determinant < 0.0 {
                    (1, 1)
                } else if a > 0.0 {
                    (2, 0)
                } else {
                    (0, 2)
                };
                inertia.positive += both.0;
                inertia.negative += both.1;
                i += 2;
            }
        }
        Ok(inertia)
    }

    /// The largest number of each row of the ordered matrix.
    fn row_scale(&self) -> Vec<f64> {
        let mut scale = vec![0.0_f64; self.ordered.order.len()];
        for j in 0..scale.len() {
            for k in self.ordered.starts[j]..self.ordered.starts[j + 1] {
                let (i, a) = (self.ordered.rows[k], self.values[k].abs());
                scale[i] = scale[i].max(a);
                scale[j] = scale[j].max(a);
            }
        }
        scale
    }

    /// The diagonal of D.
    fn diagonal(&self) -> Vec<f64> {
        let SymbolicCholeskyRaw::Supernodal(symbolic) = self.symbolic.raw() else {
            unreachable!("the analysis asks for supernodes");
        };
        let (begin, end, values) =
            (symbolic.supernode_begin(), symbolic.supernode_end(), symbolic.col_ptr_for_val());
        let mut diagonal = Vec::with_capacity(self.ordered.order.len());
        for s in 0..symbolic.n_supernodes() {
            let columns = end[s] - begin[s];
            let rows = (values[s + 1] - values[s]) / columns;
            diagonal.extend((0..columns).map(|c| self.factor[values[s] + c * rows + c]));
        }
        diagonal
    }
}

fn analyse(ordered: &Ordered) -> Option<SymbolicCholesky<usize>> {
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

fn parallel() -> Par {
    match rayon::current_num_threads() {
        1 => Par::Seq,
        threads => Par::rayon(threads),
    }
}
