//! The problems: one file each, one line in [`ALL`].

mod accuracy;
mod cubature;
mod elastica;
mod endurance;
mod hands;
mod manufactured;
mod nafems;
mod pull;
mod resonators;
mod subspace;
mod time;
mod vega;

use crate::{Effort, Outcome};

/// A line of the table.
pub struct Problem {
    /// One word, also the name of its pictures.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// What is computed, and where the reference comes from.
    pub about: &'static str,
    /// Computes it. An error means that it could not be computed at all.
    pub run: fn(Effort) -> anyhow::Result<Outcome>,
}

/// Every problem, in the order of the report.
pub static ALL: &[Problem] = &[
    manufactured::MANUFACTURED,
    resonators::CUBE,
    resonators::BAR,
    resonators::BALL,
    nafems::FV32,
    nafems::FV52,
    elastica::ELASTICA,
    time::ORDERS,
    time::MINIMISER,
    pull::PULL,
    vega::VEGA,
    subspace::SUBSPACE,
    accuracy::ACCURACY,
    cubature::CUBATURE,
    endurance::ENDURANCE,
    hands::HANDS,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// What does not hold of the problems whose place is `part` of `PARTS`: each part is a test, and they run beside each other.
    fn missed(part: usize) -> Vec<String> {
        let mut missed = Vec::new();
        for problem in ALL.iter().skip(part).step_by(PARTS) {
            let outcome = (problem.run)(Effort::Quick).unwrap_or_else(|e| panic!("{}: {e:#}", problem.name));
            // Only another program's figures may be missing on a machine.
            assert!(!outcome.rows.is_empty() || problem.name == "vega", "{} claims nothing", problem.name);
            missed.extend(
                outcome.rows.iter().filter(|r| !r.holds()).map(|row| format!("{}: {row:?}", problem.name)),
            );
        }
        missed
    }

    const PARTS: usize = 3;

    #[test]
    fn the_quick_form_of_the_first_fourth_and_so_on_problem_holds() {
        assert_eq!(missed(0), [""; 0]);
    }

    #[test]
    fn the_quick_form_of_the_second_fifth_and_so_on_problem_holds() {
        assert_eq!(missed(1), [""; 0]);
    }

    #[test]
    fn the_quick_form_of_the_third_sixth_and_so_on_problem_holds() {
        assert_eq!(missed(2), [""; 0]);
    }
}
