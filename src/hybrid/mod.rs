//! IBM hybrid placement rules.
