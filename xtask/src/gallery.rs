//! `cargo xtask gallery`: the pictures of the documentation, drawn by the commands that stand beside them.

use std::path::Path;
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
    // What is wrong, shown: a ball with holes, turned faces and a stray part, made below.
    &["info", "{}/broken.obj", "-o", "{}/broken.png"],
    &["mesh", "{}/broken.obj", "-o", "{}/mended.png", "--tets", "--elements", "4000"],
    // A reduced model in motion.
    &["mesh", "--shape", "dino", "-o", "{}/dino.veg"],
    // Which places of it are like a toe, to its vibrations and to heat.
    &["signature", "{}/dino.surface.obj", "--from", "24033", "--coarse", "4000", "-o", "{}/signature.png"],
    &["signature", "{}/dino.surface.obj", "--from", "24033", "--kind", "heat", "-o", "{}/signature-heat.png"],
    // It looks around: feet stay, the head is turned.
    &["edit", "{}/dino.surface.obj", "{}/look.toml", "-o", "{}/edit.png", "--scale-to", "10"],
    &["build", "{}/dino.veg", "-o", "{}/dino.pliant", "--fix", "set:fixed"],
    &["simulate", "{}/dino.pliant", "{}/sag.toml", "-o", "{}/dino-sag.png"],
    // B12 Figure 10: one linear motion, as it is and warped.
    &[
        "build",
        "{}/dino.veg",
        "-o",
        "{}/dino-warp.pliant",
        "--fix",
        "set:fixed",
        "--basis",
        "extended",
        "--modes",
        "15",
        "--forces",
        "linear",
        "--warp",
    ],
    &["simulate", "{}/dino-warp.pliant", "{}/wag.toml", "--motion", "linear", "-o", "{}/dino-linear.png"],
    &["simulate", "{}/dino-warp.pliant", "{}/wag.toml", "--motion", "warped", "-o", "{}/dino-warped.png"],
];

/// What happens to the dinosaur: more gravity than it was made for.
const SAG: &str =
    "dt = 0.016666666666666666\nsteps = 18\ngravity = [0.0, -9.81, 0.0]\ndamping = { stiffness = 0.002 }\n";

/// A look over the shoulder.
const LOOK: &str = "[[handle]]\nname = \"feet\"\nselect = \"y<10%\"\n\n[[handle]]\nname = \"head\"\nselect = \"y>80%\"\n\
    rotate = { axis = [0.0, 1.0, 0.0], angle = 75.0 }\nmove = [-0.01, -0.015, 0.02]\n";

/// A hard push sideways.
const WAG: &str =
    "dt = 0.016666666666666666\nsteps = 11\ngravity = [-8.0, 0.0, 30.0]\ndamping = { stiffness = 0.004 }\n";

/// What the pictures need and the gallery does not keep.
const PASSING: &[&str] = &[
    "broken.obj",
    "dino.veg",
    "dino.surface.obj",
    "dino.surface.interp",
    "dino.pliant",
    "sag.toml",
    "look.toml",
    "dino-warp.pliant",
    "wag.toml",
];

/// A ball that somebody was careless with: faces missing, faces turned around, a bit of it lying beside.
fn broken(ball: &str) -> String {
    let mut face = 0;
    let mut out = String::new();
    for line in ball.lines() {
        if let Some(corners) = line.strip_prefix("f ") {
            face += 1;
            let c: Vec<&str> = corners.split(' ').collect();
            match face % 331 {
                0..=6 => continue,
                7..=9 => out.push_str(&format!("f {} {} {}\n", c[0], c[2], c[1])),
                _ => out.push_str(&format!("{line}\n")),
            }
        } else {
            out.push_str(&format!("{line}\n"));
        }
    }
    out + "v 0.7 -0.5 0\nv 0.8 -0.5 0\nv 0.75 -0.4 0\nf -3 -2 -1\n"
}

pub(crate) fn run() -> anyhow::Result<bool> {
    let pliant = tools::pliant()?;
    let folder = tools::root().join("docs/gallery");
    std::fs::create_dir_all(&folder)?;
    let ball = folder.join("ball.obj");
    tools::output(Command::new(&pliant).args(["--quiet", "mesh", "--shape", "ball", "-o"]).arg(&ball))?;
    std::fs::write(folder.join("broken.obj"), broken(&std::fs::read_to_string(&ball)?))?;
    std::fs::remove_file(ball)?;
    std::fs::write(folder.join("sag.toml"), SAG)?;
    std::fs::write(folder.join("wag.toml"), WAG)?;
    std::fs::write(folder.join("look.toml"), LOOK)?;
    let folder = folder.to_str().context("the folder's name is text")?;
    for command in PICTURES {
        let args: Vec<String> = command.iter().map(|a| a.replace("{}", folder)).collect();
        println!("pliant {}", command.join(" "));
        tools::output(Command::new(&pliant).arg("--quiet").args(&args))?;
    }
    for name in PASSING {
        let file = Path::new(folder).join(name);
        if file.exists() {
            std::fs::remove_file(file)?;
        }
    }
    Ok(true)
}
