//! How long each stage of long work takes, from what it tells its watch.

use std::ops::ControlFlow;
use std::time::Instant;

use pliant::linalg::Progress;

/// Stages that make linear modes.
pub const MODES: &[&str] = &["ordering", "factorising", "modes"];

/// Seconds by stage.
#[derive(Debug, Default)]
pub struct Stages {
    now: Option<(&'static str, Instant)>,
    spent: Vec<(&'static str, f64)>,
}

impl Stages {
    /// Runs `work` with a watch that notes the time.
    pub fn of<T>(work: impl FnOnce(&mut pliant::linalg::Watch<'_>) -> T) -> (T, Self) {
        let mut stages = Self::default();
        let result = work(&mut |progress: Progress| {
            if stages.now.is_none_or(|(name, _)| name != progress.stage) {
                stages.close();
                stages.now = Some((progress.stage, Instant::now()));
            }
            ControlFlow::Continue(())
        });
        stages.close();
        (result, stages)
    }

    fn close(&mut self) {
        if let Some((name, begin)) = self.now.take() {
            self.spent.push((name, begin.elapsed().as_secs_f64()));
        }
    }

    /// Of the stages with these names, s.
    pub fn sum(&self, names: &[&str]) -> f64 {
        self.spent.iter().filter(|(name, _)| names.contains(name)).map(|(_, t)| t).sum()
    }

    /// Of all others, s.
    pub fn beside(&self, names: &[&str]) -> f64 {
        self.spent.iter().filter(|(name, _)| !names.contains(name)).map(|(_, t)| t).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_ends_where_the_next_begins() {
        let pause = || std::thread::sleep(std::time::Duration::from_millis(5));
        let ((), stages) = Stages::of(|watch| {
            for stage in ["modes", "modes", "forces"] {
                Progress::stage(stage).tell(watch).expect("nobody stops it");
                pause();
            }
        });
        let (modes, rest) = (stages.sum(MODES), stages.beside(MODES));
        assert!(modes >= 0.010 && rest >= 0.005 && stages.spent.len() == 2, "{stages:?}");
    }
}
