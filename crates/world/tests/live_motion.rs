//! The steps of a live body make Newmark's motion: what they leave out cannot be seen.

use std::sync::Arc;

use pliant_dynamics::Options;
use pliant_energy::Recipe;
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::shapes::{self, ShapeOptions};
use pliant_mesh::{MeshData, select};
use pliant_reduce::{Model, Precompute};
use pliant_sim::LiveOptions;
use pliant_world::{LiveBody, World, suiting};

fn model(mesh: MeshData, held: bool) -> Arc<Model> {
    let fixed = if held { vec![select::select(&mesh, "y<5%").expect("a slab")] } else { Vec::new() };
    let recipe = Recipe { fixed, ..Recipe::default() };
    let precompute = Precompute { modes: Some(8), rank: Some(44), poses: Some(100), ..Precompute::default() };
    precompute.build(mesh, recipe, &mut ignore_progress).expect("a model").model.into()
}

/// Where the shown surface is after each tenth step of a walk.
fn walk(model: &Arc<Model>, options: &LiveOptions) -> Vec<Vec<f64>> {
    let mut world = World::new(1.0 / 240.0);
    let body = LiveBody::with_options(model.clone(), options).expect("a body");
    let surface = body.surface().clone();
    let reach = |v: &usize| surface.vertex(*v).iter().map(|x| x * x).sum::<f64>();
    let vertex = (0..surface.len()).max_by(|a, b| reach(a).total_cmp(&reach(b))).expect("a surface") as u32;
    let (home, length) = (body.place(vertex).expect("a vertex"), model.longest_side());
    let id = world.add(Box::new(body));
    let mut hand = Some(world.grab(id, vertex, home).expect("a hand"));
    let mut frames = Vec::new();
    for step in 0..480 {
        let t = f64::from(step) / 240.0;
        if step == 300
            && let Some(hand) = hand.take()
        {
            world.release(hand).expect("let go");
        }
        if let Some(hand) = hand {
            let way = Vec3::new((7.0 * t).sin(), 0.5 * (5.0 * t).sin(), 1.0 - (4.0 * t).cos());
            world.drag(hand, home + way * (0.15 * length)).expect("dragged");
        }
        assert_eq!(world.step(), 0, "step {step}");
        if step % 10 == 9 {
            let mut x = vec![0.0; 3 * surface.len()];
            world.surface_f64(id, &mut x).expect("a surface");
            frames.push(x);
        }
    }
    frames
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_live_body_moves_as_newmarks_method_says() {
    let dino = shapes::find("dino").expect("a shape").make(&ShapeOptions::default(), &mut ignore_progress);
    let mesh = dino.expect("a dinosaur");
    for held in [true, false] {
        let model = model(mesh.clone(), held);
        let length = model.longest_side();
        let suited = suiting(&model);
        let exact = Options { tolerance: 1e-9, least_correction: None, iterations: None, halvings: 4 };
        let exact = LiveOptions { integrator: "newmark".into(), solver: exact, ..suited.clone() };
        let truth = walk(&model, &exact);
        let ours = walk(&model, &suited);
        let off = truth.iter().zip(&ours).map(|(a, b)| apart(a, b) / length).fold(0.0, f64::max);
        // A body that is free keeps every error of its speed.
        let limit = if held { 3e-4 } else { 2e-2 };
        assert!(off < limit, "held {held}: off by {off:e} of its length");
        let far = truth.iter().map(|x| apart(x, &truth[0]) / length).fold(0.0, f64::max);
        assert!(far > 0.05, "it hardly moves: {far}");
    }
}
