//! Why a document cannot be read.

use crate::source::Span;

/// The reason why a document is unreadable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// Not YAML; the parser's own words.
    Syntax(&'static str),
    /// Deeper than the limit.
    TooDeep,
    /// More nodes in the file than the limit.
    TooManyNodes,
    /// Aliases and merge keys that expand beyond the limit.
    TooManyAliases,
    /// An alias without an anchor before it; its name.
    UndefinedAlias(String),
    /// An alias inside the node it names.
    RecursiveAlias(String),
    /// A mapping or sequence as a key.
    CollectionKey,
    /// A merge key whose value is not a mapping or list of mappings.
    BadMerge,
}

/// One unreadable document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// Where.
    pub span: Span,
}
