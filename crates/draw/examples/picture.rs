//! A picture of a mesh file: `cargo run -p pliant-draw --example picture -- MESH OUT.png [WIDTH HEIGHT]`.
//!
//! Says how long it took, so that a change of the renderer can be measured.

use std::path::Path;
use std::time::Instant;

use pliant_draw::{Camera, Options, Scene, Style, mesh_picture};
use pliant_mesh::{Elements, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, mesh, out, rest @ ..] = &args[..] else { return Err("expected MESH OUT.png".into()) };
    let side = |i: usize, usual: usize| rest.get(i).map_or(Ok(usual), |s| s.parse());
    let loaded = io::load(Path::new(mesh))?;
    let title = Path::new(mesh).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let options = Options { width: side(0, 960)?, height: side(1, 540)?, ..Options::titled(title) };
    let start = Instant::now();
    let picture = mesh_picture(&loaded.mesh, &options);
    let drawn = start.elapsed();
    let png = picture.to_png();
    let encoded = start.elapsed() - drawn;
    if let Elements::Faces(faces) = &loaded.mesh.elements {
        let scene =
            Scene::new().faces(&loaded.mesh.vertices, faces, &Style::default().plain()).camera(Camera::fit());
        let start = Instant::now();
        scene.render(options.width, options.height);
        report(&format!("one view of the surface: {:.0} ms", start.elapsed().as_secs_f64() * 1e3));
    }
    report(&format!(
        "picture {:.0} ms, PNG {:.0} ms, {} bytes",
        drawn.as_secs_f64() * 1e3,
        encoded.as_secs_f64() * 1e3,
        png.len()
    ));
    std::fs::write(out, png)?;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example may speak")]
fn report(words: &str) {
    println!("{words}");
}
