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

#[cfg(test)]
mod tests {
    use super::texts;

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
