//! The objects that a kustomization and all below it make, and why they may not.

use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::source::{Place, SourceId};
use crate::yaml::Tree;

use super::fault::Fault;
use super::fields::Text;
use super::file::Var;
use super::resource::{Resource, Resources};
use super::rules;
use super::tables::Config;

/// Patches times documents of one build.
const WORK: usize = 50_000_000;

/// A reason why something is not built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// Something that is fetched over the network.
    Remote,
    /// A Helm chart.
    Helm,
    /// A plugin that is a program.
    Plugin,
    /// Documents that a PolicyGenerator makes of files that are not read.
    Generator,
    /// Schemas of custom kinds.
    Crds,
    /// A schema of its own.
    OpenApi,
}

impl What {
    /// Its word in data.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Remote => "remote",
            Self::Helm => "helm",
            Self::Plugin => "plugin",
            Self::Generator => "generator",
            Self::Crds => "crds",
            Self::OpenApi => "openapi",
        }
    }

    /// Its names in messages, for one and for several.
    #[must_use]
    pub fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Remote => ("remote resource", "remote resources"),
            Self::Helm => ("chart", "charts"),
            Self::Plugin => (
                "generator that is a program",
                "generators that are programs",
            ),
            Self::Generator => ("PolicyGenerator", "PolicyGenerators"),
            Self::Crds | Self::OpenApi => ("schema", "schemas"),
        }
    }
}

/// A part of a kustomization that is not built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The kind of part.
    pub what: What,
    /// Its path or name.
    pub name: String,
    /// The line that names it.
    pub place: Place,
}

impl LeftOut {
    /// Why a kustomization is not built at all without it.
    #[must_use]
    pub fn stops(&self) -> String {
        match self.what {
            What::Crds | What::OpenApi => {
                format!("its field `{}` changes how patches merge", self.name)
            }
            What::Remote => format!("`{}` is fetched over the network", self.name),
            _ => format!("`{}` is a program", self.name),
        }
    }

    /// Why the rest is built without it.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self.what {
            What::Remote => "it is fetched over the network",
            What::Helm => "charts are not rendered",
            What::Plugin => "it is a program",
            What::Generator => "it reads files that are not here",
            What::Crds | What::OpenApi => "it changes how patches merge",
        }
    }
}

/// Why a kustomization is not built.
#[derive(Debug, Clone)]
pub(super) enum Stop {
    Faults(Arc<Vec<Fault>>),
    /// It needs what is not supported.
    NotBuilt(Arc<Vec<LeftOut>>),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Faults(Arc::new(vec![fault]))
    }
}

impl From<Vec<Fault>> for Stop {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Faults(Arc::new(faults))
    }
}

/// A label that a kustomization gave another value.
#[derive(Debug, Clone)]
pub(super) struct Overwritten {
    pub(super) kind: Arc<str>,
    /// How messages call the object.
    pub(super) object: String,
    pub(super) key: String,
    /// The values before and now, each with its place.
    pub(super) values: [(Arc<str>, Place); 2],
}

/// An image that a kustomization set in an object.
#[derive(Debug, Clone)]
pub(super) struct SetImage {
    pub(super) kind: Arc<str>,
    /// How messages call the object.
    pub(super) object: String,
    pub(super) now: Arc<str>,
    /// The value that sets it.
    pub(super) place: Place,
    /// Where the object begins.
    pub(super) of: Place,
}

/// The objects of a kustomization and of all below it, before names are settled.
#[derive(Debug, Clone, Default)]
pub(super) struct Heap {
    pub(super) resources: Resources,
    /// The tables, where they hold more than the usual ones.
    pub(super) config: Option<Arc<Config>>,
    pub(super) vars: Vec<Var>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) notes: Vec<Diagnostic>,
    /// Whether a value may no longer be what its type says.
    pub(super) doubtful: bool,
    /// Patches times documents so far.
    pub(super) work: usize,
    /// The weight of all values that replacements copied so far.
    pub(super) copied: usize,
    /// Labels that were given other values.
    pub(super) overwritten: Vec<Overwritten>,
    /// Images that were set, the first of each object.
    pub(super) images: Vec<SetImage>,
    /// All directories that were read.
    pub(super) visited: Vec<PathBuf>,
    /// The files of PolicyGenerators, each with the directory that its paths are relative to.
    pub(super) generators: Vec<(SourceId, PathBuf)>,
}

impl Heap {
    /// Whether something that it should hold is left out.
    pub(super) fn is_part(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// A fault, unless what is left out may be meant: then a note.
    pub(super) fn unless_part(&mut self, fault: Fault) -> Result<(), Stop> {
        if !self.is_part() {
            return Err(fault.into());
        }
        let note = Diagnostic::new(
            &rules::PERHAPS_LEFT_OUT,
            format!(
                "{}: its object may come from what is left out",
                fault.message
            ),
        );
        self.notes.push(note.at(fault.place, ""));
        Ok(())
    }

    /// Counts the documents that a patch is held against.
    pub(super) fn works(&mut self, place: Place) -> Result<(), Stop> {
        self.work += self.resources.list.len();
        if self.work > WORK {
            Err(Fault::new(
                &rules::LIMIT,
                format!("the patches are held against more than {WORK} documents"),
                place,
            )
            .help("give each patch fewer documents: split the kustomization")
            .into())
        } else {
            Ok(())
        }
    }

    /// Counts the weight of a value that is copied.
    pub(super) fn copies(&mut self, weight: usize, place: Place) -> Result<(), Stop> {
        self.copied = self.copied.saturating_add(weight);
        if self.copied > WORK {
            Err(
                Fault::new(&rules::LIMIT, "the replacements copy too much", place)
                    .help("replace with shorter values, or in fewer documents")
                    .into(),
            )
        } else {
            Ok(())
        }
    }

    /// A fault if two objects have one identity.
    pub(super) fn no_twins(&self, place: Place) -> Result<(), Stop> {
        match self.resources.twice() {
            None => Ok(()),
            Some((one, two)) => Err(duplicate(one, two, place).into()),
        }
    }
}

/// Two objects of one identity.
fn duplicate(one: &Resource, two: &Resource, place: Place) -> Fault {
    Fault::new(
        &rules::DUPLICATE,
        format!("{} is there twice", one.shown()),
        place,
    )
    .help("list it once, patch it, or rename one of the two")
    .related(one.node.place, "the first of them")
    .related(two.node.place, "the second of them")
}

/// The output of a PolicyGenerator.
#[derive(Debug, Default)]
pub struct Made {
    /// Its documents; each node has the place it comes from.
    pub documents: Vec<Tree>,
    /// Findings about it; one that refuses stops the build.
    pub findings: Vec<Diagnostic>,
}

/// The documents of a file by its path, which is relative to the directory that a generator runs
/// in; the finding says why they cannot be read.
pub type ReadDocuments<'r> = dyn FnMut(&str) -> Result<Vec<Tree>, Diagnostic> + 'r;

/// Makes the documents of a PolicyGenerator.
pub type Generate = fn(&Tree, &mut ReadDocuments<'_>) -> Made;

/// The stop for something that is fetched over the network and cannot be left out.
pub(super) fn remote(path: &Text) -> Stop {
    Stop::NotBuilt(Arc::new(vec![LeftOut {
        what: What::Remote,
        name: path.text.to_string(),
        place: path.place,
    }]))
}
