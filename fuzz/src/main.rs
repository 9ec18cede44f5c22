//! Writes valid files for every target into the folder `corpus/TARGET`, and prints the targets.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    let corpus = std::env::args().nth(1).unwrap_or_else(|| "corpus".into());
    for target in pliant_fuzz::names() {
        let folder = std::path::Path::new(&corpus).join(target);
        std::fs::create_dir_all(&folder)?;
        for (name, bytes) in pliant_fuzz::seeds(target) {
            std::fs::write(folder.join(name), bytes)?;
        }
        writeln!(std::io::stdout(), "{target}")?;
    }
    Ok(())
}
