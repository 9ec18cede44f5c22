//! When the next step is due: a fixed step and what the clock owes it.
//!
//! Time of the body is owed as time of the clock passes, and paid back in steps of [`DT`]. What a slow machine cannot pay is
//! forgotten beyond [`MOST_OWED`], so that it falls behind but does not freeze.

use std::time::{Duration, Instant};

/// Length of a step, s.
pub(super) const DT: f64 = 1.0 / 240.0;

/// Between two frames.
pub(super) const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// Seconds of the clock that may be owed.
const MOST_OWED: f64 = 1.0 / 15.0;

/// A step that begins so much after its time is late, s.
const LATE: f64 = 1.0 / 60.0;

/// For so long after time was forgotten it is said that the body is slow.
const SLOW: Duration = Duration::from_millis(500);

/// Time that is owed.
#[derive(Debug)]
pub(super) struct Clock {
    last: Instant,
    /// Seconds of the clock.
    owed: f64,
    next_frame: Instant,
    last_frame: Instant,
    forgot: Option<Instant>,
    /// Body seconds for each second of the clock.
    pub(super) speed: f64,
}

impl Clock {
    pub(super) fn new(now: Instant) -> Self {
        Self { last: now, owed: 0.0, next_frame: now, last_frame: now, forgot: None, speed: 1.0 }
    }

    /// Nothing is owed: after a sleep.
    pub(super) fn restart(&mut self, now: Instant) {
        *self = Self { speed: self.speed, ..Self::new(now) };
    }

    /// Time passes.
    pub(super) fn advance(&mut self, now: Instant) {
        self.owed += now.saturating_duration_since(self.last).as_secs_f64();
        self.last = now;
        if self.owed > MOST_OWED.max(self.pace()) {
            self.owed = MOST_OWED.max(self.pace());
            self.forgot = Some(now);
        }
    }

    /// Whether a step is due.
    pub(super) fn due(&self) -> bool {
        self.owed >= self.pace()
    }

    /// A step begins; whether it is late.
    pub(super) fn begin_step(&mut self) -> bool {
        self.owed -= self.pace();
        // A step that is due exactly then is not.
        self.owed > LATE + 1e-9
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

    /// How long nothing is due.
    pub(super) fn rest(&self, now: Instant) -> Duration {
        let step = Duration::from_secs_f64((self.pace() - self.owed).max(0.0));
        step.saturating_sub(now.saturating_duration_since(self.last))
            .min(self.next_frame.saturating_duration_since(now))
    }

    /// Whether time was forgotten just now.
    pub(super) fn is_slow(&self, now: Instant) -> bool {
        self.forgot.is_some_and(|then| now.saturating_duration_since(then) < SLOW)
    }

    /// Seconds of the clock for one step.
    fn pace(&self) -> f64 {
        DT / self.speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps in `seconds` of the clock when it is looked at every `every` seconds, and how many were late.
    fn steps(speed: f64, seconds: f64, every: f64) -> (usize, usize) {
        let start = Instant::now();
        let mut clock = Clock::new(start);
        clock.speed = speed;
        let (mut steps, mut late) = (0, 0);
        for k in 1..=(seconds / every).round() as u32 {
            clock.advance(start + Duration::from_secs_f64(every * f64::from(k)));
            while clock.due() {
                late += usize::from(clock.begin_step());
                steps += 1;
            }
        }
        (steps, late)
    }

    #[test]
    fn steps_follow_the_clock_however_often_it_is_looked_at() {
        for every in [0.001, 0.0041, 0.016] {
            let (steps, late) = steps(1.0, 4.0, every);
            assert!((958..=960).contains(&steps) && late == 0, "{every}: {steps}, {late}");
        }
        let (slow, late) = steps(0.1, 4.0, 0.01);
        assert!((94..=96).contains(&slow) && late == 0, "{slow}");
        // 0.01 of real time: one step in 0.42 s, which is no delay.
        assert_eq!(steps(0.01, 4.0, 0.01), (9, 0));
    }

    #[test]
    fn what_cannot_be_paid_is_forgotten_and_counted() {
        let (steps, late) = steps(1.0, 4.0, 0.5);
        // 1/15 s of each half second, and all but the last 1/60 s of that are late.
        assert_eq!((steps, late), (8 * 16, 8 * 11));
        let now = Instant::now();
        let mut clock = Clock::new(now);
        clock.advance(now + Duration::from_secs(1));
        assert!(clock.is_slow(now + Duration::from_secs(1)) && !clock.is_slow(now + Duration::from_secs(2)));
    }
}
