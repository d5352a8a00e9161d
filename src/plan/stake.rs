//! The existing things that a plan would move, withdraw or lose.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::row::Rows;
use super::{Answer, Mark, Row, Section};

/// How many clusters are named for a consumer that leaves them.
const FEW: usize = 3;

/// The existing things that a plan changes, by name, in the order of the plan.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stake {
    /// Applications that go to another Cluster.
    pub moved: Vec<String>,
    /// Applications that are in their Package no longer.
    pub withdrawn: Vec<String>,
    /// Clusters that a Placement selects no longer, with the Placement.
    pub deselected: Vec<String>,
    /// PlacementRules that take back decisions.
    pub taken_back: Vec<String>,
    /// Clusters that lose their last Application.
    pub emptied: Vec<String>,
    /// Consumers of placements that leave some of their clusters, with those.
    pub leaving: Vec<String>,
    /// Consumers of placements that reach no cluster any more.
    pub unreached: Vec<String>,
    /// Regions that lose nodes, with their number.
    pub shrunk: Vec<String>,
    /// How many nodes these are.
    pub deleted: i128,
    /// Volumes that stay on a Cluster that their Application leaves.
    pub left_behind: Vec<String>,
}

impl Stake {
    /// The changes that these rows put at stake. `clusters` are those that Applications may leave
    /// empty.
    #[must_use]
    pub fn of<'c>(rows: Rows<'_>, clusters: impl Iterator<Item = &'c str>) -> Self {
        let mut stake = Self::default();
        let (mut left, mut used) = (BTreeSet::new(), BTreeSet::new());
        for row in rows {
            stake.add(&row);
            if row.section == Section::Applications {
                let names = |answer: Option<Answer<'_>>| {
                    let names = answer.iter().flat_map(Answer::names);
                    names.map(|name| name.to_string()).collect::<Vec<_>>()
                };
                if row.mark != Mark::Same {
                    left.extend(names(row.facts.was()));
                }
                used.extend(names(row.facts.now()));
            }
        }
        let emptied = clusters.filter(|name| left.contains(*name) && !used.contains(*name));
        stake.emptied = emptied.map(str::to_owned).collect();
        stake
    }

    fn add(&mut self, row: &Row<'_>) {
        let name = row.name.to_string();
        match row.section {
            Section::Regions => {
                if let (Some(Answer::Count(was)), Some(Answer::Count(now))) =
                    (row.facts.was(), row.facts.now())
                    && now < was
                {
                    self.deleted += was - now;
                    self.shrunk
                        .push(format!("{} in {}", was - now, row.name.name));
                }
            }
            Section::Placements => {
                let removed = row.removed().into_iter();
                self.deselected
                    .extend(removed.map(|cluster| format!("{cluster} ({name})")));
            }
            Section::Deliveries => match (row.moved.removed, row.moved.kept + row.moved.added) {
                (0, _) => {}
                (_, 0) => self.unreached.push(row.called()),
                (1..=FEW, _) => {
                    let clusters: Vec<Cow<'_, str>> = row.removed();
                    self.leaving
                        .push(format!("{} ({})", row.called(), clusters.join(", ")));
                }
                (many, _) => self
                    .leaving
                    .push(format!("{} ({many} clusters)", row.called())),
            },
            Section::Rules if row.moved.removed > 0 => self.taken_back.push(name),
            Section::Applications => {
                let left = row.facts.left().into_iter().filter(|volume| volume.held);
                self.left_behind.extend(left.map(|volume| {
                    let (kind, cluster) = (volume.kind, volume.cluster);
                    format!("{kind} {} of {name} on {cluster}", volume.name)
                }));
                match row.mark {
                    Mark::Changed => self.moved.push(name),
                    Mark::Gone => self.withdrawn.push(name),
                    Mark::Same | Mark::New | Mark::Failed => {}
                }
            }
            // Groups lose no place, and the deliveries of a PlacementRule tell what it loses.
            _ => {}
        }
    }

    /// Whether something is deleted, emptied or left, in whichever system. What only moves is not.
    #[must_use]
    pub fn loses(&self) -> bool {
        let lists = [
            &self.withdrawn,
            &self.deselected,
            &self.taken_back,
            &self.emptied,
            &self.leaving,
            &self.unreached,
            &self.left_behind,
        ];
        self.deleted > 0 || lists.iter().any(|names| !names.is_empty())
    }
}
