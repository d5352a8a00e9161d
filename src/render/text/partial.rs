//! The documents that a partial plan leaves out, as text.

use crate::kit::plural::{first_names, listed, plural};
use crate::kit::safe::shell_word;
use crate::kustomize::{self, rules};
use crate::plan::partial::What;
use crate::plan::{LeftOut, Obstacle, Partial, Plan};
use crate::source::{Place, Sources};

use super::{Page, Screen, Tone};

/// Things left out that are named.
const MOST: usize = 10;
/// Rows that are named for each of them.
const ROWS: usize = 3;

/// The line that says that a plan is partial; `None` where it is whole.
pub(super) fn headline(plan: &Plan<'_, '_>) -> Option<String> {
    let partial = plan.partial.as_ref()?;
    let count = |wanted: What| {
        let mut places: Vec<Place> = partial
            .left_out
            .iter()
            .filter(|one| one.what == wanted)
            .map(|one| one.place)
            .collect();
        places.sort();
        places.dedup();
        places.len()
    };
    let counts = [
        (What::Document, "document", "refused"),
        (What::Doubled, "object", "defined twice"),
    ];
    let counts = counts.map(|(what, noun, verb)| (count(what), noun, verb));
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    let mut parts: Vec<String> = counts
        .map(|(count, noun, verb)| format!("{} {verb}", plural(count, noun)))
        .collect();
    let missing = [
        kustomize::What::Helm,
        kustomize::What::Remote,
        kustomize::What::Plugin,
    ];
    let missing = missing.map(|what| match (count(What::Part(what)), what.nouns()) {
        (0, _) => String::new(),
        (1, (one, _)) => format!("1 {one}"),
        (count, (_, many)) => format!("{count} {many}"),
    });
    let missing = missing.into_iter().filter(|one| !one.is_empty());
    let unbuilt = count(What::Kustomization);
    let unbuilt = (unbuilt > 0).then(|| plural(unbuilt, "kustomization"));
    let missing: Vec<String> = unbuilt.into_iter().chain(missing).collect();
    if !missing.is_empty() {
        parts.push(format!("{} not built", listed(&missing)));
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

/// Why nothing is planned although single documents could be left out.
pub(super) fn obstacle(plan: &Plan<'_, '_>) -> Option<String> {
    match plan.obstacle? {
        Obstacle::Refused => None,
        Obstacle::Placements(lost, all) => Some(format!(
            "{lost} of {} {} refused or defined twice, so a plan of the rest would mislead",
            plural(all, "Placement"),
            if lost == 1 { "is" } else { "are" },
        )),
        Obstacle::NothingElse => {
            Some("nothing is left to plan without the refused documents".to_owned())
        }
    }
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
    if let Some(command) = complete(partial) {
        page.prose(
            screen,
            Tone::Strong,
            &format!("  Plan the complete build: {command}"),
            6,
        );
    }
    page.gap();
    page.tells(&[&rules::LEFT_OUT, &rules::NOT_BUILT]);
    page
}

/// The command that plans a kustomization with the parts that are left out here.
fn complete(partial: &Partial) -> Option<String> {
    let root = partial.left_out.iter().find_map(|one| one.root.as_ref())?;
    let is_chart = |one: &LeftOut| one.what == What::Part(kustomize::What::Helm);
    let helm = if partial.left_out.iter().any(is_chart) {
        " --enable-helm"
    } else {
        ""
    };
    let root = shell_word(root);
    Some(format!("kustomize build{helm} {root} | planner plan -"))
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
    let firsts = partial.left_out.iter().zip(rows).zip(0..);
    let firsts = firsts.filter(|((one, _), at)| !is_known(partial, one, *at));
    firsts.map(|((one, rows), _)| {
        let without = match (&one.root, rows.is_empty()) {
            (Some(_), _) if roots(partial, one).len() < 2 => String::new(),
            (Some(_), _) => format!("; missing in {}", first_names(roots(partial, one), ROWS)),
            (None, true) => String::new(),
            (None, false) => {
                format!("; planned without it: {}", first_names(rows.iter(), ROWS))
            }
        };
        format!("{}: {}{without}", one.title(), why(one, sources))
    })
}

/// Whether a part of several kustomizations is named before.
fn is_known(partial: &Partial, one: &LeftOut, at: usize) -> bool {
    let mut before = partial.left_out[..at].iter();
    matches!(one.what, What::Part(_))
        && before.any(|known| (known.what, known.place) == (one.what, one.place))
}

/// The kustomizations that a part is missing in.
fn roots<'p>(
    partial: &'p Partial,
    one: &'p LeftOut,
) -> impl ExactSizeIterator<Item = &'p String> + Clone {
    let all = partial.left_out.iter();
    let alike = all.filter(|other| (other.what, other.place) == (one.what, one.place));
    let roots: Vec<&String> = alike.filter_map(|other| other.root.as_ref()).collect();
    roots.into_iter()
}

/// Why something is left out, and where it is.
fn why(one: &LeftOut, sources: &Sources) -> String {
    let at = |place: &Place| {
        let source = sources.get(place.source);
        format!("{}:{}", source.name, source.position(place.span.start).line)
    };
    if one.what != What::Doubled {
        let kinds = one.kinds.iter().map(|(kind, count)| plural(*count, kind));
        let kinds: Vec<String> = kinds.collect();
        let holds = if kinds.is_empty() {
            String::new()
        } else {
            format!("; its files have {}", kinds.join(", "))
        };
        return format!("{}, {}{holds}", at(&one.place), one.reason);
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

/// The parts of kustomizations that are not built, a line each.
#[must_use]
pub fn missing(parts: &[LeftOut], sources: &Sources) -> Vec<String> {
    let partial = Partial {
        left_out: parts.to_vec(),
        ..Partial::default()
    };
    lines(&partial, sources).collect()
}
