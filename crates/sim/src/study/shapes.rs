//! The first linear modes of a body and their derivatives, for pictures.

use pliant_energy::Body;
use pliant_linalg::Watch;
use pliant_reduce::basis::modal_derivatives::modal_derivatives;
use pliant_reduce::{ReduceError, linear_modes};

/// Shapes of a body about its rest: what bases are made of.
#[derive(Clone, Debug, Default)]
pub struct ShapesAtRest {
    /// Frequency, Hz, and shape of each mode, 3n entries.
    pub modes: Vec<(f64, Vec<f64>)>,
    /// Which two modes, and the derivative of their response, 3n entries.
    pub derivatives: Vec<((usize, usize), Vec<f64>)>,
    /// What the body has not, and why: no fault of a model of it.
    pub notes: Vec<String>,
}

/// The `count` lowest modes of `body` and all their derivatives.
///
/// # Errors
/// The watch asked to stop; what a body has not is a note.
pub fn shapes_at_rest(body: &Body, count: usize, watch: &mut Watch<'_>) -> Result<ShapesAtRest, ReduceError> {
    let missing = |what: &str, why: ReduceError| match why {
        ReduceError::Cancelled => Err(ReduceError::Cancelled),
        why => Ok(format!("{what} are not shown: {why}")),
    };
    let mut found = ShapesAtRest::default();
    let analysis = match linear_modes(body, count, watch) {
        Ok(modes) => modes,
        Err(why) => {
            found.notes.push(missing("modes and derivatives", why)?);
            return Ok(found);
        }
    };
    let frequencies = analysis.modes.frequencies_hz();
    found.modes =
        (0..analysis.modes.len()).map(|k| (frequencies[k], analysis.modes.shape(k).to_vec())).collect();
    match modal_derivatives(body, &analysis, watch) {
        Ok(derivatives) => {
            let shapes = derivatives.shapes.chunks_exact(body.size()).map(<[f64]>::to_vec);
            found.derivatives = derivatives.pairs.into_iter().zip(shapes).collect();
        }
        Err(why) => found.notes.push(missing("derivatives", why)?),
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_energy::Recipe;
    use pliant_linalg::{Vec3, ignore_progress};
    use pliant_mesh::{select, shapes};

    #[test]
    fn modes_come_with_their_derivatives_and_what_is_missing_is_said() {
        let bar = shapes::bar(Vec3::new(1.0, 0.1, 0.1), [4, 1, 1]).into_data();
        let fixed = vec![select::select(&bar, "x<5%").expect("a slab")];
        let body = Recipe { fixed, ..Recipe::default() }.build(bar).expect("a body");
        let found = shapes_at_rest(&body, 3, &mut ignore_progress).expect("shapes");
        let pairs: Vec<(usize, usize)> = found.derivatives.iter().map(|(pair, _)| *pair).collect();
        assert_eq!(pairs, [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]);
        assert!(
            found.notes.is_empty() && found.modes.iter().all(|(hz, u)| *hz > 0.0 && u.len() == body.size())
        );
        let none = shapes_at_rest(&body, 10_000, &mut ignore_progress).expect("a note");
        assert!(none.modes.is_empty() && none.notes[0].starts_with("modes and derivatives are not shown"));
    }
}
