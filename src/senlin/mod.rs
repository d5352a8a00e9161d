//! Senlin: region placement.
