//! The baseline: known findings, identified by their subject.
//!
//! A ratchet: it covers as many equals as it counts and nothing else; entries whose finding is
//! gone are given back to the caller.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Codes, Identity, Meaning, Object, Sink, Suppressed, Suppression};

/// The file's name beside `planner.toml`.
pub const FILE_NAME: &str = "planner-baseline.json";
const API: &str = "planner/v1";
const KIND: &str = "Baseline";

/// Known findings, each with how many equals there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    /// By identity.
    pub known: BTreeMap<Identity, usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    api_version: String,
    kind: String,
    findings: Vec<Entry>,
}

/// One line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    object: Option<EntryObject>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryObject {
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    package: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cluster: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
}

fn one() -> usize {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form serde asks for")]
fn is_one(count: &usize) -> bool {
    *count == 1
}

impl Entry {
    fn identity(self) -> Identity {
        Identity {
            code: self.code,
            object: self.object.map(|object| Object {
                kind: object.kind,
                name: object.name,
                package: object.package,
                cluster: object.cluster,
                namespace: object.namespace,
                field: None,
                rule: None,
            }),
            pointer: self.pointer,
            path: self.path,
        }
    }

    fn new(identity: &Identity, count: usize) -> Self {
        let object = |object: &Object| EntryObject {
            kind: object.kind.clone(),
            name: object.name.clone(),
            package: object.package.clone(),
            cluster: object.cluster.clone(),
            namespace: object.namespace.clone(),
        };
        Self {
            code: identity.code.clone(),
            object: identity.object.as_ref().map(object),
            pointer: identity.pointer.clone(),
            path: identity.path.clone(),
            count,
        }
    }
}

impl Baseline {
    /// Reads the file's text.
    ///
    /// # Errors
    /// A message that says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.api_version != API || file.kind != KIND {
            return Err(format!("it is not a {KIND} of {API}"));
        }
        let mut known = BTreeMap::new();
        for entry in file.findings {
            let count = entry.count;
            *known.entry(entry.identity()).or_default() += count;
        }
        Ok(Self { known })
    }

    /// The file's text: sorted, one finding a line, so that changes merge.
    #[must_use]
    pub fn text(&self) -> String {
        let line = |(identity, count): (&Identity, &usize)| {
            let entry = Entry::new(identity, *count);
            format!("    {}", serde_json::to_string(&entry).unwrap_or_default())
        };
        let lines: Vec<String> = self.known.iter().map(line).collect();
        let findings = if lines.is_empty() {
            "[]".to_owned()
        } else {
            format!("[\n{}\n  ]", lines.join(",\n"))
        };
        format!(
            "{{\n  \"apiVersion\": \"{API}\",\n  \"kind\": \"{KIND}\",\n  \"findings\": \
             {findings}\n}}\n"
        )
    }

    /// Moves what is known from the findings to the suppressed ones; `identities` are those of
    /// the sink's findings, in their order. Gives back what is known but was not found.
    pub fn cover(&self, sink: &mut Sink, identities: Vec<Identity>) -> Self {
        let mut left = self.clone();
        let mut kept = Vec::with_capacity(sink.diagnostics.len());
        let found = std::mem::take(&mut sink.diagnostics);
        for (diagnostic, identity) in found.into_iter().zip(identities) {
            match left.known.get_mut(&identity) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    sink.refusal_hidden |= diagnostic.refuses;
                    sink.suppressed.push(Suppressed {
                        diagnostic,
                        by: Suppression::Baseline,
                    });
                }
                _ => kept.push(diagnostic),
            }
        }
        sink.diagnostics = kept;
        left.known.retain(|_, count| *count > 0);
        left
    }

    /// Gives every entry the code of today, and says which were renamed or retired. A retired one
    /// stays, as an entry without a finding.
    pub fn rename(&mut self, codes: &Codes) -> Vec<String> {
        let mut notes = Vec::new();
        for (mut identity, count) in std::mem::take(&mut self.known) {
            if let Some(meaning) = codes.find(&identity.code) {
                notes.extend(meaning.note(&identity.code));
                if let Meaning::Renamed(rule) = meaning {
                    rule.code.clone_into(&mut identity.code);
                }
            }
            *self.known.entry(identity).or_default() += count;
        }
        notes.dedup();
        notes
    }

    /// The baseline without entries that are gone.
    pub fn remove(&mut self, gone: &Self) {
        for (identity, count) in &gone.known {
            if let Some(known) = self.known.get_mut(identity) {
                *known = known.saturating_sub(*count);
            }
        }
        self.known.retain(|_, count| *count > 0);
    }

    /// With these findings too.
    pub fn add(&mut self, identities: impl IntoIterator<Item = Identity>) {
        for identity in identities {
            *self.known.entry(identity).or_default() += 1;
        }
    }

    /// How many findings it knows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.values().sum()
    }

    /// Whether it knows nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// One line for each entry, for people.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let line = |(identity, count): (&Identity, &usize)| {
            let times = if *count == 1 {
                String::new()
            } else {
                format!(" ({count} times)")
            };
            format!("{identity}{times}")
        };
        self.known.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_one_finding_a_line() {
        let mut baseline = Baseline::default();
        let identity = |name: &str| Identity {
            code: "planner::ogc::bad_name".into(),
            object: Some(Object {
                package: Some("shop".into()),
                ..Object::new("Application", name)
            }),
            pointer: Some("/spec/rules/key=a~1b".into()),
            path: None,
        };
        assert_eq!(Baseline::parse(&baseline.text()), Ok(baseline.clone()));
        baseline.add([identity("b"), identity("a"), identity("b")]);
        let text = baseline.text();
        assert_eq!(Baseline::parse(&text), Ok(baseline.clone()));
        assert_eq!(text.lines().filter(|line| line.contains("code")).count(), 2);
        assert!(text.find("\"a\"").unwrap() < text.find("\"b\"").unwrap());
        assert!(Baseline::parse("{}").is_err());
    }

    #[test]
    fn a_former_code_still_covers_its_findings() {
        let entry = |code: &str| format!(r#"{{"code": "planner::ogc::{code}", "path": "a.yaml"}}"#);
        let entries = [entry("gone"), entry("old_name"), entry("new_name")].join(", ");
        let text = format!(
            r#"{{"apiVersion": "planner/v1", "kind": "Baseline", "findings": [{entries}]}}"#
        );
        let mut baseline = Baseline::parse(&text).unwrap();
        let notes = baseline.rename(&super::super::changed_codes());
        assert_eq!(
            baseline.lines(),
            ["ogc::gone in a.yaml", "ogc::new_name in a.yaml (2 times)"]
        );
        let said = [
            "`ogc::gone` was retired in 0.2.0: the schema says it",
            "`ogc::old_name` is now called `ogc::new_name`",
        ];
        assert_eq!(notes, said);
    }
}
