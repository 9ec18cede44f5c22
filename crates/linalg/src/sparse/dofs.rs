//! Degrees of freedom: which entries of a state may move.
//!
//! A state of n vertices has 3n degrees of freedom, 3i + c. Some are held: a fixed vertex, or only its z.
//! Vectors keep all 3n entries, with zeros where they are held; only a factorisation leaves the held rows and columns out.

/// Degrees of freedom of a state: those that are free, and those that are held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dofs {
    held: Vec<bool>,
    free: Vec<u32>,
}

impl Dofs {
    /// All `size` degrees of freedom free.
    pub fn all_free(size: usize) -> Self {
        Self::new(vec![false; size])
    }

    /// Degree of freedom i is held where `held[i]`.
    pub fn new(held: Vec<bool>) -> Self {
        let free = (0..held.len()).filter(|&i| !held[i]).map(|i| i as u32).collect();
        Self { held, free }
    }

    /// How many degrees of freedom a state has, held ones included.
    pub fn size(&self) -> usize {
        self.held.len()
    }

    /// The free ones, ascending.
    pub fn free(&self) -> &[u32] {
        &self.free
    }

    /// Whether degree of freedom i is held.
    pub fn is_held(&self, i: usize) -> bool {
        self.held[i]
    }

    /// x ← x with zeros where it is held.
    pub fn hold(&self, x: &mut [f64]) {
        assert_eq!(x.len(), self.size(), "a state of this body");
        x.iter_mut().zip(&self.held).for_each(|(x, &held)| {
            if held {
                *x = 0.0;
            }
        });
    }
}
