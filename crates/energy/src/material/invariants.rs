//! Isotropic laws in the invariants of F, which need neither singular values nor rotations.
//!
//! ```text
//! I₁ = F:F,      I₂ = ½(I₁² − FᵀF:FᵀF),          J = det F
//! ∂I₁ = 2F,      ∂I₂ = 2(I₁F − FFᵀF),            ∂J = cof F
//! P = Σ_k ψ_k ∂I_k,      ∂P/∂F = Σ_k ψ_k ∂²I_k + Σ_kl ψ_kl ∂I_k ⊗ ∂I_l
//! ```
//! A law gives its derivatives by the invariants; ψ₁₂ and ψ₂₂ vanish for all of ours and have no place here.

use pliant_linalg::Mat3;

use super::Stiffness9;

/// Derivatives of ψ by I₁, I₂ and J, Pa. What a law does not depend on stays zero.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Derivatives {
    pub(crate) one: f64,
    pub(crate) two: f64,
    pub(crate) volume: f64,
    pub(crate) one_one: f64,
    pub(crate) one_volume: f64,
    pub(crate) two_volume: f64,
    pub(crate) volume_volume: f64,
}

/// cof F = ∂(det F)/∂F: its columns are the cross products of F's.
pub(crate) fn cofactor(F: &Mat3) -> Mat3 {
    let (a, b, c) = (F.column(0), F.column(1), F.column(2));
    Mat3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)])
}

/// ∂I₂/∂F = 2(I₁F − FFᵀF).
pub(crate) fn second_gradient(F: &Mat3) -> Mat3 {
    (F * F.norm_squared() - F * (F.transpose() * F)) * 2.0
}

/// ∂P/∂F of a law with these derivatives.
pub(crate) fn stiffness(F: &Mat3, psi: &Derivatives) -> Stiffness9 {
    let f = by_rows(F);
    let cofactor = by_rows(&cofactor(F));
    let mut C = [[0.0; 9]; 9];
    // All terms with ∂J in them are p ⊗ ∂J + ∂J ⊗ p.
    let mut p = [0.0; 9];
    for k in 0..9 {
        p[k] = 2.0 * psi.one_volume * f[k] + 0.5 * psi.volume_volume * cofactor[k];
    }
    if psi.two_volume != 0.0 {
        let second = by_rows(&second_gradient(F));
        (0..9).for_each(|k| p[k] += psi.two_volume * second[k]);
    }
    let one_one = 4.0 * psi.one_one;
    for i in 0..9 {
        for j in 0..9 {
            C[i][j] = (p[i] * cofactor[j] + cofactor[i] * p[j]) + one_one * f[i] * f[j];
        }
        C[i][i] += 2.0 * psi.one;
    }
    add_volume(&mut C, &f, psi.volume);
    if psi.two != 0.0 {
        add_second(&mut C, F, psi.two);
    }
    C
}

/// (∂P/∂F):δF of a law with these derivatives, without ∂P/∂F.
pub(crate) fn stress_along(F: &Mat3, psi: &Derivatives, dF: &Mat3) -> Mat3 {
    let cofactor = cofactor(F);
    let (f, j) = (F.dot(dF), cofactor.dot(dF));
    let mut along_F = 4.0 * psi.one_one * f + 2.0 * psi.one_volume * j;
    let mut along_cofactor = 2.0 * psi.one_volume * f + psi.volume_volume * j;
    let mut along_dF = 2.0 * psi.one;
    let mut rest = cofactor_along(F, dF) * psi.volume;
    if psi.two != 0.0 || psi.two_volume != 0.0 {
        let (right, one) = (F.transpose() * F, F.norm_squared());
        let second = second_gradient(F);
        along_cofactor += psi.two_volume * second.dot(dF);
        along_F += 4.0 * psi.two * f;
        along_dF += 2.0 * psi.two * one;
        let change = dF.transpose() * F;
        rest -= (dF * right + F * (change + change.transpose())) * (2.0 * psi.two);
        rest += second * (psi.two_volume * j);
    }
    F * along_F + cofactor * along_cofactor + dF * along_dF + rest
}

/// [`stress_along`] of several gradients H = F − 1.
pub(crate) fn stresses_along(H: &[Mat3], dH: &[Mat3], out: &mut [Mat3], psi: impl Fn(&Mat3) -> Derivatives) {
    for ((H, dH), out) in H.iter().zip(dH).zip(out) {
        let F = Mat3::identity() + H;
        *out = stress_along(&F, &psi(&F), dH);
    }
}

/// What dF makes of cof F.
fn cofactor_along(F: &Mat3, dF: &Mat3) -> Mat3 {
    let (a, b, c) = (F.column(0), F.column(1), F.column(2));
    let (da, db, dc) = (dF.column(0), dF.column(1), dF.column(2));
    Mat3::from_columns(&[
        db.cross(&c) + b.cross(&dc),
        dc.cross(&a) + c.cross(&da),
        da.cross(&b) + a.cross(&db),
    ])
}

/// C ← C + factor ∂²J/∂F²: ∂(cof F)_rc/∂F_sd = ε_rst ε_cde F_te.
fn add_volume(C: &mut Stiffness9, f: &[f64; 9], factor: f64) {
    for r in 0..3 {
        let (s, t) = ((r + 1) % 3, (r + 2) % 3);
        for c in 0..3 {
            let (d, e) = ((c + 1) % 3, (c + 2) % 3);
            let (row, te, td) = (3 * r + c, factor * f[3 * t + e], factor * f[3 * t + d]);
            C[row][3 * s + d] += te;
            C[row][3 * s + e] -= td;
            // The same pairs seen from the other side.
            C[3 * s + d][row] += te;
            C[3 * s + e][row] -= td;
        }
    }
}

/// C ← C + factor ∂²I₂/∂F².
fn add_second(C: &mut Stiffness9, F: &Mat3, factor: f64) {
    let (right, left, one) = (F.transpose() * F, F * F.transpose(), F.norm_squared());
    let twice = 2.0 * factor;
    for r in 0..3 {
        for c in 0..3 {
            for s in 0..3 {
                for d in 0..3 {
                    let mut x = 2.0 * F[(r, c)] * F[(s, d)] - F[(r, d)] * F[(s, c)];
                    if r == s {
                        x -= right[(c, d)];
                    }
                    if c == d {
                        x -= left[(r, s)];
                    }
                    if r == s && c == d {
                        x += one;
                    }
                    C[3 * r + c][3 * s + d] += twice * x;
                }
            }
        }
    }
}

/// A matrix as nine numbers, row after row.
pub(crate) fn by_rows(F: &Mat3) -> [f64; 9] {
    std::array::from_fn(|k| F[(k / 3, k % 3)])
}
