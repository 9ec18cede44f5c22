//! Signatures against identities, exact solutions, and themselves by other ways.

mod asked;
mod flow;
mod heat;
mod identities;
mod places;
mod shells;
mod thinned;
