//! Loads: one file for each kind, one line in [`ALL`].
//!
//! ```text
//! f_ext = f(t, q, v),     −∂f/∂q: its stiffness,     −∂f/∂v: its damping,     f = −∂V/∂q where it has a potential
//! ```
//! A [`Load`] is a description: what a scenario file says. On a body at full order it becomes a [`BodyLoad`], on a reduced
//! model a [`ReducedLoad`]; those are what integrators feel. A program adds kinds of its own to the table before it reads a
//! scenario, and they then act in [`crate::Full`], [`crate::Reduced`] and [`crate::Live`] like those of the house. A load that
//! acts on single vertices needs its physics once: [`local::VertexLoad`].
//!
//! ```
//! use std::sync::Arc;
//! use pliant_linalg::{Mat3, Vec3};
//! use pliant_sim::load::local::{self, VertexLoad};
//! use pliant_sim::load::{self, BodyLoad, Entry, Form, Load, ReducedLoad};
//! use pliant_sim::{Scenario, SimError};
//!
//! /// Air that slows vertices: f = −c v.
//! #[derive(Clone, Debug)]
//! struct Air { c: f64, vertices: Vec<u32> }
//!
//! impl VertexLoad for Air {
//!     fn vertices(&self) -> &[u32] { &self.vertices }
//!     fn force(&self, _t: f64, _x: Vec3, v: Vec3) -> Vec3 { v * -self.c }
//!     fn damping(&self, _t: f64, _x: Vec3, _v: Vec3) -> Option<Mat3> { Some(Mat3::identity() * self.c) }
//! }
//!
//! impl Load for Air {
//!     fn kind(&self) -> &'static str { "air" }
//!     fn vertices(&self) -> Option<&[u32]> { Some(&self.vertices) }
//!     fn to_toml(&self) -> String { format!("c = {:?}\nvertices = {:?}\n", self.c, self.vertices) }
//!     fn check(&self, name: &str, vertices: usize) -> Result<(), String> {
//!         load::finite(&format!("{name}: c"), &[self.c])?;
//!         load::all_exist(name, &self.vertices, vertices)
//!     }
//!     fn on_body(&self, body: &pliant_energy::Body) -> Result<Box<dyn BodyLoad>, SimError> {
//!         Ok(local::on_body(self, body))
//!     }
//!     fn on_model(&self, model: &pliant_reduce::Model) -> Result<Box<dyn ReducedLoad>, SimError> {
//!         Ok(local::on_model(self, model))
//!     }
//! }
//!
//! fn read(text: &str) -> Result<Vec<Arc<dyn Load>>, String> {
//!     // With any reader of TOML: every `[[air]]` of the file.
//! #   #[derive(serde::Deserialize)]
//! #   struct File { #[serde(default)] air: Vec<One> }
//! #   #[derive(serde::Deserialize)]
//! #   struct One { c: f64, vertices: Vec<u32> }
//! #   let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
//! #   let all = file.air.into_iter().map(|a| Arc::new(Air { c: a.c, vertices: a.vertices }) as Arc<dyn Load>);
//! #   Ok(all.collect())
//! }
//! static AIR: Entry = Entry { name: "air", about: "air that slows vertices", form: Form::Tables, read };
//!
//! load::ALL.add(&AIR)?;
//! let scenario = Scenario::parse("dt = 0.01\nsteps = 9\n[[air]]\nc = 0.5\nvertices = [2, 3]", 8)?;
//! assert_eq!(scenario.loads.of::<Air>().next().map(|air| air.c), Some(0.5));
//! let error = Scenario::parse("dt = 0.01\nsteps = 9\n[[air]]\nc = 0.5\nvertices = [9]", 8).unwrap_err();
//! assert_eq!(error.to_string(), "air 1 names vertex 9; the body has 8 vertices, 0 to 7");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod described;
mod force;
mod gravity;
pub mod local;
mod pressure;
mod set;
mod spring;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use pliant_energy::Body;
use pliant_linalg::{DenseSymmetric, Named, Symmetric, Table, number, one_line, quote};
use pliant_reduce::Model;

use crate::SimError;
pub use gravity::Gravity;
pub use set::LoadSet;
pub(crate) use set::name_of;
pub(crate) use spring::ReducedSpring;

/// What acts on a body from outside, as a scenario states it.
pub trait Load: Any + fmt::Debug + Send + Sync {
    /// What kind it is: the key in scenario files.
    fn kind(&self) -> &'static str;

    /// Whether it can act on a body of so many vertices; everything else trusts that it can.
    ///
    /// # Errors
    /// A sentence that begins with `name`, such as "force 2".
    fn check(&self, name: &str, vertices: usize) -> Result<(), String>;

    /// The vertices that it names; `None` where it acts on the body as a whole.
    fn vertices(&self) -> Option<&[u32]> {
        None
    }

    /// As it stands in a scenario: lines `key = value` below the head `[[kind]]`, or, of a kind of the form [`Form::Value`], the
    /// value. Reading that gives the same load again; two loads of one kind with one text are the same load.
    fn to_toml(&self) -> String;

    /// The load on a body at full order.
    ///
    /// # Errors
    /// Where it cannot be made.
    fn on_body(&self, body: &Body) -> Result<Box<dyn BodyLoad>, SimError>;

    /// The load in the coordinates of a model.
    ///
    /// # Errors
    /// Where it cannot be made.
    fn on_model(&self, model: &Model) -> Result<Box<dyn ReducedLoad>, SimError>;

    /// All loads of this kind on one body, `self` the first of them: for kinds that cost less together.
    ///
    /// # Errors
    /// Where one cannot be made.
    fn all_on_body(&self, all: &[&dyn Load], body: &Body) -> Result<Vec<Box<dyn BodyLoad>>, SimError> {
        all.iter().map(|load| load.on_body(body)).collect()
    }

    /// All loads of this kind on one model, `self` the first of them: for kinds that cost less together.
    ///
    /// # Errors
    /// Where one cannot be made.
    fn all_on_model(&self, all: &[&dyn Load], model: &Model) -> Result<Vec<Box<dyn ReducedLoad>>, SimError> {
        all.iter().map(|load| load.on_model(model)).collect()
    }
}

impl dyn Load {
    /// The load itself, if it is a `T`.
    pub fn downcast_ref<T: Load>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

/// A load on a body at full order: u and v are the displacements and velocities of all vertices, 3n entries each.
pub trait BodyLoad: Send + Sync {
    /// out ← out + f(t, u, v), N. Of components that are held nothing is used.
    fn force(&mut self, body: &Body, t: f64, u: &[f64], v: &[f64], out: &mut [f64]);

    /// V(t, u), J, with f = −∂V/∂u; `None` where it has none.
    fn potential(&mut self, _body: &Body, _t: f64, _u: &[f64]) -> Option<f64> {
        None
    }

    /// out ← out − ∂f/∂u, its symmetric part, N/m, on the pattern of the body's stiffness; `false` where f does not depend on u.
    fn stiffness(&mut self, _body: &Body, _t: f64, _u: &[f64], _v: &[f64], _out: &mut Symmetric<3>) -> bool {
        false
    }

    /// out ← out − ∂f/∂v, its symmetric part, N s/m, on the same pattern; `false` where f does not depend on v.
    fn damping(&mut self, _body: &Body, _t: f64, _u: &[f64], _v: &[f64], _out: &mut Symmetric<3>) -> bool {
        false
    }

    /// sums ← sums + the sizes of the numbers whose difference the force is, N: times ε that is its rounding.
    fn rounding(&self, _body: &Body, _u: &[f64], _sums: &mut [f64]) {}
}

/// A load in reduced coordinates q with rates v. Only the force is needed; a load that depends on q or v and states its
/// stiffness and damping costs fewer iterations. A step calls these methods many times: they should take no memory.
///
/// A live model may come to use fewer of its coordinates, the first ones: the lengths of q and v say how many.
pub trait ReducedLoad: Duplicate + Send + Sync {
    /// out ← out + f(t, q, v) = Uᵀ f_ext.
    fn force(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]);

    /// What sentences call it.
    fn name(&self) -> &str {
        "load"
    }

    /// At the beginning of a step: where the linear motion is q, the body is shown as U p. For loads that pull at what is seen.
    fn look(&mut self, _model: &Model, _q: &[f64], _p: &[f64]) {}

    /// V(t, q), J, with f = −∂V/∂q; `None` where it has none.
    fn potential(&mut self, _t: f64, _q: &[f64]) -> Option<f64> {
        None
    }

    /// out ← out − ∂f/∂q, its symmetric part, of which only what is on and above the diagonal counts; `false` where f does not
    /// depend on q.
    fn stiffness(&mut self, _t: f64, _q: &[f64], _v: &[f64], _out: &mut DenseSymmetric) -> bool {
        false
    }

    /// out ← out − ∂f/∂v, likewise; `false` where f does not depend on v.
    fn damping(&mut self, _t: f64, _q: &[f64], _v: &[f64], _out: &mut DenseSymmetric) -> bool {
        false
    }

    /// The size of the numbers whose difference the force is: times ε that is its rounding.
    fn rounding(&self, _q: &[f64]) -> f64 {
        0.0
    }

    /// The body has `factor` times the density that the model was built with: for loads that depend on the mass.
    fn set_density(&mut self, _factor: f64) {}
}

/// Copies of a load for copies of a body; everything that is `Clone` has it.
pub trait Duplicate {
    /// Another one.
    fn duplicate(&self) -> Box<dyn ReducedLoad>;
}

impl<T: ReducedLoad + Clone + 'static> Duplicate for T {
    fn duplicate(&self) -> Box<dyn ReducedLoad> {
        Box::new(self.clone())
    }
}

/// How a kind of load stands in a scenario file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `kind = value`, once.
    Value,
    /// `[[kind]]`, any number of times.
    Tables,
}

/// The loads of one kind in a scenario, or what is wrong with one.
pub type LoadsRead = Result<Vec<Arc<dyn Load>>, String>;

/// A kind of load.
pub struct Entry {
    /// The key in scenario files.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// How it stands there.
    pub form: Form,
    /// Every load of this kind in the text of a scenario, in order; the keys of others are none of its business. Numbers are
    /// judged by [`Load::check`].
    pub read: fn(&str) -> LoadsRead,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Every kind of load. A new one is a file in this folder and a line here.
pub static ALL: Table<Entry> =
    Table::new("kind of load", &[gravity::ENTRY, force::ENTRY, pressure::ENTRY, spring::ENTRY]);

/// That all of these are finite.
///
/// # Errors
/// A sentence that begins with `what`.
pub fn finite(what: &str, numbers: &[f64]) -> Result<(), String> {
    match numbers.iter().find(|x| !x.is_finite()) {
        Some(x) => Err(format!("{what} holds {x}; expected finite numbers")),
        None => Ok(()),
    }
}

/// That a body of so many vertices has all of these.
///
/// # Errors
/// A sentence that begins with `name`.
pub fn all_exist(name: &str, named: &[u32], vertices: usize) -> Result<(), String> {
    match named.iter().find(|&&v| v as usize >= vertices) {
        Some(v) => Err(format!(
            "{name} names vertex {v}; the body has {vertices} vertices, 0 to {}",
            vertices.saturating_sub(1)
        )),
        None => Ok(()),
    }
}

/// That a load acts from a time to one that is not before it.
fn lasting(name: &str, from: f64, to: f64) -> Result<(), String> {
    if from <= to {
        Ok(())
    } else {
        Err(format!("{name} acts from {} s to {} s; expected from <= to", number(from), number(to)))
    }
}

/// The lines of a window of time; those that say nothing are left out.
fn window(from: f64, to: f64) -> String {
    let mut lines = String::new();
    if from != f64::NEG_INFINITY {
        lines += &format!("from = {from:?}\n");
    }
    if to != f64::INFINITY {
        lines += &format!("to = {to:?}\n");
    }
    lines
}

/// So many numbers in a list, and no more: an array of the deserialiser would pass over the rest.
#[derive(serde::Deserialize)]
#[serde(try_from = "Vec<f64>")]
struct Exactly<const N: usize>([f64; N]);

impl<const N: usize> TryFrom<Vec<f64>> for Exactly<N> {
    type Error = String;

    fn try_from(list: Vec<f64>) -> Result<Self, String> {
        let count = list.len();
        list.try_into().map(Self).map_err(|_| format!("a list of {count} numbers, expected {N}"))
    }
}

/// As a kind reads the text of a scenario: `T` has the key of the kind, and whatever else is there is passed over.
fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| misread(text, &error))
}

/// Where a text is not what it should be, what stands there, and what is wrong with it, in a line: of scenarios, and of files of apps.
pub fn misread(text: &str, error: &toml::de::Error) -> String {
    let message = one_line(error.message());
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else { return message };
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let (line, column) = (before.matches('\n').count() + 1, before[start..].chars().count() + 1);
    let stands = text[start..].lines().next().unwrap_or_default().trim();
    let stands = if stands.is_empty() { String::new() } else { format!(" in {}", quote(stands)) };
    format!("line {line}, column {column}{stands}: {message}")
}
