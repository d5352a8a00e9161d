//! Generators: the sets of parameters that an ApplicationSet is filled in with.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::hub::{ConfigMap, Decision, IN_CLUSTER, IN_CLUSTER_SERVER, Sight, Status};
use super::set::{Decisions, Generator, Kind, Values};
use super::template::{Fault, Language, Rendered, Template};
use super::value::{Params, Value};
use crate::kit::selector::{
    Expression, LabelSelector, Requirement, Selector, Test, qualified_name_problems,
};
use crate::source::{Place, Text};

/// What keeps an ApplicationSet from generating; each is a finding of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The ConfigMap, or the resource that it names, is not there.
    Source,
    /// Nothing is named, or both ways are used.
    Selector,
    /// The list of decisions is not under that key.
    ListKey,
    /// No decision is chosen.
    NoDecision,
    /// A generator that is refused.
    Generator,
    /// A parameter that nothing gives.
    Parameter,
    /// The other language of templates.
    Language,
    /// A rollout without steps.
    Steps,
}

/// Why an ApplicationSet is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind of fault it is.
    pub why: Why,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What to do.
    pub help: String,
}

impl Failure {
    fn new(why: Why, message: impl Into<String>, place: Place, help: impl Into<String>) -> Self {
        Self {
            why,
            message: message.into(),
            place,
            help: help.into(),
        }
    }

    /// A template that cannot be rendered.
    pub(super) fn template(fault: &Fault, text: &str, place: Place) -> Self {
        let (why, help) = match fault {
            Fault::NoFunction(name) => (Why::Language, format!("write `{{{{.{name}}}}}`")),
            Fault::Unclosed => (Why::Parameter, "close it with `}}`".to_owned()),
            Fault::MissingKey(_) | Fault::NoField(..) => (
                Why::Parameter,
                "correct the name, or add it to the `values` of the generator".to_owned(),
            ),
        };
        Self::new(why, fault.message(text), place, help)
    }
}

/// What was read and left out on the way.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// The numbers of the objects that were read.
    pub objects: BTreeSet<usize>,
    /// The decided clusters that Argo CD does not know.
    pub unregistered: BTreeSet<u32>,
    /// Selectors and names of decisions: what each of them took.
    pub taken: Vec<(Place, Vec<usize>)>,
    /// ConfigMaps without a usable `matchKey`, and what it is.
    pub match_keys: BTreeSet<(Place, String)>,
    /// Whether something was asked that the documents do not say.
    pub unknown: bool,
}

/// The filled-in generators of one ApplicationSet.
pub struct Run<'s, 'a> {
    sight: &'s Sight<'s, 'a>,
    language: Language,
    /// What was read and left out.
    pub notes: Notes,
}

type Sets<'a> = Result<Vec<Params<'a>>, Failure>;
/// The sets that texts are filled in with, outermost first.
type Outer<'o, 'a> = &'o [&'o Params<'a>];

/// A text that is filled in, if it is known.
enum Filled<'a> {
    Text(Cow<'a, str>),
    Server(u32),
    Unknown,
}

impl<'s, 'a> Run<'s, 'a> {
    /// A run over what Argo CD sees.
    #[must_use]
    pub fn new(sight: &'s Sight<'s, 'a>, language: Language) -> Self {
        Self {
            sight,
            language,
            notes: Notes::default(),
        }
    }

    /// The sets of one kind of a generator of the top.
    ///
    /// # Errors
    /// What keeps the whole ApplicationSet from generating.
    pub fn top(&mut self, generator: &Generator<'a>, kind: usize) -> Sets<'a> {
        let selector = selector(generator)?;
        let sets = self.kind(&generator.kinds[kind], &[], 0)?;
        Ok(self.select(sets, selector.as_ref()))
    }

    fn select(
        &mut self,
        mut sets: Vec<Params<'a>>,
        selector: Option<&Selector<'_>>,
    ) -> Vec<Params<'a>> {
        let Some(selector) = selector else {
            return sets;
        };
        let mut unknown = false;
        let mut holds =
            |set: &Params<'a>, requirement: &Requirement<'_>| match set.flat(requirement.key) {
                None => requirement.matches(None),
                Some(value) => match value.printed() {
                    Some(text) => requirement.matches(Some(&text)),
                    None => {
                        unknown = true;
                        true
                    }
                },
            };
        sets.retain(|set| {
            let mut all = selector.requirements.iter();
            all.all(|requirement| holds(set, requirement))
        });
        self.notes.unknown |= unknown;
        sets
    }

    fn child(&mut self, generator: &Generator<'a>, outer: Outer<'_, 'a>, depth: usize) -> Sets<'a> {
        let selector = selector(generator)?;
        let [kind] = generator.kinds.as_slice() else {
            let count = generator.kinds.len();
            let message = format!("a child has {count} generators, and one is wanted");
            let help = "give each child of a matrix or merge one generator";
            return Err(Failure::new(Why::Generator, message, generator.place, help));
        };
        let sets = self.kind(kind, outer, depth)?;
        Ok(self.select(sets, selector.as_ref()))
    }

    fn kind(&mut self, kind: &(Kind<'a>, Place), outer: Outer<'_, 'a>, depth: usize) -> Sets<'a> {
        let (kind, place) = kind;
        let nested = matches!(kind, Kind::Matrix(_) | Kind::Merge(..));
        if nested && depth > 1 {
            let message = "a matrix or merge stands in the child of a child";
            let help = "nest one matrix or merge in another, and no deeper";
            return Err(Failure::new(Why::Generator, message, *place, help));
        }
        match kind {
            Kind::List { elements, more } => self.list(elements, *more, outer),
            Kind::Clusters {
                selector,
                values,
                flat,
            } => self.clusters(selector, values, *flat, outer, *place),
            Kind::Decisions(decisions) => self.decisions(decisions, outer),
            Kind::Matrix(children) => self.matrix(children, outer, depth, *place),
            Kind::Merge(children, keys) => self.merge(children, keys, outer, depth, *place),
            Kind::Elsewhere(_) => {
                self.notes.unknown = true;
                Ok(vec![Params::unknown()])
            }
        }
    }

    fn unknown(&mut self) -> Sets<'a> {
        self.notes.unknown = true;
        Ok(vec![Params::unknown()])
    }

    /// Fills a text in with each outer set in turn.
    fn fill(&self, text: Text<'a>, outer: Outer<'_, 'a>) -> Result<Filled<'a>, Failure> {
        let fault = |fault: Fault| Failure::template(&fault, text.text, text.place);
        self.fill_in(text.text, outer, self.language).map_err(fault)
    }

    fn fill_in(
        &self,
        text: &'a str,
        outer: Outer<'_, 'a>,
        language: Language,
    ) -> Result<Filled<'a>, Fault> {
        let mut filled = Cow::Borrowed(text);
        for params in outer.iter().filter(|params| !params.is_empty()) {
            let template = Template::parse(&filled, language)?;
            if template.literal().is_some() {
                continue;
            }
            filled = match template.render(params, language)? {
                Rendered::Text(text) => Cow::Owned(text),
                Rendered::Server(cluster) => return Ok(Filled::Server(cluster)),
                Rendered::Unknown => return Ok(Filled::Unknown),
            };
        }
        Ok(Filled::Text(filled))
    }

    fn fill_value(
        &self,
        value: &Value<'a>,
        place: Place,
        outer: Outer<'_, 'a>,
    ) -> Result<Value<'a>, Failure> {
        let fill = |text: &Cow<'a, str>| {
            let fault = |fault: Fault| Failure::template(&fault, text, place);
            match text {
                Cow::Borrowed(text) => self.fill_in(text, outer, self.language).map_err(fault),
                Cow::Owned(text) => Ok(Filled::Text(Cow::Owned(text.clone()))),
            }
        };
        Ok(match value {
            Value::Text(text) => match fill(text)? {
                Filled::Text(text) => Value::Text(text),
                Filled::Server(cluster) => Value::Server(cluster),
                Filled::Unknown => Value::Unknown,
            },
            Value::List(items) => {
                let items = items.iter().map(|item| self.fill_value(item, place, outer));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Value::Map(entries) => {
                let mut filled = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let Filled::Text(key) = fill(key)? else {
                        return Ok(Value::Unknown);
                    };
                    filled.push((key, self.fill_value(value, place, outer)?));
                }
                Value::Map(filled)
            }
            other => other.clone(),
        })
    }

    /// A selector filled in; `None` where it is not known.
    fn fill_selector(
        &self,
        selector: &LabelSelector<'a>,
        place: Place,
        outer: Outer<'_, 'a>,
    ) -> Result<Option<OwnedSelector<'a>>, Failure> {
        let mut known = true;
        let mut fill = |text: &'a str| match self.fill(Text { text, place }, outer)? {
            Filled::Text(text) => Ok(text),
            _ => {
                known = false;
                Ok(Cow::Borrowed(""))
            }
        };
        let mut filled = OwnedSelector::default();
        for (key, value) in &selector.match_labels {
            filled.labels.push((fill(key)?, fill(value)?));
        }
        for expression in &selector.match_expressions {
            let values: Result<Vec<_>, _> =
                expression.values.iter().map(|value| fill(value)).collect();
            let (key, operator) = (fill(expression.key)?, fill(expression.operator)?);
            filled.expressions.push((key, operator, values?));
        }
        Ok(known.then_some(filled))
    }

    /// `values` of a generator in a matrix; those that ask for what is missing stay as they are.
    fn fill_values(
        &self,
        values: &Values<'a>,
        place: Place,
        outer: Outer<'_, 'a>,
    ) -> Result<Vec<(&'a str, Value<'a>)>, Failure> {
        let language = match self.language {
            Language::Tags => Language::Tags,
            Language::Go { .. } => Language::Go { strict: true },
        };
        let mut filled = Vec::with_capacity(values.len());
        for (key, text) in values {
            let value = match self.fill_in(text, outer, language) {
                Ok(Filled::Text(text)) => Value::Text(text),
                Ok(Filled::Server(cluster)) => Value::Server(cluster),
                Ok(Filled::Unknown) => Value::Unknown,
                Err(fault) if fault.is_missing() => Value::text(text),
                Err(fault) => return Err(Failure::template(&fault, text, place)),
            };
            filled.push((*key, value));
        }
        Ok(filled)
    }

    fn add_values(&self, params: &mut Params<'a>, values: Vec<(&'a str, Value<'a>)>) {
        if values.is_empty() {
            return;
        }
        match self.language {
            Language::Tags => {
                for (key, value) in values {
                    params.set(format!("values.{key}"), value);
                }
            }
            Language::Go { .. } => {
                let values = values.into_iter().map(|(key, value)| (key.into(), value));
                params.set("values", Value::Map(values.collect()));
            }
        }
    }

    fn list(
        &mut self,
        elements: &[(Value<'a>, Place)],
        more: Option<Text<'a>>,
        outer: Outer<'_, 'a>,
    ) -> Sets<'a> {
        let mut sets = Vec::with_capacity(elements.len());
        for (element, place) in elements {
            match self.fill_value(element, *place, outer)? {
                Value::Map(entries) => sets.push(self.element(entries, *place)?),
                Value::Null => sets.push(Params::default()),
                Value::Unknown => sets.extend(self.unknown()?),
                _ => {
                    let message = "an element of a list generator is no mapping";
                    let help = "write `- {name: value}`";
                    return Err(Failure::new(Why::Generator, message, *place, help));
                }
            }
        }
        if let Some(more) = more {
            match self.fill(more, outer)? {
                Filled::Text(text) if !text.contains("{{") => {
                    sets.extend(elements_of(&text, more.place)?);
                }
                _ => sets.extend(self.unknown()?),
            }
        }
        Ok(sets)
    }

    /// An element of a list; without Go templates all of it must be texts.
    fn element(
        &self,
        entries: Vec<(Cow<'a, str>, Value<'a>)>,
        place: Place,
    ) -> Result<Params<'a>, Failure> {
        let mut params = Params::default();
        if let Language::Go { .. } = self.language {
            params.entries = entries;
            return Ok(params);
        }
        let no_text = |key: &str| {
            let message = format!("`{key}` of a list element is no text");
            let help = "quote the value, or set `goTemplate: true`";
            Failure::new(Why::Generator, message, place, help)
        };
        let is_text =
            |value: &Value<'_>| matches!(value, Value::Text(_) | Value::Server(_) | Value::Unknown);
        for (key, value) in entries {
            match value {
                Value::Map(values) if key == "values" => {
                    for (name, value) in values {
                        if !is_text(&value) {
                            return Err(no_text(&format!("values.{name}")));
                        }
                        params.set(format!("values.{name}"), value);
                    }
                }
                _ if key == "values" => {
                    let message = "`values` of a list element is no mapping";
                    let help = "write `values: {name: value}`";
                    return Err(Failure::new(Why::Generator, message, place, help));
                }
                value if is_text(&value) => params.set(key, value),
                _ => return Err(no_text(&key)),
            }
        }
        Ok(params)
    }

    fn clusters(
        &mut self,
        selector: &LabelSelector<'a>,
        values: &Values<'a>,
        flat: bool,
        outer: Outer<'_, 'a>,
        place: Place,
    ) -> Sets<'a> {
        let sight = self.sight;
        let Some(filled) = self.fill_selector(selector, place, outer)? else {
            return self.unknown();
        };
        let selector = filled.as_ref();
        let compiled = selector.compile().map_err(|fault| {
            let message = format!("the selector of the clusters is refused: {fault}");
            Failure::new(Why::Generator, message, place, "correct the selector")
        })?;
        if !sight.registered.known || flat {
            return self.unknown();
        }
        let values = self.fill_values(values, place, outer)?;
        let mut sets = Vec::new();
        let mut known_by_address = false;
        for secret in &sight.registered.secrets {
            let mut labels = secret.labels.clone();
            labels.retain(|(key, _)| *key != SECRET_TYPE);
            labels.push((SECRET_TYPE, "cluster"));
            let here = secret.server.trim_end_matches('/') == IN_CLUSTER_SERVER;
            known_by_address |= here;
            let number = sight.clusters.names.find(&secret.cluster);
            let number = if here {
                Some(sight.clusters.in_cluster)
            } else {
                number
            };
            if matches(&compiled, &labels) {
                let server = match number {
                    Some(number) => Value::Server(number),
                    None => Value::Text(secret.server.to_string().into()),
                };
                let name = Cow::Owned(secret.cluster.to_string());
                sets.push(self.cluster((name, number, server), Some(labels), &values, place)?);
            }
        }
        for number in &sight.registered.imported {
            let name = sight.clusters.names.name(*number);
            let own = sight.clusters.labels.get(number);
            let mut labels = own.cloned().unwrap_or_default();
            let ours = [
                (SECRET_TYPE, "cluster"),
                (ACM_CLUSTER, "true"),
                (ACM_NAME, name),
            ];
            labels.retain(|(key, _)| ours.iter().all(|(our, _)| our != key));
            labels.extend(ours);
            if matches(&compiled, &labels) {
                let known = (Cow::Borrowed(name), Some(*number), Value::Server(*number));
                sets.push(self.cluster(known, Some(labels), &values, place)?);
            }
        }
        if selector.is_empty() && !known_by_address {
            let number = sight.clusters.in_cluster;
            let known = (
                Cow::Borrowed(IN_CLUSTER),
                Some(number),
                Value::Server(number),
            );
            sets.push(self.cluster(known, None, &values, place)?);
        }
        Ok(sets)
    }

    /// The set of one cluster that Argo CD knows.
    fn cluster(
        &self,
        (name, number, server): (Cow<'a, str>, Option<u32>, Value<'a>),
        labels: Option<Vec<(&'a str, &'a str)>>,
        values: &[(&'a str, Value<'a>)],
        place: Place,
    ) -> Result<Params<'a>, Failure> {
        let mut params = Params {
            own: number,
            ..Params::default()
        };
        params.set("nameNormalized", Value::Text(normalized(&name).into()));
        params.set("name", Value::Text(name));
        params.set("server", server);
        params.set("project", Value::text(""));
        let labels = labels.map(|labels| {
            let labels = labels.into_iter();
            labels.map(|(key, value)| (key, Value::text(value)))
        });
        match (self.language, labels) {
            (_, None) => {}
            (Language::Tags, Some(labels)) => {
                for (key, value) in labels {
                    params.set(format!("metadata.labels.{key}"), value);
                }
            }
            (Language::Go { .. }, Some(labels)) => {
                let labels = labels
                    .map(|(key, value)| (Cow::Borrowed(key), value))
                    .collect();
                let metadata = vec![("labels".into(), Value::Map(labels))];
                params.set("metadata", Value::Map(metadata));
            }
        }
        let mut rendered = Vec::with_capacity(values.len());
        for (key, value) in values {
            let value = match value {
                Value::Text(text) => self.value(text, &params, place)?,
                other => other.clone(),
            };
            rendered.push((*key, value));
        }
        self.add_values(&mut params, rendered);
        Ok(params)
    }

    fn value(&self, text: &str, params: &Params<'a>, place: Place) -> Result<Value<'a>, Failure> {
        let fault = |fault: Fault| Failure::template(&fault, text, place);
        let template = Template::parse(text, self.language).map_err(fault)?;
        let rendered = template.render(params, self.language).map_err(fault)?;
        Ok(match rendered {
            Rendered::Text(text) => Value::Text(Cow::Owned(text)),
            Rendered::Server(cluster) => Value::Server(cluster),
            Rendered::Unknown => Value::Unknown,
        })
    }

    fn decisions(&mut self, asks: &Decisions<'a>, outer: Outer<'_, 'a>) -> Sets<'a> {
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
        let refuse = |message: &str, place: Place| {
            let help = "give either `name` or a `labelSelector` that is not empty";
            Err(Failure::new(Why::Selector, message, place, help))
        };
        let compiled = match (&selector, name.is_empty()) {
            (None, true) => {
                return refuse("neither `name` nor `labelSelector` is given", asks.place);
            }
            (Some((_, place)), false) => {
                return refuse("both `name` and `labelSelector` are given", *place);
            }
            (None, false) => None,
            (Some((selector, place)), true) => {
                let selector = selector.as_ref();
                if selector.is_empty() {
                    return refuse("the `labelSelector` is empty, which is refused", *place);
                }
                match selector.compile() {
                    Ok(_) => Some(selector),
                    Err(fault) => {
                        let message = format!("the `labelSelector` is refused: {fault}");
                        return refuse(&message, *place);
                    }
                }
            }
        };
        if (api, kind) != (DECISIONS_API, DECISIONS) {
            let message = match kind.eq_ignore_ascii_case("placementdecision")
                || kind == "PlacementDecisions"
            {
                true => format!("kind `{kind}` is not a resource name"),
                false => format!("`{kind}` of `{api}` is not planned, or no resource at all"),
            };
            return source(
                message,
                format!("write `kind: {DECISIONS}` and `apiVersion: {DECISIONS_API}`"),
            );
        }
        let found = self.found(&name, compiled.as_ref());
        let place = selector.as_ref().map_or(asks.place, |(_, place)| *place);
        if found.is_empty() {
            let what = match name.is_empty() {
                true => "no PlacementDecision has the labels that are asked for".to_owned(),
                false => format!("there is no PlacementDecision `{name}`"),
            };
            let message = format!("{what} in namespace `{}`", sight.namespace);
            let help = "name a Placement of the namespace of the ApplicationSet";
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
        let mut sets = Vec::new();
        for at in found {
            match &sight.objects.get(at).status {
                Status::None => {}
                Status::Planned(clusters) => {
                    for number in clusters {
                        let name = sight.clusters.names.name(*number);
                        let decision = Decision::planned(*number, name);
                        sets.extend(self.decision(&decision, match_key, &values));
                    }
                }
                Status::Held(decisions) => {
                    for decision in decisions {
                        sets.extend(self.decision(decision, match_key, &values));
                    }
                }
            }
        }
        Ok(sets)
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
                Test::In(values) if one.key == crate::ocm::model::PLACEMENT_LABEL => Some(values),
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

    fn matrix(
        &mut self,
        children: &[Generator<'a>],
        outer: Outer<'_, 'a>,
        depth: usize,
        place: Place,
    ) -> Sets<'a> {
        let [first, second] = children else {
            let message = format!(
                "a matrix has {} children, and two are wanted",
                children.len()
            );
            let help = "give it two, or nest another matrix";
            return Err(Failure::new(Why::Generator, message, place, help));
        };
        let mut sets = Vec::new();
        for a in self.child(first, outer, depth + 1)? {
            let mut inner: Vec<&Params<'a>> = outer.to_vec();
            inner.push(&a);
            for b in self.child(second, &inner, depth + 1)? {
                sets.push(match self.language {
                    Language::Go { .. } => {
                        let mut both = b;
                        let own = a.own.or(both.own);
                        both.override_with(a.clone(), true);
                        both.own = own;
                        both
                    }
                    Language::Tags => a.combine(&b).map_err(|key| {
                        let message =
                            format!("both children of the matrix give `{key}`, and not the same");
                        let help = format!("rename `{key}` in one of them");
                        Failure::new(Why::Generator, message, place, help)
                    })?,
                });
            }
        }
        Ok(sets)
    }

    fn merge(
        &mut self,
        children: &[Generator<'a>],
        keys: &[&'a str],
        outer: Outer<'_, 'a>,
        depth: usize,
        place: Place,
    ) -> Sets<'a> {
        if children.len() < 2 {
            let message = "a merge has fewer than two children";
            let help = "give it two or more";
            return Err(Failure::new(Why::Generator, message, place, help));
        }
        let mut results = Vec::with_capacity(children.len());
        for child in children {
            results.push(self.child(child, outer, depth + 1)?);
        }
        if keys.is_empty() {
            let message = "a merge has no `mergeKeys`";
            let help = "name the parameters by which sets belong together";
            return Err(Failure::new(Why::Generator, message, place, help));
        }
        let mut keys = keys.to_vec();
        keys.sort_unstable();
        keys.dedup();
        for sets in &results {
            let mut seen = FxHashSet::default();
            for key in sets
                .iter()
                .filter(|set| !set.open)
                .map(|set| key_of(set, &keys))
            {
                if !seen.insert(key) {
                    let message = format!(
                        "two sets of one child have the same `{}`",
                        keys.join("`, `")
                    );
                    let help = "merge by a parameter that is different in each set";
                    return Err(Failure::new(Why::Generator, message, place, help));
                }
            }
        }
        let deep = matches!(self.language, Language::Go { .. });
        let mut results = results.into_iter();
        let mut base = results.next().unwrap_or_default();
        for sets in results {
            let unknown = sets.iter().any(|set| set.open);
            let mut by_key: FxHashMap<Vec<Option<Value<'a>>>, Params<'a>> = FxHashMap::default();
            let known = sets.into_iter().filter(|set| !set.open);
            by_key.extend(known.map(|set| (key_of(&set, &keys), set)));
            for set in &mut base {
                if let Some(other) = by_key.remove(&key_of(set, &keys)) {
                    let own = set.own.or(other.own);
                    set.override_with(other, deep);
                    set.own = own;
                }
                if unknown {
                    set.open = true;
                    for (key, value) in &mut set.entries {
                        if keys.iter().all(|one| one != key) {
                            *value = Value::Unknown;
                        }
                    }
                }
            }
        }
        Ok(base)
    }
}

const SECRET_TYPE: &str = "argocd.argoproj.io/secret-type";
const ACM_CLUSTER: &str = "apps.open-cluster-management.io/acm-cluster";
const ACM_NAME: &str = "apps.open-cluster-management.io/cluster-name";
const DECISIONS_API: &str = "cluster.open-cluster-management.io/v1beta1";
const DECISIONS: &str = "placementdecisions";
/// ConfigMaps that controllers and instructions make.
const MADE: [&str; 2] = ["acm-placement", "ocm-placement-generator"];

/// The elements of `elementsYaml`, which may be of any type.
fn elements_of<'a>(text: &str, place: Place) -> Sets<'a> {
    let read: Result<Vec<serde_json::Map<String, serde_json::Value>>, _> =
        serde_yaml::from_str(text);
    let maps = read.map_err(|_| {
        let message = "`elementsYaml` is no list of mappings";
        Failure::new(Why::Generator, message, place, "write `- name: value`")
    })?;
    let set = |map: serde_json::Map<String, serde_json::Value>| Params {
        entries: map
            .into_iter()
            .map(|(key, value)| (key.into(), Value::of_json(value)))
            .collect(),
        ..Params::default()
    };
    Ok(maps.into_iter().map(set).collect())
}

/// The values of a set by which it is merged.
fn key_of<'a>(set: &Params<'a>, keys: &[&str]) -> Vec<Option<Value<'a>>> {
    let value = |key: &&str| set.get(key).filter(|value| **value != Value::Null).cloned();
    keys.iter().map(value).collect()
}

fn matches(selector: &Selector<'_>, labels: &[(&str, &str)]) -> bool {
    selector.matches(|key| {
        let found = labels.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| *value)
    })
}

/// A name as Argo CD makes it fit for Kubernetes.
fn normalized(name: &str) -> String {
    let fit = |letter: char| match letter {
        'a'..='z' | '0'..='9' | '-' | '.' => letter,
        _ => '-',
    };
    let name: String = name.to_lowercase().chars().map(fit).collect();
    let end = name.len().min(253);
    name[..end].trim_matches(['-', '.']).to_owned()
}

/// The key, the operator and the values of an expression.
type OwnedExpression<'a> = (Cow<'a, str>, Cow<'a, str>, Vec<Cow<'a, str>>);

/// A selector whose texts were filled in.
#[derive(Default)]
struct OwnedSelector<'a> {
    labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    expressions: Vec<OwnedExpression<'a>>,
}

impl OwnedSelector<'_> {
    fn as_ref(&self) -> LabelSelector<'_> {
        let labels = self.labels.iter();
        let expressions = self.expressions.iter();
        LabelSelector {
            match_labels: labels
                .map(|(key, value)| (key.as_ref(), value.as_ref()))
                .collect(),
            match_expressions: expressions
                .map(|(key, operator, values)| Expression {
                    key,
                    operator,
                    values: values.iter().map(AsRef::as_ref).collect(),
                })
                .collect(),
        }
    }
}

/// The selector over parameters: as one over labels, but for values, which may be anything.
fn selector<'g>(generator: &'g Generator<'_>) -> Result<Option<Selector<'g>>, Failure> {
    let Some((written, place)) = &generator.selector else {
        return Ok(None);
    };
    let refuse = |message: String| {
        let message = format!("the selector over parameters is refused: {message}");
        Failure::new(Why::Generator, message, *place, "correct the selector")
    };
    let mut requirements = Vec::new();
    let key_of = |key: &'g str| match qualified_name_problems(key).into_iter().next() {
        None => Ok(key),
        Some(problem) => Err(refuse(format!("`{key}`: {problem}"))),
    };
    for (key, value) in &written.match_labels {
        requirements.push(Requirement {
            key: key_of(key)?,
            test: Test::In(vec![value]),
        });
    }
    for Expression {
        key,
        operator,
        values,
    } in &written.match_expressions
    {
        let mut sorted = values.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let test = match (*operator, values.is_empty()) {
            ("In", false) => Test::In(sorted),
            ("NotIn", false) => Test::NotIn(sorted),
            ("Exists", true) => Test::Exists,
            ("DoesNotExist", true) => Test::DoesNotExist,
            ("In" | "NotIn", true) => return Err(refuse(format!("`{operator}` needs values"))),
            ("Exists" | "DoesNotExist", false) => {
                return Err(refuse(format!("`{operator}` takes no values")));
            }
            _ => return Err(refuse(format!("`{operator}` is no operator"))),
        };
        requirements.push(Requirement {
            key: key_of(key)?,
            test,
        });
    }
    Ok(Some(Selector { requirements }))
}
