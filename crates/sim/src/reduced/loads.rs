//! Loads in the coordinates of a basis, exactly: p = Uᵀ f_ext(t, Uq).
//!
//! Gravity, and the forces on vertices that act at the same times, are summed once, when this is made. A spring needs the three rows B of its vertex:
//! Bᵀ pull, stiffness k BᵀB. Pressure follows the boundary, so that its vertices are reconstructed every time: slow,
//! but right. Nothing here allocates after it was made.

use std::collections::BTreeMap;

use pliant_energy::load::{Loads, NodalForce, Spring, pressed};
use pliant_linalg::{DenseSymmetric, Vec3, rows};
use pliant_reduce::{Basis, Model};

use crate::SimError;

/// What acts on a reduced model.
pub(crate) struct ReducedLoads {
    basis: Basis,
    /// Of all vertices at once, for now.
    gravity: Vec<f64>,
    /// What was pushed by hand, until it is taken away.
    pub(crate) push: Vec<f64>,
    /// One for each window of time.
    forces: Vec<Window>,
    pub(crate) springs: Vec<Held>,
    pressed: Option<Pressed>,
}

/// Forces on vertices that act from one time to another.
struct Window {
    /// Of the first of them. The vertices are left out, for only its time counts.
    when: NodalForce,
    /// The projection of their sum.
    p: Vec<f64>,
}

/// A spring that may be let go.
pub(crate) struct Held {
    pub(crate) spring: Spring,
    pub(crate) rest: Vec3,
    pub(crate) active: bool,
    /// How many springs had this place before.
    pub(crate) generation: u32,
}

/// Loads of hands and gravity, out of the way.
pub(crate) struct Aside {
    gravity: Vec<f64>,
    push: Vec<f64>,
    springs: Vec<Held>,
}

impl ReducedLoads {
    /// The loads must have passed [`Loads::check_for`].
    pub(crate) fn new(model: &Model, loads: &Loads) -> Result<Self, SimError> {
        let (basis, r) = (model.basis().clone(), model.basis().rank());
        let forces = windows(&basis, &loads.forces);
        let springs = loads.springs.iter().map(|spring| Held {
            spring: spring.clone(),
            rest: model.mesh().vertices[spring.vertex as usize],
            active: true,
            generation: 0,
        });
        let springs = springs.collect();
        let pressed = match loads.pressures.is_empty() {
            true => None,
            false => Some(Pressed::new(model, loads)?),
        };
        let mut all = Self { basis, gravity: vec![0.0; r], push: vec![0.0; r], forces, springs, pressed };
        all.set_gravity(model, loads.gravity);
        Ok(all)
    }

    pub(crate) fn set_gravity(&mut self, model: &Model, gravity: Vec3) {
        for (k, p) in self.gravity.iter_mut().enumerate() {
            *p = (0..3).map(|d| model.gravity()[d][k] * gravity[d]).sum();
        }
    }

    /// Of all vertices at once, in coordinates.
    pub(crate) fn gravity(&self) -> &[f64] {
        &self.gravity
    }

    /// Takes away what a hand can do, until it is put back.
    pub(crate) fn set_aside(&mut self) -> Aside {
        let zeros = || vec![0.0; self.basis.rank()];
        let (gravity, push) = (zeros(), zeros());
        Aside {
            gravity: std::mem::replace(&mut self.gravity, gravity),
            push: std::mem::replace(&mut self.push, push),
            springs: std::mem::take(&mut self.springs),
        }
    }

    pub(crate) fn put_back(&mut self, aside: Aside) {
        (self.gravity, self.push, self.springs) = (aside.gravity, aside.push, aside.springs);
    }

    /// The force of a spring on its vertex, N.
    pub(crate) fn pull(&self, held: &Held, t: f64, q: &[f64]) -> Vec3 {
        held.spring.pull(t, self.place(held, q))
    }

    /// Whether a load depends on where the body is.
    pub(crate) fn are_stiff(&self) -> bool {
        self.pressed.is_some() || self.active().next().is_some()
    }

    fn active(&self) -> impl Iterator<Item = &Held> {
        self.springs.iter().filter(|s| s.active)
    }

    fn place(&self, held: &Held, q: &[f64]) -> Vec3 {
        held.rest + Vec3::from(self.basis.at(q, held.spring.vertex as usize))
    }

    pub(crate) fn force(&mut self, t: f64, q: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(&self.gravity).zip(&self.push).for_each(|((out, g), p)| *out = g + p);
        for Window { p, .. } in self.forces.iter().filter(|window| window.when.acts(t)) {
            out.iter_mut().zip(p).for_each(|(out, p)| *out += p);
        }
        for held in self.active().filter(|held| held.spring.acts(t)) {
            add(self.basis.vertex(held.spring.vertex as usize), self.pull(held, t, q), out);
        }
        if let Some(pressed) = &mut self.pressed {
            pressed.force(t, q, out);
        }
    }

    pub(crate) fn potential(&mut self, t: f64, q: &[f64]) -> f64 {
        let dot = |p: &[f64]| p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>();
        let mut potential = -dot(&self.gravity) - dot(&self.push);
        for Window { p, .. } in self.forces.iter().filter(|window| window.when.acts(t)) {
            potential -= dot(p);
        }
        for held in self.active().filter(|held| held.spring.acts(t)) {
            potential += held.spring.potential(t, self.place(held, q));
        }
        match &mut self.pressed {
            Some(pressed) => potential + pressed.potential(t, q),
            None => potential,
        }
    }

    /// out = −∂p/∂q.
    pub(crate) fn stiffness(&mut self, t: f64, q: &[f64], out: &mut DenseSymmetric) {
        out.clear();
        let r = out.size();
        for held in self.springs.iter().filter(|s| s.active && s.spring.acts(t)) {
            let values = out.values_mut();
            for row in self.basis.vertex(held.spring.vertex as usize).chunks_exact(r) {
                for (i, b) in row.iter().enumerate() {
                    let scaled = held.spring.stiffness * b;
                    let into = &mut values[i * r + i..(i + 1) * r];
                    into.iter_mut().zip(&row[i..]).for_each(|(k, b)| *k += scaled * b);
                }
            }
        }
        if let Some(pressed) = &mut self.pressed {
            pressed.stiffness(t, q, out);
        }
    }

    /// Σ ‖B‖ k |x|, N: times ε it is what rounding makes of the springs.
    pub(crate) fn rounding(&self, q: &[f64]) -> f64 {
        let each = |held: &Held| {
            let rows = self.basis.vertex(held.spring.vertex as usize);
            let norm = rows.iter().map(|b| b * b).sum::<f64>().sqrt();
            norm * held.spring.stiffness * (held.rest.norm() + self.place(held, q).norm())
        };
        self.active().map(each).sum()
    }
}

/// Forces in the order in which their windows come first.
fn windows(basis: &Basis, forces: &[NodalForce]) -> Vec<Window> {
    let mut place_of = BTreeMap::new();
    let mut windows: Vec<Window> = Vec::new();
    for force in forces {
        let place = *place_of.entry((force.from.to_bits(), force.to.to_bits())).or_insert_with(|| {
            let when = NodalForce { vertices: Vec::new(), ..*force };
            windows.push(Window { when, p: vec![0.0; basis.rank()] });
            windows.len() - 1
        });
        let p = &mut windows[place].p;
        force.vertices.iter().for_each(|&v| add(basis.vertex(v as usize), force.value, p));
    }
    windows
}

/// out ← out + Bᵀ f for the three rows B of a vertex.
pub(crate) fn add(rows: &[f64], f: Vec3, out: &mut [f64]) {
    for (row, f) in rows.chunks_exact(out.len()).zip(f.iter()) {
        out.iter_mut().zip(row).for_each(|(out, b)| *out += b * f);
    }
}

/// The boundary, for pressure.
struct Pressed {
    /// The pressures alone.
    loads: Loads,
    /// Corners, as places in the lists below.
    triangles: Vec<[u32; 3]>,
    rest: Vec<Vec3>,
    /// Rows of U of these vertices, one after the other.
    rows: Vec<f64>,
    u: Vec<f64>,
    f: Vec<f64>,
    p: Vec<f64>,
    /// K U, rows as above.
    stiff: Vec<f64>,
}

impl Pressed {
    fn new(model: &Model, loads: &Loads) -> Result<Self, SimError> {
        let body = model.body()?;
        let mut vertices: Vec<u32> = body.boundary().as_flattened().to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        let place = |v: u32| vertices.binary_search(&v).expect("every corner is in the list") as u32;
        let rows: Vec<f64> =
            vertices.iter().flat_map(|&v| model.basis().vertex(v as usize)).copied().collect();
        let zeros = || vec![0.0; 3 * vertices.len()];
        Ok(Self {
            loads: Loads { pressures: loads.pressures.clone(), ..Loads::default() },
            triangles: body.boundary().iter().map(|t| t.map(place)).collect(),
            rest: vertices.iter().map(|&v| body.rest()[v as usize]).collect(),
            stiff: vec![0.0; rows.len()],
            u: zeros(),
            f: zeros(),
            p: vec![0.0; model.basis().rank()],
            rows,
        })
    }

    fn corners(&self, triangle: [u32; 3]) -> [Vec3; 3] {
        triangle.map(|v| {
            let v = v as usize;
            self.rest[v] + Vec3::new(self.u[3 * v], self.u[3 * v + 1], self.u[3 * v + 2])
        })
    }

    fn force(&mut self, t: f64, q: &[f64], out: &mut [f64]) {
        let pressure = self.loads.pressure(t);
        if pressure == 0.0 {
            return;
        }
        rows::expand(&self.rows, q, &mut self.u);
        self.f.fill(0.0);
        for &triangle in &self.triangles {
            let share = pressed::force(pressure, self.corners(triangle));
            triangle.iter().for_each(|&v| (0..3).for_each(|c| self.f[3 * v as usize + c] += share[c]));
        }
        rows::project(&self.rows, &self.f, &mut self.p);
        out.iter_mut().zip(&self.p).for_each(|(out, p)| *out += p);
    }

    fn potential(&mut self, t: f64, q: &[f64]) -> f64 {
        let pressure = self.loads.pressure(t);
        if pressure == 0.0 {
            return 0.0;
        }
        rows::expand(&self.rows, q, &mut self.u);
        // Seen from a vertex of the body, as at full order.
        let tip = self.triangles.first().map_or_else(Vec3::zeros, |t| self.rest[t[0] as usize]);
        self.triangles.iter().map(|&t| pressed::potential(pressure, self.corners(t), tip)).sum()
    }

    fn stiffness(&mut self, t: f64, q: &[f64], out: &mut DenseSymmetric) {
        let pressure = self.loads.pressure(t);
        if pressure == 0.0 {
            return;
        }
        rows::expand(&self.rows, q, &mut self.u);
        let r = out.size();
        self.stiff.fill(0.0);
        for &triangle in &self.triangles {
            let blocks = pressed::stiffness(pressure, self.corners(triangle));
            for (k, block) in blocks.iter().enumerate() {
                let (i, j) = (3 * triangle[k] as usize, 3 * triangle[(k + 1) % 3] as usize);
                for a in 0..3 {
                    for b in 0..3 {
                        let x = block[(a, b)];
                        axpy_row(x, &self.rows, j + b, &mut self.stiff, i + a, r);
                        axpy_row(x, &self.rows, i + a, &mut self.stiff, j + b, r);
                    }
                }
            }
        }
        let values = out.values_mut();
        for (u, ku) in self.rows.chunks_exact(r).zip(self.stiff.chunks_exact(r)) {
            for (i, u) in u.iter().enumerate() {
                let into = &mut values[i * r + i..(i + 1) * r];
                into.iter_mut().zip(&ku[i..]).for_each(|(k, ku)| *k += u * ku);
            }
        }
    }
}

/// Row i of `into` ← itself + x · row j of `from`.
fn axpy_row(x: f64, from: &[f64], j: usize, into: &mut [f64], i: usize, r: usize) {
    let (into, from) = (&mut into[i * r..(i + 1) * r], &from[j * r..(j + 1) * r]);
    into.iter_mut().zip(from).for_each(|(into, from)| *into += x * from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_of_one_window_are_one_sum() {
        // Four vertices, two coordinates.
        let rows: Vec<f64> = (0..24).map(|k| f64::from(k) - 7.0).collect();
        let basis = Basis::new(2, std::sync::Arc::new(rows));
        let at = |v: u32, from: f64, to: f64| NodalForce {
            vertices: vec![v, 3],
            value: Vec3::new(1.0, f64::from(v), -2.0),
            from,
            to,
        };
        let always = (f64::NEG_INFINITY, f64::INFINITY);
        let mut forces: Vec<NodalForce> = (0..3).map(|v| at(v, always.0, always.1)).collect();
        forces.insert(1, at(0, 1.0, 2.0));
        forces.push(at(1, 1.0, 2.0));
        forces.push(at(1, 1.0, 3.0));
        let windows = windows(&basis, &forces);
        let times: Vec<(f64, f64)> = windows.iter().map(|w| (w.when.from, w.when.to)).collect();
        assert_eq!(times, [always, (1.0, 2.0), (1.0, 3.0)]);
        for window in &windows {
            let mut wanted = [0.0; 2];
            for force in forces.iter().filter(|f| (f.from, f.to) == (window.when.from, window.when.to)) {
                force.vertices.iter().for_each(|&v| add(basis.vertex(v as usize), force.value, &mut wanted));
            }
            // Small whole numbers: no rounding.
            assert_eq!(window.p, wanted);
        }
    }
}
