//! Files that take no part by themselves: kustomizations read them, do not list them, or belong to
//! another site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::document::{DocumentKind, info_of};
use crate::kustomize::{Built, Files as _, NAMES, Status, Unlisted, named_paths};
use crate::load::piece::Piece;
use crate::load::text::TextFault;
use crate::load::walk::{self, File};
use crate::load::{Loaded, Refusal};
use crate::source::{Place, SourceId};
use crate::yaml::Node;

use super::Taking;
use super::sites::{Chosen, below_configuration};

impl Taking<'_> {
    /// The files that a kustomization lists, and all below it; none of one that is built.
    pub(super) fn unbuilt(
        &mut self,
        built: &Built,
        files: &[(&File, PathBuf, SourceId)],
    ) -> BTreeSet<SourceId> {
        let mut listed: BTreeSet<PathBuf> = BTreeSet::new();
        let mut open = vec![built.directory.clone()];
        while let Some(home) = open.pop().filter(|_| built.status == Status::No) {
            for path in self.builder.listed(&home) {
                if listed.insert(path.clone()) {
                    open.push(path);
                }
            }
        }
        let own = files.iter().filter(|(_, path, _)| listed.contains(path));
        own.map(|(_, _, source)| *source).collect()
    }

    /// The kinds of ours that documents in these files have.
    pub(super) fn kinds(
        &self,
        sources: &BTreeSet<SourceId>,
        pieces: &[Piece],
    ) -> BTreeMap<SourceId, Vec<&'static str>> {
        let mut kinds: BTreeMap<SourceId, Vec<&'static str>> = BTreeMap::new();
        for piece in pieces
            .iter()
            .filter(|piece| sources.contains(&piece.tree.source))
        {
            let names = piece
                .documents
                .iter()
                .filter_map(|entry| info_of(entry.kind));
            let names = names.map(|info| info.name);
            kinds.entry(piece.tree.source).or_default().extend(names);
        }
        kinds
    }

    /// Takes out of the pieces what builds read, what no kustomization lists, and what belongs to
    /// other sites. Gives what is not listed.
    pub(super) fn set_aside(
        &mut self,
        files: &[(&File, PathBuf, SourceId)],
        chosen: &Chosen,
        pieces: &mut [Piece],
        at_fault: &mut Vec<(SourceId, TextFault)>,
        loaded: &mut Loaded,
    ) -> Result<Vec<Unlisted>, Refusal> {
        let mut listed: BTreeSet<PathBuf> = BTreeSet::new();
        for home in self.directories.clone() {
            listed.extend(self.builder.listed(&home));
        }
        let run = chosen.builds.iter().flat_map(|built| &built.generators);
        let mut run_in: BTreeMap<SourceId, Arc<str>> = BTreeMap::new();
        for (source, home) in run {
            let home = || self.request.name(home).into();
            run_in.entry(*source).or_insert_with(home);
        }
        let is_home = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| NAMES.contains(&name))
        };
        let homes = files.iter().filter(|(_, path, _)| is_home(path));
        let homes: BTreeSet<SourceId> = homes.map(|(_, _, source)| *source).collect();
        let mut held: BTreeMap<SourceId, (bool, Place)> = BTreeMap::new();
        for piece in &*pieces {
            let source = piece.tree.source;
            let text = self.builder.sources.get(source).text.as_str();
            for entry in &*piece.documents {
                let node = piece.tree.node(text, entry.root);
                let version = node.get("apiVersion").and_then(Node::text);
                let own = version == Some("planner/v1") || entry.is_recorded;
                if own || entry.kind != DocumentKind::Foreign || !named_paths(node).is_empty() {
                    let known = held.entry(source).or_insert((false, node.place()));
                    known.0 |= own;
                }
            }
        }
        let others = self.request.sites.iter();
        let others = others.filter(|site| !chosen.names.contains(&site.name));
        let others: Vec<String> = others.flat_map(|site| site.roots.clone()).collect();
        let others = walk::globs(&others)?;
        let mut out: BTreeSet<SourceId> = BTreeSet::new();
        let mut unlisted = Vec::new();
        for (file, path, source) in files.iter().filter(|(file, ..)| !file.named) {
            let found = held.get(source);
            if found.is_some_and(|(own, _)| *own) {
                continue;
            }
            let mut areas = self.areas.iter().filter(|area| path.starts_with(&area.top));
            let Some(area) = areas.clone().find(|area| !area.is_root).or(areas.next()) else {
                continue;
            };
            let is_read = self.builder.reads(path) || listed.contains(path);
            let generated = || path.ancestors().any(|above| self.generated.contains(above));
            let home = path.parent().unwrap_or(path);
            let of_other_site = || {
                let mut above = home
                    .ancestors()
                    .map(|above| below_configuration(self.request, above));
                !others.is_empty() && above.any(|above| others.is_match(&above))
            };
            if is_read || area.is_root {
                out.insert(*source);
            } else if self.directories.contains(home) && !generated() {
                out.insert(*source);
                unlisted.extend(found.map(|(_, place)| Unlisted {
                    name: file.name.clone(),
                    place: *place,
                    home: home.to_path_buf(),
                }));
            } else if of_other_site() {
                out.insert(*source);
            }
        }
        for piece in pieces.iter_mut() {
            let source = piece.tree.source;
            if out.contains(&source) {
                let text = self.builder.sources.get(source).text.as_str();
                // What generators make depends on the kustomization that runs them.
                let runs = !run_in.is_empty() && homes.contains(&source);
                piece.keep_generators(text, run_in.get(&source), runs);
            }
        }
        at_fault.retain(|(source, fault)| {
            if !out.contains(source) {
                return true;
            }
            let count = if fault.was_read() {
                &mut loaded.unreadable
            } else {
                &mut loaded.closed
            };
            *count -= 1;
            false
        });
        Ok(unlisted)
    }
}
