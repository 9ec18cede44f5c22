//! Names: tables whose members are found by name, and the terms of sentences for which each door has its own word.

pub mod table;
pub mod term;
