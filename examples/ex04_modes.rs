//! Example 4: modes and their pictures. How a body vibrates, as numbers and as PNG files.
//!
//! Shows: a body at full order, its linear modes, frequencies, participation, and drawing without a screen.
//! Run:   cargo run --release --example ex04_modes -- FOLDER      (pictures go there; without: into the temporary folder)
//! Picture: it writes mode1.png to mode4.png.
//! Read next: ex07_full_against_reduced.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;
use std::path::PathBuf;

use pliant::prelude::*;

/// With the folder that the command line names.
pub fn main() -> Result<(), Box<dyn Error>> {
    show(std::env::args_os().nth(1).map(PathBuf::from))
}

/// The whole of it.
pub fn show(folder: Option<PathBuf>) -> Result<(), Box<dyn Error>> {
    let elsewhere = || std::env::temp_dir().join(format!("pliant-modes-{}", std::process::id()));
    let folder = folder.unwrap_or_else(elsewhere);
    std::fs::create_dir_all(&folder)?;
    let bar = shapes::bar(Vec3::new(1.0, 0.1, 0.2), [20, 2, 4]).into_data();
    let fixed = vec![select(&bar, "x<1%")?];
    let body =
        Recipe { young: Some(2e9), poisson: Some(0.3), fixed, ..Recipe::default() }.build(bar.clone())?;
    let found = linear_modes_quietly(&body, 4)?;

    // A cross-section that is twice as wide as high: the first mode bends about the weak axis, the second about the strong
    // one, at twice the frequency.
    let hz = found.modes.frequencies_hz();
    println!("{hz:.2?} Hz");
    assert!((1.5..2.1).contains(&(hz[1] / hz[0])), "{hz:?}");
    let along = |k: usize| found.participation(k).map(|g| 100.0 * g * g / body.total_mass());
    assert!(along(0)[1] > 50.0 && along(1)[2] > 50.0, "{:?} {:?}", along(0), along(1));

    for (k, hz) in hz.iter().enumerate() {
        let displacement = found.modes.shape(k);
        let largest =
            displacement.chunks_exact(3).map(|u| Vec3::from_column_slice(u).norm()).fold(0.0, f64::max);
        let deformed = draw::Deformed { displacement, times: 0.1 / largest, label: String::new() };
        let titled = draw::Options::titled(format!("mode {}: {hz:.1} Hz", k + 1));
        let options = draw::Options { width: 480, height: 360, ..titled };
        let path = folder.join(format!("mode{}.png", k + 1));
        std::fs::write(&path, draw::deformed_picture(&bar, &deformed, &options).to_png())?;
        println!("{}", path.display());
    }
    Ok(())
}
