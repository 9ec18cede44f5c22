//! Surfaces of the wild: each loads with the counts that the table beside the files states, and of the right kind.

use std::path::{Path, PathBuf};

use pliant_mesh::{Kind, MeshData, SurfaceMesh, io};

/// A row of the table: file, vertices, elements, kind.
struct Row {
    file: String,
    vertices: usize,
    elements: usize,
    kind: Kind,
}

/// The rows for surfaces of the table in `README.md`.
fn rows(data: &Path) -> Vec<Row> {
    let table = std::fs::read_to_string(data.join("README.md")).unwrap();
    let surfaces = table.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, file, _, vertices, elements, ..] = cells[..] else { return None };
        let (elements, kind) = elements.split_once(' ')?;
        let kind = match kind.split(' ').next()? {
            "triangles" => Kind::Triangles,
            "quads" => Kind::Quads,
            "polygons" => Kind::Polygons,
            _ => return None,
        };
        Some(Row {
            file: file.into(),
            vertices: vertices.parse().ok()?,
            elements: elements.parse().ok()?,
            kind,
        })
    });
    surfaces.collect()
}

fn files(data: &Path, folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data.join(folder)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).filter(|p| p.is_file()).collect();
    files.sort();
    files
}

#[test]
fn every_surface_has_the_counts_of_the_table() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    let rows = rows(&data);
    assert!(rows.len() >= 23, "only {} rows were understood", rows.len());
    for row in &rows {
        let loaded = io::load(&data.join(&row.file)).unwrap_or_else(|e| panic!("{e}"));
        let mesh = loaded.mesh;
        assert_eq!(mesh.vertices.len(), row.vertices, "vertices of {}", row.file);
        assert_eq!(mesh.elements.len(), row.elements, "elements of {}", row.file);
        assert_eq!(mesh.kind(), row.kind, "kind of {}", row.file);
    }
    for file in ["surfaces", "quads"].iter().flat_map(|folder| files(&data, folder)) {
        let name = file.strip_prefix(&data).unwrap().to_str().unwrap();
        let known = rows.iter().any(|r| r.file == name);
        assert!(known || io::format_of(&file).is_err(), "{name} is a mesh, but not in the table");
    }
}

/// Real surfaces survive every format that can hold them, with every digit where the format keeps digits.
#[test]
fn real_surfaces_survive_every_format() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    let folder = tempfile::tempdir().unwrap();
    for file in ["surfaces/sphere.obj", "quads/own_torus_quad.obj", "tets/turtle/turtle.obj"] {
        let mesh = io::load(&data.join(file)).unwrap().mesh;
        for format in io::ALL.iter().filter(|f| f.holds.contains(&mesh.kind())) {
            for variant in format.variants {
                let path = folder.path().join("copy").with_extension(format.extensions[0]);
                io::save(&path, &mesh, Some(variant)).unwrap();
                let copy = io::load(&path).unwrap().mesh;
                let context = format!("{file} as {} {variant}", format.name);
                assert_eq!(copy.elements.len(), mesh.elements.len(), "{context}");
                let keeps = format.keeps_in(variant);
                if keeps.ids && keeps.digits {
                    assert_eq!(copy.vertices, mesh.vertices, "{context}");
                }
                if keeps.regions {
                    assert_eq!(copy.attributes.region_of, mesh.attributes.region_of, "{context}");
                }
            }
        }
    }
}

#[test]
fn the_same_bunny_in_three_files() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    let bunny = |name: &str| io::load(&data.join("surfaces").join(name)).unwrap().mesh;
    let (off, text, binary) = (bunny("bunny.off"), bunny("bunny_ascii.ply"), bunny("bunny_binary.ply"));
    let close = |a: &MeshData, b: &MeshData| {
        a.elements == b.elements && a.vertices.iter().zip(&b.vertices).all(|(p, q)| (p - q).norm() < 1e-6)
    };
    assert!(close(&off, &text) && close(&off, &binary));
    let surface = SurfaceMesh::from_data(off).unwrap();
    assert_eq!(surface.triangles().len(), 6966);
}

#[test]
fn inner_vertices_that_no_face_uses_are_kept() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    let mesh = io::load(&data.join("tets/letterA/A.obj")).unwrap().mesh;
    let mut used = vec![false; mesh.vertices.len()];
    mesh.elements.corners().iter().for_each(|&v| used[v as usize] = true);
    assert_eq!(used.iter().filter(|u| !**u).count(), 158);
}
