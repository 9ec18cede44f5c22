//! The oscillators that a linear system is made of.
//!
//! ```text
//! K φ = λ M φ,   ΦᵀMΦ = I,   q = Φ z:      z̈ᵢ + (α + β λᵢ) żᵢ + λᵢ zᵢ = φᵢᵀ f_ext                      (B12 eq. 3)
//! ```

use pliant_linalg::DenseSymmetric;

/// Eigenvalues and shapes of a small linear system.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// λ, ascending, 1/s²; those that rounding alone keeps from zero are zero.
    pub eigenvalues: Vec<f64>,
    /// Φ, column by column, mass-orthonormal.
    pub shapes: Vec<f64>,
}

impl Modes {
    /// Of a stiffness and a mass. `None` when the mass is not positive definite or a number is not finite.
    pub fn of(stiffness: &DenseSymmetric, mass: &DenseSymmetric) -> Option<Self> {
        let n = stiffness.size();
        let (mut eigenvalues, shapes) = stiffness.generalised_eigen(mass)?;
        let rounding = n as f64 * f64::EPSILON * eigenvalues.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        eigenvalues.iter_mut().filter(|x| x.abs() <= rounding).for_each(|x| *x = 0.0);
        Some(Self { eigenvalues, shapes })
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.eigenvalues.is_empty()
    }

    /// out = Φ z.
    pub(crate) fn expand(&self, z: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (z, shape) in z.iter().zip(self.shapes.chunks_exact(self.len())) {
            crate::vector::axpy(*z, shape, out);
        }
    }

    /// out = Φᵀ x.
    pub(crate) fn project(&self, x: &[f64], out: &mut [f64]) {
        for (out, shape) in out.iter_mut().zip(self.shapes.chunks_exact(self.len())) {
            *out = crate::vector::dot(shape, x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_diagonalise_both_matrices() {
        let n = 7;
        let noise = |i: usize, j: usize| ((i * 31 + j * 17) as f64).sin();
        let M = DenseSymmetric::from_upper(n, |i, j| if i == j { 9.0 } else { noise(i, j) });
        // Of rank 6: the last number costs nothing.
        let K = DenseSymmetric::from_upper(n, |i, j| match (i, j) {
            (_, 6) => 0.0,
            _ if i == j => 500.0 * (1.0 + i as f64),
            _ => 30.0 * noise(j, i),
        });
        let modes = Modes::of(&K, &M).expect("a positive mass");
        assert!(modes.eigenvalues.is_sorted() && modes.eigenvalues[0] == 0.0 && modes.eigenvalues[1] > 1.0);
        let (mut Kx, mut Mx) = (vec![0.0; n], vec![0.0; n]);
        for (k, x) in modes.shapes.chunks_exact(n).enumerate() {
            K.apply(x, &mut Kx);
            M.apply(x, &mut Mx);
            for (l, y) in modes.shapes.chunks_exact(n).enumerate() {
                let (m, s) = (crate::vector::dot(&Mx, y), crate::vector::dot(&Kx, y));
                let (wanted, lambda) = if k == l { (1.0, modes.eigenvalues[k]) } else { (0.0, 0.0) };
                assert!((m - wanted).abs() < 1e-13, "ΦᵀMΦ ({k}, {l}) is {m}");
                assert!((s - lambda).abs() < 1e-10, "ΦᵀKΦ ({k}, {l}) is {s}, not {lambda}");
            }
        }
        let nothing = DenseSymmetric::zeros(n);
        assert!(Modes::of(&K, &nothing).is_none());
    }
}
