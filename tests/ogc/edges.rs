//! Edges.
