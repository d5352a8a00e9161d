//! References to objects outside the documents: one note per directory.

use std::collections::{BTreeMap, BTreeSet};

use crate::delivery::application_set::argo::hub::RULE_LABEL;
use crate::delivery::application_set::argo::set::Kind;
use crate::delivery::application_set::read::ApplicationSet;
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::policy::read::Selects;
use crate::delivery::rules::POLICY_ELSEWHERE;
use crate::diagnostic::{Diagnostic, Sink};
use crate::document::DocumentKind;
use crate::kit::plural::{listed, plural};
use crate::kit::vocabulary::is_slip;
use crate::ocm::model::{Model as Hub, PLACEMENT_LABEL};
use crate::source::{Place, SourceId, Sources, Text};

/// The objects of each kind, and where the first of their references is.
type ElsewhereObjects = (BTreeMap<&'static str, BTreeSet<Place>>, Place);

/// References to objects that lie elsewhere, by file; and objects that may be meant but have no
/// namespace, by file.
#[derive(Default)]
pub(in crate::delivery) struct Elsewhere(
    BTreeMap<SourceId, ElsewhereObjects>,
    BTreeMap<SourceId, BTreeSet<String>>,
);

impl Elsewhere {
    /// Takes a reference of an object, which stands at `object`.
    pub(in crate::delivery) fn add(&mut self, what: &'static str, object: Place, reference: Place) {
        let entry = self.0.entry(reference.source);
        let (kinds, _) = entry.or_insert_with(|| (BTreeMap::new(), reference));
        kinds.entry(what).or_default().insert(object);
    }

    /// Takes what may be meant by such a reference but has no namespace, if that is why.
    pub(in crate::delivery) fn lacking(&mut self, reference: Place, what: Option<String>) {
        let entry = self.1.entry(reference.source);
        entry.or_default().extend(what);
    }

    pub(in crate::delivery) fn say(self, sources: &Sources, sink: &mut Sink) {
        let mut lacking: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (source, what) in self.1 {
            let all = lacking.entry(sources.directory(source));
            all.or_default().extend(what);
        }
        let mut directories: BTreeMap<&str, ElsewhereObjects> = BTreeMap::new();
        for (source, (kinds, first)) in self.0 {
            let directory = directories.entry(sources.directory(source));
            let (all, _) = directory.or_insert_with(|| (BTreeMap::new(), first));
            for (what, objects) in kinds {
                all.entry(what).or_default().extend(objects);
            }
        }
        for (directory, (kinds, first)) in directories {
            let number = |(what, objects): (&&str, &BTreeSet<Place>)| plural(objects.len(), what);
            let numbers: Vec<String> = kinds.iter().map(number).collect();
            let verb = match kinds.values().map(BTreeSet::len).sum::<usize>() {
                1 => "refers to a policy or placement",
                _ => "refer to policies or placements",
            };
            let message = format!("{} here {verb} outside these documents", listed(&numbers));
            let lacking = lacking.remove(directory).unwrap_or_default();
            let help = match without_namespace(lacking) {
                Some(help) => help,
                None => "plan both together to see what reaches which cluster".into(),
            };
            sink.push(
                Diagnostic::new(&POLICY_ELSEWHERE, message)
                    .at(first, "the first of them")
                    .help(help),
            );
        }
    }
}

/// The help on objects without a namespace, if there are any.
fn without_namespace(lacking: BTreeSet<String>) -> Option<String> {
    /// Objects that are named.
    const NAMED: usize = 3;
    let all = lacking.len();
    let mut names: Vec<String> = lacking.into_iter().take(NAMED).collect();
    if all > NAMED {
        names.push(format!("{} more", all - NAMED));
    }
    let (have, their, they) = match all {
        0 => return None,
        1 => ("has", "its", "it is"),
        _ => ("have", "their", "they are"),
    };
    Some(format!(
        "{} here {have} no namespace; if {they} meant, write the namespace in {their} metadata",
        listed(&names)
    ))
}

/// Whether the documents hold anything that decides, or clusters to decide for; else the hub is not
/// at hand, and nothing is missing.
fn decides(model: &Model<'_>, hub: &Hub<'_>) -> bool {
    let mut refused = model.refused.keys();
    hub.holds_clusters
        || has_placements(hub)
        || !model.rules.is_empty()
        || refused.any(|(kind, ..)| *kind == DocumentKind::LegacyRule)
}

/// Whether the documents hold Placements at all.
pub(in crate::delivery) fn has_placements(hub: &Hub<'_>) -> bool {
    !(hub.placements.is_empty() && hub.refused_placements.is_empty())
}

/// Whether a Placement or rule of that name is there, or was refused.
pub(in crate::delivery) fn is_here<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    what: Selects,
    namespace: &str,
    name: &str,
) -> bool {
    let is_it = |(own, one): (&str, &str)| (own, one) == (namespace, name);
    match what {
        Selects::Placement => {
            let mut all = hub.placements.iter().chain(&hub.refused_placements);
            all.any(|one| is_it((one.namespace, one.name)))
        }
        Selects::Rule => {
            let mut all = model.rules.iter();
            all.any(|one| is_it((one.id.namespace, one.id.name)))
                || model
                    .refused
                    .contains_key(&(DocumentKind::LegacyRule, namespace, name))
        }
    }
}

/// The Placements or the rules of the documents: namespace, name and place.
pub(in crate::delivery) fn selecting<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    what: Selects,
) -> Vec<(&'a str, &'a str, Place)> {
    match what {
        Selects::Placement => {
            let all = hub.placements.iter();
            all.map(|one| (one.namespace, one.name, one.place))
                .collect()
        }
        Selects::Rule => {
            let all = model.rules.iter();
            all.map(|one| (one.id.namespace, one.id.name, one.id.place))
                .collect()
        }
    }
}

/// The placement or rule that a label of PlacementDecisions names.
pub(in crate::delivery) fn named_by<'a>(
    (key, name): &(&'a str, &'a str),
) -> Option<(Selects, &'a str)> {
    match *key {
        PLACEMENT_LABEL => Some((Selects::Placement, name)),
        RULE_LABEL => Some((Selects::Rule, name)),
        _ => None,
    }
}

/// Takes what reads Placements that the documents do not hold, and may be somewhere else.
pub(in crate::delivery) fn placements<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    elsewhere: &mut Elsewhere,
) {
    for (from, what, namespace, name) in readers(model, hub) {
        let there = is_here(model, hub, what, namespace, name.text);
        let decisions = || match what {
            Selects::Placement => {
                let mut held = hub.decisions.iter();
                held.any(|one| (one.namespace, one.placement) == (namespace, Some(name.text)))
            }
            Selects::Rule => {
                let mut held = model.decisions.values();
                held.any(|one| one.labels.contains(&(RULE_LABEL, name.text)))
            }
        };
        if !there && !decisions() && is_elsewhere(model, hub, what, &from, name.text) {
            elsewhere.add(from.kind, from.place, name.place);
            let what = model.open.lacking(&from, what.kind(), name.text);
            elsewhere.lacking(name.place, what);
        }
    }
}

/// Whether a Placement or rule that is not where it is looked for may be there all the same.
pub(in crate::delivery) fn is_elsewhere<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    what: Selects,
    from: &Id<'a>,
    name: &str,
) -> bool {
    let all = selecting(model, hub, what);
    let other = || all.iter().any(|(_, one, _)| *one == name);
    // One demo of many has its Placements made by hand.
    let apart = || {
        let slip = |(namespace, one, _): &(&str, &str, Place)| {
            *namespace == from.namespace && is_slip(name, one)
        };
        model.open.is_apart(from.place.source) && !all.iter().any(slip)
    };
    !decides(model, hub)
        || model.open.may_hold(from, what.kind(), name, other())
        || (!hub.holds_clusters && !other() && apart())
}

/// The consumers that read a Placement or rule by its name: which of the two, the namespace that it
/// is looked for in, and the name.
fn readers<'a>(model: &Model<'a>, hub: &Hub<'a>) -> Vec<(Id<'a>, Selects, &'a str, Text<'a>)> {
    let mut all = Vec::new();
    for one in &model.gitops {
        let name = one.placement.name;
        all.push((one.id, Selects::Placement, one.id.namespace, name));
    }
    for one in &model.subscriptions {
        let reference = one
            .placement
            .as_ref()
            .and_then(|one| one.reference.as_ref());
        let reference = reference.map(|one| (one.selects(), one.name));
        all.extend(reference.map(|(what, name)| (one.id, what, one.id.namespace, name)));
    }
    for one in &model.controls {
        let name = one.placement.name;
        let mut rules = model.rules.iter();
        if !rules.any(|rule| (rule.id.namespace, rule.id.name) == (one.id.namespace, name.text)) {
            all.push((one.id, Selects::Placement, one.id.namespace, name));
        }
    }
    for set in &model.application_sets {
        let labels = labelled(set);
        all.extend(labels.map(|(what, name)| (set.id, what, set.id.namespace, name)));
    }
    for addon in model
        .addons
        .iter()
        .filter(|one| one.follows && one.own.is_none())
    {
        let installs = addon.installs.iter();
        let what = Selects::Placement;
        all.extend(installs.map(|install| (addon.id, what, install.namespace, install.name)));
    }
    for set in &hub.replica_sets {
        let id = Id {
            kind: "ManifestWorkReplicaSet",
            namespace: set.namespace,
            name: set.name,
            place: set.place,
        };
        let named = set.placements.iter();
        all.extend(named.map(|one| (id, Selects::Placement, set.namespace, one.name)));
    }
    all.retain(|(.., name)| !name.text.is_empty());
    all
}

/// The Placements and rules whose label the selectors of an ApplicationSet ask for.
fn labelled<'m, 'a>(
    set: &'m ApplicationSet<'a>,
) -> impl Iterator<Item = (Selects, Text<'a>)> + use<'m, 'a> {
    let kinds = set.set.all().flat_map(|generator| &generator.kinds);
    kinds.filter_map(|(kind, _)| {
        let Kind::Decisions(asks) = kind else {
            return None;
        };
        let (selector, place) = asks.selector.as_ref()?;
        let mut labels = selector.match_labels.iter();
        let (what, text) = labels.find_map(named_by)?;
        Some((
            what,
            Text {
                text,
                place: *place,
            },
        ))
    })
}
