//! Which kind a document is, from `apiVersion` and `kind`, `schema` or `type`.

use std::cell::OnceCell;
use std::ops::Range;

use crate::diagnostic::{Diagnostic, Fix, Object, Severity};
use crate::kit::nearest::{did_you_mean, nearest, within};
use crate::yaml::{Dialect, Node, Scalar};

use super::rules::{NEAR_KIND, NOT_A_MAPPING, NOT_SERVED, UNKNOWN_KIND};
use super::{DocumentKind, KINDS, KindInfo, OUTPUTS};

mod near;

pub(crate) use near::misspelt;
use near::{near_group, other_group, without_kind, without_version};

/// The result of recognising a document.
#[derive(Debug)]
pub struct Classified {
    /// Its kind.
    pub kind: DocumentKind,
    /// Of our groups, but unusable.
    pub refused: bool,
    /// The finding about it, if there is one.
    pub diagnostic: Option<Diagnostic>,
}

impl From<DocumentKind> for Classified {
    fn from(kind: DocumentKind) -> Self {
        Self {
            kind,
            refused: false,
            diagnostic: None,
        }
    }
}

/// Recognises a document.
#[must_use]
pub fn classify(node: Node<'_>) -> Classified {
    let text = |key: &str| {
        node.get(key)
            .and_then(Node::text)
            .filter(|text| !text.is_empty())
    };
    let is_named = |key: &str| node.get(key).is_none_or(is_name);
    match (text("apiVersion"), text("kind")) {
        (Some(api), kind) if kind.is_none() || !is_named("kind") => Classified {
            diagnostic: without_kind(node, api),
            ..DocumentKind::Foreign.into()
        },
        (Some(api), Some(kind)) if is_named("apiVersion") => by_kind(node, api, kind),
        (_, Some(kind)) => Classified {
            diagnostic: without_version(node, None, kind)
                .or_else(|| airship_as_object(node, None, kind)),
            ..DocumentKind::Foreign.into()
        },
        (None, None) if is_airship(node) => DocumentKind::Airship.into(),
        (None, None) if text("schema").is_some() || text("$schema").is_some() => {
            DocumentKind::Foreign.into()
        }
        (None, None) if is_senlin(node) => DocumentKind::Senlin.into(),
        (None, None) => match all_glued(node) {
            Some(found) => Classified {
                refused: true,
                diagnostic: Some(found),
                ..DocumentKind::Foreign.into()
            },
            None => Classified {
                diagnostic: near_senlin(node).or_else(|| bare_strategy(node)),
                ..DocumentKind::Foreign.into()
            },
        },
        _ => DocumentKind::Foreign.into(),
    }
}

/// Whether a generator of an ApplicationSet, at any depth, is of this kind.
#[must_use]
pub fn generates(set: Node<'_>, kind: &str) -> bool {
    fn below(generators: Option<Node<'_>>, kind: &str) -> bool {
        let mut generators = generators.into_iter().flat_map(Node::items);
        generators.any(|generator| {
            let of_kind = generator.get(kind).is_some_and(|found| !found.is_null());
            let mut nests = ["matrix", "merge"].iter();
            of_kind || nests.any(|nest| below(generator.at(&[nest, "generators"]), kind))
        })
    }
    below(set.at(&["spec", "generators"]), kind)
}

/// Whether an ApplicationSet is made for the decisions of Placements: by its generators, or by what
/// would be one of them without a slip in a key above it.
fn means_decisions(set: Node<'_>) -> bool {
    const KEY: &str = "clusterDecisionResource";
    // In its place a generator counts only if it says something.
    let is_meant = |item: Node<'_>, in_place: bool| {
        let mut keys = item.entries().filter_map(|(key, _)| key.text());
        keys.any(|key| (key == KEY && !in_place) || (key != KEY && nearest(key, [KEY]).is_some()))
    };
    let lists = |node: Node<'_>| {
        let mut lists = node.entries();
        lists.any(|(key, list)| {
            let in_place = key.text() == Some("generators");
            list.items().any(|item| is_meant(item, in_place))
        })
    };
    let spec = set.get("spec");
    generates(set, KEY)
        || spec.is_some_and(lists)
        || spec.is_none() && set.entries().any(|(_, value)| lists(value))
}

fn group(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or("", |(group, _)| group)
}

/// Whether it is a part of an object that a policy looks for, and no object: nothing names it and
/// nothing says what it is to be.
fn is_fragment(node: Node<'_>) -> bool {
    const SAYS: [&str; 3] = ["apiVersion", "kind", "status"];
    let mut keys = node.entries().filter_map(|(key, _)| key.text());
    keys.all(|key| SAYS.contains(&key)) && node.get("status").is_some()
}

/// Versions of kinds of ours that other projects serve in the same group, with fields of their own.
const OF_OTHERS: [(&str, &str); 1] =
    [("GitOpsCluster", "apps.open-cluster-management.io/v1alpha1")];

fn by_kind(node: Node<'_>, api: &str, kind: &str) -> Classified {
    if let Some(info) = KINDS
        .iter()
        .find(|info| info.name == kind && info.api_version == api)
    {
        return match info.kind {
            // Of all others the documents do not say where they go.
            DocumentKind::ApplicationSet if !means_decisions(node) => DocumentKind::Foreign.into(),
            kind if kind.is_consumer() && is_fragment(node) => DocumentKind::Foreign.into(),
            kind => kind.into(),
        };
    }
    let group_kinds = || {
        KINDS
            .iter()
            .filter(|info| group(info.api_version) == group(api))
    };
    if group(api).is_empty() || group_kinds().next().is_none() {
        return Classified {
            diagnostic: near_group(node, api, kind)
                .or_else(|| other_group(node, api, kind))
                .or_else(|| without_version(node, Some(api), kind))
                .or_else(|| airship_as_object(node, Some(api), kind)),
            ..DocumentKind::Foreign.into()
        };
    }
    if let Some(info) = group_kinds().find(|info| info.name == kind) {
        return not_served(node, api, info);
    }
    if let Some(diagnostic) = other_group(node, api, kind) {
        return Classified {
            diagnostic: Some(diagnostic),
            ..DocumentKind::Foreign.into()
        };
    }
    let ours = group(api) == "planner";
    if ours && OUTPUTS.contains(&kind) {
        return DocumentKind::Foreign.into();
    }
    let tail = group_kinds().find(|info| kind.len() > 8 && info.name.ends_with(kind));
    let tail = tail.map(|info| info.name);
    let near = nearest(kind, group_kinds().map(|info| info.name));
    let (rule, message) = if ours {
        (&UNKNOWN_KIND, format!("`{kind}` is not a kind of {api}"))
    } else if let Some(near) = near.filter(|near| within(near, kind, 1)).or(tail) {
        (
            &NEAR_KIND,
            format!("`{kind}` is not planned; {}", did_you_mean(near)),
        )
    } else {
        return DocumentKind::Foreign.into();
    };
    let named = node.get("kind").unwrap_or(node);
    let place = named.place();
    let mut diagnostic = Diagnostic::new(rule, message)
        .at(place, "this kind")
        .pointer("/kind")
        .object(object_of(node, kind));
    diagnostic = match near.or(tail) {
        Some(near) => diagnostic
            .help(format!("write `{near}`"))
            .fix(Fix::replace(format!("write `{near}`"), place, named.spelled(near)).risky()),
        None => {
            let names: Vec<&str> = group_kinds().map(|info| info.name).collect();
            diagnostic.help(format!("the kinds of {api} are {}", names.join(", ")))
        }
    };
    Classified {
        kind: DocumentKind::Foreign,
        refused: rule.severity == Severity::Error,
        diagnostic: Some(diagnostic),
    }
}

/// Whether a value is text: numbers and booleans cannot be names.
fn is_name(value: Node<'_>) -> bool {
    matches!(value.scalar(Dialect::Kubernetes), Some(Scalar::Text(_)))
}

/// The kinds of Airship that people write as objects of Kubernetes.
const OF_AIRSHIP: [&str; 6] = [
    "deckhand/LayeringPolicy/v1",
    "drydock/BaremetalNode/v1",
    "drydock/HardwareProfile/v1",
    "drydock/HostProfile/v1",
    "shipyard/DeploymentConfiguration/v1",
    "shipyard/DeploymentStrategy/v1",
];

/// A kind of Airship with `apiVersion` and `kind`; groups of the net may have kinds of these names.
fn airship_as_object(node: Node<'_>, api: Option<&str>, kind: &str) -> Option<Diagnostic> {
    let ours = |schema: &&&str| schema.split('/').nth(1) == Some(kind);
    let schema = OF_AIRSHIP.iter().find(ours)?;
    let place = node.get("kind")?.place();
    if api.is_some_and(|api| api.contains('.')) {
        return None;
    }
    let message = format!("{kind} with `apiVersion` and `kind` is not planned");
    let help = format!(
        "write `schema: {schema}` instead, `metadata: {{schema: metadata/Document/v1, …}}`, and \
         `data` for `spec`"
    );
    Some(
        Diagnostic::new(&NEAR_KIND, message)
            .at(place, "Airship's documents have a schema")
            .pointer("/kind")
            // One for each directory is left of them.
            .severity(Severity::Note)
            .help(help)
            .object(object_of(node, kind)),
    )
}

fn not_served(node: Node<'_>, api: &str, info: &KindInfo) -> Classified {
    let place = node.get("apiVersion").unwrap_or(node).place();
    let mut object = object_of(node, info.name);
    object.field = Some("apiVersion".into());
    object.rule = Some("notServed".into());
    let form = match info.kind {
        DocumentKind::Placement => {
            "; in v1beta1 a prioritizer is written `scoreCoordinate: {type: BuiltIn, builtIn: \
             Steady}` instead of `name: Steady`"
        }
        _ => "",
    };
    let diagnostic = Diagnostic::new(&NOT_SERVED, format!("{} is not served as {api}", info.name))
        .at(place, "this version")
        .help(format!("write `apiVersion: {}`{form}", info.api_version))
        .pointer("/apiVersion")
        .object(object);
    if OF_OTHERS.contains(&(info.name, api)) {
        let diagnostic =
            Diagnostic::new(&NOT_SERVED, format!("{} is not read as {api}", info.name))
                .at(place, "this version")
                .help(format!(
                    "planner reads `apiVersion: {}`; this version belongs to another controller",
                    info.api_version
                ))
                .severity(Severity::Note);
        return Classified {
            diagnostic: Some(diagnostic),
            ..DocumentKind::Foreign.into()
        };
    }
    Classified {
        // Its references are checked all the same: they have one form in every version.
        kind: match info.kind {
            DocumentKind::PlacementBinding => info.kind,
            _ => DocumentKind::Foreign,
        },
        refused: true,
        diagnostic: Some(diagnostic),
    }
}

/// The kind of ours that a text names although it is not YAML, and where in the text: only the
/// keys of its first column are looked at.
#[must_use]
pub fn kind_in_text(text: &str) -> Option<(&'static str, Range<usize>)> {
    let value = |key: &str| {
        let mut start = 0;
        text.split_inclusive('\n').find_map(|line| {
            let from = start;
            start += line.len();
            let rest = line.strip_prefix(key)?.strip_prefix(':')?;
            let plain = rest.split(" #").next()?;
            let value = plain.trim().trim_matches(['"', '\'']);
            let at = from + line.len() - rest.len() + rest.find(value)?;
            (!value.is_empty()).then_some((value, at..at + value.len()))
        })
    };
    let (kind, at) = value("kind")?;
    let api = value("apiVersion").map_or("", |(api, _)| api);
    let written = |info: &&KindInfo| match group(api) {
        // Helm charts choose versions by what the cluster serves.
        _ if api.contains("{{") => info.api_version.contains('.'),
        written => !written.is_empty() && written == group(info.api_version),
    };
    let mut kinds = KINDS.iter().filter(|info| info.name == kind);
    kinds.find(written).map(|info| (info.name, at))
}

/// Whether a text that is not YAML names a kind of ours anywhere, however it is laid out.
#[must_use]
pub fn names_ours(text: &str) -> bool {
    let signs = |c: char| c.is_whitespace() || "-{,\"':".contains(c);
    let value = |line: &'_ str, key: &str| {
        let rest = line.trim_start_matches(signs).strip_prefix(key)?;
        let rest = rest.trim_start_matches(['"', '\'']).strip_prefix(':')?;
        let value = rest.trim_start_matches(signs);
        let end = value.find(|c: char| c.is_whitespace() || "\"',}#".contains(c));
        Some(value[..end.unwrap_or(value.len())].to_owned())
    };
    let api = OnceCell::new();
    let in_group = |info: &KindInfo| {
        text.contains(group(info.api_version)) || !*api.get_or_init(|| text.contains("apiVersion"))
    };
    let lines = outside_blocks(text).flat_map(|line| line.split([',', '{']));
    let mut lines = lines;
    lines.any(|line| {
        let kind = value(line, "kind");
        let mut kinds = KINDS.iter();
        kind.is_some_and(|kind| kinds.any(|info| info.name == kind && in_group(info)))
            || value(line, "schema").is_some_and(|schema| is_airship_schema(&schema))
            || value(line, "type").is_some_and(|kind| kind.starts_with("senlin."))
    })
}

/// The lines of a text without those of block scalars, which are texts of other files.
fn outside_blocks(text: &str) -> impl Iterator<Item = &str> {
    // How far the key is indented that a block belongs to.
    let mut block: Option<usize> = None;
    text.split('\n').filter(move |line| {
        let rest = line.trim_start();
        let indent = line.len() - rest.len();
        if rest.is_empty() || block.is_some_and(|key| indent > key) {
            return false;
        }
        let key = rest.trim_start_matches(['-', ' ']);
        let end = line.trim_end();
        let (head, mark) = end.rsplit_once(' ').unwrap_or(("", end));
        let opens = mark.starts_with(['|', '>'])
            && mark[1..]
                .chars()
                .all(|c| c.is_ascii_digit() || "+-".contains(c))
            && head.trim_end().ends_with([':', '-']);
        block = opens.then(|| line.len() - key.len());
        true
    })
}

pub(crate) fn object_of(node: Node<'_>, kind: &str) -> Object {
    let text = |key| {
        node.at(&["metadata", key])
            .filter(|node| !node.is_null())?
            .text()
    };
    let spec = |key| node.at(&["spec", key]).and_then(Node::text);
    let mut object = Object::new(kind, text("name").unwrap_or(""));
    object.namespace = text("namespace").map(str::to_owned);
    match kind {
        "Application" => object.package = spec("package").map(str::to_owned),
        "Node" => object.cluster = spec("cluster").map(str::to_owned),
        _ => {}
    }
    object
}

/// Whether a schema text has Airship's form, `namespace/Kind/v1`.
fn is_airship_schema(schema: &str) -> bool {
    let mut parts = schema.split('/');
    let letters = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphabetic()))
    };
    let version = |part: Option<&str>| {
        part.and_then(|part| part.strip_prefix('v'))
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    letters(parts.next())
        && letters(parts.next())
        && version(parts.next())
        && parts.next().is_none()
}

/// Whether a document carries Airship's envelope, however wrong the rest of it is, or is one
/// of Pegleg's, which need none.
fn is_airship(node: Node<'_>) -> bool {
    let text = |path: &[&str]| node.at(path).and_then(Node::text).unwrap_or("");
    let envelope = text(&["metadata", "schema"]);
    let schema = text(&["schema"]);
    envelope.starts_with("metadata/Document")
        || envelope.starts_with("metadata/Control")
        || (schema.starts_with("pegleg/") && is_airship_schema(schema))
}

/// The finding for a named file that contains no mapping.
#[must_use]
pub fn not_a_mapping(node: Node<'_>) -> Diagnostic {
    let what = if node.is_sequence() {
        "a list"
    } else {
        "a single value"
    };
    Diagnostic::new(
        &NOT_A_MAPPING,
        format!("the document is {what}, not a mapping"),
    )
    .at(node.place(), "the whole document")
    .upstream("The provided spec is not a map.")
    .help("write a document with `apiVersion` and `kind`, `schema`, or `type`")
}

/// A document that is one text because no key of it has a blank behind its colon.
fn all_glued(node: Node<'_>) -> Option<Diagnostic> {
    let text = node.text().filter(|_| node.is_plain())?;
    let (key, value) = text.split_once(':')?;
    let known = ["apiVersion", "kind", "schema", "type"].contains(&key);
    let glued = known && value.starts_with(|c: char| c.is_ascii_alphanumeric());
    glued.then(|| {
        let message =
            format!("no space after `{key}:`, so the whole document is one text, not a mapping");
        Diagnostic::new(&NOT_A_MAPPING, message)
            .at(node.place(), "the whole document")
            .upstream("The provided spec is not a map.")
            .help("put a space after the colon of each key")
    })
}

/// The policies of upstream other than region placement, which are not ours.
const OTHER_POLICIES: &[&str] = &[
    "affinity",
    "batch",
    "deletion",
    "health",
    "loadbalance",
    "scaling",
    "zone_placement",
];

/// The types of documents other than policies. Profiles of other types
/// (`senlin.kubernetes.master`, …) are recognised beside another Senlin document.
const SENLIN_TYPES: &[&str] = &["senlin.action", "senlin.cluster", "senlin.profile"];

/// The policy that is planned.
const REGION_PLACEMENT: &str = "senlin.policy.region_placement";

fn is_senlin(node: Node<'_>) -> bool {
    let kind = node.get("type").and_then(Node::text).unwrap_or("");
    match kind.strip_prefix("senlin.policy.") {
        Some(policy) => !OTHER_POLICIES.contains(&policy),
        None if SENLIN_TYPES.contains(&kind) => true,
        None => node.get("version").is_some() && node.at(&["properties", "regions"]).is_some(),
    }
}

/// The key of groups that nothing names, as people write them who know the strategy and not its
/// envelope.
#[must_use]
pub fn bare_groups(node: Node<'_>) -> Option<Node<'_>> {
    let mut entries = node.entries();
    let (key, groups) = entries
        .next()
        .filter(|(key, _)| key.text() == Some("groups"))?;
    let is_group =
        |group: Node<'_>| group.get("name").is_some() && group.get("selectors").is_some();
    let found = entries.next().is_none() && groups.items().next().is_some_and(is_group);
    found.then_some(key)
}

fn bare_strategy(node: Node<'_>) -> Option<Diagnostic> {
    bare_groups(node).map(|key| {
        let message = "groups without a schema are not planned; is this a DeploymentStrategy?";
        Diagnostic::new(&NEAR_KIND, message)
            .at(key.place(), "belongs below `data`")
            .pointer("/groups")
            .help(
                "put `groups` below `data` of a document with the schema \
                 shipyard/DeploymentStrategy/v1 and Airship's metadata",
            )
    })
}

/// A type that is probably a typo for one of ours.
fn near_senlin(node: Node<'_>) -> Option<Diagnostic> {
    let kind = node.get("type")?;
    let written = kind.text().filter(|text| text.starts_with("senlin."))?;
    let mut known = SENLIN_TYPES.iter().copied().chain([REGION_PLACEMENT]);
    if let Some(bare) = written
        .strip_suffix("-1.0")
        .filter(|bare| known.any(|one| one == *bare))
    {
        let message = format!("`{written}` is not planned: its version is part of the type");
        return Some(
            Diagnostic::new(&NEAR_KIND, message)
                .at(kind.place(), "this type")
                .pointer("/type")
                .object(object_of(node, bare))
                .help(format!("write `type: {bare}` and `version: 1.0`")),
        );
    }
    let known = SENLIN_TYPES.iter().copied().chain([REGION_PLACEMENT]);
    let near = nearest(written, known)?;
    within(near, written, 1).then(|| {
        let message = format!("`{written}` is not planned; {}", did_you_mean(near));
        Diagnostic::new(&NEAR_KIND, message)
            .at(kind.place(), "this type")
            .pointer("/type")
            .object(object_of(node, written))
            .help(format!("write `{near}`"))
            .fix(Fix::replace(format!("write `{near}`"), kind.place(), near).risky())
    })
}
