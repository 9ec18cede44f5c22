//! `cargo xtask bench reduce`: how long models take to make, and how good their cubature is against its size.
//!
//! Everything through the command line, as a user would: the seconds are those that `pliant build --json` reports.

use std::fmt::Write as _;
use std::path::Path;
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
    page += &curve(scratch)?;
    Ok(page)
}

fn build(mesh: &Path, scratch: &Path, args: &[&str]) -> anyhow::Result<Value> {
    let pliant = tools::pliant()?;
    let model = scratch.join("bench.pliant");
    let mut command = Command::new(&pliant);
    command.args(["--json", "--quiet", "build"]).arg(mesh).arg("-o").arg(&model).args(args);
    Ok(serde_json::from_str(&tools::output(&mut command)?)?)
}

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
    let Some(data) = tools::shared_data() else { return Ok(rows) };

    let dragon = data.join("tets/asianDragon/asianDragon.veg");
    let fix = data.join("tets/asianDragon/asianDragon.bou");
    let fix = fix.to_str().context("a path that is text")?;
    let made = build(&dragon, scratch, &["--fix", fix, "--modes", "10", "--forces", "linear"])?;
    rows.push(Row {
        what: "derivatives of 10 modes, asianDragon (a fifth of Vega's time)".into(),
        value: number(&made["stages"]["modal derivatives"])?,
        unit: "s",
        limit: VEGA_DERIVATIVES / 5.0,
    });

    let big = data.join("tets/armadillo_157k.mesh");
    let body = ["--scale-to", "1", "--fix", "y<5%", "--modes", "15"];
    let with = |more: &[&'static str]| [&body[..], more].concat();
    let made = build(&big, scratch, &with(&["--forces", "linear"]))?;
    rows.push(Row {
        what: "derivatives of 15 modes, armadillo_157k".into(),
        value: number(&made["stages"]["modal derivatives"])?,
        unit: "s",
        limit: 60.0,
    });
    let made = build(&big, scratch, &with(&["--basis", "extended", "--cubature", "400"]))?;
    let stages = &made["stages"];
    let modes: f64 = number(&stages["modes"])?;
    rows.push(Row {
        what: "extending 15 modes over computing them, armadillo_157k".into(),
        value: number(&stages["extended basis"])? / modes,
        unit: "",
        limit: 0.1,
    });
    rows.push(Row {
        what: "armadillo_157k, extended basis, 400 points: everything".into(),
        value: number(&made["seconds"])?,
        unit: "s",
        limit: 180.0,
    });

    let middle = refined(&data, scratch)?;
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
    for (stage, limit) in [("training forces", 60.0), ("selection", 15.0)] {
        rows.push(Row {
            what: format!("cubature of armadillo_87k, d = 135, s = 150, 1000 poses: {stage}"),
            value: number(&made["stages"][stage])?,
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

/// The armadillo with every tet cut into eight: 86,984 tets.
fn refined(data: &Path, scratch: &Path) -> anyhow::Result<std::path::PathBuf> {
    let out = scratch.join("armadillo_87k.mesh");
    let python = tools::python(&["numpy"])?;
    tools::output(
        Command::new(python)
            .arg(data.join("scripts/refine_tets.py"))
            .arg(data.join("tets/armadillo_11k.mesh"))
            .arg("1")
            .arg(&out),
    )?;
    Ok(out)
}

/// Error against the number of points.
fn curve(scratch: &Path) -> anyhow::Result<String> {
    let Some(data) = tools::shared_data() else { return Ok(String::new()) };
    let mesh = refined(&data, scratch)?;
    let mut page = String::from(
        "\nCubature of the armadillo with 86,984 tets, St. Venant-Kirchhoff, extended basis of 15 modes (d = 135), 500 poses \
         of 0.1 of the body: the error of 004 eq. 3.7 in training and on 500 fresh poses. The limit is 6 % at 400 points, \
         and 1.5 for the ratio of the two.\n\n| points | training | fresh poses | ratio |\n|---|---|---|---|\n",
    );
    for points in ["50", "100", "150", "200", "300", "400", "500", "600"] {
        let made = build(
            &mesh,
            scratch,
            &[
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
                "--cubature",
                points,
            ],
        )?;
        let (training, fresh) = (number(&made["training_error"])?, number(&made["validation_error"])?);
        let _ = writeln!(
            page,
            "| {points} | {:.2} % | {:.2} % | {:.2} |",
            100.0 * training,
            100.0 * fresh,
            fresh / training
        );
    }
    Ok(page)
}
