//! From a body to few coordinates: linear modes, bases, reduced forces.
