//! T14 Table 3.2: how long subspaces take to make.

use anyhow::{Context as _, Result};
use pliant::energy::{Body, Recipe};
use pliant::mesh::{MeshData, select};
use pliant::reduce::{Request, basis};

use super::Table;
use crate::stages::{MODES, Stages};
use crate::{Grid, Outcome, Part, Run, mesh, seconds};

pub(super) const CONSTRUCTION: Table = Table {
    name: "construction",
    title: "Subspace construction times (T14 Table 3.2)",
    about: "Linear modes, and what extending them or adding their derivatives takes beyond that, on the meshes that come next in size to those \
            of the document, which could not be had; its largest is a shell, ours a solid. Times are the wall clock's on the machine \
            above, the document's are of a laptop of 2012. Of a free body 6 of the r modes are rigid and 14 vibrations are \
            asked for; held ones stand on their lowest 5 %.",
    run,
};

/// A row of the document: model, vertices, d (r), seconds of modes, extended modes, derivatives.
type Theirs = (&'static str, &'static str, &'static str, [f64; 3]);

const ROWS: [(&str, MeshSource, Theirs); 5] = [
    (
        "armadillo_11k refined twice (solid, free)",
        MeshSource::Refined(2),
        ("Chinese Dragon", "130k", "138 (20)", [102.0, 8.0, 407.0]),
    ),
    (
        "armadillo (shell)",
        MeshSource::File("surfaces/armadillo.obj"),
        ("Dinosaur", "56k", "135 (15)", [38.0, 3.0, 169.0]),
    ),
    (
        "beetle (shell)",
        MeshSource::File("surfaces/beetle.off"),
        ("Elephant", "25k", "135 (15)", [17.0, 1.0, 81.0]),
    ),
    (
        "armadillo_157k (solid)",
        MeshSource::File("tets/armadillo_157k.mesh"),
        ("Dragon", "26k", "135 (15)", [9.0, 1.0, 28.0]),
    ),
    (
        "armadillo_11k refined once (solid)",
        MeshSource::Refined(1),
        ("Vertebrae", "16k", "135 (15)", [7.0, 1.0, 21.0]),
    ),
];

/// Source of a mesh.
#[derive(Clone, Copy)]
enum MeshSource {
    File(&'static str),
    /// armadillo_11k, refined so often.
    Refined(usize),
}

const COARSE: &str = "tets/armadillo_11k.mesh";

/// Seconds of modes, of extending them, of their derivatives; and the number of coordinates.
struct Measured {
    modes: f64,
    extended: f64,
    derivatives: f64,
    rank: usize,
}

fn run(run: &Run) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut grid = Grid::new(&[
        "mesh",
        "vertices",
        "d (r)",
        "modes",
        "extended",
        "derivatives",
        "derivatives / extended",
        "T14",
        "vertices",
        "modes",
        "extended",
        "derivatives",
        "derivatives / extended",
    ]);
    for (name, made, theirs) in ROWS {
        let free = name.contains("free");
        let mesh = if run.full {
            let (file, times) = match made {
                MeshSource::File(file) => (file, 0),
                MeshSource::Refined(times) => (COARSE, times),
            };
            let Some(path) = run.file(file) else {
                outcome.missing.push(file.to_owned());
                continue;
            };
            (0..times).try_fold(mesh::load(&path)?, |mesh, _| mesh::refine(mesh))?
        } else {
            mesh::post()
        };
        run.tell(&format!("construction: {name}, {} vertices", mesh.vertices.len()));
        let vertices = mesh.vertices.len();
        let modes = if free { 14 } else { 15 };
        let measured = measure(&body(mesh, free)?, if run.full { modes } else { 3 })?;
        let (model, their_vertices, _, times) = theirs;
        grid.push(vec![
            name.to_owned(),
            vertices.to_string(),
            format!("{} ({})", measured.rank, if free { modes + 6 } else { modes }),
            seconds(measured.modes),
            seconds(measured.extended),
            seconds(measured.derivatives),
            format!("{:.1}", measured.derivatives / measured.extended),
            model.to_owned(),
            their_vertices.to_owned(),
            seconds(times[0]),
            seconds(times[1]),
            seconds(times[2]),
            format!("{:.0}", times[2] / times[1]),
        ]);
        if !run.full {
            break;
        }
    }
    outcome.parts.push(Part::Grid(grid));
    Ok(outcome)
}

fn body(mesh: MeshData, free: bool) -> Result<Body> {
    let fixed = if free { Vec::new() } else { vec![select::select(&mesh, "y<5%")?] };
    Ok(Recipe { fixed, ..Recipe::default() }.build(mesh)?)
}

fn measure(body: &Body, modes: usize) -> Result<Measured> {
    let make = |name: &str, rank: Option<usize>| -> Result<(usize, Stages)> {
        let entry = basis::find(name).context("a basis of the table")?;
        let (built, stages) =
            Stages::of(|watch| (entry.make)(body, &Request { rank, ..Request::of_modes(modes) }, watch));
        Ok((built?.basis.rank(), stages))
    };
    let (rank, extended) = make("extended", None)?;
    // As many coordinates, where there are as many modes, pairs of them, and of a free body affine fields and turned modes.
    let free = if body.rigid_count() > 0 { 12 + 3 * modes } else { 0 };
    let (_, derivatives) = make("derivatives", Some(rank.min(modes * (modes + 3) / 2 + free)))?;
    // Modes were made twice: the shorter time has less of everything else that the machine did.
    let modes = extended.sum(MODES).min(derivatives.sum(MODES));
    Ok(Measured { modes, extended: extended.beside(MODES), derivatives: derivatives.beside(MODES), rank })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_takes_time() {
        let body = body(mesh::post(), false).expect("a body");
        let measured = measure(&body, 4).expect("measured");
        assert_eq!(measured.rank, 36);
        assert!(measured.modes > 0.0 && measured.extended > 0.0 && measured.derivatives > 0.0);
    }
}
