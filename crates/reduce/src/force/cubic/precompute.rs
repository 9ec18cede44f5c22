//! The polynomial of a body: one product of a tall matrix with itself, piece by piece.
//!
//! The columns of A (`strain.rs`) are the r linear strains and the r(r+1)/2 quadratic ones, so that AᵀA holds S₂, the
//! products of linear and quadratic strains and those of quadratic ones; averages over the ways of pairing indices are
//! the symmetric tensors:
//!
//! ```text
//! S₂_ij = L_i·L_j,   S₃_ijk = ⅓ (L_i·N_jk + L_j·N_ik + L_k·N_ij),   S₄_ijkl = ⅓ (N_ij·N_kl + N_ik·N_jl + N_il·N_jk)
//! ```

use pliant_energy::Body;
use pliant_energy::material::Isotropic;
use pliant_linalg::quartic::layout::{count2, place2};
use pliant_linalg::syrk::Syrk;
use pliant_linalg::{Note, Progress, Term, Watch};
use pulp::Arch;
use rayon::prelude::*;

use super::Polynomial;
use super::strain::{Column, Piece, TETS};
use crate::error::{FORCES, RANK};
use crate::{Basis, ReduceError};

/// Which law.
const MATERIAL: Term = Term::new("material", "law");

/// The largest rank for which a polynomial is made: beyond it the products take more than half a gigabyte, and one
/// evaluation of the force more than a cubature of the same accuracy.
pub const MOST_RANK: usize = 128;

impl Polynomial {
    /// Of a body made of St. Venant-Kirchhoff's material throughout.
    ///
    /// # Errors
    /// [`ReduceError::Request`] for another body or a rank above [`MOST_RANK`], [`ReduceError::Cancelled`] when `watch`
    /// asks to stop.
    pub fn new(body: &Body, basis: &Basis, watch: &mut Watch<'_>) -> Result<Self, ReduceError> {
        assert_eq!(basis.size(), body.size(), "a basis of this body");
        let r = basis.rank();
        let laws = laws(body)?;
        check_rank(r)?;
        let (energy, solid) = (body.components(), body.components().solid().expect("laws() found a solid"));
        let columns = r + count2(r);
        let pairs: Vec<(usize, usize)> = (0..r).flat_map(|i| (i..r).map(move |j| (i, j))).collect();
        let mut piece = Piece::new(r);
        let mut matrix: Vec<Column> = vec![[[0.0; TETS]; 6]; columns];
        let mut products = Syrk::new(columns);
        let total = laws.len().div_ceil(TETS);
        let arch = Arch::new();
        for done in 0..total {
            Progress { stage: "polynomial", done, total }.tell(watch)?;
            let tets = done * TETS..((done + 1) * TETS).min(laws.len());
            piece.load(solid, basis, tets.map(|t| (t, energy.corners(t), laws[t])));
            let (linear, quadratic) = matrix.split_at_mut(r);
            linear.iter_mut().enumerate().for_each(|(i, column)| piece.linear(i, column));
            let of_pairs = quadratic.par_iter_mut().zip(&pairs).with_min_len(32);
            of_pairs.for_each(|(column, &(i, j))| piece.quadratic(arch, i, j, column));
            products.add(matrix.as_flattened().as_flattened());
        }
        Progress { stage: "polynomial", done: total, total }.tell(watch)?;
        Ok(symmetrised(r, &products))
    }
}

/// Whether a body can have cubic forces.
///
/// # Errors
/// [`ReduceError::Request`] that says what it is made of instead.
pub fn check(body: &Body) -> Result<(), ReduceError> {
    laws(body).map(drop)
}

/// Whether so many coordinates can have cubic forces.
///
/// # Errors
/// [`ReduceError::Request`] above [`MOST_RANK`].
pub fn check_rank(rank: usize) -> Result<(), ReduceError> {
    if rank <= MOST_RANK {
        return Ok(());
    }
    let sentence = format!(
        "cubic forces hold r⁴/24 numbers and are made for ranks up to {MOST_RANK}, got {rank}; ask for a smaller {RANK}, \
         or for cubature {FORCES}"
    );
    Err(ReduceError::Request(Note::new(sentence, &[RANK, FORCES])))
}

/// Floating-point operations of the one product that [`Polynomial::new`] cannot do without, for so many tets.
pub fn syrk_operations(rank: usize, tets: usize) -> f64 {
    Syrk::operations(rank + count2(rank), 6 * tets)
}

/// The constants of every tet, where all are of St. Venant-Kirchhoff's material.
fn laws(body: &Body) -> Result<Vec<Isotropic>, ReduceError> {
    let refuse = |found: String| {
        let sentence = format!(
            "cubic forces are exact polynomials of St. Venant-Kirchhoff's material alone, and {found}; take cubature \
             {FORCES}, which take every energy, or the {MATERIAL} stvk"
        );
        ReduceError::Request(Note::new(sentence, &[FORCES, MATERIAL]))
    };
    let energy = body.components();
    let Some(solid) = energy.solid() else {
        return Err(refuse("this body is a surface".into()));
    };
    let law = |t: usize| {
        let material = solid.material(t);
        material.as_stvk().ok_or_else(|| refuse(format!("tet {t} is made of {}", material.name())))
    };
    (0..energy.count()).map(law).collect()
}

/// The symmetric tensors of the products of strains.
fn symmetrised(r: usize, products: &Syrk) -> Polynomial {
    let [n2, n3, n4] = Polynomial::lengths(r);
    let (mut quadratic, mut cubic, mut quartic) =
        (Vec::with_capacity(n2), Vec::with_capacity(n3), Vec::with_capacity(n4));
    let pair = |i: usize, j: usize| r + place2(r, [i, j]);
    for i in 0..r {
        for j in i..r {
            quadratic.push(products.get(i, j));
            let ij = pair(i, j);
            for k in j..r {
                let (ik, jk) = (pair(i, k), pair(j, k));
                cubic.push((products.get(i, jk) + products.get(j, ik) + products.get(k, ij)) / 3.0);
                for l in k..r {
                    let sum = products.get(ij, pair(k, l))
                        + products.get(ik, pair(j, l))
                        + products.get(pair(i, l), jk);
                    quartic.push(sum / 3.0);
                }
            }
        }
    }
    Polynomial { rank: r, quadratic, cubic, quartic }
}
