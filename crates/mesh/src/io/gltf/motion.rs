//! How a node of a glTF scene moves what hangs on it.

use pliant_linalg::{Mat3, Vec3, quaternion_rotation};

use super::document::Node;

/// x ↦ A x + t.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Motion {
    pub(super) linear: Mat3,
    shift: Vec3,
}

impl Motion {
    /// Of a node in its parent: a matrix, or scale, then rotation, then translation.
    pub(super) fn of(node: &Node) -> Self {
        if let Some(m) = node.matrix {
            let column = |c: usize| Vec3::new(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
            return Self { linear: Mat3::from_columns(&[column(0), column(1), column(2)]), shift: column(3) };
        }
        let scale = Mat3::from_diagonal(&Vec3::from(node.scale.unwrap_or([1.0; 3])));
        let linear = node.rotation.map_or(scale, |q| quaternion_rotation(q) * scale);
        Self { linear, shift: Vec3::from(node.translation.unwrap_or([0.0; 3])) }
    }

    pub(super) fn identity() -> Self {
        Self { linear: Mat3::identity(), shift: Vec3::zeros() }
    }

    /// First `first`, then this.
    pub(super) fn after(&self, first: &Self) -> Self {
        Self { linear: self.linear * first.linear, shift: self.linear * first.shift + self.shift }
    }

    pub(super) fn apply(&self, p: Vec3) -> Vec3 {
        // Exactly the same bits where nothing moves, −0 included.
        if *self == Self::identity() { p } else { self.linear * p + self.shift }
    }
}
