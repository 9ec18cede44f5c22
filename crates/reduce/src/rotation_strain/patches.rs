//! Elements in patches of neighbours, so that what a patch reads and adds up stays in the nearest cache.
//!
//! Each patch copies the displacements of its own vertices, works on its elements, and adds up what they put on its vertices; then
//! each vertex gathers what its patches have for it. Patches are the same on every machine, each sum has one fixed order, and
//! nothing is written by two: the same bits for any number of threads.

use pliant_linalg::{Mat3, Vec3};
use pliant_mesh::bvh::{Aabb, Bvh};
use rayon::prelude::*;

use super::element::Element;

/// Elements of a patch: in a solid they have a third as many vertices, a few kilobytes.
const PATCH: usize = 256;

/// Vertices that gather in one task.
const GATHERED: usize = 1024;

/// The elements of a body, neighbours beside each other.
pub(super) struct Patches {
    elements: Vec<Element>,
    /// The corners of each, as places in the list of its patch.
    corners: Vec<[u16; 4]>,
    /// The vertices of all patches, one list after the other, and where each begins.
    vertices: Vec<u32>,
    starts: Vec<usize>,
    /// Places of vertex v in `vertices`: `places[place_starts[v]..place_starts[v + 1]]`.
    places: Vec<u32>,
    place_starts: Vec<usize>,
}

impl Patches {
    /// Of elements over the vertices of a shape at rest.
    pub(super) fn new(elements: &[Element], rest: &[Vec3]) -> Self {
        let around = |e: &Element| Aabb::around(e.corners().iter().map(|&v| &rest[v as usize]));
        let tree = Bvh::new(elements.iter().map(around).collect());
        let order = if elements.is_empty() { &[] } else { tree.items(0) };
        let elements: Vec<Element> = order.iter().map(|&j| elements[j as usize]).collect();
        let (mut vertices, mut starts) = (Vec::new(), vec![0]);
        let mut corners = Vec::with_capacity(elements.len());
        for patch in elements.chunks(PATCH) {
            let mut own: Vec<u32> = patch.iter().flat_map(Element::corners).copied().collect();
            own.sort_unstable();
            own.dedup();
            corners.extend(patch.iter().map(|element| {
                let mut places = [0; 4];
                for (place, v) in places.iter_mut().zip(element.corners()) {
                    // Four corners each at most: a thousand places.
                    *place = own.partition_point(|other| other < v) as u16;
                }
                places
            }));
            vertices.extend(own);
            starts.push(vertices.len());
        }
        let mut place_starts = vec![0; rest.len() + 1];
        vertices.iter().for_each(|&v| place_starts[v as usize + 1] += 1);
        (0..rest.len()).for_each(|v| place_starts[v + 1] += place_starts[v]);
        let (mut places, mut next) = (vec![0; vertices.len()], place_starts.clone());
        for (place, &v) in (0..).zip(&vertices) {
            places[next[v as usize]] = place;
            next[v as usize] += 1;
        }
        Self { elements, corners, vertices, starts, places, place_starts }
    }

    /// How many elements there are.
    pub(super) fn count(&self) -> usize {
        self.elements.len()
    }

    /// What `work` makes of every element and its G, in the order of the patches.
    pub(super) fn each<T: Send>(&self, u: &[f64], work: impl Fn(&Element, &Mat3) -> T + Sync) -> Vec<T> {
        let patches = self.elements.par_chunks(PATCH).enumerate();
        let parts: Vec<Vec<T>> = patches
            .map(|(patch, elements)| {
                let mut made = Vec::with_capacity(elements.len());
                self.gradients(patch, u, |element, _, G| made.push(work(element, G)));
                made
            })
            .collect();
        parts.into_iter().flatten().collect()
    }

    /// out\[v\] = Σ_j s_j ∇ᵀ r_j for the r that `work` makes of G, 3n entries.
    pub(super) fn pull(&self, u: &[f64], work: impl Fn(&Mat3) -> Mat3 + Sync, out: &mut [f64]) {
        let mut sums = vec![[0.0; 3]; self.vertices.len()];
        let mut rest = &mut sums[..];
        let mut tasks = Vec::with_capacity(self.starts.len());
        for patch in self.starts.windows(2) {
            let (own, others) = rest.split_at_mut(patch[1] - patch[0]);
            tasks.push(own);
            rest = others;
        }
        tasks.into_par_iter().enumerate().for_each(|(patch, sums)| {
            self.gradients(patch, u, |element, places, G| {
                let (r, mut first) = (work(G), Vec3::zeros());
                // What is put on all corners together is nothing.
                for a in 1..element.corners().len() {
                    let pull = element.pull(&r, a);
                    first -= pull;
                    add(&mut sums[places[a] as usize], &pull);
                }
                add(&mut sums[places[0] as usize], &first);
            });
        });
        let out = out.as_chunks_mut::<3>().0;
        out.par_chunks_mut(GATHERED).enumerate().for_each(|(task, out)| {
            for (v, out) in (task * GATHERED..).zip(out) {
                let places = &self.places[self.place_starts[v]..self.place_starts[v + 1]];
                let mut sum = [0.0; 3];
                for &place in places {
                    (0..3).for_each(|c| sum[c] += sums[place as usize][c]);
                }
                *out = sum;
            }
        });
    }

    /// Calls `work` with the elements of a patch, the places of their corners, and their G.
    fn gradients(&self, patch: usize, u: &[f64], mut work: impl FnMut(&Element, &[u16; 4], &Mat3)) {
        let u = u.as_chunks::<3>().0;
        let mut moved = [Vec3::zeros(); 4 * PATCH];
        let vertices = &self.vertices[self.starts[patch]..self.starts[patch + 1]];
        moved.iter_mut().zip(vertices).for_each(|(moved, &v)| *moved = u[v as usize].into());
        let range = patch * PATCH..((patch + 1) * PATCH).min(self.elements.len());
        for (element, places) in self.elements[range.clone()].iter().zip(&self.corners[range]) {
            let G = element.gradient(|a| moved[places[a] as usize]);
            work(element, places, &G);
        }
    }
}

fn add(sum: &mut [f64; 3], pull: &Vec3) {
    (0..3).for_each(|c| sum[c] += pull[c]);
}
