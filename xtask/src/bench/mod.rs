//! `cargo xtask bench`: one table of measurements, written to `docs/benchmarks.md`.
//!
//! Every figure is a ratio within this run: to a limit, or to meshio (PyPI) reading the same file. Machines differ, ratios
//! travel.

pub(crate) mod factor;
pub(crate) mod modes;
pub(crate) mod reduce;
pub(crate) mod steps;
pub(crate) mod studio;
pub(crate) mod warp;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

use crate::tools;

/// Median seconds that meshio takes for each file, import not counted.
const PEER: &str = "
import sys, time, json, statistics, meshio, contextlib, io
def once(f):
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        meshio.read(f)
    return time.perf_counter() - start
print(json.dumps({f: statistics.median(once(f) for _ in range(3)) for f in sys.argv[1:]}))
";

pub(crate) fn run() -> anyhow::Result<bool> {
    let pliant = tools::pliant()?;
    let python = tools::python(&["meshio==5.3.5", "numpy"])?;
    let folder = tools::scratch("bench")?;
    let json = |args: &[&str]| -> anyhow::Result<Value> {
        Ok(serde_json::from_str(&tools::output(
            Command::new(&pliant).args(["--json", "--quiet"]).args(args),
        )?)?)
    };

    // A real mesh where there is one, else a ball of the same size; and the same mesh in other formats.
    let shared = tools::shared_data();
    let big = match shared.as_ref().map(|d| d.join("tets/armadillo_157k.mesh")).filter(|p| p.is_file()) {
        Some(path) => path,
        None => {
            let path = folder.join("ball_162k.mesh");
            json(&["mesh", "--shape", "ball", "--subdivision", "15", "-o", text(&path)?])?;
            path
        }
    };
    let mut files = vec![big.clone()];
    for (ending, variant) in
        [("msh", "4.1-binary"), ("msh", "2.2-text"), ("vtu", "binary"), ("vtk", "binary")]
    {
        let path = folder.join(format!("{variant}.{ending}"));
        json(&["mesh", text(&big)?, "-o", text(&path)?, "--variant", variant])?;
        files.push(path);
    }
    let mut args = vec!["bench"];
    for file in &files {
        args.extend(["--read", text(file)?]);
    }
    let ours = json(&args)?;
    let theirs: Value =
        serde_json::from_str(&tools::output(Command::new(&python).args(["-c", PEER]).args(&files))?)?;

    let mut page = String::from(
        "# Benchmarks\n\nMade by `cargo xtask bench`; run it to get the table of your machine. Absolute times are a \
         guide, ratios are the statement.\n\n",
    );
    let _ = writeln!(page, "Machine: {}.\n", machine());
    page += &against_limits(&ours)?;
    page += &against_meshio(&ours, &theirs, &files)?;
    if let Some(data) = &shared {
        page += &solids(&data.join("surfaces"), &pliant, &folder)?;
        page += &crate::bench::modes::section(&big)?;
        page += &crate::bench::warp::section(data)?;
    }
    page += "\n";
    page += &crate::bench::steps::section(&folder)?;
    page += &crate::bench::factor::section(&folder)?;
    page += "\n";
    page += &crate::bench::reduce::section(&folder)?;
    page += "\n";
    page += &crate::bench::studio::section()?;
    std::fs::write(tools::root().join("docs/benchmarks.md"), &page)?;
    println!("{page}");
    Ok(true)
}

/// What has a limit, alone.
pub(crate) fn limits() -> anyhow::Result<bool> {
    let ours = tools::output(Command::new(tools::pliant()?).args(["--json", "--quiet", "bench"]))?;
    replace_section(&against_limits(&serde_json::from_str(&ours)?)?)
}

/// Puts a section, whose first line is its heading, into `docs/benchmarks.md`: in the place of its older self, or last.
pub(crate) fn replace_section(section: &str) -> anyhow::Result<bool> {
    println!("{section}");
    let path = tools::root().join("docs/benchmarks.md");
    let page = std::fs::read_to_string(&path)?;
    let heading = section.lines().next().context("a section has a heading")?;
    let (before, after) = match page.find(heading) {
        Some(start) => {
            let rest = &page[start + heading.len()..];
            (&page[..start], rest.find("\n## ").map_or("", |end| &rest[end + 1..]))
        }
        None => (page.as_str(), ""),
    };
    let whole = format!("{}\n\n{}\n\n{after}", before.trim_end(), section.trim());
    std::fs::write(path, format!("{}\n", whole.trim_end()))?;
    Ok(true)
}

fn text(path: &Path) -> anyhow::Result<&str> {
    path.to_str().context("paths are text")
}

fn rows(ours: &Value) -> anyhow::Result<&Vec<Value>> {
    ours["rows"].as_array().context("pliant bench prints rows")
}

fn against_limits(ours: &Value) -> anyhow::Result<String> {
    let mut page = String::from(
        "## Against limits\n\n| what | value | limit | ratio to the limit |\n|---|---|---|---|\n",
    );
    for row in rows(ours)?.iter().filter(|r| r["limit"].is_number()) {
        let (value, limit) = (row["value"].as_f64().unwrap_or(0.0), row["limit"].as_f64().unwrap_or(0.0));
        let (name, unit) = (row["name"].as_str().unwrap_or(""), row["unit"].as_str().unwrap_or(""));
        let (ratio, limit) = (value / limit, (1e3 * limit).round() / 1e3);
        let _ = writeln!(page, "| {name} | {value:.3} {unit} | {limit} {unit} | {ratio:.3} |");
    }
    page.push('\n');
    Ok(page)
}

fn against_meshio(ours: &Value, theirs: &Value, files: &[PathBuf]) -> anyhow::Result<String> {
    let mut page = String::from(
        "## Reading, against meshio 5.3.5\n\nThe same file, the same minute. The limit for `.mesh` is a ratio of at \
         least 5.\n\n| file | MB | pliant | meshio | times as fast |\n|---|---|---|---|---|\n",
    );
    for (file, row) in files.iter().zip(rows(ours)?) {
        let mine = row["value"].as_f64().context("a time")?;
        let peer = theirs[text(file)?].as_f64().context("meshio's time")?;
        let megabytes = std::fs::metadata(file)?.len() as f64 / 1e6;
        let name = file.file_name().and_then(|n| n.to_str()).unwrap_or("");
        let _ =
            writeln!(page, "| {name} | {megabytes:.1} | {mine:.3} s | {peer:.3} s | {:.1} |", peer / mine);
    }
    page.push('\n');
    Ok(page)
}

/// Every surface of the shared data made solid at the default size.
fn solids(folder: &Path, pliant: &Path, scratch: &Path) -> anyhow::Result<String> {
    let mut page = String::from(
        "## Solids from surfaces, default size\n\n`pliant mesh SURFACE -o OUT.mesh --tets`. The volume error is \
         against the volume that the surface encloses; open surfaces have none to compare with.\n\n\
         | surface | triangles | tets | seconds | smallest angle | largest angle | volume error | parts |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    let (mut smallest, mut count) = (f64::INFINITY, 0);
    for file in files {
        if !["obj", "off", "ply"].iter().any(|e| file.extension().is_some_and(|x| x == *e)) {
            continue;
        }
        let info = Command::new(pliant).args(["--json", "--quiet", "info"]).arg(&file).output()?;
        let before: Value = serde_json::from_slice(&info.stdout)?;
        let out = scratch.join("solid.mesh");
        let made = Command::new(pliant)
            .args(["--json", "--quiet", "mesh", "--tets"])
            .arg(&file)
            .arg("-o")
            .arg(&out)
            .output()?;
        let name = file.file_name().and_then(|n| n.to_str()).unwrap_or("");
        let _ = write!(page, "| {name} | {} | ", before["elements"]);
        if !made.status.success() {
            let reason = String::from_utf8_lossy(&made.stderr);
            let _ = writeln!(
                page,
                "– | – | – | – | – | refused: {} |",
                reason.trim().rsplit(": ").next().unwrap_or("")
            );
            continue;
        }
        let after: Value = serde_json::from_slice(&made.stdout)?;
        let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
        let low = number(&after["quality"]["min_dihedral_deg"]);
        (smallest, count) = (smallest.min(low), count + 1);
        let error = match before["volume"].as_f64() {
            Some(v) => format!("{:.2} %", 100.0 * (number(&after["volume"]) - v) / v.abs()),
            None => "open".to_owned(),
        };
        let _ = writeln!(
            page,
            "{} | {:.2} | {low:.2}° | {:.2}° | {error} | {} |",
            after["elements"],
            number(&after["seconds"]),
            number(&after["quality"]["max_dihedral_deg"]),
            after["components"]
        );
    }
    let _ = writeln!(
        page,
        "\nSmallest dihedral angle over {count} solids: {smallest:.2}° (the least allowed is 8°)."
    );
    Ok(page)
}

/// Processor and cores, as the system names them.
pub(crate) fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split(": ").nth(1))
        .unwrap_or("unknown processor");
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    format!("{model}, {cores} cores")
}
