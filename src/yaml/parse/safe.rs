//! The constructs that PyYAML's safe reader refuses though YAML allows them.

use crate::source::Span;
use crate::yaml::scalar::{self, Dialect};
use crate::yaml::tree::Raw;

use super::{Driver, QuirkKind};

/// The node behind a tag.
#[derive(Clone, Copy)]
pub(super) enum Shape<'a> {
    Scalar(&'a str),
    Mapping,
    Sequence,
}

impl Driver<'_, '_> {
    /// Plain scalars that a reader has no value for.
    pub(super) fn plain(&mut self, value: &str, span: Span) {
        self.python_plain(value, span);
        self.json_plain(value, span);
    }

    /// A plain scalar where it is read, if only by an alias.
    pub(super) fn json_plain(&mut self, value: &str, span: Span) {
        if scalar::is_no_json(value) && !self.is_at_key() {
            let why = "JSON has no such number";
            self.quirk(QuirkKind::NoJson(why), span);
        }
    }

    pub(super) fn is_at_key(&self) -> bool {
        let parent = self.open.last();
        parent.is_some_and(|open| open.mapping && open.children % 2 == 0)
    }

    fn python_plain(&mut self, value: &str, span: Span) {
        match value {
            "=" if !self.is_at_key() => self.quirk(QuirkKind::EqualsSign, span),
            scalar::MERGE if !self.is_at_key() => {
                let why = "a plain `<<` is a key, not a value";
                self.quirk(QuirkKind::Refused(why), span);
            }
            _ => {
                if let Some(why) = scalar::has_no_value(value) {
                    self.quirk(QuirkKind::Refused(why), span);
                }
            }
        }
    }

    /// The flags of a value under a tag, and its text where the tag says that it is another.
    pub(super) fn tag(&mut self, tag: &str, span: Span, shape: Shape<'_>) -> (u32, Option<String>) {
        let name = tag.strip_prefix("tag:yaml.org,2002:").unwrap_or("");
        let Shape::Scalar(text) = shape else {
            self.collection_tag(tag, name, span, shape);
            return (0, None);
        };
        let unfit = "the tag does not fit the value";
        if tag == "!" {
            // PyYAML then looks at the text alone, quotes or none, and at none of its last line
            // break; to go-yaml it is text.
            let line = text.strip_suffix('\n').unwrap_or(text);
            self.python_plain(line, span);
            if !self.is_python() {
                return (Raw::STRING_TAG, None);
            }
            let typed = line != text && !line.is_empty() && !scalar::is_text(line, Dialect::PyYaml);
            if typed && scalar::wants_no_break(line) {
                self.quirk(QuirkKind::Refused(unfit), span);
            }
            return (Raw::CORE_TAG, typed.then(|| line.to_owned()));
        }
        match name {
            "str" => (Raw::STRING_TAG, None),
            "binary" => {
                let bytes = scalar::base64(text);
                if bytes.is_none() {
                    self.quirk(QuirkKind::NoJson(unfit), span);
                }
                if !scalar::is_python_base64(text) {
                    self.quirk(QuirkKind::Refused(unfit), span);
                }
                let bytes = bytes.filter(|_| !self.is_python());
                (Raw::STRING_TAG, bytes.map(|bytes| scalar::go_text(&bytes)))
            }
            "null" => {
                if !scalar::fits(name, text, Dialect::Kubernetes) {
                    self.quirk(QuirkKind::NoJson(unfit), span);
                }
                (Raw::CORE_TAG, Some(String::new()))
            }
            "int" | "float" | "bool" | "timestamp" => {
                if !scalar::fits(name, text, Dialect::PyYaml) {
                    self.quirk(QuirkKind::Refused(unfit), span);
                }
                let key = self.is_at_key();
                let fits = scalar::fits(name, text, Dialect::Kubernetes);
                if !fits || (!key && scalar::is_no_json(text)) {
                    self.quirk(QuirkKind::NoJson(unfit), span);
                }
                let float = name == "float";
                let flags = if float { Raw::FLOAT_TAG } else { Raw::CORE_TAG };
                let other = scalar::usual_form(name, text).filter(|_| self.is_python());
                (flags, other)
            }
            _ => {
                let kind = match name {
                    "map" | "set" | "seq" | "omap" | "pairs" => QuirkKind::Refused(unfit),
                    _ => QuirkKind::ForeignTag,
                };
                self.quirk(kind, span);
                (Raw::STRING_TAG, None)
            }
        }
    }

    /// A tag before a mapping or list, which go-yaml does not look at.
    fn collection_tag(&mut self, tag: &str, name: &str, span: Span, shape: Shape<'_>) {
        let fits = match (name, shape) {
            _ if tag == "!" => true,
            ("map" | "set", Shape::Mapping) | ("seq" | "omap" | "pairs", Shape::Sequence) => true,
            ("map" | "set" | "seq" | "omap" | "pairs", _)
            | ("str" | "null" | "binary" | "int" | "float" | "bool" | "timestamp", _) => false,
            _ => return self.quirk(QuirkKind::ForeignTag, span),
        };
        if !fits {
            let why = "the tag does not fit the value";
            self.quirk(QuirkKind::Refused(why), span);
        }
    }
}
