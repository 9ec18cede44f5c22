//! Names: tables whose members are found by name, the terms of sentences for which each door has its own word, and how
//! sentences repeat what others wrote and say numbers.

pub mod number;
pub mod quote;
pub mod table;
pub mod term;
