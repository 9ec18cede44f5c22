//! Singular values of a 3×3 matrix with rotations on both sides, one at a time or in batches.
//! ```text
//! F = U diag(σ) Vᵀ,   det U = det V = +1,   σ₁ ≥ σ₂ ≥ |σ₃|,   sign σ₃ = sign det F                   (1)
//! ```
//! The largest direction is split off (`split.rs`); the 2×2 rest M is made symmetric by a rotation and then diagonal by
//! another, in closed form: its values are ½(r ± h), r the trace and h the distance of the two. Exact to a few rounding
//! errors of ‖F‖ for every finite matrix: singular, inverted, with repeated values, tiny or huge. Where values repeat, U
//! and V are one choice of many. For the rotation U Vᵀ alone [`rotation3`](super::rotation3) is quicker.

use pulp::{Arch, Scalar, Simd, WithSimd};

use super::lanes::{M3, V3, lane, lane_of_matrix, load, scale, shift, turn};
use super::split::{Split, direction, split};
use crate::small::{Mat3, Vec3};

/// F = U diag(σ) Vᵀ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd3 {
    /// Left singular vectors, one in each column; a rotation.
    pub u: Mat3,
    /// Singular values, in the unit of F: σ₁ ≥ σ₂ ≥ |σ₃|. The last is negative where det F is.
    pub sigma: Vec3,
    /// Right singular vectors, one in each column; a rotation.
    pub v: Mat3,
}

impl Svd3 {
    /// What [`svd3`] gives for the zero matrix: a place for [`svd3_batch`] to write to.
    pub fn zero() -> Self {
        Self { u: Mat3::identity(), sigma: Vec3::zeros(), v: Mat3::identity() }
    }

    /// U diag(σ) Vᵀ.
    pub fn product(&self) -> Mat3 {
        self.u * Mat3::from_diagonal(&self.sigma) * self.v.transpose()
    }
}

/// Singular values and vectors of F, as in (1). Every number is NaN where F has one that is not finite.
pub fn svd3(F: &Mat3) -> Svd3 {
    let (U, sigma, V) = kernel(load(Scalar, std::slice::from_ref(F)));
    gather(&U, &sigma, &V, 0)
}

/// [`svd3`] of each matrix, several at once where the processor can: the same bits, a fraction of the time.
///
/// # Panics
/// Where `out` is not as long as `F`.
pub fn svd3_batch(F: &[Mat3], out: &mut [Svd3]) {
    assert_eq!(F.len(), out.len(), "there are {} matrices and {} places for results", F.len(), out.len());
    Arch::new().dispatch(Batch { F, out });
}

struct Batch<'a> {
    F: &'a [Mat3],
    out: &'a mut [Svd3],
}

impl WithSimd for Batch<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (F, out) in self.F.chunks(S::F64_LANES).zip(self.out.chunks_mut(S::F64_LANES)) {
            let (U, sigma, V) = kernel(load(simd, F));
            for (l, out) in out.iter_mut().enumerate() {
                *out = gather(&U, &sigma, &V, l);
            }
        }
    }
}

#[inline(always)]
fn gather<S: Simd>(U: &M3<S>, sigma: &V3<S>, V: &M3<S>, l: usize) -> Svd3 {
    let sigma = Vec3::new(lane(&sigma[0], l), lane(&sigma[1], l), lane(&sigma[2], l));
    Svd3 { u: lane_of_matrix(U, l), sigma, v: lane_of_matrix(V, l) }
}

#[inline(always)]
fn kernel<S: Simd>(F: M3<S>) -> (M3<S>, V3<S>, M3<S>) {
    let mut split = split(F);
    let (r, [difference, across]) = split.symmetrise();
    // A symmetric 2×2 matrix: the eigenvector of its larger value has the direction (d + h, a) or (a, h − d), both
    // right; the one taken is the one in which nothing cancels.
    let (zero, half) = (r.constant(0.0), r.constant(0.5));
    let h = (difference * difference + across * across).sqrt();
    let away = h + difference.abs();
    let negative = difference.less(zero);
    let (_, cos, sin) = direction(negative.select(across, away), negative.select(away, across));

    let Split { power, poison, sigma1, mut U, mut V, .. } = split;
    (U[1], U[2]) = turn(cos, sin, U[1], U[2]);
    (V[1], V[2]) = turn(cos, sin, V[1], V[2]);
    // σ₁ and σ₂ come by different ways; where they are equal, rounding may not say so.
    let sigma2 = (half * (r + h)).or_less(sigma1);
    let sigma3 = (half * (r - h)).or_less(sigma2).or_greater(-sigma2);
    (
        [shift(poison, U[0]), shift(poison, U[1]), shift(poison, U[2])],
        shift(poison, scale(power, [sigma1, sigma2, sigma3])),
        [shift(poison, V[0]), shift(poison, V[1]), shift(poison, V[2])],
    )
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::samples::{any_matrix, composed};
    use super::*;

    /// Relative to ‖F‖.
    const EXACT: f64 = 1e-14;

    fn assert_svd(F: &Mat3) -> Svd3 {
        let svd = svd3(F);
        let error = (svd.product() - F).norm();
        assert!(error <= EXACT * F.norm(), "F = {F} is missed by {:.1e}", error / F.norm());
        for Q in [svd.u, svd.v] {
            let error = (Q.transpose() * Q - Mat3::identity()).norm();
            assert!(error <= EXACT && Q.determinant() > 0.0, "{Q} is no rotation, by {error:.1e}");
        }
        let s = svd.sigma;
        assert!(s[0] >= s[1] && s[1] >= s[2].abs(), "{s} is not in order");
        svd
    }

    fn bits(svd: &Svd3) -> Vec<u64> {
        svd.u.iter().chain(&svd.sigma).chain(&svd.v).map(|x| x.to_bits()).collect()
    }

    #[test]
    fn known_values() {
        let one = Mat3::identity();
        assert_eq!(svd3(&one), Svd3 { u: one, sigma: Vec3::new(1.0, 1.0, 1.0), v: one });
        assert_eq!(svd3(&Mat3::zeros()), Svd3::zero());
        assert_eq!(svd3(&-one).sigma, Vec3::new(1.0, 1.0, -1.0));
        let diagonal = |x, y, z| Mat3::from_diagonal(&Vec3::new(x, y, z));
        assert_eq!(svd3(&diagonal(0.25, -3.0, 2.0)).sigma, Vec3::new(3.0, 2.0, -0.25));
        assert_eq!(svd3(&diagonal(0.0, 0.0, 2.0)).sigma, Vec3::new(2.0, 0.0, 0.0));
        // A shear: golden ratio and its inverse.
        let mut shear = one;
        shear[(0, 1)] = 1.0;
        let golden = 0.5 * (1.0 + 5f64.sqrt());
        assert!((svd3(&shear).sigma - Vec3::new(golden, 1.0, 1.0 / golden)).norm() < 2e-15);
        // Rank one: 1, 2, 3 times 4, 5, 6.
        let rank_one = Vec3::new(1.0, 2.0, 3.0) * Vec3::new(4.0, 5.0, 6.0).transpose();
        let s = assert_svd(&rank_one).sigma;
        assert!((s[0] - (14.0f64 * 77.0).sqrt()).abs() < 1e-13 && s[1].abs() < 1e-13, "{s}");
    }

    #[test]
    fn no_number_is_too_large_or_too_small() {
        let F = Mat3::new(1.0, 0.5, -0.25, 0.125, -1.0, 0.75, 0.5, 0.5, 1.5);
        let (plain, least) = (assert_svd(&F), f64::MIN_POSITIVE * f64::EPSILON);
        for power in [-1000, -600, 600, 1000] {
            let scale = 2f64.powi(power);
            let svd = svd3(&(F * scale));
            assert_eq!(svd, Svd3 { sigma: plain.sigma * scale, ..plain }, "2^{power}");
        }
        // Subnormal: 64 of the smallest numbers there are.
        let svd = svd3(&(Mat3::identity() * (64.0 * least)));
        assert_eq!(svd.sigma, Vec3::new(64.0, 64.0, 64.0) * least);
        assert_eq!(svd3(&(Mat3::identity() * f64::MAX)).sigma, Vec3::new(f64::MAX, f64::MAX, f64::MAX));
    }

    #[test]
    fn what_is_not_finite_gives_nan_and_leaves_its_neighbours_alone() {
        for (place, bad) in (0..9).flat_map(|i| [(i, f64::NAN), (i, f64::INFINITY), (i, -f64::INFINITY)]) {
            let good = Mat3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0);
            let mut F = good;
            F[place] = bad;
            let mut out = [Svd3::zero(); 5];
            svd3_batch(&[good, good, F, good, F], &mut out);
            for svd in [svd3(&F), out[2], out[4]] {
                assert!(svd.u.iter().chain(&svd.sigma).chain(&svd.v).all(|x| x.is_nan()), "{bad} at {place}");
            }
            assert_eq!([out[0], out[1], out[3]], [svd3(&good); 3]);
        }
    }

    /// The bits of a thousand matrices, in one number. It must come out the same on every processor and system; a change
    /// of the method changes it, and the new number is to be written here.
    #[test]
    fn the_same_bits_on_every_machine() {
        let (mut seed, mut sum) = (1u64, 0u64);
        for _ in 0..1000 {
            let F = Mat3::from_fn(|_, _| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 11) as f64 / 2f64.powi(52) - 1.0
            });
            bits(&svd3(&F)).iter().for_each(|b| sum = sum.rotate_left(7).wrapping_add(*b));
        }
        assert_eq!(sum, 0x3f1a_04e1_c78f_a54a, "{sum:#x}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn the_factors_make_up_the_matrix(F in any_matrix()) {
            assert_svd(&F);
        }

        #[test]
        fn the_values_are_those_it_was_made_of((F, sigma) in composed()) {
            let error = (assert_svd(&F).sigma - sigma).norm();
            prop_assert!(error <= EXACT * sigma[0], "{sigma} is missed by {:.1e}", error / sigma[0]);
        }

        #[test]
        fn the_values_are_those_of_another_method(F in any_matrix()) {
            let scale = F.amax().max(f64::MIN_POSITIVE);
            let mut other = (F / scale).singular_values();
            other.as_mut_slice().sort_by(|a, b| b.total_cmp(a));
            // Squares, since that method goes through FᵀF: it misses small values by up to 1e-8 of the largest.
            let squares = |s: Vec3| s.component_mul(&s);
            let error = (squares(svd3(&F).sigma / scale) - squares(other)).norm();
            prop_assert!(error <= EXACT * other[0] * other[0], "{other} is missed by {error:.1e}");
        }

        #[test]
        fn a_batch_gives_the_bits_of_each_alone(F in vec(any_matrix(), 0..14)) {
            let mut out = vec![Svd3::zero(); F.len()];
            svd3_batch(&F, &mut out);
            for (F, svd) in F.iter().zip(&out) {
                prop_assert_eq!(bits(svd), bits(&svd3(F)));
            }
        }
    }
}
