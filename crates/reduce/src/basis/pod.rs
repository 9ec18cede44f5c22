//! Proper orthogonal decomposition: the directions in which a body was seen to move.
//!
//! ```text
//! A = [u₁ … u_N],   M = L Lᵀ,   Lᵀ A = W Σ Vᵀ,   U = L⁻ᵀ W₁…ᵣ                    (B12 section 3.2.1)
//! Σ_t ‖u_t − U Uᵀ M u_t‖²_M = Σ_{k>r} σ_k²                                          (what r columns leave)
//! ```
//! No mean is subtracted: rest is a state like any other and must stay in the span. Of all bases with r columns this one
//! is nearest to the snapshots; to motions that are not among them it may be blind. So snapshots should show what the model
//! will be asked to do: every load, every direction. A free body moves as a whole only along what its snapshots do.
//!
//! Memory: the snapshots three times.

use pliant_energy::Body;
use pliant_linalg::{Note, Progress, Watch, orth::Metric};

use super::{Basis, Built, Entry, Needs};
use crate::ReduceError;

/// Its line in the table.
pub(super) const ENTRY: Entry = Entry {
    name: "pod",
    about: "principal directions of snapshots: nearest to motions that were seen, blind to others",
    needs: Needs::Snapshots,
    make: |body, request, watch| make(body, request.snapshots.unwrap_or(&[]), request.rank, watch),
    of_modes: None,
};

/// Columns of U where nothing is said.
const USUAL_RANK: usize = 40;

/// A singular value below this part of the first is rounding.
const ROUNDING: f64 = 1e-10;

/// Displacements beyond this, or all below one part in it, m, are no displacements, and their squares do not fit into a number.
const LARGEST: f64 = 1e100;

/// Memory that snapshots and what is made of them may take, bytes.
const MOST_BYTES: f64 = 8e9;

/// Whether a basis can be made of `snapshots`, 3n entries each, one after the other, m.
///
/// # Errors
/// Snapshots of another body, none, such as are not finite, or more than memory holds.
pub fn check(body: &Body, snapshots: &[f64]) -> Result<(), ReduceError> {
    let size = body.size();
    let wrong = if snapshots.is_empty() {
        "there is no snapshot; give at least one displacement of all vertices, better a hundred".to_owned()
    } else if !snapshots.len().is_multiple_of(size) {
        format!(
            "the snapshots have {} numbers, which is no multiple of the {size} of the body (three for each of its {} \
             vertices): are they of another mesh?",
            snapshots.len(),
            size / 3
        )
    } else if let Some(at) = snapshots.iter().position(|x| !x.is_finite()) {
        format!(
            "snapshot {} has {} at vertex {}; expected finite numbers",
            at / size,
            snapshots[at],
            at % size / 3
        )
    } else if let Some(x) = snapshots.iter().find(|x| x.abs() > LARGEST) {
        format!("the snapshots have a displacement of {x:e} m; expected metres, at most {LARGEST:e}")
    } else if snapshots.iter().all(|&x| x.abs() < 1.0 / LARGEST) {
        "nothing moves in any of the snapshots; let a load act while they are taken".to_owned()
    } else if 24.0 * snapshots.len() as f64 > MOST_BYTES {
        format!(
            "{} snapshots of {size} numbers would take about {:.0} GB of memory, the limit is {:.0} GB; take at most {}",
            snapshots.len() / size,
            24e-9 * snapshots.len() as f64,
            MOST_BYTES / 1e9,
            (MOST_BYTES / 24.0 / size as f64) as usize
        )
    } else {
        return Ok(());
    };
    Err(ReduceError::request(wrong))
}

/// The first `rank` principal directions of `snapshots` in the mass; default 40, or what there is.
///
/// # Errors
/// As [`check`]; a rank that the snapshots do not have, or cancelled.
pub fn make(
    body: &Body,
    snapshots: &[f64],
    rank: Option<usize>,
    watch: &mut Watch<'_>,
) -> Result<Built, ReduceError> {
    check(body, snapshots)?;
    let (size, count) = (body.size(), snapshots.len() / body.size());
    Progress::stage("principal directions").tell(watch)?;
    let metric = Metric { mass: body.mass(), dofs: body.dofs() };
    let span = metric.extend(&[], snapshots, 0.0, watch)?;
    let principal = span.principal(&vec![1.0; count])?;
    let largest = principal.values.first().copied().unwrap_or(0.0);
    let sound = principal.values.iter().take_while(|&&s| s > ROUNDING * largest).count();
    if sound == 0 {
        return Err(ReduceError::request(
            "the snapshots move nothing but what is held; hold what was held when they were taken",
        ));
    }
    let rank = rank.unwrap_or(USUAL_RANK.min(sound));
    let source_of = || format!("{count} snapshot{}", if count == 1 { "" } else { "s" });
    if rank > sound {
        let next = format!("take more snapshots, or ask for a rank of at most {sound}");
        return Err(ReduceError::Rank { asked: rank, available: sound, source_of: source_of(), next });
    }
    super::check_rank(rank, 0, sound, source_of)?;
    Ok(Built {
        basis: Basis::from_columns(&principal.columns(rank), size),
        eigenvalues: Vec::new(),
        affine: 0,
        singular_values: principal.values,
        dropped: count - sound,
        warnings: held_that_moves(body, snapshots).map(Note::from).into_iter().collect(),
    })
}

/// What to say of snapshots in which held vertices move.
fn held_that_moves(body: &Body, snapshots: &[f64]) -> Option<String> {
    let largest = snapshots.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let moves = |u: &&[f64]| (0..u.len()).any(|i| body.dofs().is_held(i) && u[i].abs() > 1e-9 * largest);
    let count = snapshots.chunks_exact(body.size()).filter(moves).count();
    (count > 0).then(|| {
        format!(
            "in {count} of {} snapshots vertices move that are held here; that part of them is left out",
            snapshots.len() / body.size()
        )
    })
}

#[cfg(test)]
mod tests {
    use pliant_energy::Recipe;
    use pliant_linalg::{Vec3, ignore_progress, par};
    use pliant_mesh::{select, shapes};
    use pliant_testkit::numbers::noise;

    use super::*;

    fn bar() -> Body {
        let bar = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [6, 2, 2]).into_data();
        let fixed = vec![select::select(&bar, "x<1%").expect("an end")];
        Recipe { fixed, ..Recipe::default() }.build(bar).expect("a body")
    }

    /// Random states, zero where held, each `factor` times smaller than the one before.
    fn states(body: &Body, count: usize, factor: f64) -> Vec<f64> {
        let state = |k: usize| {
            let mut u = noise(body.size(), factor.powi(k as i32), k as u64 + 1);
            body.dofs().hold(&mut u);
            u
        };
        (0..count).flat_map(state).collect()
    }

    fn left(body: &Body, basis: &Basis, snapshots: &[f64]) -> f64 {
        let metric = Metric { mass: body.mass(), dofs: body.dofs() };
        let columns: Vec<f64> = (0..basis.rank()).flat_map(|k| basis.column(k)).collect();
        let mut rest = snapshots.to_vec();
        metric.remove(&columns, &mut rest);
        par::dot(&rest, &metric.apply(&rest))
    }

    #[test]
    fn what_the_columns_leave_is_the_tail_of_the_singular_values() {
        let body = bar();
        let snapshots = states(&body, 9, 0.6);
        for rank in [1, 4, 8] {
            let built = make(&body, &snapshots, Some(rank), &mut ignore_progress).expect("a basis");
            let tail: f64 = built.singular_values[rank..].iter().map(|s| s * s).sum();
            let left = left(&body, &built.basis, &snapshots);
            assert!((left / tail - 1.0).abs() < 1e-9, "rank {rank}: {left:e} is not {tail:e}");
        }
        // All of them leave nothing, and σ² sum up to ‖A‖²_M.
        let all = make(&body, &snapshots, None, &mut ignore_progress).expect("a basis");
        assert_eq!(all.basis.rank(), 9);
        let metric = Metric { mass: body.mass(), dofs: body.dofs() };
        let whole = par::dot(&snapshots, &metric.apply(&snapshots));
        assert!(left(&body, &all.basis, &snapshots) < 1e-20 * whole);
        let squares: f64 = all.singular_values.iter().map(|s| s * s).sum();
        assert!((squares / whole - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_mean_is_subtracted_and_repetitions_count() {
        let body = bar();
        let one = states(&body, 1, 1.0);
        let four = [&one[..], &one, &one, &one].concat();
        let built = make(&body, &four, None, &mut ignore_progress).expect("a basis");
        assert_eq!((built.basis.rank(), built.dropped), (1, 3));
        let single = make(&body, &one, None, &mut ignore_progress).expect("a basis");
        assert!((built.singular_values[0] / single.singular_values[0] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let body = bar();
        let good = states(&body, 3, 0.5);
        let mut nan = good.clone();
        nan[body.size() + 7] = f64::NAN;
        let only_held: Vec<f64> =
            (0..body.size()).map(|i| f64::from(u8::from(body.dofs().is_held(i)))).collect();
        for (snapshots, rank, words) in [
            (&good[1..], None, "of another mesh?"),
            (&[], None, "there is no snapshot"),
            (&nan, None, "snapshot 1 has NaN at vertex 2"),
            (&vec![0.0; 2 * body.size()], None, "nothing moves"),
            (&vec![1e-200; body.size()], None, "nothing moves"),
            (&vec![-1e200; body.size()], None, "-1e200 m"),
            (&only_held, None, "hold what was held"),
            (&good, Some(4), "rank of at most 3"),
            (&good, Some(0), "at least 1 column"),
        ] {
            let said = make(&body, snapshots, rank, &mut ignore_progress).expect_err("refused").to_string();
            assert!(said.contains(words), "{said:?} has not {words:?}");
        }
        let mixed: Vec<f64> = good[..body.size()].iter().zip(&only_held).map(|(a, b)| a + b).collect();
        let built = make(&body, &mixed, None, &mut ignore_progress).expect("a basis");
        assert!(built.warnings[0].contains("1 of 1 snapshots"), "{:?}", built.warnings);
    }
}
