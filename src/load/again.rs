//! Whether the files are still as they were read.

use super::{Loaded, Refusal, Request, builds, text, walk};

/// The first file that is not as it was read: changed, gone or new. Standard input stays what
/// it was.
///
/// # Errors
/// A request that can no longer be understood.
pub fn changed(request: &Request, loaded: &Loaded) -> Result<Option<String>, Refusal> {
    let mut again = Loaded::default();
    let (files, _) = walk::files(request, &mut again)?;
    let mut before = loaded.sources.files[..loaded.site_files].iter();
    let mut now = files.iter();
    loop {
        let (file, source) = match (now.next(), before.next()) {
            (None, None) => return Ok(builds::changed(request, loaded)),
            (Some(file), Some(source)) if file.name == source.name => (file, source),
            // Both are in the order of their names: the smaller one is gone or new.
            (Some(file), Some(source)) => {
                return Ok(Some(file.name.clone().min(source.name.clone())));
            }
            (Some(file), None) => return Ok(Some(file.name.clone())),
            (None, Some(source)) => return Ok(Some(source.name.clone())),
        };
        if file.path.is_none() {
            continue;
        }
        let limit = request.limits.file_bytes;
        let read = text::read(file, request.store(), None, limit);
        if read.text != source.text {
            return Ok(Some(file.name.clone()));
        }
    }
}
