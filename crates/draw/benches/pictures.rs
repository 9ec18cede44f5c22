//! How long pictures take: `cargo bench -p pliant-draw --bench pictures -- MESH…`. The best of twelve runs.

use std::path::Path;
use std::time::Instant;

use pliant_draw::{Camera, Cut, Options, Scene, Style, mesh_picture};
use pliant_linalg::Vec3;
use pliant_mesh::{Elements, io};

#[expect(clippy::print_stdout, reason = "a measurement is printed")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo bench` adds `--bench` to what the user wrote.
    for path in std::env::args().skip(1).filter(|word| word != "--bench") {
        let mesh = io::load(Path::new(&path))?.mesh;
        let one = || {
            let style = Style::default();
            let scene = match &mesh.elements {
                Elements::Tets(tets) => Scene::new().solid(
                    &mesh.vertices,
                    tets,
                    Cut::half(&mesh.vertices, tets, Vec3::z()),
                    &style,
                ),
                Elements::Faces(faces) => Scene::new().faces(&mesh.vertices, faces, &style),
            };
            scene.camera(Camera::fit()).render(960, 540)
        };
        println!("{path}: {} {}", mesh.elements.len(), mesh.kind().name());
        println!("  one view 960 x 540   {:6.1} ms", best(&one));
        println!("  mesh_picture         {:6.1} ms", best(&|| mesh_picture(&mesh, &Options::default())));
        let image = one();
        println!("  PNG                  {:6.1} ms", best(&|| image.to_png()));
    }
    Ok(())
}

/// Milliseconds.
fn best<T>(work: &dyn Fn() -> T) -> f64 {
    (0..12)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .fold(f64::INFINITY, f64::min)
}
