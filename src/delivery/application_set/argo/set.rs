//! An ApplicationSet as written, as far as it affects which clusters are reached.

use crate::delivery::application_set::argo::render::Language;
use crate::delivery::application_set::argo::rolling::Ask;
use crate::delivery::application_set::argo::value::Value;
use crate::kit::selector::LabelSelector;
use crate::source::{Place, Text};

/// The generators and the template of an ApplicationSet.
#[derive(Debug)]
pub struct Set<'a> {
    /// The language of its texts.
    pub language: Language,
    /// `spec.generators`.
    pub generators: Vec<Generator<'a>>,
    /// `spec.template`, and those that generators of the top have, filled up from it.
    pub templates: Vec<AppTemplate<'a>>,
    /// Whether `spec.templatePatch` changes metadata, and so maybe names.
    pub patches_names: bool,
    /// `spec.syncPolicy.applicationsSync`, if it is there.
    pub applications_sync: Option<Text<'a>>,
    /// `spec.syncPolicy.preserveResourcesOnDeletion`.
    pub preserves: bool,
    /// `spec.strategy`.
    pub strategy: Strategy<'a>,
}

/// In which order Applications are synced.
#[derive(Debug, Default)]
pub enum Strategy<'a> {
    /// All at once.
    #[default]
    AllAtOnce,
    /// All at once: `type` is not a strategy.
    Misspelt(Text<'a>),
    /// Step by step: the steps as asked, and where each is.
    Rolling(Vec<Ask<'a>>, Vec<StepPlaces>, Place),
}

/// Where the parts of a step are.
#[derive(Debug, Clone)]
pub struct StepPlaces {
    /// The step.
    pub step: Place,
    /// Its `maxUpdate`, or the step.
    pub max_update: Place,
    /// Each of its expressions.
    pub expressions: Vec<Place>,
}

/// One generator: as a rule of one kind.
#[derive(Debug)]
pub struct Generator<'a> {
    /// Its kinds, in the order in which they are carried out.
    pub kinds: Vec<(Kind<'a>, Place)>,
    /// The number of the template of each kind.
    pub templates: Vec<usize>,
    /// Every text with braces in it; of the second child of a matrix, all are rendered.
    pub texts: Vec<Text<'a>>,
    /// The same of `values`, which stay as they are where a key is not there.
    pub lenient: Vec<Text<'a>>,
    /// Which sets of parameters are taken.
    pub selector: Option<(LabelSelector<'a>, Place)>,
    /// Where it is.
    pub place: Place,
}

/// Pairs of `values`, as written.
pub type Values<'a> = Vec<(&'a str, &'a str)>;

/// The kind of a generator, with its fields.
#[derive(Debug)]
pub enum Kind<'a> {
    /// Elements one by one.
    List {
        /// `elements`.
        elements: Vec<(Value<'a>, Place)>,
        /// `elementsYaml`.
        more: Option<Text<'a>>,
    },
    /// The clusters that Argo CD knows.
    Clusters {
        /// Which of them.
        selector: LabelSelector<'a>,
        /// More parameters, rendered.
        values: Values<'a>,
        /// Whether all come as one set.
        flat: bool,
    },
    /// The decisions of placements.
    Decisions(Decisions<'a>),
    /// Both children, each with each.
    Matrix(Vec<Generator<'a>>),
    /// The first child, overridden by the others.
    Merge(Vec<Generator<'a>>, Vec<&'a str>),
    /// A generator whose results are not in the documents.
    Elsewhere(&'static str),
}

/// `clusterDecisionResource`.
#[derive(Debug)]
pub struct Decisions<'a> {
    /// `configMapRef`.
    pub config_map: Text<'a>,
    /// `name`, empty where absent.
    pub name: Text<'a>,
    /// `labelSelector`, if one of its two parts is there.
    pub selector: Option<(LabelSelector<'a>, Place)>,
    /// More parameters, as they are.
    pub values: Values<'a>,
    /// Where it is.
    pub place: Place,
}

/// The parts of a template that say where an Application goes; of all others that they are texts.
#[derive(Debug, Clone, Default)]
pub struct AppTemplate<'a> {
    /// `metadata.name`.
    pub name: Text<'a>,
    /// `metadata.labels`.
    pub labels: Vec<(Text<'a>, Text<'a>)>,
    /// `metadata.annotations`.
    pub annotations: Vec<(Text<'a>, Text<'a>)>,
    /// `spec.destination.server`.
    pub server: Text<'a>,
    /// `spec.destination.name`.
    pub cluster: Text<'a>,
    /// Where `spec.destination` is, or the template.
    pub destination: Place,
    /// Every other text in it that holds `{{`.
    pub others: Vec<Text<'a>>,
}

impl<'a> Set<'a> {
    /// All generators, children too.
    pub fn all(&self) -> impl Iterator<Item = &Generator<'a>> {
        let mut found: Vec<&Generator<'a>> = self.generators.iter().collect();
        let mut at = 0;
        while at < found.len() {
            for (kind, _) in &found[at].kinds {
                if let Kind::Matrix(children) | Kind::Merge(children, _) = kind {
                    found.extend(children);
                }
            }
            at += 1;
        }
        found.into_iter()
    }

    /// Whether Applications are synced step by step.
    #[must_use]
    pub const fn is_rolling(&self) -> bool {
        matches!(self.strategy, Strategy::Rolling(..))
    }

    /// Whether some generator reads decisions of placements.
    #[must_use]
    pub fn reads_decisions(&self) -> bool {
        let mut kinds = self.all().flat_map(|generator| &generator.kinds);
        kinds.any(|(kind, _)| matches!(kind, Kind::Decisions(_)))
    }

    /// Whether some generator reads the clusters that Argo CD knows.
    #[must_use]
    pub fn reads_clusters(&self) -> bool {
        let mut kinds = self.all().flat_map(|generator| &generator.kinds);
        kinds.any(|(kind, _)| matches!(kind, Kind::Clusters { .. }))
    }
}
