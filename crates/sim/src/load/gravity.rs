//! Gravity: f = m g on every vertex. `gravity = [0.0, -9.81, 0.0]`.

use std::sync::Arc;

use pliant_energy::{Body, load::Loads};
use pliant_linalg::Vec3;
use pliant_reduce::Model;
use serde::Deserialize;

use super::described::Described;
use super::{BodyLoad, Entry, Exactly, Form, Load, ReducedLoad};
use crate::SimError;

pub(super) const ENTRY: Entry =
    Entry { name: "gravity", about: "the weight of all vertices", form: Form::Value, read };

/// The weight of all vertices; m/s².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gravity(pub Vec3);

#[derive(Deserialize)]
struct File {
    gravity: Option<Exactly<3>>,
}

fn read(text: &str) -> Result<Vec<Arc<dyn Load>>, String> {
    let file: File = super::parsed(text)?;
    Ok(file.gravity.into_iter().map(|g| Arc::new(Gravity(g.0.into())) as Arc<dyn Load>).collect())
}

impl Load for Gravity {
    fn kind(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, name: &str, _: usize) -> Result<(), String> {
        super::finite(name, self.0.as_slice())
    }

    fn to_toml(&self) -> String {
        format!("[{:?}, {:?}, {:?}]", self.0.x, self.0.y, self.0.z)
    }

    fn on_body(&self, _: &Body) -> Result<Box<dyn BodyLoad>, SimError> {
        Ok(Described::boxed(Loads { gravity: self.0, ..Loads::default() }))
    }

    fn on_model(&self, model: &Model) -> Result<Box<dyn ReducedLoad>, SimError> {
        let (of_one, p) = (Arc::new(model.gravity().clone()), vec![0.0; model.rank()]);
        let mut load = ReducedGravity { of_one, gravity: self.0, p };
        load.set_density(1.0);
        Ok(Box::new(load))
    }
}

/// p_k = Σ_d g_d (Uᵀ m)_dk. What [`crate::Live::set_gravity`] sets is kept by the reduced system itself; this is gravity as
/// one load among others.
#[derive(Clone)]
struct ReducedGravity {
    /// Of 1 m/s² along each axis.
    of_one: Arc<[Vec<f64>; 3]>,
    gravity: Vec3,
    p: Vec<f64>,
}

impl ReducedLoad for ReducedGravity {
    fn force(&mut self, _: f64, _: &[f64], _: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(&self.p).for_each(|(out, p)| *out += p);
    }

    fn name(&self) -> &str {
        ENTRY.name
    }

    fn potential(&mut self, _: f64, q: &[f64]) -> Option<f64> {
        Some(-self.p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>())
    }

    fn set_density(&mut self, factor: f64) {
        let gravity = self.gravity * factor;
        for (k, p) in self.p.iter_mut().enumerate() {
            *p = (0..3).map(|d| self.of_one[d][k] * gravity[d]).sum();
        }
    }
}
