//! Records: the documents that Proceed writes and the next plan reads back.

use std::collections::BTreeSet;

use serde::Deserialize as _;
use serde_json::Value;

use crate::document::record;
use crate::kit::plural::plural;
use crate::plan::{LeftOut, Plan, partial};
use crate::render::{clean, yaml};
use crate::systems::{self, Numbered};

/// The plan a record is made from.
#[derive(Debug, Clone, Copy)]
pub struct RecordHead<'r> {
    /// The record's number.
    pub number: u64,
    /// The directory of records, named as files are named in messages.
    pub directory: &'r str,
    /// The PATHs the plan was made from.
    pub origin: &'r str,
}

/// A record: the text of its file, and the file's name after the number.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The Package if only one thing is recorded, else `site`.
    pub what: String,
    /// The documents, the first line a comment that says where they come from.
    pub text: String,
    documents: Vec<Value>,
}

impl Recorded {
    /// The record of these documents, below a comment.
    #[must_use]
    pub fn new(what: &str, comment: String, documents: Vec<Value>) -> Self {
        let mut text = comment;
        for document in &documents {
            text.push_str("---\n");
            text.push_str(&yaml::document(document));
        }
        Self {
            what: what.to_owned(),
            text,
            documents,
        }
    }

    /// Whether a second YAML reader finds the same documents in what was written: the next plan
    /// starts from them.
    ///
    /// # Errors
    /// The first document that reads otherwise, counted from 1, and what the reader says of it.
    pub fn read_back(&self, written: &str) -> Result<(), String> {
        let mut wanted = self.documents.iter();
        for (document, number) in serde_yaml::Deserializer::from_str(written).zip(1..) {
            match Value::deserialize(document) {
                Err(error) => return Err(format!("document {number}: {error}")),
                Ok(read) if Some(&read) == wanted.next() => {}
                Ok(_) => return Err(format!("document {number} has a different value")),
            }
        }
        match wanted.len() {
            0 => Ok(()),
            missing => Err(format!(
                "the end is missing: {}",
                plural(missing, "document")
            )),
        }
    }
}

impl Plan<'_, '_> {
    /// The name of this plan's record after its number: the Package if only one thing is recorded.
    #[must_use]
    pub fn record_name(&self) -> &str {
        let recorded = systems::all().map(|system| system.recorded(self));
        let things: usize = recorded.iter().map(|(things, _)| things).sum();
        let mut names = recorded.into_iter().filter_map(|(_, name)| name);
        names.next().filter(|_| things == 1).unwrap_or("site")
    }

    /// The record of this plan.
    #[must_use]
    pub fn records(&self, head: &RecordHead<'_>) -> Recorded {
        let number = record::shown(head.number);
        let numbered = Numbered {
            number: &number,
            directory: head.directory,
        };
        let systems = systems::all().into_iter();
        let documents = systems.flat_map(|system| system.records(self, numbered));
        let missing = partial::missing(self.site);
        let titles: BTreeSet<String> = missing.iter().map(LeftOut::title).collect();
        let titles: Vec<String> = titles.into_iter().collect();
        let missing = if titles.is_empty() {
            String::new()
        } else {
            format!(
                "# Not built, so not planned: {}.\n",
                clean(&titles.join(", "))
            )
        };
        let comment = format!(
            "# Record {number}: written by planner {} on Proceed, from the plan of {} at {}.\n\
             # What it claims (phase Running, names of volumes) is the plan's assumption: planner \
             deploys nothing.\n{missing}",
            env!("CARGO_PKG_VERSION"),
            clean(head.origin),
            self.now
        );
        Recorded::new(self.record_name(), comment, documents.collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_reads_back_otherwise_is_refused() {
        let documents = vec![json!({"a": "yes"}), json!({"b": [1, null]})];
        let recorded = Recorded::new("site", String::new(), documents);
        assert_eq!(recorded.text, "---\na: \"yes\"\n---\nb:\n- 1\n- null\n");
        assert_eq!(recorded.read_back(&recorded.text), Ok(()));
        for (text, wrong) in [
            ("---\na: \"yes\"\n", "the end is missing: 1 document"),
            (
                "---\na: \"no\"\n---\nb: [1, null]\n",
                "document 1 has a different value",
            ),
            (
                "---\na: \"yes\"\n---\nb: [1, null]\n---\nc: 1\n",
                "document 3",
            ),
            ("---\na: \"yes\"\n---\nb: [1,\n", "document 2: "),
        ] {
            let found = recorded.read_back(text).unwrap_err();
            assert!(found.contains(wrong), "{text}: {found}");
        }
    }
}
