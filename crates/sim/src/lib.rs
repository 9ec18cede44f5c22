//! Bodies in time: scenarios, the full-order simulation.
