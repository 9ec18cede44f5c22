//! Energies of surfaces: one struct each, one line in [`ALL`].
//!
//! Discrete Shells: a surface of triangles that resists bending in its edges and stretching of edges and triangles.
//!
//! ```text
//! W = κ_b E_F + κ_m (E_L + E_A)                                                          (T14 eq. 2.2)
//! ```
//! with E_F in `hinge.rs`, E_L in `stretch.rs`, E_A in `area.rs`, and a term of our own that keeps triangles from losing all
//! of their height, in `kept_hinge.rs`. Source: GHDS03 in docs/papers.md.
//!
//! The terms are as printed and have different units, so that κ_b is in J, while κ_m is in N for E_L and in N/m for E_A:
//! the ratio of the two depends on the unit of length, and neither on a thickness. Stiffness also depends on the
//! triangles, not on the shape alone. `plate.rs` has those that stand for a plate of a Young's modulus and a thickness.

mod area;
mod flap;
mod hinge;
mod kept_hinge;
mod plate;
mod stretch;
mod term;
#[cfg(test)]
mod tests;

use pliant_linalg::{LocalMatrix, LocalVector, Named, Table, Vec3};
use pliant_mesh::{
    Faces,
    topology::{EdgeUse as Use, Edges},
};

use crate::{ComponentKind, Constant, Energy, Inadmissible, Own, Tangent};
use area::Area;
use flap::{Flaps, Joint};
use kept_hinge::Hinge;
pub use plate::of_plate;
use stretch::Length;
use term::{Term, spread};

/// The constants an energy of surfaces is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Constants {
    /// κ_b, J.
    pub bend: f64,
    /// κ_m, N on lengths, N/m on areas.
    pub membrane: f64,
    /// Those of the law alone, all that its line declares.
    pub own: Own,
}

impl Constants {
    /// The law's own constant `key`.
    pub fn own(&self, key: &str) -> Option<f64> {
        self.own.get(key)
    }
}

/// A line of the table.
pub struct Entry {
    /// The name by which files and people ask for it.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub about: &'static str,
    /// What it has beside bending and membrane stiffness.
    pub constants: &'static [Constant],
    /// Makes it from vertices (m) and triangles; or tells why they make none.
    pub make: fn(&Constants, &[Vec3], &[[u32; 3]]) -> EnergyOrUnfit,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// An energy, or what stands in its way.
pub type EnergyOrUnfit = Result<Box<dyn Energy>, Unfit>;

/// Every energy of surfaces.
pub static ALL: Table<Entry> = Table::new(
    "material of surfaces",
    &[Entry {
        name: "discrete-shells",
        about: "Discrete Shells: bending in the edges, stretching of edges and triangles; thin sheets and cloth",
        constants: &[],
        make: |constants, vertices, triangles| {
            Shell::new(constants, vertices, triangles).map(|shell| Box::new(shell) as Box<dyn Energy>)
        },
    }],
);

/// The line called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.find(name)
}

/// How many triangles may meet at an edge: k of them make k(k − 1)/2 hinges, and a seam has but a few.
pub const MOST_AT_EDGE: usize = 16;

/// Why a surface has no energy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Triangles, ascending, that are so thin at rest that angles between them are not numbers.
    NoArea(Vec<usize>),
    /// An edge with more than [`MOST_AT_EDGE`] triangles.
    Crowded {
        /// Its vertices.
        ends: [u32; 2],
        /// How many triangles it has.
        faces: usize,
    },
}

/// The energy of Discrete Shells. Components: first the hinges, then the edges, then the triangles, each in the order of
/// the mesh.
///
/// A hinge is an edge with two triangles; an edge with one has none. Where three and more triangles meet, every two of
/// them make a hinge, so that a seam is stiff like the sheets it joins. Two triangles on the same three vertices make
/// none.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    hinges: Vec<([u32; 4], Hinge)>,
    edges: Vec<([u32; 2], Term<Length, 1>)>,
    triangles: Vec<([u32; 3], Term<Area, 2>)>,
    /// How they make flaps; empty where some are missing.
    joints: Vec<Joint>,
}

impl Shell {
    /// From rest positions, m, and triangles of three different corners.
    ///
    /// # Errors
    /// [`Unfit`] when there are triangles without area, or edges with too many of them.
    pub fn new(constants: &Constants, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, Unfit> {
        let from = |corner: u32, origin: u32| vertices[corner as usize] - vertices[origin as usize];
        let mut bad = Vec::new();
        let mut areas = Vec::with_capacity(triangles.len());
        for (t, &[p, q, r]) in triangles.iter().enumerate() {
            let rest = [from(q, p), from(r, p)];
            let area = 0.5 * rest[0].cross(&rest[1]).norm();
            match Term::new(constants.membrane / area, rest) {
                Some(term) => areas.push(([p, q, r], term)),
                None => bad.push(t),
            }
        }
        let faces = Faces::from_triangles(triangles);
        let mesh_edges = Edges::new(&faces);
        let (mut hinges, mut edges) = (Vec::new(), Vec::with_capacity(mesh_edges.len()));
        let mut joints = Vec::with_capacity(mesh_edges.len());
        for e in 0..mesh_edges.len() {
            let ends @ [p, q] = mesh_edges.ends(e);
            let uses = mesh_edges.uses(e);
            if uses.len() > MOST_AT_EDGE {
                return Err(Unfit::Crowded { ends, faces: uses.len() });
            }
            let rest = from(q, p);
            match Term::new(constants.membrane / rest.norm(), [rest]) {
                Some(term) => edges.push((ends, term)),
                None => bad.push(uses[0].face as usize),
            }
            let before = joints.len();
            for (k, first) in uses.iter().enumerate() {
                for second in &uses[k + 1..] {
                    // Along the edge as the first triangle runs through it, whatever the second does.
                    let [p, q] = mesh_edges.run(&faces, *first);
                    let [r, s] =
                        [first, second].map(|u| triangles[u.face as usize][(u.side as usize + 2) % 3]);
                    if r == s {
                        continue;
                    }
                    let rest = [from(q, p), from(r, p), from(s, p)];
                    let area = 0.5 * (rest[0].cross(&rest[1]).norm() + rest[0].cross(&rest[2]).norm());
                    match Hinge::new(3.0 * constants.bend * rest[0].norm_squared() / area, rest) {
                        Some(term) => {
                            joints.push(Joint::of_hinge(
                                [p, q, r, s],
                                e,
                                hinges.len(),
                                [first.face, second.face],
                            ));
                            hinges.push(([p, q, r, s], term));
                        }
                        None => bad.extend([first.face as usize, second.face as usize]),
                    }
                }
            }
            // At the rim, and where all triangles are the same, a flap for each of them.
            if joints.len() == before {
                let [p, q] = ends;
                let across = |u: &Use| triangles[u.face as usize][(u.side as usize + 2) % 3];
                joints.extend(uses.iter().map(|u| Joint::of_triangle([p, q, across(u)], e, u.face)));
            }
            flap::deal_out(&mut joints[before..]);
        }
        if bad.is_empty() {
            return Ok(Self { hinges, edges, triangles: areas, joints });
        }
        bad.sort_unstable();
        bad.dedup();
        Err(Unfit::NoArea(bad))
    }

    /// The rest angle of hinge component `c`, radians, 0 flat; `None` for components of other kinds.
    pub fn rest_angle(&self, c: usize) -> Option<f64> {
        self.hinges.get(c).map(|(_, term)| term.rest_value())
    }

    fn at(&self, c: usize) -> Part<'_> {
        let (edge, triangle) =
            (c.wrapping_sub(self.hinges.len()), c.wrapping_sub(self.hinges.len() + self.edges.len()));
        if c < self.hinges.len() {
            Part::Hinge(&self.hinges[c])
        } else if edge < self.edges.len() {
            Part::Edge(&self.edges[edge])
        } else {
            Part::Triangle(&self.triangles[triangle])
        }
    }
}

/// A component.
enum Part<'a> {
    Hinge(&'a ([u32; 4], Hinge)),
    Edge(&'a ([u32; 2], Term<Length, 1>)),
    Triangle(&'a ([u32; 3], Term<Area, 2>)),
}

/// The same expression for the term of a component, whatever its kind.
macro_rules! with_term {
    ($part:expr, $term:ident => $do:expr) => {
        match $part {
            Part::Hinge((_, $term)) => $do,
            Part::Edge((_, $term)) => $do,
            Part::Triangle((_, $term)) => $do,
        }
    };
}

impl Energy for Shell {
    fn count(&self) -> usize {
        self.hinges.len() + self.edges.len() + self.triangles.len()
    }

    fn corners(&self, c: usize) -> &[u32] {
        match self.at(c) {
            Part::Hinge((corners, _)) => corners,
            Part::Edge((corners, _)) => corners,
            Part::Triangle((corners, _)) => corners,
        }
    }

    fn kind(&self, c: usize) -> ComponentKind {
        match self.at(c) {
            Part::Hinge(_) => ComponentKind::Hinge,
            Part::Edge(_) => ComponentKind::Edge,
            Part::Triangle(_) => ComponentKind::Triangle,
        }
    }

    fn energies(&self, components: &[u32], u: &[LocalVector], out: &mut [f64]) -> Result<(), Inadmissible> {
        for ((&c, u), out) in components.iter().zip(u).zip(out) {
            *out = with_term!(self.at(c as usize), term => term.energy(u)).ok_or_else(|| collapsed(c))?;
        }
        Ok(())
    }

    fn gradients(
        &self,
        components: &[u32],
        u: &[LocalVector],
        out: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        for ((&c, u), out) in components.iter().zip(u).zip(out) {
            *out = with_term!(self.at(c as usize), term => term.gradient(u)).ok_or_else(|| collapsed(c))?;
        }
        Ok(())
    }

    fn energies_and_gradients(
        &self,
        components: &[u32],
        u: &[LocalVector],
        energies: &mut [f64],
        gradients: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        for (k, &c) in components.iter().enumerate() {
            (energies[k], gradients[k]) =
                with_term!(self.at(c as usize), term => term.energy_and_gradient(&u[k]))
                    .ok_or_else(|| collapsed(c))?;
        }
        Ok(())
    }

    fn gradients_along(
        &self,
        components: &[u32],
        u: &[LocalVector],
        x: &[LocalVector],
        gradients: &mut [LocalVector],
        along: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        for (k, &c) in components.iter().enumerate() {
            [gradients[k], along[k]] = with_term!(self.at(c as usize), term => {
                term.gradient_along(&u[k], &x[k]).map(|both| both.map(|by_d| spread(&by_d)))
            })
            .ok_or_else(|| collapsed(c))?;
        }
        Ok(())
    }

    fn hessians(
        &self,
        components: &[u32],
        u: &[LocalVector],
        tangent: Tangent,
        out: &mut [LocalMatrix],
    ) -> Result<(), Inadmissible> {
        let positive = tangent == Tangent::Positive;
        for ((&c, u), out) in components.iter().zip(u).zip(out) {
            with_term!(self.at(c as usize), term => term.hessian(u, positive, out))
                .ok_or_else(|| collapsed(c))?;
        }
        Ok(())
    }

    fn pick(&self, components: &[u32]) -> Box<dyn Energy> {
        assert!(components.is_sorted(), "components in ascending order");
        let mut picked = Self::default();
        for &c in components {
            match self.at(c as usize) {
                Part::Hinge(hinge) => picked.hinges.push(*hinge),
                Part::Edge(edge) => picked.edges.push(*edge),
                Part::Triangle(triangle) => picked.triangles.push(*triangle),
            }
        }
        Box::new(picked)
    }

    fn flaps(&self) -> Option<Box<dyn Energy>> {
        let whole = !self.joints.is_empty();
        whole
            .then(|| Flaps::new(self, &self.joints))
            .flatten()
            .map(|flaps| Box::new(flaps) as Box<dyn Energy>)
    }

    fn third_at_rest(&self, component: usize, a: &LocalVector, b: &LocalVector) -> LocalVector {
        with_term!(self.at(component), term => term.third_at_rest()(a, b))
    }

    fn thirds_at_rest(
        &self,
        component: usize,
        directions: &[LocalVector],
        pairs: &[(usize, usize)],
        out: &mut [LocalVector],
    ) {
        with_term!(self.at(component), term => {
            let third = term.third_at_rest();
            for (out, &(i, j)) in out.iter_mut().zip(pairs) {
                *out = third(&directions[i], &directions[j]);
            }
        })
    }
}

fn collapsed(component: u32) -> Inadmissible {
    Inadmissible { component: component as usize }
}
