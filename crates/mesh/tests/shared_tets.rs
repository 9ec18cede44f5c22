//! Real solids: every one loads with the counts, regions and materials that its README states.

use std::path::{Path, PathBuf};

use pliant_mesh::io::{self, CubeSplit, Loaded, Source};
use pliant_mesh::{Attributes, Elements, Kind, MeshData, TetMesh};
use pliant_testkit::shared;

/// The folder with the solids, if this machine has it.
fn tets() -> Option<PathBuf> {
    shared::data().map(|data| data.join("tets"))
}

#[track_caller]
fn load(path: &Path) -> Loaded {
    io::load(path).unwrap_or_else(|e| panic!("{e}"))
}

/// Rows of the README's table: file, vertices, elements, what the elements are.
fn table(data: &Path) -> Vec<(String, usize, usize, String)> {
    let readme = std::fs::read_to_string(data.join("README.md")).expect("the data have a README");
    let rows = readme.lines().filter(|line| line.starts_with("| tets/")).map(|line| {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let (count, kind) = columns[4].split_once(' ').expect("a number and a word");
        (columns[1].to_owned(), columns[3].parse().unwrap(), count.parse().unwrap(), kind.to_owned())
    });
    rows.collect()
}

#[test]
fn every_file_has_the_counts_of_its_readme() {
    let Some(data) = shared::data() else { return };
    let rows = table(&data);
    assert!(rows.len() >= 20, "the table of solids has {} rows", rows.len());
    for (file, vertices, count, kind) in rows {
        let path = data.join(&file);
        // Formats of surfaces live in another file of this folder of tests, and may not be there yet.
        if io::format_of(&path).is_err() {
            continue;
        }
        let mesh = load(&path).mesh;
        assert_eq!(mesh.vertices.len(), vertices, "{file}");
        let (expected, expected_kind) = match &*kind {
            "cubes" => (6 * count, Kind::Tets),
            "tets" => (count, Kind::Tets),
            "triangles" => (count, Kind::Triangles),
            _ => (count, Kind::Polygons),
        };
        assert_eq!((mesh.elements.len(), mesh.kind()), (expected, expected_kind), "{file}");
        if let Elements::Tets(tets) = mesh.elements {
            // The README says of every solid that none of its tets is inverted.
            TetMesh::new(mesh.vertices, tets).unwrap_or_else(|e| panic!("{file}: {e}"));
        }
    }
}

#[test]
fn cubes_can_become_five_tets_each() {
    let Some(tets) = tets() else { return };
    for (file, cubes) in
        [("beam3/beam3.veg", 75), ("simpleBridge/simpleBridge_resol92-b1.155_enlarged.veg", 1736)]
    {
        let mesh = io::load_with(&tets.join(file), CubeSplit::Five).unwrap().mesh;
        assert_eq!(mesh.elements.len(), 5 * cubes, "{file}");
    }
}

fn bits(mesh: &MeshData) -> Vec<[u64; 3]> {
    mesh.vertices.iter().map(|p| [p.x, p.y, p.z].map(f64::to_bits)).collect()
}

#[test]
fn one_beam_in_all_formats_is_one_beam() {
    let Some(tets) = tets() else { return };
    let original = load(&tets.join("beam3/beam3_tet.veg")).mesh;
    let short = load(&tets.join("formats/beam3_tet.mesh")).mesh;
    let mut worst = short.vertices.iter().zip(&original.vertices).map(|(a, b)| (a - b).norm());
    assert!(short.vertices.len() == 208 && worst.all(|d| d < 1e-14));
    let mut seen = 0;
    for entry in std::fs::read_dir(tets.join("formats")).unwrap() {
        let path = entry.unwrap().path();
        let mesh = load(&path).mesh;
        let name = path.display();
        assert!(mesh.elements == original.elements, "{name}: other tets");
        assert_eq!(mesh.attributes, Attributes::default(), "{name}");
        // Some were written with fewer digits: 0.16 where the beam has 0.160000000000001.
        let rounded = [".mesh", ".node", ".ele", ".vtu"].iter().any(|e| name.to_string().ends_with(e));
        let expected = if rounded { &short } else { &original };
        assert!(bits(&mesh) == bits(expected), "{name}: other positions");
        seen += 1;
    }
    assert_eq!(seen, 9);
}

#[test]
fn the_turtle_has_a_shell_and_a_body() {
    let Some(tets) = tets() else { return };
    let mesh = load(&tets.join("turtle/turtle-volumetric-heterogeneous.veg")).mesh;
    let a = &mesh.attributes;
    assert_eq!(a.regions.len(), 2);
    assert!(a.region_of.iter().all(|&r| r < 2), "every tet is in one of the two");
    let stiffness: Vec<f64> = a
        .regions
        .iter()
        .map(|r| a.materials[r.material.unwrap() as usize].law.as_isotropic().expect("isotropic")[0])
        .collect();
    assert!(stiffness[0] != stiffness[1], "{stiffness:?}");
    let uniform = load(&tets.join("turtle/turtle-volumetric-homogeneous.veg")).mesh;
    assert_eq!((uniform.attributes.regions.len(), uniform.vertices.len()), (1, 347));
}

#[test]
fn the_dragon_names_two_materials_and_uses_one() {
    let Some(tets) = tets() else { return };
    let a = load(&tets.join("asianDragon/asianDragon.veg")).mesh.attributes;
    assert_eq!(a.materials.len(), 2);
    let used: Vec<&str> =
        a.regions.iter().filter_map(|r| Some(a.materials[r.material? as usize].name.as_str())).collect();
    assert_eq!(used, ["BODY"]);
    let rivlin = load(&tets.join("asianDragon/asianDragon_MooneyRivlin.veg")).mesh.attributes;
    assert!(
        rivlin
            .materials
            .iter()
            .any(|m| m.law.name.as_deref() == Some("mooney-rivlin") && m.law.constants.len() == 3)
    );
}

#[test]
fn lists_of_fixed_vertices() {
    let Some(tets) = tets() else { return };
    for (list, vertices, expected) in [
        ("simpleBridge/simpleBridge.bou", 4000, 121),
        ("simpleBridge/simpleBridge-ic_128_0.15_.1.bou", 4000, 0),
        ("simpleBridge/simpleBridge_resol92-b1.155_enlarged.bou", 3923, 44),
        ("asianDragon/asianDragon.bou", 959, 3),
        ("asianDragon/asianDragon-empty.bou", 959, 0),
        ("beam3/beam3.bou", 208, 8),
    ] {
        let ids = io::sets::read_bou(&Source::open(&tets.join(list)).unwrap(), vertices).unwrap();
        assert_eq!(ids.len(), expected, "{list}");
    }
    // The Menger sponge stands on the plane z = 0.
    let sponge = load(&tets.join("menger_l2_2400.mesh")).mesh;
    let list = Source::open(&tets.join("menger_l2_2400.bou")).unwrap();
    let ids = io::sets::read_bou(&list, sponge.vertices.len()).unwrap();
    let ground: Vec<u32> =
        (0..sponge.vertices.len() as u32).filter(|&v| sponge.vertices[v as usize].z == 0.0).collect();
    assert_eq!(ids, ground);
}

#[test]
fn surfaces_embedded_by_vega() {
    let Some(tets) = tets() else { return };
    for (solid, surface, rows, each) in [
        ("asianDragon/asianDragon.veg", "asianDragon/asianDragon", 25002, 4),
        ("simpleBridge/simpleBridge-ic_128_0.15_.1.veg", "simpleBridge/simpleBridge", 16085, 4),
        (
            "simpleBridge/simpleBridge_resol92-b1.155_enlarged.veg",
            "simpleBridge/simpleBridge_resol92-b1.155_enlarged",
            16085,
            8,
        ),
        ("turtle/turtle-volumetric-homogeneous.veg", "turtle/turtle", 1961, 4),
    ] {
        let mesh = load(&tets.join(solid)).mesh;
        let list = Source::open(&tets.join(format!("{surface}.interp"))).unwrap();
        let embedding = io::interp::read(&list).unwrap();
        assert_eq!(embedding.len(), rows, "{surface}");
        assert_eq!(embedding.vertices.len(), each * rows, "{surface}");
        for p in 0..rows {
            let sum: f64 = embedding.row(p).map(|(_, w)| w).sum();
            assert!((sum - 1.0).abs() < 1e-3, "{surface}: the weights of point {p} add up to {sum}");
            assert!(
                embedding.row(p).all(|(v, _)| (v as usize) < mesh.vertices.len()),
                "{surface}: point {p}"
            );
        }
        // The weights put every point of the surface where its own file has it.
        let own = tets.join(surface).with_extension("obj");
        if each == 4 && own.is_file() && io::format_of(&own).is_ok() {
            let own = load(&own).mesh;
            let size = (own.bounds()[1] - own.bounds()[0]).norm();
            let worst = embedding
                .apply(&mesh.vertices)
                .iter()
                .zip(&own.vertices)
                .map(|(a, b)| (a - b).norm() / size)
                .fold(0.0, f64::max);
            assert!(worst < 1e-4, "{surface}: {worst:e} of the size");
        }
    }
}
