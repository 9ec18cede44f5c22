//! When the next step is due: a fixed step, and what the clock owes it.
//!
//! Time of the bodies is owed as time of the caller's clock passes, and paid back in steps of one length. What a slow
//! machine cannot pay is forgotten beyond 1/15 s, so that it falls behind but does not freeze. The clock is told how
//! much time has passed and never looks for itself.

/// Seconds of the clock that may be owed.
const MOST_OWED: f64 = 1.0 / 15.0;

/// A step that begins so much after its time is late, s.
const LATE: f64 = 1.0 / 60.0;

/// Time that is owed.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Length of a step, s of the bodies.
    step: f64,
    /// s of the bodies for each second of the clock.
    speed: f64,
    /// Seconds of the clock.
    owed: f64,
}

impl Clock {
    /// Steps of `step` seconds, as fast as the clock. A length that is not a finite number > 0 becomes 1/240 s.
    pub fn new(step: f64) -> Self {
        let step = if step.is_finite() && step > 0.0 { step } else { 1.0 / 240.0 };
        Self { step, speed: 1.0, owed: 0.0 }
    }

    /// Length of a step, s of the bodies.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// s of the bodies for each second of the clock.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Slow motion and the reverse; what is not a finite number > 0 changes nothing.
    pub fn set_speed(&mut self, speed: f64) {
        if speed.is_finite() && speed > 0.0 {
            self.speed = speed;
        }
    }

    /// Nothing is owed any more: after a pause.
    pub fn restart(&mut self) {
        self.owed = 0.0;
    }

    /// Seconds of the clock pass; those that are forgotten. What is not a number > 0 is no time.
    pub fn pass(&mut self, seconds: f64) -> f64 {
        if seconds > 0.0 {
            self.owed += seconds;
        }
        // In slow motion a step is longer than that on the clock, and the rest of one is not lost.
        let most = MOST_OWED.max(2.0 * self.pace());
        let forgotten = (self.owed - most).max(0.0);
        self.owed = self.owed.min(most);
        forgotten
    }

    /// Whether a step is due.
    pub fn due(&self) -> bool {
        self.owed >= self.pace()
    }

    /// A step begins; whether it is late.
    pub fn begin_step(&mut self) -> bool {
        self.owed -= self.pace();
        // A step that is due exactly then is not.
        self.owed > LATE + 1e-9
    }

    /// Seconds of the clock until a step is due.
    pub fn rest(&self) -> f64 {
        (self.pace() - self.owed).max(0.0)
    }

    /// Seconds of the clock for one step.
    fn pace(&self) -> f64 {
        self.step / self.speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps in `seconds` of the clock when it is told every `every` seconds, how many were late, and what was forgotten.
    fn steps(speed: f64, seconds: f64, every: f64) -> (usize, usize, f64) {
        let mut clock = Clock::new(1.0 / 240.0);
        clock.set_speed(speed);
        let (mut steps, mut late, mut forgotten) = (0, 0, 0.0);
        for _ in 0..(seconds / every).round() as u32 {
            forgotten += clock.pass(every);
            while clock.due() {
                late += usize::from(clock.begin_step());
                steps += 1;
            }
        }
        (steps, late, forgotten)
    }

    #[test]
    fn steps_follow_the_clock_however_often_it_is_told() {
        for every in [0.001, 0.0041, 0.016] {
            let (steps, late, forgotten) = steps(1.0, 4.0, every);
            assert!(
                (958..=960).contains(&steps) && late == 0 && forgotten == 0.0,
                "{every}: {steps}, {late}"
            );
        }
        let (slow, late, _) = steps(0.1, 4.0, 0.01);
        assert!((94..=96).contains(&slow) && late == 0, "{slow}");
        // 0.01 of real time: one step in 0.42 s, which is no delay.
        assert_eq!(steps(0.01, 4.0, 0.01), (9, 0, 0.0));
    }

    #[test]
    fn what_cannot_be_paid_is_forgotten_and_counted() {
        let (steps, late, forgotten) = steps(1.0, 4.0, 0.5);
        // 1/15 s of each half second, and all but the last 1/60 s of that are late.
        assert_eq!((steps, late), (8 * 16, 8 * 11));
        assert!((forgotten - 8.0 * (0.5 - 1.0 / 15.0)).abs() < 1e-9, "{forgotten}");
    }

    #[test]
    fn nonsense_is_no_time() {
        let mut clock = Clock::new(f64::NAN);
        for nonsense in [f64::NAN, -1.0, 0.0] {
            assert!(clock.pass(nonsense) == 0.0 && !clock.due());
            clock.set_speed(nonsense);
            assert_eq!(clock.speed(), 1.0);
        }
        assert!(clock.pass(f64::INFINITY).is_infinite() && clock.due());
        assert!((clock.rest(), clock.step()) == (0.0, 1.0 / 240.0));
    }
}
