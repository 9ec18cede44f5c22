//! A program adds a force and a basis of its own, each from one file and one line, and all that reads the tables knows
//! them.

mod toy_basis;
mod toy_force;

use std::path::Path;

use pliant_energy::Recipe;
use pliant_linalg::{DenseSymmetric, Vec3, ignore_progress};
use pliant_mesh::{select, shapes};
use pliant_reduce::{Model, Precompute, basis, force};

#[test]
fn a_force_and_a_basis_of_a_program_work_like_those_of_the_house() {
    let bar = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [3, 1, 1]).into_data();
    let fixed = vec![select::select(&bar, "x<5%").expect("a slab")];
    let recipe = Recipe { fixed, ..Recipe::default() };
    let ask = Precompute {
        basis: "toy-halves".into(),
        forces: Some("toy-stiffening".into()),
        modes: Some(6),
        ..Precompute::default()
    };
    let build = |ask: &Precompute| ask.build(bar.clone(), recipe.clone(), &mut ignore_progress);
    let early = build(&ask).expect_err("nobody added them").to_string();
    assert!(early.contains("there is no force \"toy-stiffening\"; there are: projected"), "{early}");

    force::ALL.add(&toy_force::ENTRY).expect("a new name");
    basis::ALL.add(&toy_basis::ENTRY).expect("a new name");

    let model = build(&ask).expect("a model").model;
    assert_eq!(
        (model.facts().basis.as_str(), model.force().name(), model.rank()),
        ("toy-halves", "toy-stiffening", 3)
    );
    assert_eq!(model.force().size("toy_terms"), Some(3));
    // W̃ = ½ qᵀK̃q + Σ c q⁴/4, written, read and cut.
    let q = [1e-3, -2e-3, 5e-4];
    let energy = |model: &Model, q: &[f64]| model.evaluator().energy(q).expect("defined everywhere");
    let linear = |model: &Model, q: &[f64]| {
        let mut f = vec![0.0; q.len()];
        model.reduced_stiffness().apply(q, &mut f);
        0.5 * q.iter().zip(&f).map(|(q, f)| q * f).sum::<f64>()
    };
    let quartic = |q: &[f64]| 0.25 * q.iter().map(|q| toy_force::HARDENING * q.powi(4)).sum::<f64>();
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} instead of {b}");
    near(energy(&model, &q), linear(&model, &q) + quartic(&q));
    let bytes = model.to_bytes().expect("a file");
    let read = Model::from_bytes(Path::new("toy"), &bytes).expect("a model");
    assert_eq!(read.to_bytes().expect("a file"), bytes);
    near(energy(&read, &q), energy(&model, &q));
    near(energy(&model.rescaled(3.0, 1.0).expect("stiffer"), &q), 3.0 * energy(&model, &q));
    let part = model.truncated(2).expect("fewer");
    near(energy(&part, &q[..2]), energy(&model, &[q[0], q[1], 0.0]));
    assert_eq!(part.force().size("toy_terms"), Some(2));

    // Its force and stiffness are derivatives of its energy.
    let mut evaluator = model.evaluator();
    let (mut f, mut stiffness, h) = (vec![0.0; 3], DenseSymmetric::zeros(3), 1e-6);
    evaluator.force(&q, &mut f).expect("defined");
    evaluator.stiffness(&q, pliant_energy::Tangent::Exact, &mut stiffness).expect("defined");
    for i in 0..3 {
        let at = |h: f64| {
            let mut moved = q;
            moved[i] += h;
            energy(&model, &moved)
        };
        let (first, second) = ((at(h) - at(-h)) / (2.0 * h), (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h));
        assert!((first - f[i]).abs() < 1e-6 * f[i].abs().max(1.0), "{first} instead of {}", f[i]);
        assert!(
            (second / stiffness.get(i, i) - 1.0).abs() < 1e-3,
            "{second} instead of {}",
            stiffness.get(i, i)
        );
    }

    // A file that names a force nobody has added is refused by that name.
    let mut other = bytes.clone();
    let name = b"toy-stiffening";
    let place = other.windows(name.len()).position(|w| w == name).expect("its name");
    other[place..place + name.len()].copy_from_slice(b"toy-stiffenung");
    pliant_reduce::model::seal(&mut other);
    let error = Model::from_bytes(Path::new("toy"), &other).expect_err("unknown").to_string();
    assert!(
        error.contains("there is no force \"toy-stiffenung\"") && error.contains("toy-stiffening"),
        "{error}"
    );
}
