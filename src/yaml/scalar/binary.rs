//! Text in base 64.

/// The bytes that a text in base 64 stands for; line breaks are left out.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let letters: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'\n' | b'\r'))
        .collect();
    if !letters.len().is_multiple_of(4) {
        return None;
    }
    let padding = letters
        .iter()
        .rev()
        .take_while(|letter| **letter == b'=')
        .count();
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3);
    for group in letters[..letters.len() - padding].chunks(4) {
        let mut bits: u32 = 0;
        for letter in group {
            let value = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        let missing = 4 - group.len() as u32;
        bits <<= 6 * missing;
        let whole = bits.to_be_bytes();
        bytes.extend_from_slice(&whole[1..4 - missing as usize]);
    }
    (padding <= 2).then_some(bytes)
}

/// Whether Python decodes a text in base 64; it skips what is none of its letters.
pub(crate) fn is_python_base64(text: &str) -> bool {
    if !text.is_ascii() {
        return false;
    }
    let (mut letters, mut padding) = (0, 0);
    for byte in text.bytes() {
        match byte {
            b'=' if letters % 4 >= 2 => {
                padding += 1;
                if letters % 4 + padding >= 4 {
                    return true;
                }
            }
            b'=' => {}
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => {
                (letters, padding) = (letters + 1, 0);
            }
            _ => {}
        }
    }
    letters % 4 == 0
}

/// Bytes as text, with a sign for each that is none, as Go's JSON has them.
pub(crate) fn go_text(mut bytes: &[u8]) -> String {
    let mut text = String::new();
    loop {
        match std::str::from_utf8(bytes) {
            Ok(rest) => {
                text.push_str(rest);
                return text;
            }
            Err(fault) => {
                let (good, rest) = bytes.split_at(fault.valid_up_to());
                text.push_str(&String::from_utf8_lossy(good));
                text.push(char::REPLACEMENT_CHARACTER);
                bytes = &rest[1..];
            }
        }
    }
}
