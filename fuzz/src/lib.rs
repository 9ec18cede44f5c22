//! What is fuzzed: every format in `io::ALL`, and the readers beside the table. A new format needs no line here.
//!
//! A reader gets the input as a file; behind [`SPLIT`] stand the contents of every other file that it asks for. What
//! it accepts is written in every ending and variant, read back and compared.

mod handles;
mod model;

use std::path::Path;

use pliant_linalg::Vec3;
use pliant_mesh::io::{self, CubeSplit, Format, Source, arrays, interp, sets};
use pliant_mesh::{Kind, MeshData, TetMesh, shapes};
use pliant_testkit::sentence;

/// Between a file and the file that it names.
pub const SPLIT: &[u8] = b"@@split@@";

/// What reads an input, and panics where it finds something wrong.
pub type Target = Box<dyn Fn(&[u8]) + Send + Sync>;

/// A reader by its name.
type Reader = (&'static str, fn(&[u8]));

/// The readers that are not in `io::ALL`.
const OTHERS: &[Reader] = &[
    ("bou", bou),
    ("txt", txt),
    ("interp", embedding),
    ("npy", npy),
    ("npz", npz),
    ("pliant", model::read),
    ("def", handles::pair),
    ("handles", handles::toml),
];

/// The names of all targets.
pub fn names() -> impl Iterator<Item = &'static str> {
    io::ALL.iter().map(|f| f.name).chain(OTHERS.iter().map(|(name, _)| *name))
}

/// The target called `name`.
pub fn target(name: &str) -> Option<Target> {
    if let Some(format) = io::ALL.iter().find(|f| f.name == name) {
        return Some(Box::new(|data| mesh(format, data)));
    }
    OTHERS.iter().find(|(n, _)| *n == name).map(|(_, run)| Box::new(run) as Target)
}

fn mesh(format: &'static Format, data: &[u8]) {
    let at = data.windows(SPLIT.len()).position(|w| w == SPLIT);
    let (file, other) = match at {
        Some(at) => (&data[..at], Some(&data[at + SPLIT.len()..])),
        None => (data, None),
    };
    let open = |_: &Path| other.map(<[u8]>::to_vec).ok_or_else(|| std::io::ErrorKind::NotFound.into());
    for ending in format.extensions {
        let mut source =
            Source::memory(Path::new("folder/mesh").with_extension(ending), file.to_vec(), &open);
        // Only solids have cubes to cut.
        let solids = format.holds.contains(&Kind::Tets);
        for cubes in if solids { &[CubeSplit::Six, CubeSplit::Five][..] } else { &[CubeSplit::Six] } {
            source.cubes = *cubes;
            match io::read(format, &source) {
                Ok(loaded) => {
                    sentence::notes(&loaded.notes);
                    again(format, &loaded.mesh);
                }
                Err(error) => sentence::error(&error),
            }
        }
    }
}

fn again(format: &Format, mesh: &MeshData) {
    // Nothing may stop a mesh that was read from being judged.
    if let Err(error) = TetMesh::from_data(mesh.clone()) {
        sentence::error(&error);
    }
    // A format may read more than it writes, such as MEDIT triangles and quads together.
    if !format.holds.contains(&mesh.kind()) {
        return;
    }
    for ending in format.extensions {
        for variant in format.variants {
            if let Err(difference) = pliant_testkit::round_trip::check(format, mesh, ending, variant) {
                panic!("{difference}");
            }
        }
    }
}

fn alone(data: &[u8]) -> Source<'static> {
    Source::memory("list", data.to_vec(), &|_| Err(std::io::ErrorKind::NotFound.into()))
}

/// What was read; what is wrong with it is looked at and forgotten.
fn read_or_said<T, E: std::error::Error>(read: Result<T, E>) -> Option<T> {
    read.map_err(|error| sentence::error(&error)).ok()
}

fn bou(data: &[u8]) {
    if let Some(ids) = read_or_said(sets::read_bou(&alone(data), 1000)) {
        assert_eq!(sets::read_bou(&alone(&sets::write_bou(&ids)), 1000).ok(), Some(ids));
    }
}

fn txt(data: &[u8]) {
    if let Some(ids) = read_or_said(sets::read_txt(&alone(data), 1000)) {
        assert!(ids.is_sorted_by(|a, b| a < b) && ids.iter().all(|id| *id < 1000));
    }
}

fn embedding(data: &[u8]) {
    if let Some(embedding) = read_or_said(interp::read(&alone(data))) {
        assert_eq!(interp::read(&alone(&interp::write(&embedding))).ok(), Some(embedding));
    }
}

fn npy(data: &[u8]) {
    if let Some(array) = read_or_said(arrays::read_npy(&alone(data))) {
        assert_eq!(array.shape.iter().product::<usize>(), array.data.len());
    }
}

fn npz(data: &[u8]) {
    if let Some(npz) = read_or_said(arrays::Npz::read(alone(data))) {
        for name in npz.names() {
            read_or_said(npz.get(name));
        }
        read_or_said(npz.get("no such array"));
    }
}

/// Arrays as we write them, as `.npy` or `.npz`.
fn written(ending: &str) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("pliant-seed-{}.{ending}", std::process::id()));
    let numbers = arrays::Numbers::Reals(&[0.0, -1.5, 1e300, 0.1, 7.0, 2.0]);
    let saved = match ending {
        "npy" => arrays::save_npy(&path, &[2, 3], numbers),
        _ => {
            arrays::save_npz(&path, &[("a", &[2, 3], numbers), ("b", &[1], arrays::Numbers::Integers(&[-3]))])
        }
    };
    saved.expect("the folder for temporary files can be written");
    let bytes = std::fs::read(&path).expect("it was written");
    let _ = std::fs::remove_file(path);
    bytes
}

/// What other programs write and we do not: format, text.
const OF_OTHER_PROGRAMS: &[(&str, &str)] = &[
    (
        "veg",
        "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*INCLUDE a\n@@split@@*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n",
    ),
    (
        "veg",
        "*VERTICES\n8 3 0 0\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n*ELEMENTS\nCUBIC\n1 8 0\n1 1 2 3 4 5 6 7 8\n",
    ),
    (
        "medit",
        "MeshVersionFormatted 1\nDimension 2\nVertices 3\n0 0 1\n1 0 1\n0 1 2\nTriangles 1\n1 2 3 5\nEdges 1\n1 2 0\n",
    ),
    (
        "obj",
        "mtllib a\no a\nv 0 0 0 1 1 1\nv 1 0 0 1\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl b\ns 1\ng c d\nf -3/1/1 2//1 \\\n3/1\n",
    ),
    (
        "ply",
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty uchar r\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n1 0 0 0\n1 1 0 0\n1 0 1 0\n1 1 1 0\n7 0 1 2 -1 1 3 2\n",
    ),
    ("off", "STCNOFF 3 1 0\n0 0 0 1 1\n1 0 0 1 1\n0 1 0 1 1\n3 0 1 2 0.5 0.5 0.5\n"),
    (
        "gltf",
        r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"a","byteLength":54}],"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":6,"byteStride":4}],"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":0}}},{"bufferView":1,"componentType":5121,"normalized":true,"count":3,"type":"SCALAR"}],"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"children":[1],"rotation":[0,0,1,0],"scale":[-1,1,1]},{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],"meshes":[{"weights":[0.5],"primitives":[{"mode":5,"attributes":{"POSITION":0},"targets":[{"POSITION":0}]},{"mode":6,"attributes":{"POSITION":0}}]}]}@@split@@012345678901234567890123456789012345678901234567000000"#,
    ),
];

/// Valid inputs for a target, with their names.
pub fn seeds(name: &str) -> Vec<(String, Vec<u8>)> {
    let Some(format) = io::ALL.iter().find(|f| f.name == name) else {
        return match name {
            "bou" => vec![("list".into(), b"1,2,17,\n3\n".to_vec())],
            "txt" => vec![("list".into(), b"0\n2\n17\n".to_vec())],
            "npy" | "npz" => vec![("written".into(), written(name))],
            "pliant" => model::seeds(),
            "def" | "handles" => handles::seeds(name),
            _ => vec![("rows".into(), b"0 1 0.25 2 0.75\n1 3 -0.5 0 1.5\n".to_vec())],
        };
    };
    let mut all: Vec<(String, Vec<u8>)> = OF_OTHER_PROGRAMS
        .iter()
        .filter(|(of, _)| *of == name)
        .enumerate()
        .map(|(i, (_, text))| (format!("other.{i}"), text.as_bytes().to_vec()))
        .collect();
    for mesh in meshes().iter().filter(|m| format.holds.contains(&m.kind())) {
        for ending in format.extensions {
            for variant in format.variants {
                let path = Path::new("folder/mesh").with_extension(ending);
                let Ok(parts) = io::encode(format, mesh, &path, Some(variant)) else { continue };
                let (main, others): (Vec<_>, Vec<_>) =
                    parts.into_iter().partition(|p| p.extension == *ending);
                let mut bytes: Vec<u8> = main.into_iter().flat_map(|p| p.bytes).collect();
                for other in others {
                    bytes.extend_from_slice(SPLIT);
                    bytes.extend(other.bytes);
                }
                all.push((
                    format!("{}.{}.{ending}", mesh.kind().name(), variant.replace(['/', ' '], "-")),
                    bytes,
                ));
            }
        }
    }
    all
}

/// Small meshes of every kind, with regions, materials and sets.
fn meshes() -> Vec<MeshData> {
    use pliant_mesh::{Attributes, Faces, Law, Material, Region, VertexSet};
    let solid = shapes::bar(Vec3::new(0.2, 0.1, 0.1), [1, 1, 1]).into_data();
    let corners = solid.vertices.clone();
    let surface =
        |faces: &[&[u32]]| MeshData::from_faces(corners.clone(), faces.iter().copied().collect::<Faces>());
    let mut all = vec![
        solid,
        surface(&[&[0, 1, 2], &[1, 3, 2]]),
        surface(&[&[0, 1, 3, 2], &[4, 5, 7, 6]]),
        surface(&[&[0, 1, 3, 2], &[4, 5, 7], &[0, 1, 5, 7, 6]]),
    ];
    for mesh in &mut all {
        let law = Law::isotropic(1e6, 0.45);
        mesh.attributes = Attributes {
            regions: vec![
                Region { name: "left foot".into(), material: Some(0) },
                Region { name: "rest".into(), material: None },
            ],
            region_of: (0..mesh.elements.len() as u32).map(|e| e % 2).collect(),
            materials: vec![Material { name: "rubber".into(), density: 1000.0, law }],
            sets: vec![VertexSet { name: "fixed".into(), vertices: vec![0, 2, 3] }],
            embedded: None,
        };
    }
    all
}
