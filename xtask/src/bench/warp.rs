//! Rotation-strain warping: full order beside SimKit (PyPI), few coordinates beside that, on meshes of several sizes.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::tools;

/// Mesh below the shared data, what is held, basis, poses of the training.
const RUNS: &[(&str, &str, &str, &str)] = &[
    ("tets/asianDragon/asianDragon.veg", "y<5%", "extended", "200"),
    ("tets/armadillo_35k.mesh", "y<5%", "extended", "200"),
    ("tets/armadillo_35k.mesh", "y<5%", "warped", "200"),
    ("surfaces/own_cactus_like.obj", "z<5%", "extended", "200"),
    ("surfaces/own_cactus_like.obj", "z<5%", "warped", "200"),
    (PEER, "y<5%", "extended", "60"),
    (FINEST, "y<5%", "extended", "30"),
];

/// The mesh that SimKit warps as well.
const PEER: &str = "tets/armadillo_157k.mesh";

/// A mesh that is made here.
const FINEST: &str = "armadillo_696k.mesh";

/// `cargo xtask bench warp`: this section alone, written into `docs/benchmarks.md`.
pub(crate) fn run() -> anyhow::Result<bool> {
    let data = tools::shared_data().context("the meshes are not there")?;
    crate::bench::replace_section(&section(&data)?)
}

/// A section of the page.
pub(crate) fn section(data: &Path) -> anyhow::Result<String> {
    let program = tools::bench("pliant-reduce", "warp")?;
    let python = tools::python_in("python-warp", &["numpy", "scipy", "simkit==0.1.8"])?;
    let folder = tools::scratch("warp")?;
    let mut page = String::from(
        "## Warping, against SimKit\n\nFifteen modes, 150 points, poses of 0.3 of the longest side, two threads (the reduced warp takes one). Errors are by mass, against the warp of all \
         vertices on fresh poses; the second is what the basis alone leaves. Full order is one warp with its factorisation at hand, and so \
         is SimKit's (`rotation_strain_coordinates` with its `RSPrecompute`, penalty pins), in the same run; both see the same displacement.\n\n\
         | mesh | elements | basis | r | validation error | of that the basis | factorised in | full order | reduced |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mut beside = String::new();
    let finest = crate::bench::reduce::refined(data, &folder, "2", FINEST)?;
    for &(mesh, hold, basis, poses) in RUNS {
        let file = if mesh == FINEST { finest.clone() } else { data.join(mesh) };
        let mut command = Command::new(&program);
        command.env("RAYON_NUM_THREADS", "2").arg(file).args([hold, basis, "15", "150", poses]).arg(&folder);
        let ours: Value = serde_json::from_str(&tools::output(&mut command)?)?;
        let number = |v: &Value, key: &str| v[key].as_f64().with_context(|| format!("{key} of a run"));
        let (full, few) = (number(&ours, "full")?, number(&ours, "reduced")?);
        let _ = writeln!(
            page,
            "| `{mesh}` | {} | {basis} | {} | {:.2} % | {:.2} % | {:.2} s | {:.1} ms | {:.1} µs |",
            ours["elements"],
            ours["rank"],
            100.0 * number(&ours, "validation")?,
            100.0 * number(&ours, "basis")?,
            number(&ours, "prepare")?,
            1e3 * full,
            1e6 * few
        );
        if mesh == PEER {
            let mut command = Command::new(&python);
            command.arg(tools::root().join("xtask/src/warp_peer.py")).arg(&folder);
            let theirs: Value = serde_json::from_str(&tools::output(&mut command)?)?;
            let (other, apart) = (number(&theirs, "full")?, number(&theirs, "apart")?);
            // Penalty pins give way by as much.
            if apart > 1e-4 {
                bail!("SimKit's warp of {mesh} differs by {apart:.1e} of the longest side");
            }
            let _ = writeln!(
                beside,
                "\nSimKit warps `{mesh}` in {:.0} ms (factorised in {:.1} s), {:.0} times as long as full order and {:.0} times as long as \
                 the reduced warp; the two results differ by {apart:.0e} of the longest side.",
                1e3 * other,
                number(&theirs, "prepare")?,
                other / full,
                other / few
            );
        }
    }
    Ok(page + &beside)
}
