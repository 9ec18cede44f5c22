//! What is seen of a model: its surface at rest, and U there.

use std::sync::Arc;

use pliant_mesh::ShownSurface;

use super::Model;
use crate::SurfaceBasis;

impl Model {
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
