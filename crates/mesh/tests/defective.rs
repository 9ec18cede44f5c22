//! Broken files: an error that names the file and the place, or a mesh that can be used; never a panic, never memory
//! for what is only announced.

use std::path::{Path, PathBuf};

use pliant_mesh::io::{self, Format, Source};
use pliant_mesh::{Elements, Kind, MeshData, MeshError, SurfaceMesh, TetMesh, shapes};

/// What is expected of a shared file.
enum Expected {
    /// `io::load` refuses it; its sentence contains these words.
    Refused(&'static [&'static str]),
    /// It loads; the test says what it is good for.
    Usable(fn(MeshData)),
    /// The reader for it is not in the table.
    Sets,
}

#[test]
fn every_shared_file_behaves_as_its_table_says() {
    use Expected::{Refused, Sets, Usable};
    let Some(data) = pliant_testkit::shared::data() else { return };
    let expected: &[(&str, Expected)] = &[
        ("truncated_in_elements.veg", Refused(&["line"])),
        ("truncated_in_nodes.msh", Refused(&[])),
        ("truncated_binary.ply", Refused(&["byte", "cut off"])),
        ("nan_coordinate.veg", Refused(&["line", "finite"])),
        ("index_out_of_range.mesh", Refused(&["line", "28", "27"])),
        ("index_zero.veg", Refused(&["line", "vertex 0"])),
        ("empty.veg", Refused(&[])),
        ("empty.obj", Refused(&["no faces"])),
        ("huge_vertex_count.ply", Refused(&["line", "4000000000", "announced"])),
        ("negative_density.veg", Refused(&["density", "-1000"])),
        ("poisson_half.veg", Refused(&["Poisson", "0.5"])),
        (
            "degenerate_tet.veg",
            Usable(|mesh| {
                let error = TetMesh::from_data(mesh.clone()).unwrap_err().to_string();
                assert!(error.contains("no positive volume"), "{error}");
                assert!(TetMesh::reoriented(mesh).is_err(), "turning does not help a flat tet");
            }),
        ),
        (
            "inverted_tet.mesh",
            Usable(|mesh| {
                assert!(matches!(
                    TetMesh::from_data(mesh.clone()),
                    Err(MeshError::BadTet { tet: 10, count: 1, .. })
                ));
                let (mesh, turned) = TetMesh::reoriented(mesh).unwrap();
                assert_eq!(turned, 1);
                assert!(
                    (0..mesh.tets().len()).all(|t| pliant_mesh::measure::tet_volume(&mesh.corners(t)) > 0.0)
                );
            }),
        ),
        (
            "nonmanifold_edge.obj",
            Usable(|mesh| {
                assert_eq!((mesh.kind(), mesh.elements.len()), (Kind::Triangles, 4));
                SurfaceMesh::from_data(mesh).unwrap();
            }),
        ),
        ("all_fixed.veg", Usable(|mesh| assert_eq!(TetMesh::from_data(mesh).unwrap().vertices().len(), 27))),
        ("all_fixed.bou", Sets),
        ("one_tet.veg", Usable(|mesh| assert_eq!(TetMesh::from_data(mesh).unwrap().tets().len(), 1))),
    ];
    let folder = data.join("defective");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name == "README.md" {
            continue;
        }
        let (_, expected) =
            expected.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("{name} is new"));
        seen += 1;
        match expected {
            Refused(says) => {
                let error = io::load(&path).expect_err(name).to_string();
                assert!(error.contains(name) || io::format_of(&path).is_err(), "{error}");
                if io::format_of(&path).is_ok() {
                    for word in *says {
                        assert!(error.contains(word), "{name}: {error:?} does not say {word:?}");
                    }
                }
            }
            Usable(good_for) => good_for(io::load(&path).unwrap_or_else(|e| panic!("{e}")).mesh),
            Sets => {
                let fixed = io::sets::read_bou(&Source::open(&path).unwrap(), 27).unwrap();
                assert_eq!(fixed, (0..27).collect::<Vec<_>>());
            }
        }
    }
    assert_eq!(seen, expected.len(), "files of the table are missing");
}

/// A small sound mesh for a format, and its files.
struct Sound {
    format: &'static Format,
    variant: &'static str,
    path: PathBuf,
    parts: Vec<(PathBuf, Vec<u8>)>,
}

/// Numbers that stand out in a file: as text, and as bytes of either width and order.
const MARK: f64 = 0.71875;

fn sound() -> Vec<Sound> {
    let solid = shapes::ball(0.4375, 1);
    let mut all = Vec::new();
    for format in io::ALL {
        let mut mesh = if format.holds.contains(&Kind::Tets) {
            solid.clone().into_data()
        } else {
            let boundary = pliant_mesh::topology::boundary_faces(solid.tets());
            MeshData::from_faces(solid.vertices().to_vec(), pliant_mesh::Faces::from_triangles(&boundary))
        };
        let corner = mesh.elements.get(0)[0] as usize;
        mesh.vertices[corner].x = MARK;
        let endings = format.extensions.iter();
        for (ending, variant) in endings.flat_map(|e| format.variants.iter().map(move |v| (e, v))) {
            let path = Path::new("folder").join("mesh").with_extension(ending);
            let parts = io::encode(format, &mesh, &path, Some(variant)).unwrap();
            let parts = parts.into_iter().map(|p| (path.with_extension(p.extension), p.bytes)).collect();
            all.push(Sound { format, variant, path, parts });
        }
    }
    all
}

impl Sound {
    fn read(&self, parts: &[(PathBuf, Vec<u8>)]) -> pliant_mesh::Result<io::Loaded> {
        let open = |wanted: &Path| {
            let part = parts.iter().find(|(path, _)| path == wanted);
            part.map(|(_, bytes)| bytes.clone()).ok_or_else(|| std::io::ErrorKind::NotFound.into())
        };
        io::read(self.format, &Source::memory(&self.path, open(&self.path).unwrap(), &open))
    }

    /// The parts with one of them changed, for each part that `change` changes.
    fn changed(&self, change: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Vec<Vec<(PathBuf, Vec<u8>)>> {
        let mut all = Vec::new();
        for i in 0..self.parts.len() {
            if let Some(bytes) = change(&self.parts[i].1) {
                let mut parts = self.parts.clone();
                parts[i].1 = bytes;
                all.push(parts);
            }
        }
        all
    }

    /// Reads changed parts, which must be refused with the name of one of the files.
    #[track_caller]
    fn refused(&self, what: &str, parts: &[(PathBuf, Vec<u8>)]) -> String {
        let context = format!("{} {}, {what}", self.format.name, self.variant);
        let error = self.read(parts).expect_err(&context).to_string();
        assert!(parts.iter().any(|(path, _)| error.contains(path.to_str().unwrap())), "{context}: {error}");
        error
    }
}

/// All the ways in which a format may write [`MARK`], and the same way for `other`.
fn spellings(other: f64) -> Vec<(Vec<u8>, Vec<u8>)> {
    vec![
        (format!("{MARK:?}").into_bytes(), format!("{other:?}").to_lowercase().into_bytes()),
        (MARK.to_le_bytes().into(), other.to_le_bytes().into()),
        (MARK.to_be_bytes().into(), other.to_be_bytes().into()),
        ((MARK as f32).to_le_bytes().into(), (other as f32).to_le_bytes().into()),
        ((MARK as f32).to_be_bytes().into(), (other as f32).to_be_bytes().into()),
    ]
}

/// Every occurrence: a format may repeat a coordinate in a bounding box that its reader skips.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Option<Vec<u8>> {
    let at = bytes.windows(from.len()).position(|w| w == from)?;
    let behind = &bytes[at + from.len()..];
    let rest = replaced(behind, from, to).unwrap_or_else(|| behind.to_vec());
    Some([&bytes[..at], to, &rest].concat())
}

#[test]
fn coordinates_that_are_no_numbers_are_refused() {
    for sound in sound() {
        sound.read(&sound.parts).unwrap();
        let mut changed = 0;
        for bad in [f64::NAN, f64::INFINITY] {
            for (from, to) in spellings(bad) {
                for parts in sound.changed(|bytes| replaced(bytes, &from, &to)) {
                    sound.refused("a coordinate that is no number", &parts);
                    changed += 1;
                }
            }
        }
        // Files that pack their numbers (base64 in JSON) are left to their own tests.
        let packed = sound.variant.contains("embedded") || sound.variant.contains("base64");
        assert!(changed >= 2 || packed, "{} {} has no place for nan", sound.format.name, sound.variant);
    }
}

/// Formats whose elements are positions, or whose writer looks at the positions: they have tests of their own.
const WRITTEN_BY_POSITION: &[&str] = &["stl", "gltf"];

#[test]
fn elements_whose_vertices_are_not_there_are_refused() {
    for sound in sound().into_iter().filter(|s| !WRITTEN_BY_POSITION.contains(&s.format.name)) {
        let mut mesh = sound.read(&sound.parts).unwrap().mesh;
        // Writers may count on sound meshes, so the number plus one still fits 32 bits with a sign.
        for bad in [mesh.vertices.len() as u32, 2_000_000_000] {
            match &mut mesh.elements {
                Elements::Tets(tets) => tets[1][2] = bad,
                Elements::Faces(faces) => {
                    let replace =
                        |(i, f): (usize, &[u32])| if i == 1 { vec![f[0], f[1], bad] } else { f.to_vec() };
                    let changed: Vec<Vec<u32>> = faces.iter().enumerate().map(replace).collect();
                    *faces = changed.iter().map(Vec::as_slice).collect();
                }
            }
            let parts = io::encode(sound.format, &mesh, &sound.path, Some(sound.variant)).unwrap();
            let parts: Vec<_> =
                parts.into_iter().map(|p| (sound.path.with_extension(p.extension), p.bytes)).collect();
            let error = sound.refused("a vertex that is not there", &parts);
            // Counted from 0 or from 1.
            let named = [bad, bad + 1].iter().any(|v| error.contains(&v.to_string()));
            assert!(named, "{}: {error}", sound.format.name);
        }
    }
}

#[test]
fn files_that_are_cut_off_are_refused_or_still_a_mesh() {
    for sound in sound() {
        let mut refused = 0;
        let whole = sound.parts[0].1.len();
        for cut in (0..whole).step_by((whole / 97).max(1)) {
            let mut parts = sound.parts.clone();
            parts[0].1.truncate(cut);
            // Some cuts leave a smaller mesh: an OBJ file has no end.
            match sound.read(&parts) {
                Ok(loaded) => loaded.mesh.check().unwrap(),
                Err(_) => {
                    sound.refused("cut off", &parts);
                    refused += 1;
                }
            }
        }
        assert!(refused >= 20, "{} {}: {refused}", sound.format.name, sound.variant);
    }
}

#[test]
fn empty_files_are_refused() {
    for sound in sound() {
        for nothing in [&b""[..], b"\n", b" ", &[0; 100]] {
            for parts in sound.changed(|_| Some(nothing.to_vec())) {
                sound.refused("nothing", &parts);
            }
        }
    }
}

/// Every byte and every number of every format, one at a time: an error or a consistent mesh.
#[test]
fn no_damage_to_one_place_is_a_panic() {
    for sound in sound() {
        for i in 0..sound.parts.len() {
            let length = sound.parts[i].1.len();
            for at in (0..length).step_by((length / 1500).max(1)) {
                for bad in [0, b'-', b'9', 0xff] {
                    let mut parts = sound.parts.clone();
                    parts[i].1[at] = bad;
                    if let Ok(loaded) = sound.read(&parts) {
                        loaded.mesh.check().unwrap();
                    }
                }
            }
        }
    }
}

/// Words of text that are whole numbers, replaced one at a time by a number that is far too large: counts, vertices of
/// elements, sizes of buffers.
#[test]
fn numbers_that_are_far_too_large_are_refused_or_harmless() {
    for sound in sound() {
        let mut refused = 0;
        for i in 0..sound.parts.len() {
            let bytes = &sound.parts[i].1;
            let digits = |at: usize| bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
            let starts = |at: &usize| {
                bytes[*at].is_ascii_digit()
                    && (*at == 0 || matches!(bytes[*at - 1], b' ' | b'\n' | b':' | b'/' | b'"' | b','))
                    && bytes.get(*at + digits(*at)).is_none_or(|b| !matches!(b, b'.' | b'e' | b'x'))
            };
            for at in (0..bytes.len().min(4000)).filter(starts) {
                let mut parts = sound.parts.clone();
                parts[i].1 = [&bytes[..at], b"4000000000", &bytes[at + digits(at)..]].concat();
                match sound.read(&parts) {
                    Ok(loaded) => loaded.mesh.check().unwrap(),
                    Err(_) => {
                        sound.refused("a number that is far too large", &parts);
                        refused += 1;
                    }
                }
            }
        }
        let has_numbers = sound.format.name != "stl";
        assert!(refused > 0 || !has_numbers, "{} {}", sound.format.name, sound.variant);
    }
}
