//! What is seen of a model: its surface at rest, U there, and its modes.

use std::sync::Arc;

use pliant_linalg::Vec3;
use pliant_mesh::ShownSurface;

use super::Model;
use crate::{ReduceError, SurfaceBasis};

/// Ways in which a body swings by itself, to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownModes {
    /// Ascending, Hz; 0 of rigid motions.
    pub frequencies_hz: Vec<f64>,
    /// The coordinates of each, one after the other: those that move the farthest shown vertex by 1 m.
    pub coordinates: Vec<f64>,
}

impl Model {
    /// The lowest natural modes, rigid motions first: as many as the basis started from, since those above are not the body's.
    ///
    /// # Errors
    /// As [`Model::natural_modes`].
    pub fn shown_modes(&self) -> Result<ShownModes, ReduceError> {
        let (own, surface) = (self.natural_modes()?, self.surface_basis());
        let mut frequencies_hz = own.frequencies_hz();
        let rigid = frequencies_hz.iter().filter(|x| **x <= 0.0).count();
        frequencies_hz.truncate(rigid + self.facts().eigenvalues.len());
        let mut coordinates = Vec::with_capacity(frequencies_hz.len() * self.rank());
        let mut u = vec![0.0; 3 * surface.len()];
        for shape in own.each_shape().take(frequencies_hz.len()) {
            surface.along(shape, surface.rows(), &mut u);
            let largest = u.chunks_exact(3).map(|u| Vec3::new(u[0], u[1], u[2]).norm()).fold(0.0, f64::max);
            let factor = if largest > 0.0 { 1.0 / largest } else { 0.0 };
            coordinates.extend(shape.iter().map(|x| factor * x));
        }
        Ok(ShownModes { frequencies_hz, coordinates })
    }

    /// What is seen of the body, at rest; made when it is first asked for.
    pub fn surface(&self) -> &Arc<ShownSurface> {
        self.surface_basis().shown()
    }

    /// U at what is seen of the body; made when it is first asked for.
    pub fn surface_basis(&self) -> &Arc<SurfaceBasis> {
        self.surface.get_or_init(|| {
            Arc::new(SurfaceBasis::new(Arc::new(ShownSurface::of(self.mesh())), self.basis()))
        })
    }
}
