//! Between a file and the first frame the energy of a body is made once: it is the largest thing there is.

#![expect(non_snake_case, reason = "F is the papers' letter")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pliant_energy::material::{self, Isotropic, Material, Stiffness9};
use pliant_energy::{Recipe, shell};
use pliant_linalg::{Mat3, Vec3, ignore_progress};
use pliant_mesh::{MeshData, io, shapes};
use pliant_reduce::{Model, Precompute};
use pliant_world::{Open, World};

/// Laws that something was computed with, each once. A law is also made to see whether its constants make one; that one is
/// thrown away unused.
static LAWS: AtomicUsize = AtomicUsize::new(0);

/// Energies of sheets that were made.
static SHEETS: AtomicUsize = AtomicUsize::new(0);

struct Counting {
    law: Box<dyn Material>,
    used: AtomicBool,
}

impl Counting {
    fn law(&self) -> &dyn Material {
        if !self.used.swap(true, Ordering::Relaxed) {
            LAWS.fetch_add(1, Ordering::Relaxed);
        }
        &*self.law
    }
}

impl Material for Counting {
    fn name(&self) -> &'static str {
        LAW.name
    }

    fn energy_density(&self, H: &Mat3) -> f64 {
        self.law().energy_density(H)
    }

    fn stress(&self, H: &Mat3) -> Mat3 {
        self.law().stress(H)
    }

    fn stiffness(&self, H: &Mat3) -> Stiffness9 {
        self.law().stiffness(H)
    }

    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        self.law().third_at_rest(A, B)
    }

    fn small_strain(&self) -> Isotropic {
        self.law.small_strain()
    }
}

static LAW: material::Entry = material::Entry {
    name: "counting",
    about: "stable neo-Hookean matter that counts how many laws are used",
    constants: &[],
    small_strain: None,
    make: |constants| {
        let law = (material::find("stable-neo-hookean").expect("a law of the house").make)(constants)?;
        Ok(Box::new(Counting { law, used: AtomicBool::new(false) }))
    },
};

static SHEET: shell::Entry = shell::Entry {
    name: "counting-shells",
    about: "Discrete Shells that count how often they are made",
    constants: &[],
    make: |constants, vertices, triangles| {
        SHEETS.fetch_add(1, Ordering::Relaxed);
        (shell::find("discrete-shells").expect("an energy of the house").make)(constants, vertices, triangles)
    },
};

fn open(material: &str) -> Open {
    let recipe = Recipe { material: Some(material.into()), ..Recipe::default() };
    let usual = Open::default();
    let precompute =
        Precompute { modes: Some(4), rank: Some(8), poses: Some(20), ..usual.precompute.clone() };
    Open { tets: 600, recipe, precompute, ..usual }
}

fn saved(folder: &Path, mesh: &MeshData) -> PathBuf {
    let path = folder.join("body.obj");
    io::save(&path, mesh, None).expect("a file");
    path
}

/// From the file to the first frame, and again from the model; `count` tells how many energies each took.
fn first_frames(open: &Open, mesh: &MeshData, count: &AtomicUsize) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = saved(folder.path(), mesh);
    let frame = |model: Model| {
        let mut world = World::default();
        world.add_model(model).expect("a body");
        assert!(world.advance(1.0 / 60.0).steps > 0);
    };
    let opened = open.open(&io::Source::open(&path).expect("a file"), &mut ignore_progress).expect("a body");
    assert!(opened.notes.iter().any(|note| note.contains("stiffness was chosen")), "{:?}", opened.notes);
    let kept = folder.path().join("body.pliant");
    opened.model.write(&kept).expect("a file");
    frame(opened.model);
    assert_eq!(count.swap(0, Ordering::Relaxed), 1, "of a mesh");
    let opened = open.open_file(&kept, &mut ignore_progress).expect("a body");
    frame(opened.model);
    assert_eq!(count.swap(0, Ordering::Relaxed), 1, "of a model");
}

#[test]
fn a_dropped_solid_makes_its_energy_once() {
    material::ALL.add(&LAW).expect("a new name");
    let cube = shapes::bar(Vec3::new(0.2, 0.3, 0.2), [3, 4, 3]).boundary();
    first_frames(&open(LAW.name), &cube.into_data(), &LAWS);
}

#[test]
fn a_dropped_sheet_makes_its_energy_once() {
    shell::ALL.add(&SHEET).expect("a new name");
    let options = shapes::ShapeOptions { subdivision: Some(8), ..Default::default() };
    let cloth =
        shapes::find("cloth").expect("a shape").make(&options, &mut ignore_progress).expect("a sheet");
    first_frames(&open(SHEET.name), &cloth, &SHEETS);
}
