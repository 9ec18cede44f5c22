//! A basis of a program's own: every other linear mode.

use pliant::reduce::basis::{ALL, Basis, Built, Entry, Needs};
use pliant::reduce::linear_modes;

/// Its line in the table.
static ENTRY: Entry = Entry {
    name: "toy-halves",
    about: "every other linear mode",
    needs: Needs::Modes,
    make: |body, request, watch| {
        let found = linear_modes(body, request.modes, watch)?;
        let columns: Vec<f64> =
            (0..found.modes.len()).step_by(2).flat_map(|k| found.modes.shape(k).to_vec()).collect();
        Ok(Built {
            basis: Basis::from_columns(&columns, body.size()),
            eigenvalues: found.modes.eigenvalues.into_iter().step_by(2).collect(),
            affine: 0,
            singular_values: Vec::new(),
            dropped: 0,
            warnings: found.warnings,
        })
    },
    of_modes: None,
};

pub(super) fn add() {
    ALL.add(&ENTRY).expect("a new name");
}
