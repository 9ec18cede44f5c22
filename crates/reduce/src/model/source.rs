//! Whether a model was built from a mesh.

use pliant_linalg::Vec3;
use pliant_mesh::MeshData;

use super::Model;

/// Vertices may be this part of the body's length apart and still be the same.
const NEAR: f64 = 1e-9;

impl Model {
    /// What `mesh` has that the mesh of this model has not, as it stands behind "it has"; `None` where the model may have been
    /// built from it. The model may have been scaled and moved: what counts is the shape.
    pub fn differs_from(&self, mesh: &MeshData) -> Option<String> {
        let own = self.mesh();
        if own.vertices.len() != mesh.vertices.len() {
            return Some(format!("{} vertices, the model has {}", mesh.vertices.len(), own.vertices.len()));
        }
        if own.elements != mesh.elements {
            return Some("other elements than the model".to_owned());
        }
        let size = |m: &MeshData| (m.bounds()[1] - m.bounds()[0]).max();
        let (scale, low, own_low) = (size(own) / size(mesh), mesh.bounds()[0], own.bounds()[0]);
        let apart = |(a, b): (&Vec3, &Vec3)| ((b - low) * scale - (a - own_low)).norm();
        let worst = own.vertices.iter().zip(&mesh.vertices).map(apart).fold(0.0, f64::max);
        (worst > NEAR * size(own))
            .then(|| format!("vertices up to {worst:.3e} m away from those of the model"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precompute;
    use pliant_energy::Recipe;

    #[test]
    fn a_model_knows_its_mesh_in_any_size() {
        let bar = |cells| pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [cells, 1, 1]).into_data();
        let linear = Precompute { modes: Some(2), forces: Some("linear".into()), ..Precompute::default() };
        let model = linear.build_quietly(bar(4), Recipe::default()).expect("a model").model;
        let mut scaled = bar(4);
        scaled.scale_to(0.2).expect("a length");
        assert_eq!(model.differs_from(&scaled), None);
        assert!(model.differs_from(&bar(5)).is_some_and(|what| what.contains("24 vertices")));
        let mut bent = bar(4);
        bent.vertices[3].z += 0.01;
        assert!(model.differs_from(&bent).is_some_and(|what| what.contains("m away")));
        let mut torn = bar(4);
        if let pliant_mesh::Elements::Tets(tets) = &mut torn.elements {
            tets.pop();
        }
        assert!(model.differs_from(&torn).is_some_and(|what| what.contains("other elements")));
    }
}
