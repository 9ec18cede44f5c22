//! `cargo xtask tables`: the tables of the papers, ours beside theirs, written to `docs/tables.md`.

use anyhow::Context as _;

use crate::tools;

/// All tables, or those that are named: each a section of the page, written as soon as it is measured, so that one that fails
/// loses nothing of the others. Whether all went well.
pub(crate) fn run(wanted: &[String]) -> anyhow::Result<bool> {
    let tables = |args: &[&str]| {
        tools::output(tools::cargo(&["run", "--release", "-q", "-p", "pliant-tables", "--"]).args(args))
    };
    let list = tables(&["--list"])?;
    let known: Vec<(&str, &str)> = list.lines().filter_map(|line| line.split_once('\t')).collect();
    if let Some(unknown) = wanted.iter().find(|w| known.iter().all(|(name, _)| name != w)) {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        anyhow::bail!("there is no table {unknown:?}; there are: {}", names.join(", "));
    }
    let titles: Vec<&str> = known.iter().map(|(_, title)| *title).collect();
    let path = tools::root().join("docs/tables.md");
    let mut good = true;
    for (name, _) in known.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| w == name)) {
        match tables(&[name]) {
            // Nothing is printed where the shared data is not there; what is missing was said.
            Ok(section) if section.trim().is_empty() => {}
            Ok(section) => {
                let machine = format!("\n\nMachine: {}.\n\n", crate::bench::machine());
                let section = section.replacen("\n\n", &machine, 1);
                let old = std::fs::read_to_string(&path).unwrap_or_default();
                std::fs::write(&path, page(&old, &titles, &section).context("a section has a heading")?)?;
                println!("{section}");
            }
            Err(error) => {
                eprintln!("{name}: {error:#}");
                good = false;
            }
        }
    }
    Ok(good)
}

const HEAD: &str = "# Tables of the papers\n\nWhat the documents behind this project print, beside what our code measures. Written by \
                    `cargo xtask tables`, or one section by `cargo xtask tables NAME`; the quick form of each runs in `cargo xtask \
                    test`. C17 and T14 are two of those documents; [papers.md](papers.md) names them. Their meshes could not be \
                    had but for a few, and their machines are ten years older: across the two halves of a row only ratios say \
                    something.\n";

/// The page with `section` in its place: sections in the order of their titles, the others as they were.
fn page(old: &str, titles: &[&str], section: &str) -> Option<String> {
    let heading = |section: &str| section.trim_start().lines().next()?.strip_prefix("## ").map(str::to_owned);
    let new = heading(section)?;
    let sections: Vec<String> = old.split("\n## ").skip(1).map(|rest| format!("## {rest}")).collect();
    let mut page = HEAD.to_owned();
    for title in titles {
        let found = if *title == new {
            Some(section)
        } else {
            sections.iter().find(|old| heading(old).as_deref() == Some(title)).map(String::as_str)
        };
        if let Some(found) = found {
            page.push('\n');
            page.push_str(found.trim());
            page.push('\n');
        }
    }
    Some(page)
}

#[cfg(test)]
mod tests {
    use super::{HEAD, page};

    #[test]
    fn a_section_takes_its_place_and_leaves_the_others() {
        let titles = ["A", "B", "C"];
        let one = page("", &titles, "## C\n\nthird\n").expect("a page");
        assert_eq!(one, format!("{HEAD}\n## C\n\nthird\n"));
        let two = page(&one, &titles, "## A\n\nfirst\n").expect("a page");
        assert_eq!(two, format!("{HEAD}\n## A\n\nfirst\n\n## C\n\nthird\n"));
        let again = page(&two, &titles, "## A\n\nbetter\n").expect("a page");
        assert_eq!(again, format!("{HEAD}\n## A\n\nbetter\n\n## C\n\nthird\n"));
        assert_eq!(page(&two, &titles, "no heading"), None);
    }
}
