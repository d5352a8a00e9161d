//! One kustomization built: what it lists, in the order in which Kustomize takes it (A2).

mod finish;
mod output;
mod plugins;

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kit::path::lexical;
use crate::source::{Place, SourceId, Sources};
use crate::yaml::Limits;

use super::digest::Digests;
use super::fault::Fault;
use super::fields::Text;
use super::file::{self, Kustomization};
use super::files::{Files, Kind, NAMES, is_remote};
use super::heap::{Generate, Heap, LeftOut, Stop, What, remote};
use super::resource::{Id, Resource};
use super::tables::Config;
use super::texts::{Texts, closed, outside};
use super::traps::Traps;
use super::{change, configurations, generate, images, patch, replace, rules, vars};

pub use output::{Built, Document, Origin, Status};

/// Kustomizations below one another.
const DEPTH: usize = 64;
/// Documents of one build.
const DOCUMENTS: usize = 100_000;
/// Documents of all builds.
const ALL_DOCUMENTS: usize = 2_000_000;
/// The directories from the outermost kustomization down to the one that is built.
#[derive(Debug, Default, Clone)]
pub(super) struct Way(Vec<PathBuf>);

impl Way {
    /// The way one directory further down.
    fn to(&self, home: &Path) -> Self {
        let mut further = self.clone();
        further.0.push(home.to_path_buf());
        further
    }

    /// The directory of the kustomization that is built.
    fn home(&self) -> &Path {
        self.0.last().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Whether a directory on the way lies in this one.
    fn passes(&self, directory: &Path) -> bool {
        self.0.iter().any(|above| above.starts_with(directory))
    }
}

/// Builds kustomizations: each file is read once, each kustomization built once.
pub struct Builder<'f> {
    texts: Texts<'f>,
    /// The PATHs, real.
    reach: Vec<PathBuf>,
    /// Whether directories beside the PATHs may be read, where no link leads there.
    open: bool,
    kustomizations: FxHashMap<PathBuf, Result<Arc<Kustomization>, Stop>>,
    heaps: FxHashMap<PathBuf, Result<Arc<Heap>, Stop>>,
    /// Makes what a PolicyGenerator makes.
    pub(super) generate: Option<Generate>,
    /// The custom resources with traps.
    pub(super) traps: Option<&'static Traps>,
    /// The hashes of what documents of several builds share.
    pub(super) digests: Digests,
    /// Documents of all builds so far.
    total: usize,
}

impl<'f> Deref for Builder<'f> {
    type Target = Texts<'f>;

    fn deref(&self) -> &Texts<'f> {
        &self.texts
    }
}

impl DerefMut for Builder<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.texts
    }
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
        Self {
            texts: Texts::new(files, sources, read, limits),
            reach: paths.iter().map(|path| files.real(path)).collect(),
            open: false,
            kustomizations: FxHashMap::default(),
            heaps: FxHashMap::default(),
            generate: None,
            traps: None,
            digests: Digests::default(),
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

    /// With links to what lies in the directory around the PATHs.
    #[must_use]
    pub fn around(mut self, directory: &Path) -> Self {
        self.reach.push(self.texts.files.real(directory));
        self
    }

    /// With findings about traps of these custom resources.
    #[must_use]
    pub fn with_traps(mut self, traps: &'static Traps) -> Self {
        self.traps = Some(traps);
        self
    }

    /// With the function that makes what a PolicyGenerator makes.
    #[must_use]
    pub fn with_generate(mut self, generate: Option<Generate>) -> Self {
        self.generate = generate;
        self
    }

    /// The kustomization of a directory.
    pub(super) fn kustomization(
        &mut self,
        home: &Path,
        from: Place,
    ) -> Result<Arc<Kustomization>, Stop> {
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
                    format!(
                        "`{shown}` has several kustomization files: {}",
                        there.join(", ")
                    ),
                    from,
                )
                .help("keep one of them"),
            }
            .into());
        };
        let path = self.files.real(&home.join(name));
        self.touched.insert(path.clone());
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

    /// The objects of a directory and of all below it; `way` leads to it.
    pub(super) fn heap(&mut self, home: &Path, way: &Way, from: Place) -> Result<Arc<Heap>, Stop> {
        if let Some(known) = self.heaps.get(home) {
            let known = known.clone();
            if let Ok(heap) = &known {
                let mut visited = heap.visited.iter();
                if let Some(above) = visited.find(|seen| way.passes(seen)) {
                    return Err(cycle(&self.files.name(above), from).into());
                }
            }
            return known;
        }
        let made = self.accumulate(home, way, from).map(Arc::new);
        let by_cycle = |fault: &Fault| std::ptr::eq(fault.rule, &rules::CYCLE);
        let lasting = match &made {
            Err(Stop::Faults(faults)) => way.0.is_empty() || !faults.iter().any(by_cycle),
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

    fn accumulate(&mut self, home: &Path, way: &Way, from: Place) -> Result<Heap, Stop> {
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
        way: &Way,
    ) -> Result<(), Stop> {
        if !kustomization.schemas.is_empty() {
            let schemas = kustomization.schemas.iter();
            let left_out = schemas.map(|(field, place)| LeftOut {
                what: if *field == "crds" {
                    What::Crds
                } else {
                    What::OpenApi
                },
                name: (*field).to_owned(),
                place: *place,
            });
            return Err(Stop::NotBuilt(Arc::new(left_out.collect())));
        }
        let way = way.to(home);
        self.resources(heap, &kustomization.resources, &way)?;
        configurations::take(self, heap, &kustomization.configurations, home)?;
        generate::all(self, heap, kustomization, home)?;
        let charts = kustomization.charts.iter();
        heap.left_out.extend(charts.map(|chart| LeftOut {
            what: What::Helm,
            name: chart.text.to_string(),
            place: chart.place,
        }));
        self.run_generators(heap, &kustomization.generators, &way)?;
        for component in &kustomization.components {
            self.component(heap, component, &way)?;
        }
        self.transform(heap, kustomization, home)?;
        self.run_transformers(heap, &kustomization.transformers, &way)?;
        self.check_validators(&kustomization.validators, &way)?;
        vars::collect(heap, &kustomization.vars)?;
        heap.no_twins(kustomization.head)?;
        if heap.resources.list.len() > DOCUMENTS {
            Err(too_many(kustomization.head).into())
        } else {
            Ok(())
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
        for entry in &kustomization.patches {
            patch::patch(self, heap, entry, home)?;
        }
        let own = heap.config.clone();
        let config = own.as_deref().unwrap_or(Config::usual());
        change::all(heap, config, kustomization)?;
        for entry in &kustomization.json_patches {
            patch::json_patch(self, heap, entry, home)?;
        }
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
        way: &Way,
    ) -> Result<(), Stop> {
        let mut ids: FxHashMap<Id, Place> = FxHashMap::default();
        for resource in &heap.resources.list {
            ids.insert(resource.id(), resource.node.place);
        }
        for path in paths {
            let added = self.resource(heap, path, way)?;
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
    fn resource(&mut self, heap: &mut Heap, path: &Text, way: &Way) -> Result<Vec<Resource>, Stop> {
        let (whole, there) = self.there(path, way);
        let absolute = Path::new(&*path.text).is_absolute();
        if there == Some(Kind::File) && !absolute {
            let nodes = self.objects(way.home(), path)?;
            return Ok(nodes.into_iter().map(Resource::read).collect());
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
            return Err(self.missing(way.home(), path).into());
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
        heap.generators.extend(below.generators.iter().cloned());
        heap.overwritten.extend(below.overwritten.iter().cloned());
        heap.images.extend(below.images.iter().cloned());
        if let Some(config) = &below.config {
            configurations::merge(heap, config, path.place)?;
        }
        vars::merge(heap, &below.vars)?;
        Ok(below.resources.list.clone())
    }

    /// The path of an entry, and what stands there.
    fn there(&self, path: &Text, way: &Way) -> (PathBuf, Option<Kind>) {
        let whole = way.home().join(&*path.text);
        let there = match &*path.text {
            "" => None,
            _ => self.files.kind(&whole),
        };
        (whole, there)
    }

    /// The real path of a directory that may be entered.
    fn enter(&self, path: &Text, whole: &Path, way: &Way) -> Result<PathBuf, Fault> {
        let directory = self.files.real(whole);
        let straight = self.open && directory == lexical(whole);
        if !straight && !self.reach.iter().any(|root| directory.starts_with(root)) {
            return Err(outside(path, "leads out of the PATHs")
                .help("run planner in a directory that both lie in"));
        }
        if way.passes(&directory) {
            return Err(cycle(&self.files.name(&directory), path.place));
        }
        if way.0.len() < DEPTH {
            Ok(directory)
        } else {
            Err(Fault::new(
                &rules::LIMIT,
                format!("more than {DEPTH} kustomizations stand over one another"),
                path.place,
            ))
        }
    }

    fn component(&mut self, heap: &mut Heap, path: &Text, way: &Way) -> Result<(), Stop> {
        let (whole, there) = self.there(path, way);
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
            None => return Err(self.missing(way.home(), path).into()),
        }
        let directory = self.enter(path, &whole, way)?;
        let kustomization = self.kustomization(&directory, path.place)?;
        if !kustomization.component {
            let fault = Fault::new(
                &rules::HEADER,
                format!("`{}` is a Kustomization", path.text),
                path.place,
            );
            return Err(fault
                .help("list it under `resources`, or make it a Component")
                .into());
        }
        heap.visited.push(directory.clone());
        self.customize(heap, &kustomization, &directory, way)
    }

    /// Counts the documents of a build.
    fn count(&mut self, built: usize, head: Place) -> Result<(), Stop> {
        self.total += built;
        if self.total > ALL_DOCUMENTS {
            Err(too_many(head).into())
        } else {
            Ok(())
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

fn cycle(directory: &str, from: Place) -> Fault {
    let message = format!("`{directory}` is on the way to this line already");
    Fault::new(&rules::CYCLE, message, from)
        .help("a kustomization cannot list a directory that holds or lists it")
}

fn too_many(head: Place) -> Fault {
    let message =
        format!("more than {DOCUMENTS} documents in one build, or {ALL_DOCUMENTS} in all builds");
    Fault::new(&rules::LIMIT, message, head).help("name a PATH with fewer kustomizations")
}
