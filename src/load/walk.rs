//! PATHs to files: which files a run reads, and what they are called.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::disk::{WalkedFile, has_known_ending, real};
use super::reach::Reach;
use super::store::Store;
use super::{Loaded, Refusal, Repository, Request, repository, rules};
use crate::diagnostic::baseline;
use crate::kustomize;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use rustc_hash::FxHashMap;

/// A file to read.
#[derive(Debug, Clone)]
pub(super) struct File {
    /// Its name in messages.
    pub(super) name: String,
    /// `None` for standard input.
    pub(super) path: Option<PathBuf>,
    /// Named by the caller, not found in a directory.
    pub(super) named: bool,
    /// The directory it was found in called it a regular file.
    pub(super) regular: bool,
    /// Why it cannot be looked at, where that is known already.
    pub(super) fault: Option<String>,
}

/// The name of a path in messages: relative to the directory where it lies below it, with `/`,
/// without `.` parts. Works on the text alone, for either separator.
///
/// ```
/// use planner::load::display_name;
/// assert_eq!(display_name("./site/a.yaml", "/home/me"), "site/a.yaml");
/// assert_eq!(display_name("/home/me/site/a.yaml", "/home/me"), "site/a.yaml");
/// assert_eq!(display_name("C:\\me\\site\\a.yaml", "C:\\me"), "site/a.yaml");
/// assert_eq!(display_name("/etc/a.yaml", "/home/me"), "/etc/a.yaml");
/// ```
#[must_use]
pub fn display_name(path: &str, directory: &str) -> String {
    // The directory tells whose paths these are; a `\\` in a name is nothing special elsewhere.
    let drive = |text: &str| text.as_bytes().get(1) == Some(&b':');
    let windows = match directory.as_bytes().first() {
        Some(b'/') => false,
        Some(b'\\') => true,
        _ if drive(directory) || drive(path) => true,
        _ => path.contains('\\') && !path.contains('/'),
    };
    let tidy = |text: &str| {
        let text = if windows {
            let text = text.replace('\\', "/");
            // What `canonicalize` puts before a path there.
            let plain = text.strip_prefix("//?/").map(|rest| {
                rest.strip_prefix("UNC/")
                    .map_or_else(|| rest.to_owned(), |share| format!("//{share}"))
            });
            plain.unwrap_or(text)
        } else {
            text.to_owned()
        };
        let root = match text.as_str() {
            share if windows && share.starts_with("//") => "//",
            rooted if rooted.starts_with('/') => "/",
            _ => "",
        };
        let parts: Vec<&str> = text
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        format!("{root}{}", parts.join("/"))
    };
    let (path, directory) = (tidy(path), tidy(directory));
    let below = path
        .strip_prefix(&directory)
        .and_then(|rest| match directory.as_str() {
            "" => None,
            "/" => Some(rest),
            _ => rest.strip_prefix('/'),
        });
    match below.unwrap_or(&path) {
        "" => ".".into(),
        name => name.to_owned(),
    }
}

fn glob(pattern: &str) -> Result<Glob, globset::Error> {
    let wide = if pattern.ends_with('/') {
        format!("{pattern}**")
    } else {
        pattern.to_owned()
    };
    GlobBuilder::new(&wide).literal_separator(true).build()
}

/// Whether a text can name files in `include` and `exclude`.
#[must_use]
pub fn is_glob(pattern: &str) -> bool {
    glob(pattern).is_ok()
}

pub(super) fn globs(patterns: &[String]) -> Result<GlobSet, Refusal> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(glob(pattern).map_err(|_| Refusal::Glob(pattern.clone()))?);
    }
    set.build()
        .map_err(|error| Refusal::Glob(error.to_string()))
}

/// How many bytes the files have together that are read from the disk; those over the limit are
/// not.
pub(super) fn bytes(request: &Request, files: &[File]) -> u64 {
    let paths = files.iter().filter_map(|file| file.path.as_deref());
    let sizes = paths.map(|path| match request.store() {
        Store::Disk(_) => fs::metadata(path).map_or(0, |meta| meta.len()),
        Store::Revision(snapshot) => snapshot.bytes(path),
    });
    sizes
        .filter(|size| *size <= request.limits.file_bytes)
        .fold(0, u64::saturating_add)
}

struct Files<'r> {
    request: &'r Request,
    store: Store<'r>,
    directory: String,
    /// By real path, so that a file named twice is read once.
    found: FxHashMap<PathBuf, File>,
    include: GlobSet,
    exclude: GlobSet,
    /// The real directory that the globs are relative to.
    base: PathBuf,
    /// The real paths of files never read.
    never: Vec<PathBuf>,
    /// The directory asked about last and its real path: files come directory by directory.
    parent: (PathBuf, PathBuf),
    /// The directory named last, and what the names of its files begin with in messages.
    named: (PathBuf, String),
    /// The ignore files that were read.
    ignores: Vec<PathBuf>,
    reach: Reach,
    /// Names of links that lead out of the PATHs.
    leading_out: Vec<String>,
    /// The real directories with a kustomization.
    homes: BTreeSet<PathBuf>,
}

/// All files of a request, by name, and the directories with a kustomization.
pub(super) fn files(
    request: &Request,
    loaded: &mut Loaded,
) -> Result<(Vec<File>, BTreeSet<PathBuf>), Refusal> {
    let directory = real(&request.directory);
    let store = request.store();
    let mut files = Files {
        request,
        store,
        directory: directory.to_string_lossy().into_owned(),
        found: FxHashMap::default(),
        include: globs(&request.include)?,
        exclude: globs(&request.exclude)?,
        base: real(&request.config_directory),
        never: request.never.iter().map(|never| real(never)).collect(),
        parent: (PathBuf::new(), PathBuf::new()),
        named: (PathBuf::new(), String::new()),
        ignores: Vec::new(),
        reach: Reach::of(request),
        leading_out: Vec::new(),
        homes: BTreeSet::new(),
    };
    let mut stdin = None;
    let lenders = repository::lenders(
        store,
        &request.paths,
        request.site.first().map(String::as_str),
    );
    for (path, number) in request.paths.iter().zip(0..) {
        let wanted = repository::Wanted {
            site: request.site.first().map(String::as_str),
            every: request.every_site,
            path: number,
        };
        if path.as_os_str() == "-" {
            stdin = Some(File {
                name: request.stdin_name.clone(),
                path: None,
                named: true,
                regular: false,
                fault: None,
            });
        } else if store.is_dir(path) {
            if !lenders.contains_key(&number) {
                let mut found = files.directory(path, wanted, &lenders)?;
                for repository in &mut found {
                    let root = repository.root.to_string_lossy();
                    repository.shown = display_name(&root, &files.directory);
                }
                loaded.repositories.append(&mut found);
            }
        } else if !store.lacks(path) {
            files.add(path, true, false);
        }
    }
    let homes = std::mem::take(&mut files.homes);
    if let Some(wanted) = request
        .site
        .first()
        .filter(|_| loaded.repositories.is_empty() && homes.is_empty())
    {
        let first = request.paths.first().map(|path| path.display().to_string());
        return Err(Refusal::Site {
            root: first.unwrap_or_default(),
            wanted: Some(wanted.clone()),
            sites: Vec::new(),
        });
    }
    if let Some(records) = &request.records {
        let on_disk = matches!(store, Store::Disk(_));
        match files.reach.closed(request).filter(|_| on_disk) {
            Some(why) => files.close(records, why),
            None if store.is_dir(records) => {
                files.walk(records, false);
                if on_disk {
                    files.close_records(records);
                }
            }
            None => {}
        }
    }
    loaded.ignores = std::mem::take(&mut files.ignores);
    files.leading_out.sort();
    files.leading_out.dedup();
    let links = rules::leads_out(&files.leading_out);
    loaded.findings.diagnostics.extend(links);
    Ok((files.by_name(stdin), homes))
}

impl Files<'_> {
    /// The files below a directory, and the repositories that it or what lies below it is.
    fn directory(
        &mut self,
        path: &Path,
        wanted: repository::Wanted<'_>,
        lenders: &BTreeMap<usize, PathBuf>,
    ) -> Result<Vec<Repository>, Refusal> {
        let store = self.store;
        let mut found = repository::at(store, path, wanted)?;
        if found.is_empty() && wanted.site.is_none() {
            found.extend(repository::library(store, path, wanted.path));
        }
        if found.is_empty() {
            self.walk(path, true);
            let walked = self.found.values();
            let walked = walked.filter_map(|file| file.path.as_deref());
            let (chosen, roots) = repository::below(store, path, walked, wanted)?;
            found = chosen;
            let roots: BTreeSet<PathBuf> = roots.iter().map(|root| real(root)).collect();
            let of_site = |id: &Path| id.ancestors().any(|above| roots.contains(above));
            if !roots.is_empty() {
                self.found.retain(|id, _| !of_site(id));
                self.homes.retain(|home| !of_site(home));
            }
        }
        for repository in &mut found {
            repository.files.retain(|file| self.reaches(file, path));
            for lender in lenders.values() {
                let mut lent = repository::lend(store, lender, repository);
                lent.retain(|file| self.reaches(file, lender));
                repository.files.append(&mut lent);
            }
            repository.files.sort();
            for file in &repository.files {
                self.add(file, false, false);
            }
        }
        Ok(found)
    }

    /// All files by name, standard input among them.
    fn by_name(self, stdin: Option<File>) -> Vec<File> {
        let mut all: Vec<(PathBuf, File)> = self.found.into_iter().collect();
        all.sort_unstable_by(|a, b| (&a.1.name, &a.0).cmp(&(&b.1.name, &b.0)));
        let mut all: Vec<File> = all.into_iter().map(|(_, file)| file).collect();
        if let Some(stdin) = stdin {
            let after = all.partition_point(|file| file.name <= stdin.name);
            all.insert(after, stdin);
        }
        all
    }

    fn add(&mut self, path: &Path, named: bool, regular: bool) {
        let id = self.identity(path, regular);
        let counterpart = self.counterpart(&id);
        let known_as = counterpart.as_deref();
        let real_name = known_as.map_or_else(|| id.clone(), real);
        // A baseline further down is for those who check that directory alone.
        let other = !named
            && path
                .file_name()
                .is_some_and(|name| name == baseline::FILE_NAME);
        if other || self.never.contains(&real_name) {
            return;
        }
        let name = self.name(known_as.unwrap_or(path));
        let file = File {
            name,
            path: Some(path.to_path_buf()),
            named,
            regular,
            fault: None,
        };
        match self.found.entry(id) {
            Entry::Vacant(place) => {
                place.insert(file);
            }
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                let named = named || known.named;
                if file.name < known.name {
                    *known = file;
                }
                known.named = named;
            }
        }
    }

    /// The identity of a file; on the disk a directory is resolved once for its files.
    fn identity(&mut self, path: &Path, regular: bool) -> PathBuf {
        let is_link = |meta: fs::Metadata| meta.is_symlink();
        let link = || !regular && path.symlink_metadata().map_or(true, is_link);
        let (Store::Disk(_), Some(parent), Some(name)) =
            (self.store, path.parent(), path.file_name())
        else {
            return self.store.identity(path);
        };
        if parent.as_os_str().is_empty() || link() {
            return self.store.identity(path);
        }
        if self.parent.0 != parent {
            self.parent = (parent.to_path_buf(), self.store.identity(parent));
        }
        self.parent.1.join(name)
    }

    /// The name of a file in messages; that of a directory is worked out once for its files.
    fn name(&mut self, path: &Path) -> String {
        let file = path.file_name().and_then(OsStr::to_str);
        let (Some(parent), Some(file)) = (path.parent(), file) else {
            return display_name(&path.to_string_lossy(), &self.directory);
        };
        let text = path.to_string_lossy();
        if parent.as_os_str().is_empty() || text.contains('\\') || self.directory.contains('\\') {
            return display_name(&text, &self.directory);
        }
        if self.named.0.as_os_str() != parent.as_os_str() {
            let mut prefix = display_name(&parent.join("x").to_string_lossy(), &self.directory);
            prefix.pop();
            self.named = (parent.to_path_buf(), prefix);
        }
        format!("{}{file}", self.named.1)
    }

    /// The name of a file where its directory stands for another one.
    fn counterpart(&self, id: &Path) -> Option<PathBuf> {
        let (theirs, ours) = self.request.treated_as.as_ref()?;
        Some(ours.join(id.strip_prefix(theirs).ok()?))
    }

    fn walk(&mut self, root: &Path, filtered: bool) {
        let limit = self.request.limits.file_bytes;
        let follow = self.request.follow_links.as_deref();
        let walked = self.store.walk(root, filtered, follow, limit);
        for (path, why) in walked.closed {
            // What is left out as a whole need not be open.
            if filtered && self.leaves_out(&path) {
                continue;
            }
            self.close(&path, why);
        }
        self.ignores.extend(walked.ignores);
        for link in walked.leading_out {
            if !(filtered && self.leaves_out(&link)) {
                self.leave_out(&link);
            }
        }
        for WalkedFile { path, regular } in walked.files {
            let name = path.file_name().and_then(OsStr::to_str);
            let is_home = name.is_some_and(|name| kustomize::NAMES.contains(&name));
            let has_known_ending = has_known_ending(&path);
            if !(has_known_ending || is_home) || (filtered && !self.wanted(&path)) {
                continue;
            }
            if !(regular || self.reaches(&path, root)) {
                continue;
            }
            if is_home {
                let real = self.identity(&path, regular);
                self.homes.extend(real.parent().map(Path::to_path_buf));
            }
            if has_known_ending {
                self.add(&path, false, regular);
            }
        }
    }

    /// Closes the records that are links to nothing or out of the site: without them everything
    /// would be placed anew.
    fn close_records(&mut self, records: &Path) {
        let limit = self.request.limits.file_bytes;
        let walked = self.store.walk(records, false, None, limit);
        let files = walked.files.into_iter().filter(|file| !file.regular);
        for WalkedFile { path, .. } in files.filter(|file| has_known_ending(&file.path)) {
            let why = if self.reach.lacks(self.store, &path, records) {
                "the record is a link that leads out of the site"
            } else if path.is_symlink() && !path.exists() {
                "it is a record, and the link is broken"
            } else {
                continue;
            };
            self.close(&path, why.to_owned());
        }
    }

    /// Whether a file below a directory is in reach; if not, it is left out.
    fn reaches(&mut self, path: &Path, root: &Path) -> bool {
        let lacks = self.reach.lacks(self.store, path, root);
        if lacks {
            self.leave_out(path);
        }
        !lacks
    }

    fn leave_out(&mut self, link: &Path) {
        let name = display_name(&link.to_string_lossy(), &self.directory);
        self.leading_out.push(name);
    }

    /// Adds what cannot be examined to the files, with the reason.
    fn close(&mut self, path: &Path, why: String) {
        self.add(path, false, false);
        let id = self.identity(path, false);
        if let Some(file) = self.found.get_mut(&id) {
            file.fault = Some(why);
        }
    }

    /// Whether `exclude` names all that a directory can hold, or a file.
    fn leaves_out(&mut self, path: &Path) -> bool {
        !self.exclude.is_empty() && {
            let below = self.below_base(path);
            self.exclude.is_match(&below) || self.exclude.is_match(below.join("anything"))
        }
    }

    fn wanted(&mut self, path: &Path) -> bool {
        if self.include.is_empty() && self.exclude.is_empty() {
            return true;
        }
        let below = self.below_base(path);
        (self.include.is_empty() || self.include.is_match(&below)) && !self.exclude.is_match(&below)
    }

    /// The path from the directory on that the globs are relative to.
    fn below_base(&mut self, path: &Path) -> PathBuf {
        let id = self.identity(path, false);
        let id = match self.counterpart(&id) {
            Some(counterpart) => real(&self.request.directory).join(counterpart),
            None => id,
        };
        let below = id.strip_prefix(&self.base).map(Path::to_path_buf);
        below.unwrap_or(id)
    }
}
