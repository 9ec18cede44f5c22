//! The tets and the cubature of a solid, for a look inside.

use super::{Family, Making, absent, number};
use crate::command::{Refusal, Served};
use crate::stage::Stage;

pub(super) struct Inside;

impl Family for Inside {
    fn file(&mut self, path: &[&str], stage: &mut Stage) -> Result<Making, Refusal> {
        let body = number(path)?;
        if path.len() != 1 {
            return Err(absent(path));
        }
        let inside = stage.shapes(body).map_err(Refusal::Absent)?.inside.clone();
        let inside =
            inside.ok_or_else(|| Refusal::Absent("this body is a surface: there is no inside".into()))?;
        Ok(Making::Made(Served::packable(&inside)))
    }
}
