//! Numbers to colour bodies with: how far they have gone, strain, stress, energy, weights of the cubature.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use pliant::world::{SurfaceQuantities, SurfaceQuantity};

use super::{Family, Making, News, absent, number};
use crate::command::{Refusal, Served};
use crate::shape;
use crate::stage::Stage;
use crate::words::sentence;

/// The energy of a body is made when its colours are first asked for, and kept.
type Kept = Arc<OnceLock<Result<SurfaceQuantities, String>>>;

#[derive(Default)]
pub(super) struct Colours {
    kept: BTreeMap<u32, Kept>,
}

impl Family for Colours {
    fn file(&mut self, path: &[&str], stage: &mut Stage) -> Result<Making, Refusal> {
        let [_, name] = path else { return Err(absent(path)) };
        let quantity = SurfaceQuantity::find(name).map_err(|e| Refusal::Absent(sentence(&e)))?;
        if quantity.takes_long() && !stage.paused {
            return Err(Refusal::Absent("this is found of bodies that stand still; pause first".into()));
        }
        let body = number(path)?;
        let live = stage.live_body(stage.actor(body).map_err(Refusal::Absent)?.id).live();
        let (model, q, stiffness) = (live.model().clone(), live.shown().to_vec(), live.stiffness());
        let kept = self.kept.entry(body).or_default().clone();
        Ok(Making::Later(Box::new(move || {
            let made = kept.get_or_init(|| SurfaceQuantities::new(model).map_err(|e| sentence(&e)));
            let all = made.as_ref().map_err(|said| Refusal::Bad(said.clone()))?;
            let values = all.at(quantity, &q, stiffness);
            let values = values.ok_or_else(|| Refusal::Absent("this body has no such quantity".into()))?;
            Ok(Served::bytes(Arc::new(shape::values(&values).map_err(Refusal::Bad)?)))
        })))
    }

    fn hear(&mut self, news: &News, _: &mut Stage) {
        match *news {
            News::Came { replaces: Some(body), .. } | News::Went { body, .. } => {
                drop(self.kept.remove(&body))
            }
            _ => {}
        }
    }
}
