//! A solid: every tet a component, every region its own material.
//!
//! ```text
//! W(u) = Σ_t V_t ψ_t(F_t)            (C17 eq. 2.26)
//! ```

use std::sync::Arc;

use pliant_linalg::{LocalMatrix, LocalVector, Mat3};
use pliant_mesh::TetMesh;

use crate::element::Tet4;
use crate::material::{Material, Stiffness9, each_stretch};
use crate::{Energy, Inadmissible, MOST_DIRECTIONS, Projective, Tangent};

/// Tets worked on at once: their gradients, stresses and stiffnesses stay on the stack and in the first cache.
const BATCH: usize = 16;

/// The energy of a solid of linear tets.
pub struct Solid {
    tets: Vec<[u32; 4]>,
    elements: Vec<Tet4>,
    /// Index into `materials` for every tet.
    material_of: Vec<u32>,
    materials: Vec<Arc<dyn Material>>,
}

impl Solid {
    /// Tet t is made of `materials[material_of[t]]`.
    pub fn new(mesh: &TetMesh, materials: Vec<Box<dyn Material>>, material_of: Vec<u32>) -> Self {
        assert_eq!(material_of.len(), mesh.tets().len(), "a material for every tet");
        assert!(material_of.iter().all(|&m| (m as usize) < materials.len()), "materials that exist");
        let elements = (0..mesh.tets().len()).map(|t| Tet4::new(&mesh.corners(t))).collect();
        let materials = materials.into_iter().map(Arc::from).collect();
        Self { tets: mesh.tets().to_vec(), elements, material_of, materials }
    }

    /// The geometry of tet t.
    pub fn element(&self, t: usize) -> &Tet4 {
        &self.elements[t]
    }

    /// What tet t is made of.
    pub fn material(&self, t: usize) -> &dyn Material {
        self.materials[self.material_of[t] as usize].as_ref()
    }

    /// Gradients of the displacement of some tets, then `work` on every run of one material, at most [`BATCH`] tets at a time:
    /// dispatched once a run, not once a tet, and nothing is allocated.
    fn by_material(
        &self,
        components: &[u32],
        u: &[LocalVector],
        mut work: impl FnMut(std::ops::Range<usize>, &dyn Material, &[Mat3]),
    ) -> Result<(), Inadmissible> {
        let mut H = [Mat3::zeros(); BATCH];
        let mut begin = 0;
        while begin < components.len() {
            let which = self.material_of[components[begin] as usize];
            let run = components[begin..].iter().take(BATCH);
            let end = begin + run.take_while(|&&t| self.material_of[t as usize] == which).count();
            let H = &mut H[..end - begin];
            for (k, H) in (begin..end).zip(H.iter_mut()) {
                *H = self.elements[components[k] as usize].displacement_gradient(&u[k]);
            }
            let material = self.materials[which as usize].as_ref();
            if let Some(k) = H.iter().position(|H| !material.admits(H)) {
                return Err(Inadmissible { component: components[begin + k] as usize });
            }
            work(begin..end, material, H);
            begin = end;
        }
        Ok(())
    }
}

impl Energy for Solid {
    fn count(&self) -> usize {
        self.tets.len()
    }

    fn corners(&self, c: usize) -> &[u32] {
        &self.tets[c]
    }

    fn energies(&self, components: &[u32], u: &[LocalVector], out: &mut [f64]) -> Result<(), Inadmissible> {
        self.by_material(components, u, |range, material, H| {
            material.energy_densities(H, &mut out[range.clone()]);
            for k in range {
                out[k] *= self.elements[components[k] as usize].volume;
            }
        })
    }

    fn gradients(
        &self,
        components: &[u32],
        u: &[LocalVector],
        out: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        self.by_material(components, u, |range, material, H| {
            let mut P = [Mat3::zeros(); BATCH];
            material.stresses(H, &mut P[..H.len()]);
            for (k, P) in range.zip(&P) {
                out[k] = self.elements[components[k] as usize].gradient(P);
            }
        })
    }

    fn energies_and_gradients(
        &self,
        components: &[u32],
        u: &[LocalVector],
        energies: &mut [f64],
        gradients: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        self.by_material(components, u, |range, material, H| {
            let mut P = [Mat3::zeros(); BATCH];
            material.energies_and_stresses(H, &mut energies[range.clone()], &mut P[..H.len()]);
            for (k, P) in range.zip(&P) {
                let tet = &self.elements[components[k] as usize];
                energies[k] *= tet.volume;
                gradients[k] = tet.gradient(P);
            }
        })
    }

    fn gradients_along(
        &self,
        components: &[u32],
        u: &[LocalVector],
        x: &[LocalVector],
        gradients: &mut [LocalVector],
        along: &mut [LocalVector],
    ) -> Result<(), Inadmissible> {
        self.by_material(components, u, |range, material, H| {
            let [mut dH, mut P, mut dP] = [[Mat3::zeros(); BATCH]; 3];
            let count = H.len();
            for (k, dH) in range.clone().zip(&mut dH) {
                *dH = self.elements[components[k] as usize].displacement_gradient(&x[k]);
            }
            material.stresses_along(H, &dH[..count], &mut P[..count], &mut dP[..count]);
            for (k, (P, dP)) in range.zip(P.iter().zip(&dP)) {
                let tet = &self.elements[components[k] as usize];
                gradients[k] = tet.gradient(P);
                along[k] = tet.gradient(dP);
            }
        })
    }

    fn hessians(
        &self,
        components: &[u32],
        u: &[LocalVector],
        tangent: Tangent,
        out: &mut [LocalMatrix],
    ) -> Result<(), Inadmissible> {
        self.by_material(components, u, |range, material, H| {
            let mut C: [Stiffness9; BATCH] = [[[0.0; 9]; 9]; BATCH];
            let C = &mut C[..H.len()];
            match tangent {
                Tangent::Exact => material.stiffnesses(H, C),
                Tangent::Positive => material.positive_stiffnesses(H, C),
            }
            for (k, C) in range.zip(&*C) {
                self.elements[components[k] as usize].hessian(C, &mut out[k]);
            }
        })
    }

    fn third_at_rest(&self, component: usize, a: &LocalVector, b: &LocalVector) -> LocalVector {
        let tet = &self.elements[component];
        let (A, B) = (tet.displacement_gradient(a), tet.displacement_gradient(b));
        tet.gradient(&self.material(component).third_at_rest(&A, &B))
    }

    fn thirds_at_rest(
        &self,
        component: usize,
        directions: &[LocalVector],
        pairs: &[(usize, usize)],
        out: &mut [LocalVector],
    ) {
        let (tet, material) = (&self.elements[component], self.material(component));
        let mut H = [Mat3::zeros(); MOST_DIRECTIONS];
        H.iter_mut().zip(directions).for_each(|(H, v)| *H = tet.displacement_gradient(v));
        for (out, &(i, j)) in out.iter_mut().zip(pairs) {
            *out = tet.gradient(&material.third_at_rest(&H[i], &H[j]));
        }
    }

    fn pick(&self, components: &[u32]) -> Box<dyn Energy> {
        let all = || components.iter().map(|&t| t as usize);
        Box::new(Self {
            tets: all().map(|t| self.tets[t]).collect(),
            elements: all().map(|t| self.elements[t]).collect(),
            material_of: all().map(|t| self.material_of[t]).collect(),
            materials: self.materials.clone(),
        })
    }

    fn solid(&self) -> Option<&Solid> {
        Some(self)
    }

    fn projective(&self) -> Option<&dyn Projective> {
        Some(self)
    }
}

impl Projective for Solid {
    fn gradients(&self, components: &[u32], u: &[LocalVector], out: &mut [LocalVector]) {
        let mut H = [Mat3::zeros(); BATCH];
        for ((components, u), out) in components.chunks(BATCH).zip(u.chunks(BATCH)).zip(out.chunks_mut(BATCH))
        {
            let H = &mut H[..components.len()];
            for (k, &t) in components.iter().enumerate() {
                H[k] = self.elements[t as usize].displacement_gradient(&u[k]);
            }
            each_stretch(H, |k, R, X| {
                let t = components[k] as usize;
                out[k] = self.elements[t].gradient(&(R * X * (2.0 * self.material(t).small_strain().mu())));
            });
        }
    }

    fn laplacian(&self, component: usize) -> [[f64; 4]; 4] {
        let tet = &self.elements[component];
        let w = 2.0 * self.material(component).small_strain().mu() * tet.volume;
        let b = &tet.shape_gradients;
        std::array::from_fn(|i| std::array::from_fn(|j| w * b[i].dot(&b[j])))
    }
}
