//! What meshes become, and what is said about it.

use super::*;
use pliant_linalg::{Vec3, ignore_progress};

use pliant_mesh::{Faces, Kind, SurfaceMesh, shapes};

fn prepared(mesh: MeshData) -> Prepared {
    Open::default().prepare(mesh, &mut ignore_progress).expect("a body")
}

fn cube() -> SurfaceMesh {
    shapes::bar(Vec3::new(0.2, 0.3, 0.2), [4, 6, 4]).boundary()
}

fn says(notes: &[Note], words: &str) -> bool {
    notes.iter().any(|note| note.contains(words))
}

/// The cube without the triangles whose middle is dropped.
fn without(drop: &dyn Fn(Vec3) -> bool) -> MeshData {
    let surface = cube();
    let middle = |t: &[u32; 3]| t.iter().map(|v| surface.vertices()[*v as usize]).sum::<Vec3>() / 3.0;
    let kept: Vec<[u32; 3]> = surface.triangles().into_iter().filter(|t| !drop(middle(t))).collect();
    MeshData::from_faces(surface.vertices().to_vec(), Faces::from_triangles(&kept))
}

#[test]
fn what_encloses_a_volume_is_filled_even_if_every_triangle_stands_alone() {
    let surface = cube();
    let corners = surface.triangles().as_flattened().to_vec();
    let alone: Vec<Vec3> = corners.iter().map(|v| surface.vertices()[*v as usize]).collect();
    let count = alone.len() as u32;
    let triangles: Vec<[u32; 3]> = (0..count).step_by(3).map(|k| [k, k + 1, k + 2]).collect();
    let soup = MeshData::from_faces(alone, Faces::from_triangles(&triangles));
    let mut seen = None;
    let mut see = |mesh: &MeshData, report: &doctor::Report| {
        seen = Some((mesh.vertices.len(), report.vertices, report.findings.len()));
    };
    let made = Open::default().prepare_with(soup, &mut see, &mut ignore_progress).expect("a body");
    let findings = made.report.as_ref().expect("a report").findings.len();
    assert_eq!(seen, Some((count as usize, count as usize, findings)), "findings of the mesh as it came");
    assert_eq!(made.mesh.kind(), Kind::Tets);
    let shown = made.mesh.attributes.embedded.as_ref().expect("the surface is tied to it");
    assert_eq!((shown.vertices.len(), shown.faces.len()), (surface.vertices().len(), triangles.len()));
    let notes = &made.notes;
    assert!(says(notes, "were joined") && says(notes, "lowest 5 %"), "{notes:?}");
    assert!(made.recipe.fixed[0].vertices.iter().all(|v| made.mesh.vertices[*v as usize].y < 0.02));
}

#[test]
fn a_lid_that_is_missing_makes_a_sheet_and_a_hole_does_not() {
    let open = prepared(without(&|p| p.y > 0.299));
    let notes = &open.notes;
    assert!(open.mesh.kind() == Kind::Triangles && says(notes, "stays a surface"), "{notes:?}");
    let surface = cube();
    let first = surface.triangles()[0];
    let first = first.iter().map(|v| surface.vertices()[*v as usize]).sum::<Vec3>() / 3.0;
    let hole = prepared(without(&|p| (p - first).norm() < 1e-9));
    // Its rim is 0.17 m long, the root of the area 0.57 m.
    assert_eq!(hole.mesh.kind(), Kind::Tets, "{:?}", hole.notes);
}

#[test]
fn a_form_that_is_asked_for_is_what_comes() {
    let made = |form, mesh| {
        let open = Open { form, tets: 600, holding: Holding::These(vec!["y<10%".into()]), ..Open::default() };
        open.prepare(mesh, &mut ignore_progress).expect("a body")
    };
    let shell = made(Form::Shell, cube().into_data());
    assert_eq!(shell.mesh.kind(), Kind::Triangles);
    let solid = made(Form::Solid, without(&|p| p.y > 0.299));
    assert!(solid.mesh.kind() == Kind::Tets && says(&solid.notes, "enclose"), "{:?}", solid.notes);
    // What came is told, not what was asked for.
    let whole = made(Form::Fitting, cube().into_data());
    let came = [&shell, &solid, &whole].map(|made| made.form);
    assert_eq!(came, [Form::Shell, Form::Cage, Form::Solid].map(Some));
    for made in [shell, solid] {
        let held = &made.recipe.fixed[0].vertices;
        assert!(!held.is_empty() && held.iter().all(|v| made.mesh.vertices[*v as usize].y < 0.05));
    }
    let nowhere = Open { holding: Holding::These(vec!["w<1%".into()]), ..Open::default() };
    assert!(nowhere.prepare(shapes::ball(0.2, 1).into_data(), &mut ignore_progress).is_err());
}

#[test]
fn notes_of_a_reduction_name_no_option_of_the_command_line() {
    let mesh = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [8, 2, 2]).into_data();
    let rough = Precompute { modes: Some(8), rank: Some(9), poses: Some(5), ..Precompute::default() };
    let open = Open { precompute: rough, fewer_coordinates: false, ..Open::default() };
    let prepared = open.prepare(mesh, &mut ignore_progress).expect("held");
    let notes = open.reduce(prepared, &mut ignore_progress).expect("a model").notes;
    assert!(notes.iter().all(|note| !note.contains("--")), "{notes:?}");
    assert!(says(&notes, "take a larger rank"), "{notes:?}");
}

#[test]
fn what_lies_flat_is_held_at_an_end_and_swings_at_a_pleasant_pace() {
    let options = shapes::ShapeOptions { subdivision: Some(24), ..Default::default() };
    let mut cloth =
        shapes::find("cloth").expect("a shape").make(&options, &mut ignore_progress).expect("a sheet");
    assert!(says(&prepared(cloth.clone()).notes, "corners"));
    cloth.attributes.sets.clear();
    let made = prepared(cloth);
    let notes = &made.notes;
    assert!(says(notes, "lies flat") && made.recipe.fixed[0].vertices.len() == 2 * 25, "{notes:?}");
    let usual = Open::default();
    let few = Precompute { modes: Some(3), poses: Some(5), ..usual.precompute.clone() };
    let opened = Open { precompute: few, ..usual }.reduce(made, &mut ignore_progress).expect("a model");
    let suited = suited(opened).expect("a model").model.frequencies_hz()[0];
    assert!((suited / SWINGS - 1.0).abs() < 0.05, "{suited} Hz");
}

#[test]
fn pins_that_are_painted_are_what_is_held_from_then_on() {
    let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [8, 2, 2]).into_data();
    let quick = Precompute { modes: Some(4), forces: Some("linear".into()), ..Precompute::default() };
    let holding = Holding::These(vec!["x<5%".into()]);
    let open = Open { precompute: quick, holding, suit: false, ..Open::default() };
    let model = open.open_mesh(bar, &mut ignore_progress).expect("a model").model;
    let end = |model: &Model, x: f64| -> Vec<u32> {
        (0..).zip(&model.surface().rest).filter(|(_, p)| p.x == x).map(|(p, _)| p).collect()
    };
    let change = Remake { pins: Some(end(&model, 1.0)), modes: Some(3), ..Remake::default() };
    let other = open.remake(&model, &change, &mut ignore_progress).expect("a model").model;
    assert_eq!((other.facts().eigenvalues.len(), other.force().name()), (3, "linear"));
    let held = |model: &Model| -> Vec<u32> {
        (0..model.surface_basis().len() as u32)
            .filter(|p| model.surface_basis().is_held(*p as usize))
            .collect()
    };
    assert_eq!((held(&model), held(&other)), (end(&model, 0.0), end(&model, 1.0)));
    assert!(pinned(&model, &[]).is_empty());
    let more = Remake { rank: Some(1000), ..Remake::default() };
    assert!(open.remake(&model, &more, &mut ignore_progress).is_err(), "a rank that is asked for is meant");
}

/// A short bar of rubber, by its own constants.
fn rubber() -> (Open, Model) {
    let own = [("mu10", 2e4), ("mu01", 1e4), ("v1", 3e5)];
    let constants = own.map(|(key, value)| (key.to_owned(), value)).into();
    let recipe = Recipe { material: Some("mooney-rivlin".into()), constants, ..Recipe::default() };
    let open = Open {
        recipe,
        precompute: Precompute { modes: Some(2), rank: None, poses: Some(5), ..Open::default().precompute },
        ..Open::default()
    };
    let bar = shapes::bar(Vec3::new(0.2, 0.6, 0.2), [1, 4, 1]).into_data();
    let model = open.open_mesh(bar, &mut ignore_progress).expect("a model").model;
    (open, model)
}

#[test]
fn a_body_with_constants_of_its_own_can_become_something_else() {
    let (open, model) = rubber();
    let remade = |change: &Remake| open.remake(&model, change, &mut ignore_progress).map(|o| o.model);
    let near = |model: &Model, key: &str, value: f64| {
        let found = &model.resolved().matter[0];
        let x = found.constants.iter().find(|(name, _)| *name == key).expect("a constant").1;
        assert!((x / value - 1.0).abs() < 1e-9, "{}: {key} is {x}, not {value}", found.material);
    };
    // μ = 2 (μ₁₀ + μ₀₁) and κ = 2 v₁, in E and ν.
    let (mu, kappa) = (6e4, 6e5);
    let (young, poisson) = (9.0 * kappa * mu / (3.0 * kappa + mu), (1.5 * kappa - mu) / (3.0 * kappa + mu));
    // Another law has none of its constants, and is as stiff.
    for law in ["stvk", "stable-neo-hookean"] {
        let other = remade(&Remake { material: Some(law.into()), ..Remake::default() }).expect("a model");
        assert!(other.recipe().constants.is_empty() && other.resolved().materials() == [law]);
        near(&other, "young", young);
        near(&other, "poisson", poisson);
        // And back, by constants or without.
        let back = Remake { material: Some("mooney-rivlin".into()), ..Remake::default() };
        let back = open.remake(&other, &back, &mut ignore_progress).expect("a model").model;
        near(&back, "young", young);
    }
    // Something else changes: the constants stay.
    let same = remade(&Remake { modes: Some(3), ..Remake::default() }).expect("a model");
    assert_eq!(same.recipe().constants, model.recipe().constants);
    // One of them changes, and the others stay.
    let one = Remake { constants: [("mu10".to_owned(), 5e4)].into(), ..Remake::default() };
    let stiffer = remade(&one).expect("a model");
    near(&stiffer, "mu10", 5e4);
    near(&stiffer, "mu01", 1e4);
    // Poisson's ratio takes their place.
    let other = remade(&Remake { poisson: Some(0.3), ..Remake::default() }).expect("a model");
    near(&other, "young", young);
    near(&other, "poisson", 0.3);
    // And they take its place again, all of them.
    let all = Remake { constants: model.recipe().constants.clone(), ..Remake::default() };
    let again = open.remake(&other, &all, &mut ignore_progress).expect("a model").model;
    near(&again, "poisson", poisson);
    let wrong = Remake { constants: [("mu99".to_owned(), 1.0)].into(), ..Remake::default() };
    let said = remade(&wrong).expect_err("no such constant").to_string();
    assert!(said.contains("its constants are: mu01, mu10, v1"), "{said}");
    let nowhere = Remake { material: Some("jelly".into()), ..Remake::default() };
    let said = remade(&nowhere).expect_err("no such law").to_string();
    assert!(said.contains("there is no material of solids \"jelly\"; there are: "), "{said}");
}

#[test]
fn constants_of_a_law_are_told_with_their_numbers() {
    let (open, model) = rubber();
    let told = |model: &Model| {
        own_constants(model).into_iter().map(|(constant, x)| (constant.key, x)).collect::<Vec<_>>()
    };
    assert_eq!(told(&model), [("mu01", Some(1e4)), ("mu10", Some(2e4)), ("v1", Some(3e5))]);
    let change = Remake { poisson: Some(0.3), ..Remake::default() };
    let other = open.remake(&model, &change, &mut ignore_progress).expect("a model").model;
    assert_eq!(told(&other), [("mu01", None), ("mu10", None), ("v1", None)]);
    let change = Remake { material: Some("stvk".into()), ..Remake::default() };
    let other = open.remake(&model, &change, &mut ignore_progress).expect("a model").model;
    assert!(told(&other).is_empty());
}

#[test]
fn a_sheet_can_be_cut_from_something_else() {
    let open = Open {
        precompute: Precompute { modes: Some(2), rank: None, ..Open::default().precompute },
        form: Form::Shell,
        ..Open::default()
    };
    let cloth = shapes::find("cloth").expect("ours");
    let options = shapes::ShapeOptions { subdivision: Some(6), ..Default::default() };
    let mesh = cloth.make(&options, &mut ignore_progress).expect("a mesh");
    let opened = open.open_mesh(mesh, &mut ignore_progress).expect("a body");
    let proposes = |note: &Note| note.terms.iter().any(|term| term.key == "thickness");
    assert!(opened.notes.iter().any(proposes), "{:?}", opened.notes);
    let model = opened.model;
    // It weighs 1 kg/m².
    let area = model.total_mass();
    assert!(PLATES.iter().all(|plate| !plate.is_of(model.recipe())));
    let lowest = |name: &str| {
        let plate = Plate::find(name).expect("in the table");
        let change = Remake { plate: Some(plate), ..Remake::default() };
        let other = open.remake(&model, &change, &mut ignore_progress).expect("a model").model;
        assert!(plate.is_of(other.recipe()));
        assert!((other.total_mass() / (area * plate.density * plate.thickness) - 1.0).abs() < 1e-12);
        other.frequencies_hz()[0]
    };
    // ω² of a plate goes with E t² / ρ.
    let plate = |name: &str| Plate::find(name).expect("in the table");
    let of = |p: Plate| p.thickness * (p.young / p.density).sqrt();
    let expected = of(plate("steel")) / of(plate("rubber"));
    let found = lowest("steel") / lowest("rubber");
    assert!((found / expected - 1.0).abs() < 0.02, "{found} for {expected}");
    let unknown = Plate::find("lead").unwrap_err();
    assert!(matches!(&unknown, OpenError::Unknown(unknown) if unknown.known.len() == PLATES.len()));
    assert_eq!(
        unknown.to_string(),
        "there is no sheet \"lead\"; there are: silicone, rubber, leather, card, plywood, steel"
    );
}

#[test]
fn a_crumb_is_not_held_and_is_named() {
    let bar = shapes::bar(Vec3::new(0.2, 1.0, 0.2), [1, 4, 1]);
    let crumb = shapes::bar(Vec3::repeat(0.05), [1, 1, 1]);
    let mut vertices = bar.vertices().to_vec();
    let start = vertices.len() as u32;
    vertices.extend(crumb.vertices().iter().map(|p| p - Vec3::y()));
    let mut tets = bar.tets().to_vec();
    tets.extend(crumb.tets().iter().map(|t| t.map(|v| v + start)));
    let open = Open {
        precompute: Precompute { modes: Some(2), rank: None, ..Open::default().precompute },
        ..Open::default()
    };
    let opened = open.open_mesh(MeshData::from_tets(vertices, tets), &mut ignore_progress).expect("a body");
    assert!(opened.model.recipe().fixed[0].vertices.iter().all(|v| *v < start));
    assert!(
        says(&opened.notes, "the main part only") && says(&opened.notes, "1 of 2 parts is loose"),
        "{:?}",
        opened.notes
    );
    // The same of the model.
    let again = open
        .open_contents(Contents::Model(opened.model), &mut |_, _| (), &mut ignore_progress)
        .expect("a model");
    assert!(says(&again.notes, "1 of 2 parts is loose"), "{:?}", again.notes);
}

#[test]
fn thin_legs_hold_the_body_that_stands_on_them() {
    let body = pliant_mesh::shapes::limbed::Limbed { seed: 4, limbs: 4, handles: 0, thickness: 0.06 };
    let open = Open { tets: 3000, ..Open::default() };
    let made = open.prepare(body.surface().0.into_data(), &mut ignore_progress).expect("a body");
    assert!(!made.differs && pliant_mesh::loose::main_part(&made.mesh).is_none(), "{:?}", made.notes);
    assert!(says(&made.notes, "thickened to"), "{:?}", made.notes);
}

#[test]
fn a_draft_moves_as_the_finished_body_and_goes_over_into_it() {
    let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.2, 0.2), [10, 2, 2]).into_data();
    let open = Open { holding: Holding::These(vec!["x<1%".into()]), ..Open::default() };
    let mut drafts = Vec::new();
    let contents = Contents::Mesh { mesh: bar, notes: Vec::new() };
    let (opened, carry) = open
        .open_drafted(contents, &mut |_, _| (), &mut |draft| drafts.push(draft.model), &mut ignore_progress)
        .expect("a body");
    let (model, carry) = (opened.model, carry.expect("there was a draft"));
    let [draft] = &drafts[..] else { panic!("{} drafts", drafts.len()) };
    assert_eq!((draft.rank(), draft.force().name()), (8, "linear"));
    assert_eq!(draft.frequencies_hz(), model.frequencies_hz(), "as stiff and as heavy");
    // The modes are among the shapes of the finished one: nothing jumps.
    let q: Vec<f64> = (0..8).map(|k| 0.01 * (1.0 + k as f64).sin()).collect();
    let (mut before, mut after) = (vec![0.0; draft.basis().size()], vec![0.0; draft.basis().size()]);
    draft.basis().expand(&q, &mut before);
    model.basis().expand(&carry.apply(&q), &mut after);
    let largest = before.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let off = before.iter().zip(&after).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(off < 1e-9 * largest, "{off} of {largest}");
}

#[test]
fn a_file_is_turned_upright_and_made_as_long_as_it_is_meant() {
    let bar = || shapes::bar(Vec3::new(20.0, 30.0, 155.0), [2, 3, 10]).boundary().into_data();
    let open = Open { up: Up::Z, size: Some(1.55), tets: 300, ..Open::default() };
    let made = open.prepare(bar(), &mut ignore_progress).expect("a body");
    let [low, high] = made.mesh.attributes.embedded.as_ref().map_or(made.mesh.bounds(), |fine| {
        let empty = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
        fine.vertices.iter().fold(empty, |[low, high], p| [low.inf(p), high.sup(p)])
    });
    assert!(((high - low) - Vec3::new(0.2, 1.55, 0.3)).norm() < 1e-9, "{}", high - low);
    for (_, up) in Up::ALL {
        let turn = up.turn();
        assert!((turn.determinant() - 1.0).abs() < 1e-15 && turn.row(1).amax() == 1.0, "{up:?}");
    }
    assert_eq!(Up::Z.turn() * Vec3::z(), Vec3::y());
    assert_eq!(Up::MinusX.turn() * -Vec3::x(), Vec3::y());
    // As it came it keeps its size, and a sentence proposes another.
    let kept = Open { tets: 300, ..Open::default() }.prepare(bar(), &mut ignore_progress).expect("a body");
    assert!(says(&kept.notes, "it is 155 m long") && says(&kept.notes, "in centimetres it is 1.55 m"));
    assert_eq!(proposed(0.7), None);
    assert_eq!(proposed(2e-6), Some(Proposal { length: 0.3, unit: None }));
    assert_eq!(proposed(300.0).and_then(|p| p.unit), Some("centimetres"));
    assert_eq!(proposed(1500.0).and_then(|p| p.unit), Some("millimetres"));
}

#[test]
fn a_body_is_held_where_it_is_asked_for() {
    let held = |mesh: MeshData, holding: Holding| {
        let made = Open { holding, tets: 300, ..Open::default() }.prepare(mesh, &mut ignore_progress);
        let made = made.expect("a body");
        let vertices = made.recipe.fixed.first().map_or(&[][..], |fixed| &fixed.vertices).iter();
        vertices.map(|v| made.mesh.vertices[*v as usize]).collect::<Vec<Vec3>>()
    };
    let solid = || shapes::bar(Vec3::new(0.2, 0.3, 0.2), [2, 6, 2]).into_data();
    let bottom = held(solid(), Holding::Bottom);
    assert!(bottom.len() == 9 && bottom.iter().all(|p| p.y == 0.0), "{bottom:?}");
    let top = held(solid(), Holding::Top);
    assert!(top.len() == 9 && top.iter().all(|p| p.y == 0.3), "{top:?}");
    assert!(held(solid(), Holding::These(Vec::new())).is_empty());
    // A sheet that stands hangs by its two upper corners, one that lies is held at all four.
    let entry = shapes::find("cloth").expect("a shape");
    let options = shapes::ShapeOptions { subdivision: Some(8), ..Default::default() };
    let mut sheet = entry.make(&options, &mut ignore_progress).expect("a sheet");
    sheet.attributes.sets.clear();
    let upright = |p: &Vec3| Vec3::new(p.x, p.y.abs().max(p.z), 0.0);
    let standing = MeshData { vertices: sheet.vertices.iter().map(upright).collect(), ..sheet.clone() };
    let [low, high] = standing.bounds();
    let corners = held(standing, Holding::Corners);
    assert!(corners.len() == 2 && corners.iter().all(|p| p.y == high.y), "{corners:?} of {low} {high}");
    assert_eq!(held(sheet, Holding::Corners).len(), 4);
}

#[test]
fn a_model_is_opened_again_as_another_form_and_held_where_it_was() {
    let open = Open { tets: 300, ..Open::default() };
    let solid = open.open_mesh(cube().into_data(), &mut ignore_progress).expect("a body").model;
    let surface = source(&solid);
    assert_eq!((surface.kind(), surface.vertices.len()), (Kind::Triangles, cube().vertices().len()));
    let pinned = (0..surface.vertices.len() as u32).filter(|p| solid.surface_basis().is_held(*p as usize));
    let pinned: Vec<u32> = pinned.collect();
    assert!(!pinned.is_empty());
    let shell = Open { form: Form::Shell, holding: Holding::Shown(pinned.clone()), ..open.clone() };
    let shell = shell.prepare(surface.clone(), &mut ignore_progress).expect("a body");
    assert_eq!(shell.mesh.kind(), Kind::Triangles);
    assert_eq!(shell.recipe.fixed[0].vertices, pinned);
    let cage = Open { form: Form::Cage, ..open.clone() };
    let cage = cage.prepare(surface, &mut ignore_progress).expect("a body");
    let volume = |mesh: &MeshData| TetMesh::reoriented(mesh.clone()).expect("a solid").0.volume();
    assert!(volume(&cage.mesh) > volume(solid.mesh()), "a cage is larger than what it holds");
    assert_eq!(forms(&source(&solid)), [Form::Solid, Form::Shell, Form::Cage]);
    assert_eq!(
        forms(&without(&|p| p.y > 0.299)),
        [Form::Shell, Form::Cage],
        "without its lid nothing can be filled"
    );
    assert_eq!(forms(&shapes::ball(0.3, 2).into_data()), [Form::Solid, Form::Shell]);
    let skin = Open { form: Form::Shell, ..open };
    let skin = skin.prepare(shapes::ball(0.3, 2).into_data(), &mut ignore_progress).expect("a body");
    assert_eq!(skin.mesh.kind(), Kind::Triangles);
}
