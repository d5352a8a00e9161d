//! Reading: PATHs to files, files to trees, trees to classified, schema-checked documents.
//!
//! The only reader of the disk. Files and pieces of files are dealt to threads; the result
//! never depends on the dealing.

mod again;
mod builds;
mod deployed;
mod disk;
mod dotgit;
mod earlier;
mod files;
pub mod git;
mod hub;
mod inputs;
mod json;
pub mod list;
mod old_forms;
mod other;
mod piece;
mod placeholder;
mod reach;
mod refusal;
mod repository;
mod request;
pub mod room;
pub mod rules;
mod side;
mod store;
mod template;
mod text;
mod traps;
mod view;
mod walk;

pub use crate::document::Repository;
pub use crate::kit::progress::Progress;
pub use again::changed;
pub use builds::{Builds, BuiltRoot, is_ours, siteless, sites};
pub use disk::{has_known_ending, read_file, repository};
pub use earlier::EarlierFiles;
pub use hub::{Hub, HubFault, HubFile, HubKey, is_of_a_hub, key_of};
pub use refusal::Refusal;
pub use request::{NamedSite, Request};
pub use side::SideFile;
pub use store::Snapshot;
pub use template::Template;
pub(crate) use template::document_around;
pub use text::unreadable;
pub use traps::TRAPS;
pub use view::{View, resolved};
pub use walk::{display_name, is_glob};

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::document::{Document, DocumentKind, Documents, Generated, not_a_mapping, record};
use crate::kit::path::lexical;
use crate::parallel;
use crate::source::{Place, Source, SourceId, Sources, Span};
use crate::yaml::{Limits, Node, Quirk, Tree};

use earlier::ParsedFiles;
use piece::Piece;

/// Everything that was read; never changed again.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The files, by name.
    pub sources: Sources,
    pieces: Vec<Piece>,
    made: OnceLock<Vec<Tree>>,
    generated: OnceLock<Vec<Generated>>,
    /// As `made`, for each of several sites.
    made_by_site: OnceLock<Vec<OnceLock<Vec<Tree>>>>,
    /// The snapshot of the hub.
    pub hub: Option<Hub>,
    /// Room for objects that documents and hub make together.
    pub merged: OnceLock<Vec<Tree>>,
    /// Where the files are.
    paths: BTreeMap<SourceId, PathBuf>,
    /// Findings of reading, classifying and structure.
    pub findings: Sink,
    /// The files beside the site, in the order of the request.
    pub beside: Vec<SideFile>,
    /// Airship repositories among the PATHs.
    pub repositories: Vec<Repository>,
    /// The paths of the files, readable or not.
    pub files: Vec<PathBuf>,
    /// How many of the sources, the first ones, are files of the site.
    site_files: usize,
    /// The paths of the ignore files that decided which files count.
    pub ignores: Vec<PathBuf>,
    /// The files that an earlier run had read.
    known: BTreeSet<SourceId>,
    /// Files that were read, at fault or not.
    pub files_read: usize,
    /// Documents that could not be read as YAML.
    pub unreadable: usize,
    /// Files that could not be read at all.
    pub closed: usize,
    /// Files whose documents are not all known: they cannot be read, or not as YAML; each with
    /// whether its text is known.
    pub unread: BTreeMap<SourceId, bool>,
    /// Documents that are not YAML because they are templates.
    pub templates: Vec<Template>,
    /// The findings with `--strict` for directories whose templates name no known kind.
    pub other_templates: Vec<Diagnostic>,
    /// Files that a kustomization lists and that are read as they stand.
    pub inputs: BTreeSet<SourceId>,
    /// The documents that kustomizations make.
    pub builds: Builds,
}

/// Reads, parses, classifies and checks structure.
///
/// # Errors
/// Only when the request itself cannot be understood; every fault of a file or document is a
/// finding.
pub fn open(request: &Request) -> Result<Loaded, Refusal> {
    let mut loaded = Loaded::default();
    let (files, homes) = walk::files(request, &mut loaded)?;
    let limits = request.limits;
    let stdin = request.stdin.as_ref().map_or(0, |bytes| bytes.len() as u64);
    let hub = request.hub.as_ref();
    let beside = || stdin.saturating_add(hub.map_or(0, HubFile::bytes));
    room::check(|| walk::bytes(request, &files).saturating_add(beside()))
        .map_err(Refusal::Memory)?;
    loaded.files = files.iter().filter_map(|file| file.path.clone()).collect();
    let earlier = request.earlier.files(limits);
    let (readable, mut at_fault) = loaded.read(&files, request, &earlier);
    let unread = at_fault.iter().filter(|(_, fault)| fault.hides_text());
    loaded.unread = unread.map(|(source, _)| (*source, false)).collect();
    loaded.site_files = loaded.sources.files.len();
    let reading = (limits, request.jobs, &request.progress);
    let known = earlier.pieces(&loaded.sources, &readable);
    drop(earlier);
    loaded.known = known.keys().copied().collect();
    let mut pieces = piece::read_all(reading, &loaded.sources, &readable, &known);
    request
        .earlier
        .keep(limits, &loaded.sources, &pieces, known);
    let of_ours = pieces.iter().filter(|piece| piece.holds_ours());
    let of_ours: BTreeSet<SourceId> = of_ours.map(|piece| piece.tree.source).collect();
    let made = builds::take(
        request,
        &files,
        homes,
        &mut loaded,
        &mut pieces,
        &mut at_fault,
    )?;
    let deployed: Vec<&Piece> = pieces.iter().chain(&made).collect();
    let missing = deployed::missing(request, &loaded.sources, &deployed);
    loaded.findings.diagnostics.extend(missing);
    let sources = &loaded.sources;
    // Among documents that can be read, faults of others are no reason to refuse the site.
    let is_sound = at_fault.is_empty() && pieces.iter().all(|piece| piece.broken == 0);
    if !is_sound && pieces.iter().chain(&made).any(Piece::holds_documents) {
        let mut meant = loaded.meant(&files);
        meant.extend(beside_ours(&files, &of_ours));
        piece::forgive(sources, &meant, &mut pieces);
        at_fault.retain(|(source, fault)| {
            let lenient = !meant.contains(source) && !fault.may_be_ours();
            if lenient {
                let found = fault.diagnostic(*source).severity(Severity::Warning);
                loaded.findings.push(found);
            }
            !lenient
        });
    }
    let at_fault = at_fault.iter();
    let refused = at_fault.map(|(source, fault)| fault.diagnostic(*source));
    loaded.findings.diagnostics.extend(refused);
    loaded.paths = files
        .iter()
        .zip(0..)
        .filter_map(|(file, at)| Some((SourceId(at), file.path.clone()?)))
        .collect();
    let paths = &loaded.paths;
    let (inputs, notes) = inputs::inputs(&mut pieces, &loaded.sources, request.store(), paths);
    loaded.inputs = inputs;
    loaded.findings.diagnostics.extend(notes);
    if !made.is_empty() {
        pieces.extend(made);
        pieces.sort_by_key(Piece::begins);
    }
    loaded.take(pieces, limits);
    old_forms::fold(&mut loaded.findings, &loaded.sources);
    let (notes, others) = template::notes(
        &loaded.templates,
        &loaded.sources,
        request.store(),
        &loaded.paths,
    );
    loaded.findings.diagnostics.extend(notes);
    loaded.other_templates = others;
    let named = files.iter().zip(0..).filter(|(file, _)| file.named);
    loaded.judge_forms(&named.map(|(_, at)| SourceId(at)).collect::<Vec<_>>());
    if let Some(file) = hub {
        loaded.hub = Some(hub::read(file, request, &mut loaded).map_err(Refusal::Hub)?);
    }
    for path in &request.beside {
        let file = loaded.side_file(path, request);
        loaded.beside.push(file);
    }
    Ok(loaded)
}

/// The files in the directories of files with documents of ours.
fn beside_ours(files: &[walk::File], of_ours: &BTreeSet<SourceId>) -> BTreeSet<SourceId> {
    let placed = || {
        let numbered = files.iter().zip((0..).map(SourceId));
        numbered.filter_map(|(file, source)| Some((file.path.as_deref()?.parent()?, source)))
    };
    let ours = placed().filter(|(_, source)| of_ours.contains(source));
    let ours: BTreeSet<&Path> = ours.map(|(directory, _)| directory).collect();
    let beside = placed().filter(|(directory, _)| ours.contains(directory));
    beside.map(|(_, source)| source).collect()
}

impl Loaded {
    /// Reads the texts of all files: those that can be read, and the faults of the others.
    fn read(
        &mut self,
        files: &[walk::File],
        request: &Request,
        earlier: &ParsedFiles,
    ) -> (Vec<SourceId>, Vec<(SourceId, text::TextFault)>) {
        let texts = parallel::map(request.jobs, files, |file| {
            let mut text = text::read(
                file,
                request.store(),
                request.stdin.as_deref(),
                request.limits.file_bytes,
            );
            let known = earlier.source(&file.name, &text.text);
            let known = known.filter(|_| text.fault.is_none()).map(Arc::clone);
            let shared = known.unwrap_or_else(|| {
                let text = std::mem::take(&mut text.text);
                Arc::new(Source::new(file.name.clone(), text))
            });
            (shared, text.fault, text.read)
        });
        let mut readable = Vec::new();
        let mut at_fault = Vec::new();
        for (text, fault, was_read) in texts {
            let source = self.sources.share(text);
            match fault {
                None => readable.push(source),
                Some(fault) => {
                    if fault.was_read() {
                        self.unreadable += 1;
                    } else {
                        self.closed += 1;
                    }
                    at_fault.push((source, fault));
                }
            }
            self.files_read += usize::from(was_read);
        }
        (readable, at_fault)
    }

    /// Refuses PATHs with nothing but records: planned alone they withdraw all that they decided.
    ///
    /// # Errors
    /// No document of ours is anything but a record, and some do not lie where this site has its
    /// records.
    pub fn not_records_alone(&self, request: &Request) -> Result<(), Refusal> {
        let ours = || {
            let entries = self.pieces.iter().flat_map(|piece| {
                let entries = piece.documents.iter();
                entries.map(|entry| (piece.tree.source, entry))
            });
            entries.filter(|(_, entry)| entry.kind != DocumentKind::Foreign)
        };
        if ours().any(|(_, entry)| !entry.is_recorded) {
            return Ok(());
        }
        let own = request.records.as_deref();
        let is_beside = |source: SourceId| {
            let path = self.path(source);
            !path.is_some_and(|path| own.is_some_and(|own| path.starts_with(own)))
        };
        let Some((source, _)) = ours().find(|(source, _)| is_beside(*source)) else {
            return Ok(());
        };
        let path = self.path(source);
        let path = path.map(|path| lexical(&request.directory.join(path)));
        let directories = path.iter().flat_map(|path| path.ancestors().skip(1));
        let mut directories = directories.filter(|above| above.ends_with(record::DIRECTORY));
        let site = directories.next().and_then(Path::parent).map(|site| {
            if site == request.directory {
                ".".to_owned()
            } else {
                display_name(
                    &site.to_string_lossy(),
                    &request.directory.to_string_lossy(),
                )
            }
        });
        let file = self.sources.get(source).name.clone();
        Err(Refusal::Records { file, site })
    }

    /// Where a file is; none for standard input and what is not of the walk.
    #[must_use]
    pub fn path(&self, source: SourceId) -> Option<&Path> {
        self.paths.get(&source).map(PathBuf::as_path)
    }

    /// The files that the caller means: named ones, and those of Airship sites.
    fn meant(&self, files: &[walk::File]) -> BTreeSet<SourceId> {
        let of_sites = self.repositories.iter().flat_map(|site| &site.files);
        let of_sites: BTreeSet<&PathBuf> = of_sites.collect();
        let meant = |file: &walk::File| {
            file.named
                || file
                    .path
                    .as_ref()
                    .is_some_and(|path| of_sites.contains(path))
        };
        let all = files.iter().zip(0..);
        all.filter(|(file, _)| meant(file))
            .map(|(_, at)| SourceId(at))
            .collect()
    }

    fn take(&mut self, mut pieces: Vec<Piece>, limits: Limits) {
        for piece in &mut pieces {
            self.findings.append(std::mem::take(&mut piece.sink));
            self.unreadable += piece.broken;
            if piece.broken > 0 || !piece.templates.is_empty() {
                self.unread.insert(piece.tree.source, true);
            }
            self.templates.append(&mut piece.templates);
        }
        self.pieces = pieces;
        let count: usize = self.pieces.iter().map(|piece| piece.documents.len()).sum();
        if count > limits.documents
            && let Some(piece) = self.pieces.last()
        {
            self.findings.push(rules::too_many_documents(
                piece.tree.source,
                count,
                limits.documents,
            ));
            self.drop_documents_beyond(limits.documents);
            let files = self.pieces.iter().map(|piece| (piece.tree.source, true));
            self.unread.extend(files);
        }
    }

    fn drop_documents_beyond(&mut self, limit: usize) {
        let mut left = limit;
        for piece in &mut self.pieces {
            if piece.documents.len() > left {
                Arc::make_mut(&mut piece.documents).truncate(left);
            }
            left -= piece.documents.len();
        }
    }

    /// A file named by the caller is meant to be read: its only document has to be a mapping.
    fn judge_forms(&mut self, named: &[SourceId]) {
        let mut only: Vec<Option<(usize, usize)>> = vec![None; self.sources.files.len()];
        let mut several = vec![false; only.len()];
        for (piece, at) in self.pieces.iter().zip(0..) {
            let source = piece.tree.source.0 as usize;
            for entry in 0..piece.documents.len() {
                several[source] |= only[source].is_some();
                only[source] = Some((at, entry));
            }
        }
        for source in named.iter().filter(|source| !several[source.0 as usize]) {
            let Some((piece, entry)) = only[source.0 as usize] else {
                continue;
            };
            let text = &self.sources.get(*source).text;
            let piece = &mut self.pieces[piece];
            let root = piece.documents[entry].root;
            let node = piece.tree.node(text, root);
            if !node.is_mapping() && !piece.documents[entry].refused {
                Arc::make_mut(&mut piece.documents)[entry].refused = true;
                self.findings.push(not_a_mapping(node));
            }
        }
    }

    /// The documents, in order of files and places.
    #[must_use]
    pub fn documents(&self) -> Documents<'_> {
        let count = self.pieces.iter().map(|piece| piece.documents.len()).sum();
        let mut all = Vec::with_capacity(count);
        for piece in &self.pieces {
            let text = &self.sources.get(piece.tree.source).text;
            for entry in &*piece.documents {
                all.push(Document {
                    kind: entry.kind,
                    node: piece.tree.node(text, entry.root),
                    index: u32::try_from(all.len()).unwrap_or(u32::MAX),
                    refused: entry.refused,
                    is_recorded: entry.is_recorded,
                    build: piece.build.as_ref(),
                    known: false,
                });
            }
        }
        Documents {
            sources: &self.sources,
            made: &self.made,
            generated: &self.generated,
            repositories: self.repositories.iter().collect(),
            templates: self.template_kinds(),
            all,
        }
    }

    /// The documents of each site on its own, where sites of one repository were read side by
    /// side; else nothing.
    #[must_use]
    pub fn site_by_site<'l>(&'l self, documents: &Documents<'l>) -> Vec<Documents<'l>> {
        let mut of_path: BTreeMap<usize, usize> = BTreeMap::new();
        for repository in &self.repositories {
            *of_path.entry(repository.path).or_default() += 1;
        }
        let beside_others = |repository: &&Repository| of_path[&repository.path] > 1;
        let sites: Vec<&Repository> = self.repositories.iter().filter(beside_others).collect();
        let files: Vec<BTreeSet<SourceId>> = sites.iter().map(|site| self.ids(site)).collect();
        let of_a_site: BTreeSet<SourceId> = files.iter().flatten().copied().collect();
        let made = self.made_by_site.get_or_init(|| {
            let rooms = sites.iter().map(|_| OnceLock::new());
            rooms.collect()
        });
        let site = |((site, files), made): ((&&'l Repository, &BTreeSet<SourceId>), _)| {
            let others = self.repositories.iter();
            let others = others.filter(|repository| !beside_others(repository));
            let part = |document: &&Document<'l>| {
                files.contains(&document.source()) || !of_a_site.contains(&document.source())
            };
            Documents {
                sources: &self.sources,
                made,
                generated: &self.generated,
                repositories: others.chain([*site]).collect(),
                templates: documents.templates.clone(),
                all: documents.all.iter().filter(part).copied().collect(),
            }
        };
        sites.iter().zip(&files).zip(made).map(site).collect()
    }

    /// The kinds of ours that templates name, and their files.
    fn template_kinds(&self) -> Vec<(SourceId, &'static str)> {
        let kinds = self.templates.iter().filter_map(|template| {
            let (kind, place) = template.kind?;
            Some((place.source, kind))
        });
        kinds.collect()
    }

    /// The files of a repository's site.
    fn ids(&self, site: &Repository) -> BTreeSet<SourceId> {
        let paths: BTreeSet<PathBuf> = site.files.iter().map(|path| disk::real(path)).collect();
        let files = self.paths.iter();
        let files = files.filter(|(_, path)| paths.contains(&disk::real(path)));
        files.map(|(source, _)| *source).collect()
    }

    /// The oddities in the YAML of documents, each with the numbers of the documents that it may be
    /// in: a list holds several.
    #[must_use]
    pub fn quirks(&self) -> Vec<(Range<usize>, SourceId, &Quirk)> {
        let mut found = Vec::new();
        let mut first = 0;
        for piece in &self.pieces {
            for quirk in &piece.quirks {
                let before = |entry: &piece::Entry| entry.document < quirk.document;
                let within = |entry: &piece::Entry| entry.document <= quirk.document;
                let from = first + piece.documents.partition_point(before);
                let to = first + piece.documents.partition_point(within);
                found.push((from..to, piece.tree.source, quirk));
            }
            first += piece.documents.len();
        }
        found
    }

    /// The places of anchored nodes that aliases name: editing one of them changes several values.
    #[must_use]
    pub fn shared(&self) -> Vec<Place> {
        let pieces = self.pieces.iter();
        let places = pieces.flat_map(|piece| {
            let source = piece.tree.source;
            piece.shared.iter().map(move |span| Place {
                source,
                span: *span,
            })
        });
        places.collect()
    }

    /// Where the quoted and block scalars of a file are.
    #[must_use]
    pub fn quoted_spans(&self, source: SourceId) -> Vec<Span> {
        let of_file = |piece: &&Piece| piece.tree.source == source && !piece.tree.made;
        let pieces = self.pieces.iter().filter(of_file);
        pieces.flat_map(|piece| piece.tree.quoted_spans()).collect()
    }

    /// Which of the offsets (ascending) of a file lie inside a scalar, where `#` begins no
    /// comment.
    #[must_use]
    pub fn inside_scalars(&self, source: SourceId, offsets: &[u32]) -> Vec<bool> {
        let mut inside = vec![false; offsets.len()];
        for span in self.quoted_spans(source) {
            let from = offsets.partition_point(|offset| *offset < span.start);
            for (slot, offset) in inside[from..].iter_mut().zip(&offsets[from..]) {
                if *offset >= span.end {
                    break;
                }
                *slot = true;
            }
        }
        inside
    }

    /// Documents that were not of the common style, and were read by the parser (`yaml::parse`).
    #[must_use]
    pub fn documents_read_slowly(&self) -> usize {
        self.pieces.iter().map(|piece| piece.slow).sum()
    }

    /// Documents found, unreadable ones included.
    #[must_use]
    pub fn documents_read(&self) -> usize {
        self.unreadable
            + self
                .pieces
                .iter()
                .map(|piece| piece.documents.len())
                .sum::<usize>()
    }
}

/// A document made from others: classified and its structure checked like one that was read.
pub(crate) fn read<'a>(node: Node<'a>, sink: &mut Sink) -> Document<'a> {
    let entry = piece::judge(node, sink);
    Document {
        kind: entry.kind,
        node,
        index: 0,
        refused: entry.refused,
        is_recorded: entry.is_recorded,
        build: None,
        known: false,
    }
}
