//! Numbers to colour a body with: one at each vertex of the surface that is shown.
//!
//! What is felt inside is found at the vertices of the body ([`pliant_energy::Quantity`]) and carried to the shown ones as their places
//! are; its energy is made once. A surface has strain always, that of its sides where its thickness is known, and stress where it is a
//! plate. Weights of a cubature are those of the heaviest tet, or piece of a surface, at a vertex: what belongs to none has none.
//!
//! ```text
//! error of the reduced force at a point p:   |U_p (f̃(q) − Uᵀ∂W/∂u(Uq))| / max over p of |U_p Uᵀ∂W/∂u(Uq)|
//! ```
//! U is orthonormal in the mass, so that U f is the acceleration that a reduced force f makes: the error is by how much that of a point is
//! wrong, of the largest there is. What no coordinate can say is not in it.

use std::sync::Arc;

use pliant_energy::{Body, Quantity};
use pliant_linalg::table::Unknown;
use pliant_mesh::Kind;
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
    /// By how much the acceleration that the reduced force makes is wrong, as a part of the largest.
    ForceError,
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
    /// Whether it takes so long that doors offer it of bodies that stand still alone.
    pub fn takes_long(self) -> bool {
        self == Self::ForceError
    }
}

impl SurfaceQuantity {
    /// All of them.
    pub const ALL: [SurfaceQuantityEntry; 6] = [
        entry("displacement", "Displacement", "m", Self::Displacement),
        entry("strain", "Strain", "", Self::Felt(Quantity::Strain)),
        entry("stress", "Von Mises’ stress", "Pa", Self::Felt(Quantity::Stress)),
        entry("energy", "Energy density", "J/m³", Self::Felt(Quantity::EnergyDensity)),
        entry("weights", "Cubature weights", "", Self::Weight),
        entry("error", "Error of the reduced force", "", Self::ForceError),
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
            SurfaceQuantity::ForceError => return self.force_error(&all, &u),
            SurfaceQuantity::Felt(felt) if self.model.mesh().kind() != Kind::Tets => {
                self.felt_by_sheet(felt, &u, stiffness)?
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

    /// Stress is known of a plate: where Young's modulus and the thickness say what it is.
    fn felt_by_sheet(&self, felt: Quantity, u: &[f64], stiffness: f64) -> Option<Vec<f64>> {
        let recipe = self.model.recipe();
        let (young, thickness) = (recipe.young, recipe.thickness);
        match felt {
            Quantity::Strain => self.body.sheet_strain(thickness, u),
            Quantity::Stress => self.body.sheet_stress(young? * stiffness, thickness?, u),
            Quantity::EnergyDensity => {
                let mut density = self.body.quantity(felt, u).ok()??;
                density.iter_mut().for_each(|x| *x *= stiffness);
                Some(density)
            }
        }
    }

    fn force_error(&self, q: &[f64], u: &[f64]) -> Option<Vec<f64>> {
        let (basis, r) = (self.model.basis(), self.model.rank());
        let mut force = vec![0.0; self.body.size()];
        self.body.force(u, &mut force).ok()?;
        let (mut full, mut reduced) = (vec![0.0; r], vec![0.0; r]);
        basis.project(&force, &mut full);
        self.model.evaluator().force(q, &mut reduced).ok()?;
        reduced.iter_mut().zip(&full).for_each(|(reduced, full)| *reduced -= full);
        let mut sizes = |f: &[f64]| -> Vec<f64> {
            basis.expand(f, &mut force);
            self.model.surface().displacement(&force).iter().map(|a| a.norm()).collect()
        };
        let largest = sizes(&full).into_iter().fold(0.0, f64::max);
        let mut wrong = sizes(&reduced);
        // At rest there is no force that could be wrong.
        wrong.iter_mut().for_each(|x| *x = if largest > 0.0 { *x / largest } else { 0.0 });
        Some(wrong)
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

    /// Held below, of Saint Venant and Kirchhoff's law.
    fn bar(forces: &str) -> Arc<Model> {
        let mesh = shapes::bar(Vec3::new(0.2, 1.0, 0.2), [2, 6, 2]).into_data();
        let fixed = vec![select::select(&mesh, "y<1%").expect("an end")];
        let precompute = Precompute { modes: Some(4), forces: Some(forces.into()), ..Precompute::default() };
        let recipe = Recipe { fixed, material: Some("stvk".into()), ..Recipe::default() };
        Arc::new(precompute.build(mesh, recipe, &mut ignore_progress).expect("a model").model)
    }

    #[test]
    fn the_error_of_a_force_is_none_of_an_exact_one_and_what_is_missing_of_another() {
        let error = |model: &Arc<Model>, q: &[f64]| {
            let all = SurfaceQuantities::new(model.clone()).expect("a body");
            all.at(SurfaceQuantity::ForceError, q, 1.0).expect("forces").into_iter().fold(0.0, f64::max)
        };
        let (exact, linear) = (bar("cubic"), bar("linear"));
        let mut q = vec![0.0; exact.rank()];
        (q[0], q[1]) = (3.0, -2.0);
        assert!(error(&exact, &q) < 1e-9, "{}", error(&exact, &q));
        let mut q = vec![0.0; linear.rank()];
        // What is missing begins with the square of the pull: of a force ten times as small a tenth.
        let errors = [1e-3, 1e-4].map(|far| {
            (q[0], q[1]) = (far, -far);
            error(&linear, &q)
        });
        let order = (errors[0] / errors[1]).log10();
        assert!(errors[0] > 1e-7 && order > 0.9 && order < 2.1, "{errors:?}");
    }

    #[test]
    fn a_sheet_has_a_strain_and_where_it_is_a_plate_a_stress() {
        let options = shapes::ShapeOptions { subdivision: Some(6), ..Default::default() };
        let mesh = shapes::find("cloth").expect("a shape").make(&options, &mut ignore_progress);
        let mesh = mesh.expect("a sheet");
        let fixed = vec![select::select(&mesh, "x<5%").expect("a rim")];
        let made = |recipe: Recipe| {
            let precompute = Precompute { modes: Some(4), poses: Some(10), ..Precompute::default() };
            let model = precompute.build(mesh.clone(), recipe, &mut ignore_progress).expect("a model").model;
            SurfaceQuantities::new(Arc::new(model)).expect("a body")
        };
        let plain = made(Recipe { fixed: fixed.clone(), ..Recipe::default() });
        let plate = made(Recipe { fixed, young: Some(1e6), thickness: Some(0.01), ..Recipe::default() });
        let mut q = vec![0.0; plate.model.rank()];
        q[1] = 0.01;
        let largest = |of: &SurfaceQuantities, felt, stiffness| {
            let found = of.at(SurfaceQuantity::Felt(felt), &q, stiffness);
            found.map(|all| all.into_iter().fold(0.0, f64::max))
        };
        assert!(largest(&plain, Quantity::Strain, 1.0).is_some_and(|strain| strain > 0.0));
        assert_eq!(largest(&plain, Quantity::Stress, 1.0), None);
        let [one, three] = [1.0, 3.0].map(|k| largest(&plate, Quantity::Stress, k).expect("a plate"));
        assert!(one > 0.0 && (three / one - 3.0).abs() < 1e-12);
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
