//! Which kustomizations a repository deploys, and which of them exclude one another (B1 to B3).

mod choices;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Diagnostic;
use crate::kit::path::lexical;
use crate::kit::plural::first_names;
use crate::source::Place;

use super::build::{Builder, Built, Status, Way, is_flux};
use super::fault::Fault;
use super::files::{Kind, is_remote};
use super::heap::Stop;
use super::rules;

use choices::{Made, choices, made};

/// Whether objects of a group and kind are planned, and if so, whether they have a namespace.
pub type Ours<'f> = dyn Fn(&str, &str) -> Option<bool> + Sync + 'f;

/// Unlisted files that a note names.
const NAMED: usize = 5;

/// A file beside a kustomization that nothing reads.
#[derive(Debug)]
pub struct Unlisted {
    /// Its name.
    pub name: String,
    /// Where its first document of ours is.
    pub place: Place,
    /// The directory of the kustomization, without links.
    pub home: PathBuf,
}

/// A directory that something deploys by its name.
#[derive(Debug, Clone)]
pub struct Named {
    /// The directory, without links.
    pub directory: PathBuf,
    /// The line that names it.
    pub place: Place,
    /// The file of that line, without links.
    pub file: PathBuf,
}

/// A kustomization that is deployed.
#[derive(Debug)]
pub struct Root {
    /// Its build.
    pub built: Built,
    /// The lines that name it.
    pub named_by: Vec<Place>,
    /// How many kustomizations use it.
    pub uses: usize,
}

/// Roots that make the same objects differently.
#[derive(Debug)]
pub struct Choice {
    /// The sets of roots to choose from.
    pub alternatives: Vec<Alternative>,
    /// The alternative that is named from outside of the choice, and the line that names it.
    pub chosen: Option<(usize, Place)>,
}

/// Roots that are deployed together.
#[derive(Debug)]
pub struct Alternative {
    /// The last part of the path of its first root, or more of it where that is not unique.
    pub name: String,
    /// Its roots, by number.
    pub roots: Vec<usize>,
}

/// Roots that are planned together.
#[derive(Debug, Clone)]
pub struct Site {
    /// Its name; none where there is one site alone.
    pub name: Option<String>,
    /// Its roots, by number.
    pub roots: Vec<usize>,
}

/// The kustomizations of a repository.
#[derive(Debug, Default)]
pub struct Roots {
    /// The kustomizations that are deployed, by path.
    pub roots: Vec<Root>,
    /// The kustomizations that exclude one another.
    pub choices: Vec<Choice>,
    /// The roots that are planned together.
    pub sites: Vec<Site>,
    /// All directories with a kustomization.
    pub directories: BTreeSet<PathBuf>,
}

impl Builder<'_> {
    /// The directories with a kustomization below these; hidden ones are left out, links to
    /// directories are not followed.
    pub fn discover(&mut self, paths: &[PathBuf]) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut open: Vec<PathBuf> = paths.iter().map(|path| self.files.real(path)).collect();
        let mut seen: FxHashSet<PathBuf> = FxHashSet::default();
        while let Some(directory) = open.pop() {
            if !seen.insert(directory.clone()) {
                continue;
            }
            if self.is_kustomization(&directory) {
                found.insert(directory.clone());
            }
            for (name, is_directory) in self.files.names(&directory) {
                let path = directory.join(&name);
                if is_directory && !name.starts_with('.') && self.files.real(&path) == path {
                    open.push(path);
                }
            }
        }
        found
    }

    /// Whether a directory has a kustomization; a document of Flux is none.
    pub fn is_kustomization(&mut self, directory: &Path) -> bool {
        self.kustomization_files(directory).iter().any(|name| {
            let path = self.files.real(&directory.join(name));
            !self
                .text(&path)
                .is_ok_and(|(_, source)| is_flux(&source.text))
        })
    }

    /// The directories that a kustomization uses.
    fn uses(&mut self, home: &Path) -> Vec<PathBuf> {
        let Ok(file) = self.kustomization(home, Place::default()) else {
            return Vec::new();
        };
        let listed = file.resources.iter().chain(&file.components);
        let listed = listed.filter(|path| !path.text.is_empty());
        let whole = listed.map(|path| (home.join(&*path.text), is_remote(&path.text)));
        let directory = |(path, remote): (PathBuf, bool)| {
            let kind = self.files.kind(&path);
            (kind == Some(Kind::Directory) && !remote).then(|| self.files.real(&path))
        };
        whole.filter_map(directory).collect()
    }

    /// The files and directories that a kustomization lists, without links.
    pub fn listed(&mut self, home: &Path) -> Vec<PathBuf> {
        let named = self.named(home);
        named.iter().map(|path| self.files.real(path)).collect()
    }

    /// The files and directories that a kustomization lists, as it names them.
    pub fn named(&mut self, home: &Path) -> Vec<PathBuf> {
        let Ok(file) = self.kustomization(home, Place::default()) else {
            return Vec::new();
        };
        let patches = file.patches.iter().chain(&file.json_patches);
        let patches = patches.filter_map(|patch| patch.path.as_ref());
        let lists = [
            &file.resources,
            &file.components,
            &file.configurations,
            &file.generators,
            &file.merge_patches,
            &file.transformers,
            &file.validators,
        ];
        let listed = lists.into_iter().flatten().chain(patches);
        let paths = listed.filter(|path| !path.text.contains('\n'));
        paths.map(|path| lexical(&home.join(&*path.text))).collect()
    }

    /// Finds and builds the kustomizations that are deployed; `keeps` says whether their documents
    /// are wanted afterwards.
    pub fn roots(
        &mut self,
        directories: BTreeSet<PathBuf>,
        named: &[Named],
        ours: &Ours<'_>,
        keeps: bool,
    ) -> Roots {
        let all: Vec<PathBuf> = directories.iter().cloned().collect();
        let numbers: FxHashMap<&PathBuf, usize> = all.iter().zip(0..).collect();
        let mut below: Vec<Vec<usize>> = Vec::with_capacity(all.len());
        let mut users: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); all.len()];
        for (number, home) in all.iter().enumerate() {
            let used = self.uses(home);
            let used: Vec<usize> = used
                .iter()
                .filter_map(|one| numbers.get(one).copied())
                .collect();
            for one in &used {
                users[*one].insert(number);
            }
            below.push(used);
        }
        let mut roots = Roots::default();
        let mut makes: Vec<Made> = Vec::new();
        for (number, home) in all.iter().enumerate() {
            let lines = named.iter().filter(|one| one.directory == *home);
            let named_by: Vec<Place> = lines.map(|one| one.place).collect();
            if named_by.is_empty() && !self.is_root(home, number, &below, &users) {
                continue;
            }
            let mut built = self.build(home);
            if built.status == Status::No {
                self.look_below(&mut built, number, &all, &below);
            }
            // Forgotten first: then only the base's values are shared.
            if users[number].is_empty() {
                self.forget(home);
            }
            makes.push(made(&built, ours, &mut self.digests));
            if !keeps {
                built.documents = Vec::new();
            }
            roots.roots.push(Root {
                built,
                named_by,
                uses: users[number].len(),
            });
        }
        roots.choices = choices(&roots.roots, &makes, named);
        roots.sites = sites(&roots);
        roots.directories = directories;
        roots
    }

    /// Adds the faults of the bases below a kustomization: its own build ends at the first fault.
    fn look_below(
        &mut self,
        built: &mut Built,
        number: usize,
        all: &[PathBuf],
        below: &[Vec<usize>],
    ) {
        let mut seen: BTreeSet<usize> = BTreeSet::from([number]);
        let mut open = below[number].clone();
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            open.extend(&below[next]);
            let file = self.kustomization(&all[next], Place::default());
            if file.is_ok_and(|file| file.component) {
                continue;
            }
            let made = self.heap(&all[next], &Way::default(), Place::default());
            let Err(Stop::Faults(faults)) = made else {
                continue;
            };
            for found in faults.iter().map(Fault::diagnostic) {
                if !built.findings.contains(&found) {
                    built.findings.push(found);
                }
            }
        }
    }

    /// Whether nothing outside of its own cycle uses a kustomization, which is no component.
    fn is_root(
        &mut self,
        home: &Path,
        number: usize,
        below: &[Vec<usize>],
        users: &[BTreeSet<usize>],
    ) -> bool {
        let file = self.kustomization(home, Place::default());
        if file.is_ok_and(|file| file.component) {
            return false;
        }
        let mut own: FxHashSet<usize> = FxHashSet::default();
        if !users[number].is_empty() {
            let mut open = below[number].clone();
            while let Some(next) = open.pop() {
                if own.insert(next) {
                    open.extend(&below[next]);
                }
            }
        }
        users[number].iter().all(|user| own.contains(user))
    }

    /// Findings about the roots as a whole.
    #[must_use]
    pub fn notes(&mut self, roots: &Roots, unlisted: &[Unlisted]) -> Vec<Diagnostic> {
        let mut notes = Vec::new();
        let files = &self.files;
        let name = |root: usize| files.name(&roots.roots[root].built.directory);
        let open = roots.choices.iter().find(|choice| choice.chosen.is_none());
        if let Some(choice) = open.filter(|_| roots.sites.len() > 1) {
            let names = roots.sites.iter().filter_map(|site| site.name.as_deref());
            let names: Vec<&str> = names.collect();
            let first = &roots.roots[choice.alternatives[0].roots[0]];
            let note = Diagnostic::new(
                &rules::SEVERAL_SITES,
                format!("{} sites: {}", names.len(), names.join(", ")),
            );
            let at = first.built.documents.first().map(super::Document::place);
            let note = match at {
                Some(place) => note.at(place, ""),
                None => note,
            };
            notes.push(
                note.help(
                    "`--site NAME` picks one, `[[site]]` in planner.toml says which there are",
                ),
            );
        }
        for choice in &roots.choices {
            let Some((chosen, place)) = choice.chosen else {
                continue;
            };
            let others = choice.alternatives.iter().zip(0..);
            let others = others.filter(|(_, at)| *at != chosen);
            let others: Vec<String> = others
                .flat_map(|(one, _)| one.roots.iter().map(|root| format!("`{}`", name(*root))))
                .collect();
            let own: Vec<String> = choice.alternatives[chosen]
                .roots
                .iter()
                .map(|root| format!("`{}`", name(*root)))
                .collect();
            let message = format!(
                "{} is planned, {} is not",
                own.join(", "),
                others.join(", ")
            );
            notes.push(Diagnostic::new(&rules::CHOSEN, message).at(place, "names it"));
        }
        notes.extend(self.unlisted(unlisted));
        notes
    }

    /// The note about files that no kustomization lists: it stands where they would be listed.
    fn unlisted(&mut self, unlisted: &[Unlisted]) -> Option<Diagnostic> {
        let names: Vec<&str> = unlisted.iter().map(|one| one.name.as_str()).collect();
        let what = match names.len() {
            1 => "1 file beside a kustomization is not listed by it and not planned".to_owned(),
            count => {
                format!(
                    "{count} files beside kustomizations are not listed by them and not planned"
                )
            }
        };
        let message = format!("{what}: {}", first_names(names.iter(), NAMED));
        let mut homes: BTreeSet<&Path> = BTreeSet::new();
        let first = unlisted.iter().filter(|one| homes.insert(&one.home));
        let mut places = first.take(NAMED).map(|one| {
            let name = Path::new(&one.name).file_name().unwrap_or_default();
            let name = name.to_string_lossy();
            match self.kustomization(&one.home, Place::default()) {
                Ok(file) => (file.listing, format!("`{name}` is not listed here")),
                Err(_) => (one.place, format!("`{name}` is not listed")),
            }
        });
        let (place, text) = places.next()?;
        let note = Diagnostic::new(&rules::UNLISTED, message)
            .at(place, text)
            .help("list them under `resources`, or leave them out with `exclude`");
        Some(places.fold(note, |note, (place, text)| note.related(place, text)))
    }

    /// Whether a kustomization reads a file.
    #[must_use]
    pub fn reads(&self, file: &Path) -> bool {
        self.touched.contains(file)
    }
}

fn sites(roots: &Roots) -> Vec<Site> {
    let open: Vec<&Choice> = roots
        .choices
        .iter()
        .filter(|choice| choice.chosen.is_none())
        .collect();
    let mut out: FxHashSet<usize> = FxHashSet::default();
    for choice in &roots.choices {
        let kept = choice.chosen.map(|(at, _)| at);
        for (at, alternative) in choice.alternatives.iter().enumerate() {
            if Some(at) != kept {
                out.extend(&alternative.roots);
            }
        }
    }
    let common: Vec<usize> = (0..roots.roots.len())
        .filter(|root| !out.contains(root))
        .collect();
    if open.is_empty() {
        return if common.is_empty() {
            Vec::new()
        } else {
            vec![Site {
                name: None,
                roots: common,
            }]
        };
    }
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for alternative in open.iter().flat_map(|choice| &choice.alternatives) {
        by_name
            .entry(&alternative.name)
            .or_default()
            .extend(&alternative.roots);
    }
    let site = |(name, own): (&str, Vec<usize>)| {
        let mut all: Vec<usize> = common.iter().copied().chain(own).collect();
        all.sort_unstable();
        Site {
            name: Some(name.to_owned()),
            roots: all,
        }
    };
    by_name.into_iter().map(site).collect()
}

impl Root {
    /// Whether any of it was built.
    #[must_use]
    pub fn is_built(&self) -> bool {
        self.built.status != Status::No
    }
}
