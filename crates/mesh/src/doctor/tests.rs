//! Every check on a mesh that has that defect, and on sound ones that have none.

use pliant_linalg::{Vec3, ignore_progress};
use proptest::prelude::*;

use super::exact::tests::{Whole, flat, plainly_crossing};
use super::*;
use crate::{Faces, shapes, topology};

fn look(mesh: &MeshData) -> Report {
    let report = examine(mesh, &Options::default(), &mut ignore_progress).unwrap();
    for f in &report.findings {
        assert_eq!(f.ids.len(), f.positions.len(), "{f:?}");
        assert!(f.positions.iter().all(|p| p.iter().all(|x| x.is_finite())), "{f:?}");
        assert!(f.sentence.len() < 600, "{}", f.sentence);
        assert_eq!(f.ids.is_empty(), f.id_kind == IdKind::Whole);
    }
    report
}

fn names(report: &Report) -> Vec<What> {
    report.findings.iter().map(|f| f.what).collect()
}

fn points(p: &[[f64; 3]]) -> Vec<Vec3> {
    p.iter().copied().map(Vec3::from).collect()
}

fn triangles(p: &[[f64; 3]], t: &[[u32; 3]]) -> MeshData {
    MeshData::from_faces(points(p), Faces::from_triangles(t))
}

/// The surface of a solid without its inner vertices.
fn skin(solid: &crate::TetMesh) -> MeshData {
    let boundary = topology::boundary_faces(solid.tets());
    let mut used: Vec<u32> = boundary.as_flattened().to_vec();
    used.sort_unstable();
    used.dedup();
    let number = |v: u32| used.binary_search(&v).unwrap() as u32;
    let faces: Vec<[u32; 3]> = boundary.iter().map(|f| f.map(number)).collect();
    MeshData::from_faces(
        used.iter().map(|&v| solid.vertices()[v as usize]).collect(),
        Faces::from_triangles(&faces),
    )
}

fn faces(mesh: &mut MeshData) -> &mut Faces {
    match &mut mesh.elements {
        Elements::Faces(faces) => faces,
        Elements::Tets(_) => unreachable!("the test made a surface"),
    }
}

fn moved(mesh: &MeshData, by: Vec3) -> MeshData {
    let mut mesh = mesh.clone();
    mesh.vertices.iter_mut().for_each(|p| *p += by);
    mesh
}

fn together(a: &MeshData, b: &MeshData) -> MeshData {
    let mut all = a.clone();
    let shift = a.vertices.len() as u32;
    all.vertices.extend(&b.vertices);
    for e in 0..b.elements.len() {
        let corners: Vec<u32> = b.elements.get(e).iter().map(|v| v + shift).collect();
        faces(&mut all).push(&corners);
    }
    all
}

const TETRAHEDRON: [[f64; 3]; 4] = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
const OUTWARD: [[u32; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// A mesh with one defect, and the ids that must be found.
fn example(what: What) -> (MeshData, Vec<u32>) {
    let ball = || skin(&shapes::ball(0.5, 2));
    match what {
        What::Empty => (MeshData::from_tets(points(&TETRAHEDRON), vec![]), vec![]),
        What::NotFinite => {
            let mut mesh = shapes::ball(1.0, 1).into_data();
            mesh.vertices[5].y = f64::NAN;
            (mesh, vec![5])
        }
        What::Inverted => {
            let mut mesh = shapes::ball(1.0, 1).into_data();
            let Elements::Tets(tets) = &mut mesh.elements else { unreachable!("a ball is a solid") };
            tets[10].swap(0, 1);
            (mesh, vec![10])
        }
        What::Degenerate => {
            (MeshData::from_tets(points(&TETRAHEDRON), vec![[0, 1, 2, 3], [1, 2, 2, 3]]), vec![1])
        }
        What::Sliver => {
            let p = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.01], [0., 1., 0.]];
            (MeshData::from_tets(points(&p), vec![[0, 1, 3, 2]]), vec![0])
        }
        What::RepeatedVertices => (together(&ball(), &moved(&ball(), Vec3::x())), {
            // The balls touch in the vertex (½, 0, 0).
            let mesh = together(&ball(), &moved(&ball(), Vec3::x()));
            let touching = |v: &u32| (mesh.vertices[*v as usize] - Vec3::x() / 2.0).norm() == 0.0;
            (0..mesh.vertices.len() as u32).filter(touching).skip(1).collect()
        }),
        What::RepeatedElements => {
            let mut mesh = ball();
            let again: Vec<u32> = mesh.elements.get(7).iter().rev().copied().collect();
            faces(&mut mesh).push(&again);
            let last = mesh.elements.len() as u32 - 1;
            (mesh, vec![last])
        }
        What::Unused => {
            let mut mesh = ball();
            mesh.vertices.push(Vec3::new(0.1, 0.2, 0.3));
            let last = mesh.vertices.len() as u32 - 1;
            (mesh, vec![last])
        }
        What::Open => (triangles(&TETRAHEDRON, &OUTWARD[1..]), vec![3, 4, 5]),
        What::NonManifoldEdges => {
            let p = [[0., 0., 0.], [0., 0., 1.], [1., 0., 0.], [-1., 1., 0.], [-1., -1., 0.]];
            (triangles(&p, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]), vec![0])
        }
        What::NonManifoldVertices => {
            let p = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [-1., 0., 0.], [-1., 0., 1.]];
            (triangles(&p, &[[0, 1, 2], [0, 3, 4]]), vec![0])
        }
        What::NonManifoldFaces => {
            let p = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [0., 0., -1.], [0., 0., 2.]];
            (MeshData::from_tets(points(&p), vec![[0, 1, 2, 3], [0, 2, 1, 4], [0, 1, 2, 5]]), vec![0, 1, 2])
        }
        What::Folded => {
            let p = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [0.3, 0.3, 0.7]];
            (MeshData::from_tets(points(&p), vec![[0, 1, 2, 3], [0, 1, 2, 4]]), vec![0, 1])
        }
        What::Flipped => {
            let mut mesh = ball();
            *faces(&mut mesh) = topology::turned(faces(&mut mesh), &[4, 20]);
            (mesh, vec![4, 20])
        }
        What::OneSided => {
            let at = |i: u32| {
                let a = std::f64::consts::TAU * f64::from(i) / 5.0;
                [a.cos(), a.sin(), 0.3 * f64::from(i % 3)]
            };
            let band: Vec<[u32; 3]> = (0..5u32).map(|i| [i, (i + 1) % 5, (i + 2) % 5]).collect();
            let mesh = triangles(&[0, 1, 2, 3, 4].map(at), &band);
            let Elements::Faces(f) = &mesh.elements else { unreachable!("the test made a surface") };
            let twisted = topology::orientation(f, &topology::Edges::new(f)).twisted;
            (mesh, twisted)
        }
        What::InsideOut => {
            let mut mesh = ball();
            let all: Vec<u32> = (0..mesh.elements.len() as u32).collect();
            *faces(&mut mesh) = topology::turned(faces(&mut mesh), &all);
            (mesh, all)
        }
        What::Crossing => {
            let tip = [[0.2, 0.2, 0.2], [3., 3., 3.], [3., 3., 4.], [3., 4., 3.]];
            let mesh =
                together(&triangles(&TETRAHEDRON, &OUTWARD), &triangles(&tip, &[[0, 1, 2], [0, 2, 3]]));
            (mesh, vec![0, 4, 5])
        }
        What::Parts => {
            (together(&ball(), &moved(&ball(), Vec3::x() * 2.0)), vec![0, ball().elements.len() as u32])
        }
        What::Scale => (moved(&skin(&shapes::ball(11.0, 2)), Vec3::x()), vec![]),
        What::Flat => {
            let (mut a, mut b) = (Vec3::new(1.0, 2.0, -1.0).normalize(), Vec3::x());
            b = (b - a * a.dot(&b)).normalize();
            a = a.cross(&b);
            let p = [[0., 0.], [1., 0.2], [0.9, 1.1], [0.1, 0.9]].map(|[s, t]| (a * s + b * t).into());
            (triangles(&p, &[[0, 1, 2], [0, 2, 3]]), vec![])
        }
    }
}

#[test]
fn every_check_finds_its_defect() {
    for check in ALL {
        let (mesh, ids) = example(check.what);
        let report = look(&mesh);
        let finding =
            report.finding(check.what).unwrap_or_else(|| panic!("{:?}: {:?}", check.what, names(&report)));
        assert_eq!(finding.ids, ids, "{}", finding.sentence);
        assert_eq!(ALL.iter().filter(|c| c.what == check.what).count(), 1);
        assert_eq!(ALL.iter().filter(|c| c.what.name() == check.what.name()).count(), 1);
    }
}

#[test]
fn sound_bodies_have_no_findings() {
    for solid in [
        shapes::ball(0.5, 3),
        shapes::bar(Vec3::new(1.0, 0.2, 0.1), [8, 2, 1]),
        shapes::cylinder(0.2, 1.0, 2, 5),
    ] {
        let report = look(&solid.clone().into_data());
        assert_eq!(names(&report), [], "{:?}", report.findings);
        assert!(report.closed && report.manifold && report.components == 1 && report.genus == Some(0));
        assert!((report.volume.unwrap() - solid.volume()).abs() < 1e-14);
        assert!(report.quality.min_dihedral_deg.unwrap() > 15.0 && report.quality.min_angle_deg.is_none());
        let surface = look(&skin(&solid));
        assert_eq!(names(&surface), []);
        assert_eq!((surface.closed, surface.manifold, surface.euler, surface.inverted), (true, true, 2, 0));
        assert!((surface.volume.unwrap() - solid.volume()).abs() < 1e-14);
        assert!((surface.area.unwrap() - report.area.unwrap()).abs() < 1e-14);
        assert!(surface.quality.min_dihedral_deg.is_none() && surface.quality.min_angle_deg.unwrap() > 15.0);
    }
}

#[test]
fn volume_is_that_of_the_mended_surface() {
    let exact = shapes::ball(0.5, 2).volume();
    for what in [What::Flipped, What::InsideOut, What::Unused] {
        let volume = look(&example(what).0).volume.unwrap();
        assert!((volume - exact).abs() < 1e-14, "{what:?}: {volume}");
    }
    for what in [What::Open, What::OneSided, What::NonManifoldEdges] {
        assert_eq!(look(&example(what).0).volume, None, "{what:?}");
    }
    // A cavity counts against the body around it.
    let mut hole = skin(&shapes::ball(0.25, 2));
    let all: Vec<u32> = (0..hole.elements.len() as u32).collect();
    *faces(&mut hole) = topology::turned(faces(&mut hole), &all);
    let hollow = look(&together(&skin(&shapes::ball(0.5, 2)), &hole));
    assert!((hollow.volume.unwrap() - exact * 7.0 / 8.0).abs() < 1e-14);
    assert_eq!(names(&hollow), [What::Parts]);
}

#[test]
fn loops_have_lengths_and_parts_have_sizes() {
    let report = look(&triangles(&TETRAHEDRON, &OUTWARD[1..]));
    assert_eq!(report.rims.len(), 1);
    assert!((report.rims[0].length - 3.0 * 2.0f64.sqrt()).abs() < 1e-15);
    assert!(!report.closed && report.manifold);
    let two = look(&example(What::Parts).0);
    assert_eq!(two.parts.len(), 2);
    assert!((two.parts[0].size - two.area.unwrap() / 2.0).abs() < 1e-13);
    assert_eq!(two.parts[0].elements, two.elements / 2);
}

#[test]
fn a_face_folded_onto_its_neighbour_is_found_and_a_seam_is_not() {
    let folded =
        triangles(&[[0., 0., 0.], [1., 0., 0.], [0.5, 1., 0.], [0.6, 0.5, 0.]], &[[0, 1, 2], [1, 0, 3]]);
    assert_eq!(look(&folded).finding(What::Crossing).unwrap().pairs, [[0, 1]]);
    let open =
        triangles(&[[0., 0., 0.], [1., 0., 0.], [0.5, 1., 0.], [0.6, -0.5, 0.]], &[[0, 1, 2], [1, 0, 3]]);
    assert!(look(&open).finding(What::Crossing).is_none());
    let seam = triangles(
        &[[0., 0., 0.], [1., 0., 0.], [0.5, 1., 0.], [0., 0., 0.], [1., 0., 0.], [0.6, -0.5, 0.]],
        &[[0, 1, 2], [4, 3, 5]],
    );
    let report = look(&seam);
    assert!(report.finding(What::Crossing).is_none());
    assert_eq!(report.finding(What::RepeatedVertices).unwrap().pairs, [[3, 0], [4, 1]]);
}

#[test]
fn sentences_speak_of_counts_places_and_what_to_do() {
    let (mesh, _) = example(What::NonManifoldEdges);
    let sentence = look(&mesh).finding(What::NonManifoldEdges).unwrap().sentence.clone();
    assert!(
        sentence.starts_with("1 edge belongs to three or more faces (0–1 at (0, 0, 0.5)); "),
        "{sentence}"
    );
    let (mesh, _) = example(What::Scale);
    let sentence = look(&mesh).finding(What::Scale).unwrap().sentence.clone();
    assert!(sentence.contains("22 m long") && sentence.contains("may be in other units"), "{sentence}");
    let barely = look(&skin(&shapes::bar(Vec3::new(20.00001, 1.0, 1.0), [20, 1, 1])));
    assert!(barely.finding(What::Scale).unwrap().sentence.contains("20.00001 m long, longer than 20 m"));
    let small = look(&skin(&shapes::ball(4e-4, 2)));
    assert!(small.finding(What::Scale).unwrap().sentence.contains("shorter than 0.001 m"));
}

#[test]
fn an_index_out_of_range_and_a_stop_are_the_only_errors() {
    let bad = MeshData::from_tets(points(&TETRAHEDRON), vec![[0, 1, 2, 4]]);
    assert!(examine(&bad, &Options::default(), &mut ignore_progress).is_err());
    let ball = shapes::ball(1.0, 2).into_data();
    let mut stages = Vec::new();
    let mut count = |p: Progress| {
        stages.push(p.stage);
        std::ops::ControlFlow::Continue(())
    };
    examine(&ball, &Options::default(), &mut count).unwrap();
    assert!(stages.len() > ALL.len());
    let mut stop = |p: Progress| {
        if p.stage == "crossing faces" {
            std::ops::ControlFlow::Break(())
        } else {
            std::ops::ControlFlow::Continue(())
        }
    };
    assert!(matches!(examine(&ball, &Options::default(), &mut stop), Err(crate::MeshError::Cancelled)));
}

#[test]
fn strange_faces_are_survived() {
    let p = points(&TETRAHEDRON);
    let odd: Faces = [&[][..], &[0], &[0, 1], &[0, 0, 0], &[0, 1, 0, 1], &[0, 1, 2], &[3, 2, 1, 0, 3]]
        .into_iter()
        .collect();
    let report = look(&MeshData::from_faces(p, odd));
    assert_eq!(report.finding(What::Degenerate).unwrap().ids, [0, 1, 2, 3, 4, 6]);
    look(&MeshData::from_faces(vec![], Faces::new()));
    let nowhere = vec![Vec3::repeat(f64::INFINITY); 4];
    look(&MeshData::from_tets(nowhere, vec![[0, 1, 2, 3]]));
    let huge = TETRAHEDRON.map(|p| p.map(|x| (x - 0.5) * f64::MAX));
    look(&MeshData::from_tets(points(&huge), vec![[0, 1, 2, 3]]));
    look(&triangles(&huge, &OUTWARD));
}

/// Two fans of n triangles on one rim: a tip, and the middle of the base. Not along any axis.
fn cone(n: u32) -> MeshData {
    let [e1, e2, e3] = [[0.6, 0.48, 0.64], [-0.8, 0.36, 0.48], [0.0, -0.8, 0.6]].map(Vec3::from);
    let rim = (0..n).map(|i| std::f64::consts::TAU * f64::from(i) / f64::from(n));
    let mut p: Vec<Vec3> = rim.map(|a| e1 * a.cos() + e2 * a.sin()).collect();
    p.extend([Vec3::zeros(), e3]);
    let faces: Vec<[u32; 3]> = (0..n).flat_map(|i| [[n, (i + 1) % n, i], [n + 1, i, (i + 1) % n]]).collect();
    MeshData::from_faces(p, Faces::from_triangles(&faces))
}

#[test]
fn the_search_for_crossings_is_bounded_and_says_so() {
    let with = |mesh: &MeshData, crossing_steps| {
        let options = Options { crossing_steps, ..Options::default() };
        examine(mesh, &options, &mut ignore_progress).unwrap()
    };
    let (crossing, _) = example(What::Crossing);
    let stopped = with(&crossing, 0);
    let note = stopped.finding(What::Crossing).unwrap();
    assert_eq!((note.severity, note.id_kind), (Severity::Note, IdKind::Whole));
    assert!(note.sentence.contains("stopped after 0 of 11 edges"), "{}", note.sentence);
    // A fan must not cost the square of its size: with 20 000 faces that would be 10⁸ steps and more, not 6·10⁷.
    assert!(with(&cone(10_000), 500).finding(What::Crossing).is_none());
    // A tangle does, and what was found until the stop is told.
    let at = |i: u32| (f64::from(i) * Vec3::new(0.754_877, 0.569_840, 0.438_579)).map(f64::fract);
    let tangle: Vec<[u32; 3]> = (0..4000).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let tangle = MeshData::from_faces((0..12_000).map(at).collect(), Faces::from_triangles(&tangle));
    let stopped = with(&tangle, 1);
    let warning = stopped.finding(What::Crossing).unwrap();
    assert!(warning.severity == Severity::Warning && warning.ids.len() > 10);
    assert!(warning.sentence.contains("more than") && warning.sentence.contains("stopped after"));
}

#[test]
fn sentences_fit_the_kind_of_mesh() {
    let twice = [&TETRAHEDRON[..], &TETRAHEDRON[..]].concat();
    let mut solid = MeshData::from_tets(points(&twice), vec![[0, 1, 2, 3], [4, 5, 6, 7]]);
    let report = look(&solid);
    let sentence = &report.finding(What::RepeatedVertices).unwrap().sentence;
    assert!(sentence.contains("tets on both sides") && sentence.contains("if the body should"), "{sentence}");
    solid.elements = Elements::Tets(vec![[0, 1, 2, 3], [0, 1, 2, 3]]);
    let report = look(&solid);
    let sentence = &report.finding(What::RepeatedElements).unwrap().sentence;
    assert!(sentence.starts_with("1 tet has") && sentence.ends_with("remove the repetition"), "{sentence}");
    let report = look(&triangles(&TETRAHEDRON, &OUTWARD[1..]));
    let sentence = &report.finding(What::Open).unwrap().sentence;
    assert!(
        sentence.starts_with("the surface is open: 1 boundary loop (3 edges, 4.243 m, from vertex"),
        "{sentence}"
    );
}

/// Long thin triangles at a few vertices, so that the tree has common vertices and boxes that are askew.
fn needles() -> impl Strategy<Value = (Vec<Whole>, Vec<[u32; 3]>)> {
    let start = || [0..60i64, 0..60i64, 0..60i64];
    let along = || [28..33i64, 18..23i64, 8..12i64];
    let hubs = proptest::collection::vec(start(), 2..4);
    let rest = proptest::collection::vec((start(), along(), [0..3i64, 0..3i64, 0..3i64], 0..6usize), 30..80);
    (hubs, rest).prop_map(|(hubs, rest)| {
        let add = |a: Whole, b: Whole| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        let mut p = hubs.clone();
        let mut t = Vec::new();
        for (start, along, beside, hub) in rest {
            let at = hubs.get(hub).copied().unwrap_or(start);
            let n = p.len() as u32;
            p.extend([at, add(at, along), add(add(at, along), beside)]);
            t.push([if hub < hubs.len() { hub as u32 } else { n }, n + 1, n + 2]);
        }
        (p, t)
    })
}

fn soup() -> impl Strategy<Value = (Vec<Whole>, Vec<[u32; 3]>)> {
    let point = || [0..4i64, 0..4i64, 0..3i64];
    (
        proptest::collection::vec(point(), 3..14),
        proptest::collection::vec([0..1000u32, 0..1000, 0..1000], 1..14),
    )
        .prop_map(|(p, t)| {
            let n = p.len() as u32;
            (p, t.into_iter().map(|t| t.map(|v| v % n)).collect())
        })
}

fn whole(p: &[Whole], t: &[[u32; 3]]) -> MeshData {
    let points = p.iter().map(|p| Vec3::from(p.map(|x| x as f64))).collect();
    MeshData::from_faces(points, Faces::from_triangles(t))
}

/// Every pair is asked, in whole numbers.
fn plain_pairs(p: &[Whole], t: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let key = |mut t: [u32; 3]| {
        t.sort_unstable();
        t
    };
    let mut pairs = Vec::new();
    for i in 0..t.len() {
        for j in i + 1..t.len() {
            let (a, b) = (t[i].map(|v| p[v as usize]), t[j].map(|v| p[v as usize]));
            if key(t[i]) != key(t[j]) && !flat(a) && !flat(b) && plainly_crossing(a, b) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn crossings_are_those_of_a_plain_search((p, t) in soup()) {
        let found = look(&whole(&p, &t)).finding(What::Crossing).map(|f| f.pairs.clone());
        prop_assert_eq!(found.unwrap_or_default(), plain_pairs(&p, &t));
    }

    #[test]
    fn crossings_of_needles_are_those_of_a_plain_search((p, t) in needles()) {
        let found = look(&whole(&p, &t)).finding(What::Crossing).map(|f| f.pairs.clone());
        prop_assert_eq!(found.unwrap_or_default(), plain_pairs(&p, &t));
    }

    #[test]
    fn counts_are_those_of_a_plain_search((p, t) in soup()) {
        let report = look(&whole(&p, &t));
        let count = |what| report.finding(what).map_or(0, |f| f.ids.len());
        // Sides of faces, each with its ends in order.
        let sides: Vec<[u32; 2]> = t
            .iter()
            .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
            .filter(|[a, b]| a != b)
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let mut edges = sides.clone();
        edges.sort_unstable();
        edges.dedup();
        let uses = |e: &[u32; 2]| sides.iter().filter(|s| *s == e).count();
        prop_assert_eq!(count(What::Open), edges.iter().filter(|e| uses(e) == 1).count());
        prop_assert_eq!(count(What::NonManifoldEdges), edges.iter().filter(|e| uses(e) > 2).count());
        prop_assert_eq!(report.closed, edges.iter().all(|e| uses(e) != 1));
        prop_assert_eq!(count(What::Degenerate), t.iter().filter(|t| flat(t.map(|v| p[v as usize]))).count());
        prop_assert_eq!(count(What::RepeatedVertices), (0..p.len()).filter(|&v| p[..v].contains(&p[v])).count());
        prop_assert_eq!(count(What::Unused), (0..p.len() as u32).filter(|v| !t.iter().any(|t| t.contains(v))).count());
    }
}
