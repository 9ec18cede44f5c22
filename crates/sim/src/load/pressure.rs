//! Pressure on the boundary, which follows it: `[[pressure]]` with `value`, `from`, `to`.
//!
//! On a model the vertices of the boundary are reconstructed every time: slow, but right. Nothing allocates after it was made.

use std::sync::Arc;

use pliant_energy::Body;
use pliant_energy::load::{Loads, Pressure, pressed};
use pliant_linalg::{DenseSymmetric, Vec3, rows};
use pliant_reduce::Model;
use serde::Deserialize;

use super::described::Described;
use super::{BodyLoad, Entry, Form, Load, ReducedLoad};
use crate::SimError;

pub(super) const ENTRY: Entry =
    Entry { name: "pressure", about: "pressure on the boundary", form: Form::Tables, read };

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    pressure: Vec<One>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    value: f64,
    from: Option<f64>,
    to: Option<f64>,
}

fn read(text: &str) -> Result<Vec<Arc<dyn Load>>, String> {
    let file: File = super::parsed(text)?;
    let each = |one: One| Pressure {
        value: one.value,
        from: one.from.unwrap_or(f64::NEG_INFINITY),
        to: one.to.unwrap_or(f64::INFINITY),
    };
    Ok(file.pressure.into_iter().map(|one| Arc::new(each(one)) as Arc<dyn Load>).collect())
}

impl Load for Pressure {
    fn kind(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, name: &str, _: usize) -> Result<(), String> {
        super::finite(&format!("{name}: value"), &[self.value])?;
        super::lasting(name, self.from, self.to)
    }

    fn to_toml(&self) -> String {
        format!("value = {:?}\n{}", self.value, super::window(self.from, self.to))
    }

    fn on_body(&self, _: &Body) -> Result<Box<dyn BodyLoad>, SimError> {
        Ok(Described::boxed(together(&[self])))
    }

    fn on_model(&self, model: &Model) -> Result<Box<dyn ReducedLoad>, SimError> {
        Ok(Box::new(Pressed::new(model, together(&[self]))?))
    }

    fn all_on_body(&self, all: &[&dyn Load], _: &Body) -> Result<Vec<Box<dyn BodyLoad>>, SimError> {
        Ok(vec![Described::boxed(together(all))])
    }

    fn all_on_model(&self, all: &[&dyn Load], model: &Model) -> Result<Vec<Box<dyn ReducedLoad>>, SimError> {
        Ok(vec![Box::new(Pressed::new(model, together(all))?)])
    }
}

/// The pressures alone: their sum acts.
fn together(all: &[&dyn Load]) -> Loads {
    let pressures = all.iter().filter_map(|load| load.downcast_ref()).copied().collect();
    Loads { pressures, ..Loads::default() }
}

/// The boundary, for pressure.
#[derive(Clone)]
struct Pressed {
    /// The pressures alone.
    loads: Loads,
    /// Corners, as places in the lists below.
    triangles: Arc<Vec<[u32; 3]>>,
    rest: Arc<Vec<Vec3>>,
    /// Rows of U of these vertices, one after the other.
    rows: Arc<Vec<f64>>,
    u: Vec<f64>,
    f: Vec<f64>,
    p: Vec<f64>,
    /// K U, rows as above.
    stiff: Vec<f64>,
}

impl Pressed {
    fn new(model: &Model, loads: Loads) -> Result<Self, SimError> {
        let body = model.body()?;
        let mut vertices: Vec<u32> = body.boundary().as_flattened().to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        let place = |v: u32| vertices.binary_search(&v).expect("every corner is in the list") as u32;
        let rows: Vec<f64> =
            vertices.iter().flat_map(|&v| model.basis().vertex(v as usize)).copied().collect();
        let zeros = || vec![0.0; 3 * vertices.len()];
        Ok(Self {
            loads,
            triangles: Arc::new(body.boundary().iter().map(|t| t.map(place)).collect()),
            rest: Arc::new(vertices.iter().map(|&v| body.rest()[v as usize]).collect()),
            stiff: vec![0.0; rows.len()],
            u: zeros(),
            f: zeros(),
            p: vec![0.0; model.basis().rank()],
            rows: Arc::new(rows),
        })
    }

    fn corners(&self, triangle: [u32; 3]) -> [Vec3; 3] {
        triangle.map(|v| {
            let v = v as usize;
            self.rest[v] + Vec3::new(self.u[3 * v], self.u[3 * v + 1], self.u[3 * v + 2])
        })
    }
}

impl ReducedLoad for Pressed {
    fn force(&mut self, t: f64, q: &[f64], _: &[f64], out: &mut [f64]) {
        let pressure = self.loads.pressure(t);
        if pressure == 0.0 {
            return;
        }
        rows::expand(&self.rows, q, &mut self.u);
        self.f.fill(0.0);
        for &triangle in &*self.triangles {
            let share = pressed::force(pressure, self.corners(triangle));
            triangle.iter().for_each(|&v| (0..3).for_each(|c| self.f[3 * v as usize + c] += share[c]));
        }
        rows::project(&self.rows, &self.f, &mut self.p);
        out.iter_mut().zip(&self.p).for_each(|(out, p)| *out += p);
    }

    fn name(&self) -> &str {
        ENTRY.name
    }

    fn potential(&mut self, t: f64, q: &[f64]) -> Option<f64> {
        let pressure = self.loads.pressure(t);
        if pressure == 0.0 {
            return Some(0.0);
        }
        rows::expand(&self.rows, q, &mut self.u);
        // Seen from a vertex of the body, as at full order.
        let tip = self.triangles.first().map_or_else(Vec3::zeros, |t| self.rest[t[0] as usize]);
        Some(self.triangles.iter().map(|&t| pressed::potential(pressure, self.corners(t), tip)).sum())
    }

    fn stiffness(&mut self, t: f64, q: &[f64], _: &[f64], out: &mut DenseSymmetric) -> bool {
        let pressure = self.loads.pressure(t);
        if pressure == 0.0 {
            return true;
        }
        rows::expand(&self.rows, q, &mut self.u);
        let r = out.size();
        self.stiff.fill(0.0);
        for &triangle in &*self.triangles {
            let blocks = pressed::stiffness(pressure, self.corners(triangle));
            for (k, block) in blocks.iter().enumerate() {
                let (i, j) = (3 * triangle[k] as usize, 3 * triangle[(k + 1) % 3] as usize);
                for a in 0..3 {
                    for b in 0..3 {
                        let x = block[(a, b)];
                        axpy_row(x, &self.rows, j + b, &mut self.stiff, i + a, r);
                        axpy_row(x, &self.rows, i + a, &mut self.stiff, j + b, r);
                    }
                }
            }
        }
        let values = out.values_mut();
        for (u, ku) in self.rows.chunks_exact(r).zip(self.stiff.chunks_exact(r)) {
            for (i, u) in u.iter().enumerate() {
                let into = &mut values[i * r + i..(i + 1) * r];
                into.iter_mut().zip(&ku[i..]).for_each(|(k, ku)| *k += u * ku);
            }
        }
        true
    }
}

/// Row i of `into` ← itself + x · row j of `from`.
fn axpy_row(x: f64, from: &[f64], j: usize, into: &mut [f64], i: usize, r: usize) {
    let (into, from) = (&mut into[i * r..(i + 1) * r], &from[j * r..(j + 1) * r]);
    into.iter_mut().zip(from).for_each(|(into, from)| *into += x * from);
}
