//! The file of a saved plan: written, read, and refused where it is not one.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::digest;

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
    /// The PATHs, relative to the directory the plan was made in.
    pub paths: Vec<String>,
    /// The options that change an outcome, where they are not the defaults.
    pub options: Map<String, Value>,
    /// What the plan was built on.
    pub basis: Basis,
    /// One digest over the names and bytes of all files that were read.
    pub documents: String,
    /// The commit the documents were those of; none if they were changed, or in no repository.
    pub revision: Option<String>,
    /// How the documents were counted.
    pub counts: Counts,
    /// Whether there is anything to apply: `ready` or `unchanged`.
    pub result: String,
    /// The sections of the plan.
    pub outcome: Map<String, Value>,
    /// The digest over outcome, basis and options.
    pub digest: String,
}

/// How many documents there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Counts {
    /// Documents found.
    pub read: usize,
    /// Those that take part.
    pub planned: usize,
    /// The rest, but for refused ones.
    pub not_ours: usize,
    /// Documents that are no YAML because they are templates.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub templates: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What a plan is built on that carrying it out changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basis {
    /// The number of the newest record; 0 without one.
    pub records: u64,
    /// The newest Deployment of each Package that is planned.
    pub packages: BTreeMap<String, Option<String>>,
}

/// Why a text is not a saved plan that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is not JSON, or ends too early; what the reader says.
    NotJson(String),
    /// It is JSON, and something else.
    NotOne,
    /// A field is missing, unknown or of another type; what the reader says.
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
                "it has format {version}, this planner {} reads format {FORMAT_VERSION}",
                env!("CARGO_PKG_VERSION")
            ),
            Self::Edited => {
                f.write_str("it was changed after it was saved: its digest does not match")
            }
        }
    }
}

/// Whether a JSON value calls itself a saved plan.
#[must_use]
pub fn is_one(value: &Value) -> bool {
    value.get("apiVersion").and_then(Value::as_str) == Some("planner/v1")
        && value.get("kind").and_then(Value::as_str) == Some("SavedPlan")
}

impl SavedPlan {
    /// A saved plan with its digest; `answer` is the plan as data.
    #[must_use]
    pub fn of(
        answer: &Value,
        paths: Vec<String>,
        options: Map<String, Value>,
        basis: Basis,
        documents: String,
        revision: Option<String>,
    ) -> Self {
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        let counts = serde_json::from_value(answer["documents"].clone()).unwrap_or_default();
        let mut saved = Self {
            api_version: "planner/v1".into(),
            kind: "SavedPlan".into(),
            format_version: FORMAT_VERSION.to_string(),
            planner: env!("CARGO_PKG_VERSION").into(),
            now: text("now"),
            paths,
            options,
            basis,
            documents,
            revision,
            counts,
            result: text("result"),
            outcome: sections(answer),
            digest: String::new(),
        };
        saved.digest = saved.own_digest();
        saved
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// See [`Fault`].
    pub fn read(text: &[u8]) -> Result<Self, Fault> {
        let value: Value =
            serde_json::from_slice(text).map_err(|error| Fault::NotJson(error.to_string()))?;
        Self::from_value(value)
    }

    /// Reads a JSON value.
    ///
    /// # Errors
    /// See [`Fault`].
    pub fn from_value(value: Value) -> Result<Self, Fault> {
        if !is_one(&value) {
            return Err(Fault::NotOne);
        }
        let version = value.get("formatVersion").map_or(String::new(), |version| {
            version
                .as_str()
                .map_or_else(|| version.to_string(), str::to_owned)
        });
        if version != FORMAT_VERSION.to_string() {
            let newer = version
                .split('.')
                .next()
                .and_then(|major| major.parse::<u64>().ok());
            return Err(match newer {
                Some(major) if major >= FORMAT_VERSION => Fault::Newer(version),
                _ => Fault::Shape(format!("formatVersion is {version:?}")),
            });
        }
        let saved: Self =
            serde_json::from_value(value).map_err(|error| Fault::Shape(error.to_string()))?;
        if saved.digest == saved.own_digest() {
            Ok(saved)
        } else {
            Err(Fault::Edited)
        }
    }

    /// The text of its file.
    #[must_use]
    pub fn written(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The plan as data, as `planner plan -o json` gave it, without what was found in the
    /// documents.
    #[must_use]
    pub fn plan(&self) -> Value {
        let mut plan = json!({
            "apiVersion": "planner/v1",
            "kind": "Plan",
            "formatVersion": "1",
            "now": self.now,
            "documents": self.counts,
            "result": self.result,
        });
        if let Value::Object(map) = &mut plan {
            map.extend(self.outcome.clone());
            map.insert("diagnostics".into(), Value::Array(Vec::new()));
        }
        plan
    }

    fn own_digest(&self) -> String {
        digest::of_value(&json!({
            "outcome": self.outcome,
            "basis": self.basis,
            "options": self.options,
        }))
    }
}

/// The sections of a plan, in their order: what is neither its head nor its findings.
fn sections(answer: &Value) -> Map<String, Value> {
    const HEAD: [&str; 7] = [
        "apiVersion",
        "kind",
        "formatVersion",
        "now",
        "documents",
        "result",
        "diagnostics",
    ];
    let all = answer.as_object().into_iter().flatten();
    all.filter(|(key, _)| !HEAD.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved() -> SavedPlan {
        let answer = json!({
            "apiVersion": "planner/v1", "kind": "Plan", "formatVersion": "1",
            "now": "2026-01-01T00:00:00Z", "documents": {"read": 3, "planned": 2, "notOurs": 1},
            "result": "ready",
            "applications": [{"package": "shop", "application": "web", "cluster": "oslo"}],
            "diagnostics": [],
        });
        let basis = Basis {
            records: 2,
            packages: [("shop".to_owned(), None)].into(),
        };
        SavedPlan::of(
            &answer,
            vec!["site".into()],
            Map::new(),
            basis,
            "sha256:0".into(),
            None,
        )
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = saved().written().to_string();
        assert_eq!(SavedPlan::read(text.as_bytes()), Ok(saved()));
    }

    #[test]
    fn every_prefix_of_a_file_is_refused() {
        let text = saved().written().to_string();
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
            let mut file = saved().written();
            *file.pointer_mut(pointer).unwrap() = value;
            assert_eq!(SavedPlan::from_value(file), Err(Fault::Edited), "{pointer}");
        }
    }

    #[test]
    fn other_documents_and_formats_are_told_apart() {
        let mut file = saved().written();
        file["formatVersion"] = json!("2");
        file["outcome"] = json!("in another form");
        assert_eq!(SavedPlan::from_value(file), Err(Fault::Newer("2".into())));
        let mut file = saved().written();
        file["formatVersion"] = json!("zero");
        assert!(matches!(SavedPlan::from_value(file), Err(Fault::Shape(_))));
        let mut file = saved().written();
        file["kind"] = json!("Plan");
        assert_eq!(SavedPlan::from_value(file), Err(Fault::NotOne));
        let brackets = "[".repeat(1_000_000);
        assert!(matches!(
            SavedPlan::read(brackets.as_bytes()),
            Err(Fault::NotJson(_))
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
