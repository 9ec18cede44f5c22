//! What else the machine does while something is measured: a bench on a busy machine measures the others.
//!
//! ```text
//! others = (Δ of all processors' busy time − Δ of our own) / (processors · Δt)
//! ```
//! From `/proc/stat` and `/proc/self/stat`, in ticks; time that a host took from a virtual machine counts as busy. Nothing is known
//! where these files are not.

use std::fs;

/// Above this share of the processors a limit that was missed says nothing.
pub(super) const BUSY: f64 = 0.1;

/// Ticks since the machine or the program was started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ticks {
    /// Of all processors, idle or not.
    all: f64,
    /// Of all processors that did something.
    busy: f64,
    /// Our own.
    own: f64,
}

impl Ticks {
    /// Now; `None` where the system does not tell.
    pub(super) fn now() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?, &fs::read_to_string("/proc/self/stat").ok()?)
    }

    fn parse(machine: &str, own: &str) -> Option<Self> {
        // cpu  user nice system idle iowait irq softirq steal guest guest_nice: guests are counted as user already.
        let line = machine.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let ticks: Vec<f64> = line.split_whitespace().take(8).filter_map(|n| n.parse().ok()).collect();
        let [_, _, _, idle, waiting, ..] = ticks[..] else { return None };
        let all: f64 = ticks.iter().sum();
        // Past the name in brackets, which may hold spaces: the state is field 3, times are fields 14 and 15.
        let fields: Vec<&str> = own.rsplit_once(')')?.1.split_whitespace().collect();
        let time = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
        Some(Self { all, busy: all - idle - waiting, own: time(14)? + time(15)? })
    }

    /// The share of the processors that others took since `before`: 0 to 1.
    pub(super) fn others_since(&self, before: &Self) -> f64 {
        let all = self.all - before.all;
        let others = (self.busy - before.busy) - (self.own - before.own);
        if all > 0.0 { (others / all).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Processor time of this program so far, all threads, s, in steps of a hundredth; NaN where the system does not tell.
pub(super) fn own_seconds() -> f64 {
    Ticks::now().map_or(f64::NAN, |ticks| ticks.own / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_others_is_what_is_busy_and_not_ours() {
        let own = |ticks: u32| format!("12 (a (b) c) R 1 2 3 4 5 6 7 8 9 10 {ticks} 20 0 0 20 0 1");
        let before = Ticks::parse("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3\n", &own(30)).expect("read");
        assert_eq!(before, Ticks { all: 1000.0, busy: 150.0, own: 50.0 });
        // A thousand ticks later: 500 busy, 300 of them ours, and 100 taken by a host.
        let after = Ticks::parse("cpu  500 0 50 1300 50 0 0 100 0 0\n", &own(330)).expect("read");
        assert_eq!(after.others_since(&before), 0.2);
        assert_eq!(before.others_since(&before), 0.0);
        assert_eq!(Ticks::parse("nothing", &own(1)), None);
    }
}
