//! What a signature must be whatever the shape.

use std::f64::consts::PI;

use pliant_energy::{MassKind, Recipe};
use pliant_linalg::{Random, Vec3, ignore_progress, quaternion_rotation};
use pliant_mesh::{Elements, Faces, MeshData, select, shapes};
use pliant_reduce::linear_modes_quietly;
use pliant_shape::{Kind, Signature, Spectrum, Times};

use crate::shells::{apart, body, modes, potato, sphere};

fn usual(spectrum: &Spectrum) -> Signature {
    spectrum.signature(&Times::Usual.of(spectrum).expect("times"))
}

/// All values, time by time.
fn values(signature: &Signature) -> Vec<f64> {
    (0..signature.times.len()).flat_map(|i| signature.at_time(i).to_vec()).collect()
}

#[test]
fn weighed_by_mass_it_sums_to_the_trace() {
    let mesh = potato(10);
    let fixed = vec![select::select(&mesh, "x<5%").expect("a slab")];
    let held = Recipe { fixed, ..Recipe::default() }.build(mesh.clone()).expect("a body");
    let solid = Recipe { mass: Some(MassKind::Lumped), material: Some("stvk".into()), ..Recipe::default() };
    let solid = solid.build(shapes::bar(Vec3::new(1.0, 0.4, 0.3), [5, 2, 2]).into_data()).expect("a body");
    let vibration = |body, rigid| Spectrum::vibration(body, 40, rigid, &mut ignore_progress).expect("modes");
    for (name, spectrum, rigid) in [
        ("free", vibration(&body(&mesh), false), 6),
        ("free, rigid motions counted", vibration(&body(&mesh), true), 6),
        ("held", vibration(&held, true), 0),
        ("solid", vibration(&solid, true), 6),
        ("heat", modes(Kind::Heat, &mesh, 40), 1),
        ("heat without constants", Spectrum::heat(&mesh, 40, false, &mut ignore_progress).expect("modes"), 1),
    ] {
        assert_eq!((spectrum.rigid_modes, spectrum.len()), (rigid, 40), "{name}");
        let signature = usual(&spectrum);
        for (i, &t) in signature.times.iter().enumerate() {
            let counted = if spectrum.rigid_counted { rigid as f64 } else { 0.0 };
            let trace = counted + spectrum.eigenvalues.iter().map(|x| (-x * t).exp()).sum::<f64>();
            let sum: f64 = signature.at_time(i).iter().zip(spectrum.masses()).map(|(s, m)| s * m).sum();
            assert!((sum / trace - 1.0).abs() < 1e-10, "{name} at {t}: {sum} for {trace}");
            assert!((signature.l1[i] / trace - 1.0).abs() < 1e-14, "{name}");
        }
    }
}

#[test]
fn it_does_not_know_where_the_body_is_nor_how_it_is_numbered() {
    let mesh = potato(10);
    let mut moved = mesh.clone();
    let turn = quaternion_rotation([0.4, -0.3, 0.6, (1.0_f64 - 0.61).sqrt()]);
    moved.vertices.iter_mut().for_each(|x| *x = turn * *x + Vec3::new(3.0, -2.0, 0.5));
    // Vertex v becomes (7 v + 3) mod n, 7 coprime to n.
    let n = mesh.vertices.len();
    assert!(!n.is_multiple_of(7), "{n}");
    let number = |v: usize| (7 * v + 3) % n;
    let Elements::Faces(faces) = &mesh.elements else { panic!("a surface") };
    let mut vertices = mesh.vertices.clone();
    (0..n).for_each(|v| vertices[number(v)] = mesh.vertices[v]);
    let renamed: Vec<Vec<u32>> =
        faces.iter().map(|f| f.iter().map(|&v| number(v as usize) as u32).collect()).collect();
    let renumbered = MeshData::from_faces(vertices, renamed.iter().map(|f| &f[..]).collect::<Faces>());
    for kind in Kind::ALL {
        let own = usual(&modes(kind, &mesh, 30));
        let other = usual(&modes(kind, &moved, 30));
        assert!(apart(&values(&own), &values(&other)) < 1e-7, "{} moved", kind.name());
        let other = usual(&modes(kind, &renumbered, 30));
        let back: Vec<f64> = (0..own.times.len())
            .flat_map(|i| (0..n).map(move |v| (i, v)))
            .map(|(i, v)| other.at_time(i)[number(v)])
            .collect();
        assert!(apart(&values(&own), &back) < 1e-7, "{} renumbered", kind.name());
    }
}

#[test]
fn any_basis_of_a_repeated_eigenvalue_gives_the_same() {
    // A sphere has its eigenvalues several times; a cut between clusters.
    let body = body(&sphere(2));
    let mut found = linear_modes_quietly(&body, 40).expect("modes").modes;
    let x = &found.eigenvalues;
    let pairs: Vec<usize> = (0..38).filter(|&k| (x[k + 1] - x[k]) < 1e-7 * x[k]).collect();
    assert!(pairs.len() > 5, "{x:?}");
    let own =
        Spectrum::of_shapes(&body, found.eigenvalues.clone(), found.shapes.clone(), false).expect("modes");
    for &k in &pairs {
        let (c, s) = (0.3 * PI).sin_cos();
        let size = body.size();
        for i in 0..size {
            let [a, b] = [found.shapes[k * size + i], found.shapes[(k + 1) * size + i]];
            found.shapes[k * size + i] = c * a - s * b;
            found.shapes[(k + 1) * size + i] = s * a + c * b;
        }
    }
    let turned = Spectrum::of_shapes(&body, found.eigenvalues, found.shapes, false).expect("modes");
    assert!(apart(&values(&usual(&own)), &values(&usual(&turned))) < 1e-7);
}

#[test]
fn relative_times_travel_with_stiffness_density_and_units() {
    let mesh = potato(10);
    let recipe = |factor: f64| Recipe { bend: Some(factor), membrane: Some(factor), ..Recipe::default() };
    let vibration =
        |body| usual(&Spectrum::vibration(&body, 30, false, &mut ignore_progress).expect("modes"));
    let own = vibration(recipe(1.0).build(mesh.clone()).expect("a body"));
    let stiff = vibration(recipe(700.0).build(mesh.clone()).expect("a body"));
    assert!((stiff.slowest / own.slowest / 700.0 - 1.0).abs() < 1e-7);
    assert!(apart(&values(&own), &values(&stiff)) < 1e-7);
    // In millimetres: areas, and with them distances of heat, scale by a million; so do masses of solids, by a billion.
    let mut large = mesh.clone();
    large.vertices.iter_mut().for_each(|x| *x *= 1000.0);
    let [metres, millimetres] = [&mesh, &large].map(|mesh| usual(&modes(Kind::Heat, mesh, 30)));
    let scaled = |signature: &Signature, by: f64| -> Vec<f64> {
        signature.distance(&[3]).expect("a distance").iter().map(|d| d * by).collect()
    };
    assert!(apart(&scaled(&metres, 1.0), &scaled(&millimetres, 1e6)) < 1e-7);
    let bar = |size: f64| shapes::bar(Vec3::new(1.0, 0.37, 0.23) * size, [6, 2, 2]).into_data();
    let [metres, millimetres] = [1.0, 1000.0].map(|size| usual(&modes(Kind::Vibration, &bar(size), 30)));
    assert!(apart(&scaled(&metres, 1.0), &scaled(&millimetres, 1e9)) < 1e-7);
}

#[test]
fn the_distance_is_a_pseudo_metric() {
    let mesh = potato(10);
    let n = mesh.vertices.len();
    let mut random = Random(5);
    for kind in Kind::ALL {
        let signature = usual(&modes(kind, &mesh, 30));
        let from = |v: usize| signature.distance(&[v as u32]).expect("a distance");
        for _ in 0..20 {
            let [a, b, c] = [(); 3].map(|()| ((random.symmetric() + 1.0) * 0.5 * n as f64) as usize % n);
            let (d_a, d_b, both) =
                (from(a), from(b), signature.distance(&[a as u32, b as u32]).expect("both"));
            assert_eq!((d_a[a], d_a[b]), (0.0, d_b[a]), "symmetric");
            assert!(d_a[c] <= (d_a[b] + d_b[c]) * (1.0 + 1e-14), "{a} {b} {c}");
            assert_eq!(both[c], d_a[c].min(d_b[c]), "the nearest counts");
        }
    }
    // The formula itself, sample by sample.
    let signature = usual(&modes(Kind::Vibration, &mesh, 30));
    let (a, b) = (signature.of_vertex(3), signature.of_vertex(40));
    let step = (signature.times[1] / signature.times[0]).ln();
    let sample = |i: usize| ((a[i] - b[i]) / signature.l1[i]).powi(2);
    let sum: f64 = (0..101).map(|i| sample(i) * step * if i % 100 == 0 { 0.5 } else { 1.0 }).sum();
    let found = signature.distance(&[3]).expect("a distance")[40];
    assert!((found / sum.sqrt() - 1.0).abs() < 1e-12, "{found} for {}", sum.sqrt());
    // Two ranges beside each other add up.
    let part = |range| signature.distance_between(&[3], range).expect("a distance")[40].powi(2);
    assert!(((part(0..51) + part(50..101)) / found.powi(2) - 1.0).abs() < 1e-12);
}

#[test]
fn both_ends_of_time() {
    let mesh = potato(5);
    let body = body(&mesh);
    let all = body.size() - 6;
    let spectrum = Spectrum::vibration(&body, all, true, &mut ignore_progress).expect("all modes");
    let (first, last) = (spectrum.eigenvalues[0], spectrum.eigenvalues[all - 1]);
    let ends = spectrum.signature(&[1e-9 / last, 60.0 / first]);
    let rigid = body.rigid_motions();
    for v in 0..mesh.vertices.len() {
        let early = ends.at_time(0)[v] * body.vertex_masses()[v] / 3.0;
        assert!((early - 1.0).abs() < 1e-7, "all of it at first: {early}");
        let still: f64 = rigid.iter().map(|m| m[3 * v..3 * v + 3].iter().map(|x| x * x).sum::<f64>()).sum();
        assert!((ends.at_time(1)[v] / still - 1.0).abs() < 1e-10, "rigid motions in the end");
    }
    assert_eq!(spectrum.truncation(1e-9), 0.0, "nothing is cut off");
    // Without rigid motions the slowest mode is what is left.
    let without = Spectrum::vibration(&body, 20, false, &mut ignore_progress).expect("modes");
    let t = 60.0 / (without.eigenvalues[1] - first);
    let end = without.signature(&[t]);
    let expected: Vec<f64> = without.squares(0).iter().map(|s| s * (-first * t).exp()).collect();
    assert!(apart(&expected, end.at_time(0)) < 1e-12);
}

#[test]
fn what_is_cut_off_is_estimated() {
    let mesh = potato(15);
    for kind in Kind::ALL {
        let all = modes(kind, &mesh, 400);
        let some = all.first(100);
        for share in [0.02, 0.1, 0.3] {
            // A time at which about that much is cut off, by all the modes there are.
            let l1 = |spectrum: &Spectrum, t: f64| spectrum.l1(t);
            let exact = |t: f64| l1(&all, t) / l1(&some, t) - 1.0;
            let mut t = 10.0 / some.eigenvalues[99];
            while exact(t) < share {
                t *= 0.97;
            }
            let (told, true_share) = (some.truncation(t), exact(t));
            assert!((0.5..2.0).contains(&(told / true_share)), "{}: {told} for {true_share}", kind.name());
            let enough = some.modes_for(t, 0.01);
            let left = l1(&all, t) / l1(&all.first(enough), t) - 1.0;
            assert!(enough > 100 && left < 0.03, "{}: {enough} modes leave {left}", kind.name());
            assert!(some.truncation(some.time_for(t, 0.01)) <= 0.01 + 1e-9);
        }
        assert!(
            some.truncation(Times::Usual.of(&some).expect("times")[0]) < 1e-3,
            "usual times cut off little"
        );
    }
}

#[test]
fn the_same_bits_whatever_the_number_of_threads() {
    let mesh = potato(10);
    let bits = |threads: usize| -> Vec<u64> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let signature = usual(&modes(Kind::Vibration, &mesh, 30));
            let distance = signature.distance(&[3, 9]).expect("a distance");
            values(&signature).iter().chain(&distance).map(|x| x.to_bits()).collect()
        })
    };
    assert_eq!(bits(1), bits(3));
}
