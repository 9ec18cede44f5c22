//! A body: an energy, a mass, what is held, and how it all is assembled.

use std::fmt;
use std::sync::OnceLock;

use pliant_linalg::{Assembly, CsrMatrix, Dofs, LocalMatrix, LocalVector, Symmetric, Vec3, par};
use rayon::prelude::*;

use crate::{Energy, Inadmissible, MOST_DIRECTIONS, Tangent};

/// Components in one task. Not derived from the number of threads: it is part of the bits of a sum.
const TASK: usize = 64;

/// Pairs of directions that walk over the components together; their directions are at most [`MOST_DIRECTIONS`].
const PAIRS: usize = MOST_DIRECTIONS / 2;

/// A deformable body at full order: 3n degrees of freedom, 3i + c, displacements in metres.
pub struct Body {
    rest: Vec<Vec3>,
    energy: Box<dyn Energy>,
    /// Made when they are asked for.
    flaps: OnceLock<Option<Box<dyn Energy>>>,
    assembly: Assembly,
    mass: Symmetric<1>,
    vertex_masses: Vec<f64>,
    dofs: Dofs,
    boundary: Vec<[u32; 3]>,
    unused: Vec<u32>,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, components) = (self.rest.len(), self.energy.count());
        f.debug_struct("Body")
            .field("vertices", &vertices)
            .field("components", &components)
            .finish_non_exhaustive()
    }
}

impl Body {
    /// Puts the parts together. `boundary`: the outer triangles, seen from outside counter-clockwise, on which pressure
    /// acts.
    pub fn new(
        rest: Vec<Vec3>,
        energy: Box<dyn Energy>,
        mass: impl FnOnce(&Assembly) -> Symmetric<1>,
        dofs: Dofs,
        boundary: Vec<[u32; 3]>,
    ) -> Self {
        let assembly = Assembly::new(rest.len(), (0..energy.count()).map(|c| energy.corners(c)));
        let mass = mass(&assembly);
        assert_eq!(dofs.size(), 3 * rest.len(), "three entries a vertex");
        let mut vertex_masses = vec![0.0; rest.len()];
        mass.apply(&vec![1.0; rest.len()], &mut vertex_masses);
        let mut used = vec![false; rest.len()];
        (0..energy.count()).flat_map(|c| energy.corners(c)).for_each(|&v| used[v as usize] = true);
        let unused = (0..rest.len() as u32).filter(|&v| !used[v as usize]).collect();
        let flaps = OnceLock::new();
        Self { rest, energy, flaps, assembly, mass, vertex_masses, dofs, boundary, unused }
    }

    /// Rest positions, m.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// 3n.
    pub fn size(&self) -> usize {
        3 * self.rest.len()
    }

    /// The energy itself, component by component.
    pub fn components(&self) -> &dyn Energy {
        self.energy.as_ref()
    }

    /// The same energy as a sum over the edges of a surface; `None` of a solid. See [`Energy::flaps`].
    pub fn flaps(&self) -> Option<&dyn Energy> {
        self.flaps.get_or_init(|| self.energy.flaps()).as_deref()
    }

    /// Mass, kg: n×n, the same for x, y and z.
    pub fn mass(&self) -> &Symmetric<1> {
        &self.mass
    }

    /// What each vertex weighs, kg: the rows of the mass, summed.
    pub fn vertex_masses(&self) -> &[f64] {
        &self.vertex_masses
    }

    /// The mass of the whole body, kg, held vertices included.
    pub fn total_mass(&self) -> f64 {
        par::sum(self.vertex_masses.len(), |v| self.vertex_masses[v])
    }

    /// What is held and what is free.
    pub fn dofs(&self) -> &Dofs {
        &self.dofs
    }

    /// The vertices, ascending, that no component touches: they weigh nothing, and [`crate::Recipe`] holds them, since
    /// nothing else would. Worth a word to the user.
    pub fn unused(&self) -> &[u32] {
        &self.unused
    }

    /// The outer triangles.
    pub fn boundary(&self) -> &[[u32; 3]] {
        &self.boundary
    }

    /// A zero matrix with the pattern of the stiffness.
    pub fn zero_matrix(&self) -> Symmetric<3> {
        Symmetric::zeros(self.assembly.pattern().clone())
    }

    /// How components become vectors and matrices of the body.
    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    /// W(u), J.
    ///
    /// # Errors
    /// [`Inadmissible`] where W is not defined.
    pub fn energy(&self, u: &[f64]) -> Result<f64, Inadmissible> {
        let mut energies = vec![0.0; self.energy.count()];
        self.each_task(u, &mut energies, |components, u, out| self.energy.energies(components, u, out))?;
        Ok(par::sum(energies.len(), |c| energies[c]))
    }

    /// f_int(u) = +∂W/∂u, N, for all vertices, held ones included.
    ///
    /// # Errors
    /// [`Inadmissible`] where W is not defined.
    pub fn force(&self, u: &[f64], out: &mut [f64]) -> Result<(), Inadmissible> {
        let mut locals = vec![[0.0; 12]; self.energy.count()];
        self.each_task(u, &mut locals, |components, u, out| self.energy.gradients(components, u, out))?;
        self.assembly.vector(&locals, out);
        Ok(())
    }

    /// [`Body::force`], and `along` = K(u) x, without K.
    ///
    /// # Errors
    /// [`Inadmissible`] where W is not defined.
    pub fn force_along(
        &self,
        u: &[f64],
        x: &[f64],
        force: &mut [f64],
        along: &mut [f64],
    ) -> Result<(), Inadmissible> {
        let mut locals = vec![[[0.0; 12]; 2]; self.energy.count()];
        self.each_task(u, &mut locals, |components, u, out| {
            let [mut dx, mut gradients, mut products] = [[[0.0; 12]; TASK]; 3];
            let count = components.len();
            dx.iter_mut().zip(components).for_each(|(dx, &c)| *dx = self.local(c, x));
            let (gradients, products) = (&mut gradients[..count], &mut products[..count]);
            self.energy.gradients_along(components, u, &dx[..count], gradients, products)?;
            out.iter_mut().zip(gradients.iter().zip(products)).for_each(|(out, (f, g))| *out = [*f, *g]);
            Ok(())
        })?;
        self.assembly.vector_of(|c| &locals[c][0], force);
        self.assembly.vector_of(|c| &locals[c][1], along);
        Ok(())
    }

    /// K(u) = ∂²W/∂u², N/m, for all vertices, held ones included.
    ///
    /// # Errors
    /// [`Inadmissible`] where W is not defined.
    pub fn stiffness(&self, u: &[f64], tangent: Tangent, out: &mut Symmetric<3>) -> Result<(), Inadmissible> {
        assert_eq!(u.len(), self.size(), "a state of this body");
        let compute = |first: usize, out: &mut [LocalMatrix]| {
            for (k, out) in out.chunks_mut(TASK).enumerate() {
                self.task(first + k * TASK, out.len(), u, |components, u| {
                    self.energy.hessians(components, u, tangent, out)
                })?;
            }
            Ok(())
        };
        self.assembly.matrix(self.energy.count(), compute, out)
    }

    /// K(u) = ∂²W/∂u² as a sparse matrix for other programs, N/m: 3n×3n, both triangles, held degrees of freedom included;
    /// rows and columns of the others are [`Dofs::free`] of [`Body::dofs`].
    ///
    /// ```
    /// use pliant_energy::Recipe;
    /// use pliant_linalg::Vec3;
    /// let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data();
    /// let body = Recipe::default().build(bar)?;
    /// let K = body.stiffness_csr(&vec![0.0; body.size()])?;
    /// // In Python: scipy.sparse.csr_matrix((K.values, K.columns, K.row_starts))
    /// assert_eq!((K.size(), K.row_starts.len()), (body.size(), body.size() + 1));
    /// assert_eq!(K.get(0, 4), K.get(4, 0));
    /// let M = body.mass_csr();
    /// assert!((M.values.iter().sum::<f64>() - 3.0 * body.total_mass()).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Inadmissible`] where W is not defined.
    pub fn stiffness_csr(&self, u: &[f64]) -> Result<CsrMatrix, Inadmissible> {
        let mut K = self.zero_matrix();
        self.stiffness(u, Tangent::Exact, &mut K)?;
        Ok(K.to_csr())
    }

    /// The mass as a sparse matrix for other programs, kg: 3n×3n, both triangles, held degrees of freedom included. See
    /// [`Body::stiffness_csr`].
    pub fn mass_csr(&self) -> CsrMatrix {
        self.mass.to_csr_per_axis()
    }

    /// The gradient of the projective energy of a solid, L u − J p (C17 eq. 3.3), N, for all vertices; `false` and nothing
    /// in `out` for bodies that have none.
    pub fn projective_force(&self, u: &[f64], out: &mut [f64]) -> bool {
        let Some(projective) = self.energy.projective() else { return false };
        let locals: Vec<LocalVector> =
            self.per_component(u, |components, u, out| projective.gradients(components, u, out));
        self.assembly.vector(&locals, out);
        true
    }

    /// L of that: Σ w Gᵀ G (C17 eq. 3.4), n×n, the same for x, y and z, N/m.
    pub fn laplacian(&self) -> Option<Symmetric<1>> {
        let projective = self.energy.projective()?;
        let pattern = self.assembly.pattern();
        let mut L = Symmetric::<1>::zeros(pattern.clone());
        for component in 0..self.energy.count() {
            let local = projective.laplacian(component);
            let corners = self.energy.corners(component);
            for (a, &i) in corners.iter().enumerate() {
                for (b, &j) in corners[..=a].iter().enumerate() {
                    let slot = pattern.slot(i.max(j) as usize, i.min(j) as usize);
                    L.values_mut()[slot.expect("the pattern holds every pair of a component")][0][0] +=
                        local[a][b];
                }
            }
        }
        Some(L)
    }

    /// out = ∂³W(0)[a, b, ·]: the derivative of K along a, times b; symmetric in a and b.
    pub fn third_at_rest(&self, a: &[f64], b: &[f64], out: &mut [f64]) {
        let locals: Vec<LocalVector> = (0..self.energy.count() as u32)
            .into_par_iter()
            .map(|c| {
                let (a, b) = (self.local(c, a), self.local(c, b));
                self.energy.third_at_rest(c as usize, &a, &b)
            })
            .collect();
        self.assembly.vector(&locals, out);
    }

    /// [`Body::third_at_rest`] of many pairs (i, j) among `directions`, 3n entries each; `out` takes 3n entries a pair. The
    /// same bits, much sooner: a few pairs at a time walk over the components, in parallel.
    pub fn thirds_at_rest(&self, directions: &[f64], pairs: &[(usize, usize)], out: &mut [f64]) {
        assert_eq!(out.len(), pairs.len() * self.size(), "3n entries a pair");
        let stretches = out.par_chunks_mut(PAIRS * self.size()).zip(pairs.par_chunks(PAIRS));
        stretches.for_each(|(out, pairs)| self.few_thirds(directions, pairs, out));
    }

    /// For at most [`PAIRS`] pairs.
    fn few_thirds(&self, directions: &[f64], pairs: &[(usize, usize)], out: &mut [f64]) {
        let mut used: Vec<usize> = pairs.iter().flat_map(|&(i, j)| [i, j]).collect();
        used.sort_unstable();
        used.dedup();
        let place = |d: usize| used.binary_search(&d).expect("every direction of a pair is used");
        let places: Vec<(usize, usize)> = pairs.iter().map(|&(i, j)| (place(i), place(j))).collect();
        // All that a vertex has lies together.
        let (k, p, vertices) = (used.len(), pairs.len(), self.rest.len());
        let mut seen = vec![[0.0; 3]; vertices * k];
        for (at, &d) in used.iter().enumerate() {
            let direction = directions[d * self.size()..(d + 1) * self.size()].as_chunks::<3>().0;
            direction.iter().enumerate().for_each(|(v, x)| seen[v * k + at] = *x);
        }
        let mut sums = vec![[0.0; 3]; vertices * p];
        let (mut locals, mut thirds) = ([[0.0; 12]; MOST_DIRECTIONS], [[0.0; 12]; PAIRS]);
        for c in 0..self.energy.count() {
            let corners = self.energy.corners(c);
            for (a, &v) in corners.iter().enumerate() {
                let seen = &seen[v as usize * k..(v as usize + 1) * k];
                locals.iter_mut().zip(seen).for_each(|(l, x)| l[3 * a..3 * a + 3].copy_from_slice(x));
            }
            for local in &mut locals[..k] {
                local[3 * corners.len()..].fill(0.0);
            }
            self.energy.thirds_at_rest(c, &locals[..k], &places, &mut thirds[..p]);
            for (a, &v) in corners.iter().enumerate() {
                let sums = &mut sums[v as usize * p..(v as usize + 1) * p];
                for (sum, third) in sums.iter_mut().zip(&thirds) {
                    (0..3).for_each(|c| sum[c] += third[3 * a + c]);
                }
            }
        }
        for (at, out) in out.chunks_exact_mut(self.size()).enumerate() {
            let out = out.as_chunks_mut::<3>().0;
            out.iter_mut().enumerate().for_each(|(v, x)| *x = sums[v * p + at]);
        }
    }

    /// What `work(components, locals, out)` gives for every component at u, in parallel, in their order.
    pub fn per_component<T: Send + Clone + Default>(
        &self,
        u: &[f64],
        work: impl Fn(&[u32], &[LocalVector], &mut [T]) + Sync,
    ) -> Vec<T> {
        assert_eq!(u.len(), self.size(), "a state of this body");
        let mut out = vec![T::default(); self.energy.count()];
        out.par_chunks_mut(TASK).enumerate().for_each(|(task, out)| {
            self.task(task * TASK, out.len(), u, |components, u| work(components, u, out));
        });
        out
    }

    /// The entries of `u` that these components see.
    pub fn gather(&self, components: &[u32], u: &[f64]) -> Vec<LocalVector> {
        components.iter().map(|&c| self.local(c, u)).collect()
    }

    /// The entries of `u` that one component sees.
    fn local(&self, component: u32, u: &[f64]) -> LocalVector {
        let u = u.as_chunks::<3>().0;
        let mut local = [0.0; 12];
        for (a, &v) in self.energy.corners(component as usize).iter().enumerate() {
            local[3 * a..3 * a + 3].copy_from_slice(&u[v as usize]);
        }
        local
    }

    /// `work` on at most [`TASK`] components from `first` on, and on what they see of `u`. Nothing is allocated.
    fn task<R>(
        &self,
        first: usize,
        count: usize,
        u: &[f64],
        work: impl FnOnce(&[u32], &[LocalVector]) -> R,
    ) -> R {
        let components: [u32; TASK] = std::array::from_fn(|k| (first + k) as u32);
        let mut locals = [[0.0; 12]; TASK];
        locals[..count].iter_mut().zip(components).for_each(|(local, c)| *local = self.local(c, u));
        work(&components[..count], &locals[..count])
    }

    /// Fills one entry a component, task by task in parallel; the first error in the order of components comes out.
    fn each_task<T: Send>(
        &self,
        u: &[f64],
        out: &mut [T],
        work: impl Fn(&[u32], &[LocalVector], &mut [T]) -> Result<(), Inadmissible> + Sync,
    ) -> Result<(), Inadmissible> {
        assert_eq!(u.len(), self.size(), "a state of this body");
        let task = |(task, out): (usize, &mut [T])| {
            self.task(task * TASK, out.len(), u, |components, u| work(components, u, out))
        };
        let outcomes: Vec<_> = out.par_chunks_mut(TASK).enumerate().map(task).collect();
        outcomes.into_iter().collect()
    }
}
