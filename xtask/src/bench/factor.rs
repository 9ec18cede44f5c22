//! The section 'Sparse factorisation' of `cargo xtask bench`: ours beside CHOLMOD on the same matrices, in the same run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::tools;

const HEADING: &str = "## Sparse factorisation, against CHOLMOD";

/// Each side runs this often, in turn; the best counts, since a neighbour on the machine only ever adds.
const ROUNDS: usize = 2;

/// What is compared: the key in both programs' answers, and its name.
const ROWS: [(&str, &str); 4] = [
    ("analyse", "order and count"),
    ("factorise", "factorise"),
    ("solve_1", "solve, 1 right-hand side"),
    ("solve_16", "solve, 16 at once"),
];

/// `cargo xtask bench factor`: this section alone, written into `docs/benchmarks.md`.
pub(crate) fn run() -> anyhow::Result<bool> {
    crate::bench::replace_section(&section(&tools::scratch("bench")?)?)
}

/// The section; without shared data, one sentence.
pub(crate) fn section(folder: &Path) -> anyhow::Result<String> {
    let mut page = format!(
        "{HEADING}\n\nThe stiffness matrix of a solid and of a surface with hinges; the peer is Debian's CHOLMOD \
         (supernodal, METIS, OpenBLAS), on the same matrix in the same run, best of {ROUNDS} rounds in turn. The limit \
         is a ratio of 1.2 for factorising and for solving with one thread.\n\n"
    );
    let Some(data) = tools::shared_data() else {
        page += "Not measured: the meshes are not there.\n\n";
        return Ok(page);
    };
    let (ours, peer) = (tools::bench("pliant-linalg", "factor")?, peer(folder)?);
    page += "| matrix | threads | what | pliant | CHOLMOD | ratio |\n|---|---|---|---|---|---|\n";
    for mesh in ["tets/armadillo_157k.mesh", "surfaces/survey_plane.off"] {
        let mesh = data.join(mesh);
        let matrix = folder.join("matrix.bin");
        let name = mesh.file_name().and_then(|n| n.to_str()).unwrap_or("");
        for threads in ["1", "2"] {
            let (mut mine, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                mine.push(answer(Command::new(&ours).arg(&mesh).arg(threads).arg(&matrix))?);
                theirs.push(answer(Command::new(&peer).arg(&matrix).env("OPENBLAS_NUM_THREADS", threads))?);
            }
            for (key, what) in ROWS {
                let (a, b) = (best(&mine, key)?, best(&theirs, key)?);
                let _ =
                    writeln!(page, "| {name} | {threads} | {what} | {a:.3} s | {b:.3} s | {:.2} |", a / b);
            }
            if threads == "1" {
                let (a, b) = (best(&mine, "stored")? / 1e6, best(&theirs, "stored")? / 1e6);
                let _ =
                    writeln!(page, "| {name} | | numbers in L, millions | {a:.1} | {b:.1} | {:.2} |", a / b);
            }
        }
    }
    page.push('\n');
    Ok(page)
}

fn answer(command: &mut Command) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(&tools::output(command)?)?)
}

fn best(answers: &[Value], key: &str) -> anyhow::Result<f64> {
    let values: Option<Vec<f64>> = answers.iter().map(|a| a[key].as_f64()).collect();
    Ok(values.with_context(|| format!("every answer has '{key}'"))?.into_iter().fold(f64::INFINITY, f64::min))
}

/// The yardstick, compiled against Debian's packages, which are installed if need be.
fn peer(folder: &Path) -> anyhow::Result<PathBuf> {
    tools::need("gcc", "gcc")?;
    let program = folder.join("cholmod");
    let compile = || {
        let mut gcc = Command::new("gcc");
        gcc.args(["-O2", "-I/usr/include/suitesparse", "-o"]).arg(&program);
        gcc.arg(tools::root().join("xtask/peers/cholmod.c")).args(["-lcholmod", "-lopenblas"]);
        tools::succeeds(&mut gcc)
    };
    if !compile()? {
        tools::install(&["libsuitesparse-dev", "libopenblas-dev"])?;
        if !compile()? {
            bail!(
                "CHOLMOD cannot be compiled against; install libsuitesparse-dev and libopenblas-dev by hand"
            );
        }
    }
    Ok(program)
}
