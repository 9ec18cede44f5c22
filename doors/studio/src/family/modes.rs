//! The natural modes of a body, which pages play by themselves.

use super::{Family, Making, absent, number};
use crate::command::{Refusal, Served};
use crate::stage::Stage;

pub(super) struct Modes;

impl Family for Modes {
    fn file(&mut self, path: &[&str], stage: &mut Stage) -> Result<Making, Refusal> {
        let body = number(path)?;
        if path.len() != 1 {
            return Err(absent(path));
        }
        let shapes = stage.shapes(body).map_err(Refusal::Absent)?;
        Ok(Making::Made(Served::bytes(shapes.modes.clone())))
    }
}
