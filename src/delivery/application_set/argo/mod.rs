//! How Argo CD processes an ApplicationSet: its generators, its templates, the destinations of its
//! Applications, and the order in which they are synced. Pure functions.

pub mod destination;
mod functions;
pub mod generate;
pub mod hub;
pub mod render;
pub mod rolling;
pub mod run;
pub mod set;
pub mod value;
