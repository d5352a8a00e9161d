//! What PyYAML's safe reader refuses though YAML allows it.

use crate::source::Span;
use crate::yaml::scalar;
use crate::yaml::tree::Raw;

use super::{Driver, QuirkKind};

/// What a tag is before.
#[derive(Clone, Copy)]
pub(super) enum Shape<'a> {
    Scalar(&'a str),
    Mapping,
    Sequence,
}

impl Driver<'_> {
    /// An anchor: letters, digits, `-` and `_`, and new to the document.
    pub(super) fn anchor(&mut self, span: Span) {
        let text = &self.text[span.start as usize..span.end as usize];
        let name = text.trim_start_matches('&').as_bytes();
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if !name.iter().all(plain) {
            let why = "the anchor has other characters than letters, digits, `-` and `_`";
            self.quirk(QuirkKind::Refused(why), span);
        } else if !self.names.insert(text) {
            self.quirk(QuirkKind::Refused("the anchor is there twice"), span);
        }
    }

    /// Plain scalars that PyYAML's safe reader has no value for.
    pub(super) fn plain(&mut self, value: &str, span: Span) {
        let parent = self.open.last();
        let key = parent.is_some_and(|open| open.mapping && open.children % 2 == 0);
        match value {
            "=" if !key => self.quirk(QuirkKind::EqualsSign, span),
            "<<" if !key => {
                let why = "a plain `<<` is a key, not a value";
                self.quirk(QuirkKind::Refused(why), span);
            }
            _ if scalar::is_impossible_time(value) => {
                self.quirk(QuirkKind::Refused("there is no such time"), span);
            }
            _ => {}
        }
    }

    /// The flags of a value under a tag.
    pub(super) fn tag(&mut self, tag: &granit_parser::Tag, span: Span, shape: Shape<'_>) -> u32 {
        if tag.original() == "!" {
            // The original readers then look at the text alone, quotes or none.
            return Raw::CORE_TAG;
        }
        let (handle, suffix) = tag.parts();
        let whole = format!("{handle}{suffix}");
        let name = whole.strip_prefix("tag:yaml.org,2002:").unwrap_or("");
        let fits = match (name, shape) {
            ("str" | "null" | "binary", Shape::Scalar(_))
            | ("map" | "set", Shape::Mapping)
            | ("seq" | "omap" | "pairs", Shape::Sequence) => true,
            ("int" | "float" | "bool" | "timestamp", Shape::Scalar(text)) => {
                scalar::fits(name, text)
            }
            ("str" | "null" | "binary" | "map" | "set" | "seq" | "omap" | "pairs", _)
            | ("int" | "float" | "bool" | "timestamp", _) => false,
            _ => {
                self.quirk(QuirkKind::ForeignTag, span);
                return 0;
            }
        };
        if !fits {
            let why = "the tag does not fit the value";
            self.quirk(QuirkKind::Refused(why), span);
        }
        match name {
            "str" | "binary" => Raw::STRING_TAG,
            "float" => Raw::FLOAT_TAG,
            _ => Raw::CORE_TAG,
        }
    }
}
