//! A spring from a vertex to a target that moves: `[[spring]]` with `vertex`, `stiffness`, `path`, `from`, `to`.
//!
//! On a model it needs the three rows B of its vertex: Bᵀ pull, stiffness k BᵀB.

use std::sync::Arc;

use pliant_energy::Body;
use pliant_energy::load::{Loads, Spring};
use pliant_linalg::{DenseSymmetric, Mat3, Vec3, number, rows};
use pliant_reduce::{Basis, Model, warp};
use serde::Deserialize;

use super::described::Described;
use super::{BodyLoad, Entry, Exactly, Form, Load, ReducedLoad};
use crate::SimError;
use crate::vertex_rows::add;

pub(super) const ENTRY: Entry =
    Entry { name: "spring", about: "a spring from a vertex to a moving target", form: Form::Tables, read };

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    spring: Vec<One>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    vertex: u32,
    stiffness: f64,
    path: Vec<Exactly<4>>,
    from: Option<f64>,
    to: Option<f64>,
}

fn read(text: &str) -> Result<Vec<Arc<dyn Load>>, String> {
    let file: File = super::parsed(text)?;
    let each = |one: One| Spring {
        vertex: one.vertex,
        stiffness: one.stiffness,
        path: one.path.iter().map(|Exactly([t, x, y, z])| (*t, Vec3::new(*x, *y, *z))).collect(),
        from: one.from.unwrap_or(f64::NEG_INFINITY),
        to: one.to.unwrap_or(f64::INFINITY),
    };
    Ok(file.spring.into_iter().map(|one| Arc::new(each(one)) as Arc<dyn Load>).collect())
}

impl Load for Spring {
    fn kind(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, name: &str, vertices: usize) -> Result<(), String> {
        super::all_exist(name, &[self.vertex], vertices)?;
        if !(self.stiffness.is_finite() && self.stiffness >= 0.0) {
            let found = number(self.stiffness);
            return Err(format!("{name}: stiffness = {found}: expected a finite number >= 0 N/m"));
        }
        if self.path.is_empty() {
            return Err(format!("{name}: path is empty; expected at least one [t, x, y, z]"));
        }
        for (t, place) in &self.path {
            super::finite(&format!("{name}: path"), &[*t, place.x, place.y, place.z])?;
        }
        if let Some(w) = self.path.windows(2).find(|w| w[1].0 <= w[0].0) {
            let (t0, t1) = (number(w[0].0), number(w[1].0));
            return Err(format!("{name}: path goes from t = {t0} to t = {t1}; expected rising times"));
        }
        super::lasting(name, self.from, self.to)
    }

    fn vertices(&self) -> Option<&[u32]> {
        Some(std::slice::from_ref(&self.vertex))
    }

    fn to_toml(&self) -> String {
        let point = |(t, p): &(f64, Vec3)| format!("\n  [{t:?}, {:?}, {:?}, {:?}],", p.x, p.y, p.z);
        let path: String = self.path.iter().map(point).collect();
        let (vertex, stiffness) = (self.vertex, self.stiffness);
        let lasting = super::window(self.from, self.to);
        format!("vertex = {vertex}\nstiffness = {stiffness:?}\n{lasting}path = [{path}\n]\n")
    }

    fn on_body(&self, _: &Body) -> Result<Box<dyn BodyLoad>, SimError> {
        Ok(Described::boxed(Loads { springs: vec![self.clone()], ..Loads::default() }))
    }

    fn on_model(&self, model: &Model) -> Result<Box<dyn ReducedLoad>, SimError> {
        let rest = model.mesh().vertices[self.vertex as usize];
        Ok(Box::new(Own { spring: ReducedSpring::new(self.clone(), rest), basis: model.basis().clone() }))
    }
}

/// A spring, and where its vertex rests.
///
/// Of a body that is shown warped it pulls at the vertex that is seen. For the length of a step that vertex is taken to move as the
/// linear one does, turned: x = x₀ + R B (q − q₀) with R = exp(ω_v(q₀)), so that the force Bᵀ Rᵀ k (target − x) has the potential
/// ½ k |target − x|², and k BᵀB for its stiffness.
#[derive(Clone)]
pub(crate) struct ReducedSpring {
    pub(crate) spring: Spring,
    pub(crate) rest: Vec3,
    view: Option<View>,
}

/// A vertex as it is seen.
#[derive(Clone)]
struct View {
    /// ω_v = A q.
    spin: Arc<[f64]>,
    /// R.
    turn: Mat3,
    /// x₀, and where the linear motion has the vertex then, m.
    seen: Vec3,
    linear: Vec3,
}

impl ReducedSpring {
    pub(crate) fn new(spring: Spring, rest: Vec3) -> Self {
        Self { spring, rest, view: None }
    }

    /// The body looks like U p where the linear motion is q. Takes memory when it is first asked of a vertex.
    pub(crate) fn look(&mut self, model: &Model, q: &[f64], p: &[f64]) {
        let spin = match self.view.take() {
            Some(view) => view.spin,
            None => warp::vertex_spin(model.mesh(), model.basis(), self.spring.vertex)
                .expect("a mesh whose body was reduced")
                .into(),
        };
        let mut w = [0.0; 3];
        rows::expand(&spin, q, &mut w);
        let turn = warp::rotation(&w.into());
        let [linear, seen] = [q, p].map(|q| self.linear(model.basis(), q));
        self.view = Some(View { spin, turn, seen, linear });
    }

    /// The body looks as it moves.
    pub(crate) fn look_away(&mut self) {
        self.view = None;
    }

    /// Where the linear motion has the vertex.
    fn linear(&self, basis: &Basis, q: &[f64]) -> Vec3 {
        self.rest + Vec3::from(basis.at(q, self.spring.vertex as usize))
    }

    fn rows<'a>(&self, basis: &'a Basis) -> &'a [f64] {
        basis.vertex(self.spring.vertex as usize)
    }

    /// Where it is seen.
    fn place(&self, basis: &Basis, q: &[f64]) -> Vec3 {
        let linear = self.linear(basis, q);
        self.view.as_ref().map_or(linear, |view| view.seen + view.turn * (linear - view.linear))
    }

    /// The force on its vertex, N.
    pub(crate) fn pull(&self, basis: &Basis, t: f64, q: &[f64]) -> Vec3 {
        self.spring.pull(t, self.place(basis, q))
    }

    /// out ← out + Bᵀ pull.
    pub(crate) fn force(&self, basis: &Basis, t: f64, q: &[f64], out: &mut [f64]) {
        if self.spring.acts(t) {
            let pull = self.pull(basis, t, q);
            add(self.rows(basis), self.view.as_ref().map_or(pull, |view| view.turn.tr_mul(&pull)), out);
        }
    }

    pub(crate) fn potential(&self, basis: &Basis, t: f64, q: &[f64]) -> f64 {
        if self.spring.acts(t) { self.spring.potential(t, self.place(basis, q)) } else { 0.0 }
    }

    /// out ← out + k BᵀB.
    pub(crate) fn stiffness(&self, basis: &Basis, t: f64, out: &mut DenseSymmetric) {
        if !self.spring.acts(t) {
            return;
        }
        let r = out.size();
        let values = out.values_mut();
        for row in self.rows(basis).chunks_exact(r) {
            for (i, b) in row.iter().enumerate() {
                let scaled = self.spring.stiffness * b;
                let into = &mut values[i * r + i..(i + 1) * r];
                into.iter_mut().zip(&row[i..]).for_each(|(k, b)| *k += scaled * b);
            }
        }
    }

    /// ‖B‖ k |x|, N.
    pub(crate) fn rounding(&self, basis: &Basis, q: &[f64]) -> f64 {
        let norm = self.rows(basis).iter().map(|b| b * b).sum::<f64>().sqrt();
        norm * self.spring.stiffness * (self.rest.norm() + self.place(basis, q).norm())
    }
}

/// A spring with the basis that it acts in.
#[derive(Clone)]
struct Own {
    spring: ReducedSpring,
    basis: Basis,
}

impl ReducedLoad for Own {
    fn force(&mut self, t: f64, q: &[f64], _: &[f64], out: &mut [f64]) {
        self.spring.force(&self.basis, t, q, out);
    }

    fn name(&self) -> &str {
        ENTRY.name
    }

    fn look(&mut self, model: &Model, q: &[f64], p: &[f64]) {
        self.spring.look(model, q, p);
    }

    fn potential(&mut self, t: f64, q: &[f64]) -> Option<f64> {
        Some(self.spring.potential(&self.basis, t, q))
    }

    fn stiffness(&mut self, t: f64, _: &[f64], _: &[f64], out: &mut DenseSymmetric) -> bool {
        self.spring.stiffness(&self.basis, t, out);
        true
    }

    fn rounding(&self, q: &[f64]) -> f64 {
        self.spring.rounding(&self.basis, q)
    }
}
