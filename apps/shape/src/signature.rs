//! The signature of all vertices at many times.
//!
//! ```text
//! S_t(v) = Σ_j exp(−λ_j t) |Φ_j(v)|²                                                              (T14 eq. 6.1)
//! l₁(t) = Σ_j exp(−λ_j t) = Σ_v m_v S_t(v)     with lumped mass                                              (1)
//! λ_k ≈ λ_K (k/K)^(1/p),  p = ln 2 / ln(λ_K/λ_{K/2})       for k > K                                         (2)
//! ```
//! One dense product, |Φ_j(v)|² (n×K) times exp(−λ_j t) (K×T). What modes beyond the last would add is estimated by (2): they
//! are as dense as those of the upper half, which share the growth of their kind (Weyl).
//!
//! Not for a few vertices at small t: [`crate::flow`] needs no modes there. Source: T14 in docs/papers.md.

use pliant_linalg::tall;

use crate::spectrum::{Kind, Spectrum};
use crate::times::slowest;

/// S_t of all vertices.
#[derive(Clone, Debug)]
pub struct Signature {
    /// What vibrates.
    pub kind: Kind,
    /// t, ascending: s², for heat m².
    pub times: Vec<f64>,
    /// l₁ of each time, (1).
    pub l1: Vec<f64>,
    /// λ₁, in whose inverse times travel; 0 where no mode costs energy.
    pub slowest: f64,
    /// Vertices, ascending, that weigh nothing: they belong to no element, and are like no other.
    pub massless: Vec<u32>,
    /// S, time by time, n numbers each.
    pub(crate) values: Vec<f64>,
    /// n.
    pub(crate) vertices: usize,
}

impl Spectrum {
    /// S at all vertices and these times.
    pub fn signature(&self, times: &[f64]) -> Signature {
        let n = self.vertices();
        let decays: Vec<f64> =
            times.iter().flat_map(|t| self.eigenvalues.iter().map(move |x| (-x * t).exp())).collect();
        let mut values = if self.is_empty() || n == 0 {
            vec![0.0; n * times.len()]
        } else {
            tall::combine(self.all_squares(), n, &decays)
        };
        if let Some(rigid) = self.rigid_part() {
            for values in values.chunks_exact_mut(n.max(1)) {
                values.iter_mut().zip(rigid).for_each(|(s, r)| *s += r);
            }
        }
        Signature {
            kind: self.kind,
            times: times.to_vec(),
            l1: times.iter().map(|&t| self.l1(t)).collect(),
            slowest: slowest(&self.eigenvalues).unwrap_or(0.0),
            massless: self.massless(),
            values,
            vertices: n,
        }
    }

    /// Σ exp(−λt) over the modes that count, (1).
    pub fn l1(&self, t: f64) -> f64 {
        let rigid = if self.rigid_counted { self.rigid_modes as f64 } else { 0.0 };
        rigid + self.eigenvalues.iter().map(|x| (-x * t).exp()).sum::<f64>()
    }

    /// Vertices that weigh nothing, ascending.
    pub fn massless(&self) -> Vec<u32> {
        (0..).zip(self.masses()).filter(|(_, m)| **m <= 0.0).map(|(v, _)| v).collect()
    }

    /// What the modes that are not there would add to l₁(t), as a share of it: an estimate by (2). 0 where all are there.
    pub fn truncation(&self, t: f64) -> f64 {
        self.beyond(self.len(), t)
    }

    /// The same if there were `count` modes.
    fn beyond(&self, count: usize, t: f64) -> f64 {
        let (K, all) = (self.len(), self.available());
        let Some(&last) = self.eigenvalues.last().filter(|last| count < all && **last > 0.0) else {
            return 0.0;
        };
        let middle = self.eigenvalues[(K - 1) / 2];
        // Hardly any growth, or too few modes to tell: as on a surface, where λ_k grows like k.
        let power = if K >= 4 && middle > 0.0 && last > 1.01 * middle {
            (last / middle).ln() / (K as f64 / (K as f64 / 2.0)).ln()
        } else {
            1.0
        };
        let decay = |k: usize| (-last * t * (k as f64 / K as f64).powf(power)).exp();
        let whole = self.l1(t) + (K + 1..=count).map(decay).sum::<f64>();
        let mut tail = 0.0;
        for k in count + 1..=all {
            let more = decay(k);
            tail += more;
            // The rest falls faster than a geometric series once it falls by a percent a hundred modes.
            if more * (all - k) as f64 <= 1e-9 * whole {
                break;
            }
        }
        if whole > 0.0 { tail / whole } else { 0.0 }
    }

    /// How many modes would leave at most `share` cut off at t, as far as (2) tells.
    pub fn modes_for(&self, t: f64, share: f64) -> usize {
        let (mut few, mut enough) = (self.len(), self.available());
        while few < enough {
            let middle = few + (enough - few) / 2;
            if self.beyond(middle, t) <= share { enough = middle } else { few = middle + 1 }
        }
        enough
    }

    /// The least t at which at most `share` is cut off.
    pub fn time_for(&self, t: f64, share: f64) -> f64 {
        let mut high = t;
        while self.truncation(high) > share && high.is_finite() {
            high *= 2.0;
        }
        let mut low = t;
        for _ in 0..60 {
            let middle = (low * high).sqrt();
            if self.truncation(middle) <= share { high = middle } else { low = middle }
        }
        high
    }
}

impl Signature {
    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// S of all vertices at time number `i`.
    pub fn at_time(&self, i: usize) -> &[f64] {
        &self.values[i * self.vertices..][..self.vertices]
    }

    /// S of one vertex at all times.
    pub fn of_vertex(&self, v: u32) -> Vec<f64> {
        (0..self.times.len()).map(|i| self.at_time(i)[v as usize]).collect()
    }
}
