//! Files of the body as it is now. What takes long is made on a thread of its own, so that the body goes on.

use std::path::Path;
use std::sync::Arc;

use pliant::linalg::ignore_progress;
use pliant::mesh::io::motion::{ReducedMotion, glb_bytes};
use pliant::reduce::ReduceError;
use tokio::sync::oneshot;

use super::playing::{Playing, rescaled};
use crate::hub::{Refusal, Saved, Saving};
use crate::job::sentence;

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
                let saved = text.map(|text| Saved { name: format!("{stem}.toml"), bytes: text.into_bytes() });
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

/// On a thread of its own; a system that gives none drops the reply, and the client hears that.
fn beside(reply: Reply, make: impl FnOnce() -> Result<Saved, Refusal> + Send + 'static) {
    let _ = std::thread::Builder::new().name("save".into()).spawn(move || reply.send(make()));
}
