//! Damaged files: no reader panics or hangs on any bytes, none loses part of a cut-off file in silence, and what each says is one
//! short line.

use std::path::Path;

use pliant_mesh::io::{self, Format, Part, Source};
use pliant_mesh::{Attributes, Elements, Kind, Law, Material, MeshData, Region, VertexSet};
use pliant_testkit::sentence;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Formats that announce no counts and have no end mark: a cut at the end of a line, or behind one of the blocks of a
/// text STL, leaves a whole file.
const WITHOUT_END: &[&str] = &["obj text", "stl text"];

/// Numbers that readers multiply, index and allocate by, and signs that formats are made of.
const WORDS: &[&str] =
    &["4294967295", "18446744073709551615", "-1", "1e308", "nan", "0", "\"", "<", "\n", "$End", "#"];

/// The most memory that this process has asked for so far, bytes; `None` where the system does not say.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmPeak:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

/// The files are a few kilobytes: whoever takes a gigabyte has believed a number in one.
#[track_caller]
fn assert_little_memory(before: Option<u64>) {
    if let (Some(before), Some(after)) = (before, most_memory()) {
        assert!(after - before < 1 << 30, "{} MB were taken", (after - before) >> 20);
    }
}

/// A small mesh of a kind, with everything that a format may keep.
fn sample(kind: Kind) -> MeshData {
    let mut mesh = pliant_mesh::shapes::bar([1.0, 0.3, 0.2].into(), [2, 1, 1]).into_data();
    let Elements::Tets(tets) = &mesh.elements else { unreachable!("a bar is a solid") };
    let boundary = pliant_mesh::topology::boundary_faces(tets);
    let corners = match kind {
        Kind::Tets => None,
        Kind::Triangles => Some(vec![3]),
        Kind::Quads => Some(vec![4]),
        Kind::Polygons => Some(vec![3, 4, 5]),
    };
    if let Some(corners) = corners {
        let loop_of = |f: usize| (0..corners[f % corners.len()]).map(move |c| ((f + c) % 12) as u32);
        let faces: Vec<Vec<u32>> = (0..boundary.len()).map(|f| loop_of(f).collect()).collect();
        mesh.elements = Elements::Faces(faces.iter().map(|f| &f[..]).collect());
    }
    let law = Law::isotropic(1e6, 0.3);
    mesh.attributes = Attributes {
        regions: vec![
            Region { name: "left foot".into(), material: Some(0) },
            Region { name: "body".into(), material: None },
        ],
        region_of: (0..mesh.elements.len() as u32).map(|e| e % 2).collect(),
        materials: vec![Material { name: "rubber".into(), density: 1000.0, law }],
        sets: vec![VertexSet { name: "fixed".into(), vertices: vec![0, 1, 5] }],
        embedded: None,
    };
    mesh
}

/// Reads parts that lie in one folder, the first as the main one.
fn read(format: &Format, extension: &str, parts: &[Part]) -> pliant_mesh::Result<MeshData> {
    let path = Path::new("folder").join("mesh").with_extension(extension);
    let open = |wanted: &Path| {
        parts
            .iter()
            .find(|p| path.with_extension(&p.extension) == wanted)
            .map(|p| p.bytes.clone())
            .ok_or_else(|| std::io::ErrorKind::NotFound.into())
    };
    let source = Source::memory(&path, open(&path).expect("the main part is there"), &open);
    Ok(io::read(format, &source)?.mesh)
}

/// Runs `test` for every format, variant, kind and file that a writer makes: what, ending, parts, which part to damage.
fn for_every_file(mut test: impl FnMut(&str, &'static Format, &str, &[Part], usize, &MeshData)) {
    for format in io::ALL {
        for kind in format.holds {
            let mesh = sample(*kind);
            for variant in format.variants {
                let extension = format.extensions[0];
                let path = Path::new("mesh").with_extension(extension);
                let parts = io::encode(format, &mesh, &path, Some(variant)).unwrap();
                // What a reader makes of the whole file is what every damaged one is measured by.
                let whole = read(format, extension, &parts).unwrap();
                for damaged in 0..parts.len() {
                    let name = format!("{} {variant}, {}", format.name, kind.name());
                    test(&name, format, extension, &parts, damaged, &whole);
                }
            }
        }
    }
}

fn with_bytes(parts: &[Part], damaged: usize, bytes: Vec<u8>) -> Vec<Part> {
    let mut parts: Vec<Part> =
        parts.iter().map(|p| Part { extension: p.extension.clone(), bytes: p.bytes.clone() }).collect();
    parts[damaged].bytes = bytes;
    parts
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_has_all_its_vertices_and_elements() {
    for_every_file(|name, format, extension, parts, damaged, whole| {
        if WITHOUT_END.iter().any(|w| name.starts_with(w)) {
            return;
        }
        let bytes = &parts[damaged].bytes;
        for cut in 0..bytes.len() {
            let parts = with_bytes(parts, damaged, bytes[..cut].to_vec());
            match read(format, extension, &parts) {
                Ok(mesh) => {
                    let counts = (mesh.vertices.len(), mesh.elements.len());
                    let expected = (whole.vertices.len(), whole.elements.len());
                    assert_eq!(counts, expected, "{name}: {cut} of {} bytes", bytes.len());
                }
                Err(error) => sentence::error(&error),
            }
        }
    });
}

#[test]
fn no_bytes_make_a_reader_panic() {
    let before = most_memory();
    for_every_file(|name, format, extension, parts, damaged, _| {
        let original = &parts[damaged].bytes;
        let place = any::<prop::sample::Index>;
        let change = prop_oneof![
            3 => (place(), any::<u8>()).prop_map(|(at, b)| (at, vec![b])),
            1 => (place(), proptest::sample::select(WORDS)).prop_map(|(at, w)| (at, w.as_bytes().to_vec())),
            1 => (place(), proptest::sample::select(vec![[0xFFu8; 8], [0; 8], [0x7F; 8]]))
                .prop_map(|(at, b)| (at, b.to_vec())),
        ];
        let changes = proptest::collection::vec(change, 1..4);
        let length = 0..=original.len();
        let mut runner = TestRunner::new(ProptestConfig::default());
        let result =
            runner.run(&(changes, prop_oneof![Just(original.len()), length]), |(changes, length)| {
                let mut bytes = original.clone();
                for (at, new) in changes {
                    let at = at.index(bytes.len());
                    let end = (at + new.len()).min(bytes.len());
                    bytes.splice(at..end, new);
                }
                bytes.truncate(length);
                // A mesh or an error, both are fine; the test is that it returns, and what it says.
                if let Err(error) = read(format, extension, &with_bytes(parts, damaged, bytes)) {
                    sentence::error(&error);
                }
                Ok(())
            });
        if let Err(e) = result {
            panic!("{name}: {e}");
        }
    });
    assert_little_memory(before);
}

#[test]
fn counts_that_no_file_can_hold_are_refused_before_memory_is_taken() {
    let before = most_memory();
    for_every_file(|_, format, extension, parts, damaged, whole| {
        // Every number of the text that is a count of the mesh, one after another, becomes four thousand million.
        let bytes = &parts[damaged].bytes;
        let counts = [whole.vertices.len().to_string(), whole.elements.len().to_string()];
        for at in 0..bytes.len() {
            let Some(count) = counts.iter().find(|c| bytes[at..].starts_with(c.as_bytes())) else { continue };
            let alone = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'.');
            let before = at.checked_sub(1).and_then(|i| bytes.get(i));
            if !alone(before) || !alone(bytes.get(at + count.len())) {
                continue;
            }
            let mut huge = bytes.clone();
            huge.splice(at..at + count.len(), *b"4000000000");
            // Where the number was no count but a coordinate, the file may even be sound.
            if let Err(error) = read(format, extension, &with_bytes(parts, damaged, huge)) {
                sentence::error(&error);
            }
        }
    });
    assert_little_memory(before);
}
