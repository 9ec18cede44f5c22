//! What the tests of all shapes ask.

use crate::topology::components;

/// V − E + F of a closed, consistently oriented 2-manifold of triangles (all vertices up to the largest used), or the
/// reason why it is none.
pub(super) fn euler_of_closed_manifold(triangles: &[[u32; 3]]) -> Result<isize, String> {
    let vertices = triangles.as_flattened().iter().max().map_or(0, |&v| v as usize + 1);
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    if let Some(w) = edges.windows(2).find(|w| w[0] == w[1]) {
        return Err(format!("edge {:?} is walked twice in one direction", w[0]));
    }
    if let Some(e) = edges.iter().find(|&&[a, b]| edges.binary_search(&[b, a]).is_err()) {
        return Err(format!("edge {e:?} has no partner"));
    }
    // Every edge has two faces: what remains is that the faces around each vertex form one fan.
    let mut fans: Vec<Vec<[u32; 2]>> = vec![Vec::new(); vertices];
    for &[a, b, c] in triangles {
        for [v, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
            fans[v as usize].push([from, to]);
        }
    }
    for (v, fan) in fans.iter().enumerate() {
        if fan.is_empty() {
            return Err(format!("vertex {v} is not used"));
        }
        let start = fan[0][0];
        let (mut at, mut steps) = (start, 0);
        loop {
            at = fan.iter().find(|f| f[0] == at).expect("a closed fan")[1];
            steps += 1;
            if at == start {
                break;
            }
        }
        if steps != fan.len() {
            return Err(format!("vertex {v} joins several fans"));
        }
    }
    Ok(vertices as isize - edges.len() as isize / 2 + triangles.len() as isize)
}

/// The same triangles with vertices numbered in the order in which they appear.
pub(super) fn compact(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut number = vec![u32::MAX; triangles.as_flattened().iter().max().map_or(0, |&v| v as usize + 1)];
    let mut count = 0;
    let mut new = triangles.to_vec();
    for v in new.as_flattened_mut() {
        let n = &mut number[*v as usize];
        if *n == u32::MAX {
            *n = count;
            count += 1;
        }
        *v = *n;
    }
    new
}

/// Parts of a surface that share no vertex.
pub(super) fn parts(triangles: &[[u32; 3]]) -> usize {
    let vertices = triangles.as_flattened().iter().max().map_or(0, |&v| v as usize + 1);
    components(vertices, triangles.iter().map(|t| &t[..])).1
}
