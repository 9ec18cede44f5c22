//! What documents name exists, papers and code name each other, and nothing is said twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{files, hold, text};
use crate::tools;

/// Documents that grow by lines, from several hands.
const LISTS: &[&str] =
    &["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/notation.md", "docs/papers.md"];

/// What is planned stands below this headline, and does not exist.
const PLANNED: &str = "## Rooms to come";

/// What a bullet, a numbered line or a row of a table is about: of `- **`name`**: …` the part before the colon, if it is in
/// backticks alone; of a row the first cell in bold; else the whole line.
fn subject(line: &str) -> Option<&str> {
    let line = line.trim();
    let numbered = line.split_once(". ").filter(|(n, _)| n.parse::<u32>().is_ok()).map(|(_, rest)| rest);
    if let Some(entry) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or(numbered) {
        let named = entry.split_once(':').map(|(before, _)| before);
        return Some(named.filter(|n| n.starts_with('`') && n.ends_with('`')).unwrap_or(entry));
    }
    let row = line.strip_prefix('|')?;
    if row.chars().all(|c| "|-: ".contains(c)) {
        return None;
    }
    let first = row.split('|').next().unwrap_or("").trim();
    Some(if first.starts_with("**") { first } else { line })
}

/// A section of a document says a thing once; a key, which stands in bold, is given once in the whole document.
fn nothing_twice(document: &str) -> Result<(), String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, line) in document.lines().enumerate() {
        // Another version, another table: the same words may be said again, but a key means one thing.
        if line.starts_with("## ") {
            seen.retain(|subject, _| subject.starts_with("**"));
        }
        let Some(subject) = subject(line) else { continue };
        if let Some(before) = seen.insert(subject, i + 1) {
            return Err(format!("lines {before} and {} both say {subject:?}: make one of them", i + 1));
        }
    }
    Ok(())
}

/// A symbol has one row: the first cells of all tables, in which several symbols stand side by side.
fn symbols_once(document: &str) -> Result<(), String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, line) in document.lines().enumerate() {
        let cell = line.trim().strip_prefix('|').and_then(|row| row.split('|').next()).unwrap_or("");
        for symbol in cell.split(", ").map(str::trim).filter(|s| !s.is_empty() && !s.starts_with('-')) {
            if let Some(before) = seen.insert(symbol, i + 1) {
                return Err(format!("lines {before} and {} are both about {symbol}: make one row", i + 1));
            }
        }
    }
    Ok(())
}

/// Words in backticks: `a/{b,c}` is a/b and a/c.
fn named(document: &str) -> Vec<String> {
    let words = document.split('`').skip(1).step_by(2);
    words
        .flat_map(|word| match word.split_once('{').zip(word.split_once('}')) {
            Some(((before, _), (inside, after))) if inside.len() > before.len() => {
                let each = inside[before.len() + 1..].split(',');
                each.map(|one| format!("{before}{}{after}", one.trim())).collect()
            }
            _ => vec![word.to_owned()],
        })
        .collect()
}

/// Whether a file or a folder is there; a path counts from the root.
fn is_there(path: &str, files: &BTreeSet<String>) -> bool {
    let path = path.trim_end_matches('/');
    let below = format!("{path}/");
    files.contains(path) || files.iter().any(|file| file.starts_with(&below))
}

/// Rooms that are said to be to come and are there: in the table below [`PLANNED`], and behind "to come:" in a line.
fn come_already(document: &str, files: &BTreeSet<String>) -> Vec<String> {
    let planned = document.split(PLANNED).nth(1).unwrap_or("");
    let rows = planned.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let told = document.lines().filter_map(|line| line.split_once("to come:").map(|(_, rooms)| rooms));
    let there = |room: &String| is_there(room, files) || is_there(&format!("crates/{room}"), files);
    rows.chain(told).flat_map(named).filter(there).collect()
}

/// Files and folders in backticks that are not there. A path counts from the root; a source file may be named without one;
/// of `folder/<name>.rs` the folder is.
fn missing(document: &str, files: &BTreeSet<String>) -> Vec<String> {
    let now = document.split(PLANNED).next().unwrap_or("");
    let roots: BTreeSet<&str> =
        files.iter().filter_map(|file| file.split_once('/')).map(|(root, _)| root).collect();
    named(now)
        .into_iter()
        .map(|word| match word.split_once("/<") {
            Some((folder, _)) => folder.to_owned(),
            None => word,
        })
        .filter(|word| !word.contains([' ', '<', '*', '{', '…']))
        .filter(|word| match word.split_once('/') {
            Some((root, _)) => roots.contains(root) && !is_there(word, files),
            None => {
                let source = [".rs", ".md", ".py", ".mjs"]
                    .iter()
                    .any(|ending| word.ends_with(ending) && word != ending);
                source && !files.iter().any(|file| file.rsplit('/').next() == Some(word.as_str()))
            }
        })
        .collect()
}

#[test]
fn lists_say_nothing_twice_and_name_what_is_there() {
    let files: BTreeSet<String> = files().iter().filter_map(|p| p.to_str()).map(str::to_owned).collect();
    for name in LISTS {
        let document = text(Path::new(name)).unwrap_or_else(|| panic!("{name} is there"));
        hold(nothing_twice(&document).map_err(|why| format!("{name}: {why}")));
        let missing = missing(&document, &files);
        assert!(missing.is_empty(), "{name} names what is not there: {}", missing.join(", "));
        let come = come_already(&document, &files);
        assert!(come.is_empty(), "{name} says of what is there that it is to come: {}", come.join(", "));
    }
    let notation = text(Path::new("docs/notation.md")).expect("docs/notation.md is there");
    hold(symbols_once(&notation).map_err(|why| format!("docs/notation.md: {why}")));
}

#[test]
fn every_task_is_among_those_of_contributing() {
    let document = text(Path::new("CONTRIBUTING.md")).expect("CONTRIBUTING.md is there");
    for (name, ..) in crate::TASKS {
        let told = document
            .lines()
            .any(|line| line.strip_prefix("cargo xtask ").and_then(|l| l.split(' ').next()) == Some(*name));
        assert!(told, "CONTRIBUTING.md does not name the task {name}");
    }
}

#[test]
fn what_is_said_twice_is_found() {
    assert_eq!(nothing_twice("- a\n- b\n| x | y |\n|---|---|\n| y | x |\n|---|---|\n"), Ok(()));
    assert_eq!(nothing_twice("- a\n\n## 0.2\n- a\n"), Ok(()));
    for bad in [
        "- a\n- b\n- a\n",
        "| x | y |\n| z | y |\n| x | y |\n",
        "1. a\n2. a\n",
        "- `pliant x`: new\n- `pliant x`: newer\n",
        "| **BJ05** | a |\n| **BJ05** | b |\n",
        "| **BJ05** | a |\n\n## Others\n\n| **BJ05** | b |\n",
    ] {
        assert!(nothing_twice(bad).is_err(), "{bad}");
    }
    let table = |rows: &str| format!("| symbol | meaning |\n|---|---|\n{rows}");
    assert_eq!(symbols_once(&table("| x, p | a |\n| w(p) | b |\n| X | c |\n")), Ok(()));
    for bad in ["| λ | a |\n| μ | b |\n| λ | c |\n", "| μ, λ | a |\n| λ, φ | b |\n"] {
        assert!(symbols_once(&table(bad)).is_err_and(|why| why.contains('λ')), "{bad}");
    }
}

#[test]
fn a_room_that_has_come_is_not_to_come() {
    let files = ["crates/reduce/src/lib.rs", "apps/edit/src/lib.rs"].map(str::to_owned).into();
    let plan =
        "## Rooms to come\n\n| room | what |\n|---|---|\n| `apps/{sound,shape}` | below `crates/reduce` |\n";
    assert!(come_already(plan, &files).is_empty());
    assert!(come_already("| U | basis | `reduce` |\nto come: `light`, and light\n", &files).is_empty());
    for (bad, room) in [
        ("## Rooms to come\n| `crates/reduce` grows | snapshots |\n", "crates/reduce"),
        ("## Rooms to come\n| `apps/{sound,edit}` | papers |\n", "apps/edit"),
        ("| U, q | basis | to come: `reduce` |\n", "reduce"),
    ] {
        assert_eq!(come_already(bad, &files), [room], "{bad}");
    }
}

#[test]
fn a_file_that_is_not_there_is_found() {
    let files = ["docs/a.md", "crates/mesh/src/lib.rs"].map(str::to_owned).into();
    let document = "`docs/a.md` `crates/mesh` `lib.rs` `dino.veg` `and/or` `.md` ## Rooms to come `crates/x`";
    assert!(missing(document, &files).is_empty());
    assert_eq!(missing("`docs/b.md`, `crates/x`, `gone.rs`", &files), ["docs/b.md", "crates/x", "gone.rs"]);
    assert!(missing("`crates/mesh/src/<name>.rs` `docs/{a,a}.md`", &files).is_empty());
    assert_eq!(
        missing("`crates/mesh/old/<name>.rs`, `docs/{a,b}.md`", &files),
        ["crates/mesh/old", "docs/b.md"]
    );
}

#[test]
fn links_in_the_documents_lead_somewhere() {
    for path in files().into_iter().filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let folder = path.parent().unwrap_or(Path::new(""));
        for link in text(&path).expect("documents are text").split("](").skip(1) {
            let link = link.split([')', '#', ' ']).next().unwrap_or("");
            if link.is_empty() || link.contains("://") {
                continue;
            }
            let target = tools::root().join(folder).join(link);
            assert!(target.exists(), "{} links to {link}, which is not there", path.display());
        }
    }
}

#[test]
fn folders_in_the_architecture_exist() {
    // What is planned stands below its own headline.
    let all = text(Path::new("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let now = all.split(PLANNED).next().unwrap_or("");
    let named =
        now.split('`').skip(1).step_by(2).filter(|w| w.contains('/') && !w.contains([' ', '<', '*', '{']));
    for name in named {
        assert!(tools::root().join(name).exists(), "ARCHITECTURE.md names {name}, which is not there");
    }
    // The tree: the first word of a line behind its branches; what is indented once lies in `crates`.
    let tree: Vec<&str> = now.lines().filter(|l| l.contains(['├', '└']) && !l.contains('─')).collect();
    assert!(tree.len() > 5, "ARCHITECTURE.md shows the tree");
    for line in tree {
        let name = line.trim_start_matches(['│', '├', '└', ' ']).split(' ').next().unwrap_or("");
        let folder = if line.starts_with('│') { tools::root().join("crates") } else { tools::root() };
        assert!(folder.join(name).exists(), "the tree in ARCHITECTURE.md names {name}, which is not there");
    }
}

#[test]
fn papers_and_code_name_each_other() {
    // | **KEY** | paper | `file`, `file` |
    let listed = text(Path::new("docs/papers.md")).expect("docs/papers.md is there");
    let mut keys = Vec::new();
    for row in listed.lines().filter(|l| l.starts_with("| **")) {
        let key = row.split("**").nth(1).expect("a key in bold");
        for file in row.split('`').skip(1).step_by(2) {
            let source = text(Path::new(file)).unwrap_or_default();
            let cites = source.lines().any(|l| l.contains("docs/papers.md") && l.contains(key));
            assert!(cites, "docs/papers.md says that {file} implements {key}, but {file} does not cite it");
        }
        keys.push(key);
    }
    assert!(!keys.is_empty());
    let cites = |path: &Path| {
        let room = ["apps", "crates", "doors"].iter().any(|root| path.starts_with(root));
        room && path.extension().is_some_and(|e| e == "rs" || e == "js")
    };
    for path in files().into_iter().filter(|path| cites(path)) {
        for line in text(&path).expect("sources are text").lines().filter(|l| l.contains("docs/papers.md")) {
            let known = keys.iter().any(|k| line.contains(k));
            assert!(known, "{} cites a paper that docs/papers.md does not list: {line}", path.display());
        }
    }
}

/// A document behind the project that is called by a bare number in place of its key: `000` to `004` before one of these words.
fn bare_number(line: &str) -> bool {
    const PLACES: [&str; 6] = ["eq", "section", "chapter", "Table", "Figure", "Algorithm"];
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|w| !w.is_empty()).collect();
    words.windows(2).any(|pair| {
        ["000", "001", "002", "003", "004"].contains(&pair[0])
            && PLACES.iter().any(|place| pair[1].starts_with(place))
    })
}

#[test]
fn documents_are_called_by_their_keys() {
    let read = |path: &Path| path.extension().is_some_and(|e| e == "rs" || e == "md");
    for path in files().into_iter().filter(|path| read(path)) {
        for line in text(&path).expect("sources and documents are text").lines() {
            assert!(
                !bare_number(line),
                "{}: a key of docs/papers.md in place of a number: {line}",
                path.display()
            );
        }
    }
}

#[test]
fn a_bare_number_is_found() {
    let bad = format!("//! W = 1 (00{} eq. 2.2)", 4);
    assert!(bare_number(&bad));
    assert!(!bare_number("//! W = 1 (T14 eq. 2.2)") && !bare_number("0.002 equals 20 000 vertices"));
}
