//! `pliant` alone: makes the demo shape, says what it found, and writes a picture and a GLB.

use std::path::Path;

use anyhow::Context as _;
use pliant::draw;
use pliant::mesh::shapes::{self, ShapeOptions};
use pliant::mesh::{doctor, io};
use serde_json::{Value, json};

use crate::context::{Context, Status};
use crate::facts;

/// Where the demo puts its files: below the folder it is run in.
const FOLDER: &str = "out";

pub(crate) fn run(context: &mut Context) -> anyhow::Result<Status> {
    let mut bar = context.bar();
    let dino = shapes::find("dino")?.make(&ShapeOptions::default(), &mut |p| bar.tell(p))?;
    let report = doctor::examine(&dino, &doctor::Options::default(), &mut |p| bar.tell(p))?;
    drop(bar);
    let folder = Path::new(FOLDER);
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {FOLDER}"))?;
    let picture = draw::mesh_picture(&dino, &draw::Options::titled("dino"));
    io::write_whole(&[(folder.join("dino.png"), picture.to_png())])?;
    let notes = io::save(&folder.join("dino.veg"), &dino, None)?;
    // For looking at: that a GLB holds the surface alone, with 32-bit numbers, is as it should be.
    io::save(&folder.join("dino.glb"), &dino, None)?;

    let warnings = super::info::warnings(&report, &notes);
    let mut facts = facts::json(&dino, &report, &warnings);
    let files = ["dino.png", "dino.glb", "dino.veg", "dino.surface.obj", "dino.surface.interp"]
        .map(|f| format!("{FOLDER}/{f}"));
    facts.insert("files".into(), json!(files));
    let mut text = facts::text("dino: a rubber dinosaur", &facts::rows(&dino, &report), &warnings);
    text += &format!(
        "\n{0}/dino.png is its picture, {0}/dino.glb its surface, {0}/dino.veg the solid with the surface tied to it.\n\
         Next: pliant info YOUR.stl, or pliant help.\n",
        FOLDER
    );
    context.report(&Value::Object(facts), &text)?;
    Ok(Status::Done)
}
