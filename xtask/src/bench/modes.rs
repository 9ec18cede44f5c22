//! The modes of a solid, beside SciPy's `eigsh` (ARPACK) with CHOLMOD on the same matrices.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::tools;

/// How many modes are asked for.
const COUNTS: [&str; 3] = ["20", "60", "300"];

/// `cargo xtask bench modes`: this section alone, written into `docs/benchmarks.md`.
pub(crate) fn run() -> anyhow::Result<bool> {
    let data = tools::shared_data().context("the meshes are not there")?;
    crate::bench::replace_section(&section(&data.join("tets/armadillo_157k.mesh"))?)
}

/// A section of the page: seconds of processor time and of the clock for one run each, one thread each and two of ours.
pub(crate) fn section(mesh: &Path) -> anyhow::Result<String> {
    // The peer's factorisation is built from source, with Debian's SuiteSparse and OpenBLAS.
    let header = Path::new("/usr/include/suitesparse/cholmod.h");
    if !header.is_file() {
        let packages =
            ["install", "-y", "-qq", "libsuitesparse-dev", "libopenblas-dev", "python3-dev", "gcc"];
        if !tools::succeeds(Command::new("apt-get").args(packages))? || !header.is_file() {
            bail!("install libsuitesparse-dev, libopenblas-dev, python3-dev and gcc by hand");
        }
    }
    let python = tools::python_in("python-modes", &["numpy", "scipy", "scikit-sparse==0.4.16"])?;
    let program = tools::bench("pliant-linalg", "modes")?;
    let folder = tools::scratch("modes")?;
    let ours = |threads: &str, out: &Path| {
        let mut command = Command::new(&program);
        command.env("RAYON_NUM_THREADS", threads).arg(mesh).arg(out).args(COUNTS);
        lines(&mut command)
    };
    let one = ours("1", &folder)?;
    let two = ours("2", Path::new("-"))?;
    let mut command = Command::new(python);
    command.env("OPENBLAS_NUM_THREADS", "1").env("OMP_NUM_THREADS", "1");
    command.arg(tools::root().join("xtask/src/modes_peer.py")).arg(&folder).args(COUNTS);
    let theirs = lines(&mut command)?;

    let name = mesh.file_name().and_then(|n| n.to_str()).unwrap_or("");
    let mut page = format!(
        "## Modes of `{name}`, against SciPy's `eigsh` with CHOLMOD\n\nThe lowest 5 % in y are held; the same matrices, \
         ordering and factorisation counted in. One thread each, processor time; ours with two threads by the clock. \
         The limit for the ratio is 1.3 at 20 modes and 1 at 60 and 300.\n\n\
         | modes | pliant | eigsh | ratio | of that factorising | solves | residual | pliant, 2 threads, clock |\n\
         |---|---|---|---|---|---|---|---|\n"
    );
    for ((one, two), peer) in one.iter().zip(&two).zip(&theirs) {
        let number = |v: &Value, key: &str| v[key].as_f64().with_context(|| format!("{key} of a run"));
        let same = (number(one, "last")? / number(peer, "last")? - 1.0).abs();
        if same > 1e-9 {
            bail!("the highest of {} modes differs by {same:.1e}", one["modes"]);
        }
        let (mine, other) = (number(one, "cpu")?, number(peer, "cpu")?);
        let _ = writeln!(
            page,
            "| {} | {mine:.2} s | {other:.2} s | {:.2} | {:.2} s, {:.2} s | {}, {} | {:.0e}, {:.0e} | {:.2} s |",
            one["modes"],
            mine / other,
            number(one, "cpu_factor")?,
            number(peer, "cpu_factor")?,
            one["solves"],
            peer["solves"],
            number(one, "residual")?,
            number(peer, "residual")?,
            number(two, "seconds")?,
        );
    }
    page.push('\n');
    Ok(page)
}

fn lines(command: &mut Command) -> anyhow::Result<Vec<Value>> {
    tools::output(command)?.lines().map(|l| Ok(serde_json::from_str(l)?)).collect()
}
