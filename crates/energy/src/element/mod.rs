//! Elements: the geometry of a component, computed once.

mod tet4;

pub use tet4::{Stiffness9, Tet4};
