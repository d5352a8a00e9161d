//! Which texts are worth a look for Secrets.

use memchr::{memchr3, memmem};

use crate::kit::secret::VALUES;

use super::spelling::spelled;

/// The fields that a part of a Secret may have beside its values.
pub(super) const PARTS: [&str; 4] = ["$patch", "immutable", "metadata", "type"];

/// The field of a kustomization that makes Secrets.
pub(super) const GENERATOR: &str = "secretGenerator";

/// The fields of an entry of it that hold no values.
pub(super) const GENERATOR_NAMES: [&str; 11] = [
    "apiVersion",
    "behavior",
    "env",
    "envs",
    "files",
    "kind",
    "metadata",
    "name",
    "namespace",
    "options",
    "type",
];

/// Whether a text may hold a value of a Secret. Nearly every text is passed over here.
pub(super) fn mentions(text: &str) -> bool {
    says(text) || spelled(text).is_some_and(|text| says(&text))
}

/// The same as `str::contains`, but faster in texts of many megabytes.
fn contains(text: &str, part: &str) -> bool {
    memmem::find(text.as_bytes(), part.as_bytes()).is_some()
}

fn says(text: &str) -> bool {
    let mentions = |part: &str| contains(text, part);
    (mentions("Secret") && (mentions("ata") || mentions("sourceValue")))
        || names_values(text)
        || (!(mentions("kind") || mentions("schema"))
            && has_data(text)
            && !has_data_below_keys(text))
}

/// Whether each `data` of a text plainly stands below another key, as in the nodes of a large
/// inventory: then no document of it is a part of a Secret, and it need not be parsed.
pub(super) fn has_data_below_keys(text: &str) -> bool {
    let mut data = memmem::find_iter(text.as_bytes(), "data").peekable();
    let mut end = 0;
    let has_quotes_or_tabs = memchr3(b'"', b'\'', b'\t', text.as_bytes()).is_some();
    // The least indentation of a key of the document.
    let mut least: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        end += line.len();
        let mut in_line = 0;
        while data.next_if(|at| *at < end).is_some() {
            in_line += 1;
        }
        let written = line.trim_start_matches(' ');
        let indentation = line.len() - written.len();
        let ends = written.trim_end();
        if ends.is_empty() || ends.starts_with('#') {
            continue;
        }
        if line.starts_with("---") || line.starts_with("...") {
            least = None;
            if ends.len() > "---".len() {
                return false;
            }
            continue;
        }
        // Texts over several lines, and keys apart from their values.
        let is_odd = |quote: u8| ends.bytes().filter(|byte| *byte == quote).count() % 2 == 1;
        if (has_quotes_or_tabs && (is_odd(b'"') || is_odd(b'\'') || ends.contains('\t')))
            || ends.starts_with(['?', ':', '%'])
            || ends.ends_with("data")
            || ends
                .trim_end_matches(|c: char| c == '+' || c == '-' || c.is_ascii_digit())
                .ends_with(['|', '>'])
        {
            return false;
        }
        let (key, value) = ends.split_once(':').unwrap_or_default();
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_key = !key.is_empty()
            && key.bytes().all(is_letter)
            && (value.is_empty() || value.starts_with(' '));
        let is_below = least.is_some_and(|least| least < indentation);
        let is_data = is_below && is_key && key == "data";
        let rest = if is_data { value } else { ends };
        if in_line > usize::from(is_data) && has_data(rest) {
            return false;
        }
        let is_top = least.is_none_or(|least| indentation <= least);
        let is_part = || PARTS.contains(&key) || VALUES.contains(&key);
        if is_key && is_top && is_part() && !(key == "type" && is_dotted(value.trim())) {
            return false;
        }
        if is_key {
            least = Some(least.map_or(indentation, |least| least.min(indentation)));
        }
    }
    true
}

/// Whether a text that mentions a Secret, and cannot be read, may hold one: prose and programs
/// mention many.
pub(super) fn declares(text: &str) -> bool {
    let spelled = spelled(text);
    let text = spelled.as_deref().unwrap_or(text);
    let mut kinds = ["Secret", "SecretGenerator", "SecretList"].iter();
    let has_kind = kinds.any(|kind| has_word(text, kind));
    (has_kind && (text.contains("kind") || has_data(text))) || names_values(text)
}

/// Whether a text may hold values of a Secret without saying its kind.
fn names_values(text: &str) -> bool {
    let mentions = |part: &str| contains(text, part);
    mentions(GENERATOR)
        || mentions("stringData")
        || (mentions("schema") && (mentions("deckhand/") || mentions("encrypted")))
        || (mentions("/data") && names_operation(text))
        || (mentions("patch") && has_data(text))
}

/// Whether a type is a name with dots, as documents of other systems have it.
fn is_dotted(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || matches!(c, '.' | '_');
    name.contains('.') && name.chars().all(is_inner)
}

/// Whether a text begins with a field of a Secret, as a patch does that does not say its kind.
pub(super) fn begins_as_part(text: &str) -> bool {
    let marks = ['-', '{', '"', '\'', ' '];
    let mut lines = text.lines().map(|line| line.trim_start_matches(marks));
    let first = lines.find(|line| !(line.trim().is_empty() || line.starts_with(['#', '%'])));
    let key = first.and_then(|line| line.split_once(':'));
    key.is_some_and(|(key, _)| {
        let key = key.trim_end_matches(marks);
        PARTS.contains(&key) || VALUES.contains(&key)
    })
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter)
    })
}

/// Whether a text may have the key `data`.
fn has_data(text: &str) -> bool {
    memmem::find_iter(text.as_bytes(), "data").any(|at| {
        let is_quote = |c: char| c.is_whitespace() || c == '"' || c == '\'';
        let after = text[at + "data".len()..].trim_start_matches(is_quote);
        let value = after.strip_prefix(':');
        let is_key = value.is_some_and(|value| !value.starts_with(char::is_alphanumeric));
        is_key && !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '/')
    })
}

/// Whether a text may hold the key `op`, possibly right behind an escape.
fn names_operation(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    text.match_indices("op").any(|(at, _)| {
        let before = &bytes[at.saturating_sub("\\U00000000".len())..at];
        let begins = !at.checked_sub(1).is_some_and(is_letter) || before.contains(&b'\\');
        begins && !is_letter(at + "op".len())
    })
}
