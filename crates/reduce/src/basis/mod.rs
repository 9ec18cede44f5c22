//! Bases: one file each, one line in [`ALL`].
//!
//! A basis is a matrix U of 3n rows and r columns with UᵀMU = I, zero where the body is held. The columns come out in a
//! fixed order with fixed signs (the largest entry of each is positive). Where the constraints leave rigid motions, the
//! first columns are the affine fields that the constraints leave as well: see `affine.rs` for what those can do, and
//! what they cannot. (Of the basis `modes` they are the rigid motions alone, which keep UᵀKU diagonal.)
//!
//! The tests run over the table: a new basis gets orthonormality, determinism and rank checks for its one line.

pub mod affine;
pub mod extended;
mod from_modes;
pub mod linear_modes;
pub mod modal_derivatives;
pub mod pod;
pub mod turned_modes;
pub mod warped;

use std::sync::Arc;

use pliant_energy::Body;
use pliant_linalg::{Named, Note, Table, Watch, rows};

use crate::ReduceError;
pub use from_modes::{Columns, from_modes};
use linear_modes::{ModalAnalysis, linear_modes};

/// U: 3n rows, r columns, row by row, so that what one vertex needs lies together.
///
/// Cloning shares the numbers.
#[derive(Clone)]
pub struct Basis {
    rank: usize,
    rows: Arc<dyn AsRef<[f64]> + Send + Sync>,
}

impl Basis {
    /// From 3n·r numbers, row by row; perhaps a view into a file.
    pub fn new(rank: usize, rows: Arc<dyn AsRef<[f64]> + Send + Sync>) -> Self {
        let length = (*rows).as_ref().len();
        assert!(rank > 0 && length.is_multiple_of(3 * rank), "three rows a vertex, {rank} numbers each");
        Self { rank, rows }
    }

    /// From columns of `size` numbers each, one after the other.
    pub fn from_columns(columns: &[f64], size: usize) -> Self {
        let rank = columns.len() / size;
        let mut rows = vec![0.0; columns.len()];
        // A few rows at a time, which stay in the cache while the columns come by.
        for (first, rows) in (0..).step_by(16).zip(rows.chunks_mut(16 * rank)) {
            for (k, column) in columns.chunks_exact(size).enumerate() {
                let column = &column[first..first + rows.len() / rank];
                column.iter().enumerate().for_each(|(i, &x)| rows[i * rank + k] = x);
            }
        }
        Self::new(rank, Arc::new(rows))
    }

    /// r.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// 3n.
    pub fn size(&self) -> usize {
        self.rows().len() / self.rank
    }

    /// All numbers, row by row.
    pub fn rows(&self) -> &[f64] {
        (*self.rows).as_ref()
    }

    /// The three rows of vertex v, one after the other.
    pub fn vertex(&self, v: usize) -> &[f64] {
        &self.rows()[3 * v * self.rank..3 * (v + 1) * self.rank]
    }

    /// Column k, 3n entries.
    pub fn column(&self, k: usize) -> Vec<f64> {
        self.rows().chunks_exact(self.rank).map(|row| row[k]).collect()
    }

    /// The basis of the first `count` columns, or of all.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        if count >= self.rank {
            return self.clone();
        }
        let rows: Vec<f64> =
            self.rows().chunks_exact(self.rank).flat_map(|row| &row[..count]).copied().collect();
        Self::new(count, Arc::new(rows))
    }

    /// u = U q, at the speed of memory.
    pub fn expand(&self, q: &[f64], u: &mut [f64]) {
        assert_eq!((q.len(), u.len()), (self.rank, self.size()), "coordinates and a state of this basis");
        rows::expand(self.rows(), q, u);
    }

    /// The displacements U q of some vertices alone, three entries each.
    pub fn expand_vertices(&self, q: &[f64], vertices: &[u32], u: &mut [f64]) {
        assert_eq!(
            (q.len(), u.len()),
            (self.rank, 3 * vertices.len()),
            "coordinates, and three entries each"
        );
        for (u, &v) in u.chunks_exact_mut(3).zip(vertices) {
            rows::expand(self.vertex(v as usize), q, u);
        }
    }

    /// The displacement of one vertex.
    pub fn at(&self, q: &[f64], v: usize) -> [f64; 3] {
        let mut u = [0.0; 3];
        rows::expand(self.vertex(v), q, &mut u);
        u
    }

    /// p = Uᵀ f.
    pub fn project(&self, f: &[f64], p: &mut [f64]) {
        assert_eq!((p.len(), f.len()), (self.rank, self.size()), "coordinates and a state of this basis");
        rows::project(self.rows(), f, p);
    }
}

impl std::fmt::Debug for Basis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Basis").field("size", &self.size()).field("rank", &self.rank).finish()
    }
}

/// What is wanted of a basis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request<'a> {
    /// Linear modes to start from, rigid ones not counted.
    pub modes: usize,
    /// Columns of U, affine fields included; `None`: what the basis makes of that many modes by itself.
    pub rank: Option<usize>,
    /// Displacements of all vertices, 3n entries each, one after the other, m: for bases that are made of them.
    pub snapshots: Option<&'a [f64]>,
}

impl Request<'_> {
    /// A basis of `modes` linear modes with as many columns as it takes by itself.
    pub fn of_modes(modes: usize) -> Self {
        Self { modes, rank: None, snapshots: None }
    }
}

/// A basis and what is worth knowing about it.
#[derive(Clone, Debug)]
pub struct Built {
    /// U.
    pub basis: Basis,
    /// λ of the linear modes it is made from, ascending, 1/s².
    pub eigenvalues: Vec<f64>,
    /// How many of the first columns are affine fields; of the basis `modes`, rigid motions.
    pub affine: usize,
    /// Of the vectors that the columns were chosen from, raw, descending; empty where nothing was chosen.
    pub singular_values: Vec<f64>,
    /// Vectors that were dropped because they lay in the span of others.
    pub dropped: usize,
    /// What a user should know.
    pub warnings: Vec<Note>,
}

/// What a basis is made from, beside the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Its linear modes.
    Modes,
    /// Displacements that were seen: [`Request::snapshots`].
    Snapshots,
}

/// A basis of linear modes that are there.
type OfModes = fn(&Body, ModalAnalysis, Columns, &mut Watch<'_>) -> Result<Built, ReduceError>;

/// A line of the table.
pub struct Entry {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it is good for, in one line.
    pub about: &'static str,
    /// What it is made from.
    pub needs: Needs,
    /// Makes it.
    pub make: fn(&Body, &Request<'_>, &mut Watch<'_>) -> Result<Built, ReduceError>,
    /// Makes it of linear modes that are there, where it is made of modes alone: [`from_modes`].
    pub of_modes: Option<OfModes>,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Every basis. A new one is a file in this folder and a line here.
pub static ALL: Table<Entry> = Table::new(
    "basis",
    &[linear_modes::ENTRY, modal_derivatives::ENTRY, extended::ENTRY, warped::ENTRY, pod::ENTRY],
);

/// The line called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.find(name)
}

/// Whether a basis of `rank` columns can be given, of which the first `affine` must be there and `available` can be.
fn check_rank(
    rank: usize,
    affine: usize,
    available: usize,
    source_of: impl FnOnce() -> String,
) -> Result<(), ReduceError> {
    if available == 0 {
        return Err(ReduceError::request(
            "a basis of no columns: the body is held fast and no modes were asked for; ask for at least 1 mode",
        ));
    }
    if rank > available {
        let next = format!("ask for more modes, or for a rank of at most {available}");
        return Err(ReduceError::Rank { asked: rank, available, source_of: source_of(), next });
    }
    if rank < affine.max(1) {
        return Err(ReduceError::request(if affine == 0 {
            "a basis needs at least 1 column, got rank 0".to_owned()
        } else {
            format!(
                "rank {rank} has no room for the {affine} affine fields that let the body move as a whole; ask for a \
                 rank of at least {affine}, or hold the body"
            )
        }));
    }
    Ok(())
}

/// "1 mode", "20 modes".
fn modes_in_words(count: usize) -> String {
    format!("{count} mode{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
