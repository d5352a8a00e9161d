//! `planner render --list`: which kustomizations are deployed.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostic::Sink;
use crate::document::DocumentKind;
use crate::kustomize::{Builder, Files as _, Named, Roots, Unlisted, named_paths};
use crate::load::{self, repository};
use crate::render::json;
use crate::source::{Place, Sources};
use crate::yaml::Node;

use super::super::answer::{Answer, Data, Out, Outcome};
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::formats::RenderFormat;
use super::super::session::{self, Session, keep};

/// Lists the kustomizations below a PATH.
///
/// # Errors
/// A request that cannot be understood.
pub(super) fn run(
    session: &'static Session,
    path: &Path,
    directory: &Path,
) -> Result<Answer<RenderFormat>, Failure> {
    let request = &session.request;
    let raw = load::Request {
        unbuilt: true,
        ..request.clone()
    };
    let loaded = load::open(&raw)
        .map_err(|_| Failure::new(Exit::Usage, format!("{}: cannot be read", path.display())))?;
    let loaded: &'static load::Loaded = keep(loaded);
    let documents = loaded.documents();
    let top = request.real(directory);
    let repository = repository(directory).map_or_else(|| top.clone(), Path::to_path_buf);
    let bases = [top.clone(), request.real(&repository)];
    let file_of = |name: &str| request.real(&request.directory.join(name));
    let files = documents.sources.files.iter().zip(0..);
    let read: Vec<_> = files
        .map(|(source, number)| (file_of(&source.name), crate::source::SourceId(number)))
        .collect();
    let paths = [directory.to_path_buf()];
    let sources = documents.sources.clone();
    let builder = Builder::new(request, &paths, sources, read, request.limits);
    let builder = builder.with_traps(&load::TRAPS);
    let mut builder = builder.with_generate(request.generate);
    let directories = builder.discover(&paths);
    let mut named = Vec::new();
    // Files with documents of ours, and those of Argo CD and Flux.
    let mut held: BTreeMap<PathBuf, (bool, Place)> = BTreeMap::new();
    for document in &documents.all {
        let file = file_of(&documents.sources.get(document.source()).name);
        let paths = named_paths(document.node);
        let version = document.node.get("apiVersion").and_then(Node::text);
        let own = version == Some("planner/v1");
        let known = document.kind != DocumentKind::Foreign;
        if known || !paths.is_empty() {
            let entry = held
                .entry(file.clone())
                .or_insert((false, document.head().place()));
            entry.0 |= own;
        }
        for (path, place) in paths {
            let trimmed = path.trim_start_matches("./").trim_end_matches('/');
            let homes = bases.iter().map(|base| request.real(&base.join(trimmed)));
            let home = homes.into_iter().find(|home| directories.contains(home));
            named.extend(home.map(|directory| Named {
                directory,
                place,
                file: file.clone(),
            }));
        }
    }
    let mut roots = builder.roots(directories, &named, &load::is_ours, false);
    roots.sites = load::sites(request, &roots).map_err(session::refusal)?;
    let shown = |path: &Path| match path.strip_prefix(&top) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => below.to_string_lossy().replace('\\', "/"),
        Err(_) => path.to_string_lossy().into_owned(),
    };
    let (mut plain, mut unlisted) = (Vec::new(), Vec::new());
    for (file, (own, place)) in held {
        if builder.reads(&file) {
            continue;
        }
        let home = file.parent();
        match home.filter(|home| roots.directories.contains(*home)) {
            Some(home) if !own => unlisted.push(Unlisted {
                name: shown(&file),
                place,
                home: home.to_path_buf(),
            }),
            _ => plain.push(shown(&file)),
        }
    }
    let mut found = Sink::default();
    for root in &roots.roots {
        found
            .diagnostics
            .extend(root.built.findings.iter().cloned());
    }
    found.diagnostics.extend(builder.notes(&roots, &unlisted));
    let siteless = load::siteless(request, &roots).map_err(session::refusal)?;
    found.diagnostics.extend(siteless);
    let sources: &'static Sources = keep(std::mem::take(&mut builder.sources));
    super::hide_secrets(&mut found, sources, &[]);
    found.sort(sources);
    found.diagnostics.dedup();
    let outcome = match (found.has_errors(), roots.directories.is_empty()) {
        (true, _) => Outcome::Fault,
        (false, true) => Outcome::Empty,
        (false, false) => Outcome::Fine,
    };
    let listing = Listing {
        names: roots
            .roots
            .iter()
            .map(|root| shown(&root.built.directory))
            .collect(),
        roots,
        plain,
        unlisted: unlisted.into_iter().map(|one| one.name).collect(),
        found: found.clone(),
        sources,
    };
    Ok(Answer::new(listing, outcome).found(found, sources))
}

/// The kustomizations of a repository.
struct Listing {
    roots: Roots,
    names: Vec<String>,
    plain: Vec<String>,
    unlisted: Vec<String>,
    found: Sink,
    sources: &'static Sources,
}

impl Data<RenderFormat> for Listing {
    fn write(&self, format: RenderFormat, out: &mut Out<'_>) -> io::Result<()> {
        let list = json::RootList::new(
            &self.roots,
            &self.names,
            &self.plain,
            &self.unlisted,
            (&self.found, self.sources),
        );
        match format {
            RenderFormat::Json => out.json(&list),
            RenderFormat::Yaml => {
                let text = crate::render::yaml::document(&list.value());
                out.text(&text)
            }
        }
    }
}
