//! Built documents as YAML, with a comment behind what comes from elsewhere.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::kustomize::Document;
use crate::render::json::shown;
use crate::render::{clean, yaml};
use crate::source::{Place, SourceId, Sources};

/// Writes documents; with their origins if they are wanted.
///
/// # Errors
/// Any error from the writer.
pub fn rendered(
    documents: &[Document],
    origins: bool,
    sources: &Sources,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (document, at) in documents.iter().zip(0..) {
        if at > 0 {
            out.write_all(b"---\n")?;
        }
        let value = shown(document);
        if !origins {
            out.write_all(yaml::document(&value).as_bytes())?;
            continue;
        }
        let file = document.place().source;
        let name = clean(&sources.get(file).name).into_owned();
        writeln!(out, "# {name}")?;
        let comments = comments(document, file, sources);
        out.write_all(yaml::commented(&value, &comments).as_bytes())?;
    }
    Ok(())
}

/// The comments behind values that come from other files, or that something else changed.
fn comments(document: &Document, file: SourceId, sources: &Sources) -> BTreeMap<String, String> {
    let line = |place: Place| {
        let source = sources.get(place.source);
        let line = source.position(place.span.start).line;
        format!("{}:{line}", clean(&source.name))
    };
    let origins = document.origins().into_iter();
    let elsewhere = origins.filter(|origin| origin.place.source != file || origin.by.is_some());
    let comment = elsewhere.map(|origin| {
        let own = line(origin.place);
        let comment = match origin.by {
            Some(by) => format!("{own}, {}", line(by)),
            None => own,
        };
        (origin.pointer, comment)
    });
    comment.collect()
}
