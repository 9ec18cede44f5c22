//! What all three terms of a shell are: a number g of the shape that wants to keep its rest value.
//!
//! ```text
//! W = w/2 (g − g₀)²
//! ∂W = w (g − g₀) ∂g,      ∂²W = w (∂g ∂gᵀ + (g − g₀) ∂²g)
//! ∂³W(0)[a, b, ·] = w ((∂g·a) ∂²g b + (∂g·b) ∂²g a + (aᵀ∂²g b) ∂g)
//! ```
//! g sees only how corners 1 … N lie from corner 0, d_k = x_k − x₀, so that the forces of a term add up to nothing.

use pliant_linalg::{LocalMatrix, LocalVector, Mat3, Vec3, small};

/// The sine of the smallest angle between two sides that still span a triangle; below it derivatives of angles and
/// areas are lost in rounding.
pub(super) const THIN: f64 = 1e-12;

/// A number of the shape of N + 1 corners, with its derivatives by d.
///
/// All are `None` where g has no derivative: an edge without length, a triangle without area, numbers that are not
/// finite.
pub(super) trait Measure<const N: usize> {
    /// What [`Measure::change`] needs of the rest shape.
    type Rest: Copy;

    fn value(d: &[Vec3; N]) -> Option<f64>;

    fn slope(d: &[Vec3; N]) -> Option<(f64, [Vec3; N])>;

    fn jet(d: &[Vec3; N]) -> Option<Jet<N>>;

    /// ∂g, and ∂²g x for a change x of d, without ∂²g.
    fn slope_along(d: &[Vec3; N], x: &[Vec3; N]) -> Option<[[Vec3; N]; 2]>;

    fn rest(d: &[Vec3; N]) -> Option<Self::Rest>;

    /// g − g₀ of d, which is away from the rest shape by `by`: of the difference itself, since a small one has lost its digits in
    /// g. Asked only where g has a value.
    fn change(rest: &Self::Rest, d: &[Vec3; N], by: &[Vec3; N]) -> f64;
}

/// ∂g and ∂²g; block \[j\]\[k\] of the Hessian is ∂²g/∂d_j∂d_k.
pub(super) struct Jet<const N: usize> {
    pub(super) gradient: [Vec3; N],
    pub(super) hessian: [[Mat3; N]; N],
}

/// One term of the energy: w (J over the square of g's unit), the rest shape d, the rest value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term<G: Measure<N>, const N: usize> {
    weight: f64,
    shape: [Vec3; N],
    rest: G::Rest,
}

impl<G: Measure<N>, const N: usize> Term<G, N> {
    /// `None` when the rest shape has no derivative or the weight is not finite.
    pub(super) fn new(weight: f64, shape: [Vec3; N]) -> Option<Self> {
        G::jet(&shape)?;
        let rest = G::rest(&shape)?;
        weight.is_finite().then_some(Self { weight, shape, rest })
    }

    /// g₀.
    pub(super) fn rest_value(&self) -> f64 {
        G::value(&self.shape).expect("the rest shape was tried when the term was made")
    }

    /// d at rest.
    pub(super) fn shape(&self) -> &[Vec3; N] {
        &self.shape
    }

    /// w.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// d, and how far it is from the rest shape.
    pub(super) fn deformed(&self, u: &LocalVector) -> ([Vec3; N], [Vec3; N]) {
        let by: [Vec3; N] = relative(u);
        (std::array::from_fn(|k| self.shape[k] + by[k]), by)
    }

    pub(super) fn energy(&self, u: &LocalVector) -> Option<f64> {
        let (d, by) = self.deformed(u);
        G::value(&d)?;
        Some(0.5 * self.weight * G::change(&self.rest, &d, &by).powi(2))
    }

    /// Both at once: g is looked at once. The same bits.
    pub(super) fn energy_and_gradient(&self, u: &LocalVector) -> Option<(f64, LocalVector)> {
        let (energy, by_d) = self.energy_and_gradient_by_d(u)?;
        Some((energy, spread(&by_d)))
    }

    /// The same by d.
    pub(super) fn energy_and_gradient_by_d(&self, u: &LocalVector) -> Option<(f64, [Vec3; N])> {
        let (d, by) = self.deformed(u);
        let (_, slope) = G::slope(&d)?;
        let change = G::change(&self.rest, &d, &by);
        let factor = self.weight * change;
        Some((0.5 * self.weight * change.powi(2), slope.map(|g| g * factor)))
    }

    pub(super) fn gradient(&self, u: &LocalVector) -> Option<LocalVector> {
        self.gradient_by_d(u).map(|by_d| spread(&by_d))
    }

    /// ∂W by d.
    pub(super) fn gradient_by_d(&self, u: &LocalVector) -> Option<[Vec3; N]> {
        let (d, by) = self.deformed(u);
        let (_, slope) = G::slope(&d)?;
        let factor = self.weight * G::change(&self.rest, &d, &by);
        Some(slope.map(|g| g * factor))
    }

    /// ∂W, and ∂²W x for a direction x, both by d.
    pub(super) fn gradient_along(&self, u: &LocalVector, x: &LocalVector) -> Option<[[Vec3; N]; 2]> {
        let (d, by) = self.deformed(u);
        let x = relative(x);
        let [slope, turn] = G::slope_along(&d, &x)?;
        let (change, along) =
            (G::change(&self.rest, &d, &by), (0..N).map(|k| slope[k].dot(&x[k])).sum::<f64>());
        let product = |k: usize| (slope[k] * along + turn[k] * change) * self.weight;
        Some([slope.map(|g| g * (self.weight * change)), std::array::from_fn(product)])
    }

    /// ∂²W, exact, or with its negative eigenvalues set to zero.
    pub(super) fn hessian(&self, u: &LocalVector, positive: bool, out: &mut LocalMatrix) -> Option<()> {
        // A length curves only across itself, and upwards: its two parts share no eigenvector.
        let least = if positive && N == 1 { 0.0 } else { f64::NEG_INFINITY };
        let (mut hessian, curved) = self.hessian_by_d(u, least)?;
        store_hessian(&mut hessian, positive && N > 1 && curved, out);
        Some(())
    }

    /// ∂²W by d, exact, and whether ∂²g has a part in it.
    pub(super) fn exact_hessian(&self, u: &LocalVector) -> Option<([[Mat3; N]; N], bool)> {
        self.hessian_by_d(u, f64::NEG_INFINITY)
    }

    /// ∂²W by d with g − g₀ not below `least`.
    fn hessian_by_d(&self, u: &LocalVector, least: f64) -> Option<([[Mat3; N]; N], bool)> {
        let (d, by) = self.deformed(u);
        let jet = G::jet(&d)?;
        let change = G::change(&self.rest, &d, &by).max(least);
        let hessian = std::array::from_fn(|j| {
            std::array::from_fn(|k| {
                (jet.gradient[j] * jet.gradient[k].transpose() + jet.hessian[j][k] * change) * self.weight
            })
        });
        Some((hessian, change != 0.0))
    }

    /// (a, b) ↦ ∂³W(0)[a, b, ·]; the derivatives of the measure at rest are taken once.
    pub(super) fn third_at_rest(&self) -> impl Fn(&LocalVector, &LocalVector) -> LocalVector {
        let jet = G::jet(&self.shape).expect("the rest shape was tried when the term was made");
        let weight = self.weight;
        move |a, b| {
            let (a, b): ([Vec3; N], [Vec3; N]) = (relative(a), relative(b));
            let times = |v: &[Vec3; N]| -> [Vec3; N] {
                std::array::from_fn(|j| (0..N).map(|k| jet.hessian[j][k] * v[k]).sum())
            };
            let dot = |x: &[Vec3; N], y: &[Vec3; N]| -> f64 { (0..N).map(|k| x[k].dot(&y[k])).sum() };
            let (ha, hb) = (times(&a), times(&b));
            let (ga, gb, ahb) = (dot(&jet.gradient, &a), dot(&jet.gradient, &b), dot(&a, &hb));
            spread(&std::array::from_fn::<_, N, _>(|k| {
                (hb[k] * ga + ha[k] * gb + jet.gradient[k] * ahb) * weight
            }))
        }
    }
}

/// How corners 1 … N move against corner 0.
pub(super) fn relative<const N: usize>(u: &LocalVector) -> [Vec3; N] {
    std::array::from_fn(|k| corner(u, k + 1) - corner(u, 0))
}

fn corner(u: &LocalVector, a: usize) -> Vec3 {
    Vec3::new(u[3 * a], u[3 * a + 1], u[3 * a + 2])
}

/// From derivatives by d to derivatives by the corners: corner 0 gets minus the sum.
pub(super) fn spread<const N: usize>(by_d: &[Vec3; N]) -> LocalVector {
    let mut out = [0.0; 12];
    for (k, g) in by_d.iter().enumerate() {
        for c in 0..3 {
            out[3 * (k + 1) + c] = g[c];
            out[c] -= g[c];
        }
    }
    out
}

/// A matrix by d as one by the corners, with its negative eigenvalues set to zero where that is asked for.
pub(super) fn store_hessian<const N: usize>(
    by_d: &mut [[Mat3; N]; N],
    positive: bool,
    out: &mut LocalMatrix,
) {
    if positive {
        make_positive(by_d);
    }
    spread_matrix(by_d, out);
}

/// The same for a matrix; symmetric to the last bit.
fn spread_matrix<const N: usize>(by_d: &[[Mat3; N]; N], out: &mut LocalMatrix) {
    *out = [[0.0; 12]; 12];
    let mut put = |a: usize, b: usize, block: &Mat3| {
        (0..3).for_each(|r| (0..3).for_each(|c| out[3 * a + r][3 * b + c] = block[(r, c)]));
    };
    let symmetric = |m: Mat3| (m + m.transpose()) * 0.5;
    let mut whole = Mat3::zeros();
    for j in 0..N {
        let mut row = Mat3::zeros();
        for k in 0..N {
            let block =
                if j == k { symmetric(by_d[j][j]) } else { (by_d[j][k] + by_d[k][j].transpose()) * 0.5 };
            put(j + 1, k + 1, &block);
            row += block;
        }
        put(j + 1, 0, &-row);
        put(0, j + 1, &-row.transpose());
        whole += row;
    }
    put(0, 0, &symmetric(whole));
}

/// H by d ← what has, by the corners, its negative eigenvalues set to zero.
///
/// By the corners H is TᵀHT with d = Tx. Tᵀ = QS with orthonormal Q and S = (TTᵀ)^½ = (1 + 𝟏𝟏ᵀ)^½ = 1 + β𝟏𝟏ᵀ, hence
/// the eigenvalues are those of SHS, and the projection is S⁻¹(SHS)⁺S⁻¹.
fn make_positive<const N: usize>(hessian: &mut [[Mat3; N]; N]) {
    let (n, root) = (N as f64, (N as f64 + 1.0).sqrt());
    both_sides(hessian, (root - 1.0) / n);
    let mut flat = [[0.0; 9]; 9];
    for p in 0..3 * N {
        for q in 0..3 * N {
            flat[p][q] = hessian[p / 3][q / 3][(p % 3, q % 3)];
        }
    }
    small::project_positive9(&mut flat);
    for p in 0..3 * N {
        for q in 0..3 * N {
            hessian[p / 3][q / 3][(p % 3, q % 3)] = flat[p][q];
        }
    }
    both_sides(hessian, (1.0 / root - 1.0) / n);
}

/// H ← (1 + β𝟏𝟏ᵀ) H (1 + β𝟏𝟏ᵀ), block by block.
fn both_sides<const N: usize>(hessian: &mut [[Mat3; N]; N], beta: f64) {
    for k in 0..N {
        let column = (0..N).map(|j| hessian[j][k]).sum::<Mat3>() * beta;
        (0..N).for_each(|j| hessian[j][k] += column);
    }
    for row in hessian {
        let sum = row.iter().sum::<Mat3>() * beta;
        row.iter_mut().for_each(|block| *block += sum);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{area::Area, hinge::Angle, stretch::Length};
    use super::*;
    use pliant_testkit::derivative::assert_derivative;
    use proptest::prelude::*;

    fn vec3(size: f64) -> impl Strategy<Value = Vec3> {
        proptest::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    fn local(size: f64) -> impl Strategy<Value = LocalVector> {
        proptest::array::uniform12(-size..size)
    }

    /// Checks everything a term promises, from a rest shape that is not thin.
    fn check<G: Measure<N>, const N: usize>(
        what: &str,
        rest: [Vec3; N],
        u: LocalVector,
        v: LocalVector,
        e: LocalVector,
    ) {
        let term = Term::<G, N>::new(1.7, rest).expect("a sound rest shape");
        let dot = |x: &LocalVector, y: &LocalVector| (0..12).map(|i| x[i] * y[i]).sum::<f64>();
        let along = |x: &LocalVector, d: &LocalVector, t: f64| -> LocalVector {
            std::array::from_fn(|i| x[i] + t * d[i])
        };
        let times = |u: &LocalVector, positive: bool, d: &LocalVector| -> LocalVector {
            let mut H = [[0.0; 12]; 12];
            term.hessian(u, positive, &mut H).expect("admissible");
            for p in 0..12 {
                for q in 0..12 {
                    assert_eq!(H[p][q].to_bits(), H[q][p].to_bits(), "{what}: symmetric");
                }
            }
            std::array::from_fn(|p| dot(&H[p], d))
        };
        let none = [0.0; 12];
        assert_eq!(
            (term.energy(&none), term.gradient(&none)),
            (Some(0.0), Some(none)),
            "{what}: rest is rest"
        );
        let gradient = |u: &LocalVector| term.gradient(u).expect("admissible");
        assert_derivative(
            what,
            |t| term.energy(&along(&u, &v, t)).expect("admissible"),
            dot(&gradient(&u), &v),
        );
        assert_derivative(what, |t| dot(&gradient(&along(&u, &v, t)), &e), dot(&times(&u, false, &v), &e));
        // The product without the matrix: the same force, and the derivative of it.
        let [force, product] = term.gradient_along(&u, &v).expect("admissible").map(|by_d| spread(&by_d));
        assert_derivative(what, |t| dot(&gradient(&along(&u, &v, t)), &e), dot(&product, &e));
        let (same, Hv) = (gradient(&u), times(&u, false, &v));
        let near = |x: &LocalVector, y: &LocalVector| {
            let size = 1.0 + dot(y, y).sqrt();
            x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-11 * size)
        };
        assert!(near(&force, &same) && near(&product, &Hv), "{what}: {product:?} and {Hv:?}");
        let third = term.third_at_rest()(&v, &e);
        let stiffness = |t: f64| dot(&times(&along(&none, &v, t), false, &e), &u);
        assert_derivative(what, stiffness, dot(&third, &u));
        for c in 0..3 {
            let total: f64 = (0..4).map(|a| gradient(&u)[3 * a + c]).sum();
            assert!(
                total.abs() < 1e-12 * (1.0 + dot(&gradient(&u), &gradient(&u)).sqrt()),
                "{what}: momentum"
            );
        }
        // H⁺ − H and H⁺ are positive and have nothing in common: that is the projection, and only that.
        let (plus, exact) = (times(&u, true, &v), times(&u, false, &v));
        let minus: LocalVector = std::array::from_fn(|i| plus[i] - exact[i]);
        let scale = 1e-9 * (1.0 + dot(&exact, &exact).sqrt() * dot(&v, &v).sqrt());
        assert!(dot(&plus, &v) > -scale && dot(&minus, &v) > -scale, "{what}: positive");
        let product = times(&u, true, &minus);
        let size = 1.0 + dot(&plus, &plus).sqrt() * dot(&minus, &minus).sqrt() + dot(&exact, &exact);
        assert!(dot(&product, &product).sqrt() < 1e-9 * size, "{what}: {product:?}");
    }

    proptest! {
        #[test]
        fn a_length(d in vec3(1.0), u in local(0.1), v in local(0.5), e in local(1.0)) {
            prop_assume!(d.norm() > 0.7);
            check::<Length, 1>("length", [d], u, v, e);
        }

        #[test]
        fn an_area(bend in vec3(0.3), stretch in vec3(0.3), u in local(0.1), v in local(0.5), e in local(1.0)) {
            check::<Area, 2>("area", [Vec3::new(2.0, 0.3, 0.0) + bend, Vec3::new(0.5, 1.8, 0.0) + stretch], u, v, e);
        }

        /// Any fold from flat to 160 degrees, either way.
        #[test]
        fn an_angle(fold in -2.8..2.8_f64, wobble in local(0.2), u in local(0.1), v in local(0.5), e in local(1.0)) {
            let rest = [
                Vec3::new(2.0, 0.0, 0.0) + corner(&wobble, 1),
                Vec3::new(0.9, 1.7, 0.0) + corner(&wobble, 2),
                Vec3::new(1.2, -1.7 * fold.cos(), 1.7 * fold.sin()) + corner(&wobble, 3),
            ];
            check::<Angle, 3>("angle", rest, u, v, e);
        }
    }
}
