//! What the problems with frequencies share.

use anyhow::Result;
use pliant::energy::{Body, Recipe};
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::{Elements, MeshData, select, shapes};
use pliant::reduce::linear_modes;

/// An isotropic matter in SI units.
#[derive(Clone, Copy)]
pub struct Matter {
    /// Pa.
    pub young: f64,
    /// –
    pub poisson: f64,
    /// kg/m³.
    pub density: f64,
}

/// Structural steel as the benchmark problems use it.
pub const STEEL: Matter = Matter { young: 2.1e11, poisson: 0.3, density: 7850.0 };

/// A body of `matter`, held at `fix` (the words behind `--fix`).
pub fn body(mesh: &MeshData, matter: Matter, fix: &[&str]) -> Result<Body> {
    let fixed = fix.iter().map(|spec| select::select(mesh, spec)).collect::<Result<_, _>>()?;
    Ok(Recipe {
        material: Some("linear".into()),
        young: Some(matter.young),
        poisson: Some(matter.poisson),
        density: Some(matter.density),
        fixed,
        ..Recipe::default()
    }
    .build(mesh.clone())?)
}

/// The lowest `count` frequencies, Hz, and how many rigid modes there are beside them.
pub fn frequencies(mesh: &MeshData, matter: Matter, fix: &[&str], count: usize) -> Result<(Vec<f64>, usize)> {
    let found = linear_modes(&body(mesh, matter, fix)?, count, &mut ignore_progress)?;
    Ok((found.modes.frequencies_hz(), found.rigid.len()))
}

/// The limit h → 0 of values at three mesh sizes, f + a h² + b h⁴: linear tets err by h², and so do the frequencies.
pub fn richardson(h: [f64; 3], f: [f64; 3]) -> f64 {
    // Lagrange interpolation in h² at 0.
    let x = h.map(|h| h * h);
    (0..3).map(|i| f[i] * (0..3).filter(|&j| j != i).map(|j| x[j] / (x[j] - x[i])).product::<f64>()).sum()
}

/// The order at which three values approach their limit; sizes in a fixed ratio.
pub fn order(h: [f64; 3], f: [f64; 3]) -> f64 {
    ((f[0] - f[1]) / (f[1] - f[2])).abs().ln() / (h[0] / h[1]).ln()
}

/// Moves the vertices of a mesh.
pub fn mapped(mut mesh: MeshData, map: impl Fn(Vec3) -> Vec3) -> MeshData {
    mesh.vertices.iter_mut().for_each(|p| *p = map(*p));
    mesh
}

/// A box around the origin from one octant of it, mirrored along the axes that are asked for: its mesh then has the
/// symmetry of the box, and what is one frequency several times in theory is so on the mesh.
pub fn mirrored_box(size: Vec3, cells: [usize; 3], mirror: [bool; 3]) -> MeshData {
    let half = Vec3::from_fn(|c, _| if mirror[c] { 0.5 * size[c] } else { size[c] });
    let count: [usize; 3] = std::array::from_fn(|c| if mirror[c] { cells[c].div_ceil(2) } else { cells[c] });
    let mut data = shapes::bar(half, count).into_data();
    for axis in (0..3).filter(|&axis| mirror[axis]) {
        let Elements::Tets(tets) = &mut data.elements else { unreachable!("a bar is made of tets") };
        // Vertices on the plane of the mirror are their own images.
        let first = data.vertices.len();
        let mut image: Vec<u32> = (0..first as u32).collect();
        for v in 0..first {
            let mut p = data.vertices[v];
            if p[axis] > 1e-9 * size[axis] {
                p[axis] = -p[axis];
                image[v] = data.vertices.len() as u32;
                data.vertices.push(p);
            }
        }
        // A mirrored tet runs the other way round.
        let other: Vec<[u32; 4]> =
            tets.iter().map(|t| [t[1], t[0], t[2], t[3]].map(|v| image[v as usize])).collect();
        tets.extend(other);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn richardson_finds_the_limit_of_an_even_polynomial() {
        let f = |h: f64| 3.0 + 2.0 * h * h - 0.7 * h.powi(4);
        let h = [0.5, 0.3, 0.2];
        assert!((richardson(h, h.map(f)) - 3.0).abs() < 1e-13);
    }
}
