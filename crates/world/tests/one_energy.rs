//! Between a file and the first frame the energy of a body is made once: it is the largest thing there is.

use std::sync::atomic::{AtomicUsize, Ordering};

use pliant_energy::Recipe;
use pliant_energy::material::{ALL, Entry};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::{io, shapes};
use pliant_reduce::{Model, Precompute};
use pliant_world::{Open, World};

static MADE: AtomicUsize = AtomicUsize::new(0);

static ENTRY: Entry = Entry {
    name: "counting",
    about: "stable neo-Hookean matter that counts how often it is made",
    constants: &[],
    small_strain: None,
    make: |constants| {
        MADE.fetch_add(1, Ordering::Relaxed);
        (ALL.find("stable-neo-hookean").expect("a material of the house").make)(constants)
    },
};

fn made() -> usize {
    MADE.swap(0, Ordering::Relaxed)
}

#[test]
fn a_dropped_file_makes_its_energy_once() {
    ALL.add(&ENTRY).expect("a new name");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cube.obj");
    let cube = shapes::bar(Vec3::new(0.2, 0.3, 0.2), [3, 4, 3]).boundary();
    io::save(&path, &cube.into_data(), None).expect("a file");
    let recipe = Recipe { material: Some("counting".into()), ..Recipe::default() };
    let usual = Open::default();
    let precompute =
        Precompute { modes: Some(4), rank: Some(8), poses: Some(20), ..usual.precompute.clone() };
    let open = Open { tets: 600, recipe, precompute, ..usual };
    let opened = open.open(&io::Source::open(&path).expect("a file"), &mut ignore_progress).expect("a body");
    assert!(opened.notes.iter().any(|note| note.contains("stiffness was chosen")), "{:?}", opened.notes);
    let kept = folder.path().join("cube.pliant");
    opened.model.write(&kept).expect("a file");
    let mut world = World::default();
    world.add_model(opened.model).expect("a body");
    assert!(world.advance(1.0 / 60.0).steps > 0);
    assert_eq!(made(), 1, "a mesh");
    // A model that was kept.
    let mut world = World::default();
    let opened = open.open_file(&kept, &mut ignore_progress).expect("a body");
    world.add_model(opened.model).expect("a body");
    assert!(world.advance(1.0 / 60.0).steps > 0);
    assert_eq!(made(), 1, "a model");
    drop(Model::read(&kept).expect("a model").body().expect("a body"));
    assert_eq!(made(), 2, "the count can count");
}
