//! The tables: one file each, one line in [`ALL`].

mod construction;
mod cubature;
mod kinetic;
mod lateral;
mod points;
mod signature;
mod solvers;
mod subspace;

use crate::{Outcome, Run};

/// A line of the table of tables.
pub struct Table {
    /// One word, also the beginning of the names of its pictures.
    pub name: &'static str,
    /// The heading of its section.
    pub title: &'static str,
    /// What is measured on what, and what differs from the document.
    pub about: &'static str,
    /// Measures it. An error means that nothing could be measured at all.
    pub run: fn(&Run) -> anyhow::Result<Outcome>,
}

/// Every table, in the order of the page.
pub static ALL: &[Table] = &[
    subspace::SUBSPACE,
    construction::CONSTRUCTION,
    cubature::SOLIDS,
    cubature::SHELLS,
    lateral::LATERAL,
    points::POINTS,
    solvers::SOLVERS,
    kinetic::KINETIC,
    signature::SIGNATURE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;

    #[test]
    fn the_quick_form_of_every_table_has_numbers() {
        for table in ALL {
            let outcome = (table.run)(&Run::quick()).unwrap_or_else(|e| panic!("{}: {e:#}", table.name));
            assert!(outcome.missing.is_empty(), "{}: the quick form needs no files", table.name);
            let grids = outcome.parts.iter().filter_map(|part| match part {
                Part::Grid(grid) => Some(grid),
                _ => None,
            });
            let mut rows = 0;
            for grid in grids {
                assert!(grid.rows.iter().all(|row| row.len() == grid.head.len()), "{}", table.name);
                assert!(
                    grid.rows.iter().flatten().all(|cell| !cell.contains("NaN")),
                    "{}: {grid:?}",
                    table.name
                );
                rows += grid.rows.len();
            }
            assert!(rows > 0, "{} has no rows", table.name);
        }
    }
}
