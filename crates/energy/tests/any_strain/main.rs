//! W(s u), its force and its stiffness keep their digits from strains of a tenth to strains of 1e-10: held against the same law in
//! twice the digits, for every material of solids and every energy of surfaces in the tables.

#![expect(non_snake_case, reason = "H and F are the papers' letters")]

mod laws;

use pliant_energy::material::{self, Constants, Isotropic};
use pliant_energy::{Own, Recipe, Tangent, shell};
use pliant_linalg::{LocalMatrix, LocalVector, Mat3, Vec3};
use pliant_mesh::shapes;
use pliant_testkit::double::Double;
use pliant_testkit::numbers::noise;

/// Relative, of the whole energy, of the whole force and of the whole stiffness.
const TOLERANCE: f64 = 1e-9;

/// Powers of ten of s.
const DECADES: std::ops::RangeInclusive<i32> = -10..=-1;

/// An energy with its first and second derivatives, all by differences in twice the digits: an error of h⁴ = 1e-28 in the first and
/// of h² = 1e-14 in the second, beside rounding of 1e-31/h and 1e-31/h².
struct Reference<'a> {
    energy: &'a dyn Fn(&[Double]) -> Double,
    at: &'a [f64],
}

impl Reference<'_> {
    const H: f64 = 1e-7;

    fn moved(&self, steps: &[(usize, f64)]) -> Double {
        let mut x: Vec<Double> = self.at.iter().map(|x| Double::from(*x)).collect();
        steps.iter().for_each(|(k, by)| x[*k] = x[*k] + Double::from(*by));
        (self.energy)(&x)
    }

    fn value(&self) -> f64 {
        self.moved(&[]).round()
    }

    fn gradient(&self) -> Vec<f64> {
        let apart = |k: usize, h: f64| self.moved(&[(k, h)]) - self.moved(&[(k, -h)]);
        let slope = |k| (apart(k, Self::H) * 8.0 - apart(k, 2.0 * Self::H)) / Double::from(12.0 * Self::H);
        (0..self.at.len()).map(|k| slope(k).round()).collect()
    }

    fn hessian(&self) -> Vec<f64> {
        let n = self.at.len();
        let apart = |p: usize, q: usize, h: f64| {
            self.moved(&[(p, h), (q, Self::H)]) - self.moved(&[(p, h), (q, -Self::H)])
        };
        let curve =
            |p, q| (apart(p, q, Self::H) - apart(p, q, -Self::H)) / Double::from(4.0 * Self::H * Self::H);
        (0..n * n).map(|k| curve(k / n, k % n).round()).collect()
    }
}

/// ‖a − b‖ / ‖b‖.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    norm(&mut a.iter().zip(b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied())
}

#[track_caller]
fn assert_near(what: &str, s: f64, found: &[f64], expected: &[f64]) {
    let off = distance(found, expected);
    assert!(
        off < TOLERANCE,
        "{what} at strains of {s:e} is off by {off:e}: {found:?} instead of {expected:?}"
    );
}

fn flat(A: &Mat3) -> Vec<f64> {
    (0..9).map(|k| A[(k / 3, k % 3)]).collect()
}

#[test]
fn laws_of_solids_keep_their_digits() {
    let isotropic = Isotropic::from_young_poisson(2.5, 0.3).expect("sound constants");
    for entry in &material::ALL {
        let law = (entry.make)(&Constants { isotropic, own: Own::default() }).expect("sound constants");
        let energy = |x: &[Double]| laws::density(entry.name, &isotropic, x);
        for (k, decade) in DECADES.enumerate() {
            let s = 10_f64.powi(decade);
            let H = Mat3::from_row_slice(&noise(9, 1.5 * s, k as u64 + 1));
            let reference = Reference { energy: &energy, at: &flat(&H) };
            let of = |what: &str| format!("{what} of {}", entry.name);
            assert_near(&of("energy"), s, &[law.energy_density(&H)], &[reference.value()]);
            assert_near(&of("stress"), s, &flat(&law.stress(&H)), &reference.gradient());
            assert_near(&of("stiffness"), s, law.stiffness(&H).as_flattened(), &reference.hessian());
        }
    }
}

/// A bar that is also carried away, by more than its strains are: energies see differences of displacements alone.
#[test]
fn bodies_keep_their_digits() {
    let bar = shapes::bar(Vec3::new(0.5, 0.2, 0.3), [1, 1, 1]);
    for entry in &material::ALL {
        let recipe = Recipe {
            material: Some(entry.name.into()),
            young: Some(2.5),
            poisson: Some(0.3),
            ..Recipe::default()
        };
        let isotropic = Isotropic::from_young_poisson(2.5, 0.3).expect("sound constants");
        let body = recipe.build(bar.clone().into_data()).expect("a body");
        let energy = |x: &[Double]| laws::bar(entry.name, &isotropic, &bar, x);
        for (k, decade) in DECADES.enumerate() {
            let s = 10_f64.powi(decade);
            let mut u = noise(body.size(), 0.4 * s, k as u64 + 1);
            u.iter_mut().for_each(|u| *u += 1e-3);
            let reference = Reference { energy: &energy, at: &u };
            let mut force = vec![0.0; u.len()];
            body.force(&u, &mut force).expect("admissible");
            let of = |what: &str| format!("{what} of a bar of {}", entry.name);
            assert_near(&of("energy"), s, &[body.energy(&u).expect("admissible")], &[reference.value()]);
            assert_near(&of("force"), s, &force, &reference.gradient());
        }
    }
}

/// Two triangles over an edge, bent at rest or flat.
#[test]
fn energies_of_surfaces_keep_their_digits() {
    for lift in [0.0, 0.35] {
        let vertices =
            [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.4, 0.8, lift], [0.6, -0.7, lift]].map(Vec3::from);
        let triangles = [[0, 1, 2], [1, 0, 3]];
        for entry in &shell::ALL {
            let constants = shell::Constants { bend: 1.3, membrane: 2.1, own: Own::default() };
            let made = (entry.make)(&constants, &vertices, &triangles);
            let shell = made.unwrap_or_else(|_| panic!("two triangles are a shell of {}", entry.name));
            let energy = |x: &[Double]| laws::two_triangles(entry.name, &constants, &vertices, x);
            let components: Vec<u32> = (0..shell.count() as u32).collect();
            for (k, decade) in DECADES.enumerate() {
                let s = 10_f64.powi(decade);
                let u = noise(12, s, k as u64 + 1);
                let corner = |c: usize, a: usize| shell.corners(c).get(a).map(|v| *v as usize);
                let local: Vec<LocalVector> = (0..shell.count())
                    .map(|c| std::array::from_fn(|i| corner(c, i / 3).map_or(0.0, |v| u[3 * v + i % 3])))
                    .collect();
                let mut energies = vec![0.0; shell.count()];
                let mut forces: Vec<LocalVector> = vec![[0.0; 12]; shell.count()];
                let mut matrices: Vec<LocalMatrix> = vec![[[0.0; 12]; 12]; shell.count()];
                shell.energies(&components, &local, &mut energies).expect("admissible");
                shell.gradients(&components, &local, &mut forces).expect("admissible");
                shell.hessians(&components, &local, Tangent::Exact, &mut matrices).expect("admissible");
                let (mut force, mut matrix) = ([0.0; 12], vec![0.0; 144]);
                for c in 0..shell.count() {
                    for i in 0..3 * shell.corners(c).len() {
                        let row = 3 * corner(c, i / 3).expect("a corner") + i % 3;
                        force[row] += forces[c][i];
                        for j in 0..3 * shell.corners(c).len() {
                            matrix[12 * row + 3 * corner(c, j / 3).expect("a corner") + j % 3] +=
                                matrices[c][i][j];
                        }
                    }
                }
                let reference = Reference { energy: &energy, at: &u };
                let of = |what: &str| format!("{what} of {}", entry.name);
                assert_near(&of("energy"), s, &[energies.iter().sum()], &[reference.value()]);
                assert_near(&of("force"), s, &force, &reference.gradient());
                assert_near(&of("stiffness"), s, &matrix, &reference.hessian());
            }
        }
    }
}
