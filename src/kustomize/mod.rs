//! What `kustomize build` makes of local files, built here: every node of a built document keeps
//! the file and place that it comes from. What is not supported is named and left out, or the
//! kustomization is not built; nothing is built wrongly.
//!
//! Rules and section numbers are those of "Kustomize" (the specification), which describes
//! release 5.8.1.

mod build;
mod change;
mod configurations;
mod fault;
mod fields;
mod file;
mod files;
mod generate;
mod images;
mod json_patch;
mod keys;
mod merge;
mod names;
mod node;
mod patch;
mod paths;
mod plugins;
mod read;
mod replace;
mod resource;
pub mod rules;
mod scalar;
mod select;
mod tables;
mod vars;

pub use build::{Builder, Built, Document, LeftOut, Origin, Status, What};
pub use files::{Files, Kind, NAMES, ReadFault};
pub use plugins::{Generate, Made};
