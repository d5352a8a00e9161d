//! Why a template is no template.

use std::fmt;
use std::ops::Range;

/// The fault that stops a template from being parsed, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The bytes at fault: an action, or the name of a function.
    pub span: Range<usize>,
}

/// The kind of fault in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// An action has no end.
    UnclosedAction,
    /// A comment has no end.
    UnclosedComment,
    /// Something stands after a comment in its action.
    AfterComment,
    /// A text in double quotes has no end.
    UnclosedText,
    /// A text in back quotes has no end.
    UnclosedRawText,
    /// A character in quotes has no end.
    UnclosedCharacter,
    /// A text or a character in quotes has an escape that Go does not know.
    BadEscape,
    /// A parenthesis is not closed.
    UnclosedParenthesis,
    /// A parenthesis is closed that was not opened.
    ExtraParenthesis,
    /// Parentheses are nested deeper than Go allows.
    TooDeep,
    /// Not a number.
    BadNumber(String),
    /// A character that cannot follow a name; the name.
    AfterName(char, String),
    /// A character that no action may have.
    UnknownCharacter(char),
    /// `:` without `=`.
    ExpectedDeclaration,
    /// A variable that nothing sets before.
    UnknownVariable(String),
    /// A function that there is not.
    UnknownFunction(String),
    /// Nothing where a value belongs; where.
    MissingValue(&'static str),
    /// A value that is no function gets the value of a pipe.
    NotAFunction(String),
    /// A token that cannot stand there; where.
    Unexpected(String, &'static str),
    /// A field of a value that has none.
    NoFields(String),
    /// More variables than may be set there.
    TooManyVariables(&'static str),
    /// A block has no `end`; its keyword.
    UnclosedBlock(&'static str),
    /// `end` without a block.
    ExtraEnd,
    /// `else` where none may be.
    ExtraElse,
    /// `break` or `continue` outside `range`.
    OutsideRange(&'static str),
    /// A name is defined twice.
    DefinedTwice(String),
}

impl FaultKind {
    /// The text to write instead of what the grammar refuses.
    #[must_use]
    pub fn advice(&self) -> String {
        match self {
            Self::AfterName('-', word) if word.starts_with(['.', '$']) => {
                // Of `.a.b-c` everything from the first dash-bearing field on is a key.
                let dash = word.find('-').unwrap_or(word.len());
                let dot = word[..dash].rfind('.').unwrap_or(0);
                let (owner, key) = (&word[..dot], word[dot..].trim_start_matches('.'));
                let owner = if owner.is_empty() { "." } else { owner };
                format!("write `index {owner} \"{key}\"`")
            }
            Self::AfterName('=', _) => "write a space before `=`".to_owned(),
            Self::UnclosedBlock(_) => "write `{{ end }}` after it".to_owned(),
            Self::UnclosedAction => "close it with the delimiter that belongs to it".to_owned(),
            Self::ExtraEnd => "remove it, or begin a block with `if`, `range` or `with`".to_owned(),
            Self::UnknownVariable(name) => {
                format!("set it in a block around: `{name} := …`")
            }
            Self::MissingValue(_) => "write a value, or remove the braces".to_owned(),
            Self::UnclosedText | Self::UnclosedRawText => "close the quotes".to_owned(),
            Self::AfterComment => "write the comment in braces of its own".to_owned(),
            _ => "correct it: one fault stops the whole text".to_owned(),
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnclosedAction => f.write_str("the action is not closed"),
            Self::UnclosedComment => f.write_str("the comment is not closed"),
            Self::AfterComment => f.write_str("a comment must be alone in its action"),
            Self::UnclosedText => f.write_str("the text in double quotes is not closed"),
            Self::UnclosedRawText => f.write_str("the text in back quotes is not closed"),
            Self::UnclosedCharacter => f.write_str("the character in single quotes is not closed"),
            Self::BadEscape => f.write_str("Go cannot read what stands in these quotes"),
            Self::UnclosedParenthesis => f.write_str("a parenthesis is not closed"),
            Self::ExtraParenthesis => f.write_str("`)` closes nothing"),
            Self::TooDeep => f.write_str("the parentheses are nested too deeply"),
            Self::BadNumber(text) => write!(f, "`{text}` is not a number"),
            Self::AfterName('-', name) => write!(f, "`{name}`: `-` cannot stand in a field"),
            Self::AfterName(character, name) => {
                write!(f, "`{character}` cannot follow `{name}`")
            }
            Self::UnknownCharacter(character) => {
                write!(
                    f,
                    "`{}` cannot stand in an action",
                    character.escape_debug()
                )
            }
            Self::ExpectedDeclaration => f.write_str("`:` must be followed by `=`"),
            Self::UnknownVariable(name) => write!(f, "nothing sets the variable `{name}` before"),
            Self::UnknownFunction(name) => write!(f, "there is no function `{name}`"),
            Self::MissingValue(place) => write!(f, "{place} has no value"),
            Self::NotAFunction(text) => write!(f, "`{text}` is no function and takes no value"),
            Self::Unexpected(token, place) => write!(f, "`{token}` cannot stand in {place}"),
            Self::NoFields(text) => write!(f, "`{text}` has no fields"),
            Self::TooManyVariables(place) => write!(f, "{place} sets too many variables"),
            Self::UnclosedBlock(keyword) => write!(f, "`{keyword}` has no `end`"),
            Self::ExtraEnd => f.write_str("`end` ends nothing"),
            Self::ExtraElse => f.write_str("`else` belongs to nothing"),
            Self::OutsideRange(keyword) => write!(f, "`{keyword}` stands outside `range`"),
            Self::DefinedTwice(name) => write!(f, "the template `{name}` is defined twice"),
        }
    }
}
