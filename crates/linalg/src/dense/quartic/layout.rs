//! The order in which the kernel reads the coefficients: one stream, four neighbouring smallest indices at a time.
//!
//! Tile I holds the monomials whose smallest index i is one of 4I … 4I+3, one lane each. Behind it stand all
//! j ≤ k ≤ l from 4I on, also those with j < i (zero in that lane) and, for odd r, an index r (zero): 10 to 30 % more
//! numbers than there are monomials, and no special case in the kernel. Indices come in pairs (j, j+1) and (x, y = x+1):
//!
//! ```text
//! for x:  for j < x:  c(j,x,x) c(j,x,y) c(j,y,y), the same for j+1;  for l > y:  c(j,x,l) c(j,y,l) c(j+1,x,l) c(j+1,y,l)
//!         c(x,x,x) c(x,x,y) c(x,y,y) c(y,y,y);                       for l > y:  c(x,x,l) c(x,y,l) c(y,y,l)
//! ```

use crate::simd::Quad;

/// Where the entry (i ≤ j ≤ k ≤ l) of a symmetric tensor over r indices stands, the last index fastest.
pub fn place4(r: usize, [i, j, k, l]: [usize; 4]) -> usize {
    count4(r) - count4(r - i) + place3(r - i, [j - i, k - i, l - i])
}

/// As [`place4`], for three indices.
pub fn place3(r: usize, [i, j, k]: [usize; 3]) -> usize {
    count3(r) - count3(r - i) + place2(r - i, [j - i, k - i])
}

/// As [`place4`], for two indices.
pub fn place2(r: usize, [i, j]: [usize; 2]) -> usize {
    count2(r) - count2(r - i) + (j - i)
}

/// Entries i ≤ j.
pub fn count2(r: usize) -> usize {
    r * (r + 1) / 2
}

/// Entries i ≤ j ≤ k.
pub fn count3(r: usize) -> usize {
    r * (r + 1) * (r + 2) / 6
}

/// Entries i ≤ j ≤ k ≤ l.
pub fn count4(r: usize) -> usize {
    r * (r + 1) * (r + 2) * (r + 3) / 24
}

/// r, even.
pub(super) fn padded(r: usize) -> usize {
    r.next_multiple_of(2)
}

/// The coefficients of the monomials q_i q_j q_k q_l of ½ S₄, in the kernel's order.
pub(super) fn fours(r: usize, S4: &[f64]) -> Vec<Quad> {
    let end = padded(r);
    let mut stream = Vec::new();
    for first in (0..r).step_by(4) {
        let mut put = |j: usize, k: usize, l: usize| {
            let lane = |i: usize| {
                if i > j || l >= r { 0.0 } else { 0.5 * orders([i, j, k, l]) * S4[place4(r, [i, j, k, l])] }
            };
            stream.push(Quad([lane(first), lane(first + 1), lane(first + 2), lane(first + 3)]));
        };
        for x in (first..end).step_by(2) {
            let y = x + 1;
            for j in (first..x).step_by(2) {
                for j in [j, j + 1] {
                    put(j, x, x);
                    put(j, x, y);
                    put(j, y, y);
                }
                for l in y + 1..end {
                    put(j, x, l);
                    put(j, y, l);
                    put(j + 1, x, l);
                    put(j + 1, y, l);
                }
            }
            put(x, x, x);
            put(x, x, y);
            put(x, y, y);
            put(y, y, y);
            for l in y + 1..end {
                put(x, x, l);
                put(x, y, l);
                put(y, y, l);
            }
        }
    }
    stream
}

/// The coefficients of the monomials q_i q_a q_b of S₃: for each tile, pairs of rows (a, a+1), upper triangle.
pub(super) fn threes(r: usize, S3: &[f64]) -> Vec<Quad> {
    let end = padded(r);
    let mut stream = Vec::new();
    for first in (0..r).step_by(4) {
        let mut put = |a: usize, b: usize| {
            let lane = |i: usize| {
                if i > a || b >= r { 0.0 } else { orders([i, a, b]) * S3[place3(r, [i, a, b])] }
            };
            stream.push(Quad([lane(first), lane(first + 1), lane(first + 2), lane(first + 3)]));
        };
        for a in (first..end).step_by(2) {
            put(a, a);
            put(a, a + 1);
            put(a + 1, a + 1);
            for b in a + 2..end {
                put(a, b);
                put(a + 1, b);
            }
        }
    }
    stream
}

/// In how many orders these ascending indices can be written.
fn orders<const N: usize>(ascending: [usize; N]) -> f64 {
    let (mut orders, mut run) = (1.0, 0.0);
    for n in 0..N {
        run = if n > 0 && ascending[n] == ascending[n - 1] { run + 1.0 } else { 1.0 };
        orders *= (n + 1) as f64 / run;
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_run_through_all_ascending_indices() {
        for r in [1, 2, 3, 6] {
            let mut next = [0; 3];
            for i in 0..r {
                for j in i..r {
                    assert_eq!(place2(r, [i, j]), next[0]);
                    next[0] += 1;
                    for k in j..r {
                        assert_eq!(place3(r, [i, j, k]), next[1]);
                        next[1] += 1;
                        for l in k..r {
                            assert_eq!(place4(r, [i, j, k, l]), next[2]);
                            next[2] += 1;
                        }
                    }
                }
            }
            assert_eq!(next, [count2(r), count3(r), count4(r)]);
        }
    }

    #[test]
    fn orders_are_counted() {
        let counted: Vec<f64> =
            [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 1, 2], [0, 1, 2, 3]]
                .map(orders)
                .into();
        assert_eq!(counted, [1.0, 4.0, 6.0, 12.0, 12.0, 24.0]);
    }

    #[test]
    fn every_monomial_stands_once_in_the_stream() {
        for r in [1, 2, 3, 4, 5, 8, 11] {
            let numbers: Vec<f64> = (0..count4(r)).map(|n| (n + 1) as f64).collect();
            let mut found: Vec<f64> =
                fours(r, &numbers).iter().flat_map(|q| q.0).filter(|&x| x != 0.0).collect();
            assert_eq!(found.len(), count4(r));
            let mut expected = Vec::new();
            for i in 0..r {
                for j in i..r {
                    for k in j..r {
                        for l in k..r {
                            expected.push(0.5 * orders([i, j, k, l]) * numbers[place4(r, [i, j, k, l])]);
                        }
                    }
                }
            }
            found.sort_by(f64::total_cmp);
            expected.sort_by(f64::total_cmp);
            assert_eq!(found, expected, "{r}");
        }
    }
}
