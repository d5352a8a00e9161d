//! The changes of the next sync, and the drift that causes each. Each cause is proven by planning
//! with that one difference left as it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::delivery::row::Row;
use crate::diagnostic::Object;
use crate::hub::fields::Field;
use crate::hub::{Compared, Gone, object_of};
use crate::load::key_of;
use crate::options::Options;
use crate::parallel;
use crate::plan::Plan;
use crate::site::Changes;
use crate::source::{Place, SourceId};
use crate::yaml::TreeBuilder;

use super::decided::{Decided, held, moved, planned, try_plan};
use super::decisions::{Decision, Why};

/// Plans made to prove causes, at most.
const RUNS: usize = 128;
/// Documents planned in all of these together, at most.
const WORK: usize = 4_000_000;

/// A decision that the next sync changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Next {
    /// The placement's namespace.
    pub namespace: String,
    /// Its name.
    pub placement: String,
    /// Where it stands in the documents, if it does.
    pub place: Option<Place>,
    /// Clusters that come.
    pub added: Vec<String>,
    /// Clusters that go.
    pub removed: Vec<String>,
    /// The causes, as far as they are proven.
    pub because: Vec<Because>,
}

/// Why the next sync changes a decision.
#[derive(Debug, Clone, PartialEq)]
pub enum Because {
    /// The hub's own objects lead to that already.
    Due(Why),
    /// A field differs.
    Field {
        /// The object.
        object: Object,
        /// The field.
        field: Box<Field>,
    },
    /// An object is not on the hub yet.
    Comes(Object),
    /// An object is of a kind that the snapshot holds none of.
    Unknown(Object),
    /// An object goes.
    Goes(Object),
}

/// The difference that is the cause, by its index in the list of its kind.
#[derive(Debug, Clone, Copy)]
enum Cause {
    Field(usize),
    Missing(usize),
    Unknown(usize),
    Extra(usize),
}

/// The differences found so far.
#[derive(Clone, Copy)]
pub(super) struct Differences<'f> {
    pub(super) fields: &'f [(Object, Field)],
    pub(super) missing: &'f [(Object, Place)],
    pub(super) unknown: &'f [(Object, Place)],
    pub(super) extra: &'f [Gone],
    pub(super) decisions: &'f [Decision],
    pub(super) due: &'f [Decision],
    /// The snapshot.
    pub(super) hub: SourceId,
}

/// The changes of the next sync.
pub(super) fn next(
    found: Differences<'_>,
    compared: &Compared<'_>,
    plan: &Plan<'_, '_>,
    options: &Options,
) -> Vec<Next> {
    let (had, has) = (held(plan.site), planned(plan));
    let none = BTreeSet::new();
    let mut rows = Vec::new();
    let site = &plan.site.ocm;
    let skipped = |namespace: &str, name: &str| {
        let mut all = site.placements.iter();
        all.any(|one| one.namespace == namespace && one.name == name && one.skipped.is_some())
    };
    let gone: BTreeSet<(String, String)> = found
        .extra
        .iter()
        .filter(|gone| gone.object.kind == "Placement")
        .map(|gone| {
            let namespace = gone.object.namespace.clone().unwrap_or_default();
            (namespace, gone.object.name.clone())
        })
        .collect();
    let keys: BTreeSet<&(String, String)> = has.keys().chain(&gone).collect();
    for key in keys {
        if skipped(&key.0, &key.1) {
            continue;
        }
        let before = had.get(key).unwrap_or(&none);
        let after = has.get(key).unwrap_or(&none);
        let Some((added, removed)) = moved(before, after) else {
            continue;
        };
        let own = |one: &&crate::ocm::model::Placement<'_>| {
            (one.namespace, one.name) == (key.0.as_str(), key.1.as_str())
        };
        let place = site.placements.iter().find(own).map(|one| one.place);
        rows.push(Next {
            namespace: key.0.clone(),
            placement: key.1.clone(),
            place: place.filter(|place| place.source != found.hub),
            added,
            removed,
            because: Vec::new(),
        });
    }
    for row in &mut rows {
        let same = found.decisions.iter().chain(found.due).find(|one| {
            one.namespace == row.namespace
                && one.placement == row.placement
                && (&one.added, &one.removed) == (&row.added, &row.removed)
                && !matches!(one.why, Why::Deleting | Why::Disabled)
        });
        row.because.extend(same.map(|one| Because::Due(one.why)));
    }
    if rows.is_empty() {
        return rows;
    }
    let mut causes: Vec<Cause> = Vec::new();
    let applied = found
        .fields
        .iter()
        .enumerate()
        .filter(|(_, (_, field))| !field.stays);
    causes.extend(applied.map(|(at, _)| Cause::Field(at)));
    causes.extend((0..found.missing.len()).map(Cause::Missing));
    causes.extend((0..found.unknown.len()).map(Cause::Unknown));
    causes.extend((0..found.extra.len()).map(Cause::Extra));
    let documents = plan.site.documents.all.len().max(1);
    causes.truncate(RUNS.min(WORK / documents));
    let tried = parallel::map(options.jobs, &causes, |cause| {
        without(*cause, found, compared, plan, options)
    });
    for (cause, decided) in causes.iter().zip(tried) {
        let Some(decided) = decided else { continue };
        for row in &mut rows {
            let key = (row.namespace.clone(), row.placement.clone());
            if decided.get(&key) != has.get(&key) {
                row.because.push(because(*cause, found));
            }
        }
    }
    rows
}

/// The decisions if one difference stays as it is.
fn without(
    cause: Cause,
    found: Differences<'_>,
    compared: &Compared<'_>,
    plan: &Plan<'_, '_>,
    options: &Options,
) -> Option<Decided> {
    let documents = &plan.site.documents;
    let mut changes = Changes::default();
    match cause {
        Cause::Field(at) => {
            let (object, field) = &found.fields[at];
            let (_, merger) = compared.both.iter().find(|(_, merger)| {
                let key = key_of(merger.kind, merger.git);
                object_of(key) == *object
            })?;
            let place = merger.git.place();
            let document = documents.all.iter().find(|one| one.node.place() == place)?;
            let tree = merger.tree(Some(&field.path));
            changes
                .replaced
                .insert(document.index, Some(Arc::new(tree)));
        }
        Cause::Missing(at) | Cause::Unknown(at) => {
            let objects = match cause {
                Cause::Unknown(_) => found.unknown,
                _ => found.missing,
            };
            let (_, place) = objects[at];
            let document = documents
                .all
                .iter()
                .find(|one| one.head().place() == place)?;
            changes.replaced.insert(document.index, None);
        }
        Cause::Extra(at) => {
            let place = found.extra[at].place;
            let text = documents.sources.get(place.source).text.as_str();
            let hub = plan.site.loaded.hub.as_ref()?;
            let object = hub
                .documents(text)
                .find(|one| one.head().place() == place)?;
            let mut builder = TreeBuilder::new();
            builder.copy(object.node);
            changes.added.push(builder.finish());
        }
    }
    let changed = plan.site.changed(changes).ok()?;
    let site = changed.check();
    let plan = try_plan(
        &site,
        &Options {
            jobs: 1,
            ..options.clone()
        },
    );
    Some(planned(&plan))
}

fn because(cause: Cause, found: Differences<'_>) -> Because {
    match cause {
        Cause::Field(at) => {
            let (object, field) = &found.fields[at];
            Because::Field {
                object: object.clone(),
                field: Box::new(field.clone()),
            }
        }
        Cause::Missing(at) => Because::Comes(found.missing[at].0.clone()),
        Cause::Unknown(at) => Because::Unknown(found.unknown[at].0.clone()),
        Cause::Extra(at) => Because::Goes(found.extra[at].object.clone()),
    }
}

/// The consumers that reach other clusters after the next sync.
pub fn deliveries<'p, 'a>(plan: &'p Plan<'_, 'a>) -> impl Iterator<Item = &'p Row<'a>> {
    let rows = plan
        .deliveries
        .iter()
        .flat_map(|deliveries| &deliveries.rows);
    rows.filter(|row| !row.is_unchanged())
}
