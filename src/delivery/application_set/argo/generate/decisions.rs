//! The decisions of Placements (`clusterDecisionResource`).

use std::borrow::Cow;

use crate::delivery::application_set::argo::generate::fill::Filled;
use crate::delivery::application_set::argo::generate::{Failure, Outer, Run, Sets, Why};
use crate::delivery::application_set::argo::hub::{ConfigMap, Decision, Status};
use crate::delivery::application_set::argo::set::Decisions;
use crate::delivery::application_set::argo::value::{Params, Value};
use crate::kit::selector::{LabelSelector, Test};
use crate::ocm::model::PLACEMENT_LABEL;
use crate::source::Place;

const DECISIONS_API: &str = "cluster.open-cluster-management.io/v1beta1";
const DECISIONS: &str = "placementdecisions";
/// ConfigMaps that controllers and instructions make.
const MADE: [&str; 2] = ["acm-placement", "ocm-placement-generator"];

impl<'s, 'a> Run<'s, 'a> {
    pub(super) fn decisions(&mut self, asks: &Decisions<'a>, outer: Outer<'_, 'a>) -> Sets<'a> {
        let sight = self.sight;
        let config_map = self.fill(asks.config_map, outer)?;
        let name = self.fill(asks.name, outer)?;
        let (Filled::Text(config_map), Filled::Text(name)) = (config_map, name) else {
            return self.unknown();
        };
        let selector = match &asks.selector {
            None => None,
            Some((selector, place)) => match self.fill_selector(selector, *place, outer)? {
                Some(selector) => Some((selector, *place)),
                None => return self.unknown(),
            },
        };
        let config = self.config(&config_map, asks)?;
        let (api, kind) = (config.get("apiVersion"), config.get("kind"));
        let source = |message: String, help: String| {
            Err(Failure::new(Why::Source, message, config.place, help))
        };
        if kind.is_empty() || api.find('/').is_none_or(|at| at == 0) {
            let message = format!(
                "ConfigMap `{config_map}` names no resource: apiVersion `{api}`, kind `{kind}`"
            );
            return source(
                message,
                format!("write `apiVersion: {DECISIONS_API}` and `kind: {DECISIONS}`"),
            );
        }
        let given = selector.as_ref().map(|(one, place)| (one.as_ref(), *place));
        let compiled = either(given, &name, asks.place)?;
        if (api, kind) != (DECISIONS_API, DECISIONS) {
            let message =
                if kind.eq_ignore_ascii_case("placementdecision") || kind == "PlacementDecisions" {
                    format!("kind `{kind}` is not a resource name")
                } else {
                    format!("planner does not read the resource `{kind}` of `{api}`")
                };
            return source(
                message,
                format!("write `kind: {DECISIONS}` and `apiVersion: {DECISIONS_API}`"),
            );
        }
        let found = self.found(&name, compiled.as_ref());
        let place = selector.as_ref().map_or(asks.place, |(_, place)| *place);
        if found.is_empty() {
            let what = if name.is_empty() {
                "no PlacementDecision has the requested labels".to_owned()
            } else {
                format!("there is no PlacementDecision `{name}`")
            };
            let message = format!("{what} in namespace `{}`", sight.namespace);
            let help = "name a Placement in the namespace of the ApplicationSet";
            return Err(Failure::new(Why::NoDecision, message, place, help));
        }
        self.notes.objects.extend(&found);
        self.notes.taken.push((place, found.clone()));
        let match_key = config.get("matchKey");
        if !matches!(match_key, "clusterName" | "reason") {
            let key = (config.place, match_key.to_owned());
            self.notes.match_keys.insert(key);
        }
        if match_key.is_empty() {
            return Ok(Vec::new());
        }
        let list_key = match config.get("statusListKey") {
            "" => "clusters",
            key => key,
        };
        let some = |at: &usize| !matches!(sight.objects.get(*at).status, Status::None);
        if list_key != "decisions" && found.iter().any(some) {
            let message =
                format!("PlacementDecisions have no list `{list_key}`: the controller panics");
            let help = "write `statusListKey: decisions`";
            return Err(Failure::new(Why::ListKey, message, config.place, help));
        }
        let values = self.fill_values(&asks.values, asks.place, outer)?;
        let sets = found
            .into_iter()
            .flat_map(|at| match &sight.objects.get(at).status {
                Status::None => Vec::new(),
                Status::Planned(clusters) => {
                    let name = |number| sight.clusters.names.name(number);
                    let decided = clusters.iter().map(|at| Decision::planned(*at, name(*at)));
                    let sets = decided.filter_map(|one| self.decision(&one, match_key, &values));
                    sets.collect()
                }
                Status::Held(decisions) => {
                    let decided = decisions.iter();
                    let sets = decided.filter_map(|one| self.decision(one, match_key, &values));
                    sets.collect()
                }
            });
        Ok(sets.collect())
    }

    /// The ConfigMap of this name; one that everybody has is taken to be right.
    fn config(&self, name: &str, asks: &Decisions<'a>) -> Result<Cow<'s, ConfigMap<'a>>, Failure> {
        let namespace = self.sight.namespace;
        let mut found = self.sight.config_maps.iter();
        let found = match name {
            "" => None,
            name => found.find(|((space, own), _)| *space == namespace && *own == name),
        };
        if let Some((_, found)) = found {
            return Ok(Cow::Borrowed(found));
        }
        if MADE.contains(&name) {
            let data = vec![
                ("apiVersion", DECISIONS_API),
                ("kind", DECISIONS),
                ("statusListKey", "decisions"),
                ("matchKey", "clusterName"),
            ];
            return Ok(Cow::Owned(ConfigMap {
                name: asks.config_map.text,
                data,
                place: asks.config_map.place,
            }));
        }
        let message = format!("ConfigMap `{name}` is not in namespace `{namespace}`");
        let help = format!("add it, or name `{}`", MADE[0]);
        Err(Failure::new(
            Why::Source,
            message,
            asks.config_map.place,
            help,
        ))
    }

    /// The numbers of the objects of this name, or that are selected.
    fn found(&self, name: &str, selector: Option<&LabelSelector<'_>>) -> Vec<usize> {
        let (objects, namespace) = (self.sight.objects, self.sight.namespace);
        let Some(selector) = selector else {
            let mut all = objects.of(namespace);
            return all
                .find(|at| objects.get(*at).name == name)
                .into_iter()
                .collect();
        };
        // It was compiled before.
        let Ok(selector) = selector.compile() else {
            return Vec::new();
        };
        let matches = |at: &usize| objects.get(*at).matches(&selector);
        let placement = selector
            .requirements
            .iter()
            .find_map(|one| match &one.test {
                Test::In(values) if one.key == PLACEMENT_LABEL => Some(values),
                _ => None,
            });
        match placement.map(Vec::as_slice) {
            Some([placement]) => {
                let found = objects.of_placement(namespace, placement).iter();
                found.copied().filter(matches).collect()
            }
            _ => objects.of(namespace).filter(matches).collect(),
        }
    }

    /// The set of one decision, if Argo CD knows its cluster.
    fn decision(
        &mut self,
        decision: &Decision<'a>,
        match_key: &str,
        values: &[(&'a str, Value<'a>)],
    ) -> Option<Params<'a>> {
        let clusters = self.sight.clusters;
        let number = match (match_key, decision.cluster) {
            ("clusterName", Some((number, name))) if !name.is_empty() => number,
            _ => {
                let wanted = decision.text(match_key);
                clusters.names.find(&wanted)?
            }
        };
        if !self.sight.knows(number) {
            self.notes.unregistered.insert(number);
            return None;
        }
        let mut params = Params {
            entries: Vec::with_capacity(4 + values.len()),
            open: false,
            own: Some(number),
        };
        let name = clusters.names.name(number);
        let entries = &mut params.entries;
        entries.push(("name".into(), Value::text(name)));
        entries.push(("server".into(), Value::Server(number)));
        if let Some((_, name)) = decision.cluster {
            entries.push(("clusterName".into(), Value::text(name)));
        }
        if let Some(reason) = decision.reason {
            entries.push(("reason".into(), Value::text(reason)));
        }
        for (key, value) in &decision.more {
            let text = value.printed().unwrap_or_default().into_owned();
            params.set(*key, Value::Text(text.into()));
        }
        self.add_values(&mut params, values.to_vec());
        Some(params)
    }
}

/// The selector, where it is what decides: exactly one of it and the name is given.
fn either<'l>(
    selector: Option<(LabelSelector<'l>, Place)>,
    name: &str,
    place: Place,
) -> Result<Option<LabelSelector<'l>>, Failure> {
    let refuse = |message: &str, place: Place| {
        let help = "give either `name` or a `labelSelector` that is not empty";
        Err(Failure::new(Why::Selector, message, place, help))
    };
    match (selector, name.is_empty()) {
        (None, true) => refuse("neither `name` nor `labelSelector` is given", place),
        (Some((_, place)), false) => refuse("both `name` and `labelSelector` are given", place),
        (None, false) => Ok(None),
        (Some((selector, place)), true) if selector.is_empty() => {
            refuse("the `labelSelector` is empty, which is refused", place)
        }
        (Some((selector, place)), true) => match selector.compile() {
            Ok(_) => Ok(Some(selector)),
            Err(fault) => refuse(&format!("the `labelSelector` is refused: {fault}"), place),
        },
    }
}
