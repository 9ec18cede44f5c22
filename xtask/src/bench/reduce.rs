//! `cargo xtask bench reduce`: how long models take to make, and how good their cubature is against its size.
//!
//! Everything through the command line, as a user would: the seconds are those that `pliant build --json` reports.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

use crate::tools;

/// Vega's time for ten modes' derivatives of asianDragon on a machine of this kind, seconds; another machine's, so that the
/// ratio is a guide only.
const VEGA_DERIVATIVES: f64 = 0.44;

/// One row: what, seconds (or a share), the limit.
struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    limit: f64,
}

/// `cargo xtask bench reduce`: this section alone, written into `docs/benchmarks.md`.
pub(crate) fn run() -> anyhow::Result<bool> {
    crate::bench::replace_section(&section(&tools::scratch("bench")?)?)
}

pub(crate) fn section(scratch: &Path) -> anyhow::Result<String> {
    let mut page = String::from(
        "## Making models\n\nWhat `pliant build --json` reports, all cores; a limit is what the row must stay below.\n\n\
         | what | value | limit | ratio to the limit |\n|---|---|---|---|\n",
    );
    for row in rows(scratch)? {
        let Row { what, value, unit, limit } = row;
        let _ = writeln!(page, "| {what} | {value:.3} {unit} | {limit} {unit} | {:.3} |", value / limit);
    }
    page += &shells(scratch)?;
    page += &curve(scratch)?;
    page += &flat(scratch)?;
    Ok(page)
}

/// Surfaces as shells, held at one end, all defaults; scans and sheets among them that are open.
const SURFACES: &[(&str, &str)] = &[
    ("decimated-max.obj", "y>95%"),
    ("beetle.off", "y>95%"),
    ("survey_bar.off", "y>95%"),
    ("own_cloth_regular.obj", "y>95%"),
    ("own_cloth_irregular.obj", "x<2%"),
    ("bunny.off", "y<5%"),
    ("sphere.obj", "y<5%"),
];

fn shells(scratch: &Path) -> anyhow::Result<String> {
    let Some(data) = tools::shared_data() else { return Ok(String::new()) };
    let mut page = String::from(
        "\nSurfaces as shells, all defaults but for what is held: how far the force is off on fresh poses, the shapes under loads and the \
         lowest ten frequencies, and whether `build` warns. It does above 10 % on fresh poses.\n\n\
         | surface | held | points | fresh poses | under loads | frequencies | warns |\n|---|---|---|---|---|---|---|\n",
    );
    for (name, held) in SURFACES {
        let made = build(&data.join("surfaces").join(name), scratch, &["--fix", held])?;
        let percent = |key: &str| match made[key].as_f64() {
            Some(error) => format!("{:.1} %", 100.0 * error),
            None => "–".to_owned(),
        };
        let warns = made["warnings"].to_string().contains("not trained on");
        let _ = writeln!(
            page,
            "| {name} | `{held}` | {} | {} | {} | {} | {} |",
            made["cubature_points"],
            percent("validation_error"),
            percent("static_error"),
            percent("frequency_error"),
            if warns { "yes" } else { "no" }
        );
    }
    Ok(page)
}

/// The same number of points and coordinates on ever finer meshes: a step must not see the mesh.
fn flat(scratch: &Path) -> anyhow::Result<String> {
    let Some(data) = tools::shared_data() else { return Ok(String::new()) };
    let mut page = String::from(
        "\nOne Newmark step with one iteration (force, stiffness, solve), one thread, d = 135 and s = 150, stable \
         neo-Hookean, under gravity: the median of 200 steps against the size of the mesh.\n\n\
         | mesh | tets | microseconds |\n|---|---|---|\n",
    );
    let scenario = scratch.join("flat.toml");
    std::fs::write(&scenario, "dt = 0.008333333333333333\nsteps = 200\ngravity = [0.0, -9.81, 0.0]\n")?;
    let small = data.join("tets/asianDragon/asianDragon.veg");
    let meshes = [
        ("asianDragon", small),
        ("armadillo_11k", data.join("tets/armadillo_11k.mesh")),
        ("armadillo_35k", data.join("tets/armadillo_35k.mesh")),
        ("armadillo_157k", data.join("tets/armadillo_157k.mesh")),
        ("armadillo_696k", refined(&data, scratch, "2", "armadillo_696k.mesh")?),
    ];
    for (name, mesh) in meshes {
        let options = [
            "--scale-to",
            "1",
            "--fix",
            "y<5%",
            "--basis",
            "extended",
            "--modes",
            "15",
            "--cubature",
            "150",
            "--training",
            "60",
            "--material",
            "stable-neo-hookean",
        ];
        build(&mesh, scratch, &options)?;
        let model = scratch.join("bench.pliant");
        let mut run = Command::new(tools::pliant()?);
        run.args(["--json", "--quiet", "--threads", "1", "simulate"]).arg(&model).arg(&scenario);
        let ran = tools::run_answer(run.args(["--iterations", "1"]))?;
        let info = tools::output(Command::new(tools::pliant()?).args(["--json", "info"]).arg(&model))?;
        let info: Value = serde_json::from_str(&info)?;
        let median = number(&ran["microseconds_per_step"]["median"])?;
        let _ = writeln!(page, "| {name} | {} | {median:.0} |", info["elements"]);
    }
    Ok(page)
}

fn build(mesh: &Path, scratch: &Path, args: &[&str]) -> anyhow::Result<Value> {
    let pliant = tools::pliant()?;
    let model = scratch.join("bench.pliant");
    let mut command = Command::new(&pliant);
    command.args(["--json", "--quiet", "build"]).arg(mesh).arg("-o").arg(&model).args(args);
    Ok(serde_json::from_str(&tools::output(&mut command)?)?)
}

/// The seconds of several stages together.
fn stages(made: &Value, names: &[&str]) -> anyhow::Result<f64> {
    names.iter().map(|name| number(&made["stages"][name]).with_context(|| format!("stage {name:?}"))).sum()
}

/// What modal derivatives take beside the modes.
const DERIVATIVES: &[&str] = &["factorising for derivatives", "modal derivatives"];
/// What extending modes takes.
const EXTENDING: &[&str] = &["extending modes", "orthonormal basis"];

fn number(value: &Value) -> anyhow::Result<f64> {
    value.as_f64().context("a number from `pliant build`")
}

fn rows(scratch: &Path) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let dino = scratch.join("dino.veg");
    tools::output(
        Command::new(tools::pliant()?).args(["--quiet", "mesh", "--shape", "dino", "-o"]).arg(&dino),
    )?;
    let made = build(&dino, scratch, &["--fix", "y<5%"])?;
    rows.push(Row {
        what: "the dinosaur, all defaults".into(),
        value: number(&made["seconds"])?,
        unit: "s",
        limit: 5.0,
    });
    rows.push(Row {
        what: "of that, choosing components".into(),
        value: stages(&made, &["choosing components"])? / number(&made["seconds"])?,
        unit: "",
        limit: 0.5,
    });
    let cloth = scratch.join("cloth.obj");
    tools::output(
        Command::new(tools::pliant()?).args(["--quiet", "mesh", "--shape", "cloth", "-o"]).arg(&cloth),
    )?;
    let made = build(&cloth, scratch, &["--fix", "x<5%", "--accuracy", "5"])?;
    anyhow::ensure!(made["accuracy"]["met"] == true, "the cloth misses its 5 %");
    rows.push(Row {
        what: "cloth of 3,200 triangles, held at one side, `--accuracy 5`: until it is met".into(),
        value: number(&made["seconds"])?,
        unit: "s",
        limit: 60.0,
    });
    let Some(data) = tools::shared_data() else { return Ok(rows) };

    let dragon = data.join("tets/asianDragon/asianDragon.veg");
    let fix = data.join("tets/asianDragon/asianDragon.bou");
    let fix = fix.to_str().context("a path that is text")?;
    let made = build(&dragon, scratch, &["--fix", fix, "--modes", "10", "--forces", "linear"])?;
    rows.push(Row {
        what: "derivatives of 10 modes, asianDragon (a fifth of Vega's time)".into(),
        value: stages(&made, DERIVATIVES)?,
        unit: "s",
        limit: VEGA_DERIVATIVES / 5.0,
    });

    let big = data.join("tets/armadillo_157k.mesh");
    let body = ["--scale-to", "1", "--fix", "y<5%", "--modes", "15"];
    let with = |more: &[&'static str]| [&body[..], more].concat();
    let made = build(&big, scratch, &with(&["--forces", "linear"]))?;
    rows.push(Row {
        what: "derivatives of 15 modes, armadillo_157k".into(),
        value: stages(&made, DERIVATIVES)?,
        unit: "s",
        limit: 60.0,
    });
    let made = build(&big, scratch, &with(&["--basis", "extended", "--cubature", "400"]))?;
    let modes = stages(&made, &["ordering", "factorising", "modes"])?;
    rows.push(Row {
        what: "extending 15 modes over computing them, armadillo_157k".into(),
        value: stages(&made, EXTENDING)? / modes,
        unit: "",
        limit: 0.1,
    });
    rows.push(Row {
        what: "armadillo_157k, extended basis, 400 points: everything".into(),
        value: number(&made["seconds"])?,
        unit: "s",
        limit: 180.0,
    });

    let middle = refined(&data, scratch, "1", "armadillo_87k.mesh")?;
    let made = build(
        &middle,
        scratch,
        &with(&[
            "--basis",
            "extended",
            "--cubature",
            "150",
            "--training",
            "1000",
            "--material",
            "stvk",
            "--forces",
            "cubature",
        ]),
    )?;
    for (stage, limit) in [("training forces", 60.0), ("choosing components", 15.0)] {
        rows.push(Row {
            what: format!("cubature of armadillo_87k, d = 135, s = 150, 1000 poses: {stage}"),
            value: stages(&made, &[stage])?,
            unit: "s",
            limit,
        });
    }
    rows.push(Row {
        what: "the same: memory of the whole process".into(),
        value: number(&made["peak_memory_mb"])?,
        unit: "MB",
        limit: 2048.0,
    });
    Ok(rows)
}

/// The armadillo with every tet cut into eight: 86,984 tets, or so often.
pub(crate) fn refined(data: &Path, scratch: &Path, times: &str, name: &str) -> anyhow::Result<PathBuf> {
    let out = scratch.join(name);
    let python = tools::python(&["numpy"])?;
    tools::output(
        Command::new(python)
            .arg(data.join("scripts/refine_tets.py"))
            .arg(data.join("tets/armadillo_11k.mesh"))
            .arg(times)
            .arg(&out),
    )?;
    Ok(out)
}

/// Error against the number of points.
fn curve(scratch: &Path) -> anyhow::Result<String> {
    let Some(data) = tools::shared_data() else { return Ok(String::new()) };
    let mesh = refined(&data, scratch, "1", "armadillo_87k.mesh")?;
    let mut page = String::from(
        "\nCubature of the armadillo with 86,984 tets, St. Venant-Kirchhoff, extended basis of 15 modes (d = 135), 500 poses \
         of 0.1 of the body: the error of T14 eq. 3.7 in training and on 500 fresh poses. The limit is 6 % at 400 points, \
         and 1.5 for the ratio of the two.\n\n| points | training | fresh poses | ratio |\n|---|---|---|---|\n",
    );
    let body = [
        "--scale-to",
        "1",
        "--fix",
        "y<5%",
        "--basis",
        "extended",
        "--modes",
        "15",
        "--material",
        "stvk",
        "--forces",
        "cubature",
    ];
    for points in ["50", "100", "150", "200", "300", "400", "500", "600"] {
        let made = build(&mesh, scratch, &[&body[..], &["--cubature", points]].concat())?;
        let (training, fresh) = (number(&made["training_error"])?, number(&made["validation_error"])?);
        let _ = writeln!(
            page,
            "| {points} | {:.2} % | {:.2} % | {:.2} |",
            100.0 * training,
            100.0 * fresh,
            fresh / training
        );
    }
    let made = build(&mesh, scratch, &[&body[..], &["--rank", "135", "--accuracy", "3"]].concat())?;
    let _ = writeln!(
        page,
        "\n`--rank 135 --accuracy 3` took {} points: {:.2} % on fresh poses.",
        made["cubature_points"],
        100.0 * number(&made["validation_error"])?
    );
    Ok(page)
}
