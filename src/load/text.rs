//! Bytes to text: encoding and size.

use std::io::{Error, ErrorKind};
use std::path::Path;

use crate::diagnostic::{Diagnostic, Sink};
use crate::document::names_ours;
use crate::source::{Place, Source, SourceId, Sources, Span};

use super::disk::{Content, reason};
use super::rules;
use super::store::Store;
use super::walk::{File, display_name};

/// Why a file has no (whole) text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextFault {
    Missing,
    Unreadable(String),
    /// The bytes there are, where that is known.
    TooLarge {
        bytes: Option<u64>,
        limit: u64,
    },
    Binary,
    Utf16 {
        ours: bool,
    },
    /// Bytes that are not UTF-8 from this offset on.
    Encoding {
        at: u32,
        ours: bool,
    },
    /// A link to nothing.
    Dangling,
}

impl TextFault {
    pub(super) fn was_read(&self) -> bool {
        matches!(
            self,
            Self::Binary | Self::Utf16 { .. } | Self::Encoding { .. }
        )
    }

    /// Whether a file at fault may hold a document of ours.
    pub(super) fn may_be_ours(&self) -> bool {
        match self {
            Self::Utf16 { ours } | Self::Encoding { ours, .. } => *ours,
            Self::Binary | Self::Dangling => false,
            Self::Missing | Self::Unreadable(_) | Self::TooLarge { .. } => true,
        }
    }

    /// Whether there is text that was not read.
    pub(super) fn hides_text(&self) -> bool {
        !matches!(self, Self::Binary | Self::Dangling | Self::Missing)
    }

    pub(super) fn diagnostic(&self, source: SourceId) -> Diagnostic {
        let start = match self {
            Self::Encoding { at, .. } => *at,
            _ => 0,
        };
        let place = Place {
            source,
            span: Span { start, end: start },
        };
        match self {
            Self::Missing => Diagnostic::new(&rules::NOT_FOUND, "no such file or directory")
                .at(place, "")
                .help("check the path; it is relative to the current directory"),
            Self::Unreadable(why) => {
                Diagnostic::new(&rules::UNREADABLE, format!("cannot be read: {why}"))
                    .at(place, "")
                    .help("fix its permissions or the link, or leave it out with `exclude`")
            }
            Self::TooLarge { bytes, limit } => {
                let message = match bytes {
                    Some(bytes) => {
                        format!("the file has {bytes} bytes, more than the limit of {limit}")
                    }
                    None => format!("the file is larger than the limit of {limit} bytes"),
                };
                Diagnostic::new(&rules::FILE_TOO_LARGE, message)
                    .at(place, "")
                    .help("raise `file-bytes` under `[limits]` in planner.toml")
            }
            Self::Binary => Diagnostic::new(&rules::BINARY, "the file is not text")
                .at(place, "")
                .help("leave it out with `exclude` in planner.toml"),
            Self::Dangling => {
                Diagnostic::new(&rules::UNREADABLE, "cannot be read: the link is broken")
                    .at(place, "")
                    .help("correct the link, or leave it out with `exclude`")
            }
            Self::Utf16 { .. } => {
                Diagnostic::new(&rules::ENCODING, "the file is UTF-16, not UTF-8")
                    .at(place, "")
                    .help("save it as UTF-8")
            }
            Self::Encoding { .. } => {
                Diagnostic::new(&rules::ENCODING, "the text is not UTF-8 from here on")
                    .at(place, "not UTF-8")
                    .help("save the file as UTF-8")
            }
        }
    }
}

/// A path that cannot be examined, as a finding.
#[must_use]
pub fn unreadable(path: &Path, directory: &Path, error: &Error) -> (Sink, Sources) {
    let name = display_name(&path.to_string_lossy(), &directory.to_string_lossy());
    let (mut sink, mut sources) = (Sink::default(), Sources::default());
    let source = sources.add(Source::new(name, String::new()));
    sink.push(TextFault::Unreadable(reason(error)).diagnostic(source));
    (sink, sources)
}

pub(super) struct Text {
    pub(super) text: String,
    pub(super) fault: Option<TextFault>,
    pub(super) read: bool,
}

/// The text of a file; of a file that is not UTF-8 the part before the first bad byte.
pub(super) fn read(file: &File, store: Store<'_>, stdin: Option<&[u8]>, limit: u64) -> Text {
    let none = |fault, read| Text {
        text: String::new(),
        fault: Some(fault),
        read,
    };
    if let Some(why) = &file.fault {
        return none(TextFault::Unreadable(why.clone()), false);
    }
    let bytes = match &file.path {
        None => {
            let bytes = stdin.unwrap_or_default();
            // More than the limit is never copied.
            if bytes.len() as u64 > limit {
                return none(TextFault::TooLarge { bytes: None, limit }, true);
            }
            Ok(Content::Bytes(bytes.to_vec()))
        }
        Some(path) => store.read(path, file.regular, limit),
    };
    let bytes = match bytes {
        Ok(Content::Bytes(bytes)) => bytes,
        Ok(Content::TooLarge(bytes)) => {
            let bytes = Some(bytes);
            return none(TextFault::TooLarge { bytes, limit }, true);
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let link = file.path.as_deref().is_some_and(Path::is_symlink);
            let fault = if link {
                TextFault::Dangling
            } else {
                TextFault::Missing
            };
            return none(fault, false);
        }
        Err(error) => return none(TextFault::Unreadable(reason(&error)), false),
    };
    if bytes.len() as u64 > limit {
        return none(TextFault::TooLarge { bytes: None, limit }, true);
    }
    decode(bytes)
}

fn decode(bytes: Vec<u8>) -> Text {
    let faulty = |fault| Text {
        text: String::new(),
        fault: Some(fault),
        read: true,
    };
    if let Some(text) = from_utf16(&bytes) {
        let ours = names_ours(&text);
        return faulty(TextFault::Utf16 { ours });
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            // A zero byte early on says that this is not text at all.
            if text.as_bytes().iter().take(8192).any(|byte| *byte == 0) {
                return faulty(TextFault::Binary);
            }
            Text {
                text,
                fault: None,
                read: true,
            }
        }
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            if bytes.iter().take(8192).any(|byte| *byte == 0) {
                return faulty(TextFault::Binary);
            }
            let ours = names_ours(&String::from_utf8_lossy(&bytes));
            bytes.truncate(good);
            let text = String::from_utf8(bytes).unwrap_or_default();
            let at = u32::try_from(good).unwrap_or(u32::MAX);
            Text {
                text,
                fault: Some(TextFault::Encoding { at, ours }),
                read: true,
            }
        }
    }
}

/// The text of bytes that begin with the mark of UTF-16.
fn from_utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let pairs = bytes.chunks_exact(2).skip(1);
    let units: Vec<u16> = pairs.map(|pair| unit([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told_apart() {
        assert_eq!(decode(b"a: \xc3\xa4".to_vec()).fault, None);
        assert_eq!(
            decode(b"\xff\xfea\0".to_vec()).fault,
            Some(TextFault::Utf16 { ours: false })
        );
        assert_eq!(decode(b"ELF\0\x01".to_vec()).fault, Some(TextFault::Binary));
        let bad = decode(b"a: \xe4\n".to_vec());
        assert_eq!(
            (bad.text.as_str(), bad.fault),
            ("a: ", Some(TextFault::Encoding { at: 3, ours: false }))
        );
    }
}
