//! A force times a number: that of a body with so many times the stiffness, without its energy being made again.

use pliant_energy::{Inadmissible, Tangent};
use pliant_linalg::DenseSymmetric;

use super::ReducedForce;

/// s W̃.
pub struct Scaled {
    force: Box<dyn ReducedForce>,
    stiffness: f64,
}

impl Scaled {
    /// `stiffness` times `force`.
    pub fn new(force: Box<dyn ReducedForce>, stiffness: f64) -> Self {
        Self { force, stiffness }
    }
}

fn times(factor: f64, x: &mut [f64]) {
    x.iter_mut().for_each(|x| *x *= factor);
}

impl ReducedForce for Scaled {
    fn rank(&self) -> usize {
        self.force.rank()
    }

    fn duplicate(&self) -> Box<dyn ReducedForce> {
        Box::new(Self { force: self.force.duplicate(), stiffness: self.stiffness })
    }

    fn energy(&mut self, q: &[f64]) -> Result<f64, Inadmissible> {
        Ok(self.stiffness * self.force.energy(q)?)
    }

    fn force(&mut self, q: &[f64], out: &mut [f64]) -> Result<(), Inadmissible> {
        self.force.force(q, out)?;
        times(self.stiffness, out);
        Ok(())
    }

    fn energy_and_force(&mut self, q: &[f64], force: &mut [f64]) -> Result<f64, Inadmissible> {
        let energy = self.force.energy_and_force(q, force)?;
        times(self.stiffness, force);
        Ok(self.stiffness * energy)
    }

    fn projective_force(&mut self, q: &[f64], out: &mut [f64]) -> bool {
        let has = self.force.projective_force(q, out);
        if has {
            times(self.stiffness, out);
        }
        has
    }

    fn projective_stiffness(&mut self) -> Option<DenseSymmetric> {
        let mut L = self.force.projective_stiffness()?;
        times(self.stiffness, L.values_mut());
        Some(L)
    }

    fn stiffness(
        &mut self,
        q: &[f64],
        tangent: Tangent,
        out: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        self.force.stiffness(q, tangent, out)?;
        times(self.stiffness, out.values_mut());
        Ok(())
    }

    fn force_along(
        &mut self,
        q: &[f64],
        x: &[f64],
        force: &mut [f64],
        along: &mut [f64],
        room: &mut DenseSymmetric,
    ) -> Result<(), Inadmissible> {
        self.force.force_along(q, x, force, along, room)?;
        times(self.stiffness, force);
        times(self.stiffness, along);
        Ok(())
    }

    fn round_off(&mut self, q: &[f64]) -> f64 {
        self.stiffness * self.force.round_off(q)
    }
}
