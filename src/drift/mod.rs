//! How a hub differs from the documents, who changed it, and the consequences: fields, objects,
//! decisions, and the changes of the next sync. Data only.

mod decided;
mod decisions;
mod next;

pub use decisions::{Decision, Why};
pub use next::{Because, Next, deliveries};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::Object;
use crate::document::{Document, DocumentKind};
use crate::hub::fields::{Field, fields};
use crate::hub::{Gone, Key, Merged, compare, object_of};
use crate::load::{Loaded, key_of};
use crate::options::{CheckOptions, Options};
use crate::plan::Plan;
use crate::site;
use crate::source::Place;

/// The differences between a hub and the documents.
#[derive(Debug)]
pub struct Drift {
    /// The snapshot.
    pub hub: Arc<Merged>,
    /// Objects with fields that differ, by kind, namespace and name.
    pub fields: Vec<(Object, Field)>,
    /// Objects that are not on the hub, by kind, namespace and name.
    pub missing: Vec<(Object, Place)>,
    /// Objects of kinds that the snapshot holds none of, in document order.
    unknown: Vec<(Object, Place)>,
    /// Objects that the next apply deletes, likewise.
    pub extra: Vec<Gone>,
    /// Decisions that contradict the hub's objects, by namespace and name.
    pub decisions: Vec<Decision>,
    /// Decisions that the next sync changes, likewise.
    pub next: Vec<Next>,
    /// Decisions that the controller changes by itself before long.
    due: Vec<Decision>,
}

/// Which parts are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// Changed fields.
    pub fields: bool,
    /// Objects that are missing or too many.
    pub missing: bool,
    /// Decisions.
    pub decisions: bool,
    /// The changes of the next sync.
    pub next: bool,
}

impl Parts {
    /// All of them.
    pub const ALL: Self = Self {
        fields: true,
        missing: true,
        decisions: true,
        next: true,
    };
}

impl Drift {
    /// Whether the hub differs from the documents. A change that only the next sync makes is no
    /// drift but a deployment that is due.
    #[must_use]
    pub fn is_drift(&self) -> bool {
        !self.fields.is_empty()
            || !self.missing.is_empty()
            || !self.extra.is_empty()
            || !self.decisions.is_empty()
    }
}

/// By kind, namespace and name.
fn order(object: &Object) -> (String, String, String) {
    let namespace = object.namespace.clone().unwrap_or_default();
    (object.kind.clone(), namespace, object.name.clone())
}

/// The documents of a site before the hub is put into them, and those of the hub.
struct Sides<'a> {
    git: Vec<Document<'a>>,
    there: Vec<Document<'a>>,
}

/// Compares a site with the hub whose snapshot was read with it. `plan` is the plan of both
/// together, `at` how the snapshot is judged.
#[must_use]
pub fn drift<'a>(
    loaded: &'a Loaded,
    plan: &Plan<'_, 'a>,
    at: &CheckOptions,
    options: &Options,
    parts: Parts,
) -> Option<Drift> {
    let (hub, merged) = (loaded.hub.as_ref()?, plan.site.hub.clone()?);
    let text = loaded.sources.get(hub.source).text.as_str();
    let sides = Sides {
        git: site::before_hub(loaded),
        there: hub.documents(text).collect(),
    };
    let compared = compare(hub, &sides.git, &sides.there);
    let mut found = Drift {
        fields: Vec::new(),
        missing: merged.fresh.clone(),
        unknown: merged.unknown.clone(),
        extra: merged.gone.clone(),
        decisions: Vec::new(),
        next: Vec::new(),
        due: Vec::new(),
        hub: merged,
    };
    for (number, merger) in &compared.both {
        let document = &sides.git[*number];
        let object = object_of(key_of(document.kind, document.node));
        let head = document.head().place();
        let own = fields(merger, head).into_iter();
        found
            .fields
            .extend(own.map(|field| (object.clone(), field)));
    }
    found
        .fields
        .sort_by_cached_key(|(object, field)| (order(object), field.name()));
    found
        .missing
        .sort_by_cached_key(|(object, _)| order(object));
    found.extra.sort_by_cached_key(|gone| order(&gone.object));
    if parts.decisions && found.hub.tells_decisions() {
        let differ = decisions::decisions(loaded, at, options).into_iter();
        (found.due, found.decisions) = differ.partition(|one| one.why == Why::Resync);
        let documents = compared.both.iter().map(|(number, _)| &sides.git[*number]);
        let heads: BTreeMap<Key<'_>, Place> = documents
            .map(|one| (key_of(one.kind, one.node), one.head().place()))
            .collect();
        for one in &mut found.decisions {
            let key = (DocumentKind::Placement, &*one.namespace, &*one.placement);
            one.place = heads.get(&key).copied().unwrap_or(one.place);
        }
    }
    if parts.next {
        let known = next::Differences {
            fields: &found.fields,
            missing: &found.missing,
            unknown: &found.unknown,
            extra: &found.extra,
            decisions: &found.decisions,
            due: &found.due,
            hub: found.hub.source,
        };
        found.next = next::next(known, &compared, plan, options);
    }
    if !parts.fields {
        found.fields.clear();
    }
    if !parts.missing {
        found.missing.clear();
        found.extra.clear();
    }
    Some(found)
}
