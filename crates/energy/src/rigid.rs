//! The rigid motions that the held degrees of freedom leave to a body, found by construction.
//!
//! A part of a body that nothing holds moves freely in six ways: three translations, and three rotations about its
//! middle, linearised, c × (X − X̄)/s, with s the largest distance from the middle. Held degrees of freedom are rows of
//! a matrix B with six columns; what is left are the c with B c = 0. The rows are orthogonalised with the largest first,
//! which tells their rank: a row of which less than [`STRAIGHT`] remains is taken to be spanned by the others.
//!
//! These are the motions without energy of parts that are stiff in themselves. A part with a joint (two tets that share
//! only an edge, two sheets that share only a vertex) has more, which are not found here.

use pliant_linalg::Vec3;

use crate::Body;

/// A vertex that is held counts as off the line (or the point) of those before it when it is off by this fraction of the
/// part's size. Less would give stiffness below 1e-12 of the body's own, which no factorisation tells from none.
const STRAIGHT: f64 = 1e-6;

type Six = [f64; 6];

impl Body {
    /// The connected parts, each the ascending vertices that components tie together, in the order of their first
    /// vertices. Vertices that no component touches are in none.
    pub fn parts(&self) -> Vec<Vec<u32>> {
        let corners = (0..self.components().count()).map(|c| self.components().corners(c));
        let (part_of, count) = pliant_mesh::topology::components(self.rest().len(), corners);
        let mut parts = vec![Vec::new(); count];
        for (v, part) in (0..).zip(part_of) {
            if let Some(part) = part {
                parts[part as usize].push(v);
            }
        }
        parts
    }

    /// How many rigid motions there are: 0 to 6 for each part.
    pub fn rigid_count(&self) -> usize {
        self.parts().iter().map(|part| Fields::new(self, part).left(self).len()).sum()
    }

    /// The rigid motions that the held degrees of freedom leave, 3n entries each, part by part. Held degrees of freedom
    /// are exactly zero, the columns orthonormal in the mass, each with its largest entry positive.
    pub fn rigid_motions(&self) -> Vec<Vec<f64>> {
        let mut local = vec![u32::MAX; self.rest().len()];
        let mut motions = Vec::new();
        for part in self.parts() {
            (0..).zip(&part).for_each(|(k, &v)| local[v as usize] = k);
            let fields = Fields::new(self, &part);
            let raw = fields.left(self).iter().map(|c| fields.motion(self, c)).collect();
            for motion in orthonormal(self, &part, &local, raw) {
                let mut whole = vec![0.0; self.size()];
                for (&v, x) in part.iter().zip(motion) {
                    whole[3 * v as usize..3 * v as usize + 3].copy_from_slice(x.as_slice());
                }
                motions.push(whole);
            }
        }
        motions
    }
}

/// The six fields of a part.
struct Fields<'a> {
    part: &'a [u32],
    middle: Vec3,
    size: f64,
}

impl<'a> Fields<'a> {
    fn new(body: &Body, part: &'a [u32]) -> Self {
        let at = |&v: &u32| body.rest()[v as usize];
        let middle = part.iter().map(at).sum::<Vec3>() / part.len() as f64;
        let size = part.iter().map(|v| (at(v) - middle).norm()).fold(0.0, f64::max);
        Self { part, middle, size: if size > 0.0 { size } else { 1.0 } }
    }

    /// Component c of the six fields at vertex v.
    fn row(&self, body: &Body, v: u32, c: usize) -> Six {
        let r = (body.rest()[v as usize] - self.middle) / self.size;
        let mut row = [0.0; 6];
        row[c] = 1.0;
        // (ω × r)_c = ω_{c+1} r_{c+2} − ω_{c+2} r_{c+1}.
        row[3 + (c + 1) % 3] = r[(c + 2) % 3];
        row[3 + (c + 2) % 3] = -r[(c + 1) % 3];
        row
    }

    /// Orthonormal coefficients of the motions that the held degrees of freedom leave.
    fn left(&self, body: &Body) -> Vec<Six> {
        let held = |&(v, c): &(u32, usize)| body.dofs().is_held(3 * v as usize + c);
        let numbers = self.part.iter().flat_map(|&v| (0..3).map(move |c| (v, c)));
        let mut rows: Vec<Six> = numbers.filter(held).map(|(v, c)| self.row(body, v, c)).collect();
        let mut taken = largest_first(&mut rows, 6, STRAIGHT);
        let rank = taken.len();
        // What is left: unit vectors without what is taken. Of 6 − rank that remain none is small.
        let mut units: Vec<Six> =
            (0..6).map(|k| std::array::from_fn(|j| f64::from(u8::from(j == k)))).collect();
        for unit in &mut units {
            taken.iter().for_each(|q| remove(q, unit));
        }
        taken.extend(largest_first(&mut units, 6 - rank, 0.0));
        taken.split_off(rank)
    }

    /// The motion with these coefficients, held degrees of freedom zero.
    fn motion(&self, body: &Body, coefficients: &Six) -> Vec<Vec3> {
        let number = |v: u32, c: usize| {
            if body.dofs().is_held(3 * v as usize + c) {
                0.0
            } else {
                dot(&self.row(body, v, c), coefficients)
            }
        };
        self.part.iter().map(|&v| Vec3::new(number(v, 0), number(v, 1), number(v, 2))).collect()
    }
}

/// Orthonormalises vectors, always the one with the largest remainder next, until `most` are found or nothing larger
/// than `small` remains.
fn largest_first(vectors: &mut [Six], most: usize, small: f64) -> Vec<Six> {
    let mut found: Vec<Six> = Vec::new();
    while found.len() < most {
        let norms = vectors.iter().map(|x| dot(x, x).sqrt());
        // Of equal ones the first.
        let best = norms
            .enumerate()
            .fold((0, small), |best, (k, norm)| if norm > best.1 { (k, norm) } else { best });
        if best.1 <= small {
            break;
        }
        let mut next = vectors[best.0];
        found.iter().for_each(|q| remove(q, &mut next));
        let norm = dot(&next, &next).sqrt();
        let next = next.map(|x| x / norm);
        vectors.iter_mut().for_each(|x| remove(&next, x));
        found.push(next);
    }
    found
}

fn dot(x: &Six, y: &Six) -> f64 {
    (0..6).map(|k| x[k] * y[k]).sum()
}

/// x ← x − (q·x) q, twice, so that nothing of q remains.
fn remove(q: &Six, x: &mut Six) {
    for _ in 0..2 {
        let along = dot(q, x);
        (0..6).for_each(|k| x[k] -= along * q[k]);
    }
}

/// Gram-Schmidt in the mass of a part, twice over; `local` numbers its vertices.
fn orthonormal(body: &Body, part: &[u32], local: &[u32], raw: Vec<Vec<Vec3>>) -> Vec<Vec<Vec3>> {
    let product = |x: &[Vec3], y: &[Vec3]| x.iter().zip(y).map(|(x, y)| x.dot(y)).sum::<f64>();
    let mut done: Vec<(Vec<Vec3>, Vec<Vec3>)> = Vec::new();
    for mut x in raw {
        for _ in 0..2 {
            for (q, mass_q) in &done {
                let along = product(mass_q, &x);
                x.iter_mut().zip(q).for_each(|(x, q)| *x -= q * along);
            }
        }
        let mass_x = times_mass(body, part, local, &x);
        let largest = x
            .iter()
            .flat_map(|x| x.iter().copied())
            .fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
        let scale = largest.signum() / product(&x, &mass_x).sqrt();
        let scaled = |x: Vec<Vec3>| x.into_iter().map(|x| x * scale).collect::<Vec<Vec3>>();
        done.push((scaled(x), scaled(mass_x)));
    }
    done.into_iter().map(|(x, _)| x).collect()
}

fn times_mass(body: &Body, part: &[u32], local: &[u32], x: &[Vec3]) -> Vec<Vec3> {
    let mass = body.mass();
    let mut y = vec![Vec3::zeros(); x.len()];
    for (j, &v) in part.iter().enumerate() {
        let (slots, rows) = mass.pattern().column(v as usize);
        for (m, &row) in mass.values()[slots].iter().zip(rows) {
            // The mass ties only vertices of one part together.
            let i = local[row as usize] as usize;
            y[i] += x[j] * m[0][0];
            if i != j {
                y[j] += x[i] * m[0][0];
            }
        }
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MassKind, Recipe, Tangent};
    use pliant_mesh::{Faces, MeshData, select};

    fn block(fixed: &[&str]) -> Body {
        let data = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.4, 0.3), [3, 2, 2]).into_data();
        solid(data, fixed)
    }

    fn solid(data: MeshData, fixed: &[&str]) -> Body {
        let fixed = fixed.iter().map(|spec| select::select(&data, spec).expect("a selection")).collect();
        Recipe { material: Some("stvk".into()), fixed, ..Recipe::default() }.build(data).expect("a body")
    }

    /// Counts, and checks that the motions are what they are said to be.
    fn count(body: &Body) -> usize {
        let motions = body.rigid_motions();
        assert_eq!(motions.len(), body.rigid_count());
        let mut stiffness = body.zero_matrix();
        body.stiffness(&vec![0.0; body.size()], Tangent::Exact, &mut stiffness).expect("rest is admissible");
        let largest = stiffness.diagonal().iter().copied().fold(0.0, f64::max);
        for (a, x) in motions.iter().enumerate() {
            let mut mass_x = vec![0.0; body.size()];
            body.mass().apply_per_axis(x, &mut mass_x);
            for (b, y) in motions.iter().enumerate() {
                let product = pliant_linalg::par::dot(&mass_x, y);
                assert!((product - f64::from(u8::from(a == b))).abs() < 1e-12, "{a}, {b}: {product}");
            }
            assert!(stiffness.quadratic(x) < 1e-12 * largest * pliant_linalg::par::dot(x, x), "no energy");
            assert!((0..body.size()).all(|i| !body.dofs().is_held(i) || x[i] == 0.0));
        }
        motions.len()
    }

    #[test]
    fn what_holds_takes_motions_away() {
        for (fixed, expected) in [
            (&["none"][..], 6),
            (&["z<1%:z"], 3),
            (&["ids:0"], 3),
            (&["ids:0,3"], 1),
            (&["ids:0,1,2,3"], 1),
            (&["ids:0,3,4"], 0),
            (&["ids:0:x"], 5),
            (&["x<1%:x", "y<1%:y"], 1),
            (&["x<1%"], 0),
        ] {
            assert_eq!(count(&block(fixed)), expected, "{fixed:?}");
        }
    }

    #[test]
    fn a_slanted_line_leaves_its_rotation_wherever_the_body_is() {
        let mut data = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.4, 0.3), [3, 2, 2]).into_data();
        let turn = pliant_linalg::small::rotation(&Vec3::new(1.0, 2.0, 3.0), 0.7);
        data.vertices.iter_mut().for_each(|p| *p = turn * *p * 0.01 + Vec3::new(3.0, -5.0, 7.0));
        assert_eq!(count(&solid(data.clone(), &["ids:0,1,2,3"])), 1);
        assert_eq!(count(&solid(data, &["none"])), 6);
    }

    #[test]
    fn parts_count_each_for_itself_and_unused_vertices_do_not() {
        let one = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.4, 0.3), [2, 1, 1]).into_data();
        let pliant_mesh::Elements::Tets(tets) = &one.elements else { unreachable!() };
        let n = one.vertices.len() as u32;
        let mut vertices = one.vertices.clone();
        vertices.extend(one.vertices.iter().map(|p| p + Vec3::new(3.0, 0.0, 0.0)));
        vertices.push(Vec3::new(9.0, 9.0, 9.0));
        let both = tets.iter().copied().chain(tets.iter().map(|t| t.map(|v| v + n))).collect();
        let data = MeshData::from_tets(vertices, both);
        let body = solid(data.clone(), &["none"]);
        assert_eq!(body.parts().iter().map(Vec::len).collect::<Vec<_>>(), [n as usize; 2]);
        assert_eq!(count(&body), 12);
        assert_eq!(count(&solid(data, &["x<1%"])), 6);
    }

    #[test]
    fn surfaces_have_them_too() {
        for mass in [MassKind::Lumped, MassKind::Consistent] {
            let recipe = Recipe { mass: Some(mass), ..Recipe::default() };
            let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y()];
            let triangle = MeshData::from_faces(corners, Faces::from_triangles(&[[0, 1, 2]]));
            assert_eq!(count(&recipe.build(triangle).expect("a body")), 6);
            let ball = pliant_mesh::shapes::ball(1.0, 3);
            let faces = pliant_mesh::topology::boundary_faces(ball.tets());
            let surface = MeshData::from_faces(ball.vertices().to_vec(), Faces::from_triangles(&faces));
            assert_eq!(count(&recipe.build(surface).expect("a body")), 6);
        }
    }
}
