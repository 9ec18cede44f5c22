//! What is felt inside a deformed body, as one number at each vertex: how far it is strained, how hard it is stressed, where its
//! energy is.
//!
//! ```text
//! E = ½(FᵀF − I) = Σ e_i n_i n_iᵀ,     strain = max |λ_i − 1|,  λ_i = √(1 + 2e_i) = 1 + 2e_i / (1 + √(1 + 2e_i))
//! σ = P Fᵀ / det F,   s = σ − ⅓ tr(σ) I,   von Mises' stress = √(3/2 s:s)
//! density = ψ(F);  at a vertex each is the mean of its tets, weighted by their volumes at rest
//! ```
//! Pulled out along one axis, a bar has the strain of its length and the stress of its section. The sum in which λ − 1 stands keeps all
//! its digits where nearly nothing is strained. Tets where ψ is not defined are left out of the mean; inside out they have no σ, which is
//! taken for nothing.
//! Of a surface there is the density alone, J/m²: its energy at a vertex over the area there; `sheet.rs` has the rest.

use pliant_linalg::{Mat3, Vec3};

use crate::{Body, Inadmissible};

/// One of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The largest part by which a length grew or shrank.
    Strain,
    /// Von Mises' stress, Pa.
    Stress,
    /// Elastic energy: J/m³, of a surface J/m².
    EnergyDensity,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Strain, Self::Stress, Self::EnergyDensity];

    /// `strain`, `stress`, `energy`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strain => "strain",
            Self::Stress => "stress",
            Self::EnergyDensity => "energy",
        }
    }
}

impl Body {
    /// A quantity at every vertex when the displacement is `u`; zero where no element is, `None` where this body has no such quantity.
    ///
    /// # Errors
    /// [`Inadmissible`] of a surface whose W is not defined.
    pub fn quantity(&self, quantity: Quantity, u: &[f64]) -> Result<Option<Vec<f64>>, Inadmissible> {
        let energy = self.components();
        let Some(solid) = energy.solid() else {
            return match quantity {
                Quantity::EnergyDensity => self.density_of_surface(u).map(Some),
                Quantity::Strain | Quantity::Stress => Ok(None),
            };
        };
        let values = self.per_component(u, |tets, u, out| {
            for ((&t, u), out) in tets.iter().zip(u).zip(out) {
                let H = solid.element(t as usize).displacement_gradient(u);
                let material = solid.material(t as usize);
                *out = match quantity {
                    Quantity::Strain => Some(strain(&H)),
                    _ if !material.admits(&H) => None,
                    Quantity::Stress => Some(von_mises(&H, &material.stress(&H))),
                    Quantity::EnergyDensity => Some(material.energy_density(&H)),
                };
            }
        });
        let mut sums = vec![[0.0; 2]; self.rest().len()];
        for (t, value) in values.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let volume = solid.element(t).volume;
            for &v in energy.corners(t) {
                let [sum, weight] = &mut sums[v as usize];
                *sum += volume * value;
                *weight += volume;
            }
        }
        Ok(Some(
            sums.into_iter().map(|[sum, weight]| if weight > 0.0 { sum / weight } else { 0.0 }).collect(),
        ))
    }

    /// Energy over area at every vertex: that of a component lies at its corners in equal parts, the area of a triangle too.
    fn density_of_surface(&self, u: &[f64]) -> Result<Vec<f64>, Inadmissible> {
        let (energy, mut density) = (self.components(), vec![0.0; self.rest().len()]);
        let (mut area, all) = (density.clone(), (0..energy.count() as u32).collect::<Vec<_>>());
        let mut energies = vec![0.0; all.len()];
        energy.energies(&all, &self.gather(&all, u), &mut energies)?;
        for (c, W) in energies.into_iter().enumerate() {
            let corners = energy.corners(c);
            corners.iter().for_each(|&v| density[v as usize] += W / corners.len() as f64);
        }
        for triangle in self.boundary() {
            let [p, q, r] = triangle.map(|v| self.rest()[v as usize]);
            let third = (q - p).cross(&(r - p)).norm() / 6.0;
            triangle.iter().for_each(|&v| area[v as usize] += third);
        }
        density.iter_mut().zip(area).for_each(|(W, area)| *W = if area > 0.0 { *W / area } else { 0.0 });
        Ok(density)
    }
}

/// max |λ − 1| of 1 + H.
fn strain(H: &Mat3) -> f64 {
    let E = (H + H.transpose() + H.transpose() * H) / 2.0;
    let principal: Vec3 = E.symmetric_eigenvalues();
    principal.iter().map(|e| (2.0 * e / (1.0 + (1.0 + 2.0 * e).max(0.0).sqrt())).abs()).fold(0.0, f64::max)
}

/// Of 1 + H under P, Pa.
fn von_mises(H: &Mat3, P: &Mat3) -> f64 {
    let F = Mat3::identity() + H;
    let J = F.determinant();
    if J <= 0.0 {
        return 0.0;
    }
    let sigma = P * F.transpose() / J;
    let s = sigma - Mat3::identity() * (sigma.trace() / 3.0);
    (1.5 * s.component_mul(&s).sum()).sqrt()
}

#[cfg(test)]
mod tests {
    use pliant_mesh::{Elements, shapes};

    use super::*;
    use crate::Recipe;

    const YOUNG: f64 = 2e5;

    fn body(mesh: pliant_mesh::MeshData, material: &str) -> Body {
        let surface = matches!(mesh.elements, Elements::Faces(_));
        let recipe = Recipe {
            material: Some(material.into()),
            young: (!surface).then_some(YOUNG),
            poisson: (!surface).then_some(0.3),
            ..Recipe::default()
        };
        recipe.build(mesh).expect("a body")
    }

    /// Pulled along x by `stretch`, and by `across` in the other directions; everywhere the same.
    fn stretched(body: &Body, stretch: f64, across: f64) -> Vec<f64> {
        body.rest().iter().flat_map(|p| [stretch * p.x, across * p.y, across * p.z]).collect()
    }

    fn all_are(found: &[f64], wanted: f64) {
        let apart = found.iter().map(|x| (x - wanted).abs()).fold(0.0, f64::max);
        assert!(apart <= 1e-9 * wanted.abs(), "{apart} off {wanted}");
    }

    /// Saint Venant and Kirchhoff's bar whose sides nothing pulls: e₂ = −ν e₁, S₁ = Y e₁, σ₁ = λ₁² S₁ / J.
    #[test]
    fn a_bar_that_is_pulled_has_the_strain_stress_and_energy_of_the_books() {
        let body = body(shapes::bar(Vec3::new(1.0, 0.2, 0.3), [3, 2, 2]).into_data(), "stvk");
        for stretch in [1e-6_f64, 0.2, -0.15] {
            let green = stretch + stretch * stretch / 2.0;
            let side = -0.3 * green;
            let across = 2.0 * side / (1.0 + (1.0 + 2.0 * side).sqrt());
            let u = stretched(&body, stretch, across);
            let found = |quantity| body.quantity(quantity, &u).expect("defined").expect("a solid");
            all_are(&found(Quantity::Strain), stretch.abs());
            let volume = (1.0 + stretch) * (1.0 + across).powi(2);
            let stress = YOUNG * green * (1.0 + stretch).powi(2) / volume;
            all_are(&found(Quantity::Stress), stress.abs());
            all_are(&found(Quantity::EnergyDensity), YOUNG * green * green / 2.0);
        }
    }

    #[test]
    fn a_turn_is_neither_strain_nor_stress_nor_energy() {
        let body = body(shapes::ball(0.3, 2).into_data(), "stable-neo-hookean");
        let (sin, cos) = 1.2_f64.sin_cos();
        let turn = Mat3::new(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0);
        let u: Vec<f64> = body.rest().iter().flat_map(|p| <[f64; 3]>::from(turn * p - p)).collect();
        for (quantity, unit) in Quantity::ALL.into_iter().zip([1.0, YOUNG, YOUNG]) {
            let found = body.quantity(quantity, &u).expect("defined").expect("a solid");
            assert!(found.iter().all(|x| x.abs() < 1e-12 * unit), "{}: {found:?}", quantity.name());
        }
    }

    #[test]
    fn a_surface_has_the_density_alone_and_all_of_its_energy_is_in_it() {
        let options = shapes::ShapeOptions { subdivision: Some(5), ..Default::default() };
        let entry = shapes::find("cloth").expect("a shape");
        let sheet = entry.make(&options, &mut pliant_linalg::ignore_progress).expect("a sheet");
        let body = Recipe::default().build(sheet).expect("a body");
        let u = stretched(&body, 0.01, 0.02);
        assert_eq!(body.quantity(Quantity::Strain, &u).expect("defined"), None);
        let density = body.quantity(Quantity::EnergyDensity, &u).expect("defined").expect("its energy");
        let mut whole = 0.0;
        for triangle in body.boundary() {
            let [p, q, r] = triangle.map(|v| body.rest()[v as usize]);
            let third = (q - p).cross(&(r - p)).norm() / 6.0;
            whole += third * triangle.iter().map(|&v| density[v as usize]).sum::<f64>();
        }
        let wanted = body.energy(&u).expect("defined");
        assert!(wanted > 0.0 && (whole - wanted).abs() < 1e-12 * wanted, "{whole} J of {wanted} J");
    }
}
