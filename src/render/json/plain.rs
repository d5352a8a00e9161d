//! JSON in which no character is harmful to a terminal: those are written as `\u` escapes.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};

use crate::kit::safe::escape;

/// The indented form, with harmful characters escaped.
struct Plain<'a>(PrettyFormatter<'a>);

impl Formatter for Plain<'_> {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        writer.write_all(escape(fragment).as_bytes())
    }

    fn write_raw_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // JSON written before holds such characters inside of texts alone.
        writer.write_all(escape(fragment).as_bytes())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

/// Writes a value as indented JSON with a line break at the end.
///
/// # Errors
/// Those of the writer.
pub(super) fn write(value: &impl Serialize, mut out: impl io::Write) -> io::Result<()> {
    let formatter = Plain(PrettyFormatter::new());
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    value.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmful_characters_are_escaped_and_nothing_else_differs() {
        let text = "a\u{1b}[1m\u{7f}\u{9b}\u{202e}\u{feff}ä\"\\\n";
        let value = serde_json::json!({"k\u{9b}": [text, {}, []], "b": {"c": 1}});
        let mut out = Vec::new();
        write(&value, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&out).unwrap(),
            value
        );
        assert_eq!(crate::render::clean_lines(&out), out);
        let plain = serde_json::json!({"a": [1, "ß", {"b": null}]});
        let mut out = Vec::new();
        write(&plain, &mut out).unwrap();
        let wanted = serde_json::to_string_pretty(&plain).unwrap() + "\n";
        assert_eq!(String::from_utf8(out).unwrap(), wanted);
    }
}
