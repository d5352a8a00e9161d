//! Texts in quotes as Go reads them.

use std::borrow::Cow;

/// The value of a text with its quotes, double or back; `None` if Go refuses it.
pub(super) fn unquoted(text: &str) -> Option<Cow<'_, str>> {
    if let Some(raw) = text.strip_prefix('`') {
        let raw = raw.strip_suffix('`')?;
        return Some(if raw.contains('\r') {
            raw.replace('\r', "").into()
        } else {
            raw.into()
        });
    }
    unescaped(text.strip_prefix('"')?.strip_suffix('"')?, '"')
}

/// The text between quotes, with the escapes replaced. Bytes that are no UTF-8 become U+FFFD.
pub(super) fn unescaped(text: &str, quote: char) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(text.into());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let mut characters = after.chars();
        let escape = characters.next()?;
        rest = characters.as_str();
        let mut digits = |count: usize, radix: u32, first: Option<char>| {
            let digits = rest.get(..count)?;
            let of_radix = |text: &str| text.chars().all(|digit| digit.is_digit(radix));
            rest = &rest[count..];
            let mut value = u32::from_str_radix(digits, radix).ok()?;
            if let Some(first) = first.and_then(|first| first.to_digit(radix)) {
                value += first * radix.pow(u32::try_from(count).ok()?);
            }
            of_radix(digits).then_some(value)
        };
        let character = match escape {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\\' => '\\',
            '\'' | '"' if escape == quote => escape,
            'x' => {
                bytes.push(u8::try_from(digits(2, 16, None)?).ok()?);
                continue;
            }
            '0'..='7' => {
                bytes.push(u8::try_from(digits(2, 8, Some(escape))?).ok()?);
                continue;
            }
            'u' => char::from_u32(digits(4, 16, None)?)?,
            'U' => char::from_u32(digits(8, 16, None)?)?,
            _ => return None,
        };
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(match String::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(error) => String::from_utf8_lossy(error.as_bytes())
            .into_owned()
            .into(),
    })
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn escapes_are_read_to_their_last_digit() {
        for (text, value) in [
            (r#""\U0001F600""#, Some("😀")),
            (r#""\u00e9\101\x41""#, Some("éAA")),
            (r#""\U44444444""#, None),
            (r#""\Uffffffff""#, None),
            (r#""\777""#, None),
        ] {
            assert_eq!(unquoted(text).as_deref(), value, "{text}");
        }
    }
}
