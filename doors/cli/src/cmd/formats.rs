//! `pliant formats`: the table of file formats.

use pliant::mesh::io;
use pliant::world::facts::{Fact, Facts, Value};

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
    let mut told = Fact::new("formats", Value::Nothing).read_as(
        "format",
        format!("{:<12} {:<34} {:<28} variants (default first)", "endings", "elements", "keeps"),
    );
    let mut list: Vec<Facts> = Vec::new();
    for format in io::ALL {
        let kinds: Vec<&str> = format.holds.iter().map(|k| k.name()).collect();
        let k = format.keeps;
        let all = [
            (k.regions, "regions"),
            (k.materials, "materials"),
            (k.sets, "sets"),
            (k.digits, "digits"),
            (k.ids, "ids"),
        ];
        let kept: Vec<&str> = all.iter().filter(|(kept, _)| *kept).map(|(_, what)| *what).collect();
        let endings: Vec<String> = format.extensions.iter().map(|e| format!(".{e}")).collect();
        let keeps = if kept.len() == all.len() { "everything".to_owned() } else { kept.join(", ") };
        let (endings, kinds_shown, variants) =
            (endings.join(" "), kinds.join(", "), format.variants.join(", "));
        told = told.read_as(format.title, format!("{endings:<12} {kinds_shown:<34} {keeps:<28} {variants}"));
        list.push(facts(
            [format.name, format.title],
            [format.extensions, &kinds, &kept, format.variants],
            true,
        ));
    }
    told = told.read_as("beside a mesh", "");
    for (ending, title, what) in COMPANIONS {
        told = told.read_as(title, format!(".{ending:<11} {what}"));
        list.push(facts([ending, title], [&[ending], &[], &[], &["text"]], ending == "interp"));
    }
    context.answer(&[Fact { value: list.into(), ..told }].into_iter().collect())?;
    Ok(Status::Done)
}

/// Name and title; endings, elements, what is kept, variants.
fn facts(
    [name, title]: [&str; 2],
    [extensions, elements, keeps, variants]: [&[&str]; 4],
    writes: bool,
) -> Facts {
    [
        Fact::new("name", name),
        Fact::new("title", title),
        Fact::new("extensions", extensions.to_vec()),
        Fact::new("elements", elements.to_vec()),
        Fact::new("keeps", keeps.to_vec()),
        Fact::new("variants", variants.to_vec()),
        Fact::new("reads", true),
        Fact::new("writes", writes),
    ]
    .into_iter()
    .collect()
}
