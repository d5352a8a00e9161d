//! Kustomizations among the PATHs: what they make takes the place of the files that they read.

mod aside;
mod sites;

pub use sites::{siteless, sites};

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostic;
use crate::document::secret::Copied;
use crate::document::{DocumentKind, KINDS, KindInfo};
use crate::kustomize::{
    Builder, Built, Digests, Document, Files as _, LeftOut, NAMES, Named, Roots, Status, What,
    named_paths, rules,
};
use crate::parallel;
use crate::source::{Place, SourceId};

use super::piece::Piece;
use super::store::Store;
use super::text::TextFault;
use super::traps::TRAPS;
use super::walk::File;
use super::{Loaded, Refusal, Request, disk, inputs};

/// Files of one kustomization that are looked at for the cause of a change, at most.
const FILES: usize = 10_000;

/// The kustomizations of a run.
#[derive(Debug, Default)]
pub struct Builds {
    /// How many directories have a kustomization.
    pub kustomizations: usize,
    /// The kustomizations that are planned, by path.
    pub roots: Vec<BuiltRoot>,
    /// The names of the sites that were read, if there are several.
    pub sites: Vec<String>,
    /// The names of the sites that are to be read after them.
    pub other_sites: Vec<String>,
    /// The kinds of the documents in the files of kustomizations that are not built.
    unbuilt: BTreeMap<SourceId, Vec<&'static str>>,
    /// The files and directories that each kustomization lists, by its name.
    listed: BTreeMap<String, Vec<String>>,
    /// The documents of the kustomizations of all sites, by their names.
    documents: Vec<(String, Vec<Document>)>,
    /// Files that builds read beside those of the walk.
    others: Vec<(PathBuf, SourceId)>,
    /// Values that are copied out of Secrets, and where they come from.
    pub secrets: Vec<(Place, Arc<str>)>,
}

impl Builds {
    /// The names of all sites, if there are several: those that were read come first.
    #[must_use]
    pub fn site_names(&self) -> Vec<String> {
        [&self.sites[..], &self.other_sites].concat()
    }

    /// The values that are copied out of Secrets.
    #[must_use]
    pub fn copied(&self) -> Copied<'_> {
        Copied::of(self.secrets.iter().map(|(_, value)| &**value))
    }
}

/// A kustomization that is planned.
#[derive(Debug)]
pub struct BuiltRoot {
    /// Its directory, as messages call it.
    pub name: String,
    /// Its directory, relative to the PATH.
    pub below: PathBuf,
    /// How much of it was built.
    pub status: Status,
    /// The parts that were not built.
    pub left_out: Vec<LeftOut>,
    /// The places of the faults for which it is not built.
    pub faults: Vec<Place>,
    /// The files that it lists, and all below it, if it is not built.
    unbuilt: BTreeSet<SourceId>,
    /// How many documents it makes.
    pub documents: usize,
}

/// Whether objects of a group and kind are planned, and whether they have a namespace.
#[must_use]
pub fn is_ours(group: &str, kind: &str) -> Option<bool> {
    let fits = |info: &&KindInfo| {
        let own = info.api_version.split_once('/');
        let own = own.map_or("", |(group, _)| group);
        info.name == kind && own == group && own != "planner"
    };
    let info = KINDS.iter().find(fits);
    info.map(|info| !info.kind.is_cluster_scoped())
}

/// A directory among the PATHs.
struct Area {
    /// Its real path.
    top: PathBuf,
    /// Whether it is a kustomization: its build alone counts.
    is_root: bool,
}

/// Builds the kustomizations below the PATHs, and takes what they read out of the pieces. Gives
/// what they make.
pub(super) fn take(
    request: &Request,
    files: &[File],
    homes: BTreeSet<PathBuf>,
    loaded: &mut Loaded,
    pieces: &mut [Piece],
    at_fault: &mut Vec<(SourceId, TextFault)>,
) -> Result<Vec<Piece>, Refusal> {
    let store = request.store();
    let areas = areas(request, store);
    let is_plain = homes.is_empty() && !areas.iter().any(|area| area.is_root);
    if is_plain || request.unbuilt {
        return Ok(Vec::new());
    }
    let broken: BTreeSet<SourceId> = at_fault.iter().map(|(source, _)| *source).collect();
    let ids = (0..).map(SourceId);
    let on_disk = files.iter().zip(ids);
    let on_disk = on_disk.filter_map(|(file, id)| Some((file, file.path.as_deref()?, id)));
    let on_disk: Vec<(&File, PathBuf, SourceId)> = on_disk
        .map(|(file, path, id)| (file, request.real(path), id))
        .collect();
    let sound = on_disk.iter().filter(|(_, _, id)| !broken.contains(id));
    let read = sound.map(|(_, path, id)| (path.clone(), *id));
    let known = loaded.sources.files.len();
    let sources = std::mem::take(&mut loaded.sources);
    let builder = Builder::new(request, &request.paths, sources, read, request.limits);
    let builder = builder.with_traps(&TRAPS);
    let mut builder = builder.with_generate(request.generate);
    let mut own = areas.iter().filter(|area| area.is_root);
    if let Some(area) = own.next() {
        let around = disk::repository(&area.top).unwrap_or(&request.directory);
        builder = builder.open().around(around);
    }
    let mut taking = Taking {
        request,
        areas,
        builder,
        named: Vec::new(),
        generated: BTreeSet::new(),
        wrapped: Vec::new(),
        directories: BTreeSet::new(),
        is_for_us: loaded.repositories.is_empty(),
    };
    taking.look(pieces, &on_disk, homes);
    let roots = taking.roots();
    let chosen = taking.choose(&roots)?;
    let unbuilt: Vec<BTreeSet<SourceId>> = chosen
        .builds
        .iter()
        .map(|built| taking.unbuilt(built, &on_disk))
        .collect();
    let kinds = taking.kinds(&unbuilt.iter().flatten().copied().collect(), pieces);
    let unlisted = taking.set_aside(&on_disk, &chosen, pieces, at_fault, loaded)?;
    let mut notes = taking.builder.notes(&roots, &unlisted);
    let of_sites = [rules::SEVERAL_SITES.code, rules::CHOSEN.code];
    let configured = !request.sites.is_empty();
    notes.extend(siteless(request, &roots)?);
    notes.retain(|note| {
        note.rule.code != of_sites[0] && !(configured && note.rule.code == of_sites[1])
    });
    for built in &chosen.builds {
        // What generators make is put in when the site is checked.
        let is_told = |found: &&Diagnostic| {
            found.rule.code != rules::LEFT_OUT.code || !is_generated_alone(&built.left_out)
        };
        notes.extend(built.findings.iter().filter(is_told).cloned());
    }
    notes.extend(taking.at_fault_in_policies());
    let listed = taking.listed(&chosen.builds);
    // Several builds say the same of one place.
    let mut told: BTreeMap<(Option<Place>, String), Vec<Diagnostic>> = BTreeMap::new();
    for note in notes {
        let place = note.primary.as_ref().map(|label| label.place);
        let alike = told.entry((place, note.message.clone())).or_default();
        if !alike.contains(&note) {
            alike.push(note.clone());
            loaded.findings.push(note);
        }
    }
    loaded.sources = std::mem::take(&mut taking.builder.sources);
    let documents = distinct(&chosen.builds);
    let made = parallel::map(request.jobs, &documents, |(document, roots)| {
        Piece::of(document.tree(), roots, document.generator.as_ref())
    });
    let new = (0..).map(SourceId).zip(&loaded.sources.files).skip(known);
    let new = new.map(|(id, source)| (request.directory.join(&source.name), id));
    let others = new.collect();
    let fault = |found: &Diagnostic| Some(found.primary.as_ref()?.place).filter(|_| found.refuses);
    let root = |(built, unbuilt): (Built, BTreeSet<SourceId>)| BuiltRoot {
        unbuilt,
        name: request.name(&built.directory),
        below: taking.below(&built.directory),
        status: built.status,
        documents: built.documents.len(),
        faults: built.findings.iter().filter_map(fault).collect(),
        left_out: built.left_out,
    };
    let copied = documents
        .iter()
        .flat_map(|(document, _)| document.secrets());
    loaded.builds = Builds {
        secrets: copied.collect(),
        kustomizations: taking.directories.len(),
        unbuilt: kinds,
        documents: of_all_sites(request, &roots),
        others,
        listed,
        sites: chosen.names,
        other_sites: chosen.others,
        roots: chosen.builds.into_iter().zip(unbuilt).map(root).collect(),
    };
    Ok(made)
}

/// The directories among the PATHs.
fn areas(request: &Request, store: Store<'_>) -> Vec<Area> {
    let directories = request.paths.iter().filter(|path| path.as_os_str() != "-");
    let directories = directories.filter(|path| store.is_dir(path));
    let area = |path: &PathBuf| {
        let has = |name: &str| store.is_file(&path.join(name));
        Area {
            top: request.real(path),
            is_root: NAMES.into_iter().any(has) && !is_top(path, store),
        }
    };
    directories.map(area).collect()
}

/// Whether a directory is the top of a repository, or has a configuration of its own.
fn is_top(path: &Path, store: Store<'_>) -> bool {
    let of_git = match store {
        Store::Disk(_) => path.join(".git").symlink_metadata().is_ok(),
        Store::Revision(snapshot) => snapshot.relative(path).is_some_and(|name| name.is_empty()),
    };
    of_git || store.is_file(&path.join("planner.toml"))
}

/// Whether nothing is left out but what PolicyGenerators make.
fn is_generated_alone(left_out: &[LeftOut]) -> bool {
    !left_out.is_empty() && left_out.iter().all(|part| part.what == What::Generator)
}

/// The documents of builds, equal ones once, each with the numbers of the builds that make it.
fn distinct(builds: &[Built]) -> Vec<(Cow<'_, Document>, Vec<u32>)> {
    let mut seen: FxHashMap<[&str; 4], Vec<(u128, usize)>> = FxHashMap::default();
    let mut digests = Digests::default();
    let mut all: Vec<(Cow<'_, Document>, Vec<u32>)> = Vec::new();
    for (built, number) in builds.iter().zip(0..) {
        for document in &built.documents {
            let text = |path: &[&str]| document.text(path);
            // A hub keeps no namespace of what has none.
            let is_stored = is_stored(document);
            let key = [
                text(&["apiVersion"]),
                text(&["kind"]),
                if is_stored {
                    text(&["metadata", "namespace"])
                } else {
                    ""
                },
                text(&["metadata", "name"]),
            ];
            let digest = if is_stored {
                document.digest(&mut digests)
            } else {
                document.digest_without_namespace(&mut digests)
            };
            let known = seen.entry(key).or_default();
            match known.iter().find(|(other, _)| *other == digest) {
                Some((_, at)) => all[*at].1.push(number),
                None => {
                    known.push((digest, all.len()));
                    let stored = if is_stored {
                        Cow::Borrowed(document)
                    } else {
                        Cow::Owned(document.without_namespace())
                    };
                    all.push((stored, vec![number]));
                }
            }
        }
    }
    all
}

/// Whether a document has no other namespace than a hub keeps.
fn is_stored(document: &Document) -> bool {
    let version = document.text(&["apiVersion"]);
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let has_namespace = !document.text(&["metadata", "namespace"]).is_empty();
    !has_namespace || is_ours(group, document.text(&["kind"])) != Some(false)
}

/// The first file that builds read and that is no longer as it was.
pub(super) fn changed(request: &Request, loaded: &Loaded) -> Option<String> {
    let others = loaded.builds.others.iter();
    let mut names = others.filter_map(|(path, source)| {
        let source = loaded.sources.get(*source);
        let now = request.read(path).ok()?;
        (now != source.text.as_bytes()).then(|| source.name.clone())
    });
    names.next()
}

/// The documents of all sites, where there are several kustomizations.
fn of_all_sites(request: &Request, roots: &Roots) -> Vec<(String, Vec<Document>)> {
    let several = roots.roots.iter().filter(|_| roots.roots.len() > 1);
    let several = several.map(|root| {
        let name = request.name(&root.built.directory);
        (name, root.built.documents.clone())
    });
    several.collect()
}

/// Facts gathered while the kustomizations are built.
struct Taking<'r> {
    request: &'r Request,
    areas: Vec<Area>,
    builder: Builder<'r>,
    /// The paths that Argo CD and Flux deploy by name.
    named: Vec<Named>,
    /// Files and directories that PolicyGenerators read.
    generated: BTreeSet<PathBuf>,
    /// The directories among them that hold a kustomization.
    wrapped: Vec<PathBuf>,
    /// The directories with a kustomization.
    directories: BTreeSet<PathBuf>,
    /// Whether a name of a site can only be one of kustomizations.
    is_for_us: bool,
}

impl Builds {
    /// The parts of kustomizations that are not built, although nothing is wrong with them: each
    /// with its kustomization. What PolicyGenerators make is put in when the site is checked.
    pub fn missing(&self) -> impl Iterator<Item = (&BuiltRoot, &LeftOut)> {
        let roots = self.roots.iter();
        let parts = roots.flat_map(|root| root.left_out.iter().map(move |part| (root, part)));
        parts.filter(|(_, part)| part.what != What::Generator)
    }

    /// How many documents of which kinds stand in the files of kustomizations that are not built.
    #[must_use]
    pub fn kinds_of(&self, names: &[&str]) -> BTreeMap<&'static str, usize> {
        let roots = self.roots.iter();
        let named = roots.filter(|root| names.contains(&root.name.as_str()));
        let sources: BTreeSet<SourceId> = named.flat_map(|root| &root.unbuilt).copied().collect();
        let mut kinds = BTreeMap::new();
        for kind in sources
            .iter()
            .filter_map(|one| self.unbuilt.get(one))
            .flatten()
        {
            *kinds.entry(*kind).or_default() += 1;
        }
        kinds
    }

    /// The files that a kustomization reads, and those below it: that of a kustomization before
    /// what it lists. They are named as messages call them.
    #[must_use]
    pub fn files_of(&self, root: &str) -> Vec<String> {
        let mut files = Vec::new();
        let mut open = vec![root];
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        while let Some(name) = open.pop().filter(|_| files.len() < FILES) {
            let Some(listed) = self.listed.get(name) else {
                files.push(name.to_owned());
                continue;
            };
            let home = if name == "." { "" } else { name };
            let own = NAMES.map(|own| Path::new(home).join(own).to_string_lossy().into_owned());
            files.extend(own);
            for entry in listed.iter().rev() {
                if seen.insert(entry) {
                    open.push(entry);
                }
            }
        }
        files
    }

    /// The kustomizations of all sites that have a value from each of these places.
    #[must_use]
    pub fn users(&self, places: &BTreeSet<Place>) -> BTreeMap<Place, BTreeSet<String>> {
        let mut users: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
        for (name, documents) in self.documents.iter().filter(|_| !places.is_empty()) {
            for place in documents.iter().flat_map(Document::places) {
                if places.contains(&place) {
                    users.entry(place).or_default().insert(name.clone());
                }
            }
        }
        users
    }

    /// The kustomizations that are not built because of the fault at a place.
    #[must_use]
    pub fn stopped_at(&self, place: Place) -> Vec<&str> {
        let stopped = self
            .roots
            .iter()
            .filter(|root| root.faults.contains(&place));
        stopped.map(|root| root.name.as_str()).collect()
    }
}

impl Taking<'_> {
    /// A directory relative to the PATH that it is in.
    fn below(&self, directory: &Path) -> PathBuf {
        let mut tops = self.areas.iter().map(|area| &area.top);
        let below = tops.find_map(|top| directory.strip_prefix(top).ok());
        below.unwrap_or(directory).to_path_buf()
    }

    /// The faults of the kustomizations that PolicyGenerators put into policies.
    fn at_fault_in_policies(&mut self) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for home in std::mem::take(&mut self.wrapped) {
            if !self.builder.is_kustomization(&home) {
                continue;
            }
            let built = self.builder.build(&home);
            let faults = built.findings.into_iter();
            let faults = faults.filter(|found| built.status == Status::No && found.refuses);
            all.extend(faults.map(Diagnostic::not_refusing));
        }
        all
    }

    /// The paths that each kustomization of these builds lists.
    fn listed(&mut self, builds: &[Built]) -> BTreeMap<String, Vec<String>> {
        let mut listed = BTreeMap::new();
        let mut open: Vec<PathBuf> = builds.iter().map(|one| one.directory.clone()).collect();
        while let Some(home) = open.pop() {
            let extension = home.extension().unwrap_or_default();
            let is_file = ["yaml", "yml", "json"]
                .iter()
                .any(|known| extension == *known);
            let is_known = self.directories.contains(&home);
            if !is_known && (is_file || !self.builder.is_kustomization(&home)) {
                continue;
            }
            let name = self.request.name(&home);
            if listed.contains_key(&name) {
                continue;
            }
            let paths = self.builder.named(&home);
            let names = paths.iter().map(|path| self.request.name(path));
            listed.insert(name, names.collect());
            open.extend(paths);
        }
        listed
    }

    /// Looks for what deploys directories by their names, and for what generators read.
    fn look(
        &mut self,
        pieces: &[Piece],
        files: &[(&File, PathBuf, SourceId)],
        homes: BTreeSet<PathBuf>,
    ) {
        let paths: BTreeMap<SourceId, &PathBuf> =
            files.iter().map(|(_, path, id)| (*id, path)).collect();
        let (request, builder) = (self.request, &mut self.builder);
        let tops: Vec<PathBuf> = self.areas.iter().map(|area| area.top.clone()).collect();
        let above = tops.iter().filter_map(|top| disk::repository(top));
        let bases: BTreeSet<PathBuf> = above.map(Path::to_path_buf).chain(tops.clone()).collect();
        let mut lines = Vec::new();
        let runners = inputs::runners(pieces, &builder.sources, &paths);
        for piece in pieces {
            let source = piece.tree.source;
            let Some(file) = paths.get(&source) else {
                continue;
            };
            let text = builder.sources.get(source).text.as_str();
            for entry in &*piece.documents {
                let node = piece.tree.node(text, entry.root);
                if entry.kind == DocumentKind::PolicyGenerator {
                    let own = || file.parent().unwrap_or(file);
                    let home = runners.get(*file).map_or_else(own, PathBuf::as_path);
                    let paths = inputs::manifests(node).into_iter();
                    self.generated
                        .extend(paths.map(|path| request.real(&home.join(path))));
                }
                for (path, place) in named_paths(node) {
                    lines.push((path, place, (*file).clone()));
                }
            }
        }
        for home in homes.iter().filter(|_| request.generate.is_some()) {
            for tree in builder.policy_generators(home) {
                let paths = inputs::manifests(tree.root("")).into_iter();
                self.generated
                    .extend(paths.map(|path| request.real(&home.join(path))));
            }
        }
        let in_tree = |home: &PathBuf| {
            let mut trees = self.areas.iter().filter(|area| !area.is_root);
            trees.any(|area| home.starts_with(&area.top))
        };
        let generated = &self.generated;
        let is_made = |home: &PathBuf| home.ancestors().any(|above| generated.contains(above));
        let homes = homes.into_iter().filter(in_tree);
        let homes: Vec<PathBuf> = homes.collect();
        let wrapped = homes.iter().filter(|home| generated.contains(*home));
        self.wrapped = wrapped.cloned().collect();
        self.directories = homes
            .into_iter()
            .filter(|home| builder.is_kustomization(home) && !is_made(home))
            .collect();
        for (path, place, file) in lines {
            let trimmed = path.trim_start_matches("./").trim_matches('/');
            let homes = bases.iter().map(|base| request.real(&base.join(trimmed)));
            let homes = homes.filter(|home| self.directories.contains(home));
            self.named.extend(homes.take(1).map(|directory| Named {
                directory,
                place,
                file: file.clone(),
            }));
        }
    }

    /// The kustomizations that are deployed.
    fn roots(&mut self) -> Roots {
        if self.directories.is_empty() {
            return Roots::default();
        }
        let directories = self.directories.clone();
        let roots = self.builder.roots(directories, &self.named, &is_ours, true);
        self.directories.clone_from(&roots.directories);
        roots
    }
}
