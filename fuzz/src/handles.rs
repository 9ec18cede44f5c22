//! Handles of anybody: a `.def` with the `.sel` behind it, and TOML.

use pliant_edit::{Handle, read};
use pliant_linalg::Vec3;
use pliant_mesh::{MeshData, shapes};

use crate::{SPLIT, read_or_said};

/// What they are on.
fn mesh() -> MeshData {
    shapes::bar(Vec3::new(1.0, 0.1, 0.1), [2, 1, 1]).into_data()
}

/// What was read goes its way, and comes back from its own text.
fn again(handles: &[Handle], mesh: &MeshData) {
    for handle in handles {
        assert!(!handle.vertices.is_empty() && handle.vertices.is_sorted_by(|a, b| a < b));
        let start = handle.at(0.0);
        assert!(start.linear.iter().all(|x| x.is_finite()), "the way begins somewhere");
    }
    pliant_edit::steps(handles, mesh);
    if let Some(same) =
        read_or_said(read::of_toml("again.toml", &read::to_toml(handles, 1.0), mesh, 1.0, false))
    {
        assert_eq!(same.len(), handles.len());
    }
}

pub(crate) fn pair(data: &[u8]) {
    let at = data.windows(SPLIT.len()).position(|w| w == SPLIT);
    let (def, sel) = at.map_or((data, &b""[..]), |at| (&data[..at], &data[at + SPLIT.len()..]));
    let [def, sel] = [def, sel].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let mesh = mesh();
    if let Some(handles) = read_or_said(read::of_pair(["a.def", "a.sel"], [&def, &sel], &mesh, 2.0)) {
        again(&handles, &mesh);
    }
}

pub(crate) fn toml(data: &[u8]) {
    let mesh = mesh();
    let text = String::from_utf8_lossy(data);
    if let Some(handles) = read_or_said(read::of_toml("a.toml", &text, &mesh, 1.0, false)) {
        again(&handles, &mesh);
    }
}

pub(crate) fn seeds(name: &str) -> Vec<(String, Vec<u8>)> {
    let text = match name {
        "def" => {
            let labels: String = (0..12).map(|v| format!("{}\n", v % 3)).collect();
            format!("# a turn\n0 -1 0 1\n1 0 0 0\n0 0 1 0.5\n0 0 0 1\n@@split@@# labels\n{labels}")
        }
        _ => "[[handle]]\nname = \"a\"\nselect = [\"x<5%\", \"ids:4\"]\n[[handle]]\nselect = \"x>95%\"\nmove = [0, 0, 1.5]\n\
              rotate = { axis = [0, 1, 2], angle = 400, about = [1, 0, 0] }\n[[handle]]\nselect = \"ids:1\"\n\
              matrix = [[0, -1, 0, 1], [1, 0, 0, 0], [0, 0, 1.2, 0], [0, 0, 0, 1]]\n"
            .to_owned(),
    };
    vec![("written".into(), text.into_bytes())]
}
