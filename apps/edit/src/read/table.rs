//! Handles as TOML.
//!
//! ```toml
//! [[handle]]
//! name = "foot"                       # of your own
//! select = "y<5%"                     # as what is fixed is selected; also a list of such words
//!
//! [[handle]]
//! select = "y>95%"                    # without any of what follows it stays
//! move = [0.1, 0.0, 0.0]              # m
//! rotate = { axis = [0.0, 1.0, 0.0], angle = 90.0, about = [0.0, 0.5, 0.0] }   # degrees; about the middle of the handle, if not said
//! # or: matrix = [[0, -1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
//! ```
//! It turns, then it moves.

use pliant_linalg::{Vec3, quote};
use pliant_mesh::{MeshData, select};
use pliant_sim::{SimError, load};
use serde::Deserialize;

use super::refused;
use crate::handles::middle;
use crate::{Handle, Path, Transform};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    handle: Vec<One>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    name: Option<String>,
    select: Select,
    #[serde(rename = "move")]
    shift: Option<[f64; 3]>,
    rotate: Option<Turn>,
    matrix: Option<[[f64; 4]; 4]>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected words that select vertices, such as \"x<5%\", or a list of them")]
enum Select {
    One(String),
    Some(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    axis: [f64; 3],
    angle: f64,
    about: Option<[f64; 3]>,
}

/// The largest turn of a handle, degrees: a hundred circles.
const MOST_ANGLE: f64 = 36_000.0;

/// The handles of a text, called so in sentences. Without `files` it may select by words alone: a text that came over a wire.
///
/// # Errors
/// Unknown keys, numbers that are not finite, what selects nothing that can be held, a matrix beside a move or a turn.
pub fn of_toml(
    name: &str,
    text: &str,
    mesh: &MeshData,
    scale: f64,
    files: bool,
) -> Result<Vec<Handle>, SimError> {
    let file: File = toml::from_str(text).map_err(|error| refused(name, load::misread(text, &error)))?;
    file.handle.iter().enumerate().map(|(k, one)| handle(name, k, one, mesh, scale, files)).collect()
}

fn handle(
    file: &str,
    k: usize,
    one: &One,
    mesh: &MeshData,
    scale: f64,
    files: bool,
) -> Result<Handle, SimError> {
    let own = one.name.clone().unwrap_or_else(|| (k + 1).to_string());
    let refuse = |why: &dyn std::fmt::Display| refused(file, format!("handle {}: {why}", quote(&own)));
    let words = match &one.select {
        Select::One(words) => std::slice::from_ref(words),
        Select::Some(all) => &all[..],
    };
    let mut vertices = Vec::new();
    for words in words {
        let of_file = [".bou", ".txt"].iter().any(|ending| words.contains(ending));
        if of_file && !files && !words.starts_with("set:") {
            return Err(refuse(
                &"vertices of a file cannot be selected from here; name them, such as ids:3,17",
            ));
        }
        let found = select::select(mesh, words).map_err(|error| refuse(&error))?;
        if found.components != [true; 3] {
            return Err(refuse(&format!(
                "{} selects some components, but a handle has all three; leave the suffix out",
                quote(words)
            )));
        }
        vertices.extend(found.vertices);
    }
    vertices.sort_unstable();
    vertices.dedup();
    if vertices.is_empty() {
        let words = words.iter().map(|w| quote(w)).collect::<Vec<_>>().join(", ");
        return Err(refuse(&format!("{words} selects no vertex of this mesh; select some")));
    }
    let path = path(one, middle(&vertices, mesh), scale).map_err(|why| refuse(&why))?;
    Ok(Handle { name: own, vertices, path })
}

fn path(one: &One, middle: Vec3, scale: f64) -> Result<Option<Path>, String> {
    if let Some(matrix) = &one.matrix {
        if one.shift.is_some() || one.rotate.is_some() {
            return Err("it has a matrix, and a move or a rotation beside it; say one of them".into());
        }
        return Ok(Some(Path::to(&Transform::from_matrix(matrix)?.scaled(scale), middle)));
    }
    if one.shift.is_none() && one.rotate.is_none() {
        return Ok(None);
    }
    let by = Vec3::from(one.shift.unwrap_or_default()) * scale;
    if by.iter().any(|x| !x.is_finite()) {
        return Err("a number of its move is not finite".into());
    }
    let Some(Turn { axis, angle, about }) = &one.rotate else {
        return Ok(Some(Path::to(&Transform::shift(by), middle)));
    };
    let axis = Vec3::from(*axis);
    if !(axis.norm() > 0.0 && axis.norm().is_finite()) {
        return Err("the axis of its rotation has no direction; expected three numbers, not all 0".into());
    }
    if angle.is_nan() || angle.abs() > MOST_ANGLE {
        return Err(format!("it turns by {angle} degrees; expected at most {MOST_ANGLE}"));
    }
    let about = about.map_or(middle, |about| Vec3::from(about) * scale);
    if about.iter().any(|x| !x.is_finite()) {
        return Err("a number of the point that it turns about is not finite".into());
    }
    Ok(Some(Path::turn_and_move(&axis, angle.to_radians(), &about, by, middle)))
}

/// The same handles as a text that [`of_toml`] reads, their ends as matrices: of a body that is `scale` times as large as its file.
pub fn to_toml(handles: &[Handle], scale: f64) -> String {
    let mut text = String::new();
    for handle in handles {
        let ids: Vec<String> = handle.vertices.iter().map(u32::to_string).collect();
        let name: String = handle.name.chars().filter(|c| !c.is_control() && !"\"\\".contains(*c)).collect();
        text += &format!("[[handle]]\nname = \"{name}\"\nselect = \"ids:{}\"\n", ids.join(","));
        if let Some(path) = &handle.path {
            let rows = path.end().scaled(1.0 / scale).matrix().map(|row| format!("{row:?}"));
            text += &format!("matrix = [{}]\n", rows.join(", "));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::shapes;

    fn mesh() -> MeshData {
        shapes::bar(Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data()
    }

    fn parsed(text: &str) -> Result<Vec<Handle>, String> {
        of_toml("a.toml", text, &mesh(), 1.0, false).map_err(|error| error.to_string())
    }

    const GOOD: &str = "[[handle]]\nselect = \"x<5%\"\n[[handle]]\nname = \"tip\"\nselect = [\"ids:4\", \"x>99%\"]\n\
        move = [0.0, 0.0, 0.5]\nrotate = { axis = [0, 0, 2], angle = 270, about = [1, 0, 0] }\n";

    #[test]
    fn handles_turn_then_move_and_come_back_from_their_own_text() {
        let handles = parsed(GOOD).expect("handles");
        assert_eq!((handles[0].name.as_str(), handles[0].path.is_none()), ("1", true));
        assert_eq!((handles[1].name.as_str(), handles[1].vertices.len()), ("tip", 4));
        let end = handles[1].at(1.0).apply(&Vec3::new(2.0, 0.0, 0.0));
        assert!((end - Vec3::new(1.0, -1.0, 0.5)).norm() < 1e-12, "{end}");
        // The long way: a third of it is a quarter.
        let third = handles[1].at(1.0 / 3.0).linear * Vec3::x();
        assert!((third - Vec3::y()).norm() < 1e-12, "{third}");
        let again = parsed(&to_toml(&handles, 1.0)).expect("its own text");
        for (a, b) in handles.iter().zip(&again) {
            assert_eq!((&a.name, &a.vertices), (&b.name, &b.vertices));
            let (a, b) = (a.at(1.0), b.at(1.0));
            assert!((a.linear - b.linear).norm() < 1e-15 && (a.offset - b.offset).norm() < 1e-15);
        }
        let larger = of_toml("a.toml", GOOD, &mesh(), 2.0, false).expect("handles");
        let end = larger[1].at(1.0).apply(&Vec3::new(4.0, 0.0, 0.0));
        assert!((end - Vec3::new(2.0, -2.0, 1.0)).norm() < 1e-12, "{end}");
        // Without a point it turns about its own middle.
        let own =
            parsed("[[handle]]\nselect = \"x>99%\"\nrotate = { axis = [0, 1, 0], angle = 30 }").expect("one");
        let middle = Vec3::new(1.0, 0.05, 0.05);
        assert!((own[0].at(0.5).apply(&middle) - middle).norm() < 1e-12);
    }

    #[test]
    fn what_is_wrong_is_said_with_the_handle() {
        let with = |line: &str| format!("[[handle]]\nselect = \"x>99%\"\n{line}\n");
        for (text, words) in [
            ("[[handle]]\nmove = [0, 0, 1]\n".to_owned(), "select"),
            (with("turn = 3"), "unknown field"),
            (with("move = [0, nan, 1]"), "not finite"),
            (with("move = [0, 1]"), "line 3"),
            (with("rotate = { axis = [0, 0, 0], angle = 3 }"), "no direction"),
            (with("rotate = { axis = [0, 0, 1], angle = inf }"), "turns by inf"),
            (with("matrix = [[1,0,0,0],[0,1,0,0],[0,0,0,0],[0,0,0,1]]"), "singular"),
            (with("matrix = [[1,0,0,0],[0,1,0,0],[0,0,-1,0],[0,0,0,1]]"), "mirrors"),
            (with("matrix = [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]\nmove = [1, 0, 0]"), "say one of them"),
            ("[[handle]]\nselect = \"x>99%:z\"\n".into(), "all three"),
            ("[[handle]]\nselect = \"none\"\n".into(), "selects no vertex"),
            ("[[handle]]\nselect = \"ids:99\"\n".into(), "no vertex of this mesh"),
            ("[[handle]]\nselect = \"../secret.txt\"\n".into(), "cannot be selected from here"),
            ("nothing".into(), "a.toml"),
        ] {
            let told = parsed(&text).expect_err("refused");
            assert!(told.contains(words), "{words}: {told}");
        }
        assert_eq!(parsed("").map(|handles| handles.len()), Ok(0), "refused later: there is nothing to do");
    }
}
