//! Modes as far as signatures need them: for every mode λ, and |Φ(v)|² at every vertex.
//!
//! ```text
//! vibration:  K Φ = λ M Φ, Φ has three entries a vertex, 1/s²                                       (T14 eq. 2.9)
//! heat:       L φ = λ M φ, φ has one entry a vertex, 1/m²                                           (SOG09)
//! ```
//! Φᵀ M Φ = 1, so that |Φ(v)|² is in 1/kg, for heat in 1/m². Modes that cost nothing, which are rigid motions, for heat
//! constants, are known and not searched for: vibration leaves them out unless they are asked for, heat counts them.
//! Sources: T14 and SOG09 in docs/papers.md.

use pliant_energy::{Body, Tangent};
use pliant_linalg::{Dofs, Mass, Modes, Note, Symmetric, Watch, eigen, par};
use pliant_reduce::{ReduceError, linear_modes};
use pliant_sim::SimError;
use rayon::prelude::*;

use crate::terms::{CACHE, refused};

/// Modes of a signature where nobody says otherwise; T14 section 6.3 finds so many enough.
pub const MODES: usize = 300;

/// What vibrates, or flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The body, by its own energy: sees how it is bent.
    #[default]
    Vibration,
    /// Heat on the surface: sees distances within it alone.
    Heat,
}

impl Kind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Vibration, Self::Heat];

    /// `vibration` or `heat`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vibration => "vibration",
            Self::Heat => "heat",
        }
    }

    /// The kind called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The unit of its eigenvalues.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Vibration => "1/s²",
            Self::Heat => "1/m²",
        }
    }
}

/// Modes of one kind, as far as signatures need them.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// What vibrates.
    pub kind: Kind,
    /// λ of each mode, ascending, rigid ones left out; 1/s², for heat 1/m².
    pub eigenvalues: Vec<f64>,
    /// How many rigid motions there are, for heat constants: one for each part.
    pub rigid_modes: usize,
    /// Whether they are counted in signatures.
    pub rigid_counted: bool,
    /// What a user should know.
    pub warnings: Vec<Note>,
    /// |Φ_j(v)|², mode by mode, n numbers each.
    squares: Vec<f64>,
    /// The same of all rigid ones together.
    rigid: Vec<f64>,
    /// What each vertex weighs, kg, for heat m²; 0 where it belongs to nothing.
    masses: Vec<f64>,
    /// How many modes there are to be had, rigid ones left out.
    available: usize,
}

impl Spectrum {
    /// The `count` lowest vibration modes of `body`; rigid motions are counted if `rigid`.
    ///
    /// # Errors
    /// More modes than the body has, no convergence, or the watch asked to stop.
    pub fn vibration(
        body: &Body,
        count: usize,
        rigid: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Self, SimError> {
        let found = linear_modes(body, count, watch)?;
        let mut spectrum = Self::of_modes(body, &found.modes, &found.rigid, rigid);
        spectrum.warnings = found.warnings;
        Ok(spectrum)
    }

    /// Of modes that are at hand, and the rigid motions of the same body, both orthonormal in its mass.
    pub fn of_modes(body: &Body, modes: &Modes, rigid: &[Vec<f64>], counted: bool) -> Self {
        let available = body.dofs().free().len() - rigid.len();
        let masses = body.vertex_masses().to_vec();
        Self::new::<3>(Kind::Vibration, &modes.eigenvalues, &modes.shapes, rigid, masses, available, counted)
    }

    /// Of modes that a file holds, as [`pliant_mesh::io::motion::modes`] writes them, the first `count` of them, or all.
    /// They are held against the body: they must be orthonormal in its mass and solve its eigenproblem.
    ///
    /// # Errors
    /// Modes of another mesh, another material or another mass.
    pub fn of_shapes(
        body: &Body,
        eigenvalues: Vec<f64>,
        shapes: Vec<f64>,
        rigid: bool,
    ) -> Result<Self, SimError> {
        let modes = Modes { eigenvalues, shapes, mass: Mass::Vertices(body.mass().clone()) };
        check(body, &modes)?;
        Ok(Self::of_modes(body, &modes, &body.rigid_motions(), rigid))
    }

    /// Of matrices: K, M on the same vertices, what is held, and what costs nothing.
    pub(crate) fn solve<const B: usize>(
        kind: Kind,
        problem: &eigen::Problem<'_, B>,
        count: usize,
        counted: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Self, SimError> {
        let pairs =
            eigen::lowest(problem, count, &eigen::Options::default(), watch).map_err(ReduceError::from)?;
        let mut masses = vec![0.0; problem.mass.size()];
        problem.mass.apply(&vec![1.0; masses.len()], &mut masses);
        let available = problem.dofs.free().len() - pairs.known;
        let mut spectrum =
            Self::new::<B>(kind, &pairs.values, &pairs.vectors, problem.known, masses, available, counted);
        if !pairs.zeros.is_empty() {
            let sentence =
                format!("{} of the modes cost nothing though they are not rigid", pairs.zeros.len());
            spectrum.warnings.push(sentence.into());
        }
        Ok(spectrum)
    }

    fn new<const B: usize>(
        kind: Kind,
        eigenvalues: &[f64],
        shapes: &[f64],
        rigid: &[Vec<f64>],
        masses: Vec<f64>,
        available: usize,
        rigid_counted: bool,
    ) -> Self {
        let n = masses.len();
        let square = |x: &[f64; B]| x.iter().map(|x| x * x).sum::<f64>();
        let mut squares = vec![0.0; n * eigenvalues.len()];
        // Every entry of Φ is read once.
        squares.par_chunks_mut(n.max(1)).zip(shapes.par_chunks(B * n.max(1))).for_each(|(squares, shape)| {
            squares.iter_mut().zip(shape.as_chunks::<B>().0).for_each(|(s, x)| *s = square(x));
        });
        let mut still = vec![0.0; n];
        for motion in rigid {
            still.iter_mut().zip(motion.as_chunks::<B>().0).for_each(|(s, x)| *s += square(x));
        }
        Self {
            kind,
            eigenvalues: eigenvalues.to_vec(),
            rigid_modes: rigid.len(),
            rigid_counted,
            warnings: Vec::new(),
            squares,
            rigid: still,
            masses,
            available,
        }
    }

    /// How many modes there are.
    pub fn len(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.eigenvalues.is_empty()
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.masses.len()
    }

    /// What each vertex weighs, kg, for heat m²: the rows of the mass, summed.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// |Φ_k(v)|² of mode k at all vertices.
    pub fn squares(&self, k: usize) -> &[f64] {
        &self.squares[k * self.vertices()..][..self.vertices()]
    }

    /// The same of all modes, one after the other.
    pub(crate) fn all_squares(&self) -> &[f64] {
        &self.squares
    }

    /// What the rigid modes have at each vertex, if they are counted.
    pub(crate) fn rigid_part(&self) -> Option<&[f64]> {
        self.rigid_counted.then_some(&*self.rigid)
    }

    /// The first `count` modes, or all.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        let count = count.min(self.len());
        Self {
            eigenvalues: self.eigenvalues[..count].to_vec(),
            squares: self.squares[..count * self.vertices()].to_vec(),
            warnings: self.warnings.clone(),
            rigid: self.rigid.clone(),
            masses: self.masses.clone(),
            ..*self
        }
    }

    /// How many modes could be had at most, rigid ones left out.
    pub fn available(&self) -> usize {
        self.available
    }
}

/// How far a mode of a file may be from solving the body's own problem, relative to ‖Kx‖; their own residuals are 1e-8.
const RESIDUAL: f64 = 1e-4;

/// Refuses modes that are not those of this body.
fn check(body: &Body, modes: &Modes) -> Result<(), SimError> {
    let size = body.size();
    let other = |why: &str| {
        let sentence = format!("the modes of a file are not those of this body: {why}; compute them anew");
        Err(refused(sentence, &[CACHE]))
    };
    if modes.is_empty() {
        return other("there are none");
    }
    if modes.shapes.len() != modes.len() * size {
        return other("they are of another number of vertices");
    }
    let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
    if !(finite(&modes.shapes) && finite(&modes.eigenvalues) && modes.eigenvalues.is_sorted()) {
        return other("their numbers are not finite, or not ascending");
    }
    let mut K = body.zero_matrix();
    body.stiffness(&vec![0.0; size], Tangent::Exact, &mut K).expect("every energy is defined at rest");
    for k in [0, modes.len() / 2, modes.len() - 1] {
        let x = modes.shape(k);
        let (mut Kx, mut Mx) = (vec![0.0; size], vec![0.0; size]);
        K.apply(x, &mut Kx);
        body.mass().apply_per_axis(x, &mut Mx);
        body.dofs().hold(&mut Kx);
        body.dofs().hold(&mut Mx);
        if (par::dot(x, &Mx) - 1.0).abs() > RESIDUAL {
            return other("they have another mass, or the density is another");
        }
        let rest: Vec<f64> = Kx.iter().zip(&Mx).map(|(Kx, Mx)| Kx - modes.eigenvalues[k] * Mx).collect();
        if par::norm(&rest) > RESIDUAL * par::norm(&Kx) {
            return other("they are of another mesh, another material, or what is held is another");
        }
    }
    Ok(())
}

/// Held degrees of freedom of a scalar field.
pub(crate) fn held_where(masses: &[f64]) -> Dofs {
    Dofs::new(masses.iter().map(|m| *m <= 0.0).collect())
}

/// A mass on the diagonal.
pub(crate) fn diagonal(masses: &[f64]) -> Symmetric<1> {
    let mut mass = Symmetric::zeros(pliant_linalg::Pattern::diagonal(masses.len()));
    mass.values_mut().iter_mut().zip(masses).for_each(|(slot, m)| slot[0][0] = *m);
    mass
}
