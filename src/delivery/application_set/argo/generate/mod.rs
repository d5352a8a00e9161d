//! Generators: the sets of parameters that fill in the templates of an ApplicationSet.

mod clusters;
mod combine;
mod decisions;
mod fill;
mod list;

use std::collections::BTreeSet;

use crate::delivery::application_set::argo::functions::is_removed;
use crate::delivery::application_set::argo::hub::Sight;
use crate::delivery::application_set::argo::render::{Fault, Language};
use crate::delivery::application_set::argo::set::{Generator, Kind};
use crate::delivery::application_set::argo::value::Params;
use crate::kit::selector::{Expression, Requirement, Selector, Test, qualified_name_problems};
use crate::source::Place;

/// The reason why an ApplicationSet does not generate; each is a finding of its own.
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

impl Why {
    /// The link that it is a fault of.
    #[must_use]
    pub const fn stage(self) -> &'static str {
        match self {
            Self::Source | Self::ListKey => "config map",
            Self::Selector => "decision selector",
            Self::NoDecision => "decision",
            Self::Generator => "generators",
            Self::Parameter | Self::Language => "parameters",
            Self::Steps => "rollout",
        }
    }
}

/// Why an ApplicationSet is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind of fault.
    pub why: Why,
    /// The fault.
    pub message: String,
    /// Where.
    pub place: Place,
    /// The remedy.
    pub help: String,
    /// The missing parameter, if that is the fault.
    pub missing: Option<String>,
}

impl Failure {
    fn new(why: Why, message: impl Into<String>, place: Place, help: impl Into<String>) -> Self {
        Self {
            why,
            message: message.into(),
            place,
            help: help.into(),
            missing: None,
        }
    }

    /// A template that cannot be rendered.
    pub(in crate::delivery::application_set::argo) fn template(
        fault: &Fault,
        text: &str,
        place: Place,
    ) -> Self {
        let (why, help) = match fault {
            Fault::NoFunction(name) if is_removed(name) => (
                Why::Language,
                format!("write the value, or take it from a generator, without `{name}`"),
            ),
            Fault::NoFunction(name) => (Why::Language, format!("write `{{{{.{name}}}}}`")),
            Fault::Unclosed => (Why::Parameter, "close it with `}}`".to_owned()),
            Fault::Syntax(kind) => (Why::Parameter, kind.advice()),
            Fault::Call(_, advice) => (Why::Parameter, advice.clone()),
            Fault::MissingKey(_) | Fault::NoField(..) => (
                Why::Parameter,
                "correct the name, or add it to the `values` of the generator".to_owned(),
            ),
        };
        let missing = match fault {
            Fault::MissingKey(name) => Some(name.clone()),
            _ => None,
        };
        Self {
            missing,
            ..Self::new(why, fault.message(text), place, help)
        }
    }
}

/// The decisions and clusters that generators read, and those that they left out.
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
    /// The decisions and clusters that were read, and those left out.
    pub notes: Notes,
}

type Sets<'a> = Result<Vec<Params<'a>>, Failure>;
/// The sets that texts are filled in with, outermost first.
type Outer<'o, 'a> = &'o [&'o Params<'a>];

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
    /// The fault keeps the whole ApplicationSet from generating.
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
            let message = format!("a child has {count} generators, but must have one");
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
            let message = "a matrix or merge is nested two levels deep";
            let help = "nest matrix and merge generators one level deep";
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
            _ => return Err(refuse(format!("`{operator}` is not an operator"))),
        };
        requirements.push(Requirement {
            key: key_of(key)?,
            test,
        });
    }
    Ok(Some(Selector { requirements }))
}
