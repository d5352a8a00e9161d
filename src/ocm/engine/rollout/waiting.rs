//! Groups on their way through a rollout: steps begin where nothing was left to do before.

use std::collections::BTreeSet;

/// Some of the groups of a rollout, in their order.
#[derive(Debug)]
pub(super) struct Waiting<'g, 'a> {
    groups: Vec<&'g BTreeSet<&'a str>>,
    /// Clusters that never report a status.
    silent: &'g BTreeSet<&'a str>,
    /// The groups that have a cluster which is not over, by their number.
    open: Vec<usize>,
    /// The clusters of all of them, by name, silent ones last; made when first asked for.
    members: Option<Vec<&'a str>>,
    /// How many of these, from the first on, are known.
    started: usize,
}

impl<'g, 'a> Waiting<'g, 'a> {
    pub(super) fn of(groups: Vec<&'g BTreeSet<&'a str>>, silent: &'g BTreeSet<&'a str>) -> Self {
        Self {
            silent,
            open: (0..groups.len()).collect(),
            groups,
            members: None,
            started: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The groups that have a cluster which is not over, with their numbers.
    pub(super) fn open(
        &mut self,
        over: &BTreeSet<&'a str>,
    ) -> impl Iterator<Item = (usize, &'g BTreeSet<&'a str>)> {
        let groups = &self.groups;
        if !over.is_empty() {
            self.open
                .retain(|group| groups[*group].iter().any(|cluster| !over.contains(cluster)));
        }
        self.open.iter().map(|group| (*group, groups[*group]))
    }

    /// The clusters of all groups, by name, silent ones last.
    pub(super) fn members(&mut self) -> &[&'a str] {
        let (groups, silent) = (self.groups.iter().copied(), self.silent);
        self.members.get_or_insert_with(|| {
            let members: BTreeSet<&str> = groups.flatten().copied().collect();
            let is_silent = |one: &&str| silent.contains(one);
            let (last, mut members): (Vec<&str>, Vec<&str>) =
                members.into_iter().partition(is_silent);
            members.extend(last);
            members
        })
    }

    /// The clusters without a known status, in the order of `members`. A known status stays known.
    pub(super) fn unknown(
        &mut self,
        is_known: impl Fn(&'a str) -> bool,
    ) -> impl Iterator<Item = &'a str> {
        let started = self.started;
        let members = self.members();
        let more = members[started..].iter().take_while(|one| is_known(one));
        let started = started + more.count();
        self.started = started;
        let members = self.members.as_deref().unwrap_or_default();
        let members = members[started..].iter().copied();
        members.filter(move |one| !is_known(one))
    }
}
