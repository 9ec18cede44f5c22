//! What stands for the 1s of T14 eq. 5.6, which have units.
//!
//! ```text
//! φ₁, λ₁: the lowest mode that costs energy.   c = L/10 / max_v |φ₁(v)|,   e = ½ λ₁ c²                     (1)
//! ```
//! e is what it costs to bend the body in its softest way by a tenth of its longest side L, and c the coordinate of that. As printed, 1 and 1,
//! they are where the paper's own numbers hold: for shells whose longest side is 10 and whose two stiffnesses are 1.

use pliant_dynamics::minimise::Units;
use pliant_energy::{Body, Recipe};
use pliant_linalg::Watch;
use pliant_mesh::{Elements, MeshData};
use pliant_reduce::{Model, linear_modes};
use pliant_sim::SimError;

/// The lowest mode that costs energy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Softest {
    /// λ₁, 1/s².
    pub(crate) eigenvalue: f64,
    /// The largest displacement of a vertex where its coordinate is 1, m.
    reach: f64,
    /// The largest of its coordinates: 1 of a mode, less of one that is a mixture of them.
    largest: f64,
}

/// Of the eigenvalues of a reduced model those that are this small beside the largest are rigid motions.
const RIGID: f64 = 1e-9;

impl Softest {
    /// Of a model, in its own coordinates.
    pub(crate) fn of_model(model: &Model) -> Option<Self> {
        let r = model.rank();
        let (values, vectors) = model.reduced_stiffness().generalised_eigen(model.reduced_mass())?;
        let most = values.last().copied()?;
        // The lowest elastic mode of the full body says which of them are rigid.
        let least = model.lowest_eigenvalue().map_or(RIGID * most, |lowest| 0.5 * lowest);
        let k = values.iter().position(|x| *x > least)?;
        let shape = &vectors[k * r..(k + 1) * r];
        let mut u = vec![0.0; model.basis().size()];
        model.basis().expand(shape, &mut u);
        let largest = shape.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        Some(Self { eigenvalue: values[k], reach: reach(&u), largest })
    }

    /// Of a body; its coordinates are displacements.
    pub(crate) fn of_body(body: &Body, watch: &mut Watch<'_>) -> Result<Self, SimError> {
        let found = linear_modes(body, 1, watch)?;
        let shape = found.modes.shape(0);
        let reach = reach(shape);
        let largest = shape.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        Ok(Self { eigenvalue: found.modes.eigenvalues[0], reach, largest })
    }

    /// (1) for a body whose longest side is that.
    fn units(&self, side: f64) -> Units {
        let times = 0.1 * side / self.reach;
        Units { energy: 0.5 * self.eigenvalue * times * times, coordinate: times * self.largest }
    }
}

fn reach(u: &[f64]) -> f64 {
    u.chunks_exact(3).fold(0.0, |most: f64, u| most.max(u.iter().map(|x| x * x).sum::<f64>().sqrt()))
}

/// Units for a body of this mesh and recipe.
pub(crate) fn units(softest: Option<&Softest>, mesh: &MeshData, recipe: &Recipe) -> Units {
    let [low, high] = mesh.bounds();
    let side = (high - low).max();
    let one = |x: Option<f64>| x.is_none_or(|x| x == 1.0);
    let shell = matches!(mesh.elements, Elements::Faces(_)) && recipe.thickness.is_none();
    if shell && one(recipe.bend) && one(recipe.membrane) && (side / 10.0 - 1.0).abs() < 1e-6 {
        return Units::PRINTED;
    }
    let units = softest.map(|softest| softest.units(side));
    let sound = |units: &Units| [units.energy, units.coordinate].iter().all(|x| x.is_finite() && *x > 0.0);
    units.filter(sound).unwrap_or(Units::PRINTED)
}
