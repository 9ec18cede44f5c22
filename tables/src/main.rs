//! Runs the tables whose names are given and prints their sections; pictures go to docs/tables. `--list` prints the names and
//! the titles of all. `cargo xtask tables` puts the sections into docs/tables.md.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use pliant_tables::{Run, report, table};

fn main() -> anyhow::Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    if wanted == ["--list"] {
        for table in table::ALL {
            writeln!(out, "{}\t{}", table.name, table.title)?;
        }
        return Ok(());
    }
    for name in &wanted {
        let Some(table) = table::ALL.iter().find(|t| t.name == name) else {
            let names: Vec<&str> = table::ALL.iter().map(|t| t.name).collect();
            anyhow::bail!("there is no table {name:?}; there are: {}", names.join(", "));
        };
        let begin = Instant::now();
        let outcome = (table.run)(&Run::full())?;
        let (section, pictures) = report::section(table, &outcome);
        writeln!(err, "{}: {:.0} s", table.name, begin.elapsed().as_secs_f64())?;
        if !outcome.missing.is_empty() {
            // A page with fewer rows than before would look like one with all of them.
            let files = outcome.missing.join(", ");
            writeln!(
                err,
                "{section}\n{name}: docs/tables.md keeps its section, since this is not there: {files}"
            )?;
            continue;
        }
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/tables");
        std::fs::create_dir_all(&folder)?;
        let files: Vec<(PathBuf, Vec<u8>)> =
            pictures.into_iter().map(|(name, bytes)| (folder.join(name), bytes)).collect();
        pliant::mesh::io::write_whole(&files)?;
        writeln!(out, "{section}")?;
    }
    Ok(())
}
