//! ApplicationSets of Argo CD, and the ConfigMaps and Secrets that they are read with.

use std::borrow::Cow;

use data_encoding::BASE64;
use rustc_hash::FxHashMap;

use super::argo::hub::{ConfigMap, Secret};
use super::argo::render::Language;
use super::argo::rolling::{Ask, Expression, MaxUpdate};
use super::argo::set::{
    AppTemplate, Decisions, Generator, Kind, Set, StepPlaces, Strategy, Values,
};
use super::argo::value::{Value, go_number};
use crate::delivery::application_set::argo::hub::RULE_LABEL;
use crate::delivery::id::Id;
use crate::document::{Document, DocumentKind, Documents};
use crate::kit::selector::LabelSelector;
use crate::ocm::lower::{Admission, Head, at, get, items, label_selector, labels, text, text_at};
use crate::ocm::model::PLACEMENT_LABEL;
use crate::source::{Place, Text};
use crate::yaml::{Dialect, Node, Scalar};

/// An ApplicationSet.
#[derive(Debug)]
pub struct ApplicationSet<'a> {
    /// Its kind, namespace, name and place.
    pub id: Id<'a>,
    /// Its generators and templates.
    pub set: Set<'a>,
}

/// The label of the Secrets by which Argo CD knows clusters.
const SECRET_TYPE: &str = "argocd.argoproj.io/secret-type";
/// The kinds of generators, in the order in which Argo CD carries out those of one entry.
const KINDS: [&str; 9] = [
    "list",
    "clusters",
    "git",
    "scmProvider",
    "clusterDecisionResource",
    "pullRequest",
    "matrix",
    "merge",
    "plugin",
];

/// The kinds whose `values` are rendered by themselves.
const WITH_VALUES: [&str; 6] = [
    "clusters",
    "git",
    "scmProvider",
    "clusterDecisionResource",
    "pullRequest",
    "plugin",
];

/// Reads an ApplicationSet.
pub(in crate::delivery) fn application_set<'a>(
    node: Node<'a>,
    admission: &mut Admission<'_, 'a>,
) -> ApplicationSet<'a> {
    let id = Id::of(admission);
    let spec = get(node, "spec");
    let field = |path: &[&str]| spec.and_then(|spec| at(spec, path));
    let options = items(field(&["goTemplateOptions"])).filter_map(Node::text);
    let missing = options
        .filter(|option| option.starts_with("missingkey="))
        .last();
    let language = if truth(field(&["goTemplate"])) {
        Language::Go {
            strict: missing == Some("missingkey=error"),
        }
    } else {
        Language::Tags
    };
    let base = field(&["template"]);
    let mut templates = vec![template(None, base, id.place)];
    let mut top = |nest: Node<'a>| match get(nest, "template") {
        None => 0,
        Some(own) => {
            templates.push(template(Some(own), base, id.place));
            templates.len() - 1
        }
    };
    let generators = items(field(&["generators"])).map(|node| generator(node, &mut top));
    let generators = generators.collect();
    let patch = field(&["templatePatch"]).and_then(Node::text);
    ApplicationSet {
        id,
        set: Set {
            language,
            generators,
            templates,
            patches_names: patch.is_some_and(|patch| patch.contains("metadata")),
            applications_sync: field(&["syncPolicy", "applicationsSync"]).map(text_at),
            preserves: truth(field(&["syncPolicy", "preserveResourcesOnDeletion"])),
            strategy: strategy(field(&["strategy"])),
        },
    }
}

fn truth(node: Option<Node<'_>>) -> bool {
    let value = node.and_then(|node| node.scalar(Dialect::Kubernetes));
    matches!(value, Some(Scalar::Bool(true)))
}

/// One generator; `top` numbers the template of one of its kinds.
fn generator<'a>(node: Node<'a>, top: &mut dyn FnMut(Node<'a>) -> usize) -> Generator<'a> {
    let mut found = Generator {
        kinds: Vec::new(),
        templates: Vec::new(),
        texts: Vec::new(),
        lenient: Vec::new(),
        selector: get(node, "selector").map(selector),
        place: node.place(),
    };
    for name in KINDS {
        let Some(nest) = get(node, name) else {
            continue;
        };
        found.kinds.push((kind(name, nest), nest.place()));
        found.templates.push(top(nest));
    }
    found
}

fn kind<'a>(name: &'static str, nest: Node<'a>) -> Kind<'a> {
    // Templates of children are never used, but rendered.
    let child = |node: Node<'a>| {
        let mut found = generator(node, &mut |_| 0);
        texts(node, &mut found.texts, &mut found.lenient);
        found
    };
    let children = || items(get(nest, "generators")).map(child).collect();
    match name {
        "list" => {
            let elements = items(get(nest, "elements"));
            let more = get(nest, "elementsYaml").map(text_at);
            Kind::List {
                elements: elements.map(|one| (value(one), one.place())).collect(),
                more: more.filter(|more| !more.text.is_empty()),
            }
        }
        "clusters" => Kind::Clusters {
            selector: get(nest, "selector")
                .map_or_else(LabelSelector::default, |one| selector(one).0),
            values: values(nest),
            flat: truth(get(nest, "flatList")),
        },
        "clusterDecisionResource" => Kind::Decisions(decisions(nest)),
        "matrix" => Kind::Matrix(children()),
        "merge" => {
            let keys = items(get(nest, "mergeKeys")).filter_map(Node::text);
            Kind::Merge(children(), keys.collect())
        }
        name => Kind::Elsewhere(name),
    }
}

/// The texts with braces of a generator, those of `values` apart.
fn texts<'a>(node: Node<'a>, found: &mut Vec<Text<'a>>, lenient: &mut Vec<Text<'a>>) {
    others(get(node, "selector"), None, &mut vec!["selector"], found);
    for name in KINDS {
        let entries = get(node, name).into_iter().flat_map(Node::entries);
        for (key, value) in entries {
            let field = key.text().unwrap_or("");
            match field {
                "generators" => items(Some(value)).for_each(|one| texts(one, found, lenient)),
                "values" if WITH_VALUES.contains(&name) => {
                    let values = value.entries().map(|(_, value)| text_at(value));
                    lenient.extend(values.filter(|value| value.text.contains("{{")));
                }
                field => others(Some(value), None, &mut vec![name, field], found),
            }
        }
    }
}

fn selector<'a>(node: Node<'a>) -> (LabelSelector<'a>, Place) {
    (label_selector(node).0, node.place())
}

fn values<'a>(nest: Node<'a>) -> Values<'a> {
    labels(get(nest, "values"))
}

/// A selector of decisions, at the label that names whose they are if it has one.
fn naming<'a>(node: Node<'a>) -> (LabelSelector<'a>, Place) {
    let (selector, whole) = selector(node);
    let mut names = [PLACEMENT_LABEL, RULE_LABEL].into_iter();
    let named = names.find_map(|label| at(node, &["matchLabels", label]));
    (selector, named.map_or(whole, Node::place))
}

fn decisions<'a>(nest: Node<'a>) -> Decisions<'a> {
    let field = |key: &str| {
        let nowhere = Text::absent(nest.place());
        get(nest, key).map_or(nowhere, text_at)
    };
    // An empty part counts as given.
    let given = |selector: &Node<'a>| {
        ["matchLabels", "matchExpressions"]
            .iter()
            .any(|part| get(*selector, part).is_some())
    };
    Decisions {
        config_map: field("configMapRef"),
        name: field("name"),
        selector: get(nest, "labelSelector").filter(given).map(naming),
        values: values(nest),
        place: nest.place(),
    }
}

/// A value of an element of a list, as JSON has it.
pub(in crate::delivery) fn value<'a>(node: Node<'a>) -> Value<'a> {
    if node.is_mapping() {
        let entries = node.entries();
        let entry =
            |(key, one): (Node<'a>, Node<'a>)| Some((Cow::Borrowed(key.text()?), value(one)));
        return Value::Map(entries.filter_map(entry).collect());
    }
    if node.is_sequence() {
        return Value::List(node.items().map(value).collect());
    }
    match node.scalar(Dialect::Kubernetes) {
        None | Some(Scalar::Null) => Value::Null,
        Some(Scalar::Bool(truth)) => Value::Plain(if truth { "true" } else { "false" }.into()),
        Some(Scalar::Int(number)) => Value::Plain(go_number(number as f64).into()),
        Some(Scalar::Float(number)) => Value::Plain(go_number(number).into()),
        Some(_) => Value::text(node.text().unwrap_or("")),
    }
}

/// The template of a generator, filled up from that of the set.
fn template<'a>(own: Option<Node<'a>>, base: Option<Node<'a>>, nowhere: Place) -> AppTemplate<'a> {
    let written = |node: Option<Node<'a>>, path: &[&str]| {
        let found = node.and_then(|node| at(node, path));
        found.filter(|found| !is_zero(*found))
    };
    let pick = |path: &[&str]| {
        let found = written(own, path).or_else(|| written(base, path));
        let nowhere = Text::absent(nowhere);
        found.map_or(nowhere, text_at)
    };
    let pairs = |path: &[&str]| {
        let mut pairs: Vec<(Text<'a>, Text<'a>)> = Vec::new();
        for node in [own, base] {
            let entries = written(node, path).into_iter().flat_map(Node::entries);
            for (key, value) in entries {
                if pairs
                    .iter()
                    .all(|(known, _)| Some(known.text) != key.text())
                {
                    pairs.push((text_at(key), text_at(value)));
                }
            }
        }
        pairs
    };
    let destination = ["spec", "destination"];
    let destination = written(own, &destination).or_else(|| written(base, &destination));
    let mut found = AppTemplate {
        name: pick(&["metadata", "name"]),
        labels: pairs(&["metadata", "labels"]),
        annotations: pairs(&["metadata", "annotations"]),
        server: pick(&["spec", "destination", "server"]),
        cluster: pick(&["spec", "destination", "name"]),
        destination: destination.or(own).or(base).map_or(nowhere, Node::place),
        others: Vec::new(),
    };
    others(own, base, &mut Vec::new(), &mut found.others);
    found
}

/// Whether a value counts as not given.
fn is_zero(node: Node<'_>) -> bool {
    if node.is_scalar() {
        node.is_null() || node.text() == Some("")
    } else {
        node.is_empty()
    }
}

/// The parts of a template that are read by themselves.
const READ: [&[&str]; 5] = [
    &["metadata", "name"],
    &["metadata", "labels"],
    &["metadata", "annotations"],
    &["spec", "destination", "name"],
    &["spec", "destination", "server"],
];

/// All texts with braces below two nodes; the first node wins.
fn others<'a>(
    own: Option<Node<'a>>,
    base: Option<Node<'a>>,
    path: &mut Vec<&'a str>,
    found: &mut Vec<Text<'a>>,
) {
    if READ.contains(&path.as_slice()) {
        return;
    }
    let own = own.filter(|own| !is_zero(*own));
    match (own, base) {
        (Some(own), Some(base)) if own.is_mapping() && base.is_mapping() => {
            for (key, value) in own.entries() {
                let Some(name) = key.text() else { continue };
                path.push(name);
                others(Some(value), get(base, name), path, found);
                path.pop();
            }
            for (key, value) in base.entries() {
                let Some(name) = key.text() else { continue };
                if own.get(name).is_none() {
                    path.push(name);
                    others(None, Some(value), path, found);
                    path.pop();
                }
            }
        }
        (Some(one), _) | (None, Some(one)) => {
            for (key, value) in one.entries() {
                let Some(name) = key.text() else { continue };
                if name.contains("{{") {
                    found.push(text_at(key));
                }
                path.push(name);
                others(Some(value), None, path, found);
                path.pop();
            }
            for item in one.items() {
                path.push("");
                others(Some(item), None, path, found);
                path.pop();
            }
            if one.is_scalar() && one.text().is_some_and(|text| text.contains("{{")) {
                found.push(text_at(one));
            }
        }
        (None, None) => {}
    }
}

fn strategy<'a>(node: Option<Node<'a>>) -> Strategy<'a> {
    let kind = node.and_then(|node| get(node, "type")).map(text_at);
    let rolling = node.and_then(|node| get(node, "rollingSync"));
    let rolling = rolling.filter(|rolling| rolling.is_mapping());
    match (kind, rolling) {
        (
            Some(Text {
                text: "RollingSync",
                ..
            }),
            Some(rolling),
        ) => {
            let nodes = || items(get(rolling, "steps"));
            let steps = nodes().map(step).collect();
            let places = nodes().map(|node| StepPlaces {
                step: node.place(),
                max_update: get(node, "maxUpdate").unwrap_or(node).place(),
                expressions: items(get(node, "matchExpressions"))
                    .map(Node::place)
                    .collect(),
            });
            Strategy::Rolling(steps, places.collect(), rolling.place())
        }
        (Some(kind), _) if !matches!(kind.text, "" | "AllAtOnce" | "RollingSync") => {
            Strategy::Misspelt(kind)
        }
        _ => Strategy::AllAtOnce,
    }
}

fn step<'a>(node: Node<'a>) -> Ask<'a> {
    let expression = |node: Node<'a>| Expression {
        key: text(node, "key"),
        operator: text(node, "operator"),
        values: items(get(node, "values")).filter_map(Node::text).collect(),
    };
    let most = get(node, "maxUpdate").map(|most| match most.scalar(Dialect::Kubernetes) {
        Some(Scalar::Int(_) | Scalar::Float(_)) => {
            MaxUpdate::Int(crate::ocm::lower::int(most).unwrap_or(0))
        }
        _ => MaxUpdate::Text(most.text().unwrap_or("")),
    });
    Ask {
        expressions: items(get(node, "matchExpressions"))
            .map(expression)
            .collect(),
        max_update: most,
    }
}

/// The clusters by the addresses that their documents give; the first one of an address.
pub(in crate::delivery) fn addresses<'a>(documents: &Documents<'a>) -> FxHashMap<&'a str, &'a str> {
    let mut found = FxHashMap::default();
    for document in documents.of(DocumentKind::ManagedCluster) {
        let configs = items(at(document.node, &["spec", "managedClusterClientConfigs"]));
        for url in configs.filter_map(|config| get(config, "url")?.text()) {
            let name = Head::of(document.node).name;
            found.entry(url.trim_end_matches('/')).or_insert(name);
        }
    }
    found
}

/// The fields read of objects of kinds that are not ours.
#[derive(Debug, Default)]
pub struct Foreign<'a> {
    /// ConfigMaps, by namespace and name.
    pub config_maps: FxHashMap<(&'a str, &'a str), ConfigMap<'a>>,
    /// The Secrets by which clusters are known, in document order.
    pub secrets: Vec<Secret<'a>>,
}

impl<'a> Foreign<'a> {
    /// The objects of a site.
    #[must_use]
    pub fn of(documents: &Documents<'a>) -> Self {
        let mut found = Self::default();
        for document in documents.of(DocumentKind::Foreign) {
            if text(document.node, "apiVersion") == "v1" {
                found.take(document);
            }
        }
        found
    }

    fn take(&mut self, document: &Document<'a>) {
        let node = document.node;
        let head = Head::of(node);
        match text(node, "kind") {
            "ConfigMap" if !head.name.is_empty() => {
                let map = ConfigMap {
                    name: head.name,
                    data: labels(get(node, "data")),
                    place: head.place,
                };
                let key = (head.namespace(), head.name);
                self.config_maps.entry(key).or_insert(map);
            }
            "Secret" => {
                let labels = labels(head.labels);
                if labels.contains(&(SECRET_TYPE, "cluster")) {
                    let entry = |key: &str| entry(node, key).unwrap_or_default();
                    self.secrets.push(Secret {
                        namespace: head.namespace(),
                        cluster: entry("name"),
                        server: entry("server"),
                        labels,
                    });
                }
            }
            _ => {}
        }
    }
}

/// An entry of a Secret, be it written plainly or encoded.
fn entry<'a>(node: Node<'a>, key: &str) -> Option<Cow<'a, str>> {
    if let Some(plain) = at(node, &["stringData", key]).and_then(Node::text) {
        return Some(Cow::Borrowed(plain));
    }
    let encoded = at(node, &["data", key])?.text()?;
    let bytes = BASE64.decode(encoded.trim().as_bytes()).ok()?;
    String::from_utf8(bytes).ok().map(Cow::Owned)
}
