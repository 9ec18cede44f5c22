//! `build`, `simulate`, `compare` and `info` of reduced models as a script sees them.
#![expect(non_snake_case, reason = "U is the papers' letter")]

mod made;
mod measured;
mod place;
mod refused;
mod shown;
mod warped;
