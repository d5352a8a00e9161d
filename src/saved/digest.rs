//! Digests: SHA-256 over bytes whose form is fixed.

use std::fmt::{self, Write as _};

use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::sections::{Sections, items};

/// Writes a JSON value in one form: keys in the order of their bytes, no white space.
fn write(value: &Value, to: &mut impl fmt::Write) -> fmt::Result {
    match value {
        Value::Array(items) => {
            to.write_char('[')?;
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    to.write_char(',')?;
                }
                write(item, to)?;
            }
            to.write_char(']')
        }
        Value::Object(map) => {
            let mut fields: Vec<(&str, &Value)> =
                map.iter().map(|(key, value)| (&**key, value)).collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            write_fields(fields, to, write)
        }
        scalar => write!(to, "{scalar}"),
    }
}

fn write_fields<'k, V, W: fmt::Write>(
    fields: impl IntoIterator<Item = (&'k str, V)>,
    to: &mut W,
    mut value: impl FnMut(V, &mut W) -> fmt::Result,
) -> fmt::Result {
    to.write_char('{')?;
    for (at, (key, field)) in fields.into_iter().enumerate() {
        if at > 0 {
            to.write_char(',')?;
        }
        write!(to, "{}:", Value::from(key))?;
        value(field, to)?;
    }
    to.write_char('}')
}

/// Hashes the text as it is written, without a buffer.
struct Hashed(Sha256);

impl fmt::Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

/// The digest of what decides about a plan, `sha256:` and 64 hexadecimal digits.
///
/// # Errors
/// A section is not JSON that can be read.
pub(super) fn of_plan(
    basis: &Value,
    options: &Value,
    outcome: &Sections,
) -> serde_json::Result<String> {
    enum Part<'v> {
        Whole(&'v Value),
        Sections(Vec<(&'v str, &'v RawValue)>),
    }
    let mut hashed = Hashed(Sha256::new());
    let mut read = Ok(());
    let parts = [
        ("basis", Part::Whole(basis)),
        ("options", Part::Whole(options)),
        ("outcome", Part::Sections(outcome.by_name())),
    ];
    // Writing into a hash never fails.
    let _ = write_fields(parts, &mut hashed, |part, to| match part {
        Part::Whole(value) => write(value, to),
        Part::Sections(sections) => write_fields(sections, to, |section, to| {
            if read.is_ok() {
                read = write_section(section, to);
            }
            Ok(())
        }),
    });
    read.map(|()| written(hashed.0.finalize().as_slice()))
}

/// Writes a section, of a list one item after the other: as values it would take much room.
fn write_section(section: &RawValue, to: &mut Hashed) -> serde_json::Result<()> {
    let Some(items) = items(section) else {
        let _ = write(&serde_json::from_str(section.get())?, to);
        return Ok(());
    };
    to.0.update("[");
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            to.0.update(",");
        }
        let _ = write(&serde_json::from_str(item.get())?, to);
    }
    to.0.update("]");
    Ok(())
}

fn written(bytes: &[u8]) -> String {
    let mut text = String::from("sha256:");
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// One digest over the names and bytes of all files that were read.
#[derive(Debug, Default)]
pub struct Documents(Sha256);

impl Documents {
    /// Adds a file; lengths keep name and text apart.
    pub fn add(&mut self, name: &str, bytes: &[u8]) {
        for part in [name.as_bytes(), bytes] {
            self.0.update((part.len() as u64).to_be_bytes());
            self.0.update(part);
        }
    }

    /// The digest of all of them.
    #[must_use]
    pub fn finish(self) -> String {
        written(self.0.finalize().as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        let value = serde_json::from_str(text).unwrap();
        let mut text = String::new();
        write(&value, &mut text).unwrap();
        text
    }

    #[test]
    fn one_value_has_one_form_whatever_the_order_of_its_keys() {
        let one = canonical(r#"{"b": [1, 2.50, "ä\n"], "a": {"d": null, "c": true}}"#);
        let other = canonical(r#"{"a":{"c":true,"d":null},"b":[1,2.5,"\u00e4\n"]}"#);
        assert_eq!(one, r#"{"a":{"c":true,"d":null},"b":[1,2.5,"ä\n"]}"#);
        assert_eq!(one, other);
    }

    #[test]
    fn digests_are_those_of_everybody_else() {
        // printf '{"basis":{},"options":{},"outcome":{"a":1,"b":[]}}' | sha256sum
        let outcome: Sections = serde_json::from_str(r#"{"b": [], "a": 1}"#).unwrap();
        let empty = serde_json::json!({});
        assert_eq!(
            of_plan(&empty, &empty, &outcome).unwrap(),
            "sha256:a58421c3bb301c16dc56f96fa44a3b65bf46219c408161504b578b8e93b6a5ff"
        );
    }

    #[test]
    fn names_and_texts_are_kept_apart() {
        let digest = |files: &[(&str, &str)]| {
            let mut all = Documents::default();
            for (name, text) in files {
                all.add(name, text.as_bytes());
            }
            all.finish()
        };
        assert_ne!(digest(&[("a", "bc")]), digest(&[("ab", "c")]));
        assert_ne!(digest(&[("a", ""), ("b", "")]), digest(&[("a", "b")]));
    }
}
