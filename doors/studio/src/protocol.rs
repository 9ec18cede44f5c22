//! The words on the wire: requests, events and frames of protocol 1, as docs/protocol.md writes them down.
//!
//! Vertices are those of the shown surface. All numbers are SI.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Raised when an old client would misunderstand a new server.
pub const PROTOCOL: u32 = 1;

/// The WebSocket subprotocol.
pub const SUBPROTOCOL: &str = "pliant.1";

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// A spring from a vertex to a place.
    Grab {
        /// Chosen by the client.
        id: u32,
        /// The body that the vertex belongs to.
        body: u32,
        /// Of the shown surface.
        vertex: u32,
        /// m.
        target: [f64; 3],
    },
    /// The place moves.
    Drag {
        /// Of the grab.
        id: u32,
        /// m.
        target: [f64; 3],
    },
    /// Lets go.
    Release {
        /// Of the grab.
        id: u32,
    },
    /// At rest, t = 0, all grabs released.
    Reset {},
    /// Stops or resumes time.
    Pause {
        /// Whether time stands still.
        paused: bool,
    },
    /// One step, while paused.
    Step {},
    /// Changes at once.
    Set(Change),
    /// A new model of the same mesh.
    Build(Rebuild),
    /// One of our shapes.
    Shape {
        /// A name of the menu.
        name: String,
    },
    /// The running job stops.
    Cancel {},
}

impl Request {
    /// The word behind `do`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Grab { .. } => "grab",
            Self::Drag { .. } => "drag",
            Self::Release { .. } => "release",
            Self::Reset {} => "reset",
            Self::Pause { .. } => "pause",
            Self::Step {} => "step",
            Self::Set(_) => "set",
            Self::Build(_) => "build",
            Self::Shape { .. } => "shape",
            Self::Cancel {} => "cancel",
        }
    }
}

/// Settings to change at once; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// Young's modulus, Pa; for surfaces a factor.
    pub stiffness: Option<f64>,
    /// kg/m³.
    pub density: Option<f64>,
    /// Rayleigh's.
    pub damping: Option<Damping>,
    /// m/s².
    pub gravity: Option<[f64; 3]>,
    /// A name of the menu.
    pub integrator: Option<String>,
    /// How many coordinates are used.
    pub coordinates: Option<usize>,
    /// Body seconds for each second of the clock.
    pub speed: Option<f64>,
}

/// Rayleigh's damping.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Damping {
    /// α, 1/s.
    pub mass: f64,
    /// β, s.
    pub stiffness: f64,
}

/// What to build anew; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rebuild {
    /// A name of the menu.
    pub material: Option<String>,
    /// Constants that the material has of its own, by their keys of the menu.
    pub constants: Option<BTreeMap<String, f64>>,
    /// Poisson's ratio.
    pub poisson: Option<f64>,
    /// What a surface is cut from, a name of the menu.
    pub sheet: Option<String>,
    /// A name of the menu.
    pub basis: Option<String>,
    /// Linear modes to start from.
    pub modes: Option<usize>,
    /// Coordinates.
    pub rank: Option<usize>,
    /// A name of the menu.
    pub forces: Option<String>,
    /// Cubature points.
    pub cubature: Option<usize>,
    /// All pinned vertices.
    pub pins: Option<Pins>,
}

/// The pinned vertices of a body.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// The body that they belong to.
    pub body: u32,
    /// Of the shown surface.
    pub vertices: Vec<u32>,
}

/// What the server tells.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The first word to a client.
    Welcome {
        /// [`PROTOCOL`].
        protocol: u32,
        /// Of pliant.
        version: &'static str,
        /// Its number.
        client: u32,
        /// Names that requests may use.
        menus: serde_json::Value,
        /// What the server refuses.
        limits: serde_json::Value,
    },
    /// There is a new body.
    Body(Box<BodyFacts>),
    /// Settings have changed.
    Settings(Settings),
    /// A job goes on or ends.
    Job(JobNews),
    /// What is wrong with a file that was dropped.
    Findings {
        /// Of the job.
        job: u32,
        /// Of the file.
        name: String,
        /// One for each thing that is wrong.
        findings: Vec<Finding>,
    },
    /// Somebody came or went.
    People {
        /// How many are connected.
        clients: usize,
    },
    /// To the client that asked.
    Refused {
        /// The word of the request.
        #[serde(rename = "do")]
        what: String,
        /// Why, and what would work.
        sentence: String,
    },
    /// A step failed and the body was put back.
    Stumbled {
        /// What happened.
        sentence: String,
    },
}

impl Event {
    /// As it goes over the wire.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("events hold nothing that JSON cannot")
    }
}

/// What is known of a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyFacts {
    /// Its number: `/body/B/shape`.
    pub body: u32,
    /// `opened`, `dropped` or `rebuilt`.
    pub why: &'static str,
    /// The client that asked for it.
    pub by: Option<u32>,
    /// Of the file or shape.
    pub name: String,
    /// `tets` or `triangles`.
    pub kind: &'static str,
    /// Of the simulated mesh.
    pub vertices: usize,
    /// Of the simulated mesh.
    pub elements: usize,
    /// Of the shown surface.
    pub surface_vertices: usize,
    /// Of the shown surface.
    pub triangles: usize,
    /// r.
    pub rank: usize,
    /// Linear modes that it was made from.
    pub modes: usize,
    /// Of the full body, ascending, Hz.
    pub frequencies_hz: Vec<f64>,
    /// Name.
    pub basis: String,
    /// Name.
    pub forces: &'static str,
    /// Of a cubature.
    pub cubature_points: Option<usize>,
    /// Of a cubature, as a part of the force.
    pub validation_error: Option<f64>,
    /// Of a cubature, of shapes under loads, as a part of the displacement.
    pub static_error: Option<f64>,
    /// Of a cubature, of the ten lowest frequencies.
    pub frequency_error: Option<f64>,
    /// Of a standard pull, in the coordinates of the model, as a part of the displacement.
    pub pull_error: Option<f64>,
    /// What more coordinates or points would bring; `None` where no pull was measured.
    pub outlook: Option<String>,
    /// Name.
    pub material: String,
    /// Constants that the material has of its own, by their keys; what follows from others is not among them.
    pub constants: BTreeMap<&'static str, f64>,
    /// Poisson's ratio, of solids.
    pub poisson: Option<f64>,
    /// What a surface is cut from, by its name on the menu; empty where that is nothing of the menu. `None` of solids.
    pub sheet: Option<&'static str>,
    /// Simulated vertices that cannot move.
    pub pinned: usize,
    /// Whether nothing holds it.
    pub free: bool,
    /// Longest side, m.
    pub length: f64,
    /// kg.
    pub mass: f64,
    /// Of the model.
    pub bytes: usize,
    /// Sentences.
    pub notes: Vec<String>,
}

/// Everything that can be changed at once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Young's modulus, Pa; for surfaces a factor.
    pub stiffness: f64,
    /// kg/m³.
    pub density: f64,
    /// Rayleigh's.
    pub damping: Damping,
    /// m/s².
    pub gravity: [f64; 3],
    /// Name.
    pub integrator: String,
    /// Coordinates that are used.
    pub coordinates: usize,
    /// Body seconds for each second of the clock.
    pub speed: f64,
    /// Whether time stands still.
    pub paused: bool,
    /// Length of a step, s.
    pub dt: f64,
    /// What the frequencies of the body belong to.
    pub built: Built,
}

/// Matter that a body was built with: now its frequencies are higher by the root of (stiffness / density), both as
/// factors over these.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Built {
    /// Young's modulus, Pa; 1 for surfaces.
    pub stiffness: f64,
    /// kg/m³.
    pub density: f64,
}

/// How a job goes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobNews {
    /// Its number: `/preview/J`.
    pub job: u32,
    /// What is made.
    pub title: String,
    /// How it stands.
    pub state: JobState,
    /// In words for people.
    pub stage: String,
    /// Of the stage, from 0 to 1.
    pub part: Option<f64>,
    /// Since it began, s.
    pub seconds: f64,
    /// Of the stage, s.
    pub left: Option<f64>,
    /// The client that asked.
    pub by: Option<u32>,
    /// Why it failed.
    pub message: Option<String>,
}

/// How a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    /// At work.
    Running,
    /// The body is there.
    Done,
    /// See the message.
    Failed,
    /// By a client.
    Cancelled,
}

/// One thing that is wrong with a mesh.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// `open`, `crossing`, …
    pub what: &'static str,
    /// `note`, `warning` or `error`.
    pub severity: &'static str,
    /// What it is and what to do.
    pub sentence: String,
    /// Some of its places, m.
    pub places: Vec<[f32; 3]>,
}

/// One state of the body.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Whether time stands still.
    pub paused: bool,
    /// Whether no motion can be seen.
    pub at_rest: bool,
    /// Whether it is slower than it should be.
    pub slow: bool,
    /// The body it belongs to.
    pub body: u32,
    /// Frame number; wraps.
    pub number: u32,
    /// Time of the body, s.
    pub time: f64,
    /// J.
    pub kinetic: f64,
    /// J.
    pub elastic: f64,
    /// Time of a step, mean since the last frame, µs.
    pub step_us: f64,
    /// Body seconds for each second of the clock.
    pub pace: f64,
    /// Since the last frame.
    pub steps: u32,
    /// Steps that began more than 1/60 s late, since the body was opened.
    pub late: u32,
    /// The coordinates that are used.
    pub q: &'a [f64],
    /// Every grab of every client.
    pub grabs: &'a [Held],
}

/// A grab, as all clients see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Who holds.
    pub client: u32,
    /// The client's id of it.
    pub id: u32,
    /// Of the shown surface.
    pub vertex: u32,
    /// m.
    pub target: [f64; 3],
    /// On the body, N.
    pub force: [f64; 3],
}

/// Bytes before q.
pub const FRAME_HEADER: usize = 48;

/// Bytes of one grab.
pub const FRAME_GRAB: usize = 36;

impl Frame<'_> {
    /// As it goes over the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(FRAME_HEADER + 4 * self.q.len() + FRAME_GRAB * self.grabs.len());
        let flags = u8::from(self.paused) | u8::from(self.at_rest) << 1 | u8::from(self.slow) << 2;
        out.extend([1, flags]);
        // A model has far fewer than 2¹⁶ coordinates, and clients hold far fewer vertices.
        out.extend((self.q.len().min(usize::from(u16::MAX)) as u16).to_le_bytes());
        out.extend(self.body.to_le_bytes());
        out.extend(self.number.to_le_bytes());
        out.extend((self.grabs.len().min(usize::from(u16::MAX)) as u16).to_le_bytes());
        out.extend([0, 0]);
        out.extend(self.time.to_le_bytes());
        for number in [self.kinetic, self.elastic, self.step_us, self.pace] {
            out.extend((number as f32).to_le_bytes());
        }
        out.extend(self.steps.to_le_bytes());
        out.extend(self.late.to_le_bytes());
        self.q.iter().for_each(|q| out.extend((*q as f32).to_le_bytes()));
        for held in self.grabs {
            [held.client, held.id, held.vertex].iter().for_each(|n| out.extend(n.to_le_bytes()));
            held.target.iter().chain(&held.force).for_each(|x| out.extend((*x as f32).to_le_bytes()));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_read_as_the_document_writes_them() {
        let read = |text: &str| serde_json::from_str::<Request>(text);
        let grab = read(r#"{"do":"grab","id":7,"body":3,"vertex":12,"target":[0,1.5,-2]}"#).unwrap();
        assert_eq!(grab, Request::Grab { id: 7, body: 3, vertex: 12, target: [0.0, 1.5, -2.0] });
        assert_eq!(read(r#"{"do":"reset"}"#).unwrap(), Request::Reset {});
        let set = read(r#"{"do":"set","stiffness":2e5,"damping":{"mass":0.1,"stiffness":0.002}}"#).unwrap();
        let damping = Some(Damping { mass: 0.1, stiffness: 0.002 });
        assert_eq!(set, Request::Set(Change { stiffness: Some(2e5), damping, ..Change::default() }));
        let build = read(r#"{"do":"build","material":"stvk","pins":{"body":1,"vertices":[4,5]}}"#).unwrap();
        let Request::Build(build) = build else { panic!("{build:?}") };
        assert_eq!(build.pins, Some(Pins { body: 1, vertices: vec![4, 5] }));
        let build = read(r#"{"do":"build","constants":{"mu10":2e4}}"#).unwrap();
        let Request::Build(build) = build else { panic!("{build:?}") };
        assert_eq!(build.constants, Some([("mu10".to_owned(), 2e4)].into()));
    }

    #[test]
    fn requests_that_are_not_in_the_document_are_refused() {
        for text in [
            r#"{"do":"grab","id":7}"#,
            r#"{"do":"grab","id":-1,"body":0,"vertex":0,"target":[0,0,0]}"#,
            r#"{"do":"drag","id":1,"target":[0,0,1e999]}"#,
            r#"{"do":"drag","id":1,"target":[0,0]}"#,
            r#"{"do":"set","stifness":1}"#,
            r#"{"do":"reset","hard":true}"#,
            r#"{"do":"format-disk"}"#,
            "[]",
            "",
        ] {
            assert!(serde_json::from_str::<Request>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_frame_lies_where_the_document_says() {
        let held = Held { client: 2, id: 9, vertex: 77, target: [1.0, 2.0, 3.0], force: [0.5, 0.0, -0.5] };
        let frame = Frame {
            paused: true,
            at_rest: false,
            slow: true,
            body: 3,
            number: 258,
            time: 1.25,
            kinetic: 0.5,
            elastic: 0.25,
            step_us: 12.0,
            pace: 1.0,
            steps: 4,
            late: 1,
            q: &[1.0, -2.0],
            grabs: &[held],
        };
        let bytes = frame.to_bytes();
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let f32_at = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(bytes.len(), FRAME_HEADER + 8 + FRAME_GRAB);
        assert_eq!(bytes[..4], [1, 0b101, 2, 0]);
        assert_eq!([u32_at(4), u32_at(8), u32_at(12), u32_at(40), u32_at(44)], [3, 258, 1, 4, 1]);
        assert_eq!(f64::from_le_bytes(bytes[16..24].try_into().unwrap()), 1.25);
        assert_eq!([24, 28, 32, 36, 48, 52].map(f32_at), [0.5, 0.25, 12.0, 1.0, 1.0, -2.0]);
        assert_eq!([56, 60, 64].map(u32_at), [2, 9, 77]);
        assert_eq!([68, 72, 76, 80, 84, 88].map(f32_at), [1.0, 2.0, 3.0, 0.5, 0.0, -0.5]);
    }
}
