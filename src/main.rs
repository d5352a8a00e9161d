//! The `planner` program.

fn main() {}
