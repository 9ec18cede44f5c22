//! Example 8: a scenario to GLB. A motion for Blender and viewers, and the scenario as a file that the command line repeats.
//!
//! Shows: a scenario with a force and a probe, `run_frames`, the motion of a reduced model as a GLB file, TOML.
//! Run:   cargo run --release --example ex08_scenario_to_glb -- FOLDER    (without: the temporary folder)
//! Picture: it writes swing.glb, which every glTF viewer plays, and swing.toml.
//! Read next: docs/first-hour.md, and `pliant simulate --help`.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use pliant::prelude::*;

/// With the folder that the command line names.
pub fn main() -> Result<(), Box<dyn Error>> {
    show(std::env::args_os().nth(1).map(PathBuf::from))
}

/// The whole of it.
pub fn show(folder: Option<PathBuf>) -> Result<(), Box<dyn Error>> {
    let folder = folder.unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&folder)?;
    let bar = shapes::bar(Vec3::new(0.5, 0.05, 0.05), [10, 1, 1]).into_data();
    let fixed = vec![select(&bar, "x<1%")?];
    let tip = select(&bar, "x>99%")?.vertices[0];
    let ask = Precompute { modes: Some(4), rank: Some(10), poses: Some(60), ..Precompute::default() };
    let model = Arc::new(ask.build_quietly(bar, Recipe { fixed, ..Recipe::default() })?.model);

    let mut scenario = Scenario::new(1.0 / 60.0, 120);
    scenario.damping.stiffness = 0.01;
    let push = NodalForce { vertices: vec![tip], value: Vec3::new(0.0, 0.3, 0.1), from: 0.0, to: 0.5 };
    scenario.loads.add(Arc::new(push));
    scenario.probes.push(Probe { name: "tip".into(), vertex: tip });

    let mut reduced = Reduced::new(model.clone(), &scenario.loads)?;
    let record = run_quietly(&mut reduced, &scenario, &RunOptions::default())?;
    let q = record.frames.concat();
    let motion = io::motion::ReducedMotion {
        rest: model.mesh(),
        times: &record.times,
        basis: model.basis().rows(),
        rank: model.rank(),
        q: &q,
        series: &[],
    };
    let (bytes, _) = io::motion::glb_bytes_quietly(&motion)?;
    assert!(bytes.starts_with(b"glTF") && record.times.len() == 121);
    let path = folder.join("swing.glb");
    std::fs::write(&path, &bytes)?;
    std::fs::write(folder.join("swing.toml"), scenario.to_toml()?)?;
    println!("{}: {} frames, {} kB", path.display(), record.times.len(), bytes.len() / 1000);

    // Pushed up for half a second, then it swings back; what was written says the same again.
    let tip = &record.probes[0].1;
    assert!(tip[25][1] > 1e-3 && tip[120][1].abs() < tip[25][1], "{:?} {:?}", tip[25], tip[120]);
    let again = Scenario::parse(&scenario.to_toml()?, model.mesh().vertices.len())?;
    assert_eq!((again.steps, again.probes.len()), (120, 1));
    Ok(())
}
