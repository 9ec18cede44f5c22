//! Hills of a function on a surface, and how high they stand above the pass to a higher one.
//!
//! Vertices are visited from the highest to the lowest. One that has no visited neighbour begins a hill; one that has several
//! hills beside it is a pass: the lower ones end there, and their persistence is how far they stood above it. The highest of a
//! part ends at the lowest vertex of the part.

use pliant_mesh::topology::UnionFind;

use crate::Skin;

/// A local maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hill {
    /// Its top.
    pub(crate) vertex: u32,
    /// The value there.
    pub(crate) value: f64,
    /// How far that is above the pass to a higher one.
    pub(crate) persistence: f64,
}

/// All hills of `values`, the most persistent first; vertices with a value that is not finite are left out. Of equal values
/// the smaller vertex counts as higher.
pub(crate) fn hills(skin: &Skin, values: &[f64]) -> Vec<Hill> {
    let mut order: Vec<u32> =
        (0..values.len() as u32).filter(|&v| skin.has(v) && values[v as usize].is_finite()).collect();
    let value = |v: u32| values[v as usize];
    order.sort_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
    let mut rank = vec![u32::MAX; values.len()];
    (0..).zip(&order).for_each(|(r, &v)| rank[v as usize] = r);
    // By rank: the root of a set is its smallest member, which is its top.
    let mut sets = UnionFind::new(order.len());
    let (mut lowest, mut hills) = (vec![0; order.len()], Vec::new());
    for (r, &v) in (0_u32..).zip(&order) {
        lowest[r as usize] = r;
        for &w in skin.beside(v) {
            let other = rank[w as usize];
            if other >= r {
                continue;
            }
            let (a, b) = (sets.root(r), sets.root(other));
            if a == b {
                continue;
            }
            let (top, ends) = (a.min(b), a.max(b));
            // v itself is no hill when it joins one.
            if ends != r {
                let vertex = order[ends as usize];
                hills.push(Hill { vertex, value: value(vertex), persistence: value(vertex) - value(v) });
            }
            sets.join(a, b);
            lowest[top as usize] = r;
        }
        let root = sets.root(r);
        lowest[root as usize] = r;
    }
    for r in 0..order.len() as u32 {
        if sets.root(r) == r {
            let (vertex, low) = (order[r as usize], order[lowest[r as usize] as usize]);
            hills.push(Hill { vertex, value: value(vertex), persistence: value(vertex) - value(low) });
        }
    }
    hills.sort_by(|a, b| b.persistence.total_cmp(&a.persistence).then(a.vertex.cmp(&b.vertex)));
    hills
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_linalg::Vec3;

    /// A strip of two rows, whose lower row follows a profile and whose upper row lies far below.
    fn strip(profile: &[f64]) -> (Skin, Vec<f64>) {
        let n = profile.len() as u32;
        let at = |row: f64| (0..n).map(move |i| Vec3::new(f64::from(i), row, 0.0));
        let triangles: Vec<[u32; 3]> =
            (0..n - 1).flat_map(|i| [[i, i + 1, n + i], [i + 1, n + i + 1, n + i]]).collect();
        (Skin::new(at(0.0).chain(at(1.0)).collect(), triangles), [profile, &vec![-9.0; n as usize]].concat())
    }

    #[test]
    fn hills_stand_above_their_passes() {
        let (skin, values) = strip(&[1.0, 5.0, 2.0, 4.0, 3.0, 3.5, 0.0]);
        let found: Vec<(u32, f64)> =
            hills(&skin, &values).iter().map(|h| (h.vertex, h.persistence)).collect();
        assert_eq!(found, [(1, 14.0), (3, 2.0), (5, 0.5)]);
        // Holes in the values are left out, and part the strip no further than the rows allow.
        let gap: Vec<f64> = (0..14).map(|v| if v % 7 == 2 { f64::NAN } else { values[v] }).collect();
        let found: Vec<u32> =
            hills(&skin, &gap).iter().filter(|h| h.persistence > 9.0).map(|h| h.vertex).collect();
        assert_eq!(found, [1, 3]);
    }

    #[test]
    fn a_plateau_has_one_top() {
        let (skin, values) = strip(&[2.0; 5]);
        let found = hills(&skin, &values);
        assert_eq!((found.len(), found[0].vertex, found[0].persistence), (1, 0, 11.0));
    }
}
