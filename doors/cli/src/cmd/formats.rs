//! `pliant formats`: the table of file formats.

use std::fmt::Write as _;

use pliant::mesh::io;
use serde_json::json;

use crate::context::{Context, Status};

/// List the file formats and what each can hold.
#[derive(clap::Args)]
#[command(after_help = "EXAMPLES
  pliant formats
  pliant mesh in.vtk -o out.msh --variant 2.2-text")]
pub(crate) struct Args {}

/// Files that belong to a mesh but hold none: ending, title, what is in them.
const COMPANIONS: [(&str, &str, &str); 3] = [
    ("bou", "Vega vertex list", "vertices from 1, for --fix"),
    ("txt", "plain vertex list", "vertices from 0, for --fix"),
    ("interp", "Vega interpolation", "weights that tie NAME.surface.obj to the solid NAME"),
];

pub(crate) fn run(_: &Args, context: &mut Context) -> anyhow::Result<Status> {
    let mut text = format!(
        "{:<14} {:<12} {:<34} {:<28} variants (default first)\n",
        "format", "endings", "elements", "keeps"
    );
    let mut rows = Vec::new();
    for format in io::ALL {
        let kinds: Vec<&str> = format.holds.iter().map(|k| k.name()).collect();
        let k = format.keeps;
        let kept: Vec<&str> = [
            (k.regions, "regions"),
            (k.materials, "materials"),
            (k.sets, "sets"),
            (k.digits, "digits"),
            (k.ids, "ids"),
        ]
        .iter()
        .filter(|(kept, _)| *kept)
        .map(|(_, what)| *what)
        .collect();
        let endings: Vec<String> = format.extensions.iter().map(|e| format!(".{e}")).collect();
        let everything = if kept.len() == 5 { "everything".to_owned() } else { kept.join(", ") };
        let _ = writeln!(
            text,
            "{:<14} {:<12} {:<34} {:<28} {}",
            format.title,
            endings.join(" "),
            kinds.join(", "),
            everything,
            format.variants.join(", ")
        );
        rows.push(json!({
            "name": format.name,
            "title": format.title,
            "extensions": format.extensions,
            "elements": kinds,
            "keeps": kept,
            "variants": format.variants,
            "reads": true,
            "writes": true,
        }));
    }
    let _ = writeln!(text, "\nBeside a mesh:");
    for (ending, title, what) in COMPANIONS {
        let _ = writeln!(text, "{title:<20} {:<10} {what}", format!(".{ending}"));
        rows.push(json!({
            "name": ending,
            "title": title,
            "extensions": [ending],
            "elements": [],
            "keeps": [],
            "variants": ["text"],
            "reads": true,
            "writes": ending == "interp",
        }));
    }
    context.answer(&json!({ "formats": rows }), &text)?;
    Ok(Status::Done)
}
