//! Matter that everybody has held, for solids: what a page offers at one press.

use std::f64::consts::TAU;

use pliant_dynamics::Damping;

/// How often a body of rubber swings in a second, about.
const SWINGS: f64 = 5.0;

/// Young's modulus of rubber, Pa.
const RUBBER: f64 = 1e6;

/// Everyday matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// What programs call it.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Young's modulus, Pa.
    pub young: f64,
    /// kg/m³.
    pub density: f64,
    /// The part of critical damping that its lowest mode gets.
    pub damped: f64,
}

/// Round figures of engineering tables; wood along the grain.
pub const PRESETS: &[Preset] = &[
    Preset { name: "gelatine", title: "Gelatine", young: 1e4, density: 1000.0, damped: 0.02 },
    Preset { name: "silicone", title: "Soft silicone", young: 1e5, density: 1070.0, damped: 0.03 },
    Preset { name: "rubber", title: "Rubber", young: RUBBER, density: 1100.0, damped: 0.04 },
    Preset { name: "leather", title: "Leather", young: 1e8, density: 900.0, damped: 0.05 },
    Preset { name: "wood", title: "Wood", young: 1e10, density: 600.0, damped: 0.01 },
    Preset { name: "steel", title: "Steel", young: 2e11, density: 7850.0, damped: 0.002 },
];

impl Preset {
    /// β = 2 ζ / ω where a body of rubber swings five times a second; stiffer ones swing faster by the root of their stiffness.
    pub fn damping(&self) -> Damping {
        let omega = TAU * SWINGS * (self.young / RUBBER).sqrt().max(1.0);
        Damping { stiffness: 2.0 * self.damped / omega, ..Damping::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_gets_its_part_of_critical_damping_where_it_swings() {
        for preset in PRESETS {
            let Damping { mass, stiffness, .. } = preset.damping();
            // ζ = β ω / 2.
            let omega =
                TAU * SWINGS * if preset.young > RUBBER { (preset.young / RUBBER).sqrt() } else { 1.0 };
            assert!((0.5 * stiffness * omega / preset.damped - 1.0).abs() < 1e-12 && mass == 0.0);
            assert!(preset.young > 0.0 && preset.density > 0.0, "{preset:?}");
        }
        let names: std::collections::BTreeSet<_> = PRESETS.iter().map(|preset| preset.name).collect();
        assert_eq!(names.len(), PRESETS.len());
    }
}
