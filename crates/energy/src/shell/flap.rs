//! Flaps: the energy of a shell as a sum over edges, each with all that is at it.
//!
//! ```text
//! W = Σ_e W_e,   W_e = κ_b E_F(e) + κ_m (E_L(e) + ⅓ E_A(t) + ⅓ E_A(t'))         t, t' the triangles at e
//! ```
//! The same energy as that of hinges, edges and triangles apart (T14 eq. 2.2), since every triangle has three edges; T14 section 3.3
//! counts components so (m = edges). A flap resists whatever happens to it, a hinge only bending and an edge only stretching: fewer of
//! them stand for all. It has the corners of its hinge, so that one costs about what a hinge costs.
//!
//! An edge at the rim has one triangle and no hinge. Where k triangles meet every hinge is a flap, and what belongs to the edge or to
//! one triangle is dealt out evenly among the hinges that have it.

use pliant_linalg::{LocalMatrix, LocalVector, Mat3, Vec3};

use super::area::Area;
use super::kept_hinge::Hinge;
use super::stretch::Length;
use super::term::{Term, spread, store_hessian};
use super::{Shell, collapsed};
use crate::{ComponentKind, Energy, Inadmissible, Tangent};

/// Part of a triangle's energy that each of its edges has.
const OF_A_TRIANGLE: f64 = 1.0 / 3.0;

/// Which hinge, edge and triangles make a flap, by their places in a shell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    /// Ends of the edge, then the corner of each triangle across it; without a hinge the last is not looked at.
    pub(super) corners: [u32; 4],
    pub(super) edge: u32,
    pub(super) hinge: Option<u32>,
    pub(super) triangles: [u32; 2],
    /// Parts of the edge and of the thirds of both triangles that are in it.
    pub(super) shares: [f64; 3],
}

impl Joint {
    pub(super) fn of_hinge(corners: [u32; 4], edge: usize, hinge: usize, triangles: [u32; 2]) -> Self {
        Self { corners, edge: edge as u32, hinge: Some(hinge as u32), triangles, shares: [1.0; 3] }
    }

    pub(super) fn of_triangle([p, q, r]: [u32; 3], edge: usize, triangle: u32) -> Self {
        let (corners, triangles) = ([p, q, r, r], [triangle; 2]);
        Self { corners, edge: edge as u32, hinge: None, triangles, shares: [1.0; 3] }
    }

    fn uses(&self, triangle: u32) -> bool {
        let count = if self.hinge.is_some() { 2 } else { 1 };
        self.triangles[..count].contains(&triangle)
    }
}

/// Shares of the joints of one edge: what several have is dealt out evenly.
pub(super) fn deal_out(joints: &mut [Joint]) {
    let among = |triangle: u32| joints.iter().filter(|joint| joint.uses(triangle)).count() as f64;
    let whole = joints.len() as f64;
    let shares: Vec<[f64; 3]> = joints
        .iter()
        .map(|j| [1.0 / whole, 1.0 / among(j.triangles[0]), 1.0 / among(j.triangles[1])])
        .collect();
    joints.iter_mut().zip(shares).for_each(|(joint, shares)| joint.shares = shares);
}

/// One edge with its triangles, or parts of them.
#[derive(Clone, Copy, Debug)]
struct Flap {
    edge: Term<Length, 1>,
    first: Term<Area, 2>,
    /// Absent at the rim.
    second: Option<(Hinge, Term<Area, 2>)>,
}

/// The energy of Discrete Shells, flap by flap, in the order of the edges of the mesh.
#[derive(Clone, Debug)]
pub(super) struct Flaps {
    corners: Vec<[u32; 4]>,
    flaps: Vec<Flap>,
}

impl Flaps {
    /// `None` where a triangle is so thin that it has a normal from one of its corners and none from another.
    pub(super) fn new(shell: &Shell, joints: &[Joint]) -> Option<Self> {
        let flap = |joint: &Joint| {
            let Joint { corners: [p, q, r, s], edge, hinge, triangles, shares } = *joint;
            let triangle = |side: usize, across: u32| {
                let (corners, term) = &shell.triangles[triangles[side] as usize];
                let shape = seen_from(corners, term.shape(), [p, q, across]);
                Term::new(term.weight() * shares[1 + side] * OF_A_TRIANGLE, shape)
            };
            let first = triangle(0, r)?;
            let edge = Term::new(shell.edges[edge as usize].1.weight() * shares[0], [first.shape()[0]])?;
            let second = match hinge {
                Some(hinge) => Some((shell.hinges[hinge as usize].1, triangle(1, s)?)),
                None => None,
            };
            Some(Flap { edge, first, second })
        };
        let flaps = joints.iter().map(flap).collect::<Option<_>>()?;
        Some(Self { corners: joints.iter().map(|joint| joint.corners).collect(), flaps })
    }

    fn each<T>(
        &self,
        components: &[u32],
        u: &[LocalVector],
        out: &mut [T],
        work: impl Fn(&Flap, &LocalVector, &mut T) -> Option<()>,
    ) -> Result<(), Inadmissible> {
        for ((&c, u), out) in components.iter().zip(u).zip(out) {
            work(&self.flaps[c as usize], u, out).ok_or_else(|| collapsed(c))?;
        }
        Ok(())
    }
}

/// Sides of a triangle at rest from the first of `corners` to the others, whose own `shape` begins at its own first corner.
fn seen_from(own: &[u32; 3], shape: &[Vec3; 2], corners: [u32; 3]) -> [Vec3; 2] {
    let places = [Vec3::zeros(), shape[0], shape[1]];
    let [p, q, r] = corners
        .map(|corner| places[own.iter().position(|&v| v == corner).expect("a corner of its triangle")]);
    [q - p, r - p]
}

/// What the second triangle sees: the ends of the edge, and its own corner where the first has its.
fn folded(u: &LocalVector) -> LocalVector {
    let mut seen = [0.0; 12];
    seen[..6].copy_from_slice(&u[..6]);
    seen[6..9].copy_from_slice(&u[9..]);
    seen
}

impl Flap {
    fn energy(&self, u: &LocalVector) -> Option<f64> {
        let mut sum = self.edge.energy(u)? + self.first.energy(u)?;
        if let Some((hinge, triangle)) = &self.second {
            sum += hinge.energy(u)? + triangle.energy(&folded(u))?;
        }
        Some(sum)
    }

    fn gradient(&self, u: &LocalVector) -> Option<LocalVector> {
        let ([along], [e, a]) = (self.edge.gradient_by_d(u)?, self.first.gradient_by_d(u)?);
        let Some((hinge, triangle)) = &self.second else { return Some(spread(&[along + e, a])) };
        let ([own_e, b], by_hinge) = (triangle.gradient_by_d(&folded(u))?, hinge.gradient_by_d(u)?);
        Some(spread(&[along + e + own_e + by_hinge[0], a + by_hinge[1], b + by_hinge[2]]))
    }

    /// ∂W, and ∂²W x for a direction x.
    fn gradient_along(&self, u: &LocalVector, x: &LocalVector) -> Option<[LocalVector; 2]> {
        let ([edge, first], second) = (
            [self.edge.gradient_along(u, x)?.map(|[e]| [e, Vec3::zeros()]), self.first.gradient_along(u, x)?],
            match &self.second {
                Some((hinge, triangle)) => {
                    Some((hinge.gradient_along(u, x)?, triangle.gradient_along(&folded(u), &folded(x))?))
                }
                None => None,
            },
        );
        Some(std::array::from_fn(|k| {
            let [e, a] = [edge[k][0] + first[k][0], first[k][1]];
            match &second {
                Some((hinge, own)) => {
                    spread(&[e + own[k][0] + hinge[k][0], a + hinge[k][1], own[k][1] + hinge[k][2]])
                }
                None => spread(&[e, a]),
            }
        }))
    }

    /// ∂²W, exact, or with its negative eigenvalues set to zero.
    fn hessian(&self, u: &LocalVector, positive: bool, out: &mut LocalMatrix) -> Option<()> {
        let ([[along]], bent) = self.edge.exact_hessian(u)?;
        let (mut first, curved) = self.first.exact_hessian(u)?;
        first[0][0] += along;
        let Some((hinge, triangle)) = &self.second else {
            store_hessian(&mut first, positive && (bent || curved), out);
            return Some(());
        };
        let (second, curved_too) = triangle.exact_hessian(&folded(u))?;
        let (mut sum, folds): ([[Mat3; 3]; 3], bool) = hinge.exact_hessian(u)?;
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            sum[i][j] += first[i][j];
            sum[2 * i][2 * j] += second[i][j];
        }
        store_hessian(&mut sum, positive && (bent || curved || curved_too || folds), out);
        out.iter().flatten().all(|x| x.is_finite()).then_some(())
    }

    fn third_at_rest(&self) -> impl Fn(&LocalVector, &LocalVector) -> LocalVector {
        let (edge, first) = (self.edge.third_at_rest(), self.first.third_at_rest());
        let second =
            self.second.as_ref().map(|(hinge, triangle)| (hinge.third_at_rest(), triangle.third_at_rest()));
        move |a, b| {
            let (mut sum, of_first) = (edge(a, b), first(a, b));
            sum.iter_mut().zip(of_first).for_each(|(sum, x)| *sum += x);
            if let Some((hinge, triangle)) = &second {
                let (bending, area) = (hinge(a, b), triangle(&folded(a), &folded(b)));
                sum.iter_mut().zip(bending).for_each(|(sum, x)| *sum += x);
                sum[..6].iter_mut().zip(&area).for_each(|(sum, x)| *sum += x);
                sum[9..].iter_mut().zip(&area[6..]).for_each(|(sum, x)| *sum += x);
            }
            sum
        }
    }
}

impl Energy for Flaps {
    fn count(&self) -> usize {
        self.flaps.len()
    }

    fn corners(&self, c: usize) -> &[u32] {
        let count = if self.flaps[c].second.is_some() { 4 } else { 3 };
        &self.corners[c][..count]
    }

    fn kind(&self, _: usize) -> ComponentKind {
        ComponentKind::Flap
    }

    fn energies(&self, components: &[u32], u: &[LocalVector], out: &mut [f64]) -> Result<(), Inadmissible> {
        self.each(components, u, out, |flap, u, out| flap.energy(u).map(|W| *out = W))
    }

    fn gradients(
        &self,
        components: &[u32],
        u: &[LocalVector],
        out: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        self.each(components, u, out, |flap, u, out| flap.gradient(u).map(|g| *out = g))
    }

    fn gradients_along(
        &self,
        components: &[u32],
        u: &[LocalVector],
        x: &[LocalVector],
        gradients: &mut [LocalVector],
        along: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        for (k, &c) in components.iter().enumerate() {
            let both = self.flaps[c as usize].gradient_along(&u[k], &x[k]);
            [gradients[k], along[k]] = both.ok_or_else(|| collapsed(c))?;
        }
        Ok(())
    }

    fn hessians(
        &self,
        components: &[u32],
        u: &[LocalVector],
        tangent: Tangent,
        out: &mut [LocalMatrix],
    ) -> Result<(), Inadmissible> {
        let positive = tangent == Tangent::Positive;
        self.each(components, u, out, |flap, u, out| flap.hessian(u, positive, out))
    }

    fn pick(&self, components: &[u32]) -> Box<dyn Energy> {
        assert!(components.is_sorted(), "components in ascending order");
        let corners = components.iter().map(|&c| self.corners[c as usize]).collect();
        Box::new(Self { corners, flaps: components.iter().map(|&c| self.flaps[c as usize]).collect() })
    }

    fn third_at_rest(&self, component: usize, a: &LocalVector, b: &LocalVector) -> LocalVector {
        self.flaps[component].third_at_rest()(a, b)
    }

    fn thirds_at_rest(
        &self,
        component: usize,
        directions: &[LocalVector],
        pairs: &[(usize, usize)],
        out: &mut [LocalVector],
    ) {
        let third = self.flaps[component].third_at_rest();
        for (out, &(i, j)) in out.iter_mut().zip(pairs) {
            *out = third(&directions[i], &directions[j]);
        }
    }
}

#[cfg(test)]
mod tests {
    use pliant_testkit::{derivative::assert_derivative, numbers::noise};

    use super::*;
    use crate::Own;
    use crate::shell::Constants;

    type Surface = (&'static str, Vec<Vec3>, Vec<[u32; 3]>);

    /// A closed surface, one with a rim, a book of three pages one of which is there twice, and a triangle beside itself.
    fn surfaces() -> Vec<Surface> {
        let ball = pliant_mesh::shapes::ball(1.0, 2);
        let closed = pliant_mesh::topology::boundary_faces(ball.tets());
        let strip: Vec<Vec3> = (0..5)
            .flat_map(|k| [0.0, 0.7].map(|y| Vec3::new(0.4 * f64::from(k), y, 0.1 * f64::from(k * k))))
            .collect();
        let open =
            (0..4).flat_map(|k| [[2 * k, 2 * k + 2, 2 * k + 3], [2 * k, 2 * k + 3, 2 * k + 1]]).collect();
        let pages = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, -1.0, 0.1], [0.5, 0.0, 1.0]];
        let book = pages.map(Vec3::from).to_vec();
        vec![
            ("ball", ball.vertices().to_vec(), closed),
            ("strip", strip, open),
            ("book", book.clone(), vec![[0, 1, 2], [1, 0, 3], [0, 1, 4], [4, 0, 1]]),
            ("twice", book, vec![[0, 1, 2], [2, 0, 1]]),
        ]
    }

    fn shell(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Shell {
        let constants = Constants { bend: 1.3, membrane: 2.1, own: Own::default() };
        Shell::new(&constants, vertices, triangles).expect("areas")
    }

    fn gathered(energy: &dyn Energy, u: &[f64]) -> (Vec<u32>, Vec<LocalVector>) {
        let local = |c: usize| {
            let mut local = [0.0; 12];
            for (a, &v) in energy.corners(c).iter().enumerate() {
                local[3 * a..3 * a + 3].copy_from_slice(&u[3 * v as usize..3 * v as usize + 3]);
            }
            local
        };
        ((0..energy.count() as u32).collect(), (0..energy.count()).map(local).collect())
    }

    /// W, ∂W and ∂²W x of all components.
    fn whole(energy: &dyn Energy, u: &[f64], x: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let ((names, u), (_, x_local)) = (gathered(energy, u), gathered(energy, x));
        let mut W = vec![0.0; names.len()];
        let mut f = vec![[0.0; 12]; names.len()];
        let mut H = vec![[[0.0; 12]; 12]; names.len()];
        energy.energies(&names, &u, &mut W).expect("admissible");
        energy.gradients(&names, &u, &mut f).expect("admissible");
        energy.hessians(&names, &u, Tangent::Exact, &mut H).expect("admissible");
        let (mut force, mut along) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        for c in 0..names.len() {
            for (a, &v) in energy.corners(c).iter().enumerate() {
                for k in 0..3 {
                    force[3 * v as usize + k] += f[c][3 * a + k];
                    let row = H[c][3 * a + k].iter().zip(&x_local[c]);
                    along[3 * v as usize + k] += row.map(|(H, x)| H * x).sum::<f64>();
                }
            }
        }
        (W.iter().sum(), force, along)
    }

    #[test]
    fn all_flaps_are_the_shell() {
        for (name, vertices, triangles) in surfaces() {
            let shell = shell(&vertices, &triangles);
            let flaps = shell.flaps().expect("flaps");
            let n = 3 * vertices.len();
            for (u, x) in [(noise(n, 0.05, 1), noise(n, 1.0, 2)), (noise(n, 0.2, 3), noise(n, 1.0, 4))] {
                let (ours, theirs) = (whole(flaps.as_ref(), &u, &x), whole(&shell, &u, &x));
                assert!((ours.0 / theirs.0 - 1.0).abs() < 1e-12, "{name}: {} J and {} J", ours.0, theirs.0);
                for (a, b) in [(&ours.1, &theirs.1), (&ours.2, &theirs.2)] {
                    let size = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-11 * size), "{name}");
                }
            }
            // ∂³W(0), by its work on a third direction.
            let [a, b, d] = [5, 6, 7].map(|seed| noise(n, 1.0, seed));
            let third = |energy: &dyn Energy| -> f64 {
                let [a, b, d] = [&a, &b, &d].map(|x| gathered(energy, x).1);
                let each = |c: usize| {
                    let third = energy.third_at_rest(c, &a[c], &b[c]);
                    third.iter().zip(&d[c]).map(|(x, y)| x * y).sum::<f64>()
                };
                (0..energy.count()).map(each).sum()
            };
            let (ours, theirs) = (third(flaps.as_ref()), third(&shell));
            assert!((ours - theirs).abs() < 1e-10 * theirs.abs().max(1.0), "{name}: {ours} and {theirs}");
        }
    }

    #[test]
    fn there_is_one_for_every_edge_or_every_hinge_of_a_seam() {
        let counts: Vec<(usize, usize)> = surfaces()
            .iter()
            .map(|(_, vertices, triangles)| {
                let flaps = shell(vertices, triangles).flaps().expect("flaps");
                let hinged = (0..flaps.count()).filter(|&c| flaps.corners(c).len() == 4).count();
                assert!((0..flaps.count()).all(|c| flaps.kind(c) == ComponentKind::Flap));
                (flaps.count(), hinged)
            })
            .collect();
        let closed = &surfaces()[0].2;
        assert_eq!(counts[0], (closed.len() * 3 / 2, closed.len() * 3 / 2));
        // Seven edges in the strip and ten at its rim; of the book's seam five hinges, as one pair of four is the same page, and of
        // its other edges four with one triangle and two with two on the same corners.
        assert_eq!(counts[1], (7 + 10, 7));
        assert_eq!(counts[2], (5 + 4 + 2 * 2, 5));
        assert_eq!(counts[3], (3 * 2, 0));
        let (_, vertices, triangles) = &surfaces()[1];
        assert!(
            shell(vertices, triangles).pick(&[0, 3]).flaps().is_none(),
            "of a few components there are none"
        );
    }

    #[test]
    fn derivatives_are_derivatives_and_some_alone_are_what_they_were() {
        for (name, vertices, triangles) in surfaces() {
            let flaps = shell(&vertices, &triangles).flaps().expect("flaps");
            let n = 3 * vertices.len();
            let (u, v, e) = (noise(n, 0.1, 1), noise(n, 0.5, 2), noise(n, 0.5, 3));
            let at = |h: f64| -> Vec<f64> { u.iter().zip(&v).map(|(u, v)| u + h * v).collect() };
            let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
            let (_, f, Kv) = whole(flaps.as_ref(), &u, &v);
            assert_derivative(name, |h| whole(flaps.as_ref(), &at(h), &v).0, dot(&f, &v));
            assert_derivative(name, |h| dot(&whole(flaps.as_ref(), &at(h), &v).1, &e), dot(&Kv, &e));
            // Without its negative eigenvalues nothing has a negative energy.
            let (names, far) = gathered(flaps.as_ref(), &noise(n, 0.3, 7));
            let mut H = vec![[[0.0; 12]; 12]; names.len()];
            flaps.hessians(&names, &far, Tangent::Positive, &mut H).expect("admissible");
            for (H, x) in H.iter().zip(gathered(flaps.as_ref(), &noise(n, 1.0, 8)).1) {
                let Hx: LocalVector = std::array::from_fn(|i| dot(&H[i], &x));
                assert!(dot(&Hx, &x) > -1e-9 * dot(&x, &x), "{name}");
            }
            let last = flaps.count() as u32 - 1;
            let (few, (_, all)) = (flaps.pick(&[0, last]), gathered(flaps.as_ref(), &u));
            let (mut picked, mut own) = ([0.0; 2], [0.0; 2]);
            let locals = [all[0], all[last as usize]];
            few.energies(&[0, 1], &locals, &mut picked).expect("admissible");
            flaps.energies(&[0, last], &locals, &mut own).expect("admissible");
            assert_eq!(picked, own, "{name}");
            assert_eq!(few.corners(1), flaps.corners(last as usize), "{name}");
        }
    }

    /// Component by component: the force as it is, and what its Hessian makes of a direction; their sum is the derivative of the force.
    #[test]
    fn products_with_a_direction_need_no_matrix() {
        for (name, vertices, triangles) in surfaces() {
            let shell = shell(&vertices, &triangles);
            let flaps = shell.flaps().expect("flaps");
            let n = 3 * vertices.len();
            let (u, v) = (noise(n, 0.1, 1), noise(n, 0.5, 2));
            for energy in [flaps.as_ref(), &shell as &dyn Energy] {
                let ((names, at), x) = (gathered(energy, &u), gathered(energy, &v).1);
                let [mut f, mut forces, mut products] = [(); 3].map(|()| vec![[0.0; 12]; names.len()]);
                let mut H = vec![[[0.0; 12]; 12]; names.len()];
                energy.gradients_along(&names, &at, &x, &mut forces, &mut products).expect("admissible");
                energy.gradients(&names, &at, &mut f).expect("admissible");
                energy.hessians(&names, &at, Tangent::Exact, &mut H).expect("admissible");
                let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
                for c in 0..names.len() {
                    let Hx: LocalVector = std::array::from_fn(|i| dot(&H[c][i], &x[c]));
                    let near = |x: &LocalVector, y: &LocalVector| {
                        let size = 1.0 + dot(y, y).sqrt();
                        x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-11 * size)
                    };
                    assert!(near(&forces[c], &f[c]) && near(&products[c], &Hx), "{name}, {c}");
                }
                let work: f64 = products.iter().zip(&x).map(|(p, x)| dot(p, x)).sum();
                let force = |h: f64| {
                    let moved: Vec<f64> = u.iter().zip(&v).map(|(u, v)| u + h * v).collect();
                    dot(&whole(energy, &moved, &v).1, &v)
                };
                assert_derivative(name, force, work);
            }
        }
    }
}
