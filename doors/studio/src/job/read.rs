//! From files to a mesh or a model. Names that come from a page are for people and for their endings, never paths.

use std::io;
use std::path::{Path, PathBuf};

use pliant::mesh::io as files;
use pliant::reduce::ReduceError;
use pliant::world::OpenError;
use pliant::world::open::{self, Contents};

use crate::hub::Upload;

/// Letters of a name that are kept.
const LONGEST_NAME: usize = 120;

/// The last part of a name that a page sent, without what cannot be shown: `..\..\x/bar.obj` is `bar.obj`.
pub(crate) fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or("");
    let shown: Vec<char> = last.chars().filter(|c| !c.is_control()).collect();
    // The end has the ending.
    let kept: String = shown[shown.len().saturating_sub(LONGEST_NAME)..].iter().collect();
    let kept = kept.trim();
    if kept.is_empty() || kept.chars().all(|c| c == '.') { "file".to_owned() } else { kept.to_owned() }
}

/// Files that were dropped together: the first that can be read, with the others as what it may name. Its name, and what
/// is in it.
pub(super) fn uploaded(files: Vec<Upload>) -> Result<(String, Contents), OpenError> {
    let mut files: Vec<Upload> =
        files.into_iter().map(|f| Upload { name: plain_name(&f.name), bytes: f.bytes }).collect();
    if files.is_empty() {
        let nothing = ReduceError::Request("no file was dropped; drop a mesh or a .pliant model".into());
        return Err(nothing.into());
    }
    let is_model = |f: &Upload| open::is_model(Path::new(&f.name));
    let known = |f: &Upload| files::format_of(Path::new(&f.name)).is_ok();
    let chosen = files.iter().position(is_model).or_else(|| files.iter().position(known)).unwrap_or(0);
    let Upload { name, bytes } = files.swap_remove(chosen);
    let beside = |path: &Path| {
        let wanted = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
        let found = files.iter().find(|f| f.name.eq_ignore_ascii_case(wanted));
        found.map(|f| f.bytes.clone()).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::NotFound,
                "it was not among the files; drop it together with the mesh",
            )
        })
    };
    let contents = open::read(&files::Source::memory(PathBuf::from(&name), bytes, &beside))?;
    Ok((name, contents))
}

/// A file that was named on the command line.
pub(super) fn from_disk(path: &Path) -> Result<(String, Contents), OpenError> {
    let name = path.file_name().map_or_else(|| "file".into(), |n| n.to_string_lossy().into_owned());
    Ok((name, open::read_file(path)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_a_page_are_no_paths() {
        for (name, plain) in [
            ("bar.obj", "bar.obj"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\me\\bar.obj", "bar.obj"),
            ("/var/\u{0}x\n.stl", "x.stl"),
            ("..", "file"),
            ("a/", "file"),
            ("", "file"),
        ] {
            assert_eq!(plain_name(name), plain, "{name:?}");
        }
        let long = plain_name(&format!("{}.obj", "x".repeat(5000)));
        assert!(long.chars().count() == LONGEST_NAME && long.ends_with(".obj"));
    }

    #[test]
    fn a_file_reaches_only_what_was_dropped_with_it() {
        // A tetgen file needs its other half; a path in place of a name finds nothing on the disk.
        let ele = Upload { name: "/etc/bar.ele".into(), bytes: b"1 4 0\n1 1 2 3 4\n".to_vec() };
        let node = Upload {
            name: "bar.node".into(),
            bytes: b"4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n".to_vec(),
        };
        let alone = uploaded(vec![ele.clone()]).err().map(|e| crate::words::sentence(&e)).unwrap_or_default();
        assert!(alone.contains("bar.node") && alone.contains("together"), "{alone}");
        let both = uploaded(vec![ele, node]).unwrap_or_else(|e| panic!("{}", crate::words::sentence(&e)));
        assert!(matches!(both.1, Contents::Mesh { mesh, .. } if mesh.vertices.len() == 4));
    }
}
