//! A deployment strategy as files that an engine runs: their content, not where it is written.
//!
//! Names of documents are data in all of them. They stand in quoted scalars, in literals that one
//! function writes, or in JSON; what an engine reads as a name of its own is a slug.

pub mod airflow;
pub mod ansible;
pub mod argo;
mod sheet;
mod text;

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

pub use sheet::Sheet;

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name from the directory of the export; slashes lead into directories.
    pub name: &'static str,
    /// Its text.
    pub text: String,
    /// Whether it is the user's once it is there.
    pub is_users: bool,
}

/// The code that computes the state of a run from its steps; all engines share it.
const CORE: &str = include_str!("core.py");

/// How a file of ours begins, after which its digest follows.
const HEAD: &str = "Written by planner export; edits are lost. ";

/// How the first line of a file is marked as a comment.
#[derive(Debug, Clone, Copy)]
enum Comment {
    Hash,
    Markdown,
    /// The first field of a JSON object.
    Json,
}

impl Comment {
    /// The first line of a file of ours.
    fn head(self, digest: &str) -> String {
        match self {
            Self::Hash => format!("# {HEAD}{digest}\n"),
            Self::Markdown => format!("<!-- {HEAD}{digest} -->\n"),
            Self::Json => format!("{{\"head\": \"{HEAD}{digest}\",\n"),
        }
    }
}

impl File {
    /// A file of the user's, which starts as this.
    fn users(name: &'static str, text: &str) -> Self {
        Self {
            name,
            text: text.to_owned(),
            is_users: true,
        }
    }

    /// A file of ours: its first line holds the digest of all others.
    fn ours(name: &'static str, comment: Comment, text: &str) -> Self {
        Self {
            name,
            text: comment.head(&digest(text.as_bytes())) + text,
            is_users: false,
        }
    }
}

/// Whether a file is as an export wrote it.
#[must_use]
pub fn is_untouched(text: &[u8]) -> bool {
    let Some(end) = text.iter().position(|byte| *byte == b'\n') else {
        return false;
    };
    let (head, rest) = text.split_at(end + 1);
    let digest = digest(rest);
    let comments = [Comment::Hash, Comment::Markdown, Comment::Json];
    comments
        .iter()
        .any(|comment| comment.head(&digest).as_bytes() == head)
}

fn digest(text: &[u8]) -> String {
    let mut said = String::from("sha256:");
    for byte in Sha256::digest(text) {
        let _ = write!(said, "{byte:02x}");
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_shows_in_every_kind_of_file() {
        for comment in [Comment::Hash, Comment::Markdown, Comment::Json] {
            let file = File::ours("a", comment, "one\ntwo\n");
            assert!(is_untouched(file.text.as_bytes()));
            assert!(!is_untouched(file.text.replace("two", "2").as_bytes()));
            assert!(!is_untouched(format!("{}three\n", file.text).as_bytes()));
            assert!(!is_untouched(format!("mine {}", file.text).as_bytes()));
        }
        assert!(!is_untouched(b""));
        assert!(!is_untouched(b"one\ntwo\n"));
    }
}
