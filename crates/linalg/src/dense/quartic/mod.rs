//! Quartic polynomials of r variables: value, gradient and Hessian out of one contraction.
//!
//! ```text
//! W(q) = ½ S₂:qq + S₃:qqq + ½ S₄:qqqq,   ∂W = S₂q + 3 S₃qq + 2 S₄qqq,   ∂²W = S₂ + 6 S₃q + 6 S₄qq
//! ```
//! The tensors are symmetric in all indices, so only entries with ascending indices are stored: an eighth of the usual
//! table of pairs times pairs. Each coefficient is read once and takes three fused multiply-adds: the four index slots of
//! a monomial are differentiated separately, and contracting any three of the four single slots covers all six pairs.
//! `layout.rs` has the order of the coefficients, `contract.rs` the first stage, `fold.rs` the rest.
//!
//! Costs r⁴/8 multiply-adds and 8·r⁴/24 bytes: past r ≈ 75 the coefficients leave the last cache. One thread; nothing is
//! allocated after [`Scratch::new`], and numbers that are not finite give numbers that are not finite.

mod contract;
mod fold;
pub mod layout;

use crate::simd::{self, Kernel, Quad, Wide};
use layout::{count2, count3, count4, place2};

/// A quartic polynomial, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Quartic {
    rank: usize,
    /// The multiple of four that is not below r: rows of everything.
    stride: usize,
    /// S₂, all of it, `stride / 4` a row.
    twos: Vec<Quad>,
    threes: Vec<Quad>,
    fours: Vec<Quad>,
}

/// What an evaluation needs room for.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// q, zero past r.
    q: Vec<f64>,
    /// Of one tile.
    M: Vec<Quad>,
    /// Of all tiles.
    P: Vec<Quad>,
    /// Of one tile; zero between tiles.
    g: Vec<Quad>,
    /// Σ q_i g over tiles, lanes not yet summed.
    part: Vec<Quad>,
    /// g of all tiles, as rows.
    rows: Vec<Quad>,
    /// The derivative in the slot of the smallest index.
    slot: Vec<Quad>,
}

impl Scratch {
    /// For a polynomial of r variables.
    pub fn new(rank: usize) -> Self {
        let stride = rank.next_multiple_of(4);
        let quads = |count: usize| vec![Quad::default(); count];
        Self {
            q: vec![0.0; stride],
            M: quads(stride * stride),
            P: quads(stride * stride),
            g: quads(stride),
            part: quads(stride),
            rows: quads(stride * stride / 4),
            slot: quads(stride / 4),
        }
    }
}

impl Quartic {
    /// From the entries of S₂, S₃ and S₄ with ascending indices, the last index fastest.
    pub fn new(rank: usize, S2: &[f64], S3: &[f64], S4: &[f64]) -> Self {
        assert!(rank > 0, "a polynomial of at least one variable");
        assert_eq!(
            (S2.len(), S3.len(), S4.len()),
            (count2(rank), count3(rank), count4(rank)),
            "tensors of rank {rank}"
        );
        let stride = rank.next_multiple_of(4);
        let entry =
            |i: usize, j: usize| if i.max(j) < rank { S2[place2(rank, [i.min(j), i.max(j)])] } else { 0.0 };
        let twos = (0..stride)
            .flat_map(|i| (0..stride).step_by(4).map(move |j| [j, j + 1, j + 2, j + 3].map(|j| entry(i, j))))
            .map(Quad)
            .collect();
        Self { rank, stride, twos, threes: layout::threes(rank, S3), fours: layout::fours(rank, S4) }
    }

    /// r.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The quartic coefficients that an evaluation reads, those included that are always zero: each takes three
    /// multiply-adds.
    pub fn coefficients(&self) -> usize {
        4 * self.fours.len()
    }

    /// W(q); ∂W goes to `gradient`, the upper triangle of ∂²W to `hessian`, row-major r×r.
    pub fn evaluate(
        &self,
        q: &[f64],
        scratch: &mut Scratch,
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) -> f64 {
        let r = self.rank;
        assert_eq!(
            (q.len(), gradient.len(), hessian.len()),
            (r, r, r * r),
            "vectors and a matrix of rank {r}"
        );
        assert_eq!(scratch.q.len(), self.stride, "room for rank {r}");
        scratch.q[..r].copy_from_slice(q);
        simd::run(Evaluate { quartic: self, scratch, gradient, hessian })
    }
}

struct Evaluate<'a> {
    quartic: &'a Quartic,
    scratch: &'a mut Scratch,
    gradient: &'a mut [f64],
    hessian: &'a mut [f64],
}

impl Kernel for Evaluate<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) -> f64 {
        let Self { quartic, scratch, gradient, hessian } = self;
        let (r, stride) = (quartic.rank, quartic.stride);
        let end = layout::padded(r);
        let (mut c, mut s) = (&quartic.fours[..], &quartic.threes[..]);
        let mut first = 0;
        while first < r {
            let tile = (first, end, stride);
            c = contract::contract(wide, tile, &scratch.q, c, &mut scratch.M);
            s = if first == 0 {
                fold::fold::<W, true>(wide, tile, s, scratch)
            } else {
                fold::fold::<W, false>(wide, tile, s, scratch)
            };
            first += 4;
        }
        fold::finish(wide, (r, stride), &quartic.twos, scratch, gradient, hessian)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S over all orders of its indices.
    fn at<const N: usize>(S: &[f64], r: usize, mut indices: [usize; N]) -> f64 {
        indices.sort_unstable();
        match indices[..] {
            [i, j] => S[place2(r, [i, j])],
            [i, j, k] => S[layout::place3(r, [i, j, k])],
            [i, j, k, l] => S[layout::place4(r, [i, j, k, l])],
            _ => unreachable!("two to four indices"),
        }
    }

    /// By the definition, over all indices.
    fn plainly(r: usize, S2: &[f64], S3: &[f64], S4: &[f64], q: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let (mut W, mut f, mut K) = (0.0, vec![0.0; r], vec![0.0; r * r]);
        for i in 0..r {
            for j in 0..r {
                let s2 = at(S2, r, [i, j]);
                W += 0.5 * s2 * q[i] * q[j];
                f[i] += s2 * q[j];
                K[i * r + j] += s2;
                for k in 0..r {
                    let s3 = at(S3, r, [i, j, k]);
                    W += s3 * q[i] * q[j] * q[k];
                    f[i] += 3.0 * s3 * q[j] * q[k];
                    K[i * r + j] += 6.0 * s3 * q[k];
                    for l in 0..r {
                        let s4 = at(S4, r, [i, j, k, l]);
                        W += 0.5 * s4 * q[i] * q[j] * q[k] * q[l];
                        f[i] += 2.0 * s4 * q[j] * q[k] * q[l];
                        K[i * r + j] += 6.0 * s4 * q[k] * q[l];
                    }
                }
            }
        }
        (W, f, K)
    }

    fn sample(r: usize) -> [Vec<f64>; 4] {
        // Steps of the golden ratio: no two alike.
        let mut step = 0.0_f64;
        [count2(r), count3(r), count4(r), r].map(|count| {
            let next = |_| {
                step = (step + 0.618_033_988_749_894_9).fract();
                2.0 * step - 1.0
            };
            (0..count).map(next).collect()
        })
    }

    #[test]
    fn value_gradient_and_hessian_are_those_of_the_definition() {
        for r in (1..=13).chain([20, 23]) {
            let [S2, S3, S4, q] = sample(r);
            let (W, f, K) = plainly(r, &S2, &S3, &S4, &q);
            let quartic = Quartic::new(r, &S2, &S3, &S4);
            let mut scratch = Scratch::new(r);
            // Twice: the scratch space is clean again afterwards.
            for _ in 0..2 {
                let (mut found_f, mut found_K) = (vec![0.0; r], vec![0.0; r * r]);
                let found_W = quartic.evaluate(&q, &mut scratch, &mut found_f, &mut found_K);
                let scale = f.iter().chain(&K).fold(W.abs(), |m, x| m.max(x.abs()));
                let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-13 * scale, "rank {r}: {a} vs {b}");
                near(found_W, W);
                (0..r).for_each(|i| near(found_f[i], f[i]));
                (0..r).for_each(|i| (i..r).for_each(|j| near(found_K[i * r + j], K[i * r + j])));
            }
        }
    }

    #[test]
    fn any_processor_gives_the_same_up_to_rounding() {
        for r in [3, 8, 21] {
            let [S2, S3, S4, q] = sample(r);
            let quartic = Quartic::new(r, &S2, &S3, &S4);
            let run = |plain: bool| {
                let (mut f, mut K, mut scratch) = (vec![0.0; r], vec![0.0; r * r], Scratch::new(r));
                let W = if plain {
                    scratch.q[..r].copy_from_slice(&q);
                    let (scratch, gradient, hessian) = (&mut scratch, &mut f[..], &mut K[..]);
                    Evaluate { quartic: &quartic, scratch, gradient, hessian }.run(simd::Plain)
                } else {
                    quartic.evaluate(&q, &mut scratch, &mut f, &mut K)
                };
                let upper = (0..r).flat_map(|i| K[i * r + i..(i + 1) * r].to_vec());
                [W].into_iter().chain(f.clone()).chain(upper).collect::<Vec<f64>>()
            };
            let (best, plain) = (run(false), run(true));
            let scale = plain.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let worst = best.iter().zip(&plain).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-14 * scale, "rank {r}: {worst:e} of {scale:e}");
        }
    }

    #[test]
    fn a_state_that_is_not_finite_does_not_stay_behind() {
        let r = 7;
        let [S2, S3, S4, q] = sample(r);
        let (quartic, mut scratch) = (Quartic::new(r, &S2, &S3, &S4), Scratch::new(r));
        let mut run = |q: &[f64]| {
            let (mut f, mut K) = (vec![0.0; r], vec![0.0; r * r]);
            (quartic.evaluate(q, &mut scratch, &mut f, &mut K), f, K)
        };
        let before = run(&q);
        assert!(run(&[f64::NAN; 7]).0.is_nan());
        assert_eq!(run(&q), before);
    }
}
