//! `concise`: one line a finding, `path:line:column: severity[code] message`.

use std::io::{self, Write};

use crate::diagnostic::{Sink, short_code};
use crate::render::clean;
use crate::source::Sources;

use super::fold::folded;

/// One line for each finding.
#[must_use]
pub fn concise(sink: &Sink, sources: &Sources) -> String {
    super::as_text(|to| write_concise(sink, sources, to))
}

/// The same, written line by line.
///
/// # Errors
/// Any error from the writer.
pub fn write_concise(sink: &Sink, sources: &Sources, to: &mut dyn Write) -> io::Result<()> {
    for found in &folded(&sink.diagnostics, sources) {
        if let Some(primary) = &found.primary {
            write!(to, "{}: ", clean(&sources.describe(primary.place)))?;
        }
        write!(
            to,
            "{}[{}] {}",
            found.severity.word(),
            short_code(found.rule.code),
            clean(&found.message)
        )?;
        if let Some(help) = &found.help {
            write!(to, " ({})", clean(help))?;
        }
        let place = found.primary.as_ref().map(|label| label.place);
        let path = place.map_or("", |place| &sources.get(place.source).name);
        if let Some(roots) = found.built_by(path) {
            write!(to, " [in {}]", clean(&roots))?;
        }
        writeln!(to)?;
    }
    Ok(())
}
