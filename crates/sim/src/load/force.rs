//! The same force on each of some vertices: `[[force]]` with `vertices`, `value`, `from`, `to`.
//!
//! On a model all forces that act at the same times are one vector, summed when they are made.

use std::collections::BTreeMap;
use std::sync::Arc;

use pliant_energy::Body;
use pliant_energy::load::{Loads, NodalForce};
use pliant_linalg::Vec3;
use pliant_reduce::{Basis, Model};
use serde::Deserialize;

use super::described::Described;
use super::{BodyLoad, Entry, Exactly, Form, Load, ReducedLoad};
use crate::SimError;
use crate::vertex_rows::add;

pub(super) const ENTRY: Entry =
    Entry { name: "force", about: "a force on each of some vertices", form: Form::Tables, read };

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    force: Vec<One>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    vertices: Vec<u32>,
    value: Exactly<3>,
    from: Option<f64>,
    to: Option<f64>,
}

fn read(text: &str) -> Result<Vec<Arc<dyn Load>>, String> {
    let file: File = super::parsed(text)?;
    let each = |one: One| NodalForce {
        vertices: one.vertices,
        value: Vec3::from(one.value.0),
        from: one.from.unwrap_or(f64::NEG_INFINITY),
        to: one.to.unwrap_or(f64::INFINITY),
    };
    Ok(file.force.into_iter().map(|one| Arc::new(each(one)) as Arc<dyn Load>).collect())
}

impl Load for NodalForce {
    fn kind(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, name: &str, vertices: usize) -> Result<(), String> {
        super::finite(&format!("{name}: value"), self.value.as_slice())?;
        super::all_exist(name, &self.vertices, vertices)?;
        super::lasting(name, self.from, self.to)
    }

    fn vertices(&self) -> Option<&[u32]> {
        Some(&self.vertices)
    }

    fn to_toml(&self) -> String {
        let [x, y, z]: [f64; 3] = self.value.into();
        let lasting = super::window(self.from, self.to);
        format!("vertices = {:?}\nvalue = [{x:?}, {y:?}, {z:?}]\n{lasting}", self.vertices)
    }

    fn on_body(&self, _: &Body) -> Result<Box<dyn BodyLoad>, SimError> {
        Ok(Described::boxed(Loads { forces: vec![self.clone()], ..Loads::default() }))
    }

    fn on_model(&self, model: &Model) -> Result<Box<dyn ReducedLoad>, SimError> {
        let window = windows(model.basis(), std::iter::once(self)).pop();
        Ok(Box::new(window.expect("one force has one window")))
    }

    fn all_on_model(&self, all: &[&dyn Load], model: &Model) -> Result<Vec<Box<dyn ReducedLoad>>, SimError> {
        let forces = all.iter().filter_map(|load| load.downcast_ref());
        let windows = windows(model.basis(), forces).into_iter();
        Ok(windows.map(|window| Box::new(window) as Box<dyn ReducedLoad>).collect())
    }
}

/// Forces on vertices that act from one time to another.
#[derive(Clone)]
struct Window {
    /// Of the first of them. The vertices are left out, for only its time counts.
    when: NodalForce,
    /// The projection of their sum.
    p: Arc<Vec<f64>>,
}

impl ReducedLoad for Window {
    fn force(&mut self, t: f64, _: &[f64], _: &[f64], out: &mut [f64]) {
        if self.when.acts(t) {
            out.iter_mut().zip(&*self.p).for_each(|(out, p)| *out += p);
        }
    }

    fn name(&self) -> &str {
        ENTRY.name
    }

    fn potential(&mut self, t: f64, q: &[f64]) -> Option<f64> {
        let along = || -self.p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>();
        Some(if self.when.acts(t) { along() } else { 0.0 })
    }
}

/// Forces in the order in which their windows come first.
fn windows<'a>(basis: &Basis, forces: impl Iterator<Item = &'a NodalForce>) -> Vec<Window> {
    let mut place_of = BTreeMap::new();
    let mut sums: Vec<(NodalForce, Vec<f64>)> = Vec::new();
    for force in forces {
        let place = *place_of.entry((force.from.to_bits(), force.to.to_bits())).or_insert_with(|| {
            sums.push((NodalForce { vertices: Vec::new(), ..*force }, vec![0.0; basis.rank()]));
            sums.len() - 1
        });
        let p = &mut sums[place].1;
        force.vertices.iter().for_each(|&v| add(basis.vertex(v as usize), force.value, p));
    }
    sums.into_iter().map(|(when, p)| Window { when, p: Arc::new(p) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_of_one_window_are_one_sum() {
        // Four vertices, two coordinates.
        let rows: Vec<f64> = (0..24).map(|k| f64::from(k) - 7.0).collect();
        let basis = Basis::new(2, std::sync::Arc::new(rows));
        let at = |v: u32, from: f64, to: f64| NodalForce {
            vertices: vec![v, 3],
            value: Vec3::new(1.0, f64::from(v), -2.0),
            from,
            to,
        };
        let always = (f64::NEG_INFINITY, f64::INFINITY);
        let mut forces: Vec<NodalForce> = (0..3).map(|v| at(v, always.0, always.1)).collect();
        forces.insert(1, at(0, 1.0, 2.0));
        forces.push(at(1, 1.0, 2.0));
        forces.push(at(1, 1.0, 3.0));
        let windows = windows(&basis, forces.iter());
        let times: Vec<(f64, f64)> = windows.iter().map(|w| (w.when.from, w.when.to)).collect();
        assert_eq!(times, [always, (1.0, 2.0), (1.0, 3.0)]);
        for window in &windows {
            let mut wanted = [0.0; 2];
            for force in forces.iter().filter(|f| (f.from, f.to) == (window.when.from, window.when.to)) {
                force.vertices.iter().for_each(|&v| add(basis.vertex(v as usize), force.value, &mut wanted));
            }
            // Small whole numbers: no rounding.
            assert_eq!(window.p[..], wanted);
        }
    }
}
