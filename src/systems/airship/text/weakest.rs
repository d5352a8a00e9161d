//! The failures that break the site, and the groups that each takes down, as text.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::is_whole;
use crate::airship::engine::weakest::{By, TakenDown, Weakness};
use crate::airship::model::Site;
use crate::kit::plural::first_names;
use crate::page::layout::{Grid, count};
use crate::page::{Page, Screen, Tone};

/// Critical groups beyond which a screen shows those alike in one row.
const ROWS: usize = 20;
/// Failures of which a screen shows what they take down, at most.
const FIRST: usize = 10;
/// Names, sets or choices in a cell, at most.
const NAMES: usize = 3;

/// The losses that fail one critical group: single nodes, and racks.
type Both<'w, 'a> = [&'w Weakness<'a>; 2];

/// Groups that are alike, and what fails each of them.
type Alike<'w, 'a> = (Vec<u32>, Both<'w, 'a>);

/// The failures that break the site, and the groups that each takes down.
#[must_use]
pub fn weakest(
    site: &Site<'_>,
    weakest: &[Weakness<'_>],
    taken_down: &[TakenDown],
    screen: &Screen,
) -> Page {
    let mut page = Page::new();
    let pairs = weakest.as_chunks::<2>().0.iter();
    let all: Vec<(u32, Both<'_, '_>)> = pairs
        .map(|[nodes, racks]| (nodes.group, [nodes, racks]))
        .collect();
    page.lead(
        (Tone::Strong, "What breaks the site"),
        &format!(": {}", answer(&all)),
        4,
        screen.prose(),
    );
    if !all.is_empty() {
        page.gap();
        critical(site, &all, screen, &mut page);
    }
    if !taken_down.is_empty() {
        page.gap();
        below(site, taken_down, screen, &mut page);
    }
    page
}

/// The least that fails any critical group.
fn answer(all: &[(u32, Both<'_, '_>)]) -> String {
    let least = |by: usize| all.iter().filter_map(|(_, both)| both[by].size).min();
    let exact = all.iter().all(|(_, both)| both.iter().all(|one| one.exact));
    let mut text = match (least(0), least(1)) {
        _ if all.is_empty() => return "nothing, because no group is critical.".to_owned(),
        (Some(0), _) | (_, Some(0)) => {
            return "it fails even without any failure.".to_owned();
        }
        (None, None) if exact => return "losing no nodes or racks during prepare.".to_owned(),
        (None, None) => return "nothing was found within the bound.".to_owned(),
        (nodes, racks) => {
            let nodes = nodes.map(|number| count(number, "node"));
            let racks = racks.map(|number| count(number, "rack"));
            let least: Vec<String> = nodes.into_iter().chain(racks).collect();
            format!("losing {}", least.join(" or "))
        }
    };
    let can = |(_, both): &&(u32, Both<'_, '_>)| both.iter().any(|one| one.size.is_some());
    let fail = all.iter().filter(can).count();
    let groups = count(all.len(), "critical group");
    text.push_str(&format!(" during prepare. {fail} of {groups} can fail."));
    if !exact {
        text.push_str(" The bound was reached: there may be more.");
    }
    text
}

/// The critical groups, the weakest first; those that the same failures fail share a row.
fn critical(site: &Site<'_>, all: &[(u32, Both<'_, '_>)], screen: &Screen, page: &mut Page) {
    let mut rows = shared(all, |both| both.map(|one| (one.size, &one.sets, one.exact)));
    let is_short = !is_whole(screen);
    let put_together = is_short && rows.len() > ROWS;
    if put_together {
        rows = shared(all, |both| both.map(|one| (one.size, one.exact)));
    }
    // The group that fails with the fewest losses comes first.
    let weight = |(_, both): &Alike<'_, '_>| {
        let sizes = both.iter().filter_map(|one| one.size);
        sizes.min().unwrap_or(usize::MAX)
    };
    rows.sort_by_key(weight);
    let row = |(groups, both): &Alike<'_, '_>| {
        let names = groups.iter().map(|at| site.groups[*at as usize].name.text);
        let names: Vec<&str> = names.collect();
        let is_group = put_together && groups.len() > 1;
        let groups = match names.as_slice() {
            [first, ..] if is_group => {
                format!("{}, such as {first}", count(names.len(), "group"))
            }
            _ => few(&names, is_short),
        };
        let sets = both.iter().map(|one| what(one, is_group, is_short));
        [String::new(), groups].into_iter().chain(sets).collect()
    };
    let grid = Grid {
        heads: ["", "Critical group", "Fails with nodes", "Fails with racks"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.iter().map(row).collect(),
        wraps: 2,
        ..Grid::default()
    };
    grid.write(page, screen);
    if put_together {
        let text = "  In groups; --trace lists each group, -o json has them all.";
        page.prose(screen, Tone::Dim, text, 2);
    }
}

/// Groups for which the same is said, in the order of the first of them.
fn shared<'w, 'a, K: Hash + Eq>(
    all: &'w [(u32, Both<'w, 'a>)],
    key: impl Fn(&'w Both<'w, 'a>) -> K,
) -> Vec<Alike<'w, 'a>> {
    let mut rows: IndexMap<K, Alike<'w, 'a>> = IndexMap::new();
    for (group, both) in all {
        let row = rows.entry(key(both));
        row.or_insert_with(|| (Vec::new(), *both)).0.push(*group);
    }
    rows.into_values().collect()
}

/// The failures of one kind that fail a group, or one of them as an example.
fn what(one: &Weakness<'_>, is_example: bool, is_short: bool) -> String {
    let (Some(size), Some(first)) = (one.size, one.sets.first()) else {
        return match one.size {
            None if one.exact => "no number of them".to_owned(),
            None => "none found within the bound".to_owned(),
            Some(_) => "none: it fails anyway".to_owned(),
        };
    };
    if is_example {
        return match one.by {
            By::Nodes => format!("{}, such as {}", count(size, "node"), first.join("+")),
            By::Racks => format!("{}, such as {}", count(size, "rack"), first.join("+")),
        };
    }
    let bound = if one.exact {
        ""
    } else {
        " (the bound was reached)"
    };
    let choices = choices(&one.sets, size);
    let shown: Vec<String> = choices.iter().map(|choice| choice.text(is_short)).collect();
    let most = if is_short { NAMES } else { shown.len() };
    let more = match shown.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" or {more} more"),
    };
    format!(
        "{}{more}{bound}",
        shown[..most.min(shown.len())].join(" or ")
    )
}

/// One set, or so many of some names.
enum Choice<'a> {
    Set(&'a [&'a str]),
    Any(usize, BTreeSet<&'a str>),
}

impl Choice<'_> {
    fn text(&self, is_short: bool) -> String {
        match self {
            Self::Set(names) => names.join("+"),
            Self::Any(size, names) => {
                let names: Vec<&str> = names.iter().copied().collect();
                let all = names.len();
                format!("any {size} of {all} ({})", few(&names, is_short))
            }
        }
    }
}

/// The sets in as few words as possible: where each choice of so many of some names is a set, it
/// is said so.
fn choices<'a>(sets: &'a [Vec<&'a str>], size: usize) -> Vec<Choice<'a>> {
    // Names that are in a set together belong together.
    let mut heads: FxHashMap<&str, &str> = FxHashMap::default();
    for set in sets {
        for name in set {
            let (mut one, mut other) = (head(&mut heads, set[0]), head(&mut heads, name));
            if one != other {
                (one, other) = (one.min(other), one.max(other));
                heads.insert(other, one);
            }
        }
    }
    let mut parts: IndexMap<&str, (BTreeSet<&str>, Vec<&'a Vec<&str>>)> = IndexMap::new();
    for set in sets {
        let part = parts.entry(head(&mut heads, set[0])).or_default();
        part.0.extend(set.iter().copied());
        part.1.push(set);
    }
    if size == 1 {
        let names: BTreeSet<&str> = sets.iter().map(|set| set[0]).collect();
        return match names.len() {
            1 => vec![Choice::Set(&sets[0])],
            _ => vec![Choice::Any(1, names)],
        };
    }
    let mut choices = Vec::new();
    for (names, sets) in parts.into_values() {
        let is_every = sets.len() > 1 && ways(names.len(), size) == Some(sets.len());
        if is_every {
            choices.push(Choice::Any(size, names));
        } else {
            choices.extend(sets.into_iter().map(|set| Choice::Set(set)));
        }
    }
    choices
}

/// The first name of those that belong together, as far as known.
fn head<'a>(heads: &mut FxHashMap<&'a str, &'a str>, name: &'a str) -> &'a str {
    let mut at = name;
    while let Some(next) = heads.get(at).copied() {
        at = next;
    }
    if at != name {
        heads.insert(name, at);
    }
    at
}

/// How many sets of so many there are of so many names; nothing if there are too many.
fn ways(names: usize, size: usize) -> Option<usize> {
    let mut ways: usize = 1;
    for at in 0..size {
        ways = ways.checked_mul(names.checked_sub(at)?)? / (at + 1);
    }
    Some(ways)
}

/// Some names, then a count of the others.
fn few(names: &[&str], is_short: bool) -> String {
    let most = match names.len() {
        all if is_short && all > NAMES + 2 => NAMES,
        all => all,
    };
    first_names(names.iter(), most)
}

/// The groups that are not critical, below those whose failure takes them down; the groups that
/// take down the most come first.
fn below(site: &Site<'_>, taken_down: &[TakenDown], screen: &Screen, page: &mut Page) {
    let mut below: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for one in taken_down {
        for cause in &one.by {
            below.entry(*cause).or_default().push(one.group);
        }
    }
    let mut rows: IndexMap<Vec<u32>, Vec<u32>> = IndexMap::new();
    for (cause, groups) in below {
        rows.entry(groups).or_default().push(cause);
    }
    rows.sort_by(|groups, _, others, _| others.len().cmp(&groups.len()));
    let is_short = !is_whole(screen);
    let most = if is_short { FIRST } else { rows.len() };
    let number = count(taken_down.len(), "group");
    page.lead(
        (Tone::Strong, "What a failure takes down"),
        &format!(" ({number} not critical):"),
        4,
        screen.prose(),
    );
    page.gap();
    let cell = |groups: &[u32]| {
        let names = groups.iter().map(|at| site.groups[*at as usize].name.text);
        few(&names.collect::<Vec<_>>(), is_short)
    };
    let row = |(groups, causes): (&Vec<u32>, &Vec<u32>)| {
        let number = count(groups.len(), "group");
        let taken = format!("{number}: {}", cell(groups));
        vec![String::new(), cell(causes), taken]
    };
    let grid = Grid {
        heads: ["", "Group that fails", "Takes down"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.iter().take(most).map(row).collect(),
        wraps: 1,
        ..Grid::default()
    };
    grid.write(page, screen);
    let more = rows.len().saturating_sub(most);
    if more > 0 {
        let rows = count(more, "more row");
        let text = format!("  {rows}, none with more groups; --trace lists each.");
        page.prose(screen, Tone::Dim, &text, 2);
    }
}
