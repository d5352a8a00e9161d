//! The file of a saved plan: written, read, and refused where it is not one.

use std::collections::BTreeMap;
use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::digest;
use super::options::Chosen;
use super::sections::{ROWS, Sections, Written};

/// The version of the format that this program writes, and the newest it reads.
pub const FORMAT_VERSION: u64 = 1;

/// A plan as it was saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SavedPlan {
    api_version: String,
    kind: String,
    format_version: String,
    /// The version of the program that saved it.
    pub planner: String,
    /// The instant everything was judged at.
    pub now: String,
    /// The directory the plan was made in, as seen from that of the file; none where the plan
    /// was not written to a file.
    #[serde(default)]
    pub directory: Option<String>,
    /// The PATHs, relative to the directory the plan was made in.
    pub paths: Vec<String>,
    /// The options that change an outcome, where they are not the defaults.
    pub options: Chosen,
    /// The state that the plan was built on.
    pub basis: Basis,
    /// One digest over the names and bytes of all files that were read.
    pub documents: String,
    /// The commit the documents were those of; none if they were changed, or in no repository.
    pub revision: Option<String>,
    /// How the documents were counted.
    pub counts: Counts,
    /// Whether there is anything to record: `ready` or `unchanged`.
    pub result: String,
    /// The sections of the plan.
    pub outcome: Sections,
    /// The digest over outcome, basis and options.
    pub digest: String,
}

/// How many documents there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Counts {
    /// Documents found.
    pub read: usize,
    /// The documents that take part.
    pub planned: usize,
    /// Other documents that are not refused.
    pub not_ours: usize,
    /// Documents that are no YAML because they are templates.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub templates: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The state that a plan is built on and that carrying it out changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basis {
    /// The number of the newest record; 0 without one.
    pub records: u64,
    /// The newest Deployment of each Package that is planned.
    pub packages: BTreeMap<String, Option<String>>,
    /// The digest over the clusters and the current decisions of the snapshot of a hub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
}

/// Why a text is not a saved plan that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is not JSON, or ends too early; the reader's message.
    NotJson(String),
    /// It is JSON, and something else.
    NotOne,
    /// A field is missing, unknown or of another type; the reader's message.
    Shape(String),
    /// Its format is newer than this program.
    Newer(String),
    /// The digest is not that of the content.
    Edited,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(why) => write!(f, "it is not complete JSON: {why}"),
            Self::NotOne => f.write_str("it is not a saved plan (kind: SavedPlan)"),
            Self::Shape(why) => write!(f, "it is not a complete saved plan: {why}"),
            Self::Newer(version) => write!(
                f,
                "it has format {version}, but planner {} reads format {FORMAT_VERSION}",
                env!("CARGO_PKG_VERSION")
            ),
            Self::Edited => {
                f.write_str("it was changed after it was saved: its digest does not match")
            }
        }
    }
}

/// The head of a file; the rest is skipped.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'t> {
    #[serde(default, borrow)]
    api_version: Option<&'t RawValue>,
    #[serde(default, borrow)]
    kind: Option<&'t RawValue>,
    #[serde(default, borrow)]
    format_version: Option<&'t RawValue>,
}

impl<'t> Head<'t> {
    fn read(text: &'t [u8]) -> Result<Self, Fault> {
        let head: Self =
            serde_json::from_slice(text).map_err(|error| fault(&error, Fault::NotOne))?;
        let is = |field: Option<&RawValue>, wanted: &str| {
            let word = field.and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
            word.as_deref() == Some(wanted)
        };
        if is(head.api_version, "planner/v1") && is(head.kind, "SavedPlan") {
            Ok(head)
        } else {
            Err(Fault::NotOne)
        }
    }

    /// Refuses other formats. A newer one may be anything beyond its head.
    fn check_version(&self) -> Result<(), Fault> {
        let version = self.format_version.map_or("", RawValue::get);
        let version = version.trim_matches('"');
        if version == FORMAT_VERSION.to_string() {
            return Ok(());
        }
        let significant = version.trim_start_matches('0');
        let rest = significant.trim_start_matches(|c: char| c.is_ascii_digit());
        let major = &significant[..significant.len() - rest.len()];
        let newer = match major.parse::<u64>() {
            Ok(major) => major >= FORMAT_VERSION,
            // Not a number, or one beyond all numbers.
            Err(_) => !major.is_empty(),
        };
        Err(if newer && version.len() == significant.len() {
            Fault::Newer(shortened(version))
        } else {
            Fault::Shape(format!("formatVersion is {:?}", shortened(version)))
        })
    }
}

/// A text of which the end may be left out.
fn shortened(text: &str) -> String {
    const LENGTH: usize = 40;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The fault behind a reader's error: the text is no JSON, or else it has another form.
fn fault(error: &serde_json::Error, form: Fault) -> Fault {
    match error.classify() {
        Category::Data => form,
        _ => Fault::NotJson(error.to_string()),
    }
}

/// Whether a text is JSON that calls itself a saved plan.
#[must_use]
pub fn is_one(text: &[u8]) -> bool {
    Head::read(text).is_ok()
}

/// The inputs of a plan, besides its answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Made {
    /// See [`SavedPlan::directory`].
    pub directory: Option<String>,
    /// See [`SavedPlan::paths`].
    pub paths: Vec<String>,
    /// See [`SavedPlan::options`].
    pub options: Chosen,
    /// See [`SavedPlan::basis`].
    pub basis: Basis,
    /// See [`SavedPlan::documents`].
    pub documents: String,
    /// See [`SavedPlan::revision`].
    pub revision: Option<String>,
}

/// The head of a plan as data.
#[derive(Deserialize)]
struct Answered {
    #[serde(default)]
    now: String,
    #[serde(default)]
    documents: Value,
    #[serde(default)]
    result: String,
}

/// A saved plan as `planner plan -o json` gave it, without the findings.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'p> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    now: &'p str,
    documents: Counts,
    result: &'p str,
    #[serde(flatten)]
    outcome: IndexMap<&'p str, Written<'p>>,
    diagnostics: [(); 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<&'p [String]>,
}

impl SavedPlan {
    /// A saved plan with its digest; `answer` is the text of the plan as data.
    ///
    /// # Errors
    /// The text is no such plan.
    pub fn of(answer: &[u8], made: Made) -> serde_json::Result<Self> {
        let head: Answered = serde_json::from_slice(answer)?;
        let mut saved = Self {
            api_version: "planner/v1".into(),
            kind: "SavedPlan".into(),
            format_version: FORMAT_VERSION.to_string(),
            planner: env!("CARGO_PKG_VERSION").into(),
            now: head.now,
            directory: made.directory,
            paths: made.paths,
            options: made.options,
            basis: made.basis,
            documents: made.documents,
            revision: made.revision,
            counts: serde_json::from_value(head.documents).unwrap_or_default(),
            result: head.result,
            outcome: Sections::of_plan(answer)?,
            digest: String::new(),
        };
        saved.digest = saved.own_digest()?;
        Ok(saved)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// See [`Fault`].
    pub fn read(text: &[u8]) -> Result<Self, Fault> {
        Head::read(text)?.check_version()?;
        let saved: Self =
            serde_json::from_slice(text).map_err(|error| Fault::Shape(error.to_string()))?;
        if !saved.outcome.has(ROWS) {
            let missing = format!("missing field `outcome.{ROWS}`");
            return Err(Fault::Shape(missing));
        }
        let digest = saved.own_digest();
        if digest.map_err(|error| Fault::Shape(error.to_string()))? == saved.digest {
            Ok(saved)
        } else {
            Err(Fault::Edited)
        }
    }

    /// The plan as data, as `planner plan -o json` gave it, without what was found in the
    /// documents; why it is stale, if that was asked.
    #[must_use]
    pub fn plan<'p>(&'p self, stale: Option<&'p [String]>) -> impl Serialize + use<'p> {
        Shown {
            api_version: "planner/v1",
            kind: "Plan",
            format_version: "1",
            now: &self.now,
            documents: self.counts,
            result: &self.result,
            outcome: self.outcome.shown(),
            diagnostics: [],
            stale,
        }
    }

    fn own_digest(&self) -> serde_json::Result<String> {
        let value = |written: serde_json::Result<Value>| written.unwrap_or_default();
        let basis = value(serde_json::to_value(&self.basis));
        let options = value(serde_json::to_value(&self.options));
        digest::of_plan(&basis, &options, &self.outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn saved() -> SavedPlan {
        let answer = json!({
            "apiVersion": "planner/v1", "kind": "Plan", "formatVersion": "1",
            "now": "2026-01-01T00:00:00Z", "documents": {"read": 3, "planned": 2, "notOurs": 1},
            "result": "ready",
            "applications": [{"package": "shop", "application": "web", "cluster": "oslo"}],
            "rows": [],
            "diagnostics": [],
        });
        let basis = Basis {
            records: 2,
            packages: [("shop".to_owned(), None)].into(),
            hub: None,
        };
        let made = Made {
            directory: Some(".".into()),
            paths: vec!["site".into()],
            basis,
            documents: "sha256:0".into(),
            ..Made::default()
        };
        SavedPlan::of(answer.to_string().as_bytes(), made).unwrap()
    }

    fn written() -> Value {
        serde_json::to_value(saved()).unwrap()
    }

    fn read(file: &Value) -> Result<SavedPlan, Fault> {
        SavedPlan::read(file.to_string().as_bytes())
    }

    #[test]
    fn what_is_written_is_read_back() {
        assert_eq!(read(&written()), Ok(saved()));
    }

    #[test]
    fn every_prefix_of_a_file_is_refused() {
        let text = written().to_string();
        for end in 0..text.len() {
            assert!(SavedPlan::read(&text.as_bytes()[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn what_decides_cannot_be_edited() {
        let edits = [
            ("/outcome/applications/0/cluster", json!("riga")),
            ("/basis/records", json!(3)),
            ("/basis/packages/shop", json!("shop-1")),
            ("/options", json!({"sameNode": true})),
            ("/digest", json!("sha256:1")),
        ];
        for (pointer, value) in edits {
            let mut file = written();
            *file.pointer_mut(pointer).unwrap() = value;
            assert_eq!(read(&file), Err(Fault::Edited), "{pointer}");
        }
    }

    #[test]
    fn options_have_their_types() {
        let wrong = [
            json!({"sameNode": "yes"}),
            json!({"records": ["a"]}),
            json!({"packages": "shop"}),
            json!({"compat": "downstream"}),
            json!({"order": true}),
            json!({"other": 1}),
        ];
        for options in wrong {
            let mut file = written();
            file["options"] = options.clone();
            assert!(matches!(read(&file), Err(Fault::Shape(_))), "{options}");
        }
    }

    #[test]
    fn a_newer_format_is_newer_whatever_its_number_looks_like() {
        let nines = "9".repeat(400);
        let newer = ["2", "1.1", "10", "99999999999999999999999999", &nines];
        let mut texts: Vec<String> = newer.iter().map(|text| format!("\"{text}\"")).collect();
        texts.extend(newer.iter().map(|text| (*text).to_owned()));
        for version in texts {
            let file = format!(
                "{{\"apiVersion\": \"planner/v1\", \"kind\": \"SavedPlan\", \
                 \"formatVersion\": {version}, \"outcome\": \"in another form\"}}"
            );
            let read = SavedPlan::read(file.as_bytes());
            assert!(matches!(read, Err(Fault::Newer(_))), "{version}: {read:?}");
        }
        for version in [
            json!("zero"),
            json!(""),
            json!("01"),
            json!(0),
            json!(-3),
            json!(null),
        ] {
            let mut file = written();
            file["formatVersion"] = version.clone();
            assert!(matches!(read(&file), Err(Fault::Shape(_))), "{version}");
        }
    }

    #[test]
    fn other_documents_are_told_apart() {
        let mut file = written();
        file["kind"] = json!("Plan");
        assert_eq!(read(&file), Err(Fault::NotOne));
        let brackets = "[".repeat(1_000_000);
        assert!(matches!(
            SavedPlan::read(brackets.as_bytes()),
            Err(Fault::NotJson(_) | Fault::NotOne)
        ));
        for text in [
            "",
            "null",
            "[]",
            "{}",
            "\u{feff}{}",
            "{\"kind\": \"SavedPlan\"}",
        ] {
            assert!(SavedPlan::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
