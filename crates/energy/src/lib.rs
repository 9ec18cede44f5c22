//! Deformation energies over a mesh: W, ∂W, ∂²W, and ∂³W at rest, as sums over local components.
//!
//! ```text
//! W(u) = Σ_c W_c(u_c),     f_int(u) = +∂W/∂u,     K(u) = ∂²W/∂u²
//! ```
//! A component is a tet of a solid, or a hinge, an edge, a triangle of a shell, or a flap of all three; it touches at most four vertices. All
//! that is built on an energy (assembly, bases, cubature, coarsening) sees the trait [`Energy`] and nothing behind it.
//! [`Body`] is an energy with a mass, held degrees of freedom and the bookkeeping to assemble; [`Recipe`] makes one from
//! a mesh.
//!
//! This room knows no basis and no time. Units are SI.
#![expect(non_snake_case, reason = "F, P, S, E, R are the papers' letters")]

pub mod body;
mod constant;
pub mod element;
mod error;
pub mod load;
pub mod mass;
pub mod material;
mod own;
mod quantity;
mod recipe;
mod rescale;
mod resolved;
mod rigid;
pub mod rounding;
mod sheet;
pub mod shell;
pub mod solid;
pub mod terms;
mod weight;

pub use body::Body;
pub use constant::{Allowed, Constant};
pub use error::{EnergyError, Inadmissible};
pub use load::Loads;
pub use mass::MassKind;
pub use own::Own;
pub use quantity::Quantity;
pub use recipe::Recipe;
pub use resolved::{Matter, Resolved};

use pliant_linalg::{LocalMatrix, LocalVector};

/// Which second derivative a solver wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangent {
    /// ∂²W as it is, indefinite where the body is about to give way.
    Exact,
    /// Each component's ∂²W with its negative eigenvalues set to zero: a descent direction always exists.
    Positive,
}

/// What a component is, for pictures and reports; nothing is computed from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentKind {
    /// A tetrahedron of a solid.
    Tet,
    /// An edge of a surface with the two triangles that bend there.
    Hinge,
    /// An edge of a surface that stretches.
    Edge,
    /// A triangle of a surface that changes its area.
    Triangle,
    /// An edge of a surface with all that is at it: [`Energy::flaps`].
    Flap,
}

/// Most directions that [`Energy::thirds_at_rest`] takes at once.
pub const MOST_DIRECTIONS: usize = 16;

/// A deformation energy: a sum of local components.
///
/// Displacements arrive by component, 3a + c for corner a: whoever holds a whole state gathers, whoever holds a basis
/// multiplies only the rows a component needs. Slices let a component type work on several at once. `components`, `u`
/// and `out` are always of one length.
pub trait Energy: Send + Sync {
    /// How many components there are.
    fn count(&self) -> usize;

    /// The vertices that component `c` touches, at most four.
    fn corners(&self, c: usize) -> &[u32];

    /// What component `c` is; a tet unless an energy says otherwise.
    fn kind(&self, _c: usize) -> ComponentKind {
        ComponentKind::Tet
    }

    /// W of each named component, J; zero at rest.
    ///
    /// # Errors
    /// [`Inadmissible`] where W is not defined, such as a neo-Hookean tet turned inside out.
    fn energies(&self, components: &[u32], u: &[LocalVector], out: &mut [f64]) -> Result<(), Inadmissible>;

    /// ∂W/∂u of each, N: the internal force with a plus sign. Zero past a component's corners.
    ///
    /// # Errors
    /// As [`Energy::energies`].
    fn gradients(
        &self,
        components: &[u32],
        u: &[LocalVector],
        out: &mut [LocalVector],
    ) -> Result<(), Inadmissible>;

    /// [`Energy::energies`] and [`Energy::gradients`] at once, for line searches, which want both. The same bits.
    ///
    /// # Errors
    /// As [`Energy::energies`].
    fn energies_and_gradients(
        &self,
        components: &[u32],
        u: &[LocalVector],
        energies: &mut [f64],
        gradients: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        self.energies(components, u, energies)?;
        self.gradients(components, u, gradients)
    }

    /// [`Energy::gradients`], and ∂²W/∂u² x of each with x that component's part of a direction: what damping and line searches ask
    /// for. Energies that know it without the matrix should say so.
    ///
    /// # Errors
    /// As [`Energy::energies`].
    fn gradients_along(
        &self,
        components: &[u32],
        u: &[LocalVector],
        x: &[LocalVector],
        gradients: &mut [LocalVector],
        along: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        self.gradients(components, u, gradients)?;
        let mut H = [[[0.0; 12]; 12]];
        for (k, along) in along.iter_mut().enumerate() {
            self.hessians(&components[k..=k], &u[k..=k], Tangent::Exact, &mut H)?;
            *along = std::array::from_fn(|i| H[0][i].iter().zip(&x[k]).map(|(H, x)| H * x).sum());
        }
        Ok(())
    }

    /// ∂²W/∂u² of each, N/m.
    ///
    /// # Errors
    /// As [`Energy::energies`].
    fn hessians(
        &self,
        components: &[u32],
        u: &[LocalVector],
        tangent: Tangent,
        out: &mut [LocalMatrix],
    ) -> Result<(), Inadmissible>;

    /// ∂³W(0) applied to two directions: Σ_jk ∂³W/∂u_i∂u_j∂u_k a_j b_k, exact. Modal derivatives need it.
    fn third_at_rest(&self, component: usize, a: &LocalVector, b: &LocalVector) -> LocalVector;

    /// [`Energy::third_at_rest`] of many pairs among at most [`MOST_DIRECTIONS`] directions: `out[p]` belongs to directions
    /// i and j for (i, j) = `pairs[p]`. What the component or one direction alone needs may be computed once.
    fn thirds_at_rest(
        &self,
        component: usize,
        directions: &[LocalVector],
        pairs: &[(usize, usize)],
        out: &mut [LocalVector],
    ) {
        for (out, &(i, j)) in out.iter_mut().zip(pairs) {
            *out = self.third_at_rest(component, &directions[i], &directions[j]);
        }
    }

    /// The energy of some components alone, ascending: component k of it is `components[k]` of this one, with the same
    /// corners. Cubature keeps a few of many.
    fn pick(&self, components: &[u32]) -> Box<dyn Energy>;

    /// The same energy as a sum over the edges of a surface, each with its hinge, its length and a third of its triangles: one of
    /// them stands for more than a hinge, an edge or a triangle alone, and costs about what a hinge costs. `None` of solids, and of some
    /// components alone.
    fn flaps(&self) -> Option<Box<dyn Energy>> {
        None
    }

    /// The solid behind it, if it is one: for what needs tets and their materials, such as exact polynomials.
    fn solid(&self) -> Option<&solid::Solid> {
        None
    }

    /// For solids: the projective energy of each component, w/2 |F − R|² with w = 2μV, whose gradient and Hessian
    /// projective dynamics use in place of the material's own. `None` for energies that have no such form.
    fn projective(&self) -> Option<&dyn Projective> {
        None
    }
}

/// What projective dynamics needs of a solid: C17 eqs 3.3 and 3.4, with weights w = 2μV.
pub trait Projective: Send + Sync {
    /// w Gᵀ(F − R) of each component, N: the gradient of its projective energy.
    fn gradients(&self, components: &[u32], u: &[LocalVector], out: &mut [LocalVector]);

    /// w Gᵀ G of one component over its four corners, N/m; the same for x, y and z.
    fn laplacian(&self, component: usize) -> [[f64; 4]; 4];
}
