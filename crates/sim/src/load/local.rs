//! Loads on single vertices: the physics of one vertex, and the rest for free.
//!
//! ```text
//! f_v(t, x_v, ẋ_v) on some vertices;      on a model:  Σ Bᵀf,   stiffness Σ Bᵀ(−∂f/∂x)B,   damping Σ Bᵀ(−∂f/∂ẋ)B
//! ```
//! B are the three rows of U of a vertex: what a step costs grows with the vertices that are named, not with the mesh.

use pliant_energy::Body;
use pliant_linalg::{DenseSymmetric, Mat3, Symmetric, Vec3};
use pliant_reduce::{Basis, Model};

use super::{BodyLoad, ReducedLoad};
use crate::vertex_rows::add;

/// A force on each of some vertices that depends on time and on where that vertex is and how it moves, on no other vertex.
pub trait VertexLoad: Clone + Send + Sync + 'static {
    /// Which; one that is named twice gets it twice.
    fn vertices(&self) -> &[u32];

    /// f at time t, s, on a vertex at x, m, that moves with v, m/s; N.
    fn force(&self, t: f64, x: Vec3, v: Vec3) -> Vec3;

    /// V with f = −∂V/∂x, J; `None` where it has none.
    fn potential(&self, _t: f64, _x: Vec3) -> Option<f64> {
        None
    }

    /// −∂f/∂x, of which the symmetric part counts, N/m; `None` where f does not depend on x.
    fn stiffness(&self, _t: f64, _x: Vec3, _v: Vec3) -> Option<Mat3> {
        None
    }

    /// −∂f/∂v, of which the symmetric part counts, N s/m; `None` where f does not depend on v.
    fn damping(&self, _t: f64, _x: Vec3, _v: Vec3) -> Option<Mat3> {
        None
    }
}

/// Such a load on a body at full order.
pub fn on_body<L: VertexLoad>(load: &L, _body: &Body) -> Box<dyn BodyLoad> {
    Box::new(OnBody(load.clone()))
}

/// Such a load on a model. The vertices must be there.
pub fn on_model<L: VertexLoad>(load: &L, model: &Model) -> Box<dyn ReducedLoad> {
    let rest = load.vertices().iter().map(|&v| model.mesh().vertices[v as usize]).collect();
    Box::new(OnModel { load: load.clone(), rest, basis: model.basis().clone() })
}

struct OnBody<L>(L);

impl<L: VertexLoad> OnBody<L> {
    /// Adds a block for every vertex; whether there is any.
    fn blocks(
        &self,
        body: &Body,
        u: &[f64],
        v: &[f64],
        out: &mut Symmetric<3>,
        block: impl Fn(Vec3, Vec3) -> Option<Mat3>,
    ) -> bool {
        let pattern = out.pattern().clone();
        let mut any = false;
        for &vertex in self.0.vertices() {
            let Some(block) = block(body.rest()[vertex as usize] + at(u, vertex), at(v, vertex)) else {
                continue;
            };
            any = true;
            let value = &mut out.values_mut()[pattern.column(vertex as usize).0.start];
            (0..3).for_each(|r| {
                (0..3).for_each(|c| value[r][c] += 0.5 * (block[(r, c)] + block[(c, r)]));
            });
        }
        any
    }
}

impl<L: VertexLoad> BodyLoad for OnBody<L> {
    fn force(&mut self, body: &Body, t: f64, u: &[f64], v: &[f64], out: &mut [f64]) {
        for &vertex in self.0.vertices() {
            let f = self.0.force(t, body.rest()[vertex as usize] + at(u, vertex), at(v, vertex));
            (0..3).for_each(|c| out[3 * vertex as usize + c] += f[c]);
        }
    }

    fn potential(&mut self, body: &Body, t: f64, u: &[f64]) -> Option<f64> {
        let of = |&vertex: &u32| self.0.potential(t, body.rest()[vertex as usize] + at(u, vertex));
        self.0.vertices().iter().map(of).sum()
    }

    fn stiffness(&mut self, body: &Body, t: f64, u: &[f64], v: &[f64], out: &mut Symmetric<3>) -> bool {
        self.blocks(body, u, v, out, |x, v| self.0.stiffness(t, x, v))
    }

    fn damping(&mut self, body: &Body, t: f64, u: &[f64], v: &[f64], out: &mut Symmetric<3>) -> bool {
        self.blocks(body, u, v, out, |x, v| self.0.damping(t, x, v))
    }
}

#[derive(Clone)]
struct OnModel<L> {
    load: L,
    rest: Vec<Vec3>,
    basis: Basis,
}

impl<L: VertexLoad> OnModel<L> {
    /// The vertex, where it is, and how it moves.
    fn places(&self, q: &[f64], v: &[f64]) -> impl Iterator<Item = (u32, Vec3, Vec3)> {
        self.load.vertices().iter().zip(&self.rest).map(|(&vertex, rest)| {
            let of = |x: &[f64]| Vec3::from(self.basis.at(x, vertex as usize));
            (vertex, rest + of(q), of(v))
        })
    }

    /// Adds Bᵀ block B for every vertex; whether there is any.
    fn blocks(
        &self,
        q: &[f64],
        v: &[f64],
        out: &mut DenseSymmetric,
        block: impl Fn(Vec3, Vec3) -> Option<Mat3>,
    ) -> bool {
        let r = out.size();
        let mut any = false;
        for (vertex, x, v) in self.places(q, v) {
            let Some(block) = block(x, v) else { continue };
            any = true;
            let rows = self.basis.vertex(vertex as usize);
            let values = out.values_mut();
            for a in 0..3 {
                for b in 0..3 {
                    let k = 0.5 * (block[(a, b)] + block[(b, a)]);
                    let (left, right) = (&rows[a * r..(a + 1) * r], &rows[b * r..(b + 1) * r]);
                    for (i, l) in left.iter().enumerate() {
                        let scaled = k * l;
                        let into = &mut values[i * r + i..(i + 1) * r];
                        into.iter_mut().zip(&right[i..]).for_each(|(into, b)| *into += scaled * b);
                    }
                }
            }
        }
        any
    }
}

impl<L: VertexLoad> ReducedLoad for OnModel<L> {
    fn force(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        for (vertex, x, v) in self.places(q, v) {
            add(self.basis.vertex(vertex as usize), self.load.force(t, x, v), out);
        }
    }

    fn potential(&mut self, t: f64, q: &[f64]) -> Option<f64> {
        self.places(q, q).map(|(_, x, _)| self.load.potential(t, x)).sum()
    }

    fn stiffness(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut DenseSymmetric) -> bool {
        self.blocks(q, v, out, |x, v| self.load.stiffness(t, x, v))
    }

    fn damping(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut DenseSymmetric) -> bool {
        self.blocks(q, v, out, |x, v| self.load.damping(t, x, v))
    }
}

fn at(x: &[f64], vertex: u32) -> Vec3 {
    let v = 3 * vertex as usize;
    Vec3::new(x[v], x[v + 1], x[v + 2])
}
