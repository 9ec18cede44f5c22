//! Signatures against identities, exact solutions, and themselves by other ways.

#![expect(non_snake_case, reason = "K, M are the papers' letters")]

mod asked;
mod flow;
mod heat;
mod identities;
mod places;
mod shells;
mod thinned;
