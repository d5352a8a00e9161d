//! Notifications of the editor about files and folders.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use gen_lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    TextDocumentContentChangeEvent,
};

use super::super::folder::Folder;
use super::super::uri;
use super::super::view::real;
use super::{Document, Server};

impl Server {
    pub(super) fn open(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let Some(path) = uri::to_path(&document.uri.0) else {
            return;
        };
        let path = real(path);
        if self.owner(&path).is_none() {
            self.add(path.clone(), true);
        }
        let text: Arc<str> = document.text.into();
        self.documents.insert(
            document.uri.0.clone(),
            Document {
                path,
                version: document.version,
                text,
                changed: 0,
            },
        );
        self.edited(&document.uri.0, false);
    }

    pub(super) fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.text_document_identifier.uri.0;
        let Some(document) = self.documents.get_mut(&uri) else {
            return;
        };
        for change in params.content_changes {
            // Whole texts are all that was asked for.
            if let TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) =
                change
            {
                document.text = whole.text.into();
            }
        }
        document.version = params.text_document.version;
        self.edited(&uri, false);
    }

    /// Gives the newest text of a file to its folder.
    fn edited(&mut self, uri: &str, is_saved: bool) {
        let Some((path, text)) = self
            .documents
            .get(uri)
            .map(|one| (one.path.clone(), Arc::clone(&one.text)))
        else {
            return;
        };
        let Some(at) = self.owner(&path) else {
            return;
        };
        let folder = &mut self.folders[at];
        let set = folder.workspace.set(&path, text);
        let changed = if folder.is_large && !is_saved {
            folder.change_later()
        } else {
            folder.change(Instant::now())
        };
        if let Some(document) = self.documents.get_mut(uri) {
            document.changed = changed;
        }
        if let Err(fault) = set {
            self.log(2, &format!("planner: {fault}"));
        }
    }

    pub(super) fn close(&mut self, params: DidCloseTextDocumentParams) {
        let Some(document) = self.documents.remove(&params.text_document.uri.0) else {
            return;
        };
        let Some(at) = self.owner(&document.path) else {
            return;
        };
        if self.folders[at].is_file {
            let folder = self.folders.remove(at);
            self.forget(folder);
            return;
        }
        let folder = &mut self.folders[at];
        folder.workspace.reset(&document.path);
        folder.change(Instant::now());
    }

    pub(super) fn save(&mut self, params: DidSaveTextDocumentParams) {
        let Some(document) = self.documents.get(&params.text_document.uri.0) else {
            return;
        };
        let Some(at) = self.owner(&document.path) else {
            return;
        };
        let watches = self.client.is_some_and(|client| client.watches);
        let folder = &mut self.folders[at];
        if folder.is_large || !watches {
            folder.touch(Instant::now());
        }
    }

    pub(super) fn changed_on_disk(&mut self, params: DidChangeWatchedFilesParams) {
        let now = Instant::now();
        for event in params.changes {
            let path = uri::to_path(&event.uri.0).map(real);
            if let Some(at) = path.and_then(|path| self.owner(&path)) {
                self.folders[at].touch(now);
            }
        }
    }

    pub(super) fn changed_folders(&mut self, params: DidChangeWorkspaceFoldersParams) {
        for removed in params.event.removed {
            let Some(path) = uri::to_path(&removed.uri.0) else {
                continue;
            };
            let path = real(path);
            let gone = self.folders.iter().position(|folder| folder.root == path);
            if let Some(at) = gone {
                let folder = self.folders.remove(at);
                self.forget(folder);
            }
        }
        for added in params.event.added {
            if let Some(path) = uri::to_path(&added.uri.0) {
                self.add(path, false);
            }
        }
        // Open files belong to the folders that there are now.
        let open: Vec<(String, PathBuf)> = self
            .documents
            .iter()
            .map(|(uri, document)| (uri.clone(), document.path.clone()))
            .collect();
        for (uri, path) in open {
            if self.owner(&path).is_none() {
                self.add(path.clone(), true);
            } else if self
                .folders
                .iter()
                .any(|folder| !folder.is_file && folder.holds(&path))
            {
                let alone = |folder: &Folder| folder.is_file && folder.root == path;
                if let Some(at) = self.folders.iter().position(alone) {
                    let folder = self.folders.remove(at);
                    self.forget(folder);
                }
            }
            self.edited(&uri, true);
        }
    }
}
