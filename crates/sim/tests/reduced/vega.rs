//! Another program's reduced trajectory, in its own basis: figures of VegaFEM 4, where they are shared.

use std::path::Path;

use pliant_dynamics::{Damping, DampingKind, Options, Start};
use pliant_energy::Recipe;
use pliant_energy::load::{Loads, NodalForce};
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::{io, select};
use pliant_reduce::Basis;
use pliant_sim::{Reduced, RunOptions, Scenario, run};
use serde_json::Value;

use crate::make;

#[test]
fn vegas_reduced_trajectory_in_its_own_basis() {
    let Some(data) = pliant_testkit::shared::data() else { return };
    let reference = data.join("../reference/vega");
    let basis = read(&reference.join("beam3_reference_basis.json"));
    let columns: Vec<f64> = basis["columns"].as_array().expect("columns").iter().flat_map(numbers).collect();
    let basis = Basis::from_columns(&columns, 624);
    let mesh = io::load(&data.join("tets/beam3/beam3_tet.veg")).unwrap().mesh;
    let fixed = select::select(&mesh, &data.join("tets/beam3/beam3.bou").display().to_string()).unwrap();
    let recipe = Recipe { material: Some("stvk".into()), fixed: vec![fixed], ..Recipe::default() };
    let cubic = make::polynomial(&recipe.build(mesh.clone()).unwrap(), &basis);
    let runs =
        [make::projected(), cubic].into_iter().flat_map(|f| ["undamped", "damped"].map(|w| (f.clone(), w)));
    for (force, which) in runs {
        let name = force.name();
        let model = make::model(mesh.clone(), recipe.clone(), basis.clone(), force);
        let settings = &read(&reference.join(format!("beam3_traj_{which}.json")))["integrator"];
        let theirs = read(&reference.join(format!("beam3_traj_{which}_reduced_mass_and_q.json")));
        let mass = numbers(&theirs["reduced_mass_colmajor"]);
        for i in 0..20 {
            for j in i..20 {
                let (a, b) = (model.reduced_mass().get(i, j), mass[20 * j + i]);
                assert!((a - b).abs() < 1e-10, "mass ({i}, {j}): {a} and {b}");
            }
        }
        let number = |key: &str| settings[key].as_f64().expect("a number");
        let damping =
            Damping { mass: number("alpha"), stiffness: number("beta_damp"), kind: DampingKind::Tangent };
        let forces = vec![NodalForce::always(vec![0, 1], Vec3::new(2.0, 0.0, 10.0))];
        // It starts with a = 0 although a load acts.
        let scenario = Scenario {
            dt: number("dt"),
            steps: number("steps") as usize,
            loads: Loads { forces, ..Loads::default() },
            damping,
            start: Start::Zero,
            initial: None,
            probes: Vec::new(),
        };
        let mut reduced = Reduced::new(model.clone(), &scenario.loads).unwrap();
        let mut ours = Vec::new();
        let solver = Options { tolerance: 1e-10, ..Options::default() };
        let options = RunOptions { integrator: "newmark".into(), solver };
        let record = run(&mut reduced, &scenario, &options, None, &mut ignore_progress, &mut |frame| {
            ours.push(frame.q.to_vec());
        });
        assert!(record.unwrap().stopped.is_none());
        let theirs = numbers(&theirs["q_all_steps"]);
        let (mut worst, mut peak) = (0f64, 0f64);
        for (a, b) in ours[1..].iter().zip(theirs.chunks_exact(20)) {
            let off: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
            let mut u = vec![0.0; 624];
            basis.expand(&off, &mut u);
            worst = u.iter().fold(worst, |m, x| m.max(x.abs()));
            basis.expand(b, &mut u);
            peak = u.iter().fold(peak, |m, x| m.max(x.abs()));
        }
        assert_eq!((ours.len(), theirs.len()), (201, 4000));
        assert!(
            peak > 0.3 && worst < 1e-6 * peak,
            "{name}, {which}: {:.1e} of the peak, {peak} m",
            worst / peak
        );
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a reference")).expect("JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}
