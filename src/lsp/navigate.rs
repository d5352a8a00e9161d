//! From a use of a name to where it is given, and back.

use gen_lsp_types::{Location, TextDocumentPositionParams};

use crate::source::{Place, SourceId, Span};

use super::kustomizations;
use super::names::{self, Name};
use super::tree::holds;
use super::view::View;

/// Where the thing under the pointer gets its name; of a label, the clusters that carry it.
pub(super) fn definition(view: &View, params: &TextDocumentPositionParams) -> Vec<Location> {
    let Some(source) = view.file(&params.text_document.uri.0) else {
        return Vec::new();
    };
    let at = view.lines(source).offset(params.position);
    if let Some(location) = listed_file(view, source, at) {
        return vec![location];
    }
    let names = names::of_site(view.snapshot.checked());
    let Some(asked) = at_byte(&names, source, at) else {
        return Vec::new();
    };
    let given = names.iter().filter(|name| name.gives && name.is_of(asked));
    given.filter_map(|name| view.location(name.place)).collect()
}

/// Every use of the name under the pointer; with where it is given if wanted.
pub(super) fn references(
    view: &View,
    params: &TextDocumentPositionParams,
    with_definition: bool,
) -> Vec<Location> {
    let Some(source) = view.file(&params.text_document.uri.0) else {
        return Vec::new();
    };
    let at = view.lines(source).offset(params.position);
    let names = names::of_site(view.snapshot.checked());
    let Some(asked) = at_byte(&names, source, at) else {
        return Vec::new();
    };
    // The clusters that carry a label are what people look for.
    let wanted = |name: &&Name<'_>| {
        name.is_of(asked) && (with_definition || !name.gives || name.class == names::LABEL)
    };
    let uses = names.iter().filter(wanted);
    uses.filter_map(|name| view.location(name.place)).collect()
}

/// The name at a byte of a file.
fn at_byte<'n, 'v>(names: &'n [Name<'v>], source: SourceId, at: u32) -> Option<&'n Name<'v>> {
    let here = |name: &&Name<'_>| name.place.source == source && holds(name.place.span, at);
    names.iter().find(here)
}

/// The file that a kustomization names under the pointer.
fn listed_file(view: &View, source: SourceId, at: u32) -> Option<Location> {
    let file = kustomizations::named_at(view, source, at)?;
    let source = view.snapshot.source_of(&file)?;
    let span = Span::default();
    view.location(Place { source, span })
}
