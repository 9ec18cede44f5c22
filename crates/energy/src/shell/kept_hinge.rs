//! A hinge whose two triangles keep a height: the term that goes before their angle is lost.
//!
//! ```text
//! W = w/2 (θ − θ₀)² + w Σ φ(A/A₀) over the two triangles,    φ(r) = (τ/r − 1)³ for r < τ, else 0,    τ = 1/10
//! ```
//! The angle has no limit where a triangle loses its area A: forces grow as 1/h of its height, and beyond it θ jumps. Shells that
//! are too soft for their load got there, and no step, however short, led on. φ is added by us: it is zero, with its first two
//! derivatives, wherever both triangles have more than a tenth of their area at rest, so that the energy of T14 eq. 2.3 keeps its value
//! there; it rises without bound towards r = 0, faster than a turn of the hinge by π can pay for (φ(τ/3) = 8, against π²/2).
//! It belongs to the hinge and not to the triangle, so that a hinge that was chosen alone, for a cubature, has it, too.

use pliant_linalg::{LocalMatrix, LocalVector, Mat3, Vec3};

use super::area::Area;
use super::hinge::Angle;
use super::term::{Measure, Term, relative, spread, store_hessian};

/// τ: what a triangle has left of its area at rest where the term begins.
const KEPT: f64 = 0.1;

/// The term of a hinge with what keeps the heights of its triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hinge {
    bend: Term<Angle, 3>,
    /// A₀ of the two triangles, m².
    areas: [f64; 2],
}

impl Hinge {
    /// `None` when the rest shape has no derivative or the weight is not finite.
    pub(super) fn new(weight: f64, shape: [Vec3; 3]) -> Option<Self> {
        let bend = Term::new(weight, shape)?;
        let area = |side: usize| Area::value(&[shape[0], shape[side]]);
        Some(Self { bend, areas: [area(1)?, area(2)?] })
    }

    /// θ₀.
    pub(super) fn rest_value(&self) -> f64 {
        self.bend.rest_value()
    }

    pub(super) fn energy(&self, u: &LocalVector) -> Option<f64> {
        let mut sum = self.bend.energy(u)?;
        let (d, _) = self.bend.deformed(u);
        for (side, rest) in (1..).zip(self.areas) {
            let r = Area::value(&[d[0], d[side]])? / rest;
            if r < KEPT {
                sum += self.bend.weight() * (KEPT / r - 1.0).powi(3);
            }
        }
        sum.is_finite().then_some(sum)
    }

    /// Both at once. The same bits.
    pub(super) fn energy_and_gradient(&self, u: &LocalVector) -> Option<(f64, LocalVector)> {
        let (mut energy, mut sum) = self.bend.energy_and_gradient_by_d(u)?;
        let (d, _) = self.bend.deformed(u);
        for (side, rest) in (1..).zip(self.areas) {
            let pair = [d[0], d[side]];
            let r = Area::value(&pair)? / rest;
            if r < KEPT {
                let (area, slope) = Area::slope(&pair)?;
                energy += self.bend.weight() * (KEPT / r - 1.0).powi(3);
                let (first, _) = derivatives(area / rest);
                let factor = self.bend.weight() * first / rest;
                sum[0] += slope[0] * factor;
                sum[side] += slope[1] * factor;
            }
        }
        let finite = energy.is_finite() && sum.iter().all(|x| x.iter().all(|x| x.is_finite()));
        finite.then(|| (energy, spread(&sum)))
    }

    pub(super) fn gradient(&self, u: &LocalVector) -> Option<LocalVector> {
        self.gradient_by_d(u).map(|by_d| spread(&by_d))
    }

    /// ∂W by d.
    pub(super) fn gradient_by_d(&self, u: &LocalVector) -> Option<[Vec3; 3]> {
        let mut sum = self.bend.gradient_by_d(u)?;
        let (d, _) = self.bend.deformed(u);
        for (side, rest) in (1..).zip(self.areas) {
            let (area, slope) = Area::slope(&[d[0], d[side]])?;
            if area / rest < KEPT {
                let (first, _) = derivatives(area / rest);
                let factor = self.bend.weight() * first / rest;
                sum[0] += slope[0] * factor;
                sum[side] += slope[1] * factor;
            }
        }
        sum.iter().all(|x| x.iter().all(|x| x.is_finite())).then_some(sum)
    }

    /// ∂W, and ∂²W x for a direction x, both by d.
    pub(super) fn gradient_along(&self, u: &LocalVector, x: &LocalVector) -> Option<[[Vec3; 3]; 2]> {
        let [mut force, mut product] = self.bend.gradient_along(u, x)?;
        let ((d, _), x) = (self.bend.deformed(u), relative::<3>(x));
        for (side, rest) in (1..).zip(self.areas) {
            let area = Area::value(&[d[0], d[side]])?;
            if area / rest < KEPT {
                let ((first, second), [slope, turn]) =
                    (derivatives(area / rest), Area::slope_along(&[d[0], d[side]], &[x[0], x[side]])?);
                let (weight, along) =
                    (self.bend.weight() / rest, slope[0].dot(&x[0]) + slope[1].dot(&x[side]));
                for (k, place) in [0, side].into_iter().enumerate() {
                    force[place] += slope[k] * (first * weight);
                    product[place] += (slope[k] * (second / rest * along) + turn[k] * first) * weight;
                }
            }
        }
        let finite = |by_d: &[Vec3; 3]| by_d.iter().all(|x| x.iter().all(|x| x.is_finite()));
        (finite(&force) && finite(&product)).then_some([force, product])
    }

    /// ∂²W, exact, or with its negative eigenvalues set to zero.
    pub(super) fn hessian(&self, u: &LocalVector, positive: bool, out: &mut LocalMatrix) -> Option<()> {
        let (mut sum, curved) = self.exact_hessian(u)?;
        store_hessian(&mut sum, positive && curved, out);
        out.iter().flatten().all(|x| x.is_finite()).then_some(())
    }

    /// ∂²W by d, exact, and whether anything in it curves.
    pub(super) fn exact_hessian(&self, u: &LocalVector) -> Option<([[Mat3; 3]; 3], bool)> {
        let (mut sum, mut curved) = self.bend.exact_hessian(u)?;
        let (d, _) = self.bend.deformed(u);
        for (side, rest) in (1..).zip(self.areas) {
            let (area, _) = Area::slope(&[d[0], d[side]])?;
            if area / rest < KEPT {
                let (first, second) = derivatives(area / rest);
                let jet = Area::jet(&[d[0], d[side]])?;
                let weight = self.bend.weight() / rest;
                for (i, p) in [0, side].into_iter().enumerate() {
                    for (j, q) in [0, side].into_iter().enumerate() {
                        let outer: Mat3 = jet.gradient[i] * jet.gradient[j].transpose();
                        sum[p][q] += (outer * (second / rest) + jet.hessian[i][j] * first) * weight;
                    }
                }
                curved = true;
            }
        }
        Some((sum, curved))
    }

    /// As that of the bending alone: at rest both triangles have their area.
    pub(super) fn third_at_rest(&self) -> impl Fn(&LocalVector, &LocalVector) -> LocalVector {
        self.bend.third_at_rest()
    }
}

/// φ′ and φ″ below τ.
fn derivatives(r: f64) -> (f64, f64) {
    let (x, by) = (KEPT / r - 1.0, -KEPT / (r * r));
    (3.0 * x * x * by, 6.0 * x * by * by - 6.0 * x * x * by / r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_testkit::derivative::assert_derivative;

    /// Two right triangles of height 1 over an edge of 2; the first one's corner is pressed to a height.
    fn pressed(height: f64) -> (Hinge, LocalVector) {
        let shape = [Vec3::x() * 2.0, Vec3::new(0.7, 1.0, 0.0), Vec3::new(1.1, -0.9, 0.3)];
        let mut u = [0.0; 12];
        u[7] = height - 1.0;
        (Hinge::new(1.7, shape).expect("two triangles"), u)
    }

    fn dot(x: &LocalVector, y: &LocalVector) -> f64 {
        x.iter().zip(y).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn the_energy_is_that_of_the_angle_until_a_tenth_of_an_area_is_left() {
        for height in [1.0, 0.5, 0.100_001, -0.2] {
            let (hinge, u) = pressed(height);
            assert_eq!(hinge.energy(&u), hinge.bend.energy(&u), "{height}");
            assert_eq!(hinge.gradient(&u), hinge.bend.gradient(&u), "{height}");
        }
        let (hinge, u) = pressed(0.1 / 3.0);
        let more = hinge.energy(&u).expect("an energy") - hinge.bend.energy(&u).expect("an energy");
        assert!((more - 8.0 * 1.7).abs() < 1e-10, "{more}");
        // No corner gets to the edge: the last step costs more than any turn has to give.
        let (hinge, u) = pressed(1e-6);
        assert!(hinge.energy(&u).expect("an energy") > 1e12);
    }

    #[test]
    fn force_and_stiffness_are_derivatives_where_it_acts() {
        let (hinge, u) = pressed(0.04);
        let v: LocalVector = std::array::from_fn(|i| 0.01 * ((7 * i + 3) as f64).sin());
        let e: LocalVector = std::array::from_fn(|i| ((5 * i + 1) as f64).cos());
        let at = |t: f64| -> LocalVector { std::array::from_fn(|i| u[i] + t * v[i]) };
        let gradient = |t: f64| hinge.gradient(&at(t)).expect("a force");
        let energy = |t: f64| hinge.energy(&at(t)).expect("an energy");
        assert_derivative("energy", energy, dot(&gradient(0.0), &v));
        let mut H = [[0.0; 12]; 12];
        hinge.hessian(&u, false, &mut H).expect("a stiffness");
        let times: LocalVector = std::array::from_fn(|p| dot(&H[p], &v));
        assert_derivative("force", |t| dot(&gradient(t), &e), dot(&times, &e));
        let [force, product] = hinge.gradient_along(&u, &v).expect("a force").map(|by_d| spread(&by_d));
        let size = dot(&times, &times).sqrt();
        assert!(product.iter().zip(&times).all(|(x, y)| (x - y).abs() < 1e-11 * size), "{product:?}");
        let (same, size) = (gradient(0.0), dot(&force, &force).sqrt());
        assert!(force.iter().zip(&same).all(|(x, y)| (x - y).abs() < 1e-12 * size), "{force:?}");
        hinge.hessian(&u, true, &mut H).expect("a stiffness");
        for k in 0..20 {
            let x: LocalVector = std::array::from_fn(|i| ((11 * i + 5 * k) as f64).sin());
            let Hx: LocalVector = std::array::from_fn(|p| dot(&H[p], &x));
            assert!(dot(&Hx, &x) > -1e-6, "positive");
        }
    }

    #[test]
    fn the_term_begins_without_a_jump_in_its_second_derivative() {
        let (first, second) = derivatives(KEPT * (1.0 - 1e-9));
        assert!(first.abs() < 1e-15 && second.abs() < 1e-5, "{first:e} {second:e}");
    }
}
