//! Warping of all vertices: the displacement whose gradients are nearest to exp(ω)(I + ε).
//!
//! ```text
//! min over p of Σ_j s_j ‖∇p − (exp(ω_j)(I + ε_j) − I)‖²,   L = Σ_j s_j ∇ᵀ∇                    (B12 eqs 21 to 25)
//! p = u + d,   L d = Σ_j s_j ∇ᵀ r_j                                                             (1)
//! ```
//! s_j is a volume, or an area; of a triangle ∇ is the gradient in its plane, so that L is the cotangent Laplacian. L is the same
//! for x, y and z: n rows, not 3n. (1) is the same minimum written for what is beyond linear, which keeps every digit of small
//! motions. Held degrees of freedom leave L; what nothing holds keeps its centre of mass, Σ m p = Σ m u over each part.

use std::collections::BTreeMap;

use pliant_energy::Body;
use pliant_linalg::{Assembly, Cholesky, Dofs, Note, Symmetric, par};
use pliant_mesh::topology;

use super::element::{Element, beyond_linear, elements, spin};
use super::patches::Patches;
use crate::ReduceError;
use crate::error::DISPLACEMENT;

/// Displacements beyond this, m, are no displacements: their squares do not fit into a number.
const LARGEST: f64 = 1e100;

/// A warp of a whole body: made once, used for any number of displacements.
///
/// ```
/// use pliant_energy::Recipe;
/// use pliant_linalg::Vec3;
/// use pliant_reduce::Warp;
/// // A free bar, turned by a quarter of a turn as if that were a small rotation.
/// let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data();
/// let body = Recipe::default().build(bar.clone())?;
/// let spin = Vec3::z() * std::f64::consts::FRAC_PI_2;
/// let turned: Vec<f64> = bar.vertices.iter().flat_map(|x| <[f64; 3]>::from(spin.cross(x))).collect();
/// let warp = Warp::new(&body)?;
/// let mut warped = vec![0.0; turned.len()];
/// warp.apply(&turned, &mut warped);
/// assert!((warp.size_ratio(&turned) - (1.0 + spin.norm_squared())).abs() < 1e-9, "it swells");
/// assert!((warp.size_ratio(&warped) - 1.0).abs() < 1e-9, "it turns");
/// # Ok::<(), pliant_reduce::ReduceError>(())
/// ```
pub struct Warp {
    patches: Patches,
    laplacian: Symmetric<1>,
    /// One for each way in which x, y and z are held; `None` where all is held.
    factors: Vec<Option<Cholesky<1>>>,
    /// Which of them x, y and z take.
    factor_of: [usize; 3],
    loose: Vec<Loose>,
    held: Dofs,
}

/// A part that moves along some axes as a whole.
struct Loose {
    axes: [bool; 3],
    vertices: Vec<u32>,
    /// m_v/Σ m, one for each.
    shares: Vec<f64>,
}

impl Warp {
    /// Of a body: its rest shape, its masses, and what is held.
    ///
    /// # Errors
    /// An element without volume or area.
    pub fn new(body: &Body) -> Result<Self, ReduceError> {
        let n = body.rest().len();
        let elements = elements(body)?;
        let assembly = Assembly::new(n, elements.iter().map(Element::corners));
        let laplacian = laplacian(&elements, &assembly);
        let (part_of, parts) = topology::components(n, elements.iter().map(Element::corners));
        let mut members = vec![Vec::new(); parts];
        for (v, part) in (0..).zip(&part_of) {
            if let Some(part) = part {
                members[*part as usize].push(v);
            }
        }
        let mut held: [Vec<bool>; 3] = std::array::from_fn(|c| {
            (0..n).map(|v| body.dofs().is_held(3 * v + c) || part_of[v].is_none()).collect()
        });
        let mut loose = Vec::new();
        for vertices in members {
            let axes: [bool; 3] = std::array::from_fn(|c| !vertices.iter().any(|&v| held[c][v as usize]));
            if !axes.contains(&true) {
                continue;
            }
            // One vertex stands still in the solve; the centre of mass is put right afterwards.
            (0..3).filter(|&c| axes[c]).for_each(|c| held[c][vertices[0] as usize] = true);
            let mass: f64 = vertices.iter().map(|&v| body.vertex_masses()[v as usize]).sum();
            let shares = vertices.iter().map(|&v| body.vertex_masses()[v as usize] / mass).collect();
            loose.push(Loose { axes, vertices, shares });
        }
        let mut ways: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let (mut factors, mut factor_of) = (Vec::new(), [0; 3]);
        for (c, held) in held.into_iter().enumerate() {
            factor_of[c] = match ways.get(&held) {
                Some(&way) => way,
                None => {
                    let dofs = Dofs::new(held.clone());
                    factors.push(if dofs.free().is_empty() {
                        None
                    } else {
                        let mut factor = Cholesky::analyse(assembly.pattern(), &dofs)?;
                        factor.factorise(&laplacian)?;
                        Some(factor)
                    });
                    ways.insert(held, factors.len() - 1);
                    factors.len() - 1
                }
            };
        }
        let patches = Patches::new(&elements, body.rest());
        Ok(Self { patches, laplacian, factors, factor_of, loose, held: body.dofs().clone() })
    }

    /// How many elements there are.
    pub fn elements(&self) -> usize {
        self.patches.count()
    }

    /// 3n.
    pub fn size(&self) -> usize {
        self.held.size()
    }

    /// L, m of a solid and a number of a surface: n×n, no row removed.
    pub fn laplacian(&self) -> &Symmetric<1> {
        &self.laplacian
    }

    /// Whether a displacement, 3n entries, m, can be warped.
    ///
    /// # Errors
    /// A displacement of another size or not finite, or held vertices that move.
    pub fn check(&self, u: &[f64]) -> Result<(), ReduceError> {
        let (n, axis) = (self.size() / 3, |i: usize| ["x", "y", "z"][i % 3]);
        let sentence = if u.len() != self.size() {
            format!(
                "the displacement has {} numbers, expected {}, three for each of {n} vertices: is it of another mesh?",
                u.len(),
                self.size()
            )
        } else if let Some(i) = u.iter().position(|x| !x.is_finite() || x.abs() > LARGEST) {
            format!(
                "the displacement is {} at vertex {} along {}; expected finite numbers of at most {LARGEST:e} m",
                u[i],
                i / 3,
                axis(i)
            )
        } else if let Some(i) = (0..u.len()).find(|&i| self.held.is_held(i) && u[i] != 0.0) {
            format!(
                "vertex {} is fixed, but the displacement moves it by {} m along {}; fix what stood still when the \
                 displacement was made",
                i / 3,
                u[i],
                axis(i)
            )
        } else {
            return Ok(());
        };
        Err(ReduceError::Request(Note::new(sentence, &[DISPLACEMENT])))
    }

    /// The warped displacement of a linear one, 3n entries each, m. What is held is taken to stand still: [`Warp::check`].
    pub fn apply(&self, u: &[f64], out: &mut [f64]) {
        self.apply_many(u, out);
    }

    /// [`Warp::apply`] of many, one after the other: much cheaper than one by one.
    pub fn apply_many(&self, u: &[f64], out: &mut [f64]) {
        assert_eq!((u.len() % self.size(), out.len()), (0, u.len()), "displacements of this body");
        let (size, count) = (self.size(), u.len() / self.size());
        for (u, out) in u.chunks_exact(size).zip(out.chunks_exact_mut(size)) {
            self.pull_beyond(u, out);
        }
        self.solve(out, count);
        for (u, d) in u.chunks_exact(size).zip(out.chunks_exact_mut(size)) {
            self.centre(d);
            d.iter_mut().zip(u).for_each(|(d, u)| *d += u);
        }
    }

    /// Σ_j s_j ∇ᵀ r_j, the right-hand side of (1).
    pub(crate) fn pull_beyond(&self, u: &[f64], out: &mut [f64]) {
        self.patches.pull(u, beyond_linear, out);
    }

    /// d ← L⁻¹ d for each of `count`, one after the other.
    fn solve(&self, x: &mut [f64], count: usize) {
        if let ([Some(factor)], 1) = (&self.factors[..], count) {
            return factor.solve_per_axis(x);
        }
        let (n, size) = (self.size() / 3, self.size());
        for (way, factor) in self.factors.iter().enumerate() {
            let axes: Vec<usize> = (0..3).filter(|&c| self.factor_of[c] == way).collect();
            let places: Vec<(usize, usize)> =
                (0..count).flat_map(|k| axes.iter().map(move |&c| (k, c))).collect();
            let mut columns = vec![0.0; n * places.len()];
            for (column, &(k, c)) in columns.chunks_exact_mut(n).zip(&places) {
                (0..n).for_each(|v| column[v] = x[k * size + 3 * v + c]);
            }
            match factor {
                Some(factor) => factor.solve_many(&mut columns, places.len()),
                None => columns.fill(0.0),
            }
            for (column, &(k, c)) in columns.chunks_exact(n).zip(&places) {
                (0..n).for_each(|v| x[k * size + 3 * v + c] = column[v]);
            }
        }
    }

    /// d ← d without what it moves centres of mass.
    fn centre(&self, d: &mut [f64]) {
        let d = d.as_chunks_mut::<3>().0;
        for Loose { axes, vertices, shares } in &self.loose {
            for c in (0..3).filter(|&c| axes[c]) {
                let moved = par::sum(vertices.len(), |k| shares[k] * d[vertices[k] as usize][c]);
                vertices.iter().for_each(|&v| d[v as usize][c] -= moved);
            }
        }
    }

    /// The largest angle by which u turns an element, radians: max |ω_j|.
    pub fn largest_rotation(&self, u: &[f64]) -> f64 {
        let angles = self.patches.each(u, |_, G| spin(G).norm());
        angles.into_iter().fold(0.0, f64::max)
    }

    /// The volume of a solid (or the area of a surface) that is displaced by u, as a part of what it is at rest. A tet that is turned
    /// inside out counts with a minus.
    pub fn size_ratio(&self, u: &[f64]) -> f64 {
        let sizes = self.patches.each(u, |element, G| [element.stretched(G), element.size]);
        par::sum(sizes.len(), |j| sizes[j][0]) / par::sum(sizes.len(), |j| sizes[j][1])
    }
}

impl std::fmt::Debug for Warp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Warp").field("size", &self.size()).field("elements", &self.elements()).finish()
    }
}

/// Σ_j s_j g_a · g_b.
fn laplacian(elements: &[Element], assembly: &Assembly) -> Symmetric<1> {
    let pattern = assembly.pattern();
    let mut L = Symmetric::<1>::zeros(pattern.clone());
    for element in elements {
        let (corners, slopes) = (element.corners(), element.slopes());
        for (a, &i) in corners.iter().enumerate() {
            for (b, &j) in corners[..=a].iter().enumerate() {
                let slot = pattern.slot(i.max(j) as usize, i.min(j) as usize);
                L.values_mut()[slot.expect("the pattern holds every pair of an element")][0][0] +=
                    element.size * slopes[a].dot(&slopes[b]);
            }
        }
    }
    L
}
