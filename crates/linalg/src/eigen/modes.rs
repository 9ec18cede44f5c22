//! Vibration modes: the oscillators that a linear system is made of.
//!
//! ```text
//! K φ = λ M φ,   ΦᵀMΦ = I,   u = Φ z:      z̈ᵢ + λᵢ zᵢ = φᵢᵀ f,   f = √λ / 2π             (T14 eq. 2.9, B12 eq. 3)
//! ```
//! One type for all: of a body at full order, of a reduced model, of any small system, and in files.

use std::f64::consts::TAU;

use crate::work::par;
use crate::{DenseSymmetric, Symmetric};

/// Vibration modes of a linear system, ascending: eigenvalues, shapes, and the mass in which the shapes are orthonormal.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// λ = ω² of each mode, rad²/s², ascending.
    pub eigenvalues: Vec<f64>,
    /// Φ, column by column: for each mode as many entries as the system has coordinates; φᵀMφ = 1, and 0 between two modes.
    pub shapes: Vec<f64>,
    /// M.
    pub mass: Mass,
}

/// Mass matrix of a linear system.
#[derive(Clone, Debug, PartialEq)]
pub enum Mass {
    /// Of a body's n vertices, kg: n×n, the same for x, y and z. The system has 3n coordinates, 3i + c.
    Vertices(Symmetric<1>),
    /// Of r coordinates of any kind: r×r.
    Coordinates(DenseSymmetric),
}

impl Mass {
    /// How many coordinates the system has.
    pub fn size(&self) -> usize {
        match self {
            Self::Vertices(mass) => 3 * mass.size(),
            Self::Coordinates(mass) => mass.size(),
        }
    }

    /// y = M x.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        match self {
            Self::Vertices(mass) => mass.apply_per_axis(x, y),
            Self::Coordinates(mass) => mass.apply(x, y),
        }
    }
}

impl Modes {
    /// All modes of a small system, of its stiffness and mass; eigenvalues that rounding alone keeps from zero are zero.
    /// `None` when the mass is not positive definite, or an entry is not finite.
    pub fn of(stiffness: &DenseSymmetric, mass: &DenseSymmetric) -> Option<Self> {
        let n = stiffness.size();
        let (mut eigenvalues, shapes) = stiffness.generalised_eigen(mass)?;
        let rounding = n as f64 * f64::EPSILON * eigenvalues.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        eigenvalues.iter_mut().filter(|x| x.abs() <= rounding).for_each(|x| *x = 0.0);
        Some(Self { eigenvalues, shapes, mass: Mass::Coordinates(mass.clone()) })
    }

    /// No modes, of a system without coordinates.
    pub fn none() -> Self {
        let mass = Mass::Coordinates(DenseSymmetric::zeros(0));
        Self { eigenvalues: Vec::new(), shapes: Vec::new(), mass }
    }

    /// How many modes there are.
    pub fn len(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.eigenvalues.is_empty()
    }

    /// How many coordinates the system has: the entries of each shape.
    pub fn size(&self) -> usize {
        self.mass.size()
    }

    /// The shape of mode `k`.
    pub fn shape(&self, k: usize) -> &[f64] {
        &self.shapes[k * self.size()..][..self.size()]
    }

    /// The shapes, one after the other.
    pub fn each_shape(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.shapes.chunks_exact(self.size().max(1))
    }

    /// √λ / 2π of each mode, Hz; 0 where λ is not positive.
    pub fn frequencies_hz(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|&x| hertz(x)).collect()
    }

    /// How much of each mode is in `u`: z = ΦᵀM u, so that Φ z is the part of `u` that these modes can show.
    pub fn coordinates(&self, u: &[f64]) -> Vec<f64> {
        let mut M_u = vec![0.0; self.size()];
        self.mass.apply(u, &mut M_u);
        self.each_shape().map(|shape| par::dot(shape, &M_u)).collect()
    }

    /// The first `count` of them, or all.
    pub fn first(&self, count: usize) -> Self {
        let count = count.min(self.len());
        Self {
            eigenvalues: self.eigenvalues[..count].to_vec(),
            shapes: self.shapes[..count * self.size()].to_vec(),
            mass: self.mass.clone(),
        }
    }

    /// Writes to `out` the modes of the same system with `stiffness` times its stiffness and `density` times its mass.
    /// `out` has as many modes and coordinates; nothing is allocated.
    pub fn rescale_into(&self, stiffness: f64, density: f64, out: &mut Self) {
        let (faster, shorter) = (stiffness / density, density.sqrt());
        out.eigenvalues.iter_mut().zip(&self.eigenvalues).for_each(|(x, own)| *x = faster * own);
        out.shapes.iter_mut().zip(&self.shapes).for_each(|(x, own)| *x = own / shorter);
        let (from, to) = match (&self.mass, &mut out.mass) {
            (Mass::Vertices(from), Mass::Vertices(to)) => (
                from.values().as_flattened().as_flattened(),
                to.values_mut().as_flattened_mut().as_flattened_mut(),
            ),
            (Mass::Coordinates(from), Mass::Coordinates(to)) => (from.values(), to.values_mut()),
            _ => unreachable!("modes of one system have one kind of mass"),
        };
        to.iter_mut().zip(from).for_each(|(x, own)| *x = density * own);
    }
}

/// √λ / 2π, Hz; 0 where λ, rad²/s², is not positive.
pub fn hertz(eigenvalue: f64) -> f64 {
    eigenvalue.max(0.0).sqrt() / TAU
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pattern;

    /// A system of seven coordinates, the last of which costs nothing.
    fn system() -> (DenseSymmetric, DenseSymmetric) {
        let noise = |i: usize, j: usize| ((i * 31 + j * 17) as f64).sin();
        let M = DenseSymmetric::from_upper(7, |i, j| if i == j { 9.0 } else { noise(i, j) });
        let K = DenseSymmetric::from_upper(7, |i, j| match (i, j) {
            (_, 6) => 0.0,
            _ if i == j => 500.0 * (1.0 + i as f64),
            _ => 30.0 * noise(j, i),
        });
        (K, M)
    }

    #[test]
    fn shapes_diagonalise_both_matrices() {
        let (K, M) = system();
        let n = K.size();
        let modes = Modes::of(&K, &M).expect("a positive mass");
        assert!(modes.eigenvalues.is_sorted() && modes.eigenvalues[0] == 0.0 && modes.eigenvalues[1] > 1.0);
        let (mut Kx, mut Mx) = (vec![0.0; n], vec![0.0; n]);
        for (k, x) in modes.each_shape().enumerate() {
            K.apply(x, &mut Kx);
            modes.mass.apply(x, &mut Mx);
            for (l, y) in modes.each_shape().enumerate() {
                let (m, s) = (par::dot(&Mx, y), par::dot(&Kx, y));
                let (wanted, lambda) = if k == l { (1.0, modes.eigenvalues[k]) } else { (0.0, 0.0) };
                assert!((m - wanted).abs() < 1e-13, "ΦᵀMΦ ({k}, {l}) is {m}");
                assert!((s - lambda).abs() < 1e-10, "ΦᵀKΦ ({k}, {l}) is {s}, not {lambda}");
            }
        }
        let nothing = DenseSymmetric::zeros(n);
        assert!(Modes::of(&K, &nothing).is_none());
    }

    #[test]
    fn coordinates_give_back_what_modes_are_made_of() {
        let (K, M) = system();
        let modes = Modes::of(&K, &M).expect("a positive mass").first(3);
        assert_eq!((modes.len(), modes.size(), modes.each_shape().len()), (3, 7, 3));
        let u: Vec<f64> = (0..7).map(|i| 2.0 * modes.shape(0)[i] - 0.5 * modes.shape(2)[i]).collect();
        for (found, wanted) in modes.coordinates(&u).iter().zip([2.0, 0.0, -0.5]) {
            assert!((found - wanted).abs() < 1e-13, "{found} instead of {wanted}");
        }
        assert!(Modes::none().is_empty() && Modes::none().each_shape().len() == 0);
    }

    #[test]
    fn rescaled_modes_are_those_of_the_rescaled_system() {
        let (K, M) = system();
        let own = Modes::of(&K, &M).expect("a positive mass");
        let mut found = own.clone();
        own.rescale_into(3.0, 4.0, &mut found);
        let times =
            |factor: f64, A: &DenseSymmetric| DenseSymmetric::from_upper(7, |i, j| factor * A.get(i, j));
        let wanted = Modes::of(&times(3.0, &K), &times(4.0, &M)).expect("a positive mass");
        for (found, wanted) in found.eigenvalues.iter().zip(&wanted.eigenvalues) {
            assert!((found - wanted).abs() <= 1e-12 * wanted, "{found} instead of {wanted}");
        }
        let length = |modes: &Modes| modes.coordinates(modes.shape(2))[2];
        assert!((length(&found) - 1.0).abs() < 1e-13 && (length(&wanted) - 1.0).abs() < 1e-13);
        assert!((hertz(4.0 * TAU * TAU) - 2.0).abs() < 1e-15 && hertz(-1.0) == 0.0);
        assert!(
            (own.frequencies_hz()[3] * (0.75_f64).sqrt() / found.frequencies_hz()[3] - 1.0).abs() < 1e-13
        );
    }

    #[test]
    fn a_mass_of_vertices_counts_for_each_axis() {
        let mut mass = Symmetric::<1>::zeros(Pattern::diagonal(2));
        mass.values_mut().copy_from_slice(&[[[4.0]], [[9.0]]]);
        let shapes = vec![0.0, 0.5, 0.0, 0.0, 0.0, 0.0];
        let modes = Modes { eigenvalues: vec![1.0], shapes, mass: Mass::Vertices(mass) };
        assert_eq!((modes.size(), modes.coordinates(&[7.0, 3.0, 5.0, 1.0, 1.0, 1.0])), (6, vec![6.0]));
    }
}
