//! One kustomization built: what it lists, in the order in which Kustomize takes it (A2).

mod finish;
mod output;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Diagnostic;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::source::{Place, Source, SourceId, Sources, Span};
use crate::yaml::Limits;

use super::fault::Fault;
use super::fields::Text;
use super::file::{self, Kustomization, Var};
use super::files::{Files, Kind, NAMES, ReadFault, is_remote, lexical};
use super::node::Node;
use super::plugins::Generate;
use super::read::{self, Unreadable};
use super::resource::{Id, Resource, Resources};
use super::tables::Config;
use super::{change, configurations, generate, images, patch, replace, rules, vars};

pub use output::{Built, Document, LeftOut, Origin, Status, What};

/// Kustomizations below one another.
const DEPTH: usize = 64;
/// Documents of one build.
const DOCUMENTS: usize = 100_000;
/// Documents of all builds.
const ALL_DOCUMENTS: usize = 2_000_000;
/// Patches times documents of one build.
const WORK: usize = 50_000_000;

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

/// What a kustomization and all below it make, before names are settled.
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
    work: usize,
    /// All directories that were read.
    visited: Vec<PathBuf>,
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
            format!("{}: its object may come from what is left out", fault.message),
        );
        self.notes.push(note.at(fault.place, ""));
        Ok(())
    }

    /// Counts the documents that a patch is held against.
    pub(super) fn works(&mut self, place: Place) -> Result<(), Stop> {
        self.work += self.resources.list.len();
        match self.work > WORK {
            true => Err(Fault::new(
                &rules::LIMIT,
                format!("the patches are held against more than {WORK} documents"),
                place,
            )
            .help("give each patch fewer documents: split the kustomization")
            .into()),
            false => Ok(()),
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

/// A text that was read once.
type Documents = Result<Vec<Arc<Node>>, Unreadable>;
/// A file that cannot be read: the class of the fault is its kind.
type FileText = Result<(SourceId, Arc<Source>), Option<ReadFault>>;

/// Builds kustomizations: each file is read once, each kustomization built once.
pub struct Builder<'f> {
    pub(super) files: &'f dyn Files,
    /// The files that were read, and those of the caller.
    pub sources: Sources,
    numbers: FxHashMap<PathBuf, SourceId>,
    pub(super) limits: Limits,
    /// The PATHs, real.
    reach: Vec<PathBuf>,
    /// Whether directories beside the PATHs may be read, where no link leads there.
    open: bool,
    documents: FxHashMap<PathBuf, Arc<Documents>>,
    kustomizations: FxHashMap<PathBuf, Result<Arc<Kustomization>, Stop>>,
    heaps: FxHashMap<PathBuf, Result<Arc<Heap>, Stop>>,
    /// Makes what a PolicyGenerator makes.
    pub(super) generate: Option<&'f Generate<'f>>,
    /// Documents of all builds so far.
    total: usize,
}

impl<'f> Builder<'f> {
    /// A builder over the files below these PATHs; what the caller has read already keeps its
    /// number.
    #[must_use]
    pub fn new(
        files: &'f dyn Files,
        paths: &[PathBuf],
        sources: Sources,
        read: impl IntoIterator<Item = (PathBuf, SourceId)>,
        limits: Limits,
    ) -> Self {
        let read = read.into_iter();
        Self {
            files,
            sources,
            numbers: read.map(|(path, number)| (files.real(&path), number)).collect(),
            limits,
            reach: paths.iter().map(|path| files.real(path)).collect(),
            open: false,
            documents: FxHashMap::default(),
            kustomizations: FxHashMap::default(),
            heaps: FxHashMap::default(),
            generate: None,
            total: 0,
        }
    }

    /// With directories beside the PATHs: for a PATH that is a kustomization, whose bases may lie
    /// anywhere. Links still lead nowhere else.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// With the function that makes what a PolicyGenerator makes.
    #[must_use]
    pub fn with_generate(mut self, generate: &'f Generate<'f>) -> Self {
        self.generate = Some(generate);
        self
    }

    /// The number of a file, which is read if it has none.
    pub(super) fn text(&mut self, path: &Path) -> FileText {
        if let Some(number) = self.numbers.get(path) {
            let source = &self.sources.files[number.0 as usize];
            return Ok((*number, Arc::clone(source)));
        }
        let bytes = self.files.read(path).map_err(Some)?;
        let text = String::from_utf8(bytes).map_err(|_| None)?;
        let name = self.files.name(path);
        let number = self.sources.add(Source::new(name, text));
        self.numbers.insert(path.to_path_buf(), number);
        Ok((number, Arc::clone(&self.sources.files[number.0 as usize])))
    }

    /// The real path of a file that a kustomization names; a fault where it may not be read.
    pub(super) fn locate(
        &self,
        home: &Path,
        path: &Text,
        rule_of_missing: &str,
    ) -> Result<PathBuf, Fault> {
        let whole = home.join(&*path.text);
        if Path::new(&*path.text).is_absolute() {
            return Err(outside(path, "is an absolute path"));
        }
        let real = self.files.real(&whole);
        match self.files.kind(&whole) {
            Some(Kind::File) if real.starts_with(home) => Ok(real),
            Some(Kind::File) => Err(outside(path, "is not in or below the directory of the kustomization")),
            Some(Kind::Directory) => Err(Fault::new(
                &rules::MISSING,
                format!("`{}` is a directory, not {rule_of_missing}", path.text),
                path.place,
            )
            .help("name a file")),
            None => Err(self.missing(home, path)),
        }
    }

    /// A path that names nothing.
    fn missing(&self, home: &Path, path: &Text) -> Fault {
        let shown = match &*path.text {
            "" => "an empty path".to_owned(),
            text => format!("`{}`", text.lines().next().unwrap_or(text)),
        };
        let fault = Fault::new(&rules::MISSING, format!("{shown} is not there"), path.place);
        let (above, last) = path.text.rsplit_once('/').unwrap_or(("", &path.text));
        let names = self.files.names(&lexical(&home.join(above)));
        let near = nearest(last, names.iter().map(|(name, _)| name.as_str()));
        match near {
            Some(near) if above.is_empty() => fault.help(did_you_mean(near)),
            Some(near) => fault.help(did_you_mean(&format!("{above}/{near}"))),
            None => fault.help("correct the path, or add the file"),
        }
    }

    /// The content of a file that a kustomization names.
    pub(super) fn content(
        &mut self,
        home: &Path,
        path: &Text,
        what: &str,
    ) -> Result<(SourceId, Arc<Source>), Fault> {
        let real = self.locate(home, path, what)?;
        self.text(&real).map_err(|why| closed(path, why))
    }

    /// The bytes of a file that a kustomization names.
    pub(super) fn bytes(&mut self, home: &Path, path: &Text) -> Result<Vec<u8>, Fault> {
        let real = self.locate(home, path, "a file")?;
        self.files.read(&real).map_err(|why| closed(path, Some(why)))
    }

    /// The documents of a file, read once.
    fn file_documents(&mut self, real: &Path, path: &Text) -> Result<Arc<Documents>, Fault> {
        if let Some(known) = self.documents.get(real) {
            return Ok(Arc::clone(known));
        }
        let (source, text) = self.text(real).map_err(|why| closed(path, why))?;
        let at = |span: Span| Place { source, span };
        let read = read::documents(&text.text, self.limits, &at).and_then(|all| read::objects(all));
        let read = Arc::new(read);
        self.documents.insert(real.to_path_buf(), Arc::clone(&read));
        Ok(read)
    }

    /// The objects of a file that a kustomization names.
    pub(super) fn objects(&mut self, home: &Path, path: &Text) -> Result<Vec<Arc<Node>>, Fault> {
        let real = self.locate(home, path, "a file")?;
        let documents = self.file_documents(&real, path)?;
        match &*documents {
            Ok(nodes) => Ok(nodes.clone()),
            Err(why) => Err(unreadable(why, path.place)),
        }
    }

    /// The kustomization of a directory.
    pub(super) fn kustomization(&mut self, home: &Path, from: Place) -> Result<Arc<Kustomization>, Stop> {
        if let Some(known) = self.kustomizations.get(home) {
            return known.clone();
        }
        let read = self.read_kustomization(home, from);
        self.kustomizations.insert(home.to_path_buf(), read.clone());
        read
    }

    fn read_kustomization(&mut self, home: &Path, from: Place) -> Result<Arc<Kustomization>, Stop> {
        let there: Vec<&str> = self.kustomization_files(home);
        let [name] = there[..] else {
            let shown = self.files.name(home);
            return Err(match there.len() {
                0 => Fault::new(
                    &rules::MISSING,
                    format!("`{shown}` has no kustomization file"),
                    from,
                )
                .help("add a `kustomization.yaml` there, or list its files one by one"),
                _ => Fault::new(
                    &rules::SEVERAL_FILES,
                    format!("`{shown}` has several kustomization files: {}", there.join(", ")),
                    from,
                )
                .help("keep one of them"),
            }
            .into());
        };
        let path = self.files.real(&home.join(name));
        let read = self.text(&path).map_err(|why| {
            let path = Text {
                text: name.into(),
                place: from,
                lines: None,
            };
            closed(&path, why)
        });
        let (source, text) = read?;
        let read = file::read(source, &text.text, self.limits);
        Ok(Arc::new(read?))
    }

    /// The kustomization files of a directory.
    pub(super) fn kustomization_files(&self, home: &Path) -> Vec<&'static str> {
        let there = |name: &&str| self.files.kind(&home.join(name)) == Some(Kind::File);
        NAMES.into_iter().filter(|name| there(name)).collect()
    }

    /// What a directory and all below it make; `way` are the directories above it.
    pub(super) fn heap(&mut self, home: &Path, way: &[PathBuf], from: Place) -> Result<Arc<Heap>, Stop> {
        if let Some(known) = self.heaps.get(home) {
            let known = known.clone();
            if let Ok(heap) = &known {
                let mut visited = heap.visited.iter();
                if let Some(above) = visited.find(|seen| way.iter().any(|one| one.starts_with(seen))) {
                    return Err(cycle(&self.files.name(above), from).into());
                }
            }
            return known;
        }
        let made = self.accumulate(home, way, from).map(Arc::new);
        let by_cycle = |fault: &Fault| std::ptr::eq(fault.rule, &rules::CYCLE);
        let lasting = match &made {
            Err(Stop::Faults(faults)) => way.is_empty() || !faults.iter().any(by_cycle),
            _ => true,
        };
        if lasting {
            self.heaps.insert(home.to_path_buf(), made.clone());
        }
        made
    }

    /// Forgets what a directory makes: nothing else uses it.
    pub fn forget(&mut self, home: &Path) {
        self.heaps.remove(home);
    }

    fn accumulate(&mut self, home: &Path, way: &[PathBuf], from: Place) -> Result<Heap, Stop> {
        let kustomization = self.kustomization(home, from)?;
        let mut heap = Heap {
            visited: vec![home.to_path_buf()],
            ..Heap::default()
        };
        self.customize(&mut heap, &kustomization, home, way)?;
        Ok(heap)
    }

    /// Takes the steps of a kustomization, on all that is there.
    fn customize(
        &mut self,
        heap: &mut Heap,
        kustomization: &Kustomization,
        home: &Path,
        way: &[PathBuf],
    ) -> Result<(), Stop> {
        if !kustomization.schemas.is_empty() {
            let schemas = kustomization.schemas.iter();
            let left_out = schemas.map(|(field, place)| LeftOut {
                what: if *field == "crds" { What::Crds } else { What::OpenApi },
                name: (*field).to_owned(),
                place: *place,
            });
            return Err(Stop::NotBuilt(Arc::new(left_out.collect())));
        }
        let mut way = way.to_vec();
        way.push(home.to_path_buf());
        self.resources(heap, &kustomization.resources, home, &way)?;
        configurations::take(self, heap, &kustomization.configurations, home)?;
        generate::all(self, heap, kustomization, home)?;
        let charts = kustomization.charts.iter();
        heap.left_out.extend(charts.map(|chart| LeftOut {
            what: What::Helm,
            name: chart.text.to_string(),
            place: chart.place,
        }));
        self.run_generators(heap, &kustomization.generators, home, &way)?;
        for component in &kustomization.components {
            self.component(heap, component, home, &way)?;
        }
        self.transform(heap, kustomization, home)?;
        self.run_transformers(heap, &kustomization.transformers, home, &way)?;
        self.check_validators(heap, &kustomization.validators, home, &way)?;
        vars::collect(heap, &kustomization.vars)?;
        heap.no_twins(kustomization.head)?;
        match heap.resources.list.len() > DOCUMENTS {
            true => Err(too_many(kustomization.head).into()),
            false => Ok(()),
        }
    }

    /// The steps that change what is there.
    fn transform(
        &mut self,
        heap: &mut Heap,
        kustomization: &Kustomization,
        home: &Path,
    ) -> Result<(), Stop> {
        patch::merge_patches(self, heap, &kustomization.merge_patches, home)?;
        patch::patches(self, heap, &kustomization.patches, home)?;
        let own = heap.config.clone();
        let config = own.as_deref().unwrap_or_else(|| Config::usual());
        change::all(heap, config, kustomization)?;
        patch::json_patches(self, heap, &kustomization.json_patches, home)?;
        for replica in &kustomization.replicas {
            change::replicas(heap, replica, &config.replicas)?;
        }
        images::all(heap, &kustomization.images, &config.images)?;
        replace::all(self, heap, &kustomization.replacements, home)
    }

    /// Takes what files and directories hold.
    pub(super) fn resources(
        &mut self,
        heap: &mut Heap,
        paths: &[Text],
        home: &Path,
        way: &[PathBuf],
    ) -> Result<(), Stop> {
        let mut ids: FxHashMap<Id, Place> = FxHashMap::default();
        for resource in &heap.resources.list {
            ids.insert(resource.id(), resource.node.place);
        }
        for path in paths {
            let added = self.resource(heap, path, home, way)?;
            for resource in &added {
                if let Some(first) = ids.insert(resource.id(), resource.node.place) {
                    let message = format!(
                        "{} comes from both {} and {}",
                        resource.shown(),
                        self.sources.describe(first),
                        self.sources.describe(resource.node.place)
                    );
                    let fault = Fault::new(&rules::DUPLICATE, message, path.place)
                        .help("list it once, or patch it")
                        .related(first, "the first of them")
                        .related(resource.node.place, "the second of them");
                    return Err(fault.into());
                }
            }
            heap.resources.list.extend(added);
        }
        Ok(())
    }

    /// The objects of one entry.
    fn resource(
        &mut self,
        heap: &mut Heap,
        path: &Text,
        home: &Path,
        way: &[PathBuf],
    ) -> Result<Vec<Resource>, Stop> {
        let whole = home.join(&*path.text);
        let there = match &*path.text {
            "" => None,
            _ => self.files.kind(&whole),
        };
        let absolute = Path::new(&*path.text).is_absolute();
        if there == Some(Kind::File) && !absolute {
            let nodes = self.objects(home, path)?;
            return Ok(nodes.into_iter().map(Resource::new).collect());
        }
        if is_remote(&path.text) {
            heap.left_out.push(LeftOut {
                what: What::Remote,
                name: path.text.to_string(),
                place: path.place,
            });
            return Ok(Vec::new());
        }
        if absolute {
            return Err(outside(path, "is an absolute path").into());
        }
        if there.is_none() {
            return Err(self.missing(home, path).into());
        }
        let directory = self.enter(path, &whole, way)?;
        let kustomization = self.kustomization(&directory, path.place)?;
        if kustomization.component {
            let fault = Fault::new(
                &rules::HEADER,
                format!("`{}` is a Component", path.text),
                path.place,
            );
            return Err(fault.help("list it under `components`").into());
        }
        let below = self.heap(&directory, way, path.place)?;
        heap.left_out.extend(below.left_out.iter().cloned());
        heap.notes.extend(below.notes.iter().cloned());
        heap.doubtful |= below.doubtful;
        heap.visited.extend(below.visited.iter().cloned());
        if let Some(config) = &below.config {
            configurations::merge(heap, config, path.place)?;
        }
        vars::merge(heap, &below.vars)?;
        Ok(below.resources.list.clone())
    }

    /// The real path of a directory that may be entered.
    fn enter(&self, path: &Text, whole: &Path, way: &[PathBuf]) -> Result<PathBuf, Fault> {
        let directory = self.files.real(whole);
        let straight = self.open && directory == lexical(whole);
        if !straight && !self.reach.iter().any(|root| directory.starts_with(root)) {
            return Err(outside(path, "leads out of the PATHs"));
        }
        if way.iter().any(|one| one.starts_with(&directory)) {
            return Err(cycle(&self.files.name(&directory), path.place));
        }
        match way.len() < DEPTH {
            true => Ok(directory),
            false => Err(Fault::new(
                &rules::LIMIT,
                format!("more than {DEPTH} kustomizations stand over one another"),
                path.place,
            )),
        }
    }

    fn component(
        &mut self,
        heap: &mut Heap,
        path: &Text,
        home: &Path,
        way: &[PathBuf],
    ) -> Result<(), Stop> {
        let whole = home.join(&*path.text);
        let there = match &*path.text {
            "" => None,
            _ => self.files.kind(&whole),
        };
        if there.is_none() && is_remote(&path.text) {
            return Err(remote(path));
        }
        if Path::new(&*path.text).is_absolute() {
            return Err(outside(path, "is an absolute path").into());
        }
        match there {
            Some(Kind::Directory) => {}
            Some(Kind::File) => {
                let message = format!("`{}` is a file, not a directory", path.text);
                return Err(Fault::new(&rules::MISSING, message, path.place)
                    .help("list it under `resources`")
                    .into());
            }
            None => return Err(self.missing(home, path).into()),
        }
        let directory = self.enter(path, &whole, way)?;
        let kustomization = self.kustomization(&directory, path.place)?;
        if !kustomization.component {
            let fault = Fault::new(
                &rules::HEADER,
                format!("`{}` is a Kustomization", path.text),
                path.place,
            );
            return Err(fault.help("list it under `resources`, or make it a Component").into());
        }
        heap.visited.push(directory.clone());
        self.customize(heap, &kustomization, &directory, way)
    }

    /// Counts the documents of a build.
    fn count(&mut self, built: usize, head: Place) -> Result<(), Stop> {
        self.total += built;
        match self.total > ALL_DOCUMENTS {
            true => Err(too_many(head).into()),
            false => Ok(()),
        }
    }

    /// The directories that are read on the way to what a directory makes, itself included.
    #[must_use]
    pub fn visited(&self, home: &Path) -> FxHashSet<PathBuf> {
        match self.heaps.get(home) {
            Some(Ok(heap)) => heap.visited.iter().cloned().collect(),
            _ => FxHashSet::default(),
        }
    }
}

/// Whether a file is a document of Flux, and no kustomization.
pub(super) fn is_flux(text: &str) -> bool {
    text.lines().any(|line| {
        let value = line.strip_prefix("apiVersion:").map(str::trim);
        let value = value.map(|value| value.trim_matches(['"', '\'']));
        value.is_some_and(|value| value.starts_with("kustomize.toolkit.fluxcd.io"))
    })
}

/// What is fetched over the network and cannot be left out.
pub(super) fn remote(path: &Text) -> Stop {
    Stop::NotBuilt(Arc::new(vec![LeftOut {
        what: What::Remote,
        name: path.text.to_string(),
        place: path.place,
    }]))
}

fn cycle(directory: &str, from: Place) -> Fault {
    let message = format!("`{directory}` is on the way to this line already");
    Fault::new(&rules::CYCLE, message, from)
        .help("a kustomization cannot list a directory that holds or lists it")
}

fn outside(path: &Text, why: &str) -> Fault {
    Fault::new(&rules::OUTSIDE, format!("`{}` {why}", path.text), path.place)
        .help("move the file there, or give the directory a kustomization and list that")
}

/// A file that cannot be read as text.
fn closed(path: &Text, why: Option<ReadFault>) -> Fault {
    let text = &path.text;
    match why {
        Some(ReadFault::Unreadable(why)) => Fault::new(
            &rules::MISSING,
            format!("`{text}` cannot be read: {why}"),
            path.place,
        ),
        Some(ReadFault::TooLarge(limit)) => Fault::new(
            &rules::LIMIT,
            format!("`{text}` is larger than the limit of {limit} bytes"),
            path.place,
        )
        .help("raise `file-bytes` under `[limits]` in planner.toml"),
        None => Fault::new(
            &rules::UNREADABLE,
            format!("`{text}` is not UTF-8"),
            path.place,
        )
        .help("save it as UTF-8"),
    }
}

/// A file whose documents cannot be read; `from` is the line that lists it.
pub(super) fn unreadable(why: &Unreadable, from: Place) -> Fault {
    let rule = if why.limit { &rules::LIMIT } else { &rules::UNREADABLE };
    let fault = Fault::new(rule, why.message.clone(), why.place);
    match from == why.place {
        true => fault,
        false => fault.related(from, "listed here"),
    }
}

fn too_many(head: Place) -> Fault {
    let message = format!(
        "more than {DOCUMENTS} documents in one build, or {ALL_DOCUMENTS} in all builds"
    );
    Fault::new(&rules::LIMIT, message, head).help("name a PATH with fewer kustomizations")
}
