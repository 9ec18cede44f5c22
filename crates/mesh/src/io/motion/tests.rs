//! Every format of a motion, read again by whoever can.

use std::ops::ControlFlow;
use std::path::Path;

use pliant_linalg::{Mass, Modes, Pattern, Symmetric, Vec3, ignore_progress};

use super::*;
use crate::io::arrays::Npz;
use crate::{Attributes, VertexSet, shapes};

const FRAMES: usize = 9;

fn bar() -> MeshData {
    let mut mesh = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [4, 2, 2]).into_data();
    mesh.attributes = Attributes {
        sets: vec![VertexSet { name: "fixed".into(), vertices: vec![0, 1] }],
        ..mesh.attributes
    };
    mesh
}

/// A bend that grows and a twist that swings.
fn moved(mesh: &MeshData, frame: usize, u: &mut [f64]) {
    let t = frame as f64 / 4.0;
    for (u, p) in u.chunks_exact_mut(3).zip(&mesh.vertices) {
        let twist = (5.0 * t).sin();
        u.copy_from_slice(&[-0.1 * t * p.x, t * t * p.x * p.x - twist * p.z, twist * p.y]);
    }
}

/// Writes the motion of a mesh and returns the notes.
fn written(path: &Path, mesh: &MeshData) -> Vec<String> {
    let times: Vec<f64> = (0..FRAMES).map(|i| 0.5 + i as f64 / 30.0).collect();
    let energy: Vec<f64> = times.iter().map(|t| 1.0 / (3.0 * t)).collect();
    let motion = Motion {
        rest: mesh,
        times: &times,
        displacement: &|frame, u| moved(mesh, frame, u),
        series: &[Series { name: "kinetic".into(), values: &energy }],
    };
    save(path, &motion, &mut ignore_progress).unwrap()
}

/// Where the vertices are in a frame.
fn truth(mesh: &MeshData, frame: usize) -> Vec<Vec3> {
    let mut u = vec![0.0; 3 * mesh.vertices.len()];
    moved(mesh, frame, &mut u);
    mesh.vertices.iter().zip(vectors(&u)).map(|(x, u)| x + u).collect()
}

#[test]
fn numpy_gets_every_number() {
    let dir = tempfile::tempdir().unwrap();
    let (path, mesh) = (dir.path().join("m.npz"), bar());
    assert!(written(&path, &mesh).is_empty());
    let npz = Npz::open(&path).unwrap();
    let names: Vec<&str> = npz.names().collect();
    assert_eq!(names, ["times", "displacement", "rest", "elements", "kinetic"]);
    let n = mesh.vertices.len();
    let u = npz.get("displacement").unwrap().expect_shape(&path, "displacement", &[FRAMES, n, 3]).unwrap();
    for frame in 0..FRAMES {
        let mut exact = vec![0.0; 3 * n];
        moved(&mesh, frame, &mut exact);
        assert_eq!(u[3 * n * frame..3 * n * (frame + 1)], exact);
    }
    let rest = npz.get("rest").unwrap();
    assert_eq!((rest.shape, rest.data[3]), (vec![n, 3], mesh.vertices[1].x));
    let elements = npz.get("elements").unwrap();
    assert_eq!(elements.shape, [mesh.elements.len(), 4]);
    assert_eq!(elements.data[5], f64::from(mesh.elements.get(1)[1]));
    assert_eq!(npz.get("times").unwrap().data[3], 0.5 + 3.0 / 30.0);
}

#[test]
fn polygons_of_different_sizes_are_filled_up() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.npz");
    let faces = [&[0u32, 1, 2, 3][..], &[0, 1, 4]].into_iter().collect();
    let corner = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let x = vec![
        corner(0., 0., 0.),
        corner(1., 0., 0.),
        corner(1., 1., 0.),
        corner(0., 1., 0.),
        corner(0., 0., 1.),
    ];
    written(&path, &MeshData::from_faces(x, faces));
    let elements = Npz::open(&path).unwrap().get("elements").unwrap();
    assert_eq!(elements.shape, [2, 4]);
    assert_eq!(elements.data, [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 4.0, -1.0]);
}

#[test]
fn a_point_cache_is_every_position_and_its_mesh_lies_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let (path, mesh) = (dir.path().join("m.pc2"), bar());
    written(&path, &mesh);
    let bytes = std::fs::read(&path).unwrap();
    let n = mesh.vertices.len();
    let word = |at: usize| -> [u8; 4] { bytes[at..at + 4].try_into().unwrap() };
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    assert_eq!([12, 16, 28].map(|at| i32::from_le_bytes(word(at))), [1, n as i32, FRAMES as i32]);
    assert_eq!([20, 24].map(|at| f32::from_le_bytes(word(at))), [0.0, 1.0]);
    assert_eq!(bytes.len(), 32 + 12 * n * FRAMES);
    for frame in [0, FRAMES - 1] {
        for (v, exact) in truth(&mesh, frame).iter().enumerate() {
            let at = 32 + 12 * (frame * n + v);
            assert_eq!(
                [0, 4, 8].map(|c| f32::from_le_bytes(word(at + c))),
                [0, 1, 2].map(|c| exact[c] as f32)
            );
        }
    }
    let ply = crate::io::load(&path.with_extension("ply")).unwrap().mesh;
    assert_eq!(ply.vertices, mesh.vertices, "the same vertices in the same order, inner ones too");
}

#[test]
fn paraview_gets_a_file_for_each_time() {
    let dir = tempfile::tempdir().unwrap();
    let (path, mesh) = (dir.path().join("a & b.pvd"), bar());
    written(&path, &mesh);
    let list = std::fs::read_to_string(&path).unwrap();
    assert_eq!(list.matches("<DataSet ").count(), FRAMES);
    assert!(list.contains("timestep=\"0.5\" part=\"0\" file=\"a &amp; b.frames/000000.vtu\""), "{list}");
    for frame in 0..FRAMES {
        let file = dir.path().join(format!("a & b.frames/{frame:06}.vtu"));
        let read = crate::io::load(&file).unwrap().mesh;
        assert_eq!(read.vertices, truth(&mesh, frame));
        assert_eq!((read.elements, &read.attributes.sets), (mesh.elements.clone(), &mesh.attributes.sets));
        let bytes = std::fs::read(&file).unwrap();
        assert!(String::from_utf8_lossy(&bytes).contains("<PointData Vectors=\"displacement\">"));
    }
}

#[test]
fn the_surface_of_an_animation_starts_where_the_motion_does() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.glb");
    let solid = bar();
    let crate::Elements::Tets(tets) = &solid.elements else { unreachable!("a solid") };
    let boundary = crate::tet::boundary(&solid.vertices, tets);
    let tied = crate::embed::attach(
        crate::TetMesh::new(solid.vertices.clone(), tets.clone()).unwrap(),
        &crate::SurfaceMesh::from_data(boundary.clone()).unwrap(),
    );
    let tied = tied.unwrap().0.into_data();
    for mesh in [&solid, &tied, &boundary] {
        let notes = written(&path, mesh);
        assert!(notes[0].contains("morph targets, every vertex within"), "{notes:?}");
        let shown = crate::io::load(&path).unwrap().mesh;
        let exact = truth(&boundary, 0);
        assert_eq!(shown.vertices.len(), exact.len());
        for (shown, exact) in shown.vertices.iter().zip(&exact) {
            assert!((shown - exact).norm() < 1e-5, "{shown} instead of {exact}");
        }
    }
}

#[test]
fn the_same_motion_is_the_same_bytes_and_a_stopped_one_leaves_nothing() {
    let mesh = bar();
    for format in ALL {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m").with_extension(format.extension);
        written(&path, &mesh);
        let first = std::fs::read(&path).unwrap();
        written(&path, &mesh);
        assert_eq!(first, std::fs::read(&path).unwrap(), "{}", format.title);
        let count = || std::fs::read_dir(dir.path()).unwrap().count();
        let whole = count();
        assert!(whole <= 2, "{}: no temporary file is left", format.title);
        let motion = Motion {
            rest: &mesh,
            times: &[0.0, 1.0],
            displacement: &|frame, u| moved(&mesh, frame, u),
            series: &[],
        };
        let other = dir.path().join("other").with_extension(format.extension);
        let mut calls = 0;
        let mut stop = |_| {
            calls += 1;
            if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // A table is one piece: it has nothing to tell.
        if format.extension != "csv" {
            assert!(
                matches!(save(&other, &motion, &mut stop), Err(MeshError::Cancelled)),
                "{}",
                format.title
            );
            assert_eq!(count(), whole, "{}", format.title);
        }
    }
}

#[test]
fn a_table_has_all_digits() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.csv");
    written(&path, &bar());
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("time,kinetic", FRAMES + 1));
    let numbers: Vec<f64> = lines[2].split(',').map(|x| x.parse().unwrap()).collect();
    let t = 0.5 + 1.0 / 30.0;
    assert_eq!(numbers, [t, 1.0 / (3.0 * t)]);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let mesh = bar();
    let still: &dyn Fn(usize, &mut [f64]) = &|_, u| u.fill(0.0);
    let sound = Motion { rest: &mesh, times: &[0.0, 1.0], displacement: still, series: &[] };
    sound.check().unwrap();
    let short = [Series { name: "a".into(), values: &[1.0] }];
    let one = Series { name: "a".into(), values: &[1.0, 2.0] };
    let twice = [one.clone(), one];
    for (bad, reason) in [
        (Motion { times: &[], ..sound }, "without frames"),
        (Motion { times: &[1.0, 1.0], ..sound }, "ascending"),
        (Motion { times: &[0.0, f64::NAN], ..sound }, "ascending"),
        (Motion { series: &short, ..sound }, "1 values for 2 frames"),
        (Motion { series: &twice, ..sound }, "two series"),
    ] {
        let error = bad.check().unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let error = save(Path::new("m.xyz"), &sound, &mut ignore_progress).unwrap_err().to_string();
    assert!(error.contains(".npz .glb .pc2 .pvd .csv"), "{error}");
    // A state that is not finite is a number to NumPy, and no place to a viewer.
    let dir = tempfile::tempdir().unwrap();
    let broken = Motion { displacement: &|_, u| u.fill(f64::NAN), ..sound };
    assert!(save(&dir.path().join("m.npz"), &broken, &mut ignore_progress).is_ok());
    let error = save(&dir.path().join("m.glb"), &broken, &mut ignore_progress).unwrap_err().to_string();
    assert!(error.contains("frame 0") && error.contains(".npz"), "{error}");
}

/// The JSON of a `.glb` file.
fn json(path: &Path) -> serde_json::Value {
    let glb = std::fs::read(path).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

#[test]
fn modes_have_a_clip_each_and_swing_by_a_tenth() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = bar();
    let shape = |k: usize| -> Vec<f64> {
        mesh.vertices.iter().flat_map(|p| [0.0, (p.x * (k + 1) as f64).sin() * 40.0, p.z]).collect()
    };
    let shapes = [shape(0), shape(1)];
    // 10 Hz and 83.2843 Hz.
    let tau = std::f64::consts::TAU;
    let eigenvalues = [(10.0 * tau).powi(2), (83.2843 * tau).powi(2)];
    let mass = Mass::Vertices(Symmetric::zeros(Pattern::diagonal(mesh.vertices.len())));
    let modes = Modes { eigenvalues: eigenvalues.to_vec(), shapes: shapes.concat(), mass };
    let path = dir.path().join("m.glb");
    modes::save(&path, &mesh, &modes).unwrap();
    let document = json(&path);
    let names: Vec<&str> =
        document["animations"].as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["mode 1: 10.000 Hz", "mode 2: 83.284 Hz"]);
    // At rest both weights are in the middle of their range, and the shape is the rest shape.
    assert_eq!(document["meshes"][0]["weights"], serde_json::json!([0.5, 0.5]));
    let shown = crate::io::load(&path).unwrap().mesh;
    let crate::Elements::Tets(tets) = &mesh.elements else { unreachable!("a solid") };
    let rest = crate::tet::boundary(&mesh.vertices, tets);
    for (shown, exact) in shown.vertices.iter().zip(&rest.vertices) {
        assert!((shown - exact).norm() < 1e-6);
    }
    // A target is the whole swing: twice a tenth of the longest side.
    let target = document["meshes"][0]["primitives"][0]["targets"][1]["POSITION"].as_u64().unwrap() as usize;
    let accessor = &document["accessors"][target];
    let reach = |end: &str, c: usize| accessor[end][c].as_f64().unwrap().abs();
    let largest = (0..3).map(|c| reach("min", c).max(reach("max", c))).fold(0.0, f64::max);
    assert!((0.19..=0.2 + 1e-6).contains(&largest), "{largest}");
    assert!(
        (modes::amplitude(&mesh, &shapes[0], 0.1)
            * vectors(&shapes[0]).map(|u| u.norm()).fold(0.0, f64::max)
            - 0.1)
            .abs()
            < 1e-12
    );

    let path = dir.path().join("m.npz");
    modes::save(&path, &mesh, &modes).unwrap();
    let npz = Npz::open(&path).unwrap();
    let matrix = npz.get("modes").unwrap();
    assert_eq!(matrix.shape, [3 * mesh.vertices.len(), 2]);
    assert_eq!((matrix.data[2 * 7], matrix.data[2 * 7 + 1]), (shapes[0][7], shapes[1][7]));
    assert_eq!(npz.get("eigenvalues").unwrap().data, eigenvalues);
    assert!((npz.get("frequencies_hz").unwrap().data[1] - 83.2843).abs() < 1e-12);
    assert!(modes::save(&dir.path().join("m.obj"), &mesh, &modes).is_err());
    let refused = |modes: &Modes, why: &str| {
        let error = modes::save(&path, &mesh, modes).expect_err("refused").to_string();
        assert!(error.contains(why), "{error}");
    };
    refused(&Modes { shapes: shapes[0].clone(), ..modes.clone() }, "expected");
    refused(&modes.first(0), "at least one");
    let mut infinite = modes.clone();
    infinite.shapes[3 * mesh.vertices.len() + 1] = f64::INFINITY;
    refused(&infinite, "mode 1 has an entry that is not finite");
}

#[test]
fn a_motion_in_coordinates_is_the_motion_it_stands_for() {
    let dir = tempfile::tempdir().unwrap();
    let (mesh, rank) = (bar(), 3);
    let n = mesh.vertices.len();
    let basis: Vec<f64> = (0..3 * n * rank).map(|k| 0.1 * ((5 * k) as f64).sin()).collect();
    let times: Vec<f64> = (0..FRAMES).map(|i| i as f64 / 30.0).collect();
    let q: Vec<f64> = (0..FRAMES * rank).map(|k| ((2 * k) as f64).cos()).collect();
    let kinetic = Series { name: "kinetic".into(), values: &times };
    let motion = ReducedMotion { rest: &mesh, times: &times, basis: &basis, rank, q: &q, series: &[kinetic] };
    let path = |name: &str| dir.path().join(name);
    let save_as = |name: &str| save_reduced(&path(name), &motion, &mut ignore_progress).unwrap();
    save_as("m.npz");
    let npz = Npz::open(&path("m.npz")).unwrap();
    assert_eq!(npz.names().collect::<Vec<_>>(), ["times", "q", "U", "rest", "elements", "kinetic"]);
    for (name, shape, data) in [("q", [FRAMES, rank], &q), ("U", [3 * n, rank], &basis)] {
        let array = npz.get(name).unwrap();
        assert_eq!((&array.shape[..], &array.data), (&shape[..], data), "{name}");
    }
    // Reconstructed, as if every number had been there.
    let at =
        |frame: usize, i: usize| (0..rank).map(|k| basis[i * rank + k] * q[frame * rank + k]).sum::<f64>();
    save_as("m.pc2");
    let bytes = std::fs::read(path("m.pc2")).unwrap();
    for (frame, v, c) in [(0, 0, 0), (3, n - 1, 2), (FRAMES - 1, n / 2, 1)] {
        let from = 32 + 12 * (frame * n + v) + 4 * c;
        let x = f32::from_le_bytes(bytes[from..from + 4].try_into().unwrap());
        let exact = mesh.vertices[v][c] + at(frame, 3 * v + c);
        assert!((f64::from(x) - exact).abs() < 1e-6, "frame {frame}, vertex {v}: {x} instead of {exact}");
    }
    let notes = save_as("m.glb");
    assert!(notes[0].contains("3 columns"), "{notes:?}");
    let shown = crate::io::load(&path("m.glb")).unwrap().mesh;
    let seen = crate::ShownSurface::of(&mesh);
    let u: Vec<f64> = (0..3 * n).map(|i| at(0, i)).collect();
    let exact = seen.rest.iter().zip(seen.displacement(&u)).map(|(x, u)| x + u);
    for (x, exact) in shown.vertices.iter().zip(exact) {
        assert!((x - exact).norm() < 1e-6, "{x} instead of {exact}");
    }
    let (bytes, told) = glb_bytes(&motion, &mut ignore_progress).unwrap();
    assert_eq!((std::fs::read(path("m.glb")).unwrap(), notes), (bytes, told), "in memory as on the disk");
    let wrong = ReducedMotion { q: &q[1..], ..motion };
    assert!(save_reduced(&path("m.npz"), &wrong, &mut ignore_progress).is_err());
    assert!(glb_bytes(&wrong, &mut ignore_progress).is_err());
    // More columns than targets: every frame is reconstructed, in memory too.
    let rank = glb::MOST_TARGETS + 1;
    let basis: Vec<f64> = (0..3 * n * rank).map(|k| 0.1 * ((5 * k) as f64).sin()).collect();
    let q: Vec<f64> = (0..FRAMES * rank).map(|k| 0.1 * ((2 * k) as f64).cos()).collect();
    let many = ReducedMotion { basis: &basis, rank, q: &q, ..motion };
    let notes = save_reduced(&path("many.glb"), &many, &mut ignore_progress).unwrap();
    assert!(notes[0].contains("every vertex within"), "{notes:?}");
    let (bytes, told) = glb_bytes(&many, &mut ignore_progress).unwrap();
    assert_eq!((std::fs::read(path("many.glb")).unwrap(), notes), (bytes, told));
}

#[test]
fn as_many_series_as_anybody_wants() {
    let mesh = bar();
    let names: Vec<String> = (0..200_000).map(|i| format!("series {i}")).collect();
    let mut series: Vec<Series<'_>> =
        names.iter().map(|name| Series { name: name.as_str().into(), values: &[1.0] }).collect();
    let check = |series: &[Series<'_>]| {
        Motion { rest: &mesh, times: &[0.0], displacement: &|_, _| {}, series }.check()
    };
    // Comparing each with all before it would take minutes.
    check(&series).unwrap();
    series[199_999].name = "series 7".into();
    assert!(check(&series).unwrap_err().to_string().contains("two series are called \"series 7\""));
}
