//! States of folders, brought into the editor as diagnostics and lines of its log.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::super::folder::Folder;
use super::super::outgoing::Outgoing;
use super::super::uri;
use super::super::view::OfFile;
use super::super::worker::Outcome;
use super::Server;

/// Bytes of documents from which on a site is read again only when files are saved.
const LARGE: usize = 50 << 20;
/// Bytes of documents from which on the last state is dropped before the next one is made.
const HEAVY: usize = 8 << 20;

impl Server {
    /// Takes a state of a folder, and publishes it unless it is out of date.
    pub(super) fn was_read(
        &mut self,
        at: usize,
        generation: u64,
        took: Duration,
        outcome: Outcome,
    ) {
        let folder = &mut self.folders[at];
        folder.read = generation;
        let name = folder.root.display().to_string();
        let mut lines = Vec::new();
        let said = match outcome {
            Outcome::Read {
                view,
                nowhere,
                bytes,
            } => {
                folder.view = Some(view);
                folder.is_heavy = bytes > HEAVY;
                if bytes > LARGE && !folder.is_large {
                    folder.is_large = true;
                    lines.push((2, format!(
                        "planner: {name} has {} MB; it is checked again only when files are saved",
                        bytes >> 20
                    )));
                }
                (!nowhere.is_empty()).then(|| nowhere.join("\n"))
            }
            Outcome::Fault(faults, said) => {
                folder.view = None;
                folder.faults = faults;
                Some(said)
            }
        };
        lines.push((
            4,
            format!("planner: read {name} in {} ms", took.as_millis()),
        ));
        if said != folder.said {
            lines.extend(
                said.iter()
                    .map(|said| (1, format!("planner: {name}: {said}"))),
            );
            folder.said = said;
        }
        let is_current = generation == folder.changed || folder.is_large;
        for (kind, line) in lines {
            self.log(kind, &line);
        }
        if is_current {
            self.publish_all(at);
        }
    }

    /// Brings the diagnostics of a folder into the editor.
    fn publish_all(&mut self, at: usize) {
        let client = self.client.unwrap_or_default();
        let folder = &self.folders[at];
        let path = |uri: &str| match self.documents.get(uri) {
            Some(document) => Some(document.path.clone()),
            None => uri::to_path(uri),
        };
        let mine = |uri: &str| path(uri).is_some_and(|path| self.owner(&path) == Some(at));
        let mut wanted: BTreeMap<String, OfFile> = BTreeMap::new();
        // A list that is not empty must be taken back.
        for (uri, of_file) in &folder.shown {
            if !of_file.diagnostics.is_empty() {
                wanted.insert(uri.clone(), OfFile::default());
            }
        }
        for (uri, document) in self.documents.iter().filter(|(uri, _)| mine(uri)) {
            if !client.pulls || wanted.contains_key(uri) {
                let none = OfFile::none(document.version);
                wanted.insert(uri.clone(), none);
            }
        }
        let newest = folder
            .view
            .as_ref()
            .map_or(&folder.faults, |view| &view.diagnostics);
        // An editor that asks for those of open files would show them twice.
        let pushed = |uri: &str| !(client.pulls && self.documents.contains_key(uri));
        for (uri, of_file) in newest.iter().filter(|(uri, _)| pushed(uri) && mine(uri)) {
            wanted.insert(uri.clone(), of_file.clone());
        }
        for (uri, of_file) in &wanted {
            if folder.shown.get(uri) != Some(of_file) {
                self.publish(uri, of_file);
            }
        }
        self.folders[at].shown = wanted;
        if client.pulls && client.refreshes {
            self.tell("workspace/diagnostic/refresh", Value::Null);
        }
        if client.refreshes_lenses {
            self.tell("workspace/codeLens/refresh", Value::Null);
        }
    }

    fn publish(&self, uri: &str, of_file: &OfFile) {
        let said = Outgoing::Diagnostics(uri.to_owned(), of_file.clone());
        self.link.outgoing.send(said);
    }

    /// Takes the diagnostics of a folder that is gone out of the editor.
    pub(super) fn forget(&self, folder: Folder) {
        let shown = folder.shown.iter();
        for (uri, _) in shown.filter(|(_, of_file)| !of_file.diagnostics.is_empty()) {
            self.publish(uri, &OfFile::default());
        }
    }
}
