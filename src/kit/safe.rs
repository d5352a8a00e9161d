//! Escapes text from documents for a terminal: the only place that does so.

use std::borrow::Cow;

fn harmful(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// One line of text without control characters: they become `\u{..}` escapes, line breaks
/// `\n`. Characters that turn the direction of text count as control characters.
///
/// ```
/// use planner::render::clean;
/// assert_eq!(clean("a\u{1b}[31mb"), "a\\u{1b}[31mb");
/// assert_eq!(clean("straße"), "straße");
/// ```
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_plain(text) && !is_command(text) {
        return Cow::Borrowed(text);
    }
    if is_printable(text) {
        return without_command(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if harmful(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    Cow::Owned(without_command(&out).into_owned())
}

/// Whether a text holds no harmful character. Those beyond printable ASCII are rare and worth a
/// closer look.
fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) || !text.contains(harmful)
}

/// Whether each byte meets a condition. Many bytes are judged at once: it does not stop at the
/// first that fails.
fn all_bytes(bytes: &[u8], is: impl Fn(&u8) -> bool) -> bool {
    bytes.iter().fold(true, |all, byte| all & is(byte))
}

/// Whether a text is printable ASCII without `#`, as nearly every text is: it is quickly seen.
fn is_plain(text: &str) -> bool {
    let plain = |byte: &u8| matches!(byte, b' '..=b'"' | b'$'..=b'~');
    all_bytes(text.as_bytes(), plain)
}

/// The text after `##` in a command to the runner of a CI job: GitHub, Azure, TeamCity.
const COMMANDS: [&str; 3] = ["[", "vso[", "teamcity["];

/// Where the first command to the runner of a CI job begins that counts anywhere in a line of its
/// log.
pub(crate) fn command(text: &str) -> Option<usize> {
    let begins = |rest: &str, word: &str| {
        let start = rest.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    let mut marks = text.match_indices('#').map(|(at, _)| at);
    marks.find(|at| {
        let rest = text[*at..].strip_prefix("##");
        rest.is_some_and(|rest| COMMANDS.iter().any(|word| begins(rest, word)))
    })
}

/// A text with this in place of the second `#` of each such command; nothing where there is none.
fn broken(text: &str, mark: &str) -> Option<String> {
    let mut rest = text;
    let mut out = String::new();
    while let Some(at) = command(rest) {
        out.push_str(&rest[..=at]);
        out.push_str(mark);
        rest = &rest[at + "##".len()..];
    }
    (rest.len() < text.len()).then(|| out + rest)
}

/// Whether a text is a command to the runner of a CI job where it begins a line of its log:
/// `::error::text`.
pub(crate) fn is_command(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix("::");
    rest.is_some_and(|rest| rest.contains("::"))
}

/// A text that gives the runner of a CI job no command.
fn without_command(text: &str) -> Cow<'_, str> {
    let mut shown = broken(text, "\\u{23}").map_or(Cow::Borrowed(text), Cow::Owned);
    if is_command(text) {
        shown = Cow::Owned(shown.replacen(':', "\\u{3a}", 1));
    }
    shown
}

/// A text as one word of a command line to copy: no shell reads anything in it.
#[must_use]
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The inside of a JSON or YAML string in double quotes with every harmful character as `\\u`.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let printable = is_printable(text);
    let text = broken(text, "\\u0023").map_or(Cow::Borrowed(text), Cow::Owned);
    if printable {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if harmful(c) {
            // All of them take four digits at most.
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// As [`clean`], but line breaks and tabs stay: for pages of our own that quote documents.
#[must_use]
pub fn clean_lines(text: &str) -> Cow<'_, str> {
    let is_harmless = |line: &str| !line.contains(harmful) && !is_command(line);
    if command(text).is_none() && text.split('\n').all(is_harmless) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split('\n').map(clean).collect::<Vec<_>>().join("\n"))
}

/// A copy of the same length in bytes without control characters, so that places still hold;
/// nothing where there are none. A lone carriage return counts as one: it would let a line
/// write over itself.
pub(crate) fn same_length(text: &str) -> Option<String> {
    if let Some(text) = broken(text, "?") {
        return Some(same_length(&text).unwrap_or(text));
    }
    // Nearly every file is plain, which is quickly seen.
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text
        .as_bytes()
        .chunks(4096)
        .all(|bytes| all_bytes(bytes, plain))
    {
        return None;
    }
    let stays = |c: char, next: Option<char>| match c {
        '\n' | '\t' => true,
        '\r' => next == Some('\n'),
        c => !harmful(c),
    };
    let mut rest = text.chars().peekable();
    let mut all = true;
    while all && let Some(c) = rest.next() {
        all = stays(c, rest.peek().copied());
    }
    if all {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if stays(c, rest.peek().copied()) {
            out.push(c);
            continue;
        }
        out.push_str(match c.len_utf8() {
            1 => "?",
            2 => "\u{a4}",
            _ => "\u{fffd}",
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_command_is_read_by_no_shell() {
        for (text, word) in [
            ("shop/web", "shop/web"),
            ("a$(b)", "'a$(b)'"),
            ("it's", "'it'\\''s'"),
            ("a b;c", "'a b;c'"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }

    #[test]
    fn no_text_is_a_command_to_the_runner_of_a_job() {
        for (text, shown) in [
            ("::error::x", "\\u{3a}:error::x"),
            (" ::set-output name=a::x", " \\u{3a}:set-output name=a::x"),
            ("a ##[error]x", "a #\\u{23}[error]x"),
            ("###[a", "##\\u{23}[a"),
            (
                "a ##vso[task.setvariable variable=x]y",
                "a #\\u{23}vso[task.setvariable variable=x]y",
            ),
            ("##TeamCity[a ##[b", "#\\u{23}TeamCity[a #\\u{23}[b"),
            ("##vsö[ ## vso[", "##vsö[ ## vso["),
            ("a::b::c", "a::b::c"),
            ("::1", "::1"),
            ("## [x]", "## [x]"),
        ] {
            assert_eq!(clean(text), shown);
        }
        assert_eq!(clean_lines("a\n::error::x"), "a\n\\u{3a}:error::x");
        assert_eq!(escape("a ##[x]\u{85}"), "a #\\u0023[x]\\u0085");
        assert_eq!(same_length("ä ##[x]").unwrap(), "ä #?[x]");
    }

    #[test]
    fn the_copy_keeps_every_place() {
        let text = "a\u{1b}[1m\u{85}\u{202e}\u{feff}\rä\r\n";
        let copy = same_length(text).unwrap();
        assert_eq!(copy.len(), text.len());
        assert_eq!(copy.find('ä'), text.find('ä'));
        assert!(!copy.contains('\u{1b}') && !copy.contains('\u{202e}'));
        assert!(copy.ends_with("?ä\r\n"));
        assert_eq!(same_length("a\r\n\tä\n"), None);
    }
}
