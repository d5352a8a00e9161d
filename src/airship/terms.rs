//! The criteria of a group, in words.

use super::model::{Criteria, Group};

/// Whether the group is critical, what it waits for and its criteria; and that it fails, if it
/// does where every node succeeds.
#[must_use]
pub fn of(group: &Group<'_>, succeeds: bool) -> Vec<String> {
    let critical = if group.critical {
        "critical"
    } else {
        "not critical"
    };
    let mut needs: Vec<&str> = group.depends_on.iter().map(|need| need.name.text).collect();
    needs.sort_unstable();
    needs.dedup();
    let after = match needs.as_slice() {
        [] => "needs no other group".to_owned(),
        needs => format!("after {}", needs.join(", ")),
    };
    let criteria = group.criteria.as_ref().map(phrases).unwrap_or_default();
    let criteria = match criteria.as_slice() {
        [] => "no criteria".to_owned(),
        all => all.join(", "),
    };
    let mut terms = vec![critical.to_owned(), after, criteria];
    if !succeeds {
        terms.push("fails even if every node succeeds".to_owned());
    }
    terms
}

/// The bound that each criterion sets: `minimum 3`, `minimum 90 percent`, `maximum 1`.
#[must_use]
pub fn bounds(criteria: &Criteria) -> Vec<String> {
    let percent = criteria.percent;
    let percent = percent.map(|value| format!("minimum {value} percent"));
    let minimum = criteria.minimum.map(|value| format!("minimum {value}"));
    let most = criteria.maximum_failed;
    let most = most.map(|value| format!("maximum {value}"));
    percent.into_iter().chain(minimum).chain(most).collect()
}

/// Criteria, a phrase each.
#[must_use]
pub fn phrases(criteria: &Criteria) -> Vec<String> {
    let percent = criteria.percent;
    let percent = percent.map(|value| format!("{value} percent successful"));
    let minimum = criteria.minimum;
    let minimum = minimum.map(|value| format!("minimum {value} successful"));
    let most = criteria.maximum_failed;
    let most = most.map(|value| format!("maximum {value} failed"));
    percent.into_iter().chain(minimum).chain(most).collect()
}
