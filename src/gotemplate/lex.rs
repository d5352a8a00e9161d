//! The tokens of one action.

use std::ops::Range;

use super::Delimiters;
use super::fault::FaultKind;

/// The kind of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Space,
    Text,
    Number,
    Bool,
    Nil,
    Dot,
    Field,
    Variable,
    Name,
    Keyword,
    LeftParen,
    RightParen,
    Pipe,
    Declare,
    Assign,
    Comma,
    /// Another printable character.
    Other,
    /// The end of the action.
    End,
    /// Nothing after it can be read.
    Fault(FaultKind),
}

/// A token and where it is.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// How an action, or what looks like one, was read.
pub(super) enum Lexed {
    /// An action; its tokens were written.
    Action,
    /// A comment, and where the text after it begins.
    Comment(usize),
    /// A comment that is none.
    BadComment(FaultKind, usize),
}

const KEYWORDS: [&str; 10] = [
    "block", "break", "continue", "define", "else", "end", "if", "range", "template", "with",
];

/// Go's white space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Whether a character may be part of a name.
fn is_alphanumeric(character: char) -> bool {
    // Go takes letters and decimal digits; Rust also takes other numbers, such as `½`.
    character == '_' || character.is_alphabetic() || character.is_ascii_digit()
}

/// Reads the action that begins at `start`, where a left delimiter stands.
pub(super) fn action(
    text: &str,
    start: usize,
    delimiters: Delimiters,
    tokens: &mut Vec<Token>,
) -> Lexed {
    tokens.clear();
    let mut at = start + delimiters.left.len();
    let bytes = text.as_bytes();
    if bytes.get(at) == Some(&b'-') && bytes.get(at + 1).copied().is_some_and(is_space) {
        at += 2;
    }
    let mut lexer = Lexer {
        text,
        at,
        right: delimiters.right,
        tokens,
        open: 0,
    };
    if text[at..].starts_with("/*") {
        return lexer.comment();
    }
    while lexer.step() {}
    Lexed::Action
}

struct Lexer<'t, 'k> {
    text: &'t str,
    at: usize,
    right: &'static str,
    tokens: &'k mut Vec<Token>,
    /// Parentheses that are open.
    open: usize,
}

impl Lexer<'_, '_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The length of the right delimiter here, with its trim marker.
    fn right_delimiter(&self) -> Option<usize> {
        let rest = self.rest();
        let trimmed = rest.bytes().next().is_some_and(is_space) && rest[1..].starts_with('-');
        if trimmed && rest[2..].starts_with(self.right) {
            return Some(2 + self.right.len());
        }
        rest.starts_with(self.right).then_some(self.right.len())
    }

    fn comment(&self) -> Lexed {
        let Some(end) = self.rest()[2..].find("*/") else {
            return Lexed::BadComment(FaultKind::UnclosedComment, self.text.len());
        };
        let after = Lexer {
            text: self.text,
            at: self.at + 2 + end + 2,
            right: self.right,
            tokens: &mut Vec::new(),
            open: 0,
        };
        match after.right_delimiter() {
            Some(length) => Lexed::Comment(after.at + length),
            None => Lexed::BadComment(FaultKind::AfterComment, after.at),
        }
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let span = self.at..self.at + length;
        self.at = span.end;
        self.tokens.push(Token { kind, span });
    }

    fn fault(&mut self, kind: FaultKind, length: usize) -> bool {
        self.push(Kind::Fault(kind), length);
        false
    }

    /// Reads a token; returns whether the action has another one.
    fn step(&mut self) -> bool {
        if let Some(length) = self.right_delimiter() {
            if self.open > 0 {
                return self.fault(FaultKind::UnclosedParenthesis, 0);
            }
            self.push(Kind::End, length);
            return false;
        }
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return self.fault(FaultKind::UnclosedAction, 0);
        };
        match first {
            ' ' | '\t' | '\r' | '\n' => self.space(),
            '=' => self.push(Kind::Assign, 1),
            ':' if rest.starts_with(":=") => self.push(Kind::Declare, 2),
            ':' => return self.fault(FaultKind::ExpectedDeclaration, 1),
            '|' => self.push(Kind::Pipe, 1),
            ',' => self.push(Kind::Comma, 1),
            '"' => return self.quoted(b'"', Kind::Text, FaultKind::UnclosedText),
            '\'' => return self.quoted(b'\'', Kind::Number, FaultKind::UnclosedCharacter),
            '`' => match rest[1..].find('`') {
                Some(end) => self.push(Kind::Text, end + 2),
                None => return self.fault(FaultKind::UnclosedRawText, rest.len()),
            },
            '(' => {
                self.push(Kind::LeftParen, 1);
                self.open += 1;
            }
            ')' if self.open == 0 => return self.fault(FaultKind::ExtraParenthesis, 1),
            ')' => {
                self.push(Kind::RightParen, 1);
                self.open -= 1;
            }
            '$' => return self.name(1, Kind::Variable, Kind::Variable),
            '.' if !rest[1..].starts_with(|next: char| next.is_ascii_digit()) => {
                return self.name(1, Kind::Field, Kind::Dot);
            }
            '.' | '+' | '-' | '0'..='9' => return self.number(),
            letter if is_alphanumeric(letter) => return self.word(),
            ' '..='~' => self.push(Kind::Other, 1),
            other => {
                return self.fault(FaultKind::UnknownCharacter(other), other.len_utf8());
            }
        }
        true
    }

    /// White space, without the one that belongs to the trim marker of a right delimiter.
    fn space(&mut self) {
        let length = self
            .rest()
            .bytes()
            .take_while(|byte| is_space(*byte))
            .count();
        let rest = &self.rest()[length..];
        let trims = rest.starts_with('-') && rest[1..].starts_with(self.right);
        match length - usize::from(trims) {
            0 => {}
            length => self.push(Kind::Space, length),
        }
    }

    fn quoted(&mut self, quote: u8, kind: Kind, unclosed: FaultKind) -> bool {
        let bytes = self.rest().as_bytes();
        let mut at = 1;
        loop {
            match bytes.get(at) {
                Some(b'\\') if bytes.get(at + 1).is_some_and(|next| *next != b'\n') => at += 2,
                None | Some(b'\n' | b'\\') => return self.fault(unclosed, at.min(bytes.len())),
                Some(byte) if *byte == quote => break,
                Some(_) => at += 1,
            }
        }
        self.push(kind, at + 1);
        true
    }

    /// Whether what follows may follow a name.
    fn ends_name(rest: &str, right: &str) -> bool {
        let next = rest.bytes().next();
        let ends = |byte: u8| is_space(byte) || b".,|:)(".contains(&byte);
        next.is_none_or(ends) || rest.starts_with(right)
    }

    /// A field or a variable after its first character; `alone` if nothing follows.
    fn name(&mut self, skip: usize, kind: Kind, alone: Kind) -> bool {
        let rest = self.rest();
        if Self::ends_name(&rest[skip..], self.right) {
            self.push(alone, skip);
            return true;
        }
        let length = skip + letters(&rest[skip..]);
        if !Self::ends_name(&rest[length..], self.right) {
            return self.after_name(length);
        }
        self.push(kind, length);
        true
    }

    fn word(&mut self) -> bool {
        let rest = self.rest();
        let length = letters(rest);
        if !Self::ends_name(&rest[length..], self.right) {
            return self.after_name(length);
        }
        let kind = match &rest[..length] {
            "true" | "false" => Kind::Bool,
            "nil" => Kind::Nil,
            word if KEYWORDS.contains(&word) => Kind::Keyword,
            _ => Kind::Name,
        };
        self.push(kind, length);
        true
    }

    /// Reports a name with an invalid character after it; the message quotes the whole word.
    fn after_name(&mut self, length: usize) -> bool {
        let rest = self.rest();
        let bad = rest[length..].chars().next().unwrap_or(' ');
        // `.a.b-c` is several tokens; it is one word to a reader.
        let mut start = self.at;
        for token in self.tokens.iter().rev() {
            let joins = matches!(token.kind, Kind::Field | Kind::Variable | Kind::Dot);
            if !joins || token.span.end != start {
                break;
            }
            start = token.span.start;
        }
        let is_word = |byte: u8| !is_space(byte) && !b"|,:()={}".contains(&byte);
        let after = rest[length..].bytes().take_while(|byte| is_word(*byte));
        let after = after.take(60).count();
        let mut end = self.at + length + after;
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let word = self.text[start..end].to_owned();
        self.fault(FaultKind::AfterName(bad, word), length)
    }

    fn number(&mut self) -> bool {
        let rest = self.rest();
        let Some(mut length) = scan_number(rest) else {
            let length = rest.len().min(1);
            return self.bad_number(length);
        };
        if rest[length..].starts_with(['+', '-']) {
            let Some(more) = scan_number(&rest[length..]) else {
                return self.bad_number(length);
            };
            length += more;
            if !rest[..length].ends_with('i') {
                return self.bad_number(length);
            }
        }
        self.push(Kind::Number, length);
        true
    }

    fn bad_number(&mut self, length: usize) -> bool {
        let rest = self.rest();
        let word = |c: &char| !c.is_ascii_whitespace() && !"|,:()={}".contains(*c);
        let shown: String = rest.chars().take_while(word).take(60).collect();
        self.fault(FaultKind::BadNumber(shown), length)
    }
}

fn letters(text: &str) -> usize {
    text.find(|character| !is_alphanumeric(character))
        .unwrap_or(text.len())
}

/// The length of a possible number; `None` if a letter or digit follows it.
fn scan_number(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let accept = |at: &mut usize, set: &[u8]| {
        let found = bytes.get(*at).is_some_and(|byte| set.contains(byte));
        *at += usize::from(found);
        found
    };
    accept(&mut at, b"+-");
    let mut digits: &[u8] = b"0123456789_";
    if accept(&mut at, b"0") {
        if accept(&mut at, b"xX") {
            digits = b"0123456789abcdefABCDEF_";
        } else if accept(&mut at, b"oO") {
            digits = b"01234567_";
        } else if accept(&mut at, b"bB") {
            digits = b"01_";
        }
    }
    while accept(&mut at, digits) {}
    if accept(&mut at, b".") {
        while accept(&mut at, digits) {}
    }
    let exponent: &[u8] = match digits.len() {
        11 => b"eE",
        23 => b"pP",
        _ => b"",
    };
    if accept(&mut at, exponent) {
        accept(&mut at, b"+-");
        while accept(&mut at, b"0123456789_") {}
    }
    accept(&mut at, b"i");
    (!text[at..].starts_with(is_alphanumeric)).then_some(at)
}
