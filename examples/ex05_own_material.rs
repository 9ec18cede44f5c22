//! Example 5: your own material. A law with a constant of its own, added to the table; everything then knows its name.
//!
//! Shows: `Material` (energy, stress, stiffness), a declared constant, `material::ALL.add`, and that reductions, model files
//! and reports take it like any other: 40 lines of law.
//! Run:   cargo run --release --example ex05_own_material
//! Picture: docs/gallery/dino.png, of rubber, whose law is such a line of the table too.
//! Read next: crates/energy/src/material for the laws of the house, ex06_custom_load.
//!
//! ```text
//! ψ = μ E:E + ½λ (tr E)² + h (tr E)⁴ / 4          St. Venant-Kirchhoff whose volume hardens
//! ```
//! Laws are given H = F − 1: of a small strain F itself has lost the digits. The new term is of fourth order in E, so that the third
//! derivative at rest stays that of St. Venant and Kirchhoff.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]
#![expect(non_snake_case, reason = "H, F, E and C are the papers' letters")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use pliant::prelude::*;

static HARDENING: material::Entry = material::Entry {
    name: "hardening",
    about: "St. Venant-Kirchhoff whose volume hardens",
    constants: &[Constant::modulus("hardening", "hardening modulus")],
    small_strain: None,
    make: |c| Ok(Box::new(Hardening(StVk(c.isotropic), c.own("hardening").unwrap_or(0.0)))),
};

/// The law below it, and h.
struct Hardening(StVk, f64);

/// tr E, whose derivative along dF is tr(Fᵀ dF).
fn trace(H: &Mat3) -> f64 {
    H.trace() + 0.5 * H.norm_squared()
}

impl Material for Hardening {
    fn name(&self) -> &'static str {
        HARDENING.name
    }
    fn energy_density(&self, H: &Mat3) -> f64 {
        self.0.energy_density(H) + 0.25 * self.1 * trace(H).powi(4)
    }
    fn stress(&self, H: &Mat3) -> Mat3 {
        self.0.stress(H) + (Mat3::identity() + H) * (self.1 * trace(H).powi(3))
    }
    fn stiffness(&self, H: &Mat3) -> material::Stiffness9 {
        let (t, F, C) = (trace(H), Mat3::identity() + H, self.0.stiffness(H));
        let same = |p, q| if p == q { t.powi(3) } else { 0.0 };
        let more = |p, q| 3.0 * t * t * F[(p / 3, p % 3)] * F[(q / 3, q % 3)] + same(p, q);
        std::array::from_fn(|p| std::array::from_fn(|q| C[p][q] + self.1 * more(p, q)))
    }
    fn third_at_rest(&self, A: &Mat3, B: &Mat3) -> Mat3 {
        self.0.third_at_rest(A, B)
    }
    fn small_strain(&self) -> Isotropic {
        self.0.small_strain()
    }
}

/// The whole of it.
pub fn main() -> Result<(), Box<dyn Error>> {
    material::ALL.add(&HARDENING)?;
    let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.2), [6, 1, 1]).into_data();
    let fixed = vec![select(&bar, "x<1%")?];
    let hard = |h: f64| Recipe {
        material: Some("hardening".into()),
        constants: BTreeMap::from([("hardening".into(), h)]),
        fixed: fixed.clone(),
        ..Recipe::default()
    };

    // A uniform stretch by s costs 0.04 m³ × h (tr E)⁴ / 4 more.
    let stretch = |recipe: &Recipe, s: f64| -> Result<f64, Box<dyn Error>> {
        let body = recipe.build(bar.clone())?;
        let u: Vec<f64> = body.rest().iter().flat_map(|x| [s * x[0], 0.0, 0.0]).collect();
        Ok(body.energy(&u)?)
    };
    let (h, s) = (1e7, 0.5_f64);
    let more = stretch(&hard(h), s)? - stretch(&hard(0.0), s)?;
    let trace = 0.5 * ((1.0 + s).powi(2) - 1.0);
    assert!((more / (0.04 * 0.25 * h * trace.powi(4)) - 1.0).abs() < 1e-12, "{more} J");

    // Reduced, written and read like any other.
    let small = Precompute { modes: Some(4), rank: Some(8), poses: Some(50), ..Precompute::default() };
    let model = small.build_quietly(bar.clone(), hard(h))?.model;
    let again = Model::from_bytes(Path::new("bar.pliant"), &model.to_bytes()?)?;
    assert_eq!(again.materials(), ["hardening"]);
    println!("{} with {:?}", again.materials()[0], again.resolved().matter[0].constants);
    Ok(())
}
