//! Configuration and strategies: lowering, and the checks that Shipyard makes of them.
//! Source: Shipyard, `doc/source/site-definition-documents.rst`.

use rustc_hash::FxHashMap;

use super::Omitted;
use super::hosts::word;
use super::near::{Near, add_or_name};
use crate::airship::layering::Rendered;
use crate::airship::model::{Criteria, Dependency, Group, Reading, Selector, Site, Text, Timing};
use crate::airship::rules;
use crate::diagnostic::{Diagnostic, Fix, Object, Severity, Sink};
use crate::kit::dag::Dag;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::yaml::{Dialect, Node, Scalar};

const CONFIGURATION: &str = "shipyard/DeploymentConfiguration/v1";
pub(super) const STRATEGY: &str = "shipyard/DeploymentStrategy/v1";
/// The name the configuration must have.
const CONFIGURATION_NAME: &str = "deployment-configuration";
/// The strategy in force when the configuration names none.
const DEFAULT_STRATEGY: &str = "deployment-strategy";
/// The layer of a site's own documents.
const SITE_LAYER: &str = "site";

/// How many lines of a cycle are shown.
const MOST_EDGES: usize = 50;

const DATA_KEYS: [&str; 1] = ["groups"];
const GROUP_KEYS: [&str; 5] = [
    "name",
    "critical",
    "depends_on",
    "selectors",
    "success_criteria",
];

/// Fills in strategy, groups and timing; `None` when there is none to plan.
pub(super) fn strategy<'a>(
    rendered: &[Rendered<'a>],
    omitted: &Omitted<'a>,
    reading: Reading,
    site: &mut Site<'a>,
    sink: &mut Sink,
) -> Option<()> {
    let configuration = configuration(rendered, omitted, sink);
    let strategies: Vec<&Rendered<'a>> = rendered
        .iter()
        .filter(|document| document.schema == STRATEGY)
        .collect();
    let in_force = match &configuration {
        None => None,
        Some(configuration) => named(configuration, &strategies, omitted, reading, sink),
    };
    for strategy in &strategies {
        let ours = in_force.flatten() == Some(strategy.name);
        let groups = groups(strategy, reading, ours, sink);
        if ours {
            let name = strategy.name;
            site.strategy = Some(Text {
                text: name,
                place: strategy.place,
            });
            site.groups = groups;
        }
    }
    site.timing = timing(configuration?.data()?);
    if in_force?.is_none() {
        site.groups = vec![Site::all_at_once()];
    }
    Some(())
}

fn configuration<'a>(
    rendered: &[Rendered<'a>],
    omitted: &Omitted<'a>,
    sink: &mut Sink,
) -> Option<Rendered<'a>> {
    let mut found = None;
    let mut others = Vec::new();
    for document in rendered
        .iter()
        .filter(|document| document.schema == CONFIGURATION)
    {
        if document.name == CONFIGURATION_NAME {
            found = Some(*document);
        } else {
            others.push(document);
        }
    }
    // Where none has the name, the error below says so.
    for other in others.iter().filter(|_| found.is_some()) {
        let message = format!(
            "DeploymentConfiguration `{}` has no effect: only `{CONFIGURATION_NAME}` is used",
            other.name
        );
        sink.push(
            Diagnostic::new(&rules::NOT_IN_FORCE, message)
                .at(other.place, "another name")
                .help(format!("name it `{CONFIGURATION_NAME}`"))
                .object(other.object()),
        );
    }
    // One that was refused may be meant, whatever its name is.
    if found.is_none() && !omitted.iter().any(|(schema, _)| *schema == CONFIGURATION) {
        // Nodes, profiles, networks or a policy alone are parts of a site that is not here.
        let deploys = |schema: &str| schema.starts_with("shipyard/");
        let whole = rendered
            .iter()
            .any(|document| document.lenient || deploys(document.schema))
            || omitted.iter().any(|(schema, _)| deploys(schema));
        let place = others
            .first()
            .or(rendered.first().as_ref())
            .map(|document| document.place);
        let message = format!("there is no DeploymentConfiguration `{CONFIGURATION_NAME}`");
        let help = match others.as_slice() {
            [] => format!("add a document {CONFIGURATION} named `{CONFIGURATION_NAME}`"),
            [_] => format!("name this one `{CONFIGURATION_NAME}`"),
            [..] => format!("name one of them `{CONFIGURATION_NAME}`"),
        };
        let label = if others.is_empty() {
            "a document of the site that lacks it"
        } else {
            "this name does not count"
        };
        let mut missing = Diagnostic::new(&rules::NO_CONFIGURATION, message)
            .help(help)
            .upstream("DocumentNotFoundError");
        if let Some(place) = place {
            missing = missing.at(place, label);
        }
        if !whole {
            missing = missing.not_refusing().severity(Severity::Note).help(
                "these documents are part of a site; without the configuration no \
                 deployment is planned",
            );
        }
        sink.push(missing);
    }
    found
}

/// The strategy in force: `Some(None)` is all at once; `None` has been reported.
fn named<'a>(
    configuration: &Rendered<'a>,
    strategies: &[&Rendered<'a>],
    omitted: &Omitted<'a>,
    reading: Reading,
    sink: &mut Sink,
) -> Option<Option<&'a str>> {
    let there = |name: &str| {
        strategies
            .iter()
            .find(|one| one.name == name)
            .map(|o| o.name)
    };
    let data = configuration.data()?;
    let Some(name) = data.at(&["physical_provisioner", "deployment_strategy"]) else {
        // The code knows no default name (tag `default-strategy-name`).
        return Some(match reading {
            Reading::Statement => {
                let taken = strategies.iter().find(|one| one.name == DEFAULT_STRATEGY);
                taken.map(|taken| by_default(configuration, taken, sink))
            }
            Reading::Upstream => None,
        });
    };
    let text = name.text().unwrap_or("");
    if let Some(found) = there(text) {
        return Some(Some(found));
    }
    if omitted.contains(&(STRATEGY, text)) {
        return None;
    }
    let known = strategies.iter().map(|one| one.name);
    let help = match nearest(text, known) {
        Some(near) => did_you_mean(near),
        None if text.is_empty() => {
            "leave `deployment_strategy` out to deploy all nodes at once".to_owned()
        }
        None => add_or_name(STRATEGY, text, strategies.iter().map(|one| one.name)),
    };
    sink.push(
        Diagnostic::new(
            &rules::STRATEGY_NOT_FOUND,
            format!("there is no DeploymentStrategy `{text}`"),
        )
        .at(name.place(), "no such strategy")
        .help(help)
        .upstream("DocumentNotFoundError")
        .object(configuration.object()),
    );
    None
}

/// Takes the strategy of the usual name where the configuration names none.
fn by_default<'a>(
    configuration: &Rendered<'_>,
    strategy: &Rendered<'a>,
    sink: &mut Sink,
) -> &'a str {
    let layer = strategy.layer.unwrap_or(SITE_LAYER);
    if layer == SITE_LAYER {
        return strategy.name;
    }
    let message = format!(
        "no strategy is named, so DeploymentStrategy `{DEFAULT_STRATEGY}` of layer `{layer}` \
         is used"
    );
    sink.push(
        Diagnostic::new(&rules::DEFAULT_STRATEGY, message)
            .at(
                configuration.place,
                "lacks `physical_provisioner.deployment_strategy`",
            )
            .related(strategy.place, "used")
            .help("set it; without it Shipyard and `--compat upstream` deploy all nodes at once")
            .object(configuration.object()),
    );
    strategy.name
}

/// The timing in force; 0 (and empty text) counts as not given.
fn timing(data: Node<'_>) -> Timing {
    let default = Timing::default();
    let value = |section: &str, key: &str, default: i64| {
        let scalar = data
            .at(&[section, key])
            .and_then(|node| node.scalar(Dialect::PyYaml));
        match scalar {
            Some(Scalar::Int(0)) => default,
            Some(Scalar::Int(value)) => i64::try_from(value).unwrap_or(i64::MAX),
            _ => default,
        }
    };
    let provisioner = |key, default| value("physical_provisioner", key, default);
    Timing {
        prepare_interval: provisioner("prepare_node_interval", default.prepare_interval),
        prepare_timeout: provisioner("prepare_node_timeout", default.prepare_timeout),
        deploy_interval: provisioner("deploy_interval", default.deploy_interval),
        deploy_timeout: provisioner("deploy_timeout", default.deploy_timeout),
        join_wait: provisioner("join_wait", default.join_wait),
        node_status_interval: value(
            "kubernetes",
            "node_status_interval",
            default.node_status_interval,
        ),
        node_status_timeout: value(
            "kubernetes",
            "node_status_timeout",
            default.node_status_timeout,
        ),
    }
}

/// Reports the faults of one strategy. They refuse only when it is in force: the original builds no
/// other.
struct Reporter<'s> {
    object: Object,
    severity: Severity,
    sink: &'s mut Sink,
}

impl Reporter<'_> {
    fn fault(&mut self, found: Diagnostic) {
        self.sink
            .push(found.object(self.object.clone()).severity(self.severity));
    }

    fn warn(&mut self, found: Diagnostic) {
        self.sink.push(found.object(self.object.clone()));
    }
}

pub(super) fn groups<'a>(
    strategy: &Rendered<'a>,
    reading: Reading,
    in_force: bool,
    sink: &mut Sink,
) -> Vec<Group<'a>> {
    let severity = if in_force {
        Severity::Error
    } else {
        Severity::Warning
    };
    let mut report = Reporter {
        object: strategy.object(),
        severity,
        sink,
    };
    let Some(data) = strategy.data() else {
        return Vec::new();
    };
    unknown_keys(data, &DATA_KEYS, "a strategy", &mut report);
    let mut groups = Vec::new();
    for group in data.get("groups").into_iter().flat_map(Node::items) {
        unknown_keys(group, &GROUP_KEYS, "a group", &mut report);
        groups.extend(self::group(group, reading, &mut report));
    }
    let mut groups = distinct(groups, reading, &mut report);
    let index: FxHashMap<&str, u32> = groups
        .iter()
        .map(|group| group.name.text)
        .zip(0..)
        .collect();
    for group in &mut groups {
        for need in &mut group.depends_on {
            need.group = index.get(need.name.text).copied();
        }
    }
    cycles(&groups, &mut report);
    let mut near = Near::new(groups.iter().map(|group| group.name.text));
    for group in &groups {
        for need in group.depends_on.iter().filter(|need| need.group.is_none()) {
            let suggested = near.nearest(need.name.text);
            report.fault(unknown_group(group, need, suggested, near.one_of()));
        }
    }
    groups
}

fn unknown_keys(node: Node<'_>, known: &[&str], what: &str, report: &mut Reporter<'_>) {
    for (key, _) in node.entries() {
        let text = key.text().unwrap_or("");
        if known.contains(&text) {
            continue;
        }
        let message = format!("Airship ignores the key `{text}` of {what}");
        let found = Diagnostic::new(&rules::UNKNOWN_KEY, message).at(key.place(), "has no effect");
        let free = known
            .iter()
            .copied()
            .filter(|name| node.get(name).is_none());
        report.warn(found.suggest_edit(nearest(text, free), key.place(), "remove it"));
    }
}

fn group<'a>(node: Node<'a>, reading: Reading, report: &mut Reporter<'_>) -> Option<Group<'a>> {
    let name = node.get("name").and_then(word)?;
    let critical = node
        .get("critical")
        .and_then(|node| node.scalar(Dialect::PyYaml));
    let needs = node
        .get("depends_on")
        .into_iter()
        .flat_map(Node::items)
        .filter_map(word);
    let selectors = node.get("selectors").into_iter().flat_map(Node::items);
    let selectors = selectors
        .map(|node| selector(node, name.text, reading, report))
        .collect();
    Some(Group {
        name,
        critical: critical == Some(Scalar::Bool(true)),
        depends_on: needs.map(|name| Dependency { name, group: None }).collect(),
        selectors,
        criteria: node.get("success_criteria").map(criteria),
    })
}

fn criteria(node: Node<'_>) -> Criteria {
    let value = |key: &str| match node.get(key)?.scalar(Dialect::PyYaml)? {
        Scalar::Int(value) => Some(u64::try_from(value).unwrap_or(u64::MAX)),
        Scalar::BigInt(_) => Some(u64::MAX),
        _ => None,
    };
    Criteria {
        percent: value("percent_successful_nodes"),
        minimum: value("minimum_successful_nodes"),
        maximum_failed: value("maximum_failed_nodes"),
    }
}

fn selector<'a>(
    node: Node<'a>,
    group: &str,
    reading: Reading,
    report: &mut Reporter<'_>,
) -> Selector<'a> {
    let texts = |key: &str| {
        node.get(key)
            .into_iter()
            .flat_map(Node::items)
            .filter_map(Node::text)
            .collect()
    };
    let labels = node.get("node_labels").into_iter().flat_map(Node::items);
    let (first, _) = node.entries().next().unwrap_or((node, node));
    Selector {
        place: if node.is_flow() {
            node.place()
        } else {
            first.place()
        },
        names: texts("node_names"),
        tags: texts("node_tags"),
        racks: texts("rack_names"),
        labels: labels
            .filter_map(|label| self::label(label, group, reading, report))
            .collect(),
    }
}

/// `key:value`, with exactly one colon and something on both sides; blanks around are dropped.
fn label<'a>(
    node: Node<'a>,
    group: &str,
    reading: Reading,
    report: &mut Reporter<'_>,
) -> Option<(&'a str, &'a str)> {
    let pair = if let Some((key, value)) = node.entries().next() {
        let (name, value) = (key.text()?, value.text()?);
        let message = format!("YAML reads the label `{name}: {value}` as a mapping, not as text");
        let mut found = Diagnostic::new(&rules::LABEL_AS_MAPPING, message)
            .at(key.place(), "Airship refuses this")
            .help(format!("quote it: \"{name}: {value}\""));
        if !node.is_flow() {
            let place = crate::source::Place {
                source: node.place().source,
                span: crate::source::Span {
                    start: key.span().start,
                    end: node
                        .entries()
                        .next()
                        .map_or(key.span().end, |(_, v)| v.span().end),
                },
            };
            let quoted = format!("\"{name}: {value}\"");
            if !quoted.contains('\\') && !name.contains('"') && !value.contains('"') {
                found = found.fix(Fix::replace("quote it", place, quoted));
            }
        }
        if reading == Reading::Upstream {
            // The code's schema refuses it in every strategy, in force or not.
            let mut refused = found
                .severity(Severity::Error)
                .upstream("InvalidDocumentFormat");
            refused.refuses = true;
            report.warn(refused);
            return None;
        }
        report.warn(found);
        (!name.contains(':') && !value.contains(':')).then_some((name, value))
    } else {
        let text = node.text()?;
        text.split_once(':')
            .filter(|(_, value)| !value.contains(':'))
    };
    let pair = pair.map(|(key, value)| (key.trim(), value.trim()));
    let good = pair.filter(|(key, value)| !key.is_empty() && !value.is_empty());
    if good.is_none() {
        let text = node.text().unwrap_or("");
        let message = format!("the label `{text}` of group `{group}` is not `key:value`");
        report.fault(
            Diagnostic::new(&rules::BAD_LABEL, message)
                .at(
                    node.place(),
                    "needs exactly one colon, and text on both sides",
                )
                .help("write `key:value`")
                .upstream("DocumentValidationProcessingError"),
        );
    }
    good
}

/// Two groups of one name: an error here; in the code the later one silently takes the earlier
/// one's place (tag `duplicate-group-name`).
fn distinct<'a>(
    groups: Vec<Group<'a>>,
    reading: Reading,
    report: &mut Reporter<'_>,
) -> Vec<Group<'a>> {
    let mut index: FxHashMap<&str, usize> = FxHashMap::default();
    let mut kept: Vec<Group<'a>> = Vec::with_capacity(groups.len());
    for group in groups {
        let Some(at) = index.get(group.name.text).copied() else {
            index.insert(group.name.text, kept.len());
            kept.push(group);
            continue;
        };
        let message = format!("there is a second group `{}`", group.name.text);
        let found = Diagnostic::new(&rules::DUPLICATE_GROUP, message)
            .at(group.name.place, "again here")
            .related(kept[at].name.place, "first here")
            .help("rename one of them; Airship silently keeps only the later one");
        if reading == Reading::Upstream {
            report.warn(found.severity(Severity::Warning));
            kept[at] = group;
        } else {
            report.fault(found);
        }
    }
    kept
}

fn cycles(groups: &[Group<'_>], report: &mut Reporter<'_>) {
    let needs = |group: &Group<'_>| {
        group
            .depends_on
            .iter()
            .filter_map(|need| need.group)
            .collect()
    };
    let graph = Dag::new(&groups.iter().map(needs).collect::<Vec<Vec<u32>>>());
    for path in graph.cycles() {
        // Each is followed by one that depends on it: the other way round it reads "needs".
        let path: Vec<u32> = path.into_iter().rev().collect();
        let name = |number: u32| groups[number as usize].name.text;
        let message = if let [one] = path[..] {
            format!("group `{}` depends on itself", name(one))
        } else {
            let shown: Vec<&str> = path.iter().take(12).map(|one| name(*one)).collect();
            let more = path.len().saturating_sub(12);
            let rest = if more > 0 {
                format!(" -> … ({more} more)")
            } else {
                String::new()
            };
            let list = shown.join(" -> ");
            format!(
                "groups depend on each other: {list}{rest} -> {}",
                name(path[0])
            )
        };
        let edges = path
            .iter()
            .zip(path.iter().cycle().skip(1))
            .filter_map(|(from, to)| {
                let group = &groups[*from as usize];
                let need = group
                    .depends_on
                    .iter()
                    .find(|need| need.group == Some(*to))?;
                Some((
                    need.name.place,
                    format!("`{}` needs `{}`", group.name.text, need.name.text),
                ))
            });
        let mut found = Diagnostic::new(&rules::DEPENDENCY_CYCLE, message)
            .help("remove one of these dependencies")
            .upstream("DeploymentGroupCycleError");
        for (number, (place, label)) in edges.take(MOST_EDGES).enumerate() {
            found = if number == 0 {
                found.at(place, label)
            } else {
                found.related(place, label)
            };
        }
        report.fault(found);
    }
}

fn unknown_group(
    group: &Group<'_>,
    need: &Dependency<'_>,
    near: Option<&str>,
    known: Option<String>,
) -> Diagnostic {
    let exact = "names are compared exactly, including case and spaces";
    let otherwise = known.map_or(exact.to_owned(), |known| {
        format!("name {known}, or leave it out: `[]` needs no group")
    });
    let message = format!(
        "group `{}` depends on `{}`, which is not a group",
        group.name.text, need.name.text
    );
    Diagnostic::new(&rules::UNKNOWN_GROUP, message)
        .at(need.name.place, "no such group")
        .upstream("DocumentValidationProcessingError")
        .suggest_edit(near, need.name.place, otherwise)
}
