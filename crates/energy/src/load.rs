//! What acts on a body from outside: gravity, forces on vertices, pressure, springs to moving targets.
//!
//! ```text
//! V(t, u) = −Σ m_i g·u_i  −  Σ f·u  +  p·volume(x)  +  Σ k/2 |x_v − target(t)|²,     f_ext = −∂V/∂u,  x = X + u
//! ```
//! Pressure follows the surface: a triangle with outward area vector A n puts −p A n/3 on each of its corners. On a closed
//! boundary that is minus the gradient of p times the volume inside, and its stiffness is symmetric. On an open
//! surface it is the same force, on the side its triangles face; there the volume is that of the cone to a fixed point,
//! and potential and stiffness are exact as long as the rim is held. With a free rim the force has no potential: V
//! then misses what the rim does, and the stiffness is the symmetric part of the true one.

use pliant_linalg::{Symmetric, Vec3, number, par};

use crate::{Body, EnergyError};

/// All loads on a body.
///
/// ```
/// use pliant_energy::{Loads, Recipe};
/// use pliant_linalg::Vec3;
/// let bar = pliant_mesh::shapes::bar(Vec3::new(1.0, 0.1, 0.1), [10, 1, 1]).into_data();
/// let body = Recipe { material: Some("stvk".into()), ..Recipe::default() }.build(bar)?;
/// let loads = Loads { gravity: Vec3::new(0.0, -9.81, 0.0), ..Loads::default() };
/// loads.check(&body)?;
/// let (u, mut f) = (vec![0.0; body.size()], vec![0.0; body.size()]);
/// loads.force(&body, 0.0, &u, &mut f);
/// assert!((f.iter().sum::<f64>() + 9.81 * body.total_mass()).abs() < 1e-10);
/// # Ok::<(), pliant_energy::EnergyError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loads {
    /// m/s².
    pub gravity: Vec3,
    /// On named vertices.
    pub forces: Vec<NodalForce>,
    /// On the whole boundary.
    pub pressures: Vec<Pressure>,
    /// On single vertices.
    pub springs: Vec<Spring>,
}

/// The same force on each of some vertices, from one time to another, both included.
#[derive(Clone, Debug, PartialEq)]
pub struct NodalForce {
    /// From 0; one that is named twice gets it twice.
    pub vertices: Vec<u32>,
    /// N, on each.
    pub value: Vec3,
    /// s; −∞ for always.
    pub from: f64,
    /// s; +∞ for ever.
    pub to: f64,
}

/// Pressure on the boundary, inwards, from one time to another, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressure {
    /// Pa; a negative one inflates.
    pub value: f64,
    /// s; −∞ for always.
    pub from: f64,
    /// s; +∞ for ever.
    pub to: f64,
}

/// A spring without length from a vertex to a target that moves, as a drag with the mouse, from one time to another, both
/// included.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// From 0.
    pub vertex: u32,
    /// N/m.
    pub stiffness: f64,
    /// Times (s, ascending) and the target's position in space then (m); straight between, standing still before the
    /// first and after the last.
    pub path: Vec<(f64, Vec3)>,
    /// s; −∞ for always.
    pub from: f64,
    /// s; +∞ for ever.
    pub to: f64,
}

impl Pressure {
    /// Whether it acts at time t, s.
    pub fn acts(&self, t: f64) -> bool {
        acts(self.from, self.to, t)
    }

    /// `value` Pa at all times.
    pub fn always(value: f64) -> Self {
        Self { value, from: f64::NEG_INFINITY, to: f64::INFINITY }
    }
}

impl NodalForce {
    /// Whether it acts at time t, s.
    pub fn acts(&self, t: f64) -> bool {
        acts(self.from, self.to, t)
    }

    /// `value` N on each of `vertices` at all times.
    pub fn always(vertices: Vec<u32>, value: Vec3) -> Self {
        Self { vertices, value, from: f64::NEG_INFINITY, to: f64::INFINITY }
    }
}

impl Spring {
    /// Whether it acts at time t, s.
    pub fn acts(&self, t: f64) -> bool {
        acts(self.from, self.to, t)
    }

    /// A spring that holds at all times.
    pub fn always(vertex: u32, stiffness: f64, path: Vec<(f64, Vec3)>) -> Self {
        Self { vertex, stiffness, path, from: f64::NEG_INFINITY, to: f64::INFINITY }
    }

    /// Where the target is at time t, m. The path is not empty: [`Loads::check`].
    pub fn target(&self, t: f64) -> Vec3 {
        let after = self.path.partition_point(|(time, _)| *time <= t);
        match (after.checked_sub(1).map(|k| self.path[k]), self.path.get(after)) {
            (Some((t0, from)), Some(&(t1, to))) => from + (to - from) * ((t - t0) / (t1 - t0)),
            (Some((_, place)), None) | (None, Some(&(_, place))) => place,
            (None, None) => unreachable!("a spring has a path"),
        }
    }

    /// The force on its vertex at place x while it acts, N.
    pub fn pull(&self, t: f64, x: Vec3) -> Vec3 {
        (self.target(t) - x) * self.stiffness
    }

    /// k/2 |x − target|² while it acts, J.
    pub fn potential(&self, t: f64, x: Vec3) -> f64 {
        0.5 * self.stiffness * (x - self.target(t)).norm_squared()
    }
}

/// What a pressure does to one triangle, for whoever holds its corners.
pub mod pressed {
    use pliant_linalg::{Mat3, Vec3};

    /// The force on each corner, N: a third of −p times the area vector.
    pub fn force(pressure: f64, [p, q, r]: [Vec3; 3]) -> Vec3 {
        (q - p).cross(&(r - p)) * (-pressure / 6.0)
    }

    /// p times the volume of the cone to `tip`, J.
    pub fn potential(pressure: f64, corners: [Vec3; 3], tip: Vec3) -> f64 {
        let [p, q, r] = corners.map(|x| x - tip);
        pressure * (p.dot(&q.cross(&r)) / 6.0)
    }

    /// −∂f/∂x between corners (0, 1), (1, 2), (2, 0), N/m; between (1, 0) and so on its transpose, and nothing on the
    /// diagonal.
    ///
    /// −∂f_i/∂x_j = p/6 [x_i − x_l] for the side (i, j) opposite l, taken symmetrically with that of (j, i):
    /// p/12 [x_i + x_j − 2x_l]. The triangle beyond the side adds the other half.
    pub fn stiffness(pressure: f64, x: [Vec3; 3]) -> [Mat3; 3] {
        std::array::from_fn(|k| {
            let (i, j, l) = (k, (k + 1) % 3, (k + 2) % 3);
            ((x[i] + x[j] - x[l] * 2.0) * (pressure / 12.0)).cross_matrix()
        })
    }
}

impl Loads {
    /// Whether these loads can act on `body`; the other methods trust that they can.
    ///
    /// # Errors
    /// A vertex that is not there, a number that is not finite, a stiffness below zero, a path that is empty or whose
    /// times do not ascend.
    pub fn check(&self, body: &Body) -> Result<(), EnergyError> {
        self.check_for(body.rest().len())
    }

    /// As [`Loads::check`] for any body of so many vertices.
    ///
    /// # Errors
    /// As there.
    pub fn check_for(&self, vertices: usize) -> Result<(), EnergyError> {
        let finite = |what: &str, name: &str, numbers: &[f64]| match numbers.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(bad(what, format!("{name} {x}"), "a finite number")),
            None => Ok(()),
        };
        let there = |what: &str, vertex: u32| {
            let there = (vertex as usize) < vertices;
            there.then_some(()).ok_or_else(|| EnergyError::UnknownVertex {
                what: what.into(),
                vertex,
                vertices,
            })
        };
        let lasting = |what: &str, from: f64, to: f64| {
            let sound = from <= to;
            sound
                .then_some(())
                .ok_or_else(|| bad(what, format!("from {from} and to {to}"), "from <= to, seconds"))
        };
        finite("gravity", "the number", self.gravity.as_slice())?;
        for (k, force) in self.forces.iter().enumerate() {
            let what = format!("force {k}");
            finite(&what, "the value", force.value.as_slice())?;
            lasting(&what, force.from, force.to)?;
            force.vertices.iter().try_for_each(|&v| there(&what, v))?;
        }
        for (k, pressure) in self.pressures.iter().enumerate() {
            let what = format!("pressure {k}");
            finite(&what, "the value", &[pressure.value])?;
            lasting(&what, pressure.from, pressure.to)?;
        }
        for (k, spring) in self.springs.iter().enumerate() {
            let what = format!("spring {k}");
            there(&what, spring.vertex)?;
            if !(spring.stiffness.is_finite() && spring.stiffness >= 0.0) {
                let found = format!("the stiffness {}", number(spring.stiffness));
                return Err(bad(&what, found, "a finite number >= 0 N/m"));
            }
            for (t, place) in &spring.path {
                finite(&what, "in its path the time", &[*t])?;
                finite(&what, "in its path the coordinate", place.as_slice())?;
            }
            if !spring.path.is_sorted_by(|a, b| a.0 < b.0) {
                let unsorted = spring.path.windows(2).find(|w| w[1].0 <= w[0].0);
                let [before, behind] = unsorted.map_or([0.0; 2], |w| [w[0].0, w[1].0]).map(number);
                let found = format!("a path with the time {behind} s behind {before} s");
                return Err(bad(&what, found, "each time later than the one before"));
            }
            if spring.path.is_empty() {
                return Err(bad(&what, "an empty path".into(), "at least one time and place"));
            }
            lasting(&what, spring.from, spring.to)?;
        }
        Ok(())
    }

    /// f_ext(t, u), N, for all vertices, held ones included.
    pub fn force(&self, body: &Body, t: f64, u: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.add_force(body, t, u, out);
    }

    /// out ← out + f_ext(t, u), N: for sums with other loads.
    pub fn add_force(&self, body: &Body, t: f64, u: &[f64], out: &mut [f64]) {
        assert_eq!((u.len(), out.len()), (body.size(), body.size()), "states of this body");
        let add = |out: &mut [f64], v: u32, f: Vec3| (0..3).for_each(|c| out[3 * v as usize + c] += f[c]);
        if self.gravity != Vec3::zeros() {
            for (f, m) in out.as_chunks_mut::<3>().0.iter_mut().zip(body.vertex_masses()) {
                (0..3).for_each(|c| f[c] += self.gravity[c] * *m);
            }
        }
        for force in self.forces.iter().filter(|f| f.acts(t)) {
            force.vertices.iter().for_each(|&v| add(out, v, force.value));
        }
        let pressure = self.pressure(t);
        if pressure != 0.0 {
            for triangle in body.boundary() {
                let share = pressed::force(pressure, triangle.map(|v| place(body, u, v)));
                triangle.iter().for_each(|&v| add(out, v, share));
            }
        }
        for spring in self.springs.iter().filter(|s| s.acts(t)) {
            add(out, spring.vertex, spring.pull(t, place(body, u, spring.vertex)));
        }
    }

    /// V(t, u), J, with f_ext = −∂V/∂u; see the module for pressure on open surfaces.
    pub fn potential(&self, body: &Body, t: f64, u: &[f64]) -> f64 {
        assert_eq!(u.len(), body.size(), "a state of this body");
        let moved = |v: usize| Vec3::new(u[3 * v], u[3 * v + 1], u[3 * v + 2]);
        let mut potential = 0.0;
        if self.gravity != Vec3::zeros() {
            let masses = body.vertex_masses();
            potential -= par::sum(masses.len(), |v| masses[v] * self.gravity.dot(&moved(v)));
        }
        for force in self.forces.iter().filter(|f| f.acts(t)) {
            potential -= force.vertices.iter().map(|&v| force.value.dot(&moved(v as usize))).sum::<f64>();
        }
        let pressure = self.pressure(t);
        if pressure != 0.0 {
            // Seen from a vertex of the body, so that a body far from the origin keeps its digits.
            let tip = body.boundary().first().map_or_else(Vec3::zeros, |t| body.rest()[t[0] as usize]);
            let cone =
                |k: usize| pressed::potential(pressure, body.boundary()[k].map(|v| place(body, u, v)), tip);
            potential += par::sum(body.boundary().len(), cone);
        }
        for spring in self.springs.iter().filter(|s| s.acts(t)) {
            potential += spring.potential(t, place(body, u, spring.vertex));
        }
        potential
    }

    /// out ← out + factor · (−∂f_ext/∂u), N/m; `out` has the pattern of the body's stiffness.
    pub fn stiffness(&self, body: &Body, t: f64, u: &[f64], factor: f64, out: &mut Symmetric<3>) {
        assert_eq!(u.len(), body.size(), "a state of this body");
        assert!(out.pattern().same(body.assembly().pattern()), "a matrix on the body's pattern");
        let pattern = out.pattern().clone();
        let values = out.values_mut();
        for spring in self.springs.iter().filter(|s| s.acts(t)) {
            let slot = pattern.column(spring.vertex as usize).0.start;
            (0..3).for_each(|c| values[slot][c][c] += factor * spring.stiffness);
        }
        let pressure = factor * self.pressure(t);
        if pressure == 0.0 {
            return;
        }
        for triangle in body.boundary() {
            let blocks = pressed::stiffness(pressure, triangle.map(|v| place(body, u, v)));
            for (k, block) in blocks.into_iter().enumerate() {
                let (row, column) = (triangle[k], triangle[(k + 1) % 3]);
                let (block, row, column) =
                    if row > column { (block, row, column) } else { (block.transpose(), column, row) };
                let slot = pattern.slot(row as usize, column as usize);
                let value = &mut values[slot.expect("the boundary's edges are edges of components")];
                (0..3).for_each(|r| (0..3).for_each(|c| value[r][c] += block[(r, c)]));
            }
        }
    }

    /// All pressures that act at t, Pa.
    pub fn pressure(&self, t: f64) -> f64 {
        self.pressures.iter().filter(|p| p.acts(t)).map(|p| p.value).sum()
    }
}

/// Whether a load that acts from `from` to `to` acts at t. A step ends at k·dt, which floating-point numbers seldom hold
/// exactly: 6 · 0.01 is above 0.06, and a load until 0.06 s is meant to act there.
fn acts(from: f64, to: f64, t: f64) -> bool {
    let slack = 1e-12 * t.abs();
    from <= t + slack && t <= to + slack
}

fn place(body: &Body, u: &[f64], v: u32) -> Vec3 {
    let v = v as usize;
    body.rest()[v] + Vec3::new(u[3 * v], u[3 * v + 1], u[3 * v + 2])
}

fn bad(what: &str, found: String, expected: &'static str) -> EnergyError {
    EnergyError::BadLoad { what: what.into(), found, expected }
}

#[cfg(test)]
mod tests;
