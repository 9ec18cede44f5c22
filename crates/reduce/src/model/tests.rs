//! Models written and read: bit for bit what they were, and every kind of damage is told.

use std::path::Path;

use pliant_energy::{MassKind, Recipe};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::{
    Attributes, Elements, Faces, Law, Material, MeshData, Region, VertexSet, embed, select, shapes,
};

use super::*;
use crate::basis;
use crate::container::TensorReader;
use crate::container::map::Bytes;
use crate::force::cubic::coefficients;
use crate::force::{Ghost, Pieces, Polynomial, StoredLinear, StoredProjected};

/// A model of small modes, with facts that have digits to lose.
fn model(mesh: MeshData, mut recipe: Recipe, fixed: &[&str], force: Arc<dyn StoredForce>) -> Model {
    recipe.fixed = fixed.iter().map(|spec| select::select(&mesh, spec).expect("a selection")).collect();
    let body = recipe.build(mesh.clone()).expect("a body");
    let request = crate::Request::of_modes(3);
    let modes = basis::find("modes").expect("in the table");
    let built = (modes.make)(&body, &request, &mut ignore_progress).expect("modes");
    let facts = Facts {
        basis: modes.name.to_owned(),
        eigenvalues: built.eigenvalues,
        affine: built.affine,
        singular_values: vec![0.1 + 0.2, 1e-300, 5e-324, 1.7976931348623157e308],
        dropped: 2,
        seed: u64::MAX,
        training: force.downcast_ref::<Cubature>().is_some().then(|| TrainingFacts {
            trainer: "nn-htp".into(),
            poses: 500,
            pose_scale: 0.1,
            points: 9,
            training_error: 1.0 / 3.0,
            validation_error: 2.0 / 3.0,
            static_error: None,
            frequency_error: None,
        }),
        pull: None,
    };
    Model::assemble(mesh, recipe, &body, built.basis, force, facts).expect("defined at rest")
}

fn bar() -> MeshData {
    shapes::bar(Vec3::new(0.4, 0.1, 0.1), [2, 1, 1]).into_data()
}

/// Two regions of different laws, elements of neither, and vertex sets with names that need care.
fn striped(mut mesh: MeshData) -> MeshData {
    let material = |name: &str, law| Material { name: name.into(), density: 900.0 + 0.1, law };
    mesh.attributes.materials = vec![
        material("wood \"hard\"", Law::isotropic(1e7 / 3.0, 0.3)),
        material("caoutchouc \\ é", Law::named("mooney-rivlin", [("mu01", 1e4), ("mu10", 3e4), ("v1", 5e5)])),
    ];
    let region = |name: &str, material| Region { name: name.into(), material };
    mesh.attributes.regions =
        vec![region("\"checksum\":\"", Some(1)), region("", None), region("z", Some(0))];
    mesh.attributes.region_of = (0..mesh.elements.len() as u32)
        .map(|e| if e % 4 == 3 { Attributes::NO_REGION } else { e % 4 })
        .collect();
    let set = |name: &str, vertices: &[u32]| VertexSet { name: name.into(), vertices: vertices.to_vec() };
    mesh.attributes.sets = vec![set("tip", &[1, 3, 4]), set("none", &[]), set("one", &[0])];
    mesh
}

/// A strip of quads, bent, all or some of them cut in two.
fn sheet(cut: impl Fn(usize) -> bool) -> MeshData {
    let vertices =
        (0..4).flat_map(|i| [0.0, 1.0].map(|y| Vec3::new(f64::from(i), y, 0.1 * f64::from(i * i)))).collect();
    let mut faces = Faces::new();
    for i in 0..3u32 {
        let [a, b, c, d] = [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1];
        if cut(i as usize) {
            faces.push(&[a, b, c]);
            faces.push(&[a, c, d]);
        } else {
            faces.push(&[a, b, c, d]);
        }
    }
    MeshData::from_faces(vertices, faces)
}

fn cubature() -> Arc<dyn StoredForce> {
    Arc::new(Cubature::new(vec![0, 3, 5], vec![1.0 / 3.0, 2.5, 1e-17]))
}

/// The body as its own ghost, in coordinates of no meaning.
fn ghost(mesh: &MeshData) -> Arc<dyn StoredForce> {
    let elements = match &mesh.elements {
        Elements::Tets(tets) => Elements::Tets(tets.clone()),
        Elements::Faces(faces) => {
            Elements::Faces(Faces::from_triangles(&pliant_mesh::measure::triangulate(&mesh.vertices, faces)))
        }
    };
    let region_of = mesh.attributes.region_of.clone();
    let mut ghost = Ghost {
        vertices: mesh.vertices.clone(),
        elements,
        region_of,
        rank: 3,
        rows: Vec::new(),
        weights: Vec::new(),
    };
    ghost.rows = (0..9 * mesh.vertices.len()).map(|k| (k as f64).sin()).collect();
    let count = ghost.energy(&Recipe::default(), mesh).expect("an energy").count();
    ghost.weights = (0..count).map(|c| 1.0 + c as f64).collect();
    Arc::new(ghost)
}

fn cubic(rank: usize) -> Arc<dyn StoredForce> {
    let numbers = |order| {
        let count = coefficients(rank, order).expect("few");
        (0..count).map(|i| (i as f64 + 0.1).sin() * 1e6).collect::<Vec<f64>>()
    };
    Arc::new(Polynomial { rank, quadratic: numbers(2), cubic: numbers(3), quartic: numbers(4) })
}

/// One of each kind.
fn models() -> Vec<(&'static str, Model)> {
    let base = Recipe::default;
    let stvk = Recipe { material: Some("stvk".into()), young: Some(1e5 / 3.0), ..base() };
    let ball = shapes::ball(0.5, 2);
    let surface = ball.boundary();
    let (mut tied, _) = embed::attach(ball, &surface).map(|(b, r)| (b.into_data(), r)).expect("inside");
    let embedded = tied.attributes.embedded.as_mut().expect("attached");
    embedded.regions = vec![Region { name: "skin".into(), material: None }];
    embedded.region_of = vec![0; embedded.faces.len()];
    let mooney = [("mu10", 3e4), ("mu01", 1e4), ("v1", 5e5)];
    let rubber = Recipe { constants: mooney.map(|(key, value)| (key.to_owned(), value)).into(), ..base() };
    let shell =
        Recipe { bend: Some(0.1), thickness: Some(0.001), mass: Some(MassKind::Consistent), ..base() };
    let loose = MeshData { vertices: [bar().vertices, vec![Vec3::x()]].concat(), ..bar() };
    vec![
        ("projected", model(bar(), base(), &["x<5%"], Arc::new(StoredProjected))),
        ("regions", model(striped(bar()), base(), &["x<5%", "x>95%:yz", "ids:7:y"], cubature())),
        ("free", model(loose, Recipe { density: Some(7.5), ..base() }, &[], Arc::new(StoredLinear))),
        ("cubic", model(bar(), stvk, &["x<5%"], cubic(3))),
        ("embedded", model(tied, rubber, &["y<20%"], Arc::new(StoredLinear))),
        ("triangles", model(striped(sheet(|_| true)), base(), &["x<40%"], cubature())),
        ("quads", model(sheet(|_| false), shell, &["x<40%"], Arc::new(StoredProjected))),
        ("polygons", model(sheet(|i| i == 1), base(), &["x<40%"], Arc::new(StoredLinear))),
        ("ghost", model(striped(bar()), base(), &["x<5%"], ghost(&striped(bar())))),
        ("ghost of a surface", model(sheet(|i| i == 1), base(), &["x<40%"], ghost(&sheet(|i| i == 1)))),
    ]
}

fn again(model: &Model) -> Model {
    Model::from_bytes(Path::new("again.pliant"), &model.to_bytes().expect("a sound model"))
        .expect("its bytes")
}

#[test]
fn what_is_read_is_what_was_written() {
    for (name, before) in models() {
        let after = again(&before);
        assert_eq!(before.mesh(), after.mesh(), "{name}");
        assert_eq!(before.facts(), after.facts(), "{name}");
        assert_eq!(format!("{:?}", before.force()), format!("{:?}", after.force()), "{name}");
        assert_eq!(before.basis().rows(), after.basis().rows(), "{name}");
        assert_eq!(
            (&before.reduced_mass(), &before.gravity()),
            (&after.reduced_mass(), &after.gravity()),
            "{name}"
        );
        assert_eq!(before.reduced_stiffness(), after.reduced_stiffness(), "{name}");
        // Selections come back sorted by what they hold; the same numbers are held.
        let but_fixed = |m: &Model| format!("{:?}", Recipe { fixed: Vec::new(), ..m.recipe().clone() });
        assert_eq!(but_fixed(&before), but_fixed(&after), "{name}");
        assert_eq!(before.to_bytes().expect("sound"), after.to_bytes().expect("sound"), "{name}");
    }
}

#[test]
fn the_body_of_a_file_is_the_body_it_was_made_of() {
    for (name, before) in models() {
        let (a, b) = (before.body().expect("a body"), again(&before).body().expect("a body"));
        let u: Vec<f64> = (0..a.size()).map(|i| 0.01 * (7.0 * i as f64).sin()).collect();
        assert_eq!(a.energy(&u), b.energy(&u), "{name}");
        assert!(a.energy(&u).expect("admissible") > 0.0, "{name}");
        let (mut fa, mut fb) = (vec![0.0; a.size()], vec![0.0; a.size()]);
        a.force(&u, &mut fa).expect("admissible");
        b.force(&u, &mut fb).expect("admissible");
        assert_eq!(fa, fb, "{name}");
        a.mass().apply_per_axis(&u, &mut fa);
        b.mass().apply_per_axis(&u, &mut fb);
        assert_eq!(fa, fb, "{name}");
        assert_eq!(a.dofs().free(), b.dofs().free(), "{name}");
        assert_eq!(a.boundary(), b.boundary(), "{name}");
    }
}

#[test]
fn reduced_matrices_are_those_of_the_body() {
    let model = model(bar(), Recipe::default(), &["x<5%"], Arc::new(StoredLinear));
    for (k, lambda) in model.facts().eigenvalues.iter().enumerate() {
        assert!(
            (model.reduced_mass().get(k, k) - 1.0).abs() < 1e-12
                && model.reduced_mass().get(0, 2).abs() < 1e-12
        );
        assert!(
            (model.reduced_stiffness().get(k, k) / lambda - 1.0).abs() < 1e-9,
            "{}",
            model.reduced_stiffness().get(k, k)
        );
    }
    // Gravity is a linear load: it does the work m g·u on any motion u = Uq.
    let body = model.body().expect("a body");
    let (q, mut u) = ([0.3, -0.2, 0.7], vec![0.0; body.size()]);
    model.basis().expand(&q, &mut u);
    for d in 0..3 {
        let reduced: f64 = model.gravity()[d].iter().zip(q).map(|(g, q)| g * q).sum();
        let full: f64 = body.vertex_masses().iter().enumerate().map(|(v, m)| m * u[3 * v + d]).sum();
        assert!((reduced - full).abs() < 1e-12 * full.abs().max(1e-3), "{reduced} vs {full}");
    }
}

#[test]
fn a_file_is_the_bytes_and_its_basis_stays_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bar.pliant");
    let model = &models()[1].1;
    model.write(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), model.to_bytes().unwrap());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
    let read = Model::read(&path).unwrap();
    // Written over while it is open: the numbers stay, for whoever has them.
    read.write(&path).unwrap();
    assert_eq!(read.basis().rows(), model.basis().rows());
    assert_eq!(Model::read(&path).unwrap().to_bytes().unwrap(), model.to_bytes().unwrap());
    let refused = model.write(dir.path()).unwrap_err();
    assert!(matches!(refused, ReduceError::Mesh(_)), "{refused}");
}

#[test]
fn the_basis_is_not_copied() {
    let bytes = Arc::new(Bytes::copy(&models()[0].1.to_bytes().unwrap()));
    let model = file::parse(&bytes).unwrap();
    assert!(bytes.as_ptr_range().contains(&model.basis().rows().as_ptr().cast::<u8>()));
}

#[test]
fn nothing_of_the_moment_is_in_a_file() {
    for (name, model) in models() {
        let (one, two) = (model.to_bytes().unwrap(), model.clone().to_bytes().unwrap());
        assert_eq!(one, two, "{name}");
        let text = String::from_utf8_lossy(&one).into_owned();
        for foreign in ["time", "date", "threads", "path", "command", ".pliant"] {
            assert!(!text.contains(&format!("{foreign}\\\":")), "{name}: {foreign}");
        }
        let bytes = Bytes::copy(&one);
        let opened = TensorReader::new(&bytes).unwrap();
        let description: serde_json::Value = serde_json::from_str(opened.description().unwrap()).unwrap();
        let mut sorted = description.clone();
        sorted.sort_all_objects();
        assert_eq!(description.to_string(), sorted.to_string(), "{name}: keys are sorted");
    }
}

#[test]
fn no_damage_goes_unnoticed() {
    let name = Path::new("damaged.pliant");
    for (which, model) in [&models()[1], &models()[3]] {
        let good = model.to_bytes().unwrap();
        for length in 0..good.len() {
            let error = Model::from_bytes(name, &good[..length]).expect_err(which).to_string();
            assert!(error.starts_with("damaged.pliant: "), "{error}");
        }
        let longer = [&good[..], b"\0"].concat();
        let error = Model::from_bytes(name, &longer).expect_err(which).to_string();
        assert!(error.contains("1 bytes stand behind the last tensor"), "{error}");
        // Every byte of the header, every seventh of the rest.
        let header = 8 + u64::from_le_bytes(*good.first_chunk().unwrap()) as usize;
        for at in (0..header).chain((header..good.len()).step_by(7)) {
            for flip in [1u8, 0x20, 0x80] {
                let mut bad = good.clone();
                bad[at] ^= flip;
                assert!(Model::from_bytes(name, &bad).is_err(), "{which}: byte {at} flipped by {flip}");
                // And with a checksum that fits: an answer or an error, no panic.
                if at % 5 == 0 {
                    seal(&mut bad);
                    let _ = Model::from_bytes(name, &bad).map(|m| m.to_bytes());
                }
            }
        }
    }
}

/// The sentence about a file of which one piece of text was changed, checksum and all.
fn changed(model: &Model, from: &str, to: &str) -> String {
    assert_eq!(from.len(), to.len(), "the header keeps its length");
    let mut bytes = model.to_bytes().unwrap();
    let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).expect(from);
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    seal(&mut bytes);
    Model::from_bytes(Path::new("changed.pliant"), &bytes).expect_err(to).to_string()
}

#[test]
fn what_does_not_fit_is_said_in_a_sentence() {
    let all = models();
    let of = |name: &str| &all.iter().find(|(n, _)| *n == name).expect("in the list").1;
    for (model, from, to, words) in [
        (
            "projected",
            r#"\"version\":1"#,
            r#"\"version\":6"#,
            "made by a newer pliant: format 6, this program reads 5; update",
        ),
        (
            "projected",
            r#"\"version\":1"#,
            r#"\"version\":2"#,
            "states format 2, but what it holds is of format 1",
        ),
        ("ghost", r#""ghost.U":{"#, r#""ghast.U":{"#, "the tensor \"ghost.U\" is missing"),
        ("projected", r#"\"version\":1"#, r#"\"version\":0"#, "no format version"),
        ("projected", "pliant-model", "another-file", "of \"another-file\", expected \"pliant-model\""),
        ("projected", r#""__metadata__":{"pliant""#, r#""__metadata__":{"paliit""#, "no key \"pliant\""),
        ("projected", r#""U":{"#, r#""V":{"#, "the tensor \"U\" is missing"),
        (
            "projected",
            r#""gravity":{"dtype":"F64""#,
            r#""gravity":{"dtype":"I64""#,
            "\"gravity\" is I64 (3, 3), expected F64 (3, 3)",
        ),
        ("projected", r#"\"rank\":3"#, r#"\"rank\":2"#, "is F64 (36, 3), expected F64 (36, 2)"),
        ("projected", r#"\"rank\":3"#, r#"\"rank\":0"#, "the rank is 0"),
        (
            "projected",
            r#"\"vertices\":12"#,
            r#"\"vertices\":13"#,
            "\"rest\" is F64 (12, 3), expected F64 (13, 3)",
        ),
        (
            "projected",
            r#"\"elements\":12"#,
            r#"\"elements\":11"#,
            "\"elements\" is U32 (12, 4), expected U32 (11, 4)",
        ),
        (
            "projected",
            r#"\"held\":12"#,
            r#"\"held\":13"#,
            "12 degrees of freedom are held, but the description states 13",
        ),
        ("projected", r#"\"kind\":\"tets"#, r#"\"kind\":\"cats"#, "is \"cats\", expected tets, triangles"),
        (
            "projected",
            r#"\"projected\""#,
            r#"\"projectod\""#,
            "there is no force \"projectod\"; there are: projected, linear",
        ),
        (
            "projected",
            r#"\"seed\""#,
            r#"\"sead\""#,
            "the description is not as expected (unknown field `sead`",
        ),
        ("projected", r#"\"young\":1000000.0"#, r#"\"young\":2000000.0"#, "means another body here"),
        ("quads", r#"consistent\",\"material"#, r#"inconstant\",\"material"#, "the mass is \"inconstant\""),
        ("cubic", r#"\"material\":\"stvk\""#, r#"\"material\":\"silk\""#, "means another body here"),
        ("cubic", r#"stvk\",\"membrane"#, r#"silk\",\"membrane"#, "silk"),
        ("regions", r#"\"poses\":500"#, r#"\"poses\":-50"#, "the description is not as expected"),
    ] {
        let sentence = changed(of(model), from, to);
        assert!(sentence.contains(words) && sentence.starts_with("changed.pliant: "), "{words}\n{sentence}");
    }
}

/// The sentence about a file in whose tensor the bytes from `at` on were changed, checksum and all.
fn poked(model: &Model, tensor: &str, at: usize, new: &[u8]) -> String {
    let mut bytes = model.to_bytes().unwrap();
    let copy = Bytes::copy(&bytes);
    let start = TensorReader::new(&copy).unwrap().range(tensor).expect(tensor).start + at;
    bytes[start..start + new.len()].copy_from_slice(new);
    seal(&mut bytes);
    Model::from_bytes(Path::new("poked.pliant"), &bytes).expect_err(tensor).to_string()
}

#[test]
fn numbers_that_cannot_be_are_said_in_a_sentence() {
    let all = models();
    let of = |name: &str| &all.iter().find(|(n, _)| *n == name).expect("in the list").1;
    let (nan, big, zero) = (f64::NAN.to_le_bytes(), 999u32.to_le_bytes(), [0; 8]);
    for (model, tensor, at, new, words) in [
        ("projected", "U", 8 * 40, &nan[..], "entry 40 of the basis U is NaN"),
        ("projected", "rest", 8, &nan, "vertex 0 has the coordinates (0, NaN, 0)"),
        ("projected", "elements", 16, &big, "element 1 names vertex 999, but there are 12"),
        ("projected", "mass", 0, &nan, "entry 0 of the mass is NaN"),
        ("projected", "stiffness", 8, &zero, "\"stiffness\" is not symmetric at (1, 0)"),
        ("projected", "gravity", 0, &nan, "of gravity is NaN"),
        ("projected", "held", 0, &[2], "\"held\" has the number 2, expected 0 or 1"),
        ("projected", "elements", 0, &[1, 0, 0, 0, 1, 0, 0, 0], "no positive volume"),
        ("regions", "cubature.components", 8, &big, "names component 999, but there are 12 (0 to 11)"),
        ("regions", "cubature.components", 4, &[0; 4], "not ascending, or one is named twice"),
        ("regions", "cubature.weights", 0, &zero, "the weight 0, expected finite numbers > 0"),
        ("regions", "regions", 0, &big, "element 0 is in region 999, but there are 3"),
        ("regions", "sets", 0, &big, "vertex set \"tip\" names vertex 999"),
        ("regions", "sets.offsets", 4, &big, "\"sets.offsets\" does not rise from 0 to the 4 entries"),
        ("cubic", "polynomial.quartic", 0, &nan, "the polynomial is NaN"),
        ("embedded", "surface.carriers", 0, &big, "the embedding names vertex 999"),
        ("embedded", "surface.carriers.offsets", 0, &big, "\"surface.carriers.offsets\" does not rise"),
        ("embedded", "surface.weights", 0, &nan, "the weight NaN"),
        ("embedded", "surface.elements", 0, &[255; 4], "names vertex 4294967295"),
        ("polygons", "elements.offsets", 0, &big, "\"elements.offsets\" does not rise"),
    ] {
        let sentence = poked(of(model), tensor, at, new);
        assert!(sentence.contains(words) && sentence.starts_with("poked.pliant: "), "{words}\n{sentence}");
    }
}

#[test]
fn what_is_no_model_is_said_to_be_none() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = dir.path().join("bar.veg");
    pliant_mesh::io::save(&mesh, &bar(), None).unwrap();
    let error = Model::read(&mesh).unwrap_err().to_string();
    assert!(error.contains("this is a mesh (Vega") && error.contains("build one of it"), "{error}");
    let renamed = dir.path().join("bar.pliant");
    std::fs::rename(&mesh, &renamed).unwrap();
    let error = Model::read(&renamed).unwrap_err().to_string();
    assert!(error.contains("bar.pliant: this is no safetensors container; expected a model"), "{error}");
    for (bytes, words) in [
        (&b""[..], "the file has 0 bytes, too few"),
        (b"PK\x03\x04\0\0\0\0zip", "no safetensors container"),
        (b"\x09\0\0\0\0\0\0\0{\"a\":", "ends after 13 bytes, but its header announces 17"),
        (b"\x08\0\0\0\0\0\0\0{\"a\":1}x", "the header of the container cannot be read"),
        (b"\x02\0\0\0\0\0\0\0{}", "a safetensors container of something else"),
    ] {
        let error = Model::from_bytes(Path::new("file"), bytes).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let error = Model::read(&dir.path().join("nothing.pliant")).unwrap_err();
    assert!(matches!(error, ReduceError::Io { .. }), "{error}");
}

#[test]
fn parts_that_do_not_fit_each_other_are_no_model() {
    let good = models().swap_remove(0).1;
    let spoil = |spoil: &dyn Fn(&mut ModelParts)| {
        let mut parts = good.clone().into_parts();
        spoil(&mut parts);
        Model::new(parts).expect_err("parts that do not fit").to_string()
    };
    for (sentence, words) in [
        (spoil(&|m| m.facts.eigenvalues[0] = f64::NAN), "entry 0 of the eigenvalues is NaN"),
        (spoil(&|m| m.gravity[1].push(0.0)), "gravity along y has 4 coordinates, but the basis has 3"),
        (spoil(&|m| m.mass = DenseSymmetric::zeros(2)), "the mass has 2 coordinates"),
        (spoil(&|m| m.facts.affine = 4), "4 columns are affine fields"),
        (spoil(&|m| m.recipe.fixed[0].vertices.push(99)), "vertex 99 is held, but there are 12"),
        (spoil(&|m| m.recipe.bend = Some(1.0)), "the bending stiffness means nothing for a solid"),
        (spoil(&|m| m.force = cubic(2)), "the polynomial has 2 coordinates"),
        (spoil(&|m| m.mesh.vertices.push(Vec3::zeros())), "the basis has 36 rows"),
    ] {
        assert!(sentence.contains(words), "{sentence}");
    }
}

#[test]
fn symmetric_tensors_are_counted() {
    assert_eq!([2, 3, 4].map(|order| coefficients(20, order)), [Some(210), Some(1540), Some(8855)]);
    assert_eq!(coefficients(usize::MAX, 2), None);
}

#[test]
fn a_correction_is_kept_cut_and_checked() {
    let all = models();
    let of = |name: &str| &all.iter().find(|(n, _)| *n == name).expect("in the list").1;
    let with = |R: &[f64]| {
        let mut parts = of("regions").clone().into_parts();
        let plain = parts.force.downcast_ref::<Cubature>().expect("a cubature").clone();
        parts.force = Arc::new(Cubature { correction: Some(R.into()), ..plain });
        Model::new(parts)
    };
    let r = of("regions").rank();
    let R: Vec<f64> = (0..r * r).map(|k| (k as f64).sin()).collect();
    let model = with(&R).expect("sound");
    let bytes = model.to_bytes().expect("a file");
    let read = Model::from_bytes(Path::new("corrected"), &bytes).expect("sound");
    assert_eq!(read.cubature(), model.cubature());
    assert_eq!(read.to_bytes().expect("a file"), bytes);
    assert!(String::from_utf8_lossy(&bytes).contains("\\\"version\\\":4"), "format 4");
    // The leading part of fewer coordinates, by rows.
    let part = model.truncated(r - 1).expect("in range");
    let leading = part.cubature().expect("a cubature").correction.clone().expect("one");
    assert_eq!((leading.len(), leading[r - 1]), ((r - 1) * (r - 1), R[r]));
    for (R, words) in [(&R[1..], "expected"), (&vec![f64::NAN; r * r][..], "finite")] {
        let told = with(R).expect_err("refused").to_string();
        assert!(told.contains("the correction of the cubature") && told.contains(words), "{told}");
    }
}

#[test]
fn flaps_are_kept_as_such_and_only_surfaces_have_them() {
    let all = models();
    let with = |name: &str, components: &[u32]| {
        let mut parts = all.iter().find(|(n, _)| *n == name).expect("in the list").1.clone().into_parts();
        let points = Cubature::new(components.to_vec(), vec![1.5; components.len()]);
        parts.force = Arc::new(Cubature { pieces: Pieces::Flaps, ..points });
        Model::new(parts)
    };
    let last = {
        let body = with("quads", &[0]).expect("sound").body().expect("a body");
        body.flaps().expect("a surface has some").count() as u32 - 1
    };
    let model = with("quads", &[0, last]).expect("sound");
    let bytes = model.to_bytes().expect("a file");
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("cubature.flaps") && !text.contains("cubature.components"));
    assert!(text.contains("\\\"version\\\":5"), "format 5");
    let read = Model::from_bytes(Path::new("flaps"), &bytes).expect("sound");
    assert_eq!(read.cubature(), model.cubature());
    assert_eq!(read.to_bytes().expect("a file"), bytes);
    // W̃ = Σ w W of those flaps.
    let (body, q) = (model.body().expect("a body"), vec![1e-3; model.rank()]);
    let mut u = vec![0.0; model.basis().size()];
    model.basis().expand(&q, &mut u);
    let flaps = body.flaps().expect("a surface has some");
    let local = |c: usize| {
        let mut local = [0.0; 12];
        for (a, &v) in flaps.corners(c).iter().enumerate() {
            local[3 * a..3 * a + 3].copy_from_slice(&u[3 * v as usize..3 * v as usize + 3]);
        }
        local
    };
    let mut W = [0.0; 2];
    flaps.energies(&[0, last], &[local(0), local(last as usize)], &mut W).expect("admitted");
    let found = read.evaluator().energy(&q).expect("admitted");
    assert!(found > 0.0 && (found / (1.5 * (W[0] + W[1])) - 1.0).abs() < 1e-10, "{found} J, {W:?}");
    let told = with("quads", &[last + 1]).expect_err("none of that number").to_string();
    assert!(told.contains(&format!("component {}", last + 1)), "{told}");
    let told = with("projected", &[0]).expect_err("a solid").to_string();
    assert!(told.contains("edge flaps"), "{told}");
}

#[test]
fn a_ghost_that_fits_nothing_is_refused() {
    let all = models();
    let of = |name: &str| &all.iter().find(|(n, _)| *n == name).expect("in the list").1;
    let sentence = |name: &str, change: &dyn Fn(&mut Ghost)| {
        let mut parts = of(name).clone().into_parts();
        let mut ghost = parts.force.downcast_ref::<Ghost>().expect("it has a ghost").clone();
        change(&mut ghost);
        parts.force = Arc::new(ghost);
        Model::new(parts).expect_err("refused").to_string()
    };
    type Change<'a> = &'a dyn Fn(&mut Ghost);
    let cases: [(&str, Change<'_>, &str); 8] = [
        ("ghost", &|g| g.rank = 2, "do not fit 12 vertices and 3 coordinates"),
        ("ghost", &|g| g.rows.truncate(g.rows.len() - 1), "the ghost's basis has 107 numbers"),
        ("ghost", &|g| g.rows[5] = f64::NAN, "entry 5 of the ghost's basis"),
        ("ghost", &|g| g.weights[2] = 0.0, "the weight 0, expected finite numbers > 0"),
        ("ghost", &|g| g.weights.truncate(g.weights.len() - 1), "12 components and 11 weights"),
        ("ghost", &|g| g.region_of.clear(), "expected both or none"),
        ("ghost", &|g| g.vertices[0].x = 99.0, "the ghost: "),
        (
            "ghost of a surface",
            &|g| g.elements = Elements::Tets(vec![[0, 1, 2, 3]]),
            "made of tets, but the body of",
        ),
    ];
    for (name, change, words) in cases {
        let told = sentence(name, change);
        assert!(told.contains(words), "{told}");
    }
}
