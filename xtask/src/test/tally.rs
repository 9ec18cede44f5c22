//! What was checked, how it went and how long it took.

use std::time::Instant;

use crate::tools;

/// How a step went.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Failed,
    /// Neither: what it needs is not here, for this reason.
    PassedOver(String),
}

/// Steps and tests so far.
#[derive(Default)]
pub(super) struct Tally {
    passed: usize,
    failed: usize,
    steps: Vec<(String, Outcome, f64)>,
}

impl Tally {
    /// A step that passes or fails.
    pub(super) fn step(&mut self, name: &str, run: impl FnOnce() -> anyhow::Result<bool>) {
        self.may_pass_over(name, || Ok(if run()? { Outcome::Passed } else { Outcome::Failed }));
    }

    /// A step that may also find that it cannot be run here.
    pub(super) fn may_pass_over(&mut self, name: &str, run: impl FnOnce() -> anyhow::Result<Outcome>) {
        println!("\n== {name}");
        let start = Instant::now();
        let outcome = run().unwrap_or_else(|error| {
            eprintln!("{name}: {error:#}");
            Outcome::Failed
        });
        match &outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::PassedOver(why) => println!("{why}"),
        }
        self.steps.push((name.to_owned(), outcome, start.elapsed().as_secs_f64()));
    }

    /// Tests that a step has counted.
    pub(super) fn add(&mut self, passed: usize, failed: usize) {
        self.passed += passed;
        self.failed += failed;
    }

    /// Prints all steps, and the sum as the last line; whether all is well.
    pub(super) fn tell(&self) -> bool {
        println!();
        for (name, outcome, seconds) in &self.steps {
            match outcome {
                Outcome::Passed => println!("ok     {name} ({seconds:.0} s)"),
                Outcome::Failed => println!("FAILED {name} ({seconds:.0} s)"),
                Outcome::PassedOver(why) => println!("not run: {name}: {why}"),
            }
        }
        let all: f64 = self.steps.iter().map(|(_, _, seconds)| seconds).sum();
        println!("{:.1} minutes", all / 60.0);
        if tools::shared_data().is_none() {
            println!(
                "The shared data is not beside the project: tests on real meshes did not run, own shapes stood in."
            );
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        self.failed == 0
    }
}

/// `test result: ok. 12 passed; 0 failed; …` → (12, 0).
pub(crate) fn counts(line: &str) -> Option<(usize, usize)> {
    let rest = line.strip_prefix("test result: ")?;
    let number = |what: &str| {
        let before = rest.split(what).next()?;
        before.rsplit([' ', ';', '.']).find(|w| !w.is_empty())?.parse().ok()
    };
    Some((number(" passed")?, number(" failed")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted() {
        let line = "test result: FAILED. 19 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.11s";
        assert_eq!(counts(line), Some((19, 2)));
        assert_eq!(counts("running 3 tests"), None);
    }

    #[test]
    fn what_cannot_be_run_has_neither_passed_nor_failed() {
        let mut tally = Tally::default();
        tally.may_pass_over("a", || Ok(Outcome::PassedOver("no compiler".into())));
        assert_eq!((tally.passed, tally.failed), (0, 0));
        tally.step("b", || Ok(true));
        assert!(tally.tell());
        tally.step("c", || anyhow::bail!("it broke"));
        tally.add(3, 0);
        assert_eq!((tally.passed, tally.failed), (4, 1));
        assert!(!tally.tell());
    }
}
