//! What Argo CD makes of an ApplicationSet: its generators, its templates, where its Applications
//! go, and in which order they are synced. Plain functions over what they are given.

pub mod destination;
pub mod generate;
pub mod hub;
pub mod rolling;
pub mod run;
pub mod set;
pub mod template;
pub mod value;
