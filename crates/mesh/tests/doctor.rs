//! The doctor on real meshes: what is stated beside them is what it finds; and on soups: it never gives up.

use pliant_linalg::ignore_progress;
use pliant_mesh::doctor::{Options, Report, What, examine};
use pliant_mesh::{Kind, MeshData, io};
use pliant_testkit::{shared, strategies};
use proptest::prelude::*;

fn look(mesh: &MeshData) -> Report {
    examine(mesh, &Options::default(), &mut ignore_progress).expect("indices are in range")
}

/// One row of a table of Markdown whose first cell is a path.
struct Row {
    file: String,
    vertices: usize,
    elements: usize,
    notes: String,
}

fn rows(table: &str) -> Vec<Row> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let number = |text: &str| text.split(' ').next().and_then(|n| n.parse().ok());
        Some(Row {
            file: cells.get(1)?.to_string(),
            vertices: number(cells.get(3)?)?,
            elements: number(cells.get(4)?)?,
            notes: cells.get(7)?.to_string(),
        })
    };
    table.lines().filter_map(row).collect()
}

/// The number right before (or behind) a word of the notes.
fn before(notes: &str, word: &str) -> Option<f64> {
    let head = &notes[..notes.find(word)?];
    head.trim_end().rsplit([' ', ';']).next()?.parse().ok()
}

fn behind(notes: &str, word: &str) -> Option<f64> {
    let tail = notes[notes.find(word)? + word.len()..].trim_start();
    tail.split([',', ';', ' ']).next()?.trim_end_matches('.').parse().ok()
}

/// "dihedral 5.49-171.61°" → (5.49, 171.61).
fn range(notes: &str, word: &str) -> Option<(f64, f64)> {
    let tail = notes[notes.find(word)? + word.len()..].trim_start();
    let (low, high) = tail.split_once('°')?.0.split_once('-')?;
    Some((low.parse().ok()?, high.parse().ok()?))
}

#[test]
fn what_is_stated_beside_the_shared_meshes_is_what_is_found() {
    let Some(data) = shared::data() else { return };
    let table = std::fs::read_to_string(data.join("README.md")).unwrap();
    let mut seen = 0;
    for row in rows(&table) {
        let path = data.join(&row.file);
        if !path.is_file() || io::format_of(&path).is_err() || row.notes.contains("CUBIC elements") {
            continue;
        }
        let (file, notes) = (&row.file, &row.notes);
        let report = look(&io::load(&path).unwrap().mesh);
        let count = |what| report.finding(what).map_or(0, |f| f.ids.len());
        seen += 1;
        assert_eq!((report.vertices, report.elements), (row.vertices, row.elements), "{file}");
        if let Some(parts) = before(notes, "component") {
            assert_eq!(report.components as f64, parts, "{file}: components");
        }
        if let Some(inverted) = before(notes, "inverted").filter(|_| report.kind == Kind::Tets) {
            assert_eq!((report.inverted as f64, inverted), (inverted, 0.0), "{file}: inverted");
            assert_eq!(
                report.degenerate as f64,
                before(notes, "zero-volume").unwrap(),
                "{file}: zero volume"
            );
            let (low, high) = range(notes, "dihedral").unwrap();
            let (min, max) =
                (report.quality.min_dihedral_deg.unwrap(), report.quality.max_dihedral_deg.unwrap());
            assert!((min - low).abs() < 0.006 && (max - high).abs() < 0.006, "{file}: {min}-{max}°");
            let ratio = behind(notes, "worst radius ratio").unwrap();
            let found = report.quality.min_radius_ratio.unwrap();
            assert!((found - ratio).abs() < 0.06 * ratio, "{file}: radius ratio {found}");
            assert!(report.manifold && report.closed && notes.contains("2-manifold"), "{file}");
            continue;
        }
        let stated_open = before(notes, "boundary edges");
        assert_eq!(count(What::Open) as f64, stated_open.unwrap_or(0.0), "{file}: boundary edges");
        assert_eq!(report.closed, notes.starts_with("closed"), "{file}: closed");
        assert_eq!(report.manifold, notes.contains("; manifold;"), "{file}: manifold");
        if let Some(edges) = before(notes, "non-manifold edges") {
            assert_eq!(count(What::NonManifoldEdges) as f64, edges, "{file}");
            assert_eq!(
                count(What::NonManifoldVertices) as f64,
                before(notes, "non-manifold vertices").unwrap()
            );
        }
        assert_eq!(Some(report.euler as f64), behind(notes, "Euler"), "{file}: Euler");
        assert_eq!(
            count(What::RepeatedVertices) as f64,
            before(notes, "duplicate positions").unwrap_or(0.0),
            "{file}"
        );
        assert_eq!(report.degenerate as f64, before(notes, "zero-area").unwrap_or(0.0), "{file}: zero area");
        assert_eq!(count(What::Unused) as f64, before(notes, "unused vertices").unwrap_or(0.0), "{file}");
        if let Some((low, high)) = range(notes, "angles") {
            let (min, max) = (report.quality.min_angle_deg.unwrap(), report.quality.max_angle_deg.unwrap());
            assert!((min - low).abs() < 0.006 && (max - high).abs() < 0.006, "{file}: {min}-{max}°");
        }
        assert_eq!(report.volume.is_some(), report.closed, "{file}: volume");
    }
    assert!(seen >= 30, "only {seen} files were read");
}

#[test]
fn broken_files_that_can_be_read_are_reported() {
    let Some(data) = shared::data() else { return };
    let report = |name: &str| look(&io::load(&data.join("defective").join(name)).unwrap().mesh);
    let flat = report("degenerate_tet.veg");
    let finding = flat.finding(What::Degenerate).unwrap();
    assert_eq!((finding.ids.len(), flat.degenerate), (flat.degenerate, finding.ids.len()));
    assert!(flat.finding(What::RepeatedVertices).unwrap().pairs.contains(&[13, 12]));
    let inverted = report("inverted_tet.mesh");
    assert_eq!(inverted.finding(What::Inverted).unwrap().ids, [10]);
    let edge = report("nonmanifold_edge.obj");
    assert!(!edge.manifold);
    assert_eq!(edge.finding(What::NonManifoldEdges).unwrap().ids.len(), 1);
    assert!(report("one_tet.veg").findings.is_empty());
}

#[test]
fn no_soup_is_refused() {
    for kind in [Kind::Tets, Kind::Triangles, Kind::Quads, Kind::Polygons] {
        let config = ProptestConfig { cases: 200, ..ProptestConfig::default() };
        proptest!(config, |(mesh in strategies::mesh(kind), hole in 0..40usize)| {
            let mut mesh = mesh;
            if let Some(p) = mesh.vertices.get_mut(hole) {
                p.x = if hole % 2 == 0 { f64::NAN } else { f64::NEG_INFINITY };
            }
            let report = look(&mesh);
            prop_assert_eq!(report.elements, mesh.elements.len());
            prop_assert!(report.volume.is_none_or(f64::is_finite) && report.area.is_none_or(f64::is_finite));
            prop_assert!(report.bbox.iter().all(|p| p.iter().all(|x| x.is_finite())));
            for f in &report.findings {
                prop_assert_eq!(f.ids.len(), f.positions.len());
                prop_assert!(f.positions.iter().all(|p| p.iter().all(|x| x.is_finite())), "{:?}", f);
                prop_assert!(f.sentence.len() < 600, "{}", f.sentence);
            }
        });
    }
}

#[test]
fn threads_do_not_change_the_report() {
    let mesh = pliant_mesh::shapes::ball(1.0, 6).into_data();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| look(&mesh))
    };
    assert_eq!(with(1), with(3));
}
