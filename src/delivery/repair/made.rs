//! Edits of what a generator makes, as edits of the entry that it is made of.

use crate::document::{Document, DocumentKind, Documents};
use crate::repair::{Edit, Obstacle, Side, Target};
use crate::yaml::{Node, Op};

/// The fields of a policy's or set's entry that have the same name in the document.
const FIELDS: [&str; 3] = ["disabled", "remediationAction", "policies"];

/// Turns edits of documents that generators make into edits of their entries; ways with edits that
/// no entry can express go.
pub fn into_entries<'o>(
    documents: &Documents<'_>,
    obstacles: impl Iterator<Item = &'o mut Obstacle>,
) {
    if !documents
        .all
        .iter()
        .any(|document| document.generator().is_some())
    {
        return;
    }
    for obstacle in obstacles {
        obstacle.remedies.retain_mut(|remedy| {
            let mut edits = remedy.edits.iter_mut();
            edits.all(|edit| into_entry(documents, edit).is_some())
        });
    }
}

fn into_entry(documents: &Documents<'_>, edit: &mut Edit) -> Option<()> {
    let mut all = documents.all.iter();
    let made = all.find(|one| one.index == edit.document)?;
    if made.generator().is_none() {
        return Some(());
    }
    let generator = generator_of(documents, made)?;
    let target = Target::of(generator, Side::Subject);
    edit.pointer = pointer(made.node, &target, &edit.pointer, &edit.op)?;
    edit.document = generator.index;
    Some(())
}

/// The PolicyGenerator of an entry of which a document is made.
#[must_use]
pub fn generator_of<'d, 'a>(
    documents: &'d Documents<'a>,
    made: &Document<'_>,
) -> Option<&'d Document<'a>> {
    let entry = made.node.span();
    let mut generators = documents.of(DocumentKind::PolicyGenerator);
    generators.find(|generator| {
        let whole = generator.node.span();
        generator.source() == made.source() && (whole.start..whole.end).contains(&entry.start)
    })
}

/// Where in the generator the value is that an edit is about.
fn pointer(made: Node<'_>, generator: &Target<'_>, written: &str, op: &Op) -> Option<String> {
    let entry = made.place();
    // A field without a place of its own has that of the entry.
    let own = |pointer: &str| {
        let place = made.pointer(pointer)?.place();
        (place != entry)
            .then(|| generator.pointer_to(place))
            .flatten()
    };
    let (parent, last) = written.rsplit_once('/')?;
    if !matches!(op, Op::Insert(_))
        && let Some(found) = own(written)
    {
        return Some(found);
    }
    if let Some(found) = own(parent) {
        return Some(format!("{found}/{last}"));
    }
    if written == "/placementRef/name" {
        let entry = generator.pointer_to(entry)?;
        let all = [entry.as_str(), "/policyDefaults", "/policySetDefaults"];
        let mut all = all
            .map(|at| format!("{at}/placement/placementName"))
            .into_iter();
        return all.find(|at| generator.node.pointer(at).is_some());
    }
    let rest = written.strip_prefix("/spec/")?;
    let field = rest.split('/').next()?;
    let fits = FIELDS.contains(&field) && rest.matches('/').count() <= 1;
    let entry = fits.then(|| generator.pointer_to(entry)).flatten()?;
    Some(format!("{entry}/{rest}"))
}
