//! `cargo xtask gallery`: the pictures of the documentation, drawn by the commands that stand beside them.

use std::process::Command;

use anyhow::Context as _;

use crate::tools;

/// Picture and the command that makes it; `{}` is the gallery's folder.
const PICTURES: &[&[&str]] = &[
    &["mesh", "--shape", "dino", "-o", "{}/dino.png"],
    &["mesh", "--shape", "letter-a", "-o", "{}/letter-a.png"],
    &["mesh", "--shape", "bridge", "-o", "{}/bridge.png"],
    &["mesh", "--shape", "sponge", "-o", "{}/sponge.png"],
    &["mesh", "--shape", "ball", "-o", "{}/ball.png"],
    &["mesh", "--shape", "cloth", "-o", "{}/cloth.png"],
];

pub(crate) fn run() -> anyhow::Result<bool> {
    let pliant = tools::pliant()?;
    let folder = tools::root().join("docs/gallery");
    std::fs::create_dir_all(&folder)?;
    let folder = folder.to_str().context("the folder's name is text")?;
    for command in PICTURES {
        let args: Vec<String> = command.iter().map(|a| a.replace("{}", folder)).collect();
        println!("pliant {}", command.join(" "));
        tools::output(Command::new(&pliant).arg("--quiet").args(&args))?;
    }
    Ok(true)
}
