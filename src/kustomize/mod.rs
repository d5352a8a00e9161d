//! The documents that `kustomize build` makes of local files, built here: every node of a built
//! document keeps the file and place that it comes from. What is not supported is named and left
//! out, or the kustomization is not built; nothing is built wrongly.
//!
//! Rules and section numbers are those of "Kustomize" (the specification), which describes
//! release 5.8.1.

mod build;
mod change;
mod configurations;
mod digest;
mod fault;
mod fields;
mod file;
mod files;
mod generate;
mod heap;
mod images;
mod json_patch;
mod keys;
mod merge;
mod named;
mod names;
mod node;
mod patch;
mod paths;
mod read;
mod replace;
mod resource;
mod roots;
pub mod rules;
mod scalar;
mod select;
mod tables;
mod texts;
mod traps;
mod vars;

pub use build::{Builder, Built, Document, Origin, Status};
pub use digest::Digests;
pub use files::{Files, Kind, NAMES, ReadFault};
pub use heap::{Generate, LeftOut, Made, ReadDocuments, What};
pub use named::named_paths;
pub use roots::{Alternative, Choice, Named, Ours, Root, Roots, Site, Unlisted};
pub use texts::Texts;
pub use traps::{Reference, Traps};
