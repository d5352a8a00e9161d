//! The other state of a site: the directory that contains it.

use std::path::{Path, PathBuf};

use super::Request;

impl Request {
    /// The same site as another directory has it: it stands for the working directory where it
    /// holds the PATHs, else for the only PATH. Records that were named stay where they are.
    #[must_use]
    pub fn elsewhere(&self, theirs: &Path, records_named: bool) -> Self {
        let below = |path: &PathBuf| path.is_relative() && theirs.join(path).exists();
        let ours = match self.paths.as_slice() {
            [only] if only.is_dir() && !below(only) => only.clone(),
            _ => PathBuf::from("."),
        };
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let twin = |path: &Path| {
            let inside = real(&self.directory.join(path));
            match inside.strip_prefix(real(&ours)) {
                Ok(rest) if rest.as_os_str().is_empty() => theirs.to_path_buf(),
                Ok(rest) => theirs.join(rest),
                Err(_) => path.to_path_buf(),
            }
        };
        let paths = self.paths.iter().map(|path| twin(path));
        // A file that does not exist yet is not an error of the other state.
        let paths = paths.filter(|path| path.exists()).collect();
        let records = self.records.as_deref();
        Self {
            paths,
            records: match records {
                Some(records) if !records_named => {
                    let home = records.parent().filter(|home| !home.as_os_str().is_empty());
                    let name = records.file_name().unwrap_or_default();
                    Some(twin(home.unwrap_or(Path::new("."))).join(name))
                }
                records => records.map(Path::to_path_buf),
            },
            treated_as: Some((real(theirs), ours)),
            ..self.clone()
        }
    }
}
