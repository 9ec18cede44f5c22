//! Free and clamped blocks and the elastic ball: frequencies with their multiplicities.

use anyhow::Result;
use pliant::draw::Plot;
use pliant::linalg::Vec3;
use pliant::mesh::{MeshData, shapes};

use super::Problem;
use crate::modal::{self, Matter, STEEL, richardson};
use crate::{Effort, Figure, Outcome, Row};

pub(super) const CUBE: Problem = Problem {
    name: "cube",
    title: "Free cube",
    about: "The free unit cube, E = ρ = 1, ν = 0.3, extrapolated over three structured meshes. Reference: Ritz \
            solutions of high order. Modes come in pairs and triples; none may be lost.",
    run: cube,
};

pub(super) const BAR: Problem = Problem {
    name: "bar",
    title: "Steel bar, free and clamped",
    about: "A bar of 1 × 0.1 × 0.1 m, E = 2.1e11 Pa, ν = 0.3, ρ = 7850 kg/m³, free, and clamped at one end, \
            extrapolated over three structured meshes. Reference: converged solutions of high order.",
    run: bar,
};

pub(super) const BALL: Problem = Problem {
    name: "ball",
    title: "Elastic ball",
    about: "The free elastic ball, ν = 0.3: ωa/c_s of the torsional and the spheroidal modes with l = 2, five of each. \
            Reference: Lamb's solution.",
    run: ball,
};

/// Extrapolated within this share.
const LIMIT: f64 = 2e-3;

/// A body on three meshes.
struct Case<'a> {
    name: &'a str,
    /// Cells of each mesh.
    sizes: [usize; 3],
    matter: Matter,
    fix: &'a [&'a str],
    /// Of the extrapolated frequencies.
    limit: f64,
    /// From hertz to the unit of the reference.
    scale: f64,
}

/// Frequencies on three meshes, the extrapolated rows, and a plot of the errors.
fn study(
    case: &Case<'_>,
    mesh: impl Fn(usize) -> MeshData,
    reference: &[(f64, usize)],
) -> Result<(Outcome, usize)> {
    let &Case { name, sizes, matter, fix, limit, scale } = case;
    let all: Vec<f64> = reference.iter().flat_map(|&(f, times)| std::iter::repeat_n(f, times)).collect();
    let mut values = Vec::new();
    let mut rigid = 0;
    for n in sizes {
        let (f, r) = modal::frequencies(&mesh(n), matter, fix, all.len())?;
        values.push(f.iter().map(|f| f * scale).collect::<Vec<f64>>());
        rigid = r;
    }
    let h = sizes.map(|n| 1.0 / n as f64);
    let mut outcome = Outcome::default();
    let mut plot =
        Plot::new(format!("{name}: error against mesh size")).x("h").y("relative error").log_x().log_y();
    let mut k = 0;
    for &(f, times) in reference {
        for copy in 0..times {
            let at = [values[0][k], values[1][k], values[2][k]];
            let which = if times == 1 { String::new() } else { format!(" ({} of {times})", copy + 1) };
            outcome.rows.push(Row::relative(
                format!("{name}, mode {}{which}", k + 1),
                f,
                richardson(h, at),
                limit,
            ));
            if copy == 0 {
                let points: Vec<[f64; 2]> = (0..3).map(|i| [h[i], (at[i] / f - 1.0).abs()]).collect();
                plot = plot.curve(format!("{f:.6}"), &points);
            }
            k += 1;
        }
    }
    outcome.figures.push((
        format!("{}.svg", name.replace(' ', "-")),
        format!("{name}: error of each mesh before extrapolation"),
        Figure::Svg(plot.to_svg()),
    ));
    Ok((outcome, rigid))
}

fn rigid_row(name: &str, expected: usize, rigid: usize) -> Row {
    Row::absolute(format!("{name}, rigid modes"), expected as f64, rigid as f64, 0.0)
}

/// (frequency, multiplicity on a mesh with the cube's symmetry, which group of that multiplicity it is). The three Lamé
/// modes at c_s/√2 are a pair and a single one there.
const GROUPS: [(f64, usize, usize); 5] =
    [(0.281902, 2, 0), (0.379612, 3, 0), (0.386055, 3, 1), (0.43852901, 2, 1), (0.43852901, 1, 0)];

/// Equal values in a row: value and how many.
fn groups(f: &[f64]) -> Vec<(f64, usize)> {
    let mut all: Vec<(f64, usize)> = Vec::new();
    for &f in f {
        match all.last_mut() {
            Some((g, times)) if (f / *g - 1.0).abs() < 1e-7 => *times += 1,
            _ => all.push((f, 1)),
        }
    }
    all
}

fn cube(effort: Effort) -> Result<Outcome> {
    let (sizes, limit, reference) = match effort {
        Effort::Full => ([12, 16, 20], LIMIT, &GROUPS[..]),
        // Below eight cells the two triples change places.
        Effort::Quick => ([8, 10, 12], 1e-2, &GROUPS[..3]),
    };
    let unit = Matter { young: 1.0, poisson: 0.3, density: 1.0 };
    let h = sizes.map(|n| 1.0 / n as f64);
    let mut outcome = Outcome::default();
    let mut found = Vec::new();
    for n in sizes {
        let mesh = modal::mirrored_box(Vec3::new(1.0, 1.0, 1.0), [n; 3], [true; 3]);
        // Modes of other families lie in between on coarse meshes, so a few more are asked for.
        let (f, rigid) = modal::frequencies(&mesh, unit, &[], 16)?;
        if n == sizes[0] {
            outcome.rows.push(rigid_row("free cube", 6, rigid));
        }
        found.push(groups(&f));
    }
    let mut plot = Plot::new("free cube: error against mesh size").x("h").y("relative error").log_x().log_y();
    for &(f, times, which) in reference {
        let at: Vec<f64> = found
            .iter()
            .map(|g| g.iter().filter(|g| g.1 == times).nth(which).map_or(f64::NAN, |g| g.0))
            .collect();
        let at = [at[0], at[1], at[2]];
        let what = format!("free cube, Hz, {}", ["single", "pair", "triple"][times - 1]);
        outcome.rows.push(Row::relative(what, f, richardson(h, at), limit));
        let points: Vec<[f64; 2]> = (0..3).map(|i| [h[i], (at[i] / f - 1.0).abs()]).collect();
        plot = plot.curve(format!("{f:.6}, {times} times"), &points);
    }
    outcome.notes.push(
        "The meshes are mirrored along all axes and have the symmetry of the cube, so that pairs and triples are equal to \
         round-off. The three Lamé modes are no triple of the cube's symmetry but a pair and a single one, which linear tets \
         approach at different speed."
            .into(),
    );
    let caption = "free cube: error of each mesh before extrapolation".to_owned();
    outcome.figures.push(("free-cube.svg".into(), caption, Figure::Svg(plot.to_svg())));
    Ok(outcome)
}

fn bar(effort: Effort) -> Result<Outcome> {
    let sizes = if effort == Effort::Full { [4, 6, 8] } else { [2, 3, 4] };
    let limit = if effort == Effort::Full { LIMIT } else { 2e-2 };
    let mesh = |n| shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10 * n, n, n]).into_data();
    let free = [(513.8185, 2), (1338.54, 2), (1472.9, 1)];
    let (mut outcome, rigid) =
        study(&Case { name: "free bar", sizes, matter: STEEL, fix: &[], limit, scale: 1.0 }, mesh, &free)?;
    outcome.rows.insert(0, rigid_row("free bar", 6, rigid));
    let clamped = [(83.28, 2), (499.4, 2), (737.7, 1), (1296.8, 1), (1315.0, 2)];
    let (second, rigid) = study(
        &Case { name: "clamped bar", sizes, matter: STEEL, fix: &["x<0%"], limit, scale: 1.0 },
        mesh,
        &clamped,
    )?;
    outcome.rows.push(rigid_row("clamped bar", 0, rigid));
    outcome.rows.extend(second.rows);
    outcome.figures.extend(second.figures);
    Ok(outcome)
}

fn ball(effort: Effort) -> Result<Outcome> {
    let sizes = if effort == Effort::Full { [8, 12, 16] } else { [4, 6, 8] };
    let limit = if effort == Effort::Full { LIMIT } else { 2e-2 };
    let matter = Matter { young: 2.6, poisson: 0.3, density: 1.0 };
    // c_s = √(μ/ρ) = 1 for E = 2.6, ν = 0.3; ω a / c_s = 2π f.
    let reference = [(2.50113262, 5), (2.646217, 5)];
    let mesh = |n| shapes::ball(1.0, n).into_data();
    let (mut outcome, rigid) = study(
        &Case { name: "elastic ball", sizes, matter, fix: &[], limit, scale: std::f64::consts::TAU },
        mesh,
        &reference,
    )?;
    outcome.rows.insert(0, rigid_row("elastic ball", 6, rigid));
    Ok(outcome)
}
