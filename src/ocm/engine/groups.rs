//! Decision groups and the pages of their `PlacementDecision`s.

use fixedbitset::FixedBitSet;

use super::hub::Hub;
use crate::ocm::model::{IntOrText, Placement};

/// The most clusters that one `PlacementDecision` holds.
pub const PAGE: usize = 100;

/// A decision group; its index is its place in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group<'a> {
    /// Its name, empty for the rest.
    pub name: &'a str,
    /// Its clusters by id, hence by name.
    pub clusters: Vec<u32>,
}

/// A percentage of a total as upstream computes it: `ceil(f64(P) / 100 * f64(total))`, left to
/// right in f64 (7 % of 100 is 8), as upstream.
#[must_use]
pub fn percentage(percent: i64, total: usize) -> i64 {
    (percent as f64 / 100.0 * total as f64).ceil() as i64
}

/// The number before a `%`, as Go's `strconv.Atoi` reads it.
///
/// # Errors
/// The text of Kubernetes' `GetScaledValueFromIntOrPercent`.
pub fn percent_of(text: &str) -> Result<i64, String> {
    let Some(number) = text.strip_suffix('%') else {
        return Err("invalid type: string is not a percentage".to_owned());
    };
    number.parse().map_err(|_| format!("invalid value {text}"))
}

/// How many clusters a group may have.
///
/// # Errors
/// The message of the misconfiguration, without its leading colon.
pub fn cap(written: Option<IntOrText<'_>>, selected: usize) -> Result<usize, String> {
    let cap = match written {
        None => 0,
        Some(IntOrText::Int(cap)) => cap,
        Some(IntOrText::Text(text)) => {
            let percent = percent_of(text).map_err(|fault| format!("{text} {fault}"))?;
            percentage(percent, selected)
        }
    };
    Ok(usize::try_from(cap)
        .ok()
        .filter(|cap| (1..=selected).contains(cap))
        .unwrap_or(selected))
}

/// Divides the selected clusters into groups (upstream `scheduling/scheduling_controller.go`). On a
/// fault the groups complete before it, and the message of the misconfiguration without its leading
/// colon.
#[must_use]
pub fn divide<'a>(
    hub: &Hub<'_, 'a>,
    placement: &Placement<'a>,
    selected: &[u32],
) -> (Vec<Group<'a>>, Option<String>) {
    let mut groups = Vec::new();
    let cap = match cap(placement.cap.map(|(cap, _)| cap), selected.len()) {
        Ok(cap) => cap,
        Err(fault) => return (groups, Some(fault)),
    };
    let mut rest = FixedBitSet::with_capacity(hub.len());
    for cluster in selected {
        rest.insert(*cluster as usize);
    }
    for named in &placement.groups {
        let matching = match hub.matching_both(&named.selector) {
            Ok(matching) => matching,
            Err(error) => return (groups, Some(error.message)),
        };
        let mut members = rest.clone();
        members.intersect_with(&matching);
        rest.difference_with(&members);
        cut(named.name, &members, cap, &mut groups);
    }
    cut("", &rest, cap, &mut groups);
    if groups.is_empty() {
        groups.push(Group {
            name: "",
            clusters: Vec::new(),
        });
    }
    groups.shrink_to_fit();
    (groups, None)
}

fn cut<'a>(name: &'a str, members: &FixedBitSet, cap: usize, groups: &mut Vec<Group<'a>>) {
    let members: Vec<u32> = members
        .ones()
        .filter_map(|id| u32::try_from(id).ok())
        .collect();
    for piece in members.chunks(cap.max(1)) {
        groups.push(Group {
            name,
            clusters: piece.to_vec(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps() {
        let text = |text, n| cap(Some(IntOrText::Text(text)), n);
        assert_eq!(text("7%", 100), Ok(8));
        assert_eq!(text("14%", 100), Ok(15));
        assert_eq!(text("55%", 100), Ok(56));
        assert_eq!(text("29%", 100), Ok(29));
        assert_eq!(text("100%", 7), Ok(7));
        assert_eq!(
            text("150", 7),
            Err("150 invalid type: string is not a percentage".to_owned())
        );
        for odd in [0, -3, 8, i64::MAX] {
            assert_eq!(cap(Some(IntOrText::Int(odd)), 7), Ok(7));
        }
        assert_eq!(cap(Some(IntOrText::Int(3)), 7), Ok(3));
        assert_eq!(cap(None, 7), Ok(7));
        assert_eq!(cap(None, 0), Ok(0));
    }
}
