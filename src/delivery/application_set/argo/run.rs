//! Runs an ApplicationSet: the Applications that it generates, and those that are dropped.

use rustc_hash::FxHashMap;

use crate::delivery::application_set::argo::destination::{
    Destination, Dropped, PULL_ANNOTATION, PULL_LABEL, SKIP_ANNOTATION, is_true,
};
use crate::delivery::application_set::argo::generate::{Failure, Notes, Run, Why};
use crate::delivery::application_set::argo::hub::Sight;
use crate::delivery::application_set::argo::render::{Fault, Language, Rendered, Template};
use crate::delivery::application_set::argo::set::{AppTemplate, Set, Strategy};
use crate::delivery::application_set::argo::value::Params;
use crate::kit::name::subdomain;
use crate::source::{Place, Text};

/// An Application that is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its name, where it is known.
    pub name: Option<String>,
    /// The cluster it goes to, where that is one of the site.
    pub cluster: Option<u32>,
    /// Whether the agent of the cluster fetches it.
    pub pulled: bool,
    /// The labels by which it is rolled out; empty unless asked for.
    pub labels: Vec<(String, String)>,
}

/// One that is not made, and for which cluster it would have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Its name, where it is known.
    pub name: Option<String>,
    /// The labels by which it would be rolled out; empty unless asked for.
    pub labels: Vec<(String, String)>,
    /// The cluster of the parameters.
    pub own: Option<u32>,
    /// Why.
    pub why: Dropped,
    /// Where that is written.
    pub place: Place,
}

/// Something odd about an Application that is made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Odd {
    /// A tag that nothing gives, as written.
    Tag(String),
    /// `{{.name}}` in a text of the other language.
    Dotted(String),
    /// The pull label without the annotation, or the other way.
    HalfPulled,
    /// A pull label that is not true.
    NotTrue(String),
    /// It is pulled, and the hub deploys it as well.
    NotSkipped,
    /// It is pulled by the hub itself.
    PulledByHub,
    /// It is pulled by something that is not a cluster.
    PulledByNobody(String),
}

/// The result of an ApplicationSet.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// The Applications, in the order of the generators.
    pub applications: Vec<Application>,
    /// The Applications that are dropped.
    pub left: Vec<Left>,
    /// The oddities and their places; nothing twice.
    pub odd: Vec<(Odd, Place)>,
}

/// Carries out an ApplicationSet. `labelled` keeps the labels of the Applications.
///
/// # Errors
/// The fault keeps it from touching any Application.
pub fn run<'a>(
    set: &Set<'a>,
    sight: &Sight<'_, 'a>,
    labelled: bool,
) -> (Result<Made, Failure>, Notes) {
    let mut run = Run::new(sight, set.language);
    let made = carry_out(set, sight, &mut run, labelled);
    (made, run.notes)
}

fn carry_out<'a>(
    set: &Set<'a>,
    sight: &Sight<'_, 'a>,
    run: &mut Run<'_, 'a>,
    labelled: bool,
) -> Result<Made, Failure> {
    let mut raw = Vec::new();
    let mut odd = Vec::new();
    for generator in &set.generators {
        for kind in 0..generator.kinds.len() {
            let template = &set.templates[generator.templates[kind]];
            let sets = run.top(generator, kind)?;
            let mut parsed = None;
            raw.reserve(sets.len());
            for params in &sets {
                if params.is_empty() {
                    // Nothing is rendered.
                    raw.push(Raw::plain(template, sight));
                    continue;
                }
                let parsed = match &mut parsed {
                    Some(parsed) => parsed,
                    None => parsed.insert(Parsed::new(template, set)?),
                };
                raw.push(parsed.fill(params, sight, labelled, &mut odd)?);
            }
        }
    }
    if let Strategy::Rolling(steps, _, place) = &set.strategy
        && steps.is_empty()
    {
        return Err(Failure {
            why: Why::Steps,
            message: "a RollingSync without steps: no Application is created or changed".to_owned(),
            place: *place,
            help: "add `steps`, or remove `strategy`".to_owned(),
            missing: None,
        });
    }
    odd.sort();
    odd.dedup();
    let mut made = sift(raw);
    made.odd = odd;
    Ok(made)
}

/// An Application before it is looked at.
struct Raw {
    name: Rendered,
    name_place: Place,
    own: Option<u32>,
    goes: Result<Option<u32>, Dropped>,
    destination: Place,
    pulled: bool,
    labels: Vec<(String, String)>,
}

impl Raw {
    /// A template that is taken as it is.
    fn plain(template: &AppTemplate<'_>, sight: &Sight<'_, '_>) -> Self {
        let text = |text: &Text<'_>| Rendered::Text(text.text.to_owned());
        let destination = Destination {
            name: text(&template.cluster),
            server: text(&template.server),
        };
        Self {
            name: text(&template.name),
            name_place: template.name.place,
            own: None,
            goes: destination.cluster(&Params::default(), sight),
            destination: template.destination,
            pulled: false,
            labels: Vec::new(),
        }
    }
}

/// Drops what Argo CD or the API server refuses.
fn sift(raw: Vec<Raw>) -> Made {
    let mut count: FxHashMap<String, bool> = FxHashMap::default();
    count.reserve(raw.len());
    let mut twice = false;
    for one in &raw {
        let Rendered::Text(name) = &one.name else {
            continue;
        };
        match count.get_mut(name.as_str()) {
            Some(again) => {
                *again = true;
                twice = true;
            }
            None => drop(count.insert(name.clone(), false)),
        }
    }
    let mut made = Made::default();
    made.applications.reserve(raw.len());
    for one in raw {
        let name = match one.name {
            Rendered::Text(name) => Some(name),
            Rendered::Server(_) | Rendered::Unknown => None,
        };
        let bad_name = name.as_ref().and_then(|name| {
            if subdomain(name).is_err() {
                Some(Dropped::Name(name.clone()))
            } else if twice && count.get(name) == Some(&true) {
                Some(Dropped::Twice(name.clone()))
            } else {
                None
            }
        });
        let (why, place) = match (bad_name, one.goes) {
            (Some(why), _) => (why, one.name_place),
            (None, Err(why)) => (why, one.destination),
            (None, Ok(cluster)) => {
                made.applications.push(Application {
                    name,
                    cluster,
                    pulled: one.pulled,
                    labels: one.labels,
                });
                continue;
            }
        };
        made.left.push(Left {
            name,
            labels: one.labels,
            own: one.own,
            why,
            place,
        });
    }
    made
}

type Pair<'t> = (Template<'t>, Template<'t>, Place);

/// The texts of a template that matter, read once.
struct Parsed<'t> {
    language: Language,
    name: Template<'t>,
    name_place: Place,
    patched: bool,
    server: Template<'t>,
    cluster: Template<'t>,
    destination: Place,
    labels: Vec<Pair<'t>>,
    annotations: Vec<Pair<'t>>,
    /// The texts that are not rendered here, and could fail.
    others: Vec<(Template<'t>, Text<'t>)>,
    /// The parameters that texts other than the name ask for, and were not missed yet.
    asked: Vec<(String, Place)>,
}

impl<'t> Parsed<'t> {
    fn new(template: &'t AppTemplate<'_>, set: &Set<'_>) -> Result<Self, Failure> {
        let language = set.language;
        let parse = |text: &Text<'t>| {
            let fault = |fault: Fault| Failure::template(&fault, text.text, text.place);
            Template::parse(text.text, language).map_err(fault)
        };
        let pairs = |pairs: &'t [(Text<'_>, Text<'_>)]| -> Result<Vec<Pair<'t>>, Failure> {
            let pair = |(key, value): &'t (Text<'_>, Text<'_>)| {
                Ok((parse(key)?, parse(value)?, value.place))
            };
            pairs.iter().map(pair).collect()
        };
        let mut parsed = Self {
            language,
            name: parse(&template.name)?,
            name_place: template.name.place,
            patched: set.patches_names,
            server: parse(&template.server)?,
            cluster: parse(&template.cluster)?,
            destination: template.destination,
            labels: pairs(&template.labels)?,
            annotations: pairs(&template.annotations)?,
            others: Vec::new(),
            asked: Vec::new(),
        };
        for text in &template.others {
            parsed.others.push((parse(text)?, *text));
        }
        let mut asked: Vec<(String, Place)> = Vec::new();
        let mut ask = |template: &Template<'_>, place: Place| {
            asked.extend(template.asks().map(|name| (name, place)));
        };
        ask(&parsed.server, template.server.place);
        ask(&parsed.cluster, template.cluster.place);
        for (key, value, place) in parsed.labels.iter().chain(&parsed.annotations) {
            ask(key, *place);
            ask(value, *place);
        }
        for (template, text) in &parsed.others {
            ask(template, text.place);
        }
        let mut seen = std::collections::BTreeSet::new();
        asked.retain(|(name, _)| !name.is_empty() && seen.insert(name.clone()));
        parsed.asked = asked;
        Ok(parsed)
    }

    /// Drops what is asked for and not there, and says so.
    fn miss(&mut self, params: &Params<'_>, odd: &mut Vec<(Odd, Place)>) {
        let language = self.language;
        let missing = |name: &String| match language {
            Language::Tags => params.get(name).is_none(),
            Language::Go { .. } => params.lacks(name),
        };
        self.asked.retain(|(name, place)| {
            let missing = missing(name);
            if missing {
                let dotted = language == Language::Tags && name.starts_with('.');
                let what = if dotted {
                    Odd::Dotted(name.clone())
                } else {
                    Odd::Tag(name.clone())
                };
                odd.push((what, *place));
            }
            !missing
        });
    }

    fn fill(
        &mut self,
        params: &Params<'_>,
        sight: &Sight<'_, '_>,
        labelled: bool,
        odd: &mut Vec<(Odd, Place)>,
    ) -> Result<Raw, Failure> {
        let language = self.language;
        let render = |template: &Template<'_>, place: Place| {
            let fault = |fault: Fault| Failure::template(&fault, "", place);
            template.render(params, language).map_err(fault)
        };
        for (template, text) in &self.others {
            let fault = |fault: Fault| Failure::template(&fault, text.text, text.place);
            template.check(params, language).map_err(fault)?;
        }
        let destination = Destination {
            name: render(&self.cluster, self.destination)?,
            server: render(&self.server, self.destination)?,
        };
        let name = render(&self.name, self.name_place)?;
        let mut labels = Vec::new();
        let mut pull = Pull::default();
        for (key, value, place) in &self.labels {
            let wanted = labelled || key.literal().is_none_or(|key| key == PULL_LABEL);
            if !wanted {
                let fault = |fault: Fault| Failure::template(&fault, "", *place);
                value.check(params, language).map_err(fault)?;
                continue;
            }
            let (key, value) = (render(key, *place)?, render(value, *place)?);
            if let (Rendered::Text(key), Rendered::Text(value)) = (key, value) {
                if key == PULL_LABEL {
                    pull.label = Some((value.clone(), *place));
                }
                if labelled {
                    labels.push((key, value));
                }
            }
        }
        for (key, value, place) in &self.annotations {
            let key = render(key, *place)?;
            let Rendered::Text(key) = key else { continue };
            if key == PULL_ANNOTATION {
                pull.annotation = Some((render(value, *place)?, *place));
            } else if key == SKIP_ANNOTATION {
                pull.skips =
                    matches!(render(value, *place)?, Rendered::Text(text) if text == "true");
            } else {
                let fault = |fault: Fault| Failure::template(&fault, "", *place);
                value.check(params, language).map_err(fault)?;
            }
        }
        self.miss(params, odd);
        let goes = destination.cluster(params, sight);
        let (goes, pulled) = match goes {
            Ok(cluster) => pull.cluster(cluster, params, sight, odd),
            Err(why) => (Err(why), false),
        };
        Ok(Raw {
            name: if self.patched {
                Rendered::Unknown
            } else {
                name
            },
            name_place: self.name_place,
            own: params.own,
            goes,
            destination: self.destination,
            pulled,
            labels,
        })
    }
}

/// The annotations of an Application that say who fetches it.
#[derive(Default)]
struct Pull {
    label: Option<(String, Place)>,
    annotation: Option<(Rendered, Place)>,
    skips: bool,
}

impl Pull {
    /// The cluster it goes to, where Argo CD would deploy it to `cluster`; and whether it is
    /// fetched.
    fn cluster(
        self,
        cluster: Option<u32>,
        params: &Params<'_>,
        sight: &Sight<'_, '_>,
        odd: &mut Vec<(Odd, Place)>,
    ) -> (Result<Option<u32>, Dropped>, bool) {
        let clusters = sight.clusters;
        let mut say = |what: Odd, place: Place| {
            // The same for thousands of Applications.
            if odd.last() != Some(&(what.clone(), place)) {
                odd.push((what, place));
            }
        };
        let annotation = self.annotation.filter(|(target, _)| !target.is_empty());
        let ((label, label_place), (target, place)) = match (self.label, annotation) {
            (None, None) => return (Ok(cluster), false),
            (Some((label, place)), None) => {
                if is_true(&label) {
                    say(Odd::HalfPulled, place);
                } else {
                    say(Odd::NotTrue(label), place);
                }
                return (Ok(cluster), false);
            }
            (None, Some((_, place))) => {
                say(Odd::HalfPulled, place);
                return (Ok(cluster), false);
            }
            (Some(label), Some(target)) => (label, target),
        };
        if !is_true(&label) {
            say(Odd::NotTrue(label), label_place);
            return (Ok(cluster), false);
        }
        if !self.skips {
            say(Odd::NotSkipped, label_place);
        }
        let target = match target {
            Rendered::Text(name) => match clusters.names.find(&name) {
                Some(number) => Some(number),
                None => {
                    say(Odd::PulledByNobody(name), place);
                    None
                }
            },
            Rendered::Server(_) | Rendered::Unknown => params.own,
        };
        if let Some(target) = target
            && clusters.meant(target) == clusters.hub
        {
            say(Odd::PulledByHub, place);
        }
        (Ok(target), true)
    }
}
