//! Why a replica set of works reaches a cluster or not.

use super::about::About;
use crate::delivery::consumer::Links;
use crate::delivery::row::{Extra, Row};
use crate::delivery::why::study::Study;
use crate::diagnostic::Label;
use crate::why::Verdict;

/// The verdicts of every link to a replica set of works.
pub(super) fn links<'q, 'a>(study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q> {
    let Extra::Works(about) = &row.extra else {
        return Box::new(|_, _| Vec::new());
    };
    Box::new(move |number, chosen| study.works(about, row, number, chosen))
}

impl<'a> Study<'_, 'a> {
    fn works(&self, about: &About<'a>, row: &Row<'a>, number: u32, chosen: bool) -> Vec<Verdict> {
        if about.bad_name {
            let reason = "namespace and name are not a valid label value: nothing is delivered";
            return vec![Verdict::new("name", false, reason).at(row.id.place, "")];
        }
        let set = &self.hub.replica_sets[about.set];
        let mut ways = self.ways(row, number, chosen);
        for (at, (reference, verdict)) in set.placements.iter().zip(&mut ways).enumerate() {
            if about.missing == Some(at) {
                "the Placement does not exist: nothing from here on is delivered"
                    .clone_into(&mut verdict.reason);
            } else if about.missing.is_some_and(|missing| missing < at) && !verdict.passes {
                "not processed: a Placement before it does not exist"
                    .clone_into(&mut verdict.reason);
            }
            verdict.at.push(Label {
                place: reference.name.place,
                text: "".into(),
            });
        }
        if chosen {
            let removal = if about.orphan {
                "stays on the cluster when its work goes (Orphan)"
            } else {
                "is deleted on the cluster when its work goes"
            };
            ways.push(Verdict::new("removal", true, removal));
        }
        ways
    }
}
