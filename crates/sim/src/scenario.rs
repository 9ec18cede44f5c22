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
//! `dt` and `steps` may be left out; the whole list is in docs/cli/scenarios.md.

use std::collections::HashSet;
use std::fmt;

use pliant_dynamics::integrator::Start;
use pliant_dynamics::{Damping, DampingKind};
use pliant_linalg::{number, quote};
use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::load::{self, Form, LoadSet};
use crate::{SimError, Still};

/// What happens to a body: read from a file, or made by a program from [`Scenario::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Length of a step, s; > 0.
    pub dt: f64,
    /// How many; ≥ 1.
    pub steps: usize,
    /// Forces, pressure, gravity, springs, and whatever kinds a program has added.
    pub loads: LoadSet,
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

impl fmt::Display for Probe {
    /// As sentences name it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "probe {}", quote(&self.name))
    }
}

impl Scenario {
    /// So many steps of `dt` seconds without a load, damping or a probe: the fields are there to be filled.
    ///
    /// ```
    /// use pliant_linalg::Vec3;
    /// use pliant_sim::{Scenario, load::Gravity};
    /// let mut scenario = Scenario::new(0.01, 100);
    /// scenario.loads.add(std::sync::Arc::new(Gravity(Vec3::new(0.0, -9.81, 0.0))));
    /// scenario.damping.mass = 0.1;
    /// let text = scenario.to_toml()?;
    /// assert!(text.contains("gravity = [0.0, -9.81, 0.0]"));
    /// assert_eq!(Scenario::parse(&text, 8)?, scenario);
    /// # Ok::<(), pliant_sim::SimError>(())
    /// ```
    pub fn new(dt: f64, steps: usize) -> Self {
        Self {
            dt,
            steps,
            loads: LoadSet::default(),
            damping: Damping::default(),
            start: Start::default(),
            initial: None,
            probes: Vec::new(),
        }
    }

    /// Loads that can do nothing, in sentences: those that name no vertex, as a force on none.
    pub fn idle(&self) -> Vec<String> {
        let named = self.loads.named().into_iter();
        let idle = named.filter(|(_, load)| load.vertices().is_some_and(<[u32]>::is_empty));
        idle.map(|(name, _)| format!("{name} acts on no vertex: it has no effect")).collect()
    }

    /// Refuses loads and probes on vertices that nothing can move: whoever names one means another.
    ///
    /// # Errors
    /// [`SimError::StillNamed`], which names the load or probe and the vertex.
    pub fn refuse_still(&self, still: impl Fn(u32) -> Option<Still>) -> Result<(), SimError> {
        let check = |name: &dyn Fn() -> String, vertex: u32| match still(vertex) {
            None => Ok(()),
            Some(still) => Err(SimError::StillNamed { name: name(), vertex, still }),
        };
        for (name, load) in self.loads.named() {
            let named = load.vertices().unwrap_or(&[]);
            named.iter().try_for_each(|&v| check(&|| name.clone(), v))?;
        }
        self.probes.iter().try_for_each(|probe| check(&|| probe.to_string(), probe.vertex))
    }

    /// Whether everything in it can be done with a body of `vertices` vertices.
    ///
    /// # Errors
    /// A number that is not finite or out of range, a vertex that is not there, two probes of one name.
    pub fn check(&self, vertices: usize) -> Result<(), SimError> {
        step_length("dt", self.dt).map_err(SimError::Scenario)?;
        step_count("steps", i64::try_from(self.steps).unwrap_or(i64::MAX)).map_err(SimError::Scenario)?;
        for (key, value) in
            [("damping.mass", self.damping.mass), ("damping.stiffness", self.damping.stiffness)]
        {
            if !(value.is_finite() && value >= 0.0) {
                let sentence = format!("{key} = {}: expected a finite number >= 0", number(value));
                return Err(SimError::Scenario(sentence));
            }
        }
        self.loads.check(vertices)?;
        let mut names = HashSet::with_capacity(self.probes.len());
        for probe in &self.probes {
            load::all_exist(&probe.to_string(), &[probe.vertex], vertices).map_err(SimError::Scenario)?;
            if !names.insert(&probe.name) {
                let sentence =
                    format!("two probes are called {}; expected each name once", quote(&probe.name));
                return Err(SimError::Scenario(sentence));
            }
        }
        Ok(())
    }

    /// Reads and checks a scenario for a body of `vertices` vertices. The kinds of load that it may hold are those of
    /// [`load::ALL`].
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
        let wrong = |error: toml::de::Error| SimError::Scenario(load::misread(text, &error));
        toml::from_str::<KnownKeys>(text).map_err(wrong)?;
        let file: File = toml::from_str(text).map_err(wrong)?;
        let steps = step_count("steps", file.steps).map_err(SimError::Scenario)?;
        let mut loads = Vec::new();
        for entry in &load::ALL {
            loads.extend((entry.read)(text).map_err(SimError::Scenario)?);
        }
        let scenario = Self {
            dt: file.dt,
            steps,
            loads: loads.into_iter().collect(),
            damping: file.damping.into(),
            start: file.start.into(),
            initial: file.initial,
            probes: file.probe,
        };
        scenario.check(vertices)?;
        Ok(scenario)
    }

    /// The text of a file that [`Scenario::parse`] reads as the same scenario.
    ///
    /// # Errors
    /// As [`Scenario::check`]; a kind of load that is not in [`load::ALL`], or stands twice where a file has room for one.
    pub fn to_toml(&self) -> Result<String, SimError> {
        self.check(usize::MAX)?;
        let mut text = format!("dt = {:?}\nsteps = {}\n", self.dt, self.steps);
        let mut tables = String::new();
        for (kind, loads) in self.loads.groups() {
            match load::ALL.get(kind)?.form {
                Form::Value if loads.len() > 1 => {
                    return Err(SimError::Scenario(format!(
                        "there are {} loads of the kind {kind}, but a scenario file has room for one; add them up",
                        loads.len()
                    )));
                }
                Form::Value => text += &format!("{kind} = {}\n", loads[0].to_toml()),
                Form::Tables => {
                    loads.iter().for_each(|load| tables += &format!("\n[[{kind}]]\n{}", load.to_toml()));
                }
            }
        }
        if self.damping != Damping::default() {
            text += &damping_line(&self.damping);
        }
        if self.start == Start::Zero {
            text += "start = \"zero\"\n";
        }
        if let Some(initial) = &self.initial {
            text += &format!("initial = {}\n", quoted(initial));
        }
        for Probe { name, vertex } in &self.probes {
            tables += &format!("\n[[probe]]\nname = {}\nvertex = {vertex}\n", quoted(name));
        }
        Ok(text + &tables)
    }
}

/// `damping = { … }`, one line.
pub(crate) fn damping_line(damping: &Damping) -> String {
    let Damping { mass, stiffness, kind } = damping;
    let kind = match kind {
        DampingKind::Tangent => "tangent",
        DampingKind::Rest => "rest",
    };
    format!("damping = {{ mass = {mass:?}, stiffness = {stiffness:?}, kind = {kind:?} }}\n")
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{:04X}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// The keys of a scenario that are no loads.
const KEYS: [&str; 6] = ["dt", "steps", "damping", "start", "initial", "probe"];

/// Every key of a file is in [`KEYS`] or is a kind of load.
struct KnownKeys;

impl<'de> Deserialize<'de> for KnownKeys {
    fn deserialize<D: Deserializer<'de>>(file: D) -> Result<Self, D::Error> {
        file.deserialize_map(Self)
    }
}

impl<'de> Visitor<'de> for KnownKeys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scenario")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_key::<KnownKey>()?.is_some() {
            map.next_value::<IgnoredAny>()?;
        }
        Ok(self)
    }
}

struct KnownKey;

impl<'de> Deserialize<'de> for KnownKey {
    fn deserialize<D: Deserializer<'de>>(key: D) -> Result<Self, D::Error> {
        key.deserialize_identifier(Self)
    }
}

impl Visitor<'_> for KnownKey {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key of a scenario")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self, E> {
        let kinds = load::ALL.names();
        if KEYS.iter().chain(&kinds).any(|known| *known == key) {
            return Ok(self);
        }
        let known: Vec<String> = KEYS.iter().chain(&kinds).map(|known| format!("`{known}`")).collect();
        let key = quote(key);
        let key = key.trim_matches('"');
        Err(E::custom(format_args!("unknown field `{key}`, expected one of {}", known.join(", "))))
    }
}

/// What a scenario says beside its loads.
#[derive(Deserialize)]
struct File {
    dt: f64,
    #[serde(deserialize_with = "whole")]
    steps: i64,
    #[serde(default)]
    damping: FileDamping,
    #[serde(default)]
    start: FileStart,
    initial: Option<String>,
    #[serde(default)]
    probe: Vec<Probe>,
}

/// A whole number, also one that is written as `1e4`.
fn whole<'de, D: Deserializer<'de>>(value: D) -> Result<i64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a whole number")]
    enum Whole {
        Integer(i64),
        Real(f64),
    }
    match Whole::deserialize(value)? {
        Whole::Integer(n) => Ok(n),
        // 2⁵³: beyond it an f64 does not hold every whole number.
        Whole::Real(x) if x.fract() == 0.0 && x.abs() <= 9.007e15 => Ok(x as i64),
        Whole::Real(x) => Err(de::Error::custom(format_args!("expected a whole number, not {}", number(x)))),
    }
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

impl From<FileDamping> for Damping {
    fn from(file: FileDamping) -> Self {
        let kind = match file.kind {
            FileDampingKind::Tangent => DampingKind::Tangent,
            FileDampingKind::Rest => DampingKind::Rest,
        };
        Self { mass: file.mass, stiffness: file.stiffness, kind }
    }
}

impl From<FileStart> for Start {
    fn from(file: FileStart) -> Self {
        match file {
            FileStart::FromLoad => Self::FromLoad,
            FileStart::Zero => Self::Zero,
        }
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
        Err(format!("{key} = {}: expected a finite number of seconds > 0", number(dt)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_energy::load::{NodalForce, Pressure, Spring};
    use pliant_linalg::Vec3;

    const GOOD: &str = "dt = 0.01\nsteps = 10\n";

    #[test]
    fn defaults_are_no_load_at_all() {
        let s = Scenario::parse(GOOD, 8).expect("a sound scenario");
        assert_eq!((s.dt, s.steps, s.start), (0.01, 10, Start::FromLoad));
        assert!(s.loads.is_empty());
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
        let force = s.loads.of::<NodalForce>().next().expect("a force");
        assert_eq!((force.from, force.to), (0.25, 0.5));
        let spring = s.loads.of::<Spring>().next().expect("a spring");
        assert_eq!(spring.path[1], (1.0, Vec3::new(2.0, 3.0, 4.0)));
        assert_eq!((spring.from, spring.to), (f64::NEG_INFINITY, 1.0));
        assert_eq!(s.loads.of::<Pressure>().next().map(|p| p.value), Some(100.0));
        assert_eq!(s.loads.gravity(), Vec3::new(0.0, -9.81, 0.0));
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
    fn as_many_probes_as_anybody_wants() {
        let probe = |i: u32| Probe { name: format!("probe {i}"), vertex: i };
        let mut scenario = Scenario::new(0.01, 1);
        // Comparing each with all before it would take minutes.
        scenario.probes = (0..300_000).map(probe).collect();
        scenario.check(300_000).expect("different names");
        scenario.probes[299_999].name = "probe 0".into();
        let error = scenario.check(300_000).expect_err("one name twice").to_string();
        assert_eq!(error, "two probes are called \"probe 0\"; expected each name once");
    }

    #[test]
    fn numbers_of_steps_in_every_spelling() {
        for steps in ["1000", "1e3", "1_000", "+1000", "1000.0"] {
            let s = Scenario::parse(&format!("dt = 1\nsteps = {steps}"), 8).expect(steps);
            assert_eq!(s.steps, 1000, "{steps}");
        }
        for steps in ["1.5", "1e30", "'ten'", "[1]"] {
            let error = Scenario::parse(&format!("dt = 1\nsteps = {steps}"), 8).expect_err(steps).to_string();
            assert!(error.contains("whole number") && error.matches("expected").count() == 1, "{error}");
        }
    }

    #[test]
    fn mistakes_are_said_in_a_line_with_their_place() {
        let long = "x".repeat(100_000);
        let lines = "1, ".repeat(50_000);
        for text in [
            "dt = \nsteps = 10".to_owned(),
            format!("dt = 0.1\nsteps = {long}"),
            format!("dt = 0.1\nsteps = 1\n{long} = 3"),
            format!("dt = 0.1\nsteps = 1\n[[probe]]\nname = '{long}'\nvertex = 99"),
            "dt = 0.1\nsteps = 1\n[[probe]]\nname = 'a\u{1b}[2J'\nvertex = 1\nvertex = 1".into(),
            format!("dt = 0.1\nsteps = 1\n[[force]]\nvertices = [{lines}'x']\nvalue = [0, 0, 0]"),
            format!("dt = 0.1\nsteps = 1\n[[spring]]\nvertex = 1\nstiffness = 1\npath = [[{lines}]]"),
            format!("dt = 0.1\nsteps = 1\nstart = \"{long}\""),
            "dt = 1e-400\nsteps = 1".into(),
            "dt = 0.1\nsteps = 1\n[damping]\nmass = -1e300".into(),
        ] {
            let error = Scenario::parse(&text, 8).expect_err("a mistake").to_string();
            assert!(error.chars().count() < 450, "{error}");
            assert!(!error.chars().any(char::is_control), "{error}");
            assert!(error.matches("expected").count() <= 1, "{error}");
        }
        let error = Scenario::parse("dt = 0.1\nsteps = ten\n", 8).expect_err("no number").to_string();
        assert!(error.starts_with("line 2, column 9 in \"steps = ten\": "), "{error}");
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
            ("dt = 0.1\nsteps = 1\ngravity = [0.0, 1.0, 0.0, 2.0]", "a list of 4 numbers, expected 3"),
            ("dt = 0.1\nsteps = 1\ngravity = [0.0, 1.0]", "a list of 2 numbers, expected 3"),
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
            pliant_testkit::sentence::message(&error);
        }
    }
}
