//! The search: breadth first by number of edits, branching on the obstacle with the fewest ways.

use std::collections::BTreeMap;

use super::{Edit, May, Obstacle, Remedy};
use crate::yaml::Op;

/// How far the search goes.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Edits of a set, at most.
    pub edits: usize,
    /// Plans made, at most.
    pub plans: usize,
    /// The side whose documents may be changed.
    pub may: May,
    /// Whether a plan is made after every single edit: the exact answer, which costs more plans.
    pub exact: bool,
    /// Sets that are reported, at most.
    pub told: usize,
}

/// The result of planning with some edits.
#[derive(Debug, Clone, PartialEq)]
pub enum Trial {
    /// The candidate is chosen.
    Chosen,
    /// It is not, and this stands in the way.
    Lost(Vec<Obstacle>),
    /// The documents would be refused, or an edit leads nowhere.
    Impossible,
    /// It would take too long to say.
    TooLong,
}

impl From<Option<Vec<Obstacle>>> for Trial {
    /// From the remaining obstacles: an empty list means that the candidate is chosen, `None` that
    /// the trial is impossible.
    fn from(left: Option<Vec<Obstacle>>) -> Self {
        match left {
            None => Self::Impossible,
            Some(left) if left.is_empty() => Self::Chosen,
            Some(left) => Self::Lost(left),
        }
    }
}

/// The answer of the search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Repair {
    /// The smallest sets that were proven: what is declared before what is observed, narrow before
    /// blunt ones, then those of the candidate, those of the subject, and those of both. No two
    /// change the same places. Where the smallest change observed facts, larger ones that do not
    /// come with them.
    pub sets: Vec<Vec<Edit>>,
    /// Where there is no set of up to so many edits.
    pub none_up_to: Option<usize>,
    /// The obstacles that no edit for another obstacle removes.
    pub obstacles: Vec<(String, String)>,
    /// How many different edits were on offer.
    pub offered: usize,
    /// How many plans were made.
    pub plans: usize,
    /// Whether it ended because so many plans had been made, or because plans took too long.
    pub stopped: bool,
}

/// Edits on the way to a set, and the obstacles known to be left.
struct Open {
    edits: Vec<Edit>,
    blunt: bool,
    left: Vec<Obstacle>,
}

/// Looks for the smallest sets of edits that clear all obstacles; `prove` plans with edits.
pub fn search(
    obstacles: &[Obstacle],
    limits: Limits,
    mut prove: impl FnMut(&[Edit]) -> Trial,
) -> Repair {
    let mut repair = Repair::default();
    let mut seen: Vec<Vec<Edit>> = Vec::new();
    let mut open: BTreeMap<usize, Vec<Open>> = BTreeMap::new();
    let start = Open {
        edits: Vec::new(),
        blunt: false,
        left: allowed(obstacles, limits.may),
    };
    open.insert(0, vec![start]);
    let mut found: Vec<(bool, Vec<Edit>)> = Vec::new();
    let mut offered: Vec<Edit> = Vec::new();
    offer(&mut offered, &allowed(obstacles, limits.may));
    // Whether some sets could not be tried.
    let mut unknown = false;
    while let Some((cost, mut layer)) = open.pop_first() {
        layer.retain(|one| {
            let new = !seen.contains(&one.edits);
            if new {
                seen.push(one.edits.clone());
            }
            new
        });
        for mut one in in_turn(layer) {
            let is_known = |set: &[Edit]| {
                is_alike(set, &one.edits) || set.iter().all(|edit| one.edits.contains(edit))
            };
            if found.iter().any(|(_, set)| is_known(set)) {
                continue;
            }
            if cost > 0 && (limits.exact || one.left.is_empty()) {
                if repair.plans == limits.plans {
                    repair.stopped = true;
                    break;
                }
                repair.plans += 1;
                match prove(&one.edits) {
                    Trial::Chosen => {
                        found.push((one.blunt, one.edits));
                        if found.len() == limits.told {
                            break;
                        }
                        continue;
                    }
                    Trial::Lost(mut left) => {
                        rebase(&mut left, &one.edits);
                        one.left = allowed(&left, limits.may);
                        offer(&mut offered, &one.left);
                    }
                    Trial::Impossible => continue,
                    Trial::TooLong => {
                        repair.plans -= 1;
                        unknown = true;
                        continue;
                    }
                }
            }
            // Once there is a set that can be declared, larger ones are of no interest. Where it
            // costs little single edits are tried in any case: one may clear more than is known of
            // it.
            let few = cost == 0 && limits.exact;
            if !is_settled(&found) && (few || cost + disjoint(&one.left).len() <= limits.edits) {
                // An edit may clear more than its own obstacle, so where that costs little every
                // edit on offer is tried, not those of one obstacle alone.
                let wide = limits.exact && cost < 2 && repair.plans < limits.plans / 4;
                let mut next = branches(&one, limits.edits, wide);
                if !found.is_empty() {
                    next.retain(|next| !next.edits.iter().any(Edit::is_observed));
                }
                for next in next {
                    open.entry(next.edits.len()).or_default().push(next);
                }
            }
        }
        if is_settled(&found) || repair.stopped {
            break;
        }
    }
    repair.stopped |= found.is_empty() && unknown;
    if found.is_empty() && !repair.stopped && repair.plans > 0 {
        repair.none_up_to = Some(limits.edits);
    }
    if found.is_empty() {
        let all = allowed(obstacles, limits.may);
        let reasons = disjoint(&all).into_iter();
        repair.obstacles = reasons
            .map(|obstacle| (obstacle.stage.clone(), obstacle.needs.clone()))
            .collect();
    }
    found.sort_by_key(|(blunt, edits)| (rank(edits, *blunt), sides(edits)));
    repair.sets = found.into_iter().map(|(_, edits)| edits).collect();
    repair.offered = offered.len();
    repair
}

/// Whether one of the sets changes no observed fact.
fn is_settled(found: &[(bool, Vec<Edit>)]) -> bool {
    let is_declared = |set: &[Edit]| !set.iter().any(Edit::is_observed);
    found.iter().any(|(_, set)| is_declared(set))
}

/// Pointers into the edited documents become pointers into the documents as read: items behind one
/// that was removed have moved up.
pub fn rebase(obstacles: &mut [Obstacle], applied: &[Edit]) {
    let mut removed: Vec<(u32, &str, usize)> = Vec::new();
    for edit in applied.iter().filter(|edit| edit.op == Op::Remove) {
        if let Some((list, step)) = edit.pointer.rsplit_once('/')
            && let Ok(at) = step.parse()
        {
            removed.push((edit.document, list, at));
        }
    }
    removed.sort_unstable();
    if removed.is_empty() {
        return;
    }
    let remedies = obstacles.iter_mut().flat_map(|one| &mut one.remedies);
    for edit in remedies.flat_map(|remedy| &mut remedy.edits) {
        for (document, list, at) in &removed {
            let rest = edit.pointer.strip_prefix(list);
            let Some(rest) = rest.and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            let (step, behind) = rest
                .split_once('/')
                .map_or((rest, None), |(step, behind)| (step, Some(behind)));
            if let Ok(number) = step.parse::<usize>()
                && *document == edit.document
                && number >= *at
            {
                let behind = behind
                    .map(|behind| format!("/{behind}"))
                    .unwrap_or_default();
                edit.pointer = format!("{list}/{}{behind}", number + 1);
            }
        }
    }
}

/// Collects the edits on offer, each once.
fn offer(offered: &mut Vec<Edit>, obstacles: &[Obstacle]) {
    let remedies = obstacles.iter().flat_map(|obstacle| &obstacle.remedies);
    for edit in remedies.flat_map(|remedy| &remedy.edits) {
        if !offered.contains(edit) {
            offered.push(edit.clone());
        }
    }
}

/// The sort key by which operators prefer edits: those that change no observed fact first, then
/// those that do not give up what was asked for.
fn rank(edits: &[Edit], blunt: bool) -> (bool, bool) {
    let observed = edits.iter().any(Edit::is_observed);
    // A weight of 0 gives up the preference that it stands for.
    let nothing = |edit: &Edit| {
        edit.pointer.ends_with("/weight")
            && matches!(&edit.op, Op::Set(value) if value.as_i64() == Some(0))
    };
    (observed, blunt || edits.iter().any(nothing))
}

/// The edits in the order of preference; among equals those of the candidate alone and those of the
/// subject alone alternate, then come those of both.
fn in_turn(layer: Vec<Open>) -> Vec<Open> {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    let ranked = layer.into_iter().map(|one| {
        let (rank, side) = (rank(&one.edits, one.blunt), sides(&one.edits));
        let place = counts.entry((rank, side)).or_default();
        *place += 1;
        ((rank, side == 2, *place, side), one)
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, one)| one).collect()
}

/// Whether two sets change the same places, in whatever order.
fn is_alike(a: &[Edit], b: &[Edit]) -> bool {
    fn places(edits: &[Edit]) -> Vec<(u32, &str)> {
        let places = edits.iter();
        let mut places: Vec<_> = places
            .map(|edit| (edit.document, edit.pointer.as_str()))
            .collect();
        places.sort_unstable();
        places
    }
    a.len() == b.len() && places(a) == places(b)
}

/// Candidate alone, subject alone, both.
fn sides(edits: &[Edit]) -> u8 {
    use super::Side::{Candidate, Subject};
    let has = |side| edits.iter().any(|edit| edit.side == side);
    match (has(Candidate), has(Subject)) {
        (_, false) => 0,
        (false, true) => 1,
        (true, true) => 2,
    }
}

/// The obstacles with the ways that may be taken.
fn allowed(obstacles: &[Obstacle], may: May) -> Vec<Obstacle> {
    let mut obstacles = obstacles.to_vec();
    for obstacle in &mut obstacles {
        let fits = |remedy: &Remedy| remedy.edits.iter().all(|edit| may.allows(edit.side));
        obstacle.remedies.retain(fits);
    }
    obstacles
}

/// Obstacles no two of which share an edit: each needs an edit of its own.
fn disjoint(obstacles: &[Obstacle]) -> Vec<&Obstacle> {
    let mut chosen: Vec<&Obstacle> = Vec::new();
    let edits = |obstacle: &Obstacle| -> Vec<Edit> {
        let remedies = obstacle.remedies.iter();
        remedies.flat_map(|remedy| remedy.edits.clone()).collect()
    };
    for obstacle in obstacles {
        let own = edits(obstacle);
        let shares = |other: &&&Obstacle| edits(other).iter().any(|edit| own.contains(edit));
        if chosen.iter().find(shares).is_none() {
            chosen.push(obstacle);
        }
    }
    chosen
}

/// The ways to clear the obstacle that has the fewest, or any of them.
fn branches(one: &Open, most: usize, wide: bool) -> Vec<Open> {
    let fewest = one
        .left
        .iter()
        .min_by_key(|obstacle| obstacle.remedies.len());
    let tried: Vec<&Obstacle> = if wide {
        one.left.iter().collect()
    } else {
        fewest.into_iter().collect()
    };
    let mut next = Vec::new();
    for remedy in tried.into_iter().flat_map(|obstacle| &obstacle.remedies) {
        let Some(edits) = joined(&one.edits, &remedy.edits) else {
            continue;
        };
        if edits.len() == one.edits.len() || edits.len() > most {
            continue;
        }
        let cleared = |obstacle: &&Obstacle| {
            let mut ways = obstacle.remedies.iter();
            ways.any(|way| way.edits.iter().all(|edit| edits.contains(edit)))
        };
        let left = one.left.iter().filter(|obstacle| !cleared(obstacle));
        next.push(Open {
            left: left.cloned().collect(),
            blunt: one.blunt || remedy.blunt,
            edits,
        });
    }
    next
}

/// Both sets of edits as one, in the order in which they can be applied; nothing where they
/// contradict each other.
#[must_use]
pub fn joined(a: &[Edit], b: &[Edit]) -> Option<Vec<Edit>> {
    let mut all = a.to_vec();
    for edit in b {
        if all.contains(edit) {
            continue;
        }
        let clash = |other: &Edit| {
            let both_append = matches!((&other.op, &edit.op), (Op::Insert(_), Op::Insert(_)));
            let nested = |a: &str, b: &str| {
                a == b || b.strip_prefix(a).is_some_and(|rest| rest.starts_with('/'))
            };
            other.document == edit.document
                && !both_append
                && (nested(&other.pointer, &edit.pointer) || nested(&edit.pointer, &other.pointer))
        };
        if all.iter().any(clash) {
            return None;
        }
        all.push(edit.clone());
    }
    all.sort_by_key(|edit| {
        // Removals go last, from the back, so that no index shifts before it is used.
        let (kind, text) = match &edit.op {
            Op::Set(value) => (0, value.to_string()),
            Op::Insert(value) => (1, value.to_string()),
            Op::Remove => (2, String::new()),
        };
        let steps = edit.pointer.split('/').map(|step| {
            let number = step.parse::<usize>().ok();
            let back = number.map_or(0, |number| usize::MAX - number);
            (back, if number.is_some() { "" } else { step }.to_owned())
        });
        let steps: Vec<(usize, String)> = steps.collect();
        // A document goes by its name until all else is done.
        let renames = edit.pointer == "/metadata/name";
        (edit.document, renames, kind, steps, text)
    });
    Some(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Side;
    use super::*;

    fn edit(side: Side, pointer: &str, value: i64) -> Edit {
        Edit {
            document: 0,
            pointer: pointer.to_owned(),
            op: Op::Set(json!(value)),
            side,
        }
    }

    fn limits() -> Limits {
        Limits {
            edits: 3,
            plans: 400,
            may: May::Both,
            exact: true,
            told: 5,
        }
    }

    #[test]
    fn what_is_declared_and_narrow_comes_first_and_each_place_once() {
        let mut obstacle = Obstacle::new("stage", "needs");
        for value in 0..9 {
            obstacle.one(Some(edit(Side::Candidate, "/a", value)));
        }
        obstacle.one(Some(edit(Side::Candidate, "/status/a", 0)));
        obstacle.one(Some(edit(Side::Candidate, "/b", 0)));
        obstacle.one(Some(edit(Side::Subject, "/c", 0)));
        obstacle.blunt(Some(edit(Side::Subject, "/d", 0)));
        let found = search(&[obstacle], limits(), |_| Trial::Chosen);
        let places =
            |set: &Vec<Edit>| -> String { set.iter().map(|one| one.pointer.clone()).collect() };
        let places: Vec<String> = found.sets.iter().map(places).collect();
        assert_eq!(places, ["/a", "/b", "/c", "/d", "/status/a"]);
        assert_eq!((found.plans, found.offered), (5, 13));
    }

    /// Obstacles that each need an edit of their own, with so many ways to clear each.
    fn walls(count: i64, ways: i64) -> Vec<Obstacle> {
        let wall = |at: i64| {
            let mut obstacle = Obstacle::new(format!("stage {at}"), "needs");
            for value in 0..ways {
                obstacle.one(Some(edit(Side::Subject, &format!("/{at}"), value)));
            }
            obstacle
        };
        (0..count).map(wall).collect()
    }

    #[test]
    fn the_search_says_how_it_ended() {
        let lost = |walls: Vec<Obstacle>| move |_: &[Edit]| Trial::Lost(walls.clone());
        // More obstacles than edits: single edits are tried all the same.
        let found = search(&walls(4, 2), limits(), lost(walls(4, 2)));
        assert_eq!(
            (found.none_up_to, found.stopped, found.plans),
            (Some(3), false, 8)
        );
        assert_eq!(found.obstacles.len(), 4);
        // The edits on offer do not help.
        let found = search(&walls(1, 3), limits(), lost(walls(1, 3)));
        assert_eq!((found.none_up_to, found.stopped), (Some(3), false));
        // It could help, but there is too much of it.
        let found = search(&walls(2, 201), limits(), lost(walls(2, 201)));
        assert_eq!(
            (found.none_up_to, found.stopped, found.plans),
            (None, true, 400)
        );
        // It would take too long to say.
        let found = search(&walls(1, 3), limits(), |_| Trial::TooLong);
        assert_eq!(
            (found.none_up_to, found.stopped, found.plans),
            (None, true, 0)
        );
        // Of sets of the smallest size that change the same places one is told.
        let both = |edits: &[Edit]| match edits.len() {
            2 => Trial::Chosen,
            _ => Trial::Lost(walls(2, 2)),
        };
        let found = search(&walls(2, 2), limits(), both);
        assert_eq!(found.sets.len(), 1);
        assert!(found.sets.iter().all(|set| set.len() == 2));
    }

    /// Removals go last: the same places come in another order.
    #[test]
    fn one_set_is_told_for_the_same_places_in_any_order() {
        let removed = Edit {
            op: Op::Remove,
            ..edit(Side::Subject, "/a", 0)
        };
        let mut walls = [Obstacle::new("a", "needs"), Obstacle::new("b", "needs")];
        walls[0].one(Some(edit(Side::Subject, "/a", 0)));
        walls[0].one(Some(removed));
        walls[1].one(Some(edit(Side::Subject, "/b", 0)));
        let both = |edits: &[Edit]| match edits.len() {
            2 => Trial::Chosen,
            _ => Trial::Lost(walls.to_vec()),
        };
        assert_eq!(search(&walls, limits(), both).sets.len(), 1);
    }

    #[test]
    fn a_document_is_renamed_last() {
        let name = edit(Side::Subject, "/metadata/name", 0);
        let set = edit(Side::Subject, "/spec/set", 0);
        let all = joined(std::slice::from_ref(&name), std::slice::from_ref(&set));
        assert_eq!(all, Some(vec![set, name]));
    }
}
