//! Files of the body as it is now. What takes long is made on a thread of its own, so that the body goes on.

use std::path::Path;
use std::sync::Arc;

use pliant::linalg::ignore_progress;
use pliant::mesh::io::motion::{ReducedMotion, glb_bytes};
use pliant::reduce::ReduceError;
use pliant::sim::Conditions;
use tokio::sync::oneshot;

use super::playing::Playing;
use crate::hub::{Refusal, Saved, Saving};
use crate::job::rescaled;
use crate::words::sentence;

type Reply = oneshot::Sender<Result<Saved, Refusal>>;

impl Playing {
    /// Makes a file and sends it, now or soon.
    pub(super) fn save(&self, what: Saving, reply: Reply) {
        let stem = Path::new(&self.name).file_stem().and_then(|s| s.to_str()).unwrap_or("body").to_owned();
        let (live, factors) = (self.live(), self.factors());
        let (model, count) = (live.model().clone(), live.coordinates());
        let Some(history) = self.live_body().history() else { return };
        match what {
            Saving::Scenario => {
                let text = history.scenario(live);
                let head = head(&history.conditions(live));
                let saved = text
                    .map(|text| Saved { name: format!("{stem}.toml"), bytes: (head + &text).into_bytes() });
                let _ = reply.send(saved.map_err(|e| Refusal::Absent(sentence(&e))));
            }
            Saving::State => {
                let _ = reply.send(match history.state_npz(live) {
                    Ok(Some(bytes)) => Ok(Saved { name: "state.npz".into(), bytes }),
                    Ok(None) => Err(Refusal::Absent(
                        "the last seconds begin at rest, so the scenario needs no state".into(),
                    )),
                    Err(error) => Err(Refusal::Bad(sentence(&error))),
                });
            }
            Saving::Model => beside(reply, move || {
                let bad = |e: ReduceError| Refusal::Bad(sentence(&e));
                let mut model = rescaled(&model, factors).map_err(bad)?;
                // What is seen is saved, so that a scenario repeats on it.
                if count < model.basis().rank() {
                    model = Arc::new(model.truncated(count).map_err(bad)?);
                }
                let bytes = model.to_bytes().map_err(bad)?;
                Ok(Saved { name: format!("{stem}.pliant"), bytes })
            }),
            Saving::Motion => {
                let (motion, basis) = (history.motion(), live.basis().clone());
                beside(reply, move || {
                    if motion.times.len() < 2 {
                        return Err(Refusal::Absent("nothing has moved yet: pull it first".into()));
                    }
                    let all = ReducedMotion {
                        rest: model.mesh(),
                        times: &motion.times,
                        basis: basis.rows(),
                        rank: motion.rank,
                        q: &motion.q,
                        series: &[],
                    };
                    let (bytes, _) =
                        glb_bytes(&all, &mut ignore_progress).map_err(|e| Refusal::Bad(sentence(&e)))?;
                    Ok(Saved { name: format!("{stem}.glb"), bytes })
                });
            }
        }
    }
}

/// The first lines of a saved scenario: what a person has to know to repeat it.
fn head(of: &Conditions) -> String {
    let Conditions { seconds, integrator, tolerance, stiffness, density, coordinates, rank, .. } = *of;
    let iterations = of.iterations.map(|n| format!(" --iterations {n}")).unwrap_or_default();
    let mut head = format!(
        "# The last {seconds:.3} s of a live body.\n\
         # pliant simulate MODEL.pliant THIS.toml --integrator {integrator} --tolerance {tolerance:?}{iterations}\n"
    );
    if (stiffness, density) != (1.0, 1.0) {
        head += &format!(
            "# Of the model with {stiffness:?} times the stiffness and {density:?} times the density it was built with.\n"
        );
    }
    if coordinates < rank {
        head += &format!("# Of the model cut to the first {coordinates} of its {rank} coordinates.\n");
    }
    head
}

/// On a thread of its own; a system that gives none drops the reply, and the client hears that.
fn beside(reply: Reply, make: impl FnOnce() -> Result<Saved, Refusal> + Send + 'static) {
    let _ = std::thread::Builder::new().name("save".into()).spawn(move || reply.send(make()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_scenario_says_how_to_repeat_it() {
        let usual = Conditions {
            seconds: 1.25,
            integrator: "newmark",
            tolerance: 1e-8,
            iterations: None,
            stiffness: 1.0,
            density: 1.0,
            coordinates: 6,
            rank: 6,
        };
        assert_eq!(
            head(&usual),
            "# The last 1.250 s of a live body.\n\
             # pliant simulate MODEL.pliant THIS.toml --integrator newmark --tolerance 1e-8\n"
        );
        let other = Conditions { iterations: Some(3), stiffness: 2.0, density: 0.7, coordinates: 4, ..usual };
        assert_eq!(
            head(&other),
            "# The last 1.250 s of a live body.\n\
             # pliant simulate MODEL.pliant THIS.toml --integrator newmark --tolerance 1e-8 --iterations 3\n\
             # Of the model with 2.0 times the stiffness and 0.7 times the density it was built with.\n\
             # Of the model cut to the first 4 of its 6 coordinates.\n"
        );
    }
}
