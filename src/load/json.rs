//! JSON texts one after the other, as programs write them: no `---` divides them.

use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::Deserializer;

/// Where each text is, if there are several and nothing else; every text is an object.
pub(super) fn texts(text: &str) -> Option<Vec<Range<usize>>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut found = Vec::new();
    let mut start = 0;
    let mut values = Deserializer::from_str(text).into_iter::<IgnoredAny>();
    while let Some(value) = values.next() {
        value.ok()?;
        let end = values.byte_offset();
        if !text[start..end].trim_start().starts_with('{') {
            return None;
        }
        found.push(start..end);
        start = end;
    }
    (found.len() > 1).then_some(found)
}

/// A JSON text with blanks instead of the tabs before and behind it, which JSON allows and YAML
/// does not; `None` if it is none or has none there. Every other byte stays where it is.
pub(super) fn without_tabs_around(text: &str) -> Option<String> {
    let inner = text.trim();
    let is_json = inner.starts_with(['{', '[']) && inner.ends_with(['}', ']']);
    let start = text.len() - text.trim_start().len();
    let (before, behind) = (&text[..start], &text[start + inner.len()..]);
    let has_tabs = before.contains('\t') || behind.contains('\t');
    let plain = |blank: &str| blank.replace('\t', " ");
    (is_json && has_tabs).then(|| [&plain(before), inner, &plain(behind)].concat())
}

/// A JSON text with blanks instead of its comments, which editors allow in their own files;
/// `None` if it is none or has none. Every other byte stays where it is.
pub(super) fn without_comments(text: &str) -> Option<String> {
    let begins = ["{", "[", "//", "/*"];
    if !begins
        .iter()
        .any(|mark| text.trim_start().starts_with(mark))
    {
        return None;
    }
    let mut found = false;
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        let (before, from) = rest.split_at(at);
        plain += before;
        let length = if from.starts_with('"') {
            let length = quoted(from);
            plain += &from[..length];
            length
        } else {
            let length = match from.as_bytes().get(1) {
                Some(b'/') => from.find('\n').unwrap_or(from.len()),
                Some(b'*') => from.find("*/").map_or(from.len(), |end| end + 2),
                _ => return None,
            };
            found = true;
            let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
            plain.extend(from[..length].bytes().map(blank));
            length
        };
        rest = &from[length..];
    }
    plain += rest;
    found.then_some(plain)
}

/// How long the text in double quotes is that begins here.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    end.map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::{texts, without_comments, without_tabs_around};

    #[test]
    fn tabs_around_are_blanked() {
        let around = without_tabs_around("\t\n{\"a\": \"\t\"}\n\t\n");
        assert_eq!(around.as_deref(), Some(" \n{\"a\": \"\t\"}\n \n"));
        assert_eq!(without_tabs_around("{\"a\":\t1}\n"), None);
        assert_eq!(without_tabs_around("\ta: 1\n"), None);
    }

    #[test]
    fn comments_are_blanked() {
        let text = "// a \u{e4}\n{\"a//b\\\"\": /* \n */ 1, // c\n}";
        let plain = without_comments(text).unwrap_or_default();
        assert_eq!(plain.len(), text.len());
        assert_eq!(
            plain.split_whitespace().collect::<Vec<_>>(),
            ["{\"a//b\\\"\":", "1,", "}"]
        );
        assert_eq!(without_comments("{\"a\": \"//\"}"), None);
        assert_eq!(without_comments("a: b // c"), None);
        assert_eq!(without_comments("{a: /b}"), None);
    }

    #[test]
    fn texts_are_told_apart() {
        let one = r#"{"a": "}"}"#;
        assert_eq!(texts(one), None);
        let two = format!("{one}\n{one}{one}");
        let found = texts(&two).unwrap_or_default();
        let parts: Vec<&str> = found.into_iter().map(|at| two[at].trim()).collect();
        assert_eq!(parts, [one; 3]);
        assert_eq!(texts("{a: 1}\n{b: 2}"), None);
        assert_eq!(texts("{} 1"), None);
        assert_eq!(texts("{\"a\": 1}\n---\n{\"a\": 1}"), None);
    }
}
