//! Senlin documents to the model: one set a file, told apart by `type`.

mod action;
mod cluster;
mod fault;
mod policy;
mod record;
pub(super) mod value;

use std::borrow::Cow;

use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, Documents};
use crate::source::Place;
use crate::yaml::Node;

use super::model::{DocumentSet, Profile};
use super::rules;
use fault::about;

/// The keys at the top of a cluster or an action.
const ENVELOPE: &[&str] = &["type", "version", "properties"];

/// A type of document and where a file's first one is.
type Seen = [Option<Place>; 4];

/// The sets of all files, in document order, and whether a document of theirs was refused.
pub(super) fn lower<'a>(
    documents: &Documents<'a>,
    jobs: usize,
    sink: &mut Sink,
) -> Vec<(DocumentSet<'a>, bool)> {
    let ours: Vec<&Document<'a>> = documents
        .of(DocumentKind::Senlin)
        .filter(|document| document.record().is_none())
        .collect();
    let records = record::newest(documents);
    ours.chunk_by(|a, b| a.source() == b.source())
        .map(|file| {
            let mut found = Sink::default();
            let mut set = set(file, jobs, &mut found);
            set.path = documents.sources.get(file[0].source()).name.as_str();
            if let Some(action) = &mut set.action
                && let Some(record) = records.get(set.path)
            {
                record::lay_over(action, record);
            }
            let refused = found.refused() || file.iter().any(|document| document.refused);
            sink.append(found);
            (set, refused)
        })
        .collect()
}

fn set<'a>(file: &[&Document<'a>], jobs: usize, sink: &mut Sink) -> DocumentSet<'a> {
    let mut set = DocumentSet::default();
    let mut seen = Seen::default();
    let mut cluster = None;
    for document in file {
        let node = document.node;
        let Some(role) = role(node, sink) else {
            continue;
        };
        if let Some(first) = seen[role as usize] {
            sink.push(fault::repeated_document(role.word(), node, first));
            continue;
        }
        seen[role as usize] = Some(fault::head(node).place());
        match role {
            Role::Policy => set.policy = Some(policy::lower(node, sink)),
            Role::Cluster => cluster = Some(node),
            Role::Action => set.action = action::lower(node, sink),
            Role::Profile => {
                let region = node.at(&["properties", "context", "region_name"]);
                let region = region.map(Node::place);
                set.profile = Some(Profile {
                    region,
                    place: fault::head(node).place(),
                });
            }
        }
    }
    // The nodes are counted for the regions of the policy, wherever it is in the file.
    set.cluster = cluster.map(|node| cluster::lower(node, set.policy.as_ref(), jobs, sink));
    set
}

/// The role of a Senlin document.
#[derive(Debug, Clone, Copy)]
enum Role {
    Policy,
    Cluster,
    Action,
    Profile,
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Cluster => "cluster",
            Self::Action => "action",
            Self::Profile => "profile",
        }
    }
}

/// Tells a document apart by `type` and `version`, in upstream's words where it is none.
fn role(node: Node<'_>, sink: &mut Sink) -> Option<Role> {
    let mut texts = [Cow::Borrowed(""), Cow::Borrowed("")];
    for (key, text) in ["type", "version"].into_iter().zip(&mut texts) {
        let Some(value) = node.get(key) else {
            let upstream = format!("The '{key}' key is missing from the provided spec map.");
            let example = match key {
                "type" => "write `type: senlin.policy.region_placement`",
                _ => "write `version: 1.0`",
            };
            sink.push(
                about(
                    &rules::MISSING_KEY,
                    format!("a Senlin document without `{key}`"),
                )
                .at(
                    fault::head(node).place(),
                    format!("`{key}` is missing here"),
                )
                .upstream(upstream)
                .help(example),
            );
            return None;
        };
        *text = value::python(value);
    }
    let [kind, version] = texts;
    let role = match &*kind {
        "senlin.policy.region_placement" => Role::Policy,
        "senlin.cluster" => Role::Cluster,
        "senlin.action" => Role::Action,
        _ => {
            let ours = kind.starts_with("senlin.") || node.at(&["properties", "regions"]).is_some();
            if ours {
                sink.push(fault::unknown_type(node, &kind, &version));
                return None;
            }
            return Some(Role::Profile);
        }
    };
    if version != "1.0" {
        sink.push(fault::unknown_type(node, &kind, &version));
        return None;
    }
    Some(role)
}

/// The `properties` of a cluster or an action.
fn properties<'a>(node: Node<'a>, sink: &mut Sink) -> Option<Node<'a>> {
    let properties = node.get("properties").filter(|node| !node.is_null())?;
    if properties.is_mapping() {
        return Some(properties);
    }
    sink.push(fault::wanted(
        properties,
        "/properties",
        "properties",
        "a mapping",
    ));
    None
}
