//! Numbers to colour a body with: one at each vertex of the surface that is shown.
//!
//! What is felt inside is found at the vertices of the body ([`pliant_energy::Quantity`]) and carried to the shown ones as their places
//! are; its energy is made once. Weights of a cubature are those of the heaviest tet, or piece of a surface, at a vertex: what
//! belongs to none has none.

use std::sync::Arc;

use pliant_energy::{Body, Quantity};
use pliant_linalg::table::Unknown;
use pliant_reduce::{Model, ReduceError};

use crate::OpenError;

/// One of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceQuantity {
    /// How far it has gone, m.
    Displacement,
    /// What is felt inside.
    Felt(Quantity),
    /// Of the cubature, that of the heaviest at a vertex.
    Weight,
}

/// A quantity with what doors say of it.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceQuantityEntry {
    /// What programs call it.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// SI; empty of a number without one.
    pub unit: &'static str,
    /// Itself.
    pub quantity: SurfaceQuantity,
}

impl SurfaceQuantity {
    /// All of them.
    pub const ALL: [SurfaceQuantityEntry; 5] = [
        entry("displacement", "Displacement", "m", Self::Displacement),
        entry("strain", "Strain", "", Self::Felt(Quantity::Strain)),
        entry("stress", "Von Mises’ stress", "Pa", Self::Felt(Quantity::Stress)),
        entry("energy", "Energy density", "J/m³", Self::Felt(Quantity::EnergyDensity)),
        entry("weights", "Cubature weights", "", Self::Weight),
    ];

    /// One of them.
    ///
    /// # Errors
    /// [`OpenError::Unknown`] of a name that none of them has.
    pub fn find(name: &str) -> Result<Self, OpenError> {
        let found = Self::ALL.iter().find(|entry| entry.name == name);
        found.map(|entry| entry.quantity).ok_or_else(|| {
            let known = Self::ALL.iter().map(|entry| entry.name).collect();
            Unknown { what: "quantity", name: name.to_owned(), known }.into()
        })
    }
}

const fn entry(
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    quantity: SurfaceQuantity,
) -> SurfaceQuantityEntry {
    SurfaceQuantityEntry { name, title, unit, quantity }
}

/// The quantities of one model.
pub struct SurfaceQuantities {
    model: Arc<Model>,
    body: Body,
}

impl SurfaceQuantities {
    /// Makes the energy of the body, which takes a while.
    ///
    /// # Errors
    /// A model whose body cannot be made.
    pub fn new(model: Arc<Model>) -> Result<Self, ReduceError> {
        let body = model.body()?;
        Ok(Self { model, body })
    }

    /// A quantity at each shown vertex, in the state `q` of all or the first coordinates, of a body that is `stiffness` times as stiff as it
    /// was built; `None` where this body has no such quantity.
    pub fn at(&self, quantity: SurfaceQuantity, q: &[f64], stiffness: f64) -> Option<Vec<f64>> {
        let mut all = vec![0.0; self.model.rank()];
        all.iter_mut().zip(q).for_each(|(all, q)| *all = *q);
        let mut u = vec![0.0; self.body.size()];
        self.model.basis().expand(&all, &mut u);
        let shown = self.model.surface();
        let inside = match quantity {
            SurfaceQuantity::Displacement => {
                return Some(shown.displacement(&u).iter().map(|u| u.norm()).collect());
            }
            SurfaceQuantity::Felt(felt) => {
                let factor = if felt == Quantity::Strain { 1.0 } else { stiffness };
                let mut values = self.body.quantity(felt, &u).ok()??;
                values.iter_mut().for_each(|x| *x *= factor);
                values
            }
            SurfaceQuantity::Weight => self.weights()?,
        };
        let value = |p: usize| shown.carriers.row(p).map(|(v, w)| w * inside[v as usize]).sum();
        Some((0..shown.rest.len()).map(value).collect())
    }

    fn weights(&self) -> Option<Vec<f64>> {
        let cubature = self.model.cubature()?;
        let energy = self.body.components();
        let mut heaviest = vec![0.0_f64; self.body.rest().len()];
        for (&c, &weight) in cubature.components.iter().zip(&cubature.weights) {
            let within = (c as usize) < energy.count();
            for &v in if within { energy.corners(c as usize) } else { &[] } {
                heaviest[v as usize] = heaviest[v as usize].max(weight);
            }
        }
        Some(heaviest)
    }
}

#[cfg(test)]
mod tests {
    use pliant_energy::Recipe;
    use pliant_linalg::{Vec3, ignore_progress};
    use pliant_mesh::{embed, select, shapes};
    use pliant_reduce::Precompute;

    use super::*;

    /// A ball with a finer one tied to it, held below.
    fn ball() -> Arc<Model> {
        let (tied, _) = embed::attach(shapes::ball(0.4, 2), &shapes::ball(0.4, 4).boundary()).expect("tied");
        let mesh = tied.into_data();
        let fixed = vec![select::select(&mesh, "y<20%").expect("a slab")];
        let precompute = Precompute { modes: Some(4), poses: Some(10), ..Precompute::default() };
        let recipe = Recipe { fixed, ..Recipe::default() };
        Arc::new(precompute.build(mesh, recipe, &mut ignore_progress).expect("a model").model)
    }

    #[test]
    fn what_is_shown_is_nothing_at_rest_and_what_is_felt_when_pulled() {
        let model = ball();
        let shown = SurfaceQuantities::new(model.clone()).expect("a body");
        let rest = vec![0.0; model.rank()];
        for entry in SurfaceQuantity::ALL {
            assert_eq!(SurfaceQuantity::find(entry.name).expect("a name"), entry.quantity);
            let found = shown.at(entry.quantity, &rest, 1.0).expect("of a solid with a cubature");
            assert_eq!(found.len(), model.surface().rest.len());
            let weights = entry.quantity == SurfaceQuantity::Weight;
            assert_eq!(found.iter().any(|x| *x != 0.0), weights, "{}", entry.name);
        }
        let mut q = rest.clone();
        q[0] = 0.02;
        let at = |name: &str, q: &[f64], stiffness: f64| {
            shown.at(SurfaceQuantity::find(name).expect("a name"), q, stiffness).expect("a number")
        };
        for (p, far) in at("displacement", &q, 1.0).iter().enumerate() {
            let moved: Vec3 = model.surface_basis().place(&q, p) - model.surface().rest[p];
            assert!((far - moved.norm()).abs() < 1e-12, "vertex {p}");
        }
        // Strains are small, so that they grow as the pull does, stresses with the stiffness too, and energies as its square.
        let largest = |name, q: &[f64], stiffness| at(name, q, stiffness).into_iter().fold(0.0, f64::max);
        q[0] = 1e-5;
        let twice: Vec<f64> = q.iter().map(|q| 2.0 * q).collect();
        for (name, power, stiffer) in [("strain", 1, 1.0), ("stress", 1, 3.0), ("energy", 2, 3.0)] {
            let (one, two) = (largest(name, &q, 1.0), largest(name, &twice, 3.0));
            let wanted = stiffer * 2_f64.powi(power);
            assert!((two / one / wanted - 1.0).abs() < 1e-3, "{name}: {}", two / one);
        }
        // The first coordinates alone mean the others are nothing.
        assert_eq!(at("strain", &q, 1.0), at("strain", &q[..1], 1.0));
        assert!(SurfaceQuantity::find("mood").is_err());
    }
}
