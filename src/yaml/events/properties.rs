//! Anchors, aliases, tags and directives.

use super::scan::{Kind, Scanner};
use super::{Sure, trouble};

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn is_of_uri(byte: u8) -> bool {
    is_word(byte) || b";/?:@&=+$,.!~*'()[]%".contains(&byte)
}

impl<'t> Scanner<'t> {
    fn skip_while(&mut self, wanted: fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while wanted(self.byte(self.at)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    pub(super) fn anchor(&mut self) -> Sure<()> {
        let start = self.at;
        let alias = self.byte(start) == b'*';
        self.at += 1;
        let name = self.skip_while(is_word);
        let ends = self.is_blank(self.at) || b"?:,]}%@`".contains(&self.byte(self.at));
        if name.is_empty() || !ends {
            let reason = "a name of letters, digits, `-` and `_` must follow `&` or `*`";
            return trouble(reason, start);
        }
        self.found(
            if alias {
                Kind::Alias(name)
            } else {
                Kind::Anchor(name)
            },
            start,
        )
    }

    pub(super) fn tag(&mut self) -> Sure<()> {
        let start = self.at;
        let (handle, suffix) = if self.byte(start + 1) == b'<' {
            self.at += 2;
            let suffix = self.uri(String::new(), start)?;
            if self.byte(self.at) != b'>' {
                return trouble("a tag lacks its `>`", start);
            }
            self.at += 1;
            (None, suffix)
        } else {
            self.at += 1;
            let name = self.skip_while(is_word);
            if self.byte(self.at) == b'!' {
                self.at += 1;
                let handle = &self.text[start..self.at];
                (Some(handle), self.uri(String::new(), start)?)
            } else {
                let suffix = self.uri(name.to_owned(), start)?;
                let rest = &suffix[name.len()..];
                if rest.contains('!') && self.is_python() {
                    return trouble("a tag has a `!` inside", start);
                }
                if suffix.is_empty() {
                    (None, "!".to_owned())
                } else {
                    (Some(&self.text[start..=start]), suffix)
                }
            }
        };
        let tab = self.byte(self.at) == b'\t';
        if !self.is_blank(self.at) || (tab && suffix != "!" && self.is_python()) {
            return trouble("white space must follow a tag", start);
        }
        self.found(Kind::Tag(handle, suffix), start)
    }

    /// The rest of a tag; nothing is fine if there is a head or the tag is `!`.
    fn uri(&mut self, head: String, start: usize) -> Sure<String> {
        let from = self.at;
        let bare = from == start + 1;
        let mut bytes = head.into_bytes();
        while is_of_uri(self.byte(self.at)) {
            if self.byte(self.at) != b'%' {
                bytes.push(self.byte(self.at));
                self.at += 1;
                continue;
            }
            let digits = self.text.get(self.at + 1..self.at + 3).unwrap_or("");
            let whole = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            match u8::from_str_radix(digits, 16) {
                Ok(byte) if whole => bytes.push(byte),
                _ => return trouble("a tag has a `%` that begins no escape", self.at),
            }
            self.at += 3;
        }
        if bytes.is_empty() && !bare {
            return trouble("a tag lacks its name", start);
        }
        match String::from_utf8(bytes) {
            Ok(uri) => Ok(uri),
            Err(_) => trouble("a tag has an escape that is no UTF-8", start),
        }
    }

    pub(super) fn directive(&mut self) -> Sure<()> {
        let start = self.at;
        self.at += 1;
        let name = self.skip_while(is_word);
        if name.is_empty() || !self.is_blank(self.at) {
            return trouble("a name must follow `%` before directive values", start);
        }
        let kind = match name {
            "YAML" => self.version(start)?,
            "TAG" => self.tag_directive(start)?,
            _ => {
                if !self.is_python() {
                    return trouble("unknown name before directive values", start);
                }
                while !self.ended() && self.breaks(self.at) == 0 {
                    self.at += 1;
                }
                Kind::Directive
            }
        };
        let end = self.at;
        self.directive_blanks();
        self.skip_comment();
        if !self.ended() && self.breaks(self.at) == 0 {
            return trouble("text follows before directive ends", start);
        }
        self.next_line();
        self.found_until(kind, start, end)
    }

    fn directive_blanks(&mut self) {
        self.skip_blanks(false);
        if self.byte(self.at) == b'\t' && !self.is_python() {
            self.skip_blanks(true);
        }
    }

    fn version(&mut self, start: usize) -> Sure<Kind<'t>> {
        self.directive_blanks();
        let major = self.skip_while(|byte| byte.is_ascii_digit());
        let dot = usize::from(self.byte(self.at) == b'.');
        self.at += dot;
        let minor = self.skip_while(|byte| byte.is_ascii_digit());
        if major.is_empty() || dot == 0 || minor.is_empty() || !self.is_blank(self.at) {
            return trouble("no version before directive ends", start);
        }
        let first = |number: &str| number.trim_start_matches('0') == "1";
        let known = first(major) && (first(minor) || self.is_python());
        if !known {
            return trouble("another version than 1.1 before directive ends", start);
        }
        Ok(Kind::Version)
    }

    fn tag_directive(&mut self, start: usize) -> Sure<Kind<'t>> {
        let reason = "no handle before directive ends";
        self.directive_blanks();
        let from = self.at;
        if self.byte(from) != b'!' {
            return trouble(reason, start);
        }
        self.at += 1;
        let name = self.skip_while(is_word);
        if self.byte(self.at) == b'!' {
            self.at += 1;
        } else if !name.is_empty() {
            return trouble(reason, start);
        }
        let handle = &self.text[from..self.at];
        if !self.is_blank(self.at) || self.breaks(self.at) > 0 {
            return trouble(reason, start);
        }
        self.directive_blanks();
        let prefix = self.uri(String::new(), start)?;
        if prefix.is_empty() || !self.is_blank(self.at) {
            return trouble("no prefix before directive ends", start);
        }
        Ok(Kind::TagDirective(handle, prefix))
    }
}
