//! Bases of linear modes that are there already: for whoever tries several bases, or several numbers of modes.
//!
//! Columns come by weight, the heaviest first. So the basis of r columns is the first r of a larger one
//! ([`Basis::first`]), and one call serves every rank.

use pliant_energy::Body;
use pliant_linalg::Watch;

use super::{Basis, Built};
use crate::{ModalAnalysis, ReduceError};

/// How many columns a basis of modes gets.
#[derive(Clone, Copy, Debug)]
pub enum Columns {
    /// So many, which must be there; `None`: what the basis takes by itself.
    Asked(Option<usize>),
    /// So many or what there is, by weight.
    Most(usize),
}

impl Columns {
    /// Of so many as are usual, and so many as there are.
    pub fn rank(self, usual: usize, available: usize) -> usize {
        match self {
            Self::Asked(asked) => asked.unwrap_or(usual),
            Self::Most(most) => most.min(available),
        }
    }

    /// Whether the heaviest come first.
    pub fn by_weight(self) -> bool {
        matches!(self, Self::Most(_))
    }
}

/// The basis called `name` of all modes that were `found`, with at most `most` columns, the heaviest first. `None` where no basis of
/// that name is made of modes alone.
///
/// # Errors
/// As the `make` of that basis.
pub fn from_modes(
    name: &str,
    body: &Body,
    found: &ModalAnalysis,
    most: usize,
    watch: &mut Watch<'_>,
) -> Option<Result<Built, ReduceError>> {
    let (found, columns) = (found.clone(), Columns::Most(most));
    let of_modes = super::ALL.find(name)?.of_modes?;
    Some(of_modes(body, found, columns, watch))
}

impl Built {
    /// The same with the first `rank` columns alone.
    #[must_use]
    pub fn first(&self, rank: usize) -> Self {
        let basis: Basis = self.basis.first(rank);
        Self { affine: self.affine.min(basis.rank()), basis, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basis::linear_modes;
    use crate::{Request, basis};
    use pliant_energy::Recipe;
    use pliant_linalg::{Vec3, ignore_progress};
    use pliant_mesh::{select, shapes};

    #[test]
    fn every_rank_is_the_beginning_of_a_larger_one() {
        let bar = shapes::bar(Vec3::new(1.0, 0.2, 0.15), [8, 2, 2]).into_data();
        let fixed = vec![select::select(&bar, "x<5%").expect("one end")];
        let body = Recipe { fixed, ..Recipe::default() }.build(bar).expect("a body");
        let found = linear_modes::linear_modes(&body, 9, &mut ignore_progress).expect("modes");
        for entry in basis::ALL.iter().filter(|entry| entry.of_modes.is_some()) {
            let few = found.first(6);
            let Some(most) = from_modes(entry.name, &body, &few, 1000, &mut ignore_progress) else {
                continue;
            };
            let most = most.expect("a basis");
            let r = most.basis.rank() / 2;
            let request = Request { rank: Some(r), ..Request::of_modes(6) };
            let own = (entry.make)(&body, &request, &mut ignore_progress).expect("a basis");
            let first = most.first(r);
            assert_eq!((first.basis.rank(), &first.singular_values), (r, &most.singular_values));
            // From nine modes and from six: the same but for what the eigensolver leaves.
            for (a, b) in first.basis.rows().iter().zip(own.basis.rows()) {
                assert!((a - b).abs() < 1e-4, "{}: {a} and {b}", entry.name);
            }
        }
    }
}
