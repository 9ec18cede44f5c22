//! The kinds of load of the energy room on a body at full order.

use pliant_energy::{Body, load::Loads};
use pliant_linalg::Symmetric;

use super::BodyLoad;

/// Loads of one kind.
pub(super) struct Described(pub(super) Loads);

impl Described {
    pub(super) fn boxed(loads: Loads) -> Box<dyn BodyLoad> {
        Box::new(Self(loads))
    }
}

impl BodyLoad for Described {
    fn force(&mut self, body: &Body, t: f64, u: &[f64], _: &[f64], out: &mut [f64]) {
        self.0.add_force(body, t, u, out);
    }

    fn potential(&mut self, body: &Body, t: f64, u: &[f64]) -> Option<f64> {
        Some(self.0.potential(body, t, u))
    }

    fn stiffness(&mut self, body: &Body, t: f64, u: &[f64], _: &[f64], out: &mut Symmetric<3>) -> bool {
        let stiff = !(self.0.pressures.is_empty() && self.0.springs.is_empty());
        if stiff {
            self.0.stiffness(body, t, u, 1.0, out);
        }
        stiff
    }

    fn rounding(&self, body: &Body, u: &[f64], sums: &mut [f64]) {
        for spring in &self.0.springs {
            let v = 3 * spring.vertex as usize;
            let place = body.rest()[spring.vertex as usize];
            (0..3).for_each(|c| sums[v + c] += spring.stiffness * (place[c].abs() + u[v + c].abs()));
        }
    }
}
