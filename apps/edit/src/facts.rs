//! What was found, as one list for programs and people.

use pliant_linalg::facts::{Fact, Facts, Value, measured};

use crate::Edited;

impl Edited {
    /// One list, in the order of the door's document; `seconds` is all the time it took.
    pub fn facts(&self, seconds: f64) -> Facts {
        let each = |s: f64, iterations: usize| 1e3 * s / iterations.max(1) as f64;
        let milliseconds = each(self.solving, self.iterations);
        let beside = self.full.as_ref();
        let full: Option<Facts> = beside.map(|full| {
            [
                Fact::new("energy", full.energy),
                Fact::new("iterations", full.iterations),
                Fact::new("converged", full.converged),
                Fact::new("milliseconds_per_iteration", each(full.solving, full.iterations)),
            ]
            .into_iter()
            .collect()
        });
        let mut relative = Fact::new("relative_l2", beside.map(|full| full.relative_l2));
        if let Some(full) = beside {
            relative = relative.read_as("beside full order", measured(full.relative_l2));
        }
        let words = format!(
            "{} in {} steps, {:.3} ms each{}",
            self.iterations,
            self.steps,
            milliseconds,
            if self.converged { "" } else { "; no minimum yet" }
        );
        [
            Fact::new("energy", self.energy)
                .unit("J")
                .read_as("energy", format!("{} J", measured(self.energy))),
            Fact::new("elastic", self.elastic)
                .unit("J")
                .read_as("elastic", format!("{} J", measured(self.elastic))),
            Fact::new("handle_rms", self.handle_rms)
                .unit("m")
                .read_as("handles lag by", format!("{} m", measured(self.handle_rms))),
            Fact::new("stiffness", self.stiffnesses.clone()).unit("N/m"),
            Fact::new("solver", self.solver).labelled("minimiser"),
            Fact::new("steps", self.steps),
            Fact::new("iterations", self.iterations).read_as("iterations", words),
            Fact::new("evaluations", self.evaluations),
            Fact::new("converged", self.converged),
            Fact::new("energies", self.energies.clone()),
            Fact::new("milliseconds_per_iteration", milliseconds),
            Fact::new("rank", self.rank.map_or(Value::Nothing, Value::from)),
            Fact::new("ghost_vertices", self.ghost_vertices.map_or(Value::Nothing, Value::from)),
            relative,
            Fact::new("full", full.map_or(Value::Nothing, Value::from)),
            Fact::new("seconds", seconds).unit("s").read_as("time", format!("{seconds:.2} s")),
        ]
        .into_iter()
        .collect()
    }
}
