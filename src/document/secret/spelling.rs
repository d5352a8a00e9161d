//! Words as they are meant: without the escapes that YAML allows.

/// A text with the letters that its escapes stand for; nothing where none stands for one. In a
/// text within a text the backslash of an escape is one of several.
pub(super) fn spelled(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(next) = text[at..].find('\\').map(|next| at + next) {
        let rest = text[next..].trim_start_matches('\\');
        at = text.len() - rest.len();
        if let Some((letter, after)) = escape(rest) {
            out.push_str(&text[kept..next]);
            out.extend(letter);
            at = text.len() - after.len();
            kept = at;
        }
    }
    (kept > 0).then(|| out + &text[kept..])
}

/// The letter of an escape without its backslash and what follows it; no letter where it takes a
/// line break away.
fn escape(rest: &str) -> Option<(Option<char>, &str)> {
    let digits = match rest.chars().next()? {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        '\n' | '\r' => return Some((None, rest.trim_start())),
        _ => return None,
    };
    let code = rest.get(1..=digits)?;
    let is_code = code.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = is_code.then(|| u32::from_str_radix(code, 16).ok())??;
    let letter = char::from_u32(code).filter(char::is_ascii_alphanumeric)?;
    Some((Some(letter), &rest[1 + digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_letters_are_read_in_texts_and_in_texts_within() {
        for text in [
            r#""\u0053ecret""#,
            r#""S\x65cret""#,
            r#""Secr\U00000065t""#,
            r#"{\"k\": \"Secre\\u0074\"}"#,
            "\"Se\\\n    cret\"",
        ] {
            assert!(spelled(text).unwrap().contains("Secret"), "{text}");
        }
        for text in [r"\u003c", r"\u+053", r"\x4", r"\", r"a\nb", "é\\", "\\xé"] {
            assert_eq!(spelled(text), None, "{text}");
        }
    }
}
