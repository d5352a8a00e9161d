//! Digests: SHA-256 over bytes whose form is fixed.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// A JSON value in one form: keys in the order of their bytes, no white space.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            text.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(&map[key], text);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

/// The digest of a JSON value, `sha256:` and 64 hexadecimal digits.
#[must_use]
pub(super) fn of_value(value: &Value) -> String {
    written(Sha256::digest(canonical(value)).as_slice())
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

    #[test]
    fn one_value_has_one_form_whatever_the_order_of_its_keys() {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let one = read(r#"{"b": [1, 2.50, "ä\n"], "a": {"d": null, "c": true}}"#);
        let other = read(r#"{"a":{"c":true,"d":null},"b":[1,2.5,"\u00e4\n"]}"#);
        assert_eq!(
            canonical(&one),
            r#"{"a":{"c":true,"d":null},"b":[1,2.5,"ä\n"]}"#
        );
        assert_eq!(of_value(&one), of_value(&other));
    }

    #[test]
    fn digests_are_those_of_everybody_else() {
        // printf '[]' | sha256sum
        assert_eq!(
            of_value(&Value::Array(Vec::new())),
            "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
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
