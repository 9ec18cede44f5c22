//! A folder with a bar, a cloth and a scenario, and the program in it.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Place(pub(crate) TempDir);

/// Held at the far end: vertex 0 is free.
pub(crate) const HELD: [&str; 2] = ["--fix", "x>95%"];

impl Place {
    /// A folder with a bar of 30 tets, a cloth, and a scenario that pulls at vertex 0.
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        place.done(&["mesh", "--shape", "bar", "--subdivision", "1", "-o", "bar.veg"]);
        place.done(&["mesh", "--shape", "cloth", "--subdivision", "4", "-o", "cloth.obj"]);
        place.write(
            "pull.toml",
            "dt = 0.005\nsteps = 6\ndamping = { stiffness = 0.001 }\n[[force]]\nvertices = [0]\n\
             value = [0.0, 0.5, 0.0]\n[[probe]]\nname = 'tip'\nvertex = 0",
        );
        place
    }

    /// A model of the held bar, from four modes unless said otherwise.
    pub(crate) fn build(&self, model: &str, more: &[&str]) -> Value {
        let bar = ["build", "bar.veg", "-o", model];
        let modes: &[&str] = if more.contains(&"--modes") { &[] } else { &["--modes", "4"] };
        // Refused beside forces that are not trained, and it would ask stvk for others than its own.
        let untrained =
            ["projected", "linear", "cubic", "ghost", "stvk"].iter().any(|name| more.contains(name));
        let training: &[&str] = if untrained { &[] } else { &["--training", "20"] };
        self.json(&[&bar[..], training, modes, &HELD, more].concat())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a writable folder");
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("a file that was written")
    }

    pub(crate) fn page(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.current_dir(self.0.path()).args(args).output().expect("the binary runs")
    }

    #[track_caller]
    pub(crate) fn done(&self, args: &[&str]) -> Output {
        let out = self.run(args);
        assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
        out
    }

    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let out = self.done(&[args, &["--json"]].concat());
        serde_json::from_slice(&out.stdout).expect("one JSON object")
    }

    /// Status 2, nothing on standard output, no file, and all of these words on standard error.
    #[track_caller]
    pub(crate) fn refuses(&self, args: &[&str], words: &[&str]) {
        let before = self.files();
        let out = self.run(&[args, &["--json"]].concat());
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
        assert!(out.stdout.is_empty(), "{args:?}");
        assert!(words.iter().all(|word| said.contains(word)), "{args:?} said {said:?}, not all of {words:?}");
        assert!(!said.contains("panicked"), "{said}");
        pliant_testkit::sentence::message(&said);
        assert_eq!(self.files(), before, "{args:?}");
    }

    pub(crate) fn files(&self) -> Vec<String> {
        let folder = std::fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<String> =
            folder.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

pub(crate) fn count(value: &Value) -> usize {
    value.as_array().expect("a list").len()
}

#[track_caller]
pub(crate) fn has(answer: &Value, keys: &[&str]) {
    let object = answer.as_object().expect("an object");
    keys.iter().for_each(|key| assert!(object.contains_key(*key), "{key} is missing in {object:?}"));
}
