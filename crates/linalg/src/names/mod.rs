//! Names: tables whose members are found by name, the terms of sentences for which each door has its own word, and how
//! sentences repeat what others wrote and say numbers; results as lists of named facts.

pub mod facts;
pub mod number;
pub mod quote;
pub mod table;
pub mod term;
