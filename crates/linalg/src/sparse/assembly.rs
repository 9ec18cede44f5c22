//! From the vectors and matrices of components to those of the body, in parallel, the same bits for any number of threads.
//!
//! Components compute into a buffer, each its own part, in parallel. Then every column of the matrix gathers what belongs
//! to it, in the order of the components, again in parallel: each number is a sum in one fixed order, nobody waits, and
//! nothing is written by two. Large bodies go through in waves of some thousand components, so that the buffer stays in
//! the cache; the order of every sum is the same.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Pattern, Symmetric};

/// A component touches at most four vertices: 12 numbers.
pub const LOCAL: usize = 12;

/// A vector over the corners of a component, 3a + c; zero past its own corners.
pub type LocalVector = [f64; LOCAL];

/// A symmetric matrix over the corners of a component; what lies past its own corners is not read.
pub type LocalMatrix = [[f64; LOCAL]; LOCAL];

/// The blocks (a, b), a ≥ b, of a local matrix.
const PAIRS: [(usize, usize); 10] =
    [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3)];

type Packed = [[[f64; 3]; 3]; 10];

/// How many components or columns are one task.
const CHUNK: usize = 256;

/// How many components' matrices are computed before the columns gather them: 3 MB.
const WAVE: usize = 4096;

/// How many matrices one task computes.
const TASK: usize = 32;

/// One block of a component that goes to a column.
#[derive(Clone, Copy, Debug)]
struct Part {
    component: u32,
    /// Slot within the column: a hub can have as many neighbours as there are vertices.
    slot: u32,
    /// Index into [`PAIRS`], and whether the block arrives transposed.
    pair: u8,
    transposed: bool,
}

/// Who contributes to what: built once for a body.
#[derive(Clone, Debug)]
pub struct Assembly {
    pattern: Arc<Pattern>,
    /// Parts of column j: `parts[starts[j]..starts[j + 1]]`, in the order of components.
    starts: Vec<usize>,
    parts: Vec<Part>,
    /// For vectors: vertex j's (component, corner) are `touches[touch_starts[j]..]`, in the order of components.
    touch_starts: Vec<usize>,
    touches: Vec<(u32, u8)>,
}

impl Assembly {
    /// Components with the given corners (at most four each) over `size` vertices.
    pub fn new<'a>(size: usize, corners: impl Iterator<Item = &'a [u32]> + Clone) -> Self {
        let pattern = Pattern::from_cliques(size, corners.clone());
        let (mut starts, mut touch_starts) = (vec![0; size + 1], vec![0; size + 1]);
        for clique in corners.clone() {
            assert!(clique.len() <= 4, "a component touches at most four vertices");
            pairs(clique).for_each(|(_, _, _, j)| starts[j as usize + 1] += 1);
            clique.iter().for_each(|&v| touch_starts[v as usize + 1] += 1);
        }
        (0..size).for_each(|j| {
            starts[j + 1] += starts[j];
            touch_starts[j + 1] += touch_starts[j];
        });
        let nothing = Part { component: 0, pair: 0, transposed: false, slot: 0 };
        let (mut parts, mut touches) = (vec![nothing; starts[size]], vec![(0, 0); touch_starts[size]]);
        let (mut next, mut next_touch) = (starts.clone(), touch_starts.clone());
        for (component, clique) in corners.enumerate() {
            for (pair, transposed, i, j) in pairs(clique) {
                let j = j as usize;
                let (slots, _) = pattern.column(j);
                let slot = pattern.slot(i as usize, j).expect("the pattern holds every pair of a component");
                // Rows are u32, so that no column has more of them.
                let slot = (slot - slots.start) as u32;
                parts[next[j]] = Part { component: component as u32, pair, transposed, slot };
                next[j] += 1;
            }
            for (corner, &v) in clique.iter().enumerate() {
                touches[next_touch[v as usize]] = (component as u32, corner as u8);
                next_touch[v as usize] += 1;
            }
        }
        Self { pattern, starts, parts, touch_starts, touches }
    }

    /// The pattern of the matrices assembled here.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Sums local vectors, one a component: out\[3v + c\] = Σ local\[3a + c\] over the corners a that are v.
    pub fn vector(&self, locals: &[LocalVector], out: &mut [f64]) {
        self.vector_of(|component| &locals[component], out);
    }

    /// [`Assembly::vector`] of local vectors that lie anywhere.
    pub fn vector_of<'a>(&self, local: impl Fn(usize) -> &'a LocalVector + Sync, out: &mut [f64]) {
        let (out, rest) = out.as_chunks_mut::<3>();
        assert!(out.len() == self.pattern.size() && rest.is_empty(), "three entries a vertex");
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
            for (k, sum) in out.iter_mut().enumerate() {
                let v = chunk * CHUNK + k;
                *sum = [0.0; 3];
                for &(component, corner) in &self.touches[self.touch_starts[v]..self.touch_starts[v + 1]] {
                    let local = local(component as usize);
                    (0..3).for_each(|c| sum[c] += local[3 * corner as usize + c]);
                }
            }
        });
    }

    /// Sums local matrices. `compute(first, locals)` fills the matrices of components `first..first + locals.len()`; it
    /// is called once for each chunk of `count` components, from several threads.
    ///
    /// # Errors
    /// The error of the first chunk that has one; `out` is then half-filled.
    pub fn matrix<E: Send>(
        &self,
        count: usize,
        compute: impl Fn(usize, &mut [LocalMatrix]) -> Result<(), E> + Sync,
        out: &mut Symmetric<3>,
    ) -> Result<(), E> {
        assert!(self.pattern.same(out.pattern()), "a matrix on the assembly's pattern");
        let mut packed: Vec<Packed> = vec![[[[0.0; 3]; 3]; 10]; count.min(WAVE)];
        // For every column the first part that has not been gathered.
        let mut next = self.starts[..self.pattern.size()].to_vec();
        let mut columns = self.column_tasks(&mut next, out.values_mut());
        for first in (0..count).step_by(WAVE) {
            let packed = &mut packed[..WAVE.min(count - first)];
            // Collected in order, so that the error that comes out is the first, whoever met it.
            let outcomes: Vec<Result<(), E>> = packed
                .par_chunks_mut(TASK)
                .enumerate()
                .map(|(task, packed)| {
                    let mut locals = [[[0.0; LOCAL]; LOCAL]; TASK];
                    let locals = &mut locals[..packed.len()];
                    compute(first + task * TASK, locals)?;
                    packed.iter_mut().zip(locals).for_each(|(packed, local)| pack(local, packed));
                    Ok(())
                })
                .collect();
            outcomes.into_iter().collect::<Result<(), E>>()?;
            columns.par_iter_mut().for_each(|columns| {
                if first == 0 {
                    columns.values.fill([[0.0; 3]; 3]);
                }
                self.gather(columns, first, packed);
            });
        }
        Ok(())
    }

    /// Columns in chunks, each with its own values and its own place in the list of parts.
    fn column_tasks<'a>(
        &self,
        next: &'a mut [usize],
        mut values: &'a mut [[[f64; 3]; 3]],
    ) -> Vec<Columns<'a>> {
        let mut tasks = Vec::with_capacity(next.len().div_ceil(CHUNK));
        for (first, next) in (0..).step_by(CHUNK).zip(next.chunks_mut(CHUNK)) {
            let last = first + next.len() - 1;
            let blocks = self.pattern.column(last).0.end - self.pattern.column(first).0.start;
            let (mine, others) = values.split_at_mut(blocks);
            tasks.push(Columns { first, next, values: mine });
            values = others;
        }
        tasks
    }

    /// Adds to some columns what the components from `first` on, as many as `packed` holds, have for them.
    fn gather(&self, columns: &mut Columns<'_>, first: usize, packed: &[Packed]) {
        let origin = self.pattern.column(columns.first).0.start;
        for (k, next) in columns.next.iter_mut().enumerate() {
            let j = columns.first + k;
            let begin = self.pattern.column(j).0.start - origin;
            for part in &self.parts[*next..self.starts[j + 1]] {
                let Some(local) = packed.get(part.component as usize - first) else { break };
                let block = &local[part.pair as usize];
                let sum = &mut columns.values[begin + part.slot as usize];
                if part.transposed {
                    (0..3).for_each(|r| (0..3).for_each(|c| sum[r][c] += block[c][r]));
                } else {
                    (0..3).for_each(|r| (0..3).for_each(|c| sum[r][c] += block[r][c]));
                }
                *next += 1;
            }
        }
    }
}

/// Some columns of a matrix that is being gathered.
struct Columns<'a> {
    first: usize,
    next: &'a mut [usize],
    values: &'a mut [[[f64; 3]; 3]],
}

/// (pair, transposed, row, column) of the blocks of a component with these corners, row ≥ column.
fn pairs(corners: &[u32]) -> impl Iterator<Item = (u8, bool, u32, u32)> + '_ {
    PAIRS.iter().enumerate().take_while(|(_, (a, _))| *a < corners.len()).map(|(pair, &(a, b))| {
        let (i, j) = (corners[a], corners[b]);
        (pair as u8, i < j, i.max(j), i.min(j))
    })
}

fn pack(local: &LocalMatrix, packed: &mut Packed) {
    for (block, (a, b)) in packed.iter_mut().zip(PAIRS) {
        for r in 0..3 {
            block[r].copy_from_slice(&local[3 * a + r][3 * b..3 * b + 3]);
        }
    }
}
