//! The events of a text, by the rules of the original readers.
//!
//! PyYAML and go-yaml share one design, which is kept here: a scanner makes tokens (`scan.rs`),
//! and a state machine makes events of them. They differ in few places; every one of those asks
//! [`Scanner::is_python`](scan::Scanner::is_python), which also notes that the text is one that
//! the two may read in different ways.

mod marks;
mod parse;
mod properties;
mod scalars;
mod scan;

use std::borrow::Cow;
use std::ops::Range;

pub(super) use parse::Events;

/// The YAML library whose rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    /// go-yaml, second version.
    Go,
    /// PyYAML.
    Python,
}

/// Why a text cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) reason: &'static str,
    pub(super) at: usize,
}

type Sure<T> = Result<T, Trouble>;

fn trouble<T>(reason: &'static str, at: usize) -> Sure<T> {
    Err(Trouble { reason, at })
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    Block,
}

/// The anchor and the tag of a node.
#[derive(Debug, Clone, Default)]
pub(super) struct Properties<'t> {
    /// The name of its anchor, and where that is.
    pub(super) anchor: Option<(&'t str, usize)>,
    /// Its tag in full, and where that is.
    pub(super) tag: Option<(String, usize)>,
}

/// A part of a text.
#[derive(Debug)]
pub(super) enum Event<'t> {
    DocumentStart,
    DocumentEnd,
    Alias(&'t str),
    Scalar(Cow<'t, str>, Style, Properties<'t>),
    /// Whether it is written in brackets.
    Mapping(bool, Properties<'t>),
    Sequence(bool, Properties<'t>),
    End,
}

/// An event and where it is.
pub(super) type Found<'t> = (Event<'t>, Range<usize>);
