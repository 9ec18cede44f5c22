//! How far a standard pull is off in the coordinates of a basis: what more coordinates would bring, the force being exact.
//!
//! ```text
//! A u = f,   (UᵀAU) q = Uᵀf,   A = K(0), of a body that can move as a whole K(0) + λ₁ M                        (1)
//! e_v = √( Σ_d ‖U q_vd − u_vd‖²_M / Σ_d ‖u_vd‖²_M ),   error = mean over v of e_v                            (2)
//! ```
//! f is what a hand does: a force on one vertex v of the surface, along d = x, y, z in turn, so that (2) does not depend on how
//! the body lies. The hands are far from what is held and from each other. A body that nothing holds resists by its inertia, as
//! much of it as its softest vibration λ₁ has stiffness. UᵀKU is exact: what a cubature does to it, its training measures
//! ([`static_error`](crate::force::TrainingFacts::static_error)).
//!
//! A force on one vertex presses a dent and moves a limb by little, which few coordinates cannot do, and is next to linear: on the
//! dinosaur in 40 coordinates equilibria under 4 N at these places, along x, y and z, of the full body and of the model with exact
//! forces, are 12.6 % apart on the mean, and 11.8 % by (2). A motion that such a pull begins is off by as much at most and by about half
//! of it on the mean over time: on vertex 100, where (2) is 21 %, 4 N along x for 0.3 s lead 26 % of the largest motion astray at most and
//! 14 % on the mean; the equilibrium under them is 26 % off. With twice the columns (2) is 4.9 %, where [`PullError::with_twice`] says 4.5 %.
//!
//! The same with the first half of the columns says how the error falls, and so what twice as many would leave, if it went on
//! like that: [`PullError::with_twice`]. What a basis lacks where a body bends far is not seen here.

use pliant_energy::{Body, Tangent};
use pliant_linalg::{Cholesky, DenseCholesky, DenseSymmetric, Vec3, par};

use crate::Basis;

/// Hands that pull, one after the other.
const HANDS: usize = 8;

/// Held vertices that hands keep away from, at most.
const HOLDS: usize = 64;

/// The error of a standard pull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PullError {
    /// Part of the displacement that is off, in all coordinates.
    pub error: f64,
    /// The same with the first half of them alone.
    pub with_half: f64,
}

impl PullError {
    /// What twice as many coordinates would leave of it, if it falls as it fell from half of them to all.
    pub fn with_twice(&self) -> f64 {
        if self.with_half > 0.0 { self.error * (self.error / self.with_half).min(1.0) } else { 0.0 }
    }
}

/// The error of `body` in the coordinates of `basis`, whose mass UᵀMU and stiffness UᵀK(0)U these are; `lowest` is λ₁, 1/s².
/// `None` where nothing can be pulled, a part hangs loose, or no vibration of a free body is known.
pub(crate) fn pull_error(
    body: &Body,
    basis: &Basis,
    [mass, stiffness]: [&DenseSymmetric; 2],
    lowest: Option<f64>,
) -> Option<PullError> {
    let hands = hands(body);
    if hands.is_empty() {
        return None;
    }
    let inertia = if body.rigid_count() > 0 { lowest.filter(|l| *l > 0.0 && l.is_finite())? } else { 0.0 };
    let mut A = body.zero_matrix();
    body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut A).ok()?;
    A.add_per_axis(inertia, body.mass());
    let mut factor = Cholesky::analyse(A.pattern(), body.dofs()).ok()?;
    factor.factorise(&A).ok()?;
    let (size, rank) = (body.size(), basis.rank());
    let ranks = [rank.div_ceil(2), rank];
    let reduced = ranks.map(|rank| Reduced::new([mass, stiffness], inertia, rank));
    let [Some(half), Some(all)] = reduced else { return None };
    let mut sums = [0.0; 2];
    for &v in &hands {
        let mut loads = vec![0.0; 3 * size];
        for d in (0..3).filter(|d| !body.dofs().is_held(3 * v as usize + d)) {
            loads[d * size + 3 * v as usize + d] = 1.0;
        }
        let pushes = loads.clone();
        factor.solve_many(&mut loads, 3);
        let (mut whole, mut off) = (0.0, [0.0; 2]);
        for (u, f) in loads.chunks_exact(size).zip(pushes.chunks_exact(size)) {
            let mut p = vec![0.0; rank];
            basis.project(f, &mut p);
            whole += square(body, u);
            for (off, reduced) in off.iter_mut().zip([&half, &all]) {
                *off += square(body, &reduced.difference(basis, &p, u));
            }
        }
        if !(whole > 0.0 && whole.is_finite()) {
            return None;
        }
        sums.iter_mut().zip(off).for_each(|(sum, off)| *sum += (off / whole).sqrt());
    }
    let [with_half, error] = sums.map(|sum| sum / hands.len() as f64);
    (error.is_finite() && with_half.is_finite()).then_some(PullError { error, with_half })
}

/// (1) in the first coordinates of a basis.
struct Reduced {
    factor: DenseCholesky,
    rank: usize,
}

impl Reduced {
    fn new([mass, stiffness]: [&DenseSymmetric; 2], inertia: f64, rank: usize) -> Option<Self> {
        let A = DenseSymmetric::from_upper(rank, |i, j| stiffness.get(i, j) + inertia * mass.get(i, j));
        let mut factor = DenseCholesky::new(rank);
        factor.factorise(&A).ok()?;
        Some(Self { factor, rank })
    }

    /// U q − u under the load p.
    fn difference(&self, basis: &Basis, p: &[f64], u: &[f64]) -> Vec<f64> {
        let mut q = p[..self.rank].to_vec();
        self.factor.solve(&mut q);
        q.resize(basis.rank(), 0.0);
        let mut difference = vec![0.0; u.len()];
        basis.expand(&q, &mut difference);
        difference.iter_mut().zip(u).for_each(|(x, u)| *x -= u);
        difference
    }
}

/// ‖u‖²_M.
fn square(body: &Body, u: &[f64]) -> f64 {
    let mut weighted = vec![0.0; u.len()];
    body.mass().apply_per_axis(u, &mut weighted);
    par::dot(u, &weighted).max(0.0)
}

/// Vertices of the surface that can be pulled, at most [`HANDS`]: each the farthest from some of what is held, or from the middle of the
/// body where nothing is, and from those before.
fn hands(body: &Body) -> Vec<u32> {
    let held = |v: usize, c: usize| body.dofs().is_held(3 * v + c);
    let mut free: Vec<u32> = body.boundary().as_flattened().to_vec();
    free.sort_unstable();
    free.dedup();
    free.retain(|&v| (0..3).any(|c| !held(v as usize, c)));
    let rest = body.rest();
    let holds: Vec<Vec3> = (0..rest.len()).filter(|&v| (0..3).any(|c| held(v, c))).map(|v| rest[v]).collect();
    let mut seen: Vec<Vec3> = holds.iter().step_by(holds.len().div_ceil(HOLDS).max(1)).copied().collect();
    if seen.is_empty() {
        seen.push(rest.iter().sum::<Vec3>() / rest.len() as f64);
    }
    let mut distances = vec![f64::INFINITY; free.len()];
    let mut chosen = Vec::new();
    while chosen.len() < HANDS.min(free.len()) {
        for (distance, &v) in distances.iter_mut().zip(&free) {
            let from = seen.iter().map(|x| (rest[v as usize] - x).norm_squared());
            *distance = from.fold(*distance, f64::min);
        }
        // The first of those that are as far.
        let next = (0..free.len()).fold(0, |best, k| if distances[k] > distances[best] { k } else { best });
        if distances[next] <= 0.0 {
            break;
        }
        chosen.push(free[next]);
        seen = vec![rest[free[next] as usize]];
    }
    chosen
}

#[cfg(test)]
mod tests {
    use pliant_energy::Recipe;
    use pliant_linalg::{Mat3, ignore_progress};
    use pliant_mesh::{MeshData, select, shapes};

    use super::*;
    use crate::Precompute;

    fn bar(cells: [usize; 3]) -> MeshData {
        shapes::bar(Vec3::new(1.0, 0.3, 0.2), cells).into_data()
    }

    fn recipe(mesh: &MeshData, fix: &str) -> Recipe {
        let fixed = vec![select::select(mesh, fix).expect("a selection")];
        Recipe { fixed, ..Recipe::default() }
    }

    fn model(mesh: &MeshData, fix: &str, modes: usize) -> crate::Model {
        let precompute = Precompute {
            basis: "modes".into(),
            modes: Some(modes),
            forces: Some("linear".into()),
            ..Precompute::default()
        };
        precompute.build(mesh.clone(), recipe(mesh, fix), &mut ignore_progress).expect("a model").model
    }

    fn pull(mesh: &MeshData, fix: &str, modes: usize) -> PullError {
        model(mesh, fix, modes).facts().pull.expect("it can be pulled")
    }

    #[test]
    fn nothing_is_off_in_all_coordinates_and_less_and_less_on_the_way_there() {
        for (fix, there) in [("x<5%", 24), ("none", 30)] {
            let mesh = bar([2, 1, 1]);
            let errors: Vec<f64> = [2, 6, 12, 18, there].map(|modes| pull(&mesh, fix, modes).error).into();
            assert!(errors.is_sorted_by(|a, b| a > b), "{fix}: {errors:?}");
            assert!(errors[0] > 0.05 && errors[4] < 1e-9, "{fix}: {errors:?}");
        }
    }

    /// (1) and (2) with every matrix written down.
    #[test]
    fn a_bar_is_off_by_what_a_dense_solve_finds() {
        let mesh = bar([4, 2, 1]);
        for fix in ["x<5%", "none"] {
            let made = model(&mesh, fix, 7);
            let body = recipe(&mesh, fix).build(mesh.clone()).expect("a body");
            let (K, M) = (body.stiffness_csr(&vec![0.0; body.size()]).expect("at rest"), body.mass_csr());
            let free = body.dofs().free();
            let inertia = if fix == "none" { made.facts().eigenvalues[0] } else { 0.0 };
            let at = |i: usize, j: usize| K.get(i, j) + inertia * M.get(i, j);
            let n = free.len();
            let mut whole = DenseCholesky::new(n);
            let A = DenseSymmetric::from_upper(n, |i, j| at(free[i] as usize, free[j] as usize));
            whole.factorise(&A).expect("positive definite");
            let square = |x: &[f64]| -> f64 {
                let row =
                    |i: usize| (0..n).map(|j| M.get(free[i] as usize, free[j] as usize) * x[j]).sum::<f64>();
                (0..n).map(|i| x[i] * row(i)).sum()
            };
            let error = |rank: usize| -> f64 {
                let columns: Vec<Vec<f64>> = (0..rank)
                    .map(|k| made.basis().column(k))
                    .map(|column| free.iter().map(|&i| column[i as usize]).collect())
                    .collect();
                let times = |x: &[f64]| -> Vec<f64> {
                    (0..n).map(|i| (0..n).map(|j| A.get(i, j) * x[j]).sum()).collect()
                };
                let dot = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
                let images: Vec<Vec<f64>> = columns.iter().map(|c| times(c)).collect();
                let mut small = DenseCholesky::new(rank);
                let reduced = DenseSymmetric::from_upper(rank, |i, j| dot(&columns[i], &images[j]));
                small.factorise(&reduced).expect("independent");
                let hands = hands(&body);
                let each = |&v: &u32| -> f64 {
                    let (mut off, mut all) = (0.0, 0.0);
                    for d in 0..3 {
                        let number = free.iter().position(|&i| i as usize == 3 * v as usize + d);
                        let number = number.expect("a vertex that is free");
                        let mut u = vec![0.0; n];
                        u[number] = 1.0;
                        whole.solve(&mut u);
                        let mut q: Vec<f64> = columns.iter().map(|c| c[number]).collect();
                        small.solve(&mut q);
                        all += square(&u);
                        for (q, column) in q.iter().zip(&columns) {
                            u.iter_mut().zip(column).for_each(|(u, c)| *u -= q * c);
                        }
                        off += square(&u);
                    }
                    (off / all).sqrt()
                };
                hands.iter().map(each).sum::<f64>() / hands.len() as f64
            };
            let found = made.facts().pull.expect("it can be pulled");
            let rank = made.rank();
            for (found, wanted) in [(found.error, error(rank)), (found.with_half, error(rank.div_ceil(2)))] {
                assert!((found / wanted - 1.0).abs() < 1e-9, "{fix}: {found} instead of {wanted}");
            }
            assert!(found.error < found.with_half && found.with_twice() < found.error, "{found:?}");
        }
    }

    #[test]
    fn it_does_not_depend_on_how_the_body_lies() {
        let mut mesh = bar([5, 2, 1]);
        // Askew, so that no two places are equally far from a third.
        mesh.vertices
            .iter_mut()
            .for_each(|p| *p += Vec3::new(0.1 * p.y * p.z, 0.2 * p.x * p.x, 0.3 * p.x * p.y));
        let mut turned = mesh.clone();
        let turn = Mat3::new(0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6);
        turned.vertices.iter_mut().for_each(|x| *x = turn * *x + Vec3::new(3.0, -1.0, 2.0));
        let (here, there) = (pull(&mesh, "none", 8), pull(&turned, "none", 8));
        assert!((here.error / there.error - 1.0).abs() < 1e-6, "{here:?} and {there:?}");
    }

    #[test]
    fn hands_are_apart_and_pull_what_can_be_pulled() {
        let mesh = bar([6, 2, 2]);
        let body = recipe(&mesh, "x<5%").build(mesh).expect("a body");
        let found = hands(&body);
        assert_eq!(found.len(), HANDS);
        let place = |v: u32| body.rest()[v as usize];
        assert_eq!(place(found[0]).x, 1.0, "the far end first");
        assert!(found.iter().all(|&v| place(v).x > 0.05));
        let distances = |k: usize| (0..k).map(move |j| (j, k));
        let nearest = (1..HANDS)
            .flat_map(distances)
            .map(|(j, k)| (place(found[j]) - place(found[k])).norm())
            .fold(f64::INFINITY, f64::min);
        assert!(nearest > 0.15, "{nearest}");
    }
}
