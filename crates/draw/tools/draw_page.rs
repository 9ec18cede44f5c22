//! Draws a page with every kind of section and a plot by itself: `cargo run -p pliant-draw --bin draw_page -- FOLDER`.

use std::f64::consts::TAU;
use std::path::PathBuf;

use pliant_draw::{Card, Deformed, Options, Plot, Section, Severity, deformed_picture, html_page};
use pliant_linalg::Vec3;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    std::fs::create_dir_all(&folder)?;
    let swing = |f: f64, d: f64, phase: f64| -> Vec<[f64; 2]> {
        let at = |t: f64| [t, 0.05 * (-d * t).exp() * (TAU * f * t + phase).sin().powi(2)];
        (0..=960).map(|i| at(f64::from(i) / 480.0)).collect()
    };
    let energies = Plot::new("Energy of the swinging bar")
        .x("time, s")
        .y("energy, J")
        .curve("kinetic", &swing(2.1, 0.8, 0.0))
        .curve("elastic", &swing(2.1, 0.8, TAU / 4.0))
        .dashed(
            "total",
            &(0..=100).map(|i| f64::from(i) / 50.0).map(|t| [t, 0.05 * (-0.8 * t).exp()]).collect::<Vec<_>>(),
        );
    let order = |p: i32, c: f64| -> Vec<[f64; 2]> {
        (0..7).map(|i| 0.5f64.powi(i)).map(|h| [h, c * h.powi(p)]).collect()
    };
    let errors = Plot::new("Error against the size of the elements")
        .x("edge, m")
        .y("relative error")
        .log_x()
        .log_y()
        .curve("L2", &order(2, 0.08))
        .dots("L2, measured", &order(2, 0.085))
        .curve("H1", &order(1, 0.3))
        .dots("H1, measured", &order(1, 0.28));
    std::fs::write(folder.join("energies.svg"), energies.to_svg())?;
    std::fs::write(folder.join("errors.svg"), errors.to_svg())?;
    let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.12, 0.12), [24, 3, 3]).into_data();
    let dino = pliant_mesh::shapes::find("dino")
        .and_then(|shape| shape.make(&Default::default(), &mut pliant_linalg::ignore_progress))
        .map_err(std::io::Error::other)?;
    let small = Options { width: 480, height: 320, edges: false, ..Options::default() };
    let bend = |mesh: &pliant_mesh::MeshData, k: f64| -> Vec<f64> {
        let [low, high] = mesh.bounds();
        let length = (high - low).x;
        let u = |p: &Vec3| {
            let s = (p.x - low.x) / length;
            [0.0, 0.12 * length * (k * s * TAU / 4.0).sin() * s, 0.05 * length * s * s]
        };
        mesh.vertices.iter().flat_map(u).collect()
    };
    let card = |k: i32| {
        let shape = bend(&bar, f64::from(k));
        let deformed = Deformed { displacement: &shape, times: 1.0, label: String::new() };
        Card {
            png: deformed_picture(&bar, &deformed, &small).to_png(),
            title: format!("mode {k}"),
            facts: vec![
                ("frequency".into(), format!("{:.2} Hz", 83.28 * f64::from(k * k))),
                ("effective mass".into(), format!("{:.1} %", 61.0 / f64::from(k * k))),
                ("participation".into(), format!("{:.3}", 1.57 / f64::from(k))),
            ],
        }
    };
    let large = |mesh: &pliant_mesh::MeshData, title: &str| {
        let moved = bend(mesh, 2.0);
        let deformed = Deformed { displacement: &moved, times: 1.0, label: "displacement, m".into() };
        deformed_picture(mesh, &deformed, &Options::titled(title)).to_png()
    };
    let picture = large(&bar, "bar at 0.42 s");
    std::fs::write(folder.join("bar.png"), &picture)?;
    std::fs::write(folder.join("dino.png"), large(&dino, "dino"))?;
    let rows = (1..4)
        .map(|k| vec![format!("mode {k}"), format!("{:.2}", 83.28 * f64::from(k * k)), "1.2e-11".into()]);
    let page = html_page(
        "bar.veg",
        "240 steps of 8.3 ms, implicit Newmark",
        &[
            Section::Picture(picture, "The bar when it is bent most".into()),
            Section::Heading("Modes".into()),
            Section::Gallery((1..7).map(card).collect()),
            Section::Table(["", "frequency, Hz", "residual"].map(String::from).to_vec(), rows.collect()),
            Section::Heading("Energy".into()),
            Section::Text(
                "What is lost is lost to damping: the curve of the total energy falls and never rises."
                    .into(),
            ),
            Section::Plot(energies, "Kinetic and elastic energy".into()),
            Section::Plot(errors, String::new()),
            Section::Findings(vec![(Severity::Warning, "step 17 was halved twice".into())]),
            Section::Facts(vec![("material".into(), "stable-neo-hookean".into())]),
        ],
    );
    std::fs::write(folder.join("page.html"), page)
}
