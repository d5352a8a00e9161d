//! The documents that a partial plan leaves out, as text.

use crate::kit::plural::{first_names, plural};
use crate::plan::{LeftOut, Partial, Plan};
use crate::source::{Place, Sources};

use super::{Page, Screen, Tone};

/// Things left out that are named.
const MOST: usize = 10;
/// Rows that are named for each of them.
const ROWS: usize = 3;

/// The line that says that a plan is partial; `None` where it is whole.
fn headline(plan: &Plan<'_, '_>) -> Option<String> {
    let partial = plan.partial.as_ref()?;
    let doubled = partial.left_out.iter().filter(|one| one.doubled).count();
    let mut parts = Vec::new();
    let not_built = partial.left_out.iter().filter(|one| one.not_built).count();
    match partial.left_out.len() - doubled - not_built {
        0 => {}
        refused => parts.push(format!("{} refused", plural(refused, "document"))),
    }
    if not_built > 0 {
        parts.push(format!("{} not built", plural(not_built, "kustomization")));
    }
    if doubled > 0 {
        parts.push(format!("{} defined twice", plural(doubled, "object")));
    }
    let mut text = format!("Partial plan: {}", parts.join(", "));
    let placements = plan.placements.as_ref();
    let placed = placements.map_or(0, |outcome| outcome.placements.placed.len());
    if placed > 0 {
        text.push_str(&format!("; {} planned", plural(placed, "Placement")));
    }
    match (partial.placements.len(), partial.deliveries.len()) {
        (0, 0) => {}
        (0, marked) => {
            let marked = plural(marked, "delivery");
            text.push_str(&format!("; {marked} planned without what is missing"));
        }
        (marked, _) => text.push_str(&format!(", {marked} of them without what is missing")),
    }
    text.push('.');
    Some(text)
}

/// The documents left out, their places, and the plan without them; nothing for a whole plan.
pub(super) fn partial(plan: &Plan<'_, '_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    let (Some(partial), Some(headline)) = (&plan.partial, headline(plan)) else {
        return page;
    };
    page.prose(screen, Tone::Failed, &headline, 4);
    let sources = plan.site.documents.sources;
    let all = partial.left_out.len();
    let shown = if screen.trace { all } else { MOST };
    for line in lines(partial, sources).take(shown) {
        page.prose(screen, Tone::Plain, &format!("  {line}"), 6);
    }
    if all > shown {
        let more = format!("  … and {} more: --trace names them", all - shown);
        page.prose(screen, Tone::Dim, &more, 6);
    }
    page
}

/// A line for each thing that is left out: where it is and why, and what is planned without it.
fn lines<'p>(partial: &'p Partial, sources: &'p Sources) -> impl Iterator<Item = String> + 'p {
    let placements = partial.placements.iter();
    let placements = placements.map(|((namespace, name), numbers)| {
        ("Placement", namespace.as_str(), name.as_str(), numbers)
    });
    let deliveries = partial.deliveries.iter();
    let deliveries = deliveries.map(|((kind, namespace, name), numbers)| {
        (*kind, namespace.as_str(), name.as_str(), numbers)
    });
    let mut rows: Vec<Vec<String>> = vec![Vec::new(); partial.left_out.len()];
    for (kind, namespace, name, numbers) in placements.chain(deliveries) {
        for at in numbers {
            let own = &partial.left_out[*at];
            let is_own = own.kind.as_deref() == Some(kind) && own.name.as_deref() == Some(name);
            if !is_own {
                rows[*at].push(if namespace.is_empty() {
                    format!("{kind} {name}")
                } else {
                    format!("{kind} {namespace}/{name}")
                });
            }
        }
    }
    partial.left_out.iter().zip(rows).map(|(one, rows)| {
        let without = if rows.is_empty() {
            String::new()
        } else {
            format!("; planned without it: {}", first_names(rows.iter(), ROWS))
        };
        format!("{}: {}{without}", one.title(), why(one, sources))
    })
}

/// Why something is left out, and where it is.
fn why(one: &LeftOut, sources: &Sources) -> String {
    let at = |place: &Place| {
        let source = sources.get(place.source);
        format!("{}:{}", source.name, source.position(place.span.start).line)
    };
    if !one.doubled {
        return format!("{}, {}", at(&one.place), one.reason);
    }
    let mut places: Vec<&Place> = one.also.iter().chain([&one.place]).collect();
    places.sort();
    let places: Vec<String> = places.into_iter().map(at).collect();
    format!("defined in {}", places.join(" and "))
}

/// The same as notes; none of a whole plan.
#[must_use]
pub fn left_out(plan: &Plan<'_, '_>) -> Vec<String> {
    let sources = plan.site.documents.sources;
    let partial = plan.partial.iter();
    let lines = partial.flat_map(|partial| lines(partial, sources).take(MOST));
    headline(plan).into_iter().chain(lines).collect()
}
