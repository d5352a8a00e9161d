//! Rows of one kind put together, so that thirty thousand of them fit on a screen.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Heads, Mark, ROWS, Row, Words, count};
use crate::kit::plural::first_names;

/// Rows that say the same and stand apart, at most.
const ALIKE: usize = 3;
/// Groups of one mark, at most.
pub(super) const GROUPS: usize = 12;
/// Groups of what stays as it is, at most.
const SAME: usize = 3;

/// The rows, those of a mark with too many of them as groups; and how many rows are in groups.
pub(super) fn grouped(rows: Vec<Row>, heads: &Heads) -> (Vec<Row>, usize) {
    let of = |mark: Mark| rows.iter().filter(move |row| row.mark == mark);
    let many = Mark::ALL.map(|mark| (mark, of(mark).count()));
    let mut long = marks_to_group(&many);
    if !long.is_empty() {
        // Beside groups failures that all say the same are a group as well; what goes is listed.
        let key = |row: &Row| [&row.was, &row.now, &row.kind].map(Words::clone);
        let first = of(Mark::Failed).next().map(key);
        let is_one = of(Mark::Failed).all(|row| Some(key(row)) == first);
        let failed = of(Mark::Failed).count();
        if failed > GROUPS && !long.contains(&Mark::Failed) && is_one {
            long.push(Mark::Failed);
        }
    }
    let mut shown = Vec::new();
    let mut hidden = 0;
    for (mark, number) in many {
        if !long.contains(&mark) {
            shown.extend(of(mark).cloned());
            continue;
        }
        hidden += number;
        let most = if mark == Mark::Same { SAME } else { GROUPS };
        let of_mark: Vec<&Row> = of(mark).collect();
        let mut parts = parts(&of_mark, most, heads.by_kind);
        if heads.in_order {
            let first =
                |part: &Vec<&Row>| of_mark.iter().position(|row| std::ptr::eq(*row, part[0]));
            parts.sort_by_cached_key(first);
        }
        shown.extend(parts.iter().map(|part| row(part, heads)));
    }
    (shown, hidden)
}

/// Rows that say the same in one row: the first name, and how many more.
pub(super) fn folded(rows: Vec<Row>) -> Vec<Row> {
    let key = |row: &Row| {
        let cells = [&row.was, &row.now, &row.because, &row.within].map(Words::clone);
        (row.mark, cells, Arc::clone(&row.figures))
    };
    let mut alike: FxHashMap<_, usize> = FxHashMap::default();
    for row in &rows {
        *alike.entry(key(row)).or_default() += 1;
    }
    let mut folded: Vec<Row> = Vec::new();
    let mut names: FxHashMap<_, (usize, Vec<String>)> = FxHashMap::default();
    for row in rows {
        let key = key(&row);
        if alike[&key] <= ALIKE {
            folded.push(row);
            continue;
        }
        let (at, names) = names.entry(key).or_insert((folded.len(), Vec::new()));
        names.push(row.subject.clone());
        if *at == folded.len() {
            folded.push(row);
        }
    }
    for (at, names) in names.into_values() {
        folded[at].subject = first_names(names.iter(), 1);
    }
    folded
}

/// The marks with too many rows; and where all rows together are too many for two screens, those
/// that stay and then the most frequent ones.
fn marks_to_group(many: &[(Mark, usize)]) -> Vec<Mark> {
    let mut long: Vec<Mark> = Vec::new();
    let mut few: Vec<(Mark, usize)> = Vec::new();
    for (mark, number) in many {
        if *number > ROWS {
            long.push(*mark);
        } else {
            few.push((*mark, *number));
        }
    }
    few.sort_by_key(|(mark, number)| (*mark != Mark::Same, Reverse(*number)));
    let mut few = few.into_iter();
    while few.clone().map(|(_, number)| number).sum::<usize>() > ROWS + GROUPS {
        long.extend(few.next().map(|(mark, _)| mark));
    }
    long
}

type Key<'r> = [&'r str; 3];

/// The finest division of the rows into few enough groups, the largest first.
fn parts<'r>(rows: &[&'r Row], most: usize, by_kind: bool) -> Vec<Vec<&'r Row>> {
    let by_answer: fn(&'r Row) -> Key<'r> = |row| [&row.now, "", ""];
    let by_reason: fn(&'r Row) -> Key<'r> = |row| [&row.kind, "", ""];
    let (first, second) = if by_kind {
        (by_reason, by_answer)
    } else {
        (by_answer, by_reason)
    };
    let ways: [fn(&'r Row) -> Key<'r>; 5] = [
        |row| [&row.was, &row.now, &row.kind],
        |row| [&row.now, &row.kind, ""],
        first,
        second,
        |_| [""; 3],
    ];
    for way in ways {
        let mut groups: BTreeMap<Key<'r>, Vec<&'r Row>> = BTreeMap::new();
        for row in rows {
            let key = way(row);
            if groups.len() == most && !groups.contains_key(&key) {
                groups.clear();
                break;
            }
            groups.entry(key).or_default().push(row);
        }
        if !groups.is_empty() {
            let mut groups: Vec<_> = groups.into_values().collect();
            groups.sort_by_key(|group| Reverse(group.len()));
            return groups;
        }
    }
    Vec::new()
}

/// The row of a group: what all its rows share, else how many different ones there are.
fn row(part: &[&Row], heads: &Heads) -> Row {
    let shared = |of: fn(&Row) -> &str, noun: &str| -> String {
        let mut all: Vec<&str> = part.iter().map(|row| of(row)).collect();
        all.sort_unstable();
        all.dedup();
        match all.as_slice() {
            [one] => (*one).to_owned(),
            many => count(many.len(), noun),
        }
    };
    let answer = |of: fn(&Row) -> &str| -> String {
        let number = |row: &&Row| of(row).parse::<i128>().ok();
        if heads.numbers
            && let Some(sum) = part.iter().map(number).sum::<Option<i128>>()
        {
            return sum.to_string();
        }
        shared(of, heads.now)
    };
    let because = match part {
        // A figure of one row would be taken for the sum.
        [first, rest @ ..]
            if (rest.is_empty() || !heads.numbers || first.kind.is_empty())
                && rest.iter().all(|row| row.because == first.because) =>
        {
            Words::clone(&first.because)
        }
        _ => shared(|row| &row.kind, "reason").into(),
    };
    Row {
        mark: part.first().map_or(Mark::Same, |row| row.mark),
        subject: count(part.len(), heads.subject),
        within: Words::default(),
        was: answer(|row| &row.was).into(),
        now: answer(|row| &row.now).into(),
        figures: Arc::default(),
        because,
        kind: Words::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(number: usize, now: impl Fn(usize) -> String) -> Vec<Row> {
        let row = |at: usize| Row {
            mark: Mark::New,
            subject: format!("app-{at}"),
            within: Words::default(),
            was: "-".into(),
            now: now(at).into(),
            figures: Arc::default(),
            because: format!("lowest cost ({at})").into(),
            kind: "lowest cost".into(),
        };
        (0..number).map(row).collect()
    }

    const HEADS: Heads = Heads {
        subject: "Application",
        now: "Cluster",
        figures: Vec::new(),
        above: "",
        legend: String::new(),
        because: None,
        by_kind: false,
        in_order: false,
        numbers: false,
    };

    #[test]
    fn few_rows_stay_rows() {
        let (shown, hidden) = grouped(rows(50, |_| "oslo".to_owned()), &HEADS);
        assert_eq!((shown.len(), hidden), (50, 0));
    }

    #[test]
    fn where_all_together_are_many_what_stays_is_put_together_first() {
        let marked = |mark: Mark| {
            let rows = rows(40, |_| "oslo".to_owned()).into_iter();
            rows.map(move |row| Row { mark, ..row })
        };
        let all = marked(Mark::Same).chain(marked(Mark::Changed));
        let (shown, hidden) = grouped(all.collect(), &HEADS);
        assert_eq!((shown.len(), hidden), (41, 40));
        assert_eq!(
            (shown[0].mark, &*shown[0].subject),
            (Mark::Same, "40 Applications")
        );
    }

    #[test]
    fn beside_groups_failures_that_say_the_same_are_a_group() {
        let failed = |at: usize| Row {
            mark: Mark::Failed,
            ..rows(20, |_| "-".to_owned())[at].clone()
        };
        let all = rows(60, |_| "oslo".to_owned()).into_iter();
        let (shown, hidden) = grouped(all.chain((0..20).map(failed)).collect(), &HEADS);
        assert_eq!((shown.len(), hidden), (2, 80));
        assert_eq!(
            (shown[1].mark, &*shown[1].subject),
            (Mark::Failed, "20 Applications")
        );
        let (shown, hidden) = grouped((0..20).map(failed).collect(), &HEADS);
        assert_eq!((shown.len(), hidden), (20, 0));
    }

    #[test]
    fn many_rows_become_the_finest_groups_that_fit() {
        let (shown, hidden) = grouped(rows(60, |at| format!("c{}", at % 4)), &HEADS);
        assert_eq!((shown.len(), hidden), (4, 60));
        assert_eq!(shown[0].subject, "15 Applications");
        assert_eq!((&*shown[0].now, &*shown[0].because), ("c0", "lowest cost"));
        // Too many Clusters: the reason is what they share.
        let (shown, _) = grouped(rows(60, |at| format!("c{at}")), &HEADS);
        assert_eq!(shown.len(), 1);
        assert_eq!(&*shown[0].now, "60 Clusters");
    }
}
