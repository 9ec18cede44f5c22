//! Every format of a motion, read again by whoever can.
use super::*;
