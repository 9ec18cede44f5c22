//! What cannot be done is said before anything is computed, with what would work.

use pliant_edit::{Editor, Handle, Options, Request, Transform, check, read};
use pliant_energy::Recipe;
use pliant_linalg::Vec3;
use pliant_mesh::select;

use crate::make::{Made, shell, small};

#[test]
fn handles_that_cannot_act_are_refused() {
    let free = shell([4, 2, 2]);
    let fixed = vec![select::select(&free.mesh, "x<1%").expect("a selection")];
    let held = Made::new(free.mesh.clone(), Recipe { fixed, ..Recipe::default() });
    let shift = Transform::shift(Vec3::y());
    let (left, right) = (free.select("x<1%"), free.select("x>99%"));
    let moved = |vertices: &[u32]| Handle::moves("hand", vertices.to_vec(), &shift, &free.mesh);
    for (made, handles, words) in [
        (&free, vec![], "there is no handle"),
        (&free, vec![Handle::stays("foot", vec![])], "\"foot\" has no vertices"),
        (&held, vec![moved(&left)], "is fixed and cannot move"),
        (&held, vec![Handle::stays("foot", left.clone())], "is fixed and cannot move"),
        (&free, vec![moved(&right), Handle::stays("foot", right[..1].to_vec())], "in two handles"),
        (&free, vec![Handle::stays("hand", vec![9999])], "no vertex 9999"),
    ] {
        let told = check(&handles, &made.body).expect_err("refused").to_string();
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(check(&[moved(&right)], &held.body).is_ok());
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let options = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        options.check().expect_err("refused").to_string()
    };
    assert!(options(|o| o.solver = "none".into()).contains("newton, bfgs"));
    assert!(options(|o| o.epsilon = 2.0).contains("epsilon"));
    assert!(options(|o| o.iterations = 0).contains("iterations"));
    assert!(options(|o| o.stiffness = Some(-1.0)).contains("stiffness of handles is -1"));
    let steps = Request { steps: Some(0), ..Request::default() }.check().expect_err("refused").to_string();
    assert!(steps.contains("0 steps"), "{steps}");
    let cold = Options { solver: "bfgs-cold".into(), ..Options::default() };
    let told = Request { options: cold, full: true, ..Request::default() }.check().expect_err("refused");
    assert!(told.to_string().contains("no body at full order has room for"), "{told}");
}

#[test]
fn an_editor_refuses_what_is_not_there() {
    let made = shell([4, 2, 2]);
    let mut editor = Editor::new(made.model(&small("ghost")), &Options::default()).expect("an editor");
    let hand = editor.add(&[1, 2]).expect("a handle");
    assert!(editor.add(&[2, 3]).is_err() && editor.add(&[]).is_err() && editor.add(&[u32::MAX]).is_err());
    assert_eq!(editor.handles().len(), 1, "what was refused is not there");
    let nan = Transform::shift(Vec3::x() * f64::NAN);
    assert!(editor.place(hand, &nan).is_err() && editor.go_to(&[0.0]).is_err());
    editor.remove(hand).expect("there");
    assert!(editor.remove(hand).is_err() && editor.place(hand, &Transform::default()).is_err());
    // Without a handle there is nothing to do.
    assert!(editor.solve().converged());
}

#[test]
fn files_are_found_beside_each_other_or_missed_by_name() {
    let made = shell([2, 1, 1]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.def"), "1 0 0 0\n0 1 0 1\n0 0 1 0\n0 0 0 1\n").expect("written");
    let told = read(&path("a.def"), &made.mesh, 1.0).expect_err("no .sel").to_string();
    assert!(told.contains("a.sel"), "{told}");
    let labels: String = (0..made.mesh.vertices.len()).map(|v| format!("{}\n", [0, 1, 2][v % 3])).collect();
    std::fs::write(path("a.sel"), labels).expect("written");
    assert_eq!(read(&path("a.def"), &made.mesh, 1.0).expect("handles").len(), 2);
    let told = read(&path("a.json"), &made.mesh, 1.0).expect_err("another ending").to_string();
    assert!(told.contains(".toml"), "{told}");
    std::fs::write(path("a.toml"), [0xff, 0xfe, 0x00]).expect("written");
    let told = read(&path("a.toml"), &made.mesh, 1.0).expect_err("no text").to_string();
    assert!(told.contains("no text"), "{told}");
}
