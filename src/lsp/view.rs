//! A snapshot as the editor sees it: files by URI, places in its units, its own versions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gen_lsp_types::{Location, Range, Uri};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::source::{Place, Source, SourceId, Span};
use crate::workspace::{Job, Purpose, Snapshot};

use super::client::Client;
use super::head::{Head, Heads};
use super::position::{Lines, fewer_starts};
use super::uri;

/// A file that is open in the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Open {
    /// Its URI, as the editor writes it.
    pub(super) uri: String,
    /// The version of its text.
    pub(super) version: i32,
}

/// A site as it was when it was read, with the texts that were open.
#[derive(Debug)]
pub(super) struct View {
    /// The site, read, checked and planned.
    pub(super) snapshot: Arc<Snapshot>,
    /// How it was read.
    pub(super) job: Job,
    /// The client that it is for.
    pub(super) client: Client,
    /// The open files, by path.
    pub(super) open: Arc<BTreeMap<PathBuf, Open>>,
    /// The diagnostics of its files.
    pub(super) diagnostics: ByUri,
    /// The real path of each file; none of what is no file.
    paths: Vec<Option<PathBuf>>,
    /// Where the lines of each file start, once they were asked for; see [`fewer_starts`].
    starts: Vec<OnceLock<Option<Box<[u32]>>>>,
    /// The same site, planned when it is asked for: what checks alone need is less.
    planned: OnceLock<Option<Arc<Snapshot>>>,
    /// The last revision.
    heads: Arc<Heads>,
}

/// The diagnostics of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct OfFile {
    /// The version that they are of, where the file is open.
    pub(super) version: Option<i32>,
    /// In the order of their places.
    pub(super) diagnostics: Listed,
}

/// A list of diagnostics as JSON: a site can have a great many, and nothing takes less room.
#[derive(Debug, Clone, Default)]
pub(super) struct Listed(Option<Arc<RawValue>>);

impl Listed {
    pub(super) fn of<T: Serialize>(list: &[T]) -> Self {
        let text = Some(list).filter(|list| !list.is_empty());
        let text = text.and_then(|list| to_raw_value(list).ok());
        Self(text.map(Arc::from))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn text(&self) -> Option<&str> {
        self.0.as_deref().map(RawValue::get)
    }
}

impl PartialEq for Listed {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Serialize for Listed {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(list) => list.serialize(to),
            None => to.collect_seq([(); 0]),
        }
    }
}

impl OfFile {
    pub(super) fn of<T: Serialize>(version: Option<i32>, list: &[T]) -> Self {
        Self {
            version,
            diagnostics: Listed::of(list),
        }
    }

    /// Nothing, of a version.
    pub(super) fn none(version: i32) -> Self {
        Self {
            version: Some(version),
            diagnostics: Listed::default(),
        }
    }
}

/// The diagnostics of each file that has some, by URI.
pub(super) type ByUri = BTreeMap<String, OfFile>;

impl View {
    /// A snapshot, as a client sees it that has these files open.
    pub(super) fn new(
        snapshot: Arc<Snapshot>,
        job: Job,
        client: Client,
        open: Arc<BTreeMap<PathBuf, Open>>,
        heads: Arc<Heads>,
    ) -> Self {
        let files = snapshot.sources().files.len();
        let ids = (0..).map(SourceId).take(files);
        let path = |source| Some(real(snapshot.path_of(source))).filter(|path| path.is_file());
        let on_disk = |source| {
            path(source).or_else(|| {
                let path = snapshot.path_of(source);
                open.contains_key(&path).then_some(path)
            })
        };
        Self {
            paths: ids.map(on_disk).collect(),
            starts: vec![OnceLock::new(); files],
            snapshot,
            job,
            client,
            open,
            diagnostics: ByUri::new(),
            planned: OnceLock::new(),
            heads,
        }
    }

    /// The site with what is decided in it: as it was checked, unless documents were refused and
    /// only a part can be planned.
    pub(super) fn decided(&self) -> Option<&Snapshot> {
        let plan = self.snapshot.plan();
        let is_whole = plan.complete && !plan.refused();
        if is_whole && self.snapshot.loaded().builds.other_sites.is_empty() {
            return Some(&self.snapshot);
        }
        self.planned()
    }

    /// The plan of the site, as `planner plan` makes it.
    pub(super) fn planned(&self) -> Option<&Snapshot> {
        let planned = self
            .planned
            .get_or_init(|| self.job.run(Purpose::Plan).ok());
        planned.as_deref()
    }

    /// The plan of the last revision in git.
    pub(super) fn head(&self) -> Option<Arc<Head>> {
        self.heads.of(&self.job)
    }

    /// The file of a URI; none that the site does not read.
    pub(super) fn file(&self, uri: &str) -> Option<SourceId> {
        let open = self.open.iter().find(|(_, open)| open.uri == uri);
        let path = match open {
            Some((path, _)) => path.clone(),
            None => real(uri::to_path(uri)?),
        };
        let same = |known: &Option<PathBuf>| known.as_deref() == Some(path.as_path());
        let at = self.paths.iter().position(same)?;
        u32::try_from(at).ok().map(SourceId)
    }

    /// Whether it is the site of a directory.
    pub(super) fn is_at(&self, uri: &str) -> bool {
        let path = uri::to_path(uri).map(real);
        path.is_some_and(|path| self.job.request.paths.contains(&path))
    }

    /// A file's text and name.
    pub(super) fn source(&self, source: SourceId) -> &Source {
        self.snapshot.sources().get(source)
    }

    /// A file's path; none of what is no file.
    pub(super) fn path(&self, source: SourceId) -> Option<&PathBuf> {
        self.paths.get(source.0 as usize)?.as_ref()
    }

    /// The open file, where it is one.
    fn opened(&self, source: SourceId) -> Option<&Open> {
        self.open.get(self.path(source)?)
    }

    /// The lines of a file.
    pub(super) fn lines(&self, source: SourceId) -> Lines<'_> {
        let is_open = self.opened(source).is_some();
        let file = self.source(source);
        let fewer = self.starts[source.0 as usize].get_or_init(|| fewer_starts(file));
        let starts = fewer.as_deref().unwrap_or(file.line_starts());
        Lines::of(file, starts.into(), self.client.encoding, is_open)
    }

    /// A file's URI and version; nothing for what is no file.
    pub(super) fn uri(&self, source: SourceId) -> Option<(Uri, Option<i32>)> {
        Some(uri_of(&self.open, self.path(source)?))
    }

    /// The range of some bytes.
    pub(super) fn range(&self, source: SourceId, span: Span) -> Range {
        self.lines(source).range(span)
    }

    /// A place as a location; none in what is no file.
    pub(super) fn location(&self, place: Place) -> Option<Location> {
        let (uri, _) = self.uri(place.source)?;
        Some(Location::new(uri, self.range(place.source, place.span)))
    }
}

/// A path without links, where there is such a file.
pub(super) fn real(path: PathBuf) -> PathBuf {
    std::fs::canonicalize(&path).unwrap_or(path)
}

/// The URI of a path, as the editor writes it where the file is open, and the version.
pub(super) fn uri_of(open: &BTreeMap<PathBuf, Open>, path: &Path) -> (Uri, Option<i32>) {
    match open.get(path) {
        Some(open) => (Uri(open.uri.clone()), Some(open.version)),
        None => (Uri(uri::from_path(path)), None),
    }
}
