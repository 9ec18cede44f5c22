//! When the next frame is due, and whether the body falls behind. Steps are the business of the world's clock.

use std::time::{Duration, Instant};

/// Between two frames.
pub(super) const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// For so long after time was forgotten it is said that the body is slow.
const SLOW: Duration = Duration::from_millis(500);

/// The clock of the wall.
#[derive(Debug)]
pub(super) struct Clock {
    last: Instant,
    next_frame: Instant,
    last_frame: Instant,
    forgot: Option<Instant>,
}

impl Clock {
    pub(super) fn new(now: Instant) -> Self {
        Self { last: now, next_frame: now, last_frame: now, forgot: None }
    }

    /// Seconds since this was last asked.
    pub(super) fn passed(&mut self, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(self.last).as_secs_f64();
        self.last = now;
        passed
    }

    /// Time was forgotten.
    pub(super) fn forget(&mut self, now: Instant) {
        self.forgot = Some(now);
    }

    /// Whether a frame is due.
    pub(super) fn frame_due(&self, now: Instant) -> bool {
        now >= self.next_frame
    }

    /// A frame is shown; seconds since the last one.
    pub(super) fn begin_frame(&mut self, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(self.last_frame).as_secs_f64();
        self.last_frame = now;
        self.next_frame += FRAME;
        if self.next_frame <= now {
            self.next_frame = now + FRAME;
        }
        passed
    }

    /// How long nothing is due, where a step is due `step` seconds after the time that was last asked for.
    pub(super) fn rest(&self, now: Instant, step: f64) -> Duration {
        Duration::from_secs_f64(step)
            .saturating_sub(now.saturating_duration_since(self.last))
            .min(self.next_frame.saturating_duration_since(now))
    }

    /// Whether time was forgotten just now.
    pub(super) fn is_slow(&self, now: Instant) -> bool {
        self.forgot.is_some_and(|then| now.saturating_duration_since(then) < SLOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_once_and_what_is_forgotten_is_said_for_a_while() {
        let start = Instant::now();
        let mut clock = Clock::new(start);
        let later = |ms: u64| start + Duration::from_millis(ms);
        assert!((clock.passed(later(250)) - 0.25).abs() < 1e-9 && clock.passed(later(250)) == 0.0);
        assert!(!clock.is_slow(later(250)));
        clock.forget(later(250));
        assert!(clock.is_slow(later(300)) && !clock.is_slow(later(800)));
    }

    #[test]
    fn frames_keep_their_beat_and_a_late_one_begins_a_new_one() {
        let start = Instant::now();
        let mut clock = Clock::new(start);
        assert!(clock.frame_due(start) && clock.begin_frame(start) == 0.0 && !clock.frame_due(start));
        // A step is due before the frame, then the frame before the step.
        assert_eq!(clock.rest(start, 0.004), Duration::from_millis(4));
        assert_eq!(clock.rest(start, 1.0), FRAME);
        let late = start + Duration::from_millis(100);
        assert!(clock.frame_due(late) && (clock.begin_frame(late) - 0.1).abs() < 1e-9);
        assert!(!clock.frame_due(late + FRAME / 2) && clock.frame_due(late + FRAME));
    }
}
