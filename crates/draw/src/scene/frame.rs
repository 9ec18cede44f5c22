//! The unit frame: whatever the size and place of a scene, it is drawn within [−1, 1]³, z up.

use pliant_linalg::Vec3;

use crate::Up;

/// From metres to the unit frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    centre: Vec3,
    scale: f64,
    up: Up,
}

impl Frame {
    /// The frame around finite points; `up` of `Auto` counts as y until [`Frame::standing`] decides.
    pub(crate) fn around<'a>(points: impl Iterator<Item = &'a Vec3>, up: Up) -> Self {
        let [low, high] = points
            .fold([Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)], |[l, h], p| {
                [l.inf(p), h.sup(p)]
            });
        if low.x > high.x {
            return Self { centre: Vec3::zeros(), scale: 1.0, up };
        }
        // Halves first: the sum or difference of two large numbers may overflow, of their halves it cannot.
        let scale = (high / 2.0 - low / 2.0).amax();
        Self { centre: low / 2.0 + high / 2.0, scale: if scale > 0.0 { scale } else { 1.0 }, up }
    }

    /// A point in the frame.
    pub(crate) fn place(&self, p: &Vec3) -> Vec3 {
        let q = (p - self.centre) / self.scale;
        match self.up {
            Up::Z => q,
            Up::Y | Up::Auto => Vec3::new(q.x, -q.z, q.y),
        }
    }

    /// The axis that points up.
    pub(crate) fn up(&self) -> Up {
        self.up
    }

    /// A direction of the frame, in the axes of the file.
    pub(crate) fn direction(&self, d: &Vec3) -> Vec3 {
        match self.up {
            Up::Z => *d,
            Up::Y | Up::Auto => Vec3::new(d.x, d.z, -d.y),
        }
    }

    /// Replaces `Auto` by the axis on which these triangles stand: the one with the larger flat area at its low end.
    pub(crate) fn standing<'a>(self, triangles: impl Iterator<Item = [&'a Vec3; 3]>) -> Self {
        if self.up != Up::Auto {
            return self;
        }
        let raw = Self { up: Up::Z, ..self };
        let corners: Vec<[Vec3; 3]> = triangles.map(|t| t.map(|p| raw.place(p))).collect();
        let base = |axis: usize| -> f64 {
            let low = corners.as_flattened().iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
            corners
                .iter()
                .filter(|t| t.iter().all(|p| p[axis] < low + 0.02))
                .map(|[a, b, c]| (b - a).cross(&(c - a))[axis].abs() / 2.0)
                .sum()
        };
        // Clearly larger: a body that lies on both sides alike is drawn the graphics way.
        Self { up: if base(2) > 1.2 * base(1) + 1e-9 { Up::Z } else { Up::Y }, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::{TetMesh, shapes, topology::boundary_faces};

    fn up(mesh: &TetMesh) -> Up {
        let x = mesh.vertices();
        let faces = boundary_faces(mesh.tets());
        let frame = Frame::around(x.iter(), Up::Auto);
        frame.standing(faces.iter().map(|t| t.map(|v| &x[v as usize]))).up
    }

    #[test]
    fn bodies_stand_on_their_feet() {
        assert_eq!(up(&shapes::plate(1.0, 0.02, 4, 1)), Up::Z);
        assert_eq!(up(&shapes::cylinder(0.3, 1.0, 4, 4)), Up::Z);
        assert_eq!(up(&shapes::bar(Vec3::new(1.0, 0.2, 0.2), [5, 1, 1])), Up::Y);
    }

    #[test]
    fn any_size_becomes_one() {
        for s in [1e-300, 1e-9, 1.0, 1e9, 1e308] {
            let p = [Vec3::new(-s, 0.0, s), Vec3::new(s, s, s)];
            let frame = Frame::around(p.iter(), Up::Z);
            assert!((frame.place(&p[0]) - Vec3::new(-1.0, -0.5, 0.0)).norm() < 1e-12, "{s}");
        }
        let one = Frame::around([Vec3::x()].iter(), Up::Y).place(&Vec3::x());
        assert_eq!(one, Vec3::zeros());
    }
}
