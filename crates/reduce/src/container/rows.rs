//! Points, faces and other rows of numbers as tensors, and back.
//!
//! Rows of equal length are a matrix. Rows of different lengths are their entries one after another, and `.offsets`: row
//! i owns the entries from `offsets[i]` to `offsets[i + 1]`.

use pliant_linalg::{Vec3, quote};
use pliant_mesh::{Faces, Kind};

use super::{DAMAGED, Tensor, TensorReader, TensorWriter};

/// Points, three entries each.
pub(crate) fn positions(points: &[Vec3]) -> Tensor<'static> {
    Tensor::owned_reals(&[points.len(), 3], points.iter().flat_map(|p| [p.x, p.y, p.z]).collect())
}

/// Points, as [`positions`] writes them; `count` of them where that is known.
pub(crate) fn read_positions(
    file: &TensorReader<'_>,
    name: &str,
    count: Option<usize>,
) -> Result<Vec<Vec3>, String> {
    let numbers = file.reals(name, &[count, Some(3)])?;
    Ok(numbers.as_chunks().0.iter().map(|p: &[f64; 3]| Vec3::from(*p)).collect())
}

/// Corners in each face of a kind; `None`: they differ.
fn corners_in(kind: &str) -> Option<usize> {
    [(Kind::Triangles, 3), (Kind::Quads, 4)].iter().find(|(k, _)| k.name() == kind).map(|(_, n)| *n)
}

/// Faces of `name`: a matrix where all have as many corners, else rows.
pub(crate) fn write_faces<'a>(name: &str, faces: &'a Faces, out: &mut TensorWriter<'a>) {
    let corners = faces.corners();
    match corners_in(faces.kind().name()) {
        Some(n) => out.indices(name, &[faces.len(), n], corners),
        None => {
            out.put(&format!("{name}.offsets"), offsets(faces.iter().map(<[u32]>::len)));
            out.indices(name, &[corners.len()], corners);
        }
    }
}

/// Faces of a kind, as [`write_faces`] writes them.
pub(crate) fn read_faces(
    file: &TensorReader<'_>,
    name: &str,
    kind: &str,
    count: Option<usize>,
) -> Result<Faces, String> {
    match corners_in(kind) {
        Some(n) => {
            let corners = file.indices(name, &[count, Some(n)])?;
            // What faces can count; polygons have offsets that cannot go further.
            if u32::try_from(corners.len()).is_err() {
                return Err(format!("{name:?} has {} corners, expected fewer than 2³²", corners.len()));
            }
            Ok(corners.chunks_exact(n).collect())
        }
        None if kind == Kind::Polygons.name() => {
            let starts = file.indices(&format!("{name}.offsets"), &[count.map(|n| n.saturating_add(1))])?;
            Ok(rows(name, starts, file.indices(name, &[None])?)?.collect())
        }
        None => Err(format!(
            "the kind of {name:?} is {}, expected tets, triangles, quads or polygons; {DAMAGED}",
            quote(kind)
        )),
    }
}

/// 0, and where each row ends.
pub(crate) fn offsets(rows: impl Iterator<Item = usize>) -> Tensor<'static> {
    let mut end = 0;
    let ends = rows.map(|length| {
        end += length;
        u32::try_from(end).expect("checked: fewer than 2³² entries")
    });
    let offsets: Vec<u32> = std::iter::once(0).chain(ends).collect();
    Tensor::owned_indices(&[offsets.len()], offsets)
}

/// Where each of `rows` rows begins, and the last one ends.
pub(crate) fn offsets_of<'a>(file: &TensorReader<'a>, name: &str, rows: usize) -> Result<&'a [u32], String> {
    file.indices(&format!("{name}.offsets"), &[Some(rows.saturating_add(1))])
}

/// The rows, if the offsets rise from 0 to the number of entries.
pub(crate) fn rows<'a>(
    name: &str,
    offsets: &'a [u32],
    entries: &'a [u32],
) -> Result<impl Iterator<Item = &'a [u32]>, String> {
    let spans = offsets.first() == Some(&0) && offsets.last().map(|&end| end as usize) == Some(entries.len());
    if !spans || !offsets.is_sorted() {
        return Err(format!(
            "the tensor \"{name}.offsets\" does not rise from 0 to the {} entries of {name:?}; {DAMAGED}",
            entries.len()
        ));
    }
    Ok(offsets.windows(2).map(|w| &entries[w[0] as usize..w[1] as usize]))
}
