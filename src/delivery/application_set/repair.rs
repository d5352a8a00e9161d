//! Obstacles between an ApplicationSet and a cluster: the decisions it reads, the clusters Argo CD
//! knows, and the values of its templates.

use super::about::About;
use super::argo::destination::Dropped;
use super::argo::generate::{Failure, Why};
use super::argo::set::{Generator, Kind};
use super::read::ApplicationSet;
use crate::delivery::repair::finder::{NAMES, ObstacleFinder, Way, any};
use crate::delivery::row::{Row, Via};
use crate::document::DocumentKind;
use crate::kit::nearest::nearest;
use crate::ocm::model::PLACEMENT_LABEL;
use crate::repair::selector::{Asking, label, unmet};
use crate::repair::{Obstacle, Target, step};
use crate::source::Place;

const DECISIONS_API: &str = "cluster.open-cluster-management.io/v1beta1";
const DECISIONS: &str = "placementdecisions";
/// The ConfigMap that the controller makes.
const MADE: &str = "acm-placement";
/// The parameters of every decision.
const PARAMETERS: [&str; 4] = ["name", "clusterName", "server", "reason"];

/// An ApplicationSet and its document.
struct Asked<'f, 'a> {
    set: &'f ApplicationSet<'a>,
    target: Target<'a>,
}

impl<'a> Asked<'_, 'a> {
    fn text(&self, place: Place) -> Option<(String, &'a str)> {
        let pointer = self.target.pointer_to(place)?;
        let text = self.target.node.pointer(&pointer)?.text()?;
        Some((pointer, text))
    }

    /// The pointers to the generators of decisions.
    fn decisions(&self) -> Vec<String> {
        let generators = self.set.set.all();
        let kinds = generators.flat_map(|generator| &generator.kinds);
        let kinds = kinds.filter(|(kind, _)| matches!(kind, Kind::Decisions(_)));
        kinds
            .filter_map(|(_, place)| self.target.pointer_to(*place))
            .collect()
    }
}

impl<'a> ObstacleFinder<'_, 'a> {
    pub(in crate::delivery) fn application_set(
        &self,
        set: &ApplicationSet<'a>,
        about: &About,
        row: &Row<'a>,
    ) -> Vec<Obstacle> {
        let kind = DocumentKind::ApplicationSet;
        let Some(target) = self.target(kind, set.id.namespace, set.id.name) else {
            return Vec::new();
        };
        let asked = Asked { set, target };
        if let Some(failure) = &about.failure {
            return vec![self.failure(&asked, failure)];
        }
        let mut found: Vec<Obstacle> = Vec::new();
        for (_, key) in &about.notes.match_keys {
            let mut obstacle = Obstacle::new("config map", "a `matchKey` that decisions have");
            for pointer in asked.decisions() {
                let name = asked
                    .target
                    .node
                    .pointer(&format!("{pointer}/configMapRef"));
                let name = name.and_then(crate::yaml::Node::text).unwrap_or_default();
                let map = self.config_map(set.id.namespace, name);
                obstacle.one(map.and_then(|map| map.set("/data/matchKey", "clusterName")));
            }
            if !key.is_empty() && obstacle.remedies.is_empty() {
                continue;
            }
            found.push(obstacle);
        }
        found.extend(self.given(&asked, row));
        found.extend(self.registered(set.id.namespace));
        found.extend(self.clusters(&asked));
        let mut left = about.left.iter();
        if let Some(left) = left.find(|left| left.own == Some(self.number)) {
            found.push(dropped(&asked, &left.why, left.place));
        }
        if found.is_empty() {
            let mut obstacle = Obstacle::new("generators", "parameters for the cluster");
            let generators = set.set.all();
            for (_, place) in generators.filter_map(|one| one.selector.as_ref()) {
                let pointer = target.pointer_to(*place);
                obstacle.blunt(pointer.and_then(|pointer| target.remove(pointer)));
            }
            found.push(obstacle);
        }
        found
    }

    /// The decisions that are read: one Placement that has the cluster is enough.
    fn given(&self, asked: &Asked<'_, 'a>, row: &Row<'a>) -> Vec<Obstacle> {
        if !asked.set.set.reads_decisions() {
            return Vec::new();
        }
        let has = |via: &&Via<'a>| via.clusters.contains(self.number as usize);
        if row.via.iter().any(|via| has(&via)) {
            return Vec::new();
        }
        let read = row.via.iter().filter_map(|via| match via.placement {
            ("Placement", namespace, name) => Some(self.decided(namespace, name)),
            ("PlacementRule", namespace, name) => Some(self.rule(namespace, name)),
            _ => None,
        });
        let ways: Vec<Way> = read.collect();
        if ways.is_empty() {
            return vec![Obstacle::new("decision", "a decision for the cluster")];
        }
        any(
            "placement",
            "one of the placements that it reads to select the cluster",
            ways,
        )
    }

    /// The clusters that Argo CD knows.
    fn registered(&self, namespace: &str) -> Vec<Obstacle> {
        let view = &self.site.deliveries.view;
        let known = view.registered.get(namespace).map(|both| &both[0]);
        let Some(known) = known.filter(|known| known.known) else {
            return Vec::new();
        };
        let number = self.number;
        if number == view.here.0 || known.clusters.contains(number as usize) {
            return Vec::new();
        }
        let gitops = self.site.model.gitops.iter().enumerate();
        let fills = gitops.filter(|(_, one)| one.argo.text == namespace);
        let ways: Vec<Way> = fills.map(|(at, _)| self.gitops(at)).collect();
        if ways.is_empty() {
            return vec![Obstacle::new("registration", "to be known to Argo CD")];
        }
        any(
            "registration",
            "one of the GitOpsClusters to register the cluster",
            ways,
        )
    }

    /// The labels that a generator of clusters asks for.
    fn clusters(&self, asked: &Asked<'_, 'a>) -> Vec<Obstacle> {
        if asked.set.set.reads_decisions() {
            return Vec::new();
        }
        let on_cluster = self.on_cluster();
        let change = |key: &str, value: Option<&str>| label(&on_cluster?, key, value);
        let mut ways: Vec<Way> = Vec::new();
        for (kind, place) in asked
            .set
            .set
            .all()
            .flat_map(|one: &Generator<'a>| &one.kinds)
        {
            let Kind::Clusters { selector, .. } = kind else {
                continue;
            };
            let Some(nest) = asked.target.pointer_to(*place) else {
                continue;
            };
            let at = format!("{nest}/selector");
            let asking = Asking {
                target: &asked.target,
                at: &at,
            };
            let lacks = unmet(
                selector,
                Some(asking),
                &|key| self.known_label(key),
                &change,
            );
            let way = lacks.into_iter().map(|(needs, remedies)| Obstacle {
                stage: "generators".to_owned(),
                needs,
                remedies,
            });
            ways.push(way.collect());
        }
        if ways.is_empty() {
            Vec::new()
        } else {
            any(
                "generators",
                "one of the generators to take the cluster",
                ways,
            )
        }
    }

    /// The labels of the Secret by which Argo CD knows the cluster: the cluster's, and its own.
    fn known_label(&self, key: &str) -> Option<&str> {
        match key {
            "argocd.argoproj.io/secret-type" => Some("cluster"),
            "apps.open-cluster-management.io/acm-cluster" => Some("true"),
            "apps.open-cluster-management.io/cluster-name" => Some(self.name),
            key => self.label(key),
        }
    }

    fn config_map(&self, namespace: &str, name: &str) -> Option<Target<'a>> {
        let written = |document: &&crate::document::Document<'a>| {
            let kind = document.node.get("kind").and_then(crate::yaml::Node::text);
            kind == Some("ConfigMap")
                && document.name() == Some(name)
                && document.namespace().unwrap_or("default") == namespace
        };
        let document = self.site.documents.all.iter().find(written)?;
        Some(Target::of(document, crate::repair::Side::Subject))
    }

    /// The failure that keeps it from generating anything.
    fn failure(&self, asked: &Asked<'_, 'a>, failure: &Failure) -> Obstacle {
        let target = &asked.target;
        let namespace = asked.set.id.namespace;
        let mut obstacle = Obstacle::new(failure.why.stage(), failure.message.clone());
        let of_decisions = asked.decisions();
        match failure.why {
            Why::Source | Why::ListKey => {
                for pointer in &of_decisions {
                    let field = format!("{pointer}/configMapRef");
                    let name = target.node.pointer(&field);
                    let name = name.and_then(crate::yaml::Node::text).unwrap_or_default();
                    let Some(map) = self.config_map(namespace, name) else {
                        let maps = self.site.model.foreign.config_maps.keys();
                        let mut here: Vec<&str> = maps
                            .filter(|(space, _)| *space == namespace)
                            .map(|(_, name)| *name)
                            .collect();
                        here.sort_unstable();
                        for other in here.into_iter().take(NAMES).chain([MADE]) {
                            obstacle.one(target.set(&*field, other));
                        }
                        continue;
                    };
                    if failure.why == Why::ListKey {
                        obstacle.one(map.set("/data/statusListKey", "decisions"));
                        continue;
                    }
                    let wanted = [("apiVersion", DECISIONS_API), ("kind", DECISIONS)];
                    let differs = |(key, value): &(&str, &str)| {
                        let found = map.node.pointer(&format!("/data/{key}"));
                        found.and_then(crate::yaml::Node::text) != Some(*value)
                    };
                    let edits = wanted.into_iter().filter(differs);
                    let edits =
                        edits.filter_map(|(key, value)| map.set(format!("/data/{key}"), value));
                    obstacle.way(edits.collect(), false);
                }
            }
            Why::Selector | Why::NoDecision => {
                for pointer in &of_decisions {
                    let selector = format!("{pointer}/labelSelector");
                    let name = target.node.pointer(&format!("{pointer}/name"));
                    let both = name.is_some() && target.node.pointer(&selector).is_some();
                    if both {
                        obstacle.one(target.remove(format!("{pointer}/name")));
                        obstacle.one(target.remove(selector));
                        continue;
                    }
                    let label = format!("{selector}/matchLabels/{}", step(PLACEMENT_LABEL));
                    for other in self.placements(namespace) {
                        let mut edits: Vec<_> = target.set(&*label, other).into_iter().collect();
                        if name.is_some() {
                            edits.extend(target.remove(format!("{pointer}/name")));
                        }
                        obstacle.way(edits, false);
                    }
                }
            }
            Why::Language => {
                if let Some((pointer, text)) = asked.text(failure.place) {
                    obstacle.one(target.set(pointer, dotted(text)));
                }
            }
            Why::Parameter => self.parameter(asked, failure, &mut obstacle),
            Why::Steps => obstacle.one(target.remove("/spec/strategy")),
            Why::Generator => {}
        }
        obstacle
    }

    /// A parameter that nothing gives: another one, or one more value.
    fn parameter(&self, asked: &Asked<'_, 'a>, failure: &Failure, obstacle: &mut Obstacle) {
        let Some(missing) = &failure.missing else {
            return;
        };
        let target = &asked.target;
        let written = asked.text(failure.place);
        // Of `values.ring` the first part is missing where there are no values.
        let missing = &match &written {
            Some((_, text)) if missing == "values" => {
                whole_value(text).unwrap_or(missing).to_owned()
            }
            _ => missing.clone(),
        };
        if let Some((pointer, text)) = written {
            let near = nearest(missing, PARAMETERS);
            for name in near.into_iter().chain(PARAMETERS) {
                let with = text.replace(missing.as_str(), name);
                let edit = target.set(&*pointer, with);
                obstacle.one(edit.filter(|_| name != "reason" && name != "server"));
            }
        }
        if let Some(value) = missing.strip_prefix("values.") {
            let own = self.label(value).unwrap_or("default");
            for pointer in asked.decisions() {
                obstacle.one(target.set(format!("{pointer}/values/{}", step(value)), own));
            }
        }
    }
}

/// The first of `values.NAME` in a text.
fn whole_value(text: &str) -> Option<&str> {
    let at = text.find("values.")?;
    let rest = &text[at..];
    let part = |one: char| one.is_ascii_alphanumeric() || ".-_".contains(one);
    let end = rest.find(|one| !part(one)).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// The obstacle of an Application that Argo CD drops for the cluster.
fn dropped(asked: &Asked<'_, '_>, why: &Dropped, place: Place) -> Obstacle {
    let target = &asked.target;
    let (stage, needs) = match why {
        Dropped::Name(_) => ("name", "a name of an Application that is valid"),
        Dropped::Twice(_) => (
            "name",
            "a name of its own for the Application of the cluster",
        ),
        _ => ("destination", "a destination that Argo CD accepts"),
    };
    let mut obstacle = Obstacle::new(stage, needs);
    let go = matches!(
        asked.set.set.language,
        crate::delivery::application_set::argo::render::Language::Go { .. }
    );
    let tag = |name: &str| {
        if go {
            format!("{{{{.{name}}}}}")
        } else {
            format!("{{{{{name}}}}}")
        }
    };
    match why {
        Dropped::Name(_) | Dropped::Twice(_) => {
            if let Some((pointer, text)) = asked.text(place) {
                let plain = text.split("{{").next().unwrap_or_default();
                let plain = plain.trim_end_matches('-');
                let joined = match plain {
                    "" => tag("name"),
                    plain => format!("{plain}-{}", tag("name")),
                };
                obstacle.one(target.set(&*pointer, joined));
                obstacle.one(target.set(pointer, tag("name")));
            }
        }
        _ => {
            const DESTINATION: &str = "/spec/template/spec/destination";
            let name = format!("{DESTINATION}/name");
            let mut edits: Vec<_> = target.set(name, tag("name")).into_iter().collect();
            edits.extend(target.remove(format!("{DESTINATION}/server")));
            obstacle.way(edits, false);
        }
    }
    obstacle.remedies.truncate(NAMES);
    obstacle
}

/// A text with `{{name}}` as templates of Go have it.
fn dotted(text: &str) -> String {
    let mut parts = text.split("{{");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let tag = part.trim_start();
        let dot = if tag.starts_with('.') { "" } else { "." };
        all.push_str(&format!("{{{{{dot}{tag}"));
    }
    all
}
