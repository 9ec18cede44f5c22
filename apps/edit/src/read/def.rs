//! A `.sel` and a `.def`: a label for every vertex, and a matrix for every label from 2 on.
//!
//! ```text
//! .sel   one number a line, in the order of the vertices: 0 stays, 1 is free, 2, 3, … are handles
//! .def   four lines of four numbers for each of them, in order: x ↦ T x in the units of the mesh file
//! ```
//! Lines that begin with # say nothing.

use std::collections::BTreeMap;

use pliant_linalg::quote;
use pliant_mesh::MeshData;
use pliant_sim::SimError;

use super::refused;
use crate::{Handle, Transform};

/// Labels beyond this are no labels of handles.
const MOST_LABEL: u32 = 100_000;

/// Lines that say something, with their numbers from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let all = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
    all.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The handles of two texts, called so in sentences: the `.def` first.
///
/// # Errors
/// Anything that is not as the head of this file says, a label without a matrix, a matrix without vertices.
pub fn of_pair(
    [def_name, sel_name]: [&str; 2],
    [def, sel]: [&str; 2],
    mesh: &MeshData,
    scale: f64,
) -> Result<Vec<Handle>, SimError> {
    let regions = labels(sel_name, sel, mesh.vertices.len())?;
    let matrices = matrices(def_name, def)?;
    let last = regions.keys().copied().max().unwrap_or(1).max(1) as usize;
    let wanted = last.saturating_sub(1);
    if wanted > matrices.len() {
        let (label, have) = (matrices.len() + 2, matrices.len());
        let label = regions.keys().map(|l| *l as usize).find(|l| *l >= label).unwrap_or(label);
        let sentence = format!(
            "the label {label} of {} has no matrix: there are {have}, for the labels from 2 on, in order; add four \
             lines of four numbers for each",
            quote(sel_name)
        );
        return Err(refused(def_name, sentence));
    }
    let mut handles = Vec::with_capacity(matrices.len() + 1);
    if let Some(vertices) = regions.get(&0) {
        handles.push(Handle::stays("0", vertices.clone()));
    }
    for (label, (line, matrix)) in (2_u32..).zip(&matrices) {
        let end = Transform::from_matrix(matrix)
            .map_err(|why| refused(def_name, format!("line {line}: matrix of the label {label}: {why}")))?;
        let Some(vertices) = regions.get(&label) else {
            let sentence = format!(
                "line {line}: the matrix of the label {label} moves nothing: no vertex of {} has that label; take the \
                 matrix out, or label the handle",
                quote(sel_name)
            );
            return Err(refused(def_name, sentence));
        };
        handles.push(Handle::moves(label.to_string(), vertices.clone(), &end.scaled(scale), mesh));
    }
    Ok(handles)
}

/// The vertices of every label, but for those that are free.
fn labels(name: &str, text: &str, vertices: usize) -> Result<BTreeMap<u32, Vec<u32>>, SimError> {
    let mut regions: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut count = 0;
    for (number, line) in lines(text) {
        let label = line.parse::<u32>().ok().filter(|label| *label <= MOST_LABEL).ok_or_else(|| {
            let sentence = format!(
                "line {number}: found {}; expected a label: 0 stays, 1 is free, 2 and more are handles",
                quote(line)
            );
            refused(name, sentence)
        })?;
        if label != 1 && count < vertices {
            regions.entry(label).or_default().push(count as u32);
        }
        count += 1;
    }
    if count != vertices {
        let sentence = format!(
            "there are {count} labels, and the mesh has {vertices} vertices; expected one for each, in their order"
        );
        return Err(refused(name, sentence));
    }
    Ok(regions)
}

/// A matrix, and the line where it begins.
type Found = (usize, [[f64; 4]; 4]);

/// All of a text.
fn matrices(name: &str, text: &str) -> Result<Vec<Found>, SimError> {
    let mut found: Vec<Found> = Vec::new();
    let mut row = 4;
    for (number, line) in lines(text) {
        let numbers: Vec<Option<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        let &[Some(a), Some(b), Some(c), Some(d)] = numbers.as_slice() else {
            let sentence =
                format!("line {number}: found {}; expected four numbers, a row of a matrix", quote(line));
            return Err(refused(name, sentence));
        };
        if row == 4 {
            found.push((number, [[0.0; 4]; 4]));
            row = 0;
        }
        if let Some((_, matrix)) = found.last_mut() {
            matrix[row] = [a, b, c, d];
        }
        row += 1;
    }
    if row != 4 {
        let line = found.last().map_or(0, |(line, _)| *line);
        let sentence = format!("the matrix of line {line} ends after {row} rows; expected 4");
        return Err(refused(name, sentence));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_linalg::Vec3;
    use pliant_mesh::shapes;

    const TURN: &str = "# a quarter about z\n0 -1 0 1\n1 0 0 0\n0 0 1 0\n0 0 0 1\n";

    fn mesh() -> MeshData {
        shapes::bar(Vec3::new(1.0, 0.1, 0.1), [2, 1, 1]).into_data()
    }

    fn sel(of: impl Fn(usize) -> u32) -> String {
        (0..12).fold("# labels\n".to_owned(), |text, v| text + &format!("{}\n", of(v)))
    }

    fn parsed(def: &str, sel: &str) -> Result<Vec<Handle>, String> {
        of_pair(["a.def", "a.sel"], [def, sel], &mesh(), 1.0).map_err(|error| error.to_string())
    }

    #[test]
    fn labels_take_the_matrices_in_order() {
        let labels = sel(|v| [0, 1, 3, 2][v % 4]);
        let def = format!("{TURN}\n1 0 0 0\n0 1 0 0.5\n0 0 1 0\n0 0 0 1");
        let handles = parsed(&def, &labels).expect("handles");
        let names: Vec<_> = handles.iter().map(|handle| handle.name.as_str()).collect();
        assert_eq!(names, ["0", "2", "3"]);
        assert_eq!((handles[0].path.is_none(), &handles[1].vertices[..]), (true, &[3, 7, 11][..]));
        assert_eq!(handles[1].at(1.0).apply(&Vec3::x()), Vec3::new(1.0, 1.0, 0.0));
        assert_eq!(handles[2].at(1.0).offset, Vec3::new(0.0, 0.5, 0.0));
        // In the file's units whatever the size of the body.
        let larger = of_pair(["a.def", "a.sel"], [&def, &labels], &mesh(), 10.0).expect("handles");
        assert_eq!(larger[2].at(1.0).offset, Vec3::new(0.0, 5.0, 0.0));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let good = sel(|v| [0, 1, 1, 2][v % 4]);
        for (def, sel, words) in [
            (TURN, "0\n1\n2\n", "3 labels, and the mesh has 12 vertices"),
            (TURN, &*good.replace("\n0\n", "\n-1\n"), "line 2: found \"-1\"; expected a label"),
            (TURN, &sel(|v| [0, 1, 3, 2][v % 4]), "the label 3 of \"a.sel\" has no matrix"),
            ("", &good, "the label 2 of \"a.sel\" has no matrix"),
            (TURN, &sel(|v| [0, 1][v % 2]), "the matrix of the label 2 moves nothing"),
            ("1 0 0 0\n0 1 0 0\n", &good, "ends after 2 rows"),
            ("1 0 0\n", &good, "line 1: found \"1 0 0\"; expected four numbers"),
            (&TURN.replace("0 0 1 0", "0 0 0 0"), &good, "singular"),
            (&TURN.replace("0 0 1 0", "0 0 -1 0"), &good, "mirrors"),
            (&TURN.replace("0 0 1 0", "0 0 NaN 0"), &good, "not finite"),
        ] {
            let told = parsed(def, sel).expect_err("refused");
            assert!(told.contains(words), "{words}: {told}");
        }
    }
}
