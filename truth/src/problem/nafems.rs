//! Two benchmarks of the National Agency for Finite Element Methods and Standards: FV32 and FV52.

use anyhow::Result;
use pliant::draw::Plot;
use pliant::linalg::Vec3;
use pliant::mesh::{MeshData, shapes};

use super::Problem;
use crate::modal::{self, Matter, mapped, order};
use crate::{Effort, Figure, Outcome, Row};

const MATTER: Matter = Matter { young: 2e11, poisson: 0.3, density: 8000.0 };

pub(super) const FV32: Problem = Problem {
    name: "fv32",
    title: "NAFEMS FV32: cantilevered tapered membrane",
    about: "A membrane of 10 m that tapers from 5 m to 1 m, 0.05 m thick, clamped at its root, vibrating in its plane: \
            plane stress, here half the thickness with z-rollers on the mid-plane. Reference: NAFEMS, 44.623, 130.03, \
            162.70 and 246.05 Hz.",
    run: fv32,
};

pub(super) const FV52: Problem = Problem {
    name: "fv52",
    title: "NAFEMS FV52: simply supported thick plate",
    about: "A plate of 10 × 10 × 1 m with z-rollers along the four lower edges: three rigid modes, then 45.897, 109.44 \
            (twice) and 167.89 Hz. Reference: NAFEMS.",
    run: fv52,
};

fn fv32_mesh(n: usize) -> MeshData {
    let block = shapes::bar(Vec3::new(10.0, 1.0, 0.025), [4 * n, 2 * n, 1]).into_data();
    let [low, high] = block.bounds();
    mapped(block, |p| {
        let (x, y, z) = (p.x - low.x, p.y - 0.5 * (low.y + high.y), p.z - low.z);
        Vec3::new(x, y * (5.0 - 0.4 * x), z)
    })
}

fn fv52_mesh(n: usize) -> MeshData {
    modal::mirrored_box(Vec3::new(10.0, 10.0, 1.0), [4 * n, 4 * n, n], [true, true, false])
}

/// z-rollers on the four lower edges: vertices on the bottom and on a side.
fn lower_edges(mesh: &MeshData) -> String {
    let [low, high] = mesh.bounds();
    let on = |x: f64, y: f64| (x - y).abs() < 1e-9;
    let edge = mesh.vertices.iter().enumerate().filter(|(_, p)| {
        on(p.z, low.z) && (on(p.x, low.x) || on(p.x, high.x) || on(p.y, low.y) || on(p.y, high.y))
    });
    format!("ids:{}:z", edge.map(|(v, _)| v.to_string()).collect::<Vec<_>>().join(","))
}

/// Rows at each mesh size, and the error against it.
fn study(
    name: &str,
    sizes: &[usize],
    reference: &[f64],
    limit: f64,
    solve: impl Fn(usize) -> Result<Vec<f64>>,
) -> Result<(Outcome, Vec<Vec<f64>>)> {
    let mut outcome = Outcome::default();
    let values = sizes.iter().map(|&n| solve(n)).collect::<Result<Vec<_>>>()?;
    let finest = values.last().expect("at least one mesh");
    for (k, &f) in reference.iter().enumerate() {
        outcome.rows.push(Row::relative(format!("mode {}, Hz, finest mesh", k + 1), f, finest[k], limit));
    }
    let mut plot =
        Plot::new(format!("{name}: error against mesh size")).x("elements across").y("ours / reference − 1");
    for (k, &f) in reference.iter().enumerate() {
        let points: Vec<[f64; 2]> =
            sizes.iter().zip(&values).map(|(&n, v)| [n as f64, v[k] / f - 1.0]).collect();
        plot = plot.curve(format!("mode {}", k + 1), &points);
    }
    outcome.figures.push((
        format!("{name}.svg"),
        format!("{name}: error against mesh size"),
        Figure::Svg(plot.to_svg()),
    ));
    Ok((outcome, values))
}

fn fv32(effort: Effort) -> Result<Outcome> {
    let (sizes, limit): (&[usize], _) =
        if effort == Effort::Full { (&[4, 8, 16], 1e-2) } else { (&[2, 4, 8], 4e-2) };
    let reference = [44.623, 130.03, 162.70, 246.05];
    let solve =
        |n: usize| Ok(modal::frequencies(&fv32_mesh(n), MATTER, &["x<0%", "z<0%:z"], reference.len())?.0);
    let (mut outcome, values) = study("fv32", sizes, &reference, limit, solve)?;
    let h = [1.0, 0.5, 0.25];
    let observed = order(h, [values[0][0], values[1][0], values[2][0]]);
    outcome.rows.push(Row::absolute("order of the first mode (absolute)", 2.0, observed, 0.4));
    outcome.notes.push(
        "Linear tets lock in bending: every frequency comes from above, and the first, which is bending in the plane, \
         needs several elements across the width before it is within a per cent."
            .into(),
    );
    Ok(outcome)
}

fn fv52(effort: Effort) -> Result<Outcome> {
    let (sizes, limit): (&[usize], _) =
        if effort == Effort::Full { (&[2, 4, 8, 12], 5e-2) } else { (&[2, 4], 0.3) };
    let reference = [45.897, 109.44, 109.44, 167.89];
    let solve = |n: usize| {
        let mesh = fv52_mesh(n);
        Ok(modal::frequencies(&mesh, MATTER, &[&lower_edges(&mesh)], reference.len())?.0)
    };
    let (mut outcome, values) = study("fv52", sizes, &reference, limit, solve)?;
    let finest = values.last().expect("at least one mesh");
    outcome.rows.push(Row::relative("the pair, one against the other, Hz", finest[1], finest[2], 1e-6));
    // Locking and the weakening support both make frequencies fall with refinement.
    let falls = values.windows(2).all(|w| (0..reference.len()).all(|k| w[1][k] < w[0][k]));
    outcome.rows.push(Row::absolute(
        "every frequency falls with refinement (1 = yes)",
        1.0,
        f64::from(u8::from(falls)),
        0.0,
    ));
    let mesh = fv52_mesh(1);
    let rigid = modal::frequencies(&mesh, MATTER, &[&lower_edges(&mesh)], 1)?.1;
    outcome.rows.insert(0, Row::absolute("rigid modes", 3.0, rigid as f64, 0.0));
    outcome.notes.push(
        "Two errors work against each other here. Linear tets lock in bending, which raises the frequencies on coarse \
         meshes. And a line of single vertices is a support that weakens as the mesh is refined: in three dimensions a \
         line carries no load without an infinite displacement, so that the frequencies keep falling slowly, below the \
         benchmark's own if one goes on, and do not converge to it."
            .into(),
    );
    Ok(outcome)
}
