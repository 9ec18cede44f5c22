//! Loads of every kind, also of kinds that a program adds, on bodies, models and live models.

mod bounded;
mod kinds;
mod live;
#[path = "../reduced/make.rs"]
#[expect(dead_code, reason = "shared with the other tests, which use all of it")]
mod make;
mod written;

use std::sync::{Arc, Once};

use pliant_linalg::{Mat3, Vec3};
use pliant_sim::SimError;
use pliant_sim::load::local::{self, VertexLoad};
use pliant_sim::load::{self, BodyLoad, Entry, Form, Load, ReducedLoad};

/// Air that streams past some vertices: f = −c |v − w| (v − w). Not finite after `breaks`, s.
#[derive(Clone, Debug)]
struct Wind {
    c: f64,
    wind: Vec3,
    vertices: Vec<u32>,
    breaks: f64,
}

impl VertexLoad for Wind {
    fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    fn force(&self, t: f64, _: Vec3, v: Vec3) -> Vec3 {
        let past = v - self.wind;
        past * (if t > self.breaks { f64::NAN } else { -self.c } * past.norm())
    }

    fn damping(&self, _: f64, _: Vec3, v: Vec3) -> Option<Mat3> {
        let past = v - self.wind;
        let speed = past.norm();
        let along = if speed > 0.0 { past * past.transpose() / speed } else { Mat3::zeros() };
        Some((Mat3::identity() * speed + along) * self.c)
    }
}

impl Load for Wind {
    fn kind(&self) -> &'static str {
        "wind"
    }

    fn check(&self, name: &str, vertices: usize) -> Result<(), String> {
        load::finite(&format!("{name}: c and wind"), &[self.c, self.wind.x, self.wind.y, self.wind.z])?;
        load::all_exist(name, &self.vertices, vertices)
    }

    fn vertices(&self) -> Option<&[u32]> {
        Some(&self.vertices)
    }

    fn to_toml(&self) -> String {
        let Self { c, wind, vertices, breaks } = self;
        let wind = [wind.x, wind.y, wind.z];
        format!("c = {c:?}\nwind = {wind:?}\nvertices = {vertices:?}\nbreaks = {breaks:?}\n")
    }

    fn on_body(&self, body: &pliant_energy::Body) -> Result<Box<dyn BodyLoad>, SimError> {
        Ok(local::on_body(self, body))
    }

    fn on_model(&self, model: &pliant_reduce::Model) -> Result<Box<dyn ReducedLoad>, SimError> {
        Ok(local::on_model(self, model))
    }
}

fn read(text: &str) -> Result<Vec<Arc<dyn Load>>, String> {
    #[derive(serde::Deserialize)]
    struct File {
        #[serde(default)]
        wind: Vec<One>,
    }
    #[derive(serde::Deserialize)]
    struct One {
        c: f64,
        wind: [f64; 3],
        vertices: Vec<u32>,
        breaks: Option<f64>,
    }
    let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
    let each = |one: One| Wind {
        c: one.c,
        wind: one.wind.into(),
        vertices: one.vertices,
        breaks: one.breaks.unwrap_or(f64::INFINITY),
    };
    Ok(file.wind.into_iter().map(|one| Arc::new(each(one)) as Arc<dyn Load>).collect())
}

static WIND: Entry = Entry { name: "wind", about: "air past some vertices", form: Form::Tables, read };

/// The table has it once, whichever test comes first.
fn know_wind() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| load::ALL.add(&WIND).expect("no other is called so"));
}
