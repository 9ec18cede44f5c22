//! A frame of an editor takes no memory.

use pliant_edit::{Editor, Options, Transform};
use pliant_energy::Recipe;
use pliant_linalg::Vec3;
use pliant_mesh::{select, shapes};
use pliant_reduce::Precompute;
use pliant_testkit::counting::{Counting, taken};
use std::sync::Arc;

#[global_allocator]
static HEAP: Counting = Counting;

#[test]
fn a_frame_after_the_first_takes_no_memory() {
    let mesh = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [8, 3, 3]).boundary().into_data();
    let select = |words: &str| select::select(&mesh, words).expect("a selection").vertices;
    let (left, right) = (select("x<15%"), select("x>85%"));
    for forces in ["ghost", "cubature"] {
        let precompute = Precompute {
            modes: Some(6),
            rank: Some(24),
            forces: Some(forces.into()),
            ..Precompute::default()
        };
        let made = precompute.build_quietly(mesh.clone(), Recipe::default()).expect("a model");
        let model = Arc::new(made.model);
        for solver in ["bfgs", "newton", "bfgs-cold", "steepest"] {
            let options = Options { solver: solver.into(), iterations: 20, ..Options::default() };
            let mut editor = Editor::new(model.clone(), &options).expect("an editor");
            editor.add(&left).expect("a handle");
            let hand = editor.add(&right).expect("a handle");
            let mut frame = |k: i32| {
                let turn = Transform::turn(&Vec3::x(), 0.1 * f64::from(k), &Vec3::new(0.0, 0.1, 0.1));
                editor.place(hand, &turn).expect("there");
                editor.solve().iterations
            };
            frame(1);
            let before = taken();
            let iterations: usize = (2..8).map(&mut frame).sum();
            assert_eq!((taken() - before, iterations > 6), (0, true), "{forces}, {solver}: {iterations}");
        }
    }
}
