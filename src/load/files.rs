//! The files of a request as kustomizations read them: on the disk or in a revision, with edits
//! that are not yet written.

use std::path::{Path, PathBuf};

use crate::kustomize::{Files, Kind, ReadFault};

use super::Request;
use super::disk::{Content, reason};
use super::store::lexical;
use super::walk::display_name;

impl Files for Request {
    fn kind(&self, path: &Path) -> Option<Kind> {
        let store = self.store();
        if store.is_file(path) {
            return Some(Kind::File);
        }
        store.is_dir(path).then_some(Kind::Directory)
    }

    fn real(&self, path: &Path) -> PathBuf {
        let whole = lexical(&self.directory.join(path));
        if path.is_absolute() || self.snapshot.is_some() {
            self.store().identity(path)
        } else {
            self.store().identity(&whole)
        }
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadFault> {
        let limit = self.limits.file_bytes;
        match self.store().read(path, false, limit) {
            Ok(Content::Bytes(bytes)) if bytes.len() as u64 <= limit => Ok(bytes),
            Ok(_) => Err(ReadFault::TooLarge(limit)),
            Err(error) => Err(ReadFault::Unreadable(reason(&error))),
        }
    }

    fn names(&self, directory: &Path) -> Vec<(String, bool)> {
        let mut names = self.store().names(directory).unwrap_or_default();
        names.sort();
        names
    }

    fn name(&self, path: &Path) -> String {
        if *path == self.directory || *path == self.real(&self.directory) {
            return ".".to_owned();
        }
        let name = display_name(&path.to_string_lossy(), &self.directory.to_string_lossy());
        if name.is_empty() {
            ".".to_owned()
        } else {
            name
        }
    }
}
