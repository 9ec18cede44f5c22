//! What the problems with frequencies share.

use anyhow::Result;
use pliant::energy::{Body, Recipe};
use pliant::linalg::{Vec3, ignore_progress};
use pliant::mesh::{MeshData, select};
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
    let modes = linear_modes(&body(mesh, matter, fix)?, count, &mut ignore_progress)?;
    Ok((modes.frequencies_hz(), modes.rigid.len()))
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
