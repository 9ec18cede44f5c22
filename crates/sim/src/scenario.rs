//! What happens to a body: a TOML file, checked before anything runs.
//!
//! ```toml
//! dt = 0.01
//! steps = 100
//! gravity = [0.0, -9.81, 0.0]
//! [[force]]
//! vertices = [12, 13]
//! value = [0.0, -40.0, 0.0]
//! to = 0.5
//! [[probe]]
//! name = "tip"
//! vertex = 12
//! ```
//! Loads are evaluated at the end of each step: a load acts in the step that ends at t if from ≤ t ≤ to. All keys but
//! `dt` and `steps` may be left out; the whole list is in docs/cli.md.

use pliant_dynamics::integrator::Start;
use pliant_dynamics::{Damping, DampingKind};
use pliant_energy::load::{Loads, NodalForce, Pressure, Spring};
use pliant_linalg::Vec3;
use serde::Deserialize;

use crate::{SimError, Still};

/// A checked scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Length of a step, s; > 0.
    pub dt: f64,
    /// How many; ≥ 1.
    pub steps: usize,
    /// Forces, pressure, gravity, springs.
    pub loads: Loads,
    /// Rayleigh's.
    pub damping: Damping,
    /// The acceleration before the first step.
    pub start: Start,
    /// A file with displacement and velocity to start from, and perhaps an acceleration, which then takes the place of
    /// `start`; relative to the scenario's.
    pub initial: Option<String>,
    /// Vertices whose displacement is recorded.
    pub probes: Vec<Probe>,
}

/// A vertex to watch.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Unique in the scenario.
    pub name: String,
    /// From 0.
    pub vertex: u32,
}

impl Scenario {
    /// Loads that can do nothing, in sentences: forces that act on no vertex.
    pub fn idle(&self) -> Vec<String> {
        let forces = self.loads.forces.iter().enumerate().filter(|(_, force)| force.vertices.is_empty());
        forces.map(|(k, _)| format!("force {} acts on no vertex: it has no effect", k + 1)).collect()
    }

    /// Refuses loads and probes on vertices that nothing can move: whoever names one means another.
    ///
    /// # Errors
    /// [`SimError::Scenario`], which names the load or probe and the vertex.
    pub fn refuse_still(&self, still: impl Fn(u32) -> Option<Still>) -> Result<(), SimError> {
        let check = |here: &dyn Fn() -> String, vertex: u32| {
            let sentence = match still(vertex) {
                None => return Ok(()),
                Some(Still::Fixed) => format!(
                    "{} names vertex {vertex}, which is fixed and cannot move; leave it out, or fix other vertices",
                    here()
                ),
                Some(Still::Unmoved) => format!(
                    "{} names vertex {vertex}, but the basis of the model does not move vertex {vertex}; leave it \
                     out, or build the model with more modes",
                    here()
                ),
            };
            Err(SimError::Scenario(sentence))
        };
        for (k, force) in self.loads.forces.iter().enumerate() {
            force.vertices.iter().try_for_each(|&v| check(&|| format!("force {}", k + 1), v))?;
        }
        for (k, spring) in self.loads.springs.iter().enumerate() {
            check(&|| format!("spring {}", k + 1), spring.vertex)?;
        }
        self.probes.iter().try_for_each(|probe| check(&|| format!("probe {:?}", probe.name), probe.vertex))
    }

    /// Reads and checks a scenario for a body of `vertices` vertices.
    ///
    /// ```
    /// let text = "dt = 0.01\nsteps = 10\n[[probe]]\nname = 'tip'\nvertex = 99";
    /// let error = pliant_sim::Scenario::parse(text, 8).unwrap_err().to_string();
    /// assert!(error.contains("vertex 99") && error.contains("0 to 7"), "{error}");
    /// ```
    ///
    /// # Errors
    /// TOML that is none, an unknown key, a number that is not finite or out of range, a vertex that is not there.
    pub fn parse(text: &str, vertices: usize) -> Result<Self, SimError> {
        let file: File =
            toml::from_str(text).map_err(|e| SimError::Scenario(e.to_string().trim_end().into()))?;
        file.check(vertices).map_err(SimError::Scenario)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    dt: f64,
    steps: i64,
    #[serde(default)]
    gravity: [f64; 3],
    #[serde(default)]
    damping: FileDamping,
    #[serde(default)]
    start: FileStart,
    initial: Option<String>,
    #[serde(default)]
    force: Vec<FileForce>,
    #[serde(default)]
    pressure: Vec<FilePressure>,
    #[serde(default)]
    spring: Vec<FileSpring>,
    #[serde(default)]
    probe: Vec<Probe>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileDamping {
    #[serde(default)]
    mass: f64,
    #[serde(default)]
    stiffness: f64,
    #[serde(default)]
    kind: FileDampingKind,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileStart {
    #[default]
    FromLoad,
    Zero,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileDampingKind {
    #[default]
    Tangent,
    Rest,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileForce {
    vertices: Vec<u32>,
    value: [f64; 3],
    from: Option<f64>,
    to: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilePressure {
    value: f64,
    from: Option<f64>,
    to: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSpring {
    vertex: u32,
    stiffness: f64,
    path: Vec<[f64; 4]>,
    from: Option<f64>,
    to: Option<f64>,
}

impl File {
    fn check(self, vertices: usize) -> Result<Scenario, String> {
        step_length("dt", self.dt)?;
        let steps = step_count("steps", self.steps)?;
        finite("gravity", &self.gravity)?;
        for (key, value) in
            [("damping.mass", self.damping.mass), ("damping.stiffness", self.damping.stiffness)]
        {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("{key} = {value}: expected a finite number >= 0"));
            }
        }
        let mut loads = Loads { gravity: Vec3::from(self.gravity), ..Loads::default() };
        for (k, force) in self.force.into_iter().enumerate() {
            let here = format!("force {}", k + 1);
            finite(&format!("{here}: value"), &force.value)?;
            for &v in &force.vertices {
                exists(&here, v, vertices)?;
            }
            let (from, to) = window(&here, force.from, force.to)?;
            loads.forces.push(NodalForce {
                vertices: force.vertices,
                value: Vec3::from(force.value),
                from,
                to,
            });
        }
        for (k, pressure) in self.pressure.into_iter().enumerate() {
            let here = format!("pressure {}", k + 1);
            finite(&format!("{here}: value"), &[pressure.value])?;
            let (from, to) = window(&here, pressure.from, pressure.to)?;
            loads.pressures.push(Pressure { value: pressure.value, from, to });
        }
        for (k, spring) in self.spring.into_iter().enumerate() {
            let here = format!("spring {}", k + 1);
            exists(&here, spring.vertex, vertices)?;
            if !(spring.stiffness.is_finite() && spring.stiffness >= 0.0) {
                return Err(format!(
                    "{here}: stiffness = {}: expected a finite number >= 0 N/m",
                    spring.stiffness
                ));
            }
            if spring.path.is_empty() {
                return Err(format!("{here}: path is empty; expected at least one [t, x, y, z]"));
            }
            finite(&format!("{here}: path"), spring.path.as_flattened())?;
            if let Some(w) = spring.path.windows(2).find(|w| w[1][0] <= w[0][0]) {
                return Err(format!(
                    "{here}: path goes from t = {} to t = {}; expected rising times",
                    w[0][0], w[1][0]
                ));
            }
            let path = spring.path.iter().map(|p| (p[0], Vec3::new(p[1], p[2], p[3]))).collect();
            let (from, to) = window(&here, spring.from, spring.to)?;
            loads.springs.push(Spring { vertex: spring.vertex, stiffness: spring.stiffness, path, from, to });
        }
        for (k, probe) in self.probe.iter().enumerate() {
            exists(&format!("probe {:?}", probe.name), probe.vertex, vertices)?;
            if self.probe[..k].iter().any(|p| p.name == probe.name) {
                return Err(format!("two probes are called {:?}; expected each name once", probe.name));
            }
        }
        let kind = match self.damping.kind {
            FileDampingKind::Tangent => DampingKind::Tangent,
            FileDampingKind::Rest => DampingKind::Rest,
        };
        let damping = Damping { mass: self.damping.mass, stiffness: self.damping.stiffness, kind };
        let start = match self.start {
            FileStart::FromLoad => Start::FromLoad,
            FileStart::Zero => Start::Zero,
        };
        let Self { dt, initial, probe: probes, .. } = self;
        Ok(Scenario { dt, steps, loads, damping, start, initial, probes })
    }
}

/// A length of a step that can be stepped.
///
/// # Errors
/// A sentence that names `key`.
pub fn step_length(key: &str, dt: f64) -> Result<(), String> {
    if dt.is_finite() && dt > 0.0 {
        Ok(())
    } else {
        Err(format!("{key} = {dt}: expected a finite number of seconds > 0"))
    }
}

/// A number of steps that can be done.
///
/// # Errors
/// A sentence that names `key`.
pub fn step_count(key: &str, steps: i64) -> Result<usize, String> {
    match usize::try_from(steps) {
        Ok(steps @ 1..=1_000_000_000) => Ok(steps),
        _ => Err(format!("{key} = {steps}: expected a whole number from 1 to 1,000,000,000")),
    }
}

fn finite(what: &str, numbers: &[f64]) -> Result<(), String> {
    match numbers.iter().find(|x| !x.is_finite()) {
        Some(x) => Err(format!("{what} holds {x}; expected finite numbers")),
        None => Ok(()),
    }
}

fn exists(here: &str, vertex: u32, vertices: usize) -> Result<(), String> {
    if (vertex as usize) < vertices {
        Ok(())
    } else {
        Err(format!("{here} names vertex {vertex}; the body has {vertices} vertices, 0 to {}", vertices - 1))
    }
}

fn window(here: &str, from: Option<f64>, to: Option<f64>) -> Result<(f64, f64), String> {
    let (from, to) = (from.unwrap_or(f64::NEG_INFINITY), to.unwrap_or(f64::INFINITY));
    if from.is_nan() || to.is_nan() || from > to {
        return Err(format!("{here} acts from {from} s to {to} s; expected from <= to"));
    }
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "dt = 0.01\nsteps = 10\n";

    #[test]
    fn defaults_are_no_load_at_all() {
        let s = Scenario::parse(GOOD, 8).expect("a sound scenario");
        assert_eq!((s.dt, s.steps, s.start), (0.01, 10, Start::FromLoad));
        assert_eq!(s.loads.gravity, Vec3::zeros());
        assert_eq!(s.damping, Damping::default());
    }

    #[test]
    fn everything_can_be_said() {
        let text = "dt = 0.5\nsteps = 2\nstart = 'zero'\ninitial = 'x.npz'\ngravity = [0.0, -9.81, 0]\n\
            damping = { mass = 0.1, stiffness = 0.002, kind = 'rest' }\n\
            [[force]]\nvertices = [1, 2]\nvalue = [1.0, 2.0, 3.0]\nfrom = 0.25\nto = 0.5\n\
            [[pressure]]\nvalue = 100\n[[spring]]\nvertex = 3\nstiffness = 5.0\npath = [[0, 1, 2, 3], [1, 2, 3, 4]]\nto = 1\n\
            [[probe]]\nname = 'tip'\nvertex = 7";
        let s = Scenario::parse(text, 8).expect("a sound scenario");
        assert_eq!(s.start, Start::Zero);
        assert_eq!(s.damping, Damping { mass: 0.1, stiffness: 0.002, kind: DampingKind::Rest });
        assert_eq!((s.loads.forces[0].from, s.loads.forces[0].to), (0.25, 0.5));
        assert_eq!(s.loads.springs[0].path[1], (1.0, Vec3::new(2.0, 3.0, 4.0)));
        assert_eq!((s.loads.springs[0].from, s.loads.springs[0].to), (f64::NEG_INFINITY, 1.0));
        assert_eq!(s.loads.pressures[0].value, 100.0);
    }

    #[test]
    fn a_fixed_vertex_is_refused_wherever_it_is_named() {
        let parts = [
            ("[[force]]\nvertices = [1, 3]\nvalue = [0, 0, 1]", "force 1 names vertex 3, which is fixed"),
            ("[[spring]]\nvertex = 3\nstiffness = 5.0\npath = [[0, 1, 2, 3]]", "spring 1 names vertex 3"),
            ("[[probe]]\nname = 'tip'\nvertex = 3", "probe \"tip\" names vertex 3"),
        ];
        for (part, words) in parts {
            let s = Scenario::parse(&format!("{GOOD}{part}"), 8).expect("a sound scenario");
            let error = s.refuse_still(|v| (v == 3).then_some(Still::Fixed)).expect_err(part).to_string();
            assert!(error.contains(words), "{error}");
            let error = s.refuse_still(|v| (v == 3).then_some(Still::Unmoved)).expect_err(part).to_string();
            assert!(error.contains("the basis of the model does not move vertex 3"), "{error}");
            s.refuse_still(|v| (v == 4).then_some(Still::Fixed)).expect("vertex 4 is named nowhere");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, words) in [
            ("steps = 10", "missing field `dt`"),
            ("dt = 0.0\nsteps = 10", "dt = 0: expected a finite number of seconds > 0"),
            ("dt = nan\nsteps = 10", "dt = NaN"),
            ("dt = 0.1\nsteps = 0", "steps = 0: expected a whole number from 1"),
            ("dt = 0.1\nsteps = -4", "steps = -4"),
            ("dt = 0.1\nsteps = 1\nsped = 3", "unknown field `sped`"),
            ("dt = 0.1\nsteps = 1\ngravity = [0.0, nan, 0.0]", "gravity holds NaN"),
            (
                "dt = 0.1\nsteps = 1\n[[force]]\nvertices = [8]\nvalue = [0.0, 0.0, 0.0]",
                "force 1 names vertex 8",
            ),
            (
                "dt = 0.1\nsteps = 1\n[[force]]\nvertices = [1]\nvalue = [0.0, inf, 0.0]",
                "force 1: value holds inf",
            ),
            (
                "dt = 0.1\nsteps = 1\n[[force]]\nvertices = [1]\nvalue = [0.0, 0.0, 0.0]\nfrom = 2.0\nto = 1.0",
                "from 2 s to 1 s",
            ),
            (
                "dt = 0.1\nsteps = 1\n[[spring]]\nvertex = 1\nstiffness = -1.0\npath = [[0,0,0,0]]",
                "stiffness = -1",
            ),
            ("dt = 0.1\nsteps = 1\n[[spring]]\nvertex = 1\nstiffness = 1.0\npath = []", "path is empty"),
            (
                "dt = 0.1\nsteps = 1\n[[spring]]\nvertex = 1\nstiffness = 1.0\npath = [[0,0,0,0]]\nfrom = 3\nto = 1",
                "spring 1 acts from 3 s to 1 s",
            ),
            ("dt = 0.1\nsteps = 1\ndamping = { mass = -1.0 }", "damping.mass = -1"),
            ("dt = 0.1\nsteps = 1\nstart = 'now'", "unknown variant `now`"),
            ("dt = ", "line 1"),
            (
                "dt = 0.1\nsteps = 1\n[[probe]]\nname = 'a'\nvertex = 0\n[[probe]]\nname = 'a'\nvertex = 1",
                "two probes are called \"a\"",
            ),
        ] {
            let error = Scenario::parse(text, 8).expect_err(text).to_string();
            assert!(error.contains(words), "{text:?} said {error:?}");
        }
    }
}
