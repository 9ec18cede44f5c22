//! A body at full order under handles: the slow truth that reduced shapes are measured against.
//!
//! ```text
//! ∂E = f_int(u) + κ_h w_i (x_i − t_i),   ∂²E = K(u) + κ_h w_i 1   at the vertices i of handle h                 (T14 eq. 5.1)
//! ```
//! Newton's method with a sparse Cholesky factorisation. In one leap full-order shells collapse triangles and stall: let handles go their
//! way in steps.

use std::sync::Arc;

use pliant_dynamics::minimise::{self, Minimiser, Objective, Onlooker, Outcome, Stopping, Units};
use pliant_dynamics::{NotDefinite, Tangent};
use pliant_energy::Body;
use pliant_energy::Recipe;
use pliant_linalg::factor::Cholesky;
use pliant_linalg::{DenseSymmetric, Symmetric, Vec3, Watch, par};
use pliant_mesh::MeshData;
use pliant_sim::SimError;

use crate::editor::{Options, STIFFER, costliest, settle};
use crate::targets::{square_off, weights};
use crate::units::{Softest, units};
use crate::{Handle, Transform};

/// Other handles, while one is measured: so many times stiffer than any of the body's vertices.
const HELD: f64 = 1e3;

/// The part of the stiffness that is added where a body is free.
const SHIFT: f64 = 1e-10;

/// A body that takes the shape which handles ask of it.
pub struct FullEdit {
    pulled: Pulled,
    solver: Box<dyn Minimiser>,
    stopping: Stopping,
    u: Vec<f64>,
}

struct Region {
    vertices: Vec<u32>,
    weights: Vec<f64>,
    stiffness: f64,
    to: Transform,
}

struct Pulled {
    body: Arc<Body>,
    regions: Vec<Region>,
    K: Symmetric<3>,
    factor: Cholesky<3>,
    /// Of the mass, for a shift of 1.
    unit: f64,
    elastic: f64,
}

impl Pulled {
    /// Every vertex of a handle: which, κ w, and how far it is from where it is to be.
    fn each(&self, u: &[f64], mut of: impl FnMut(usize, f64, Vec3)) {
        for region in &self.regions {
            for (&v, w) in region.vertices.iter().zip(&region.weights) {
                let v = v as usize;
                let X = self.body.rest()[v];
                let off = X + Vec3::new(u[3 * v], u[3 * v + 1], u[3 * v + 2]) - region.to.apply(&X);
                of(v, region.stiffness * w, off);
            }
        }
    }

    /// K ← K + κ w on the diagonal.
    fn stiffen(&mut self) {
        let pattern = self.K.pattern().clone();
        for region in &self.regions {
            for (&v, w) in region.vertices.iter().zip(&region.weights) {
                let slot = pattern.column(v as usize).0.start;
                (0..3).for_each(|c| self.K.values_mut()[slot][c][c] += region.stiffness * w);
            }
        }
    }
}

impl Objective for Pulled {
    fn size(&self) -> usize {
        self.body.size()
    }

    fn evaluate(&mut self, u: &[f64], gradient: &mut [f64]) -> f64 {
        let Ok(elastic) = self.body.energy(u) else { return f64::INFINITY };
        if self.body.force(u, gradient).is_err() {
            return f64::INFINITY;
        }
        self.elastic = elastic;
        let mut pull = 0.0;
        self.each(u, |v, k, off| {
            pull += 0.5 * k * off.norm_squared();
            (0..3).for_each(|c| gradient[3 * v + c] += k * off[c]);
        });
        self.body.dofs().hold(gradient);
        elastic + pull
    }

    fn first_inverse(&mut self, _: &mut DenseSymmetric) {
        unreachable!("a body at full order is never given to a minimiser with a dense matrix")
    }

    fn factorise(&mut self, u: &[f64], tangent: Tangent, shift: f64) -> Result<(), NotDefinite> {
        let tangent = match tangent {
            Tangent::Exact => pliant_energy::Tangent::Exact,
            Tangent::Positive => pliant_energy::Tangent::Positive,
        };
        self.body.stiffness(u, tangent, &mut self.K).map_err(|_| NotDefinite)?;
        self.stiffen();
        if shift > 0.0 {
            self.K.add_per_axis(shift * self.unit, self.body.mass());
        }
        self.factor.factorise(&self.K).map_err(|_| NotDefinite)
    }

    fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
    }
}

impl FullEdit {
    /// A body at rest under handles that are still there, too. Stiffnesses that are not given are measured as those of a model are, by
    /// the body itself; the solver is Newton's method.
    ///
    /// # Errors
    /// Handles or options that make no sense, a body whose matrices cannot be ordered, or the watch asked to stop.
    pub fn new(
        body: Arc<Body>,
        (mesh, recipe): (&MeshData, &Recipe),
        handles: &[Handle],
        stiffnesses: Option<&[f64]>,
        options: &Options,
        watch: &mut Watch<'_>,
    ) -> Result<Self, SimError> {
        options.check()?;
        crate::check(handles, &body)?;
        let given = |h: usize| stiffnesses.map(|all| all[h]).or(options.stiffness);
        let regions = handles.iter().enumerate().map(|(h, handle)| Region {
            weights: weights(&handle.vertices, &body),
            vertices: handle.vertices.clone(),
            stiffness: given(h).unwrap_or(0.0),
            to: Transform::default(),
        });
        let softest = Softest::of_body(&body, watch)?;
        let units = units(Some(&softest), mesh, recipe);
        // The coordinates of a body are displacements.
        let units =
            if units == Units::PRINTED { units } else { Units { coordinate: side(mesh) / 10.0, ..units } };
        let factor = Cholesky::analyse(body.assembly().pattern(), body.dofs())
            .map_err(|error| SimError::Factor(error.to_string()))?;
        let mut pulled = Pulled {
            K: body.zero_matrix(),
            regions: regions.collect(),
            factor,
            unit: 0.0,
            elastic: 0.0,
            body,
        };
        let rest = vec![0.0; pulled.body.size()];
        let stiffness = |pulled: &mut Pulled| {
            let Pulled { body, K, .. } = pulled;
            body.stiffness(&rest, pliant_energy::Tangent::Exact, K).expect("every energy is defined at rest");
        };
        stiffness(&mut pulled);
        pulled.unit = diagonal(&pulled.K).sum::<f64>() / (3.0 * pulled.body.total_mass());
        if given(0).is_none() {
            let found: Vec<f64> = (0..handles.len())
                .map(|h| {
                    stiffness(&mut pulled);
                    STIFFER * pulled.resistance(h, &softest)
                })
                .collect();
            pulled.regions.iter_mut().zip(found).for_each(|(region, k)| region.stiffness = k);
        }
        let entry = minimise::ALL.get("newton")?;
        let stopping = Stopping { epsilon: options.epsilon, iterations: options.iterations, units };
        Ok(Self { pulled, solver: (entry.make)(), stopping, u: rest })
    }

    /// Says where a handle is to be, counted from 0 in their order.
    pub fn place(&mut self, handle: usize, to: &Transform) {
        self.pulled.regions[handle].to = *to;
    }

    /// Goes downhill from where the last call ended.
    pub fn solve(&mut self, look: &mut Onlooker<'_>) -> Outcome {
        self.solver.minimise(&mut self.pulled, &mut self.u, &self.stopping, look)
    }

    /// u of all vertices, 3n entries, m.
    pub fn displacement(&self) -> &[f64] {
        &self.u
    }

    /// κ of each handle, N/m.
    pub fn stiffnesses(&self) -> Vec<f64> {
        self.pulled.regions.iter().map(|region| region.stiffness).collect()
    }

    /// W of the present state, J, after a call that solved.
    pub fn elastic_energy(&self) -> f64 {
        self.pulled.body.energy(&self.u).unwrap_or(f64::NAN)
    }

    /// How far a handle is from where it is to be: the root of the mean of the square over its mass, m.
    pub fn lag(&self, handle: usize) -> f64 {
        let Region { vertices, weights, to, .. } = &self.pulled.regions[handle];
        let at = |v: u32| Vec3::from_column_slice(&self.u[3 * v as usize..3 * v as usize + 3]);
        square_off(vertices, weights, to, self.pulled.body.rest(), at).sqrt()
    }
}

impl Pulled {
    /// As that of an editor, at full order; K is that at rest.
    fn resistance(&mut self, h: usize, softest: &Softest) -> f64 {
        let body = self.body.clone();
        let floating = softest.eigenvalue * body.total_mass();
        let free = body.dofs().free().len() == body.size() - 3 * body.unused().len();
        if self.regions.len() == 1 && free {
            return floating;
        }
        let rest = self.K.clone();
        let most = diagonal(&rest).fold(0.0, f64::max);
        let kept: Vec<f64> = self.regions.iter().map(|region| region.stiffness).collect();
        for region in &mut self.regions {
            let least = region.weights.iter().copied().fold(f64::INFINITY, f64::min);
            region.stiffness = HELD * most / least;
        }
        let heaviest = self.regions[h].weights.iter().copied().fold(0.0, f64::max);
        let resistance = settle(most / heaviest / STIFFER, |kappa| {
            self.regions[h].stiffness = kappa;
            self.K.clear();
            self.K.add(1.0, &rest);
            self.stiffen();
            self.K.add_per_axis(SHIFT * self.unit, body.mass());
            self.factor.factorise(&self.K).ok()?;
            let Region { vertices, weights, .. } = &self.regions[h];
            let moved = [0, 1, 2].map(|d| {
                let mut x = vec![0.0; body.size()];
                vertices.iter().zip(weights).for_each(|(&v, w)| x[3 * v as usize + d] = *w);
                body.dofs().hold(&mut x);
                self.factor.solve(&mut x);
                x
            });
            // xᵀP y = xᵀG d − κ xᵀA y, where A and G see the handle alone.
            Some(costliest(|d, e| {
                let own = vertices.iter().zip(weights).map(|(&v, w)| {
                    let at = 3 * v as usize;
                    let product: f64 = (at..at + 3).map(|k| moved[d][k] * moved[e][k]).sum();
                    w * (moved[d][at + e] - kappa * product)
                });
                kappa * kappa * own.sum::<f64>()
            }))
        });
        self.regions.iter_mut().zip(kept).for_each(|(region, k)| region.stiffness = k);
        resistance.unwrap_or(floating)
    }
}

fn diagonal(K: &Symmetric<3>) -> impl Iterator<Item = f64> + '_ {
    (0..K.pattern().size()).flat_map(|j| {
        let block = K.values()[K.pattern().column(j).0.start];
        (0..3).map(move |c| block[c][c])
    })
}

fn side(mesh: &MeshData) -> f64 {
    let [low, high] = mesh.bounds();
    (high - low).max()
}

/// √(Σ m_i |a_i − b_i|² / (m A)): the distance of two shapes by mass over the root of the body's size A, its area or volume
/// (T14 Table 3.1).
pub(crate) fn relative_l2(body: &Body, size: f64, a: &[f64], b: &[f64]) -> f64 {
    let masses = body.vertex_masses();
    let square = par::sum(masses.len(), |v| {
        masses[v] * (3 * v..3 * v + 3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>()
    });
    (square / body.total_mass() / size).sqrt()
}
