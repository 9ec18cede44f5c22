//! Edits with a known answer: rest, rigid motions, full order.

mod make;
mod paths;
mod refusals;
mod shapes;
