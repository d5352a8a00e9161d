//! The input of a deployment strategy: groups, nodes, profiles and timing, each with its place in
//! the documents. See the chapter on Airship in planner-placement(7).

use std::sync::Arc;

pub use crate::source::Text;

use crate::source::Place;

/// Which way is followed where Airship's specification and its code differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reading {
    /// The specification's.
    #[default]
    Statement,
    /// The code's (`--compat upstream`).
    Upstream,
}

/// Which order of the groups is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupOrder {
    /// Waves: the order of today's code.
    #[default]
    Waves,
    /// The stack of the years 2018 to 2022.
    Stack,
}

/// One label (`owner_data` entry) of a node or profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label<'a> {
    /// The key, `!` included.
    pub key: &'a str,
    /// The value.
    pub value: &'a str,
    /// Where the value is.
    pub place: Place,
}

/// A BaremetalNode or HostProfile as written: what selection and inheritance need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host<'a> {
    /// `metadata.name` of the document.
    pub name: Text<'a>,
    /// The profile inherited from, as written.
    pub host_profile: Option<Text<'a>>,
    /// The profile of that name: an index into [`Site::profiles`].
    pub parent: Option<u32>,
    /// The hardware profile, as written.
    pub hardware_profile: Option<Text<'a>>,
    /// `metadata.tags`, in order.
    pub tags: Vec<Text<'a>>,
    /// `metadata.owner_data`, in order.
    pub labels: Vec<Label<'a>>,
    /// `metadata.rack`.
    pub rack: Option<Text<'a>>,
    /// `addressing`, as network and address; nodes alone have any.
    pub addresses: Box<[(&'a str, &'a str)]>,
}

/// A name in `depends_on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dependency<'a> {
    /// The name, as written.
    pub name: Text<'a>,
    /// The group of that name: an index into [`Site::groups`].
    pub group: Option<u32>,
}

/// One selector: its criteria are intersected, the values of one criterion are alternatives.
/// An empty list is a criterion that is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selector<'a> {
    /// Where it is.
    pub place: Place,
    /// `node_names`.
    pub names: Vec<&'a str>,
    /// `node_tags`.
    pub tags: Vec<&'a str>,
    /// `rack_names`.
    pub racks: Vec<&'a str>,
    /// `node_labels`, as key and value.
    pub labels: Vec<(&'a str, &'a str)>,
}

impl Selector<'_> {
    /// Whether no criterion has a value: the selector holds all nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
            && self.tags.is_empty()
            && self.racks.is_empty()
            && self.labels.is_empty()
    }
}

/// The success criteria that are present; a group succeeds when all of them hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Criteria {
    /// `percent_successful_nodes`, 0 to 100.
    pub percent: Option<u64>,
    /// `minimum_successful_nodes`.
    pub minimum: Option<u64>,
    /// `maximum_failed_nodes`.
    pub maximum_failed: Option<u64>,
}

/// A deployment group as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group<'a> {
    /// Its name.
    pub name: Text<'a>,
    /// Whether its failure fails the site.
    pub critical: bool,
    /// Its dependencies, repeats included.
    pub depends_on: Vec<Dependency<'a>>,
    /// Its selectors; none means all nodes.
    pub selectors: Vec<Selector<'a>>,
    /// Its criteria, if it has any.
    pub criteria: Option<Criteria>,
}

/// The values of the DeploymentConfiguration that a plan needs, defaults filled in; seconds.
///
/// A value that is 0 counts as not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// `physical_provisioner.prepare_node_interval`.
    pub prepare_interval: i64,
    /// `physical_provisioner.prepare_node_timeout`.
    pub prepare_timeout: i64,
    /// `physical_provisioner.deploy_interval`.
    pub deploy_interval: i64,
    /// `physical_provisioner.deploy_timeout`.
    pub deploy_timeout: i64,
    /// `physical_provisioner.join_wait`.
    pub join_wait: i64,
    /// `kubernetes.node_status_interval`.
    pub node_status_interval: i64,
    /// `kubernetes.node_status_timeout`.
    pub node_status_timeout: i64,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            prepare_interval: 30,
            prepare_timeout: 1800,
            deploy_interval: 30,
            deploy_timeout: 3600,
            join_wait: 120,
            node_status_interval: 30,
            node_status_timeout: 1800,
        }
    }
}

/// How long a task polled every `interval` seconds may take before it times out: `timeout /
/// interval` rounded to whole polls, halves to even, times the interval. Never negative.
#[must_use]
pub fn limit_seconds(timeout: i64, interval: i64) -> i64 {
    if interval == 0 {
        return 0;
    }
    let (timeout, interval) = (i128::from(timeout), i128::from(interval));
    let (whole, rest) = (timeout.div_euclid(interval), timeout.rem_euclid(interval));
    let up = match (2 * rest).cmp(&interval.abs()) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => whole % 2 != 0,
        std::cmp::Ordering::Greater => true,
    };
    let looks = whole + i128::from(up) * interval.signum();
    i64::try_from((looks.max(0) * interval).max(0)).unwrap_or(i64::MAX)
}

impl Timing {
    /// When a prepare task has timed out, in seconds.
    #[must_use]
    pub fn prepare_limit(&self) -> i64 {
        limit_seconds(self.prepare_timeout, self.prepare_interval)
    }

    /// When a deploy task has timed out, in seconds.
    #[must_use]
    pub fn deploy_limit(&self) -> i64 {
        limit_seconds(self.deploy_timeout, self.deploy_interval)
    }

    /// The longest that joining Kubernetes is waited for, in seconds.
    #[must_use]
    pub fn join_limit(&self) -> i64 {
        let status = limit_seconds(self.node_status_timeout, self.node_status_interval);
        self.join_wait.max(0).saturating_add(status)
    }

    /// The longest that one group may take, in seconds.
    #[must_use]
    pub fn group_limit(&self) -> i64 {
        let steps = self.prepare_limit().saturating_add(self.deploy_limit());
        steps.saturating_add(self.join_limit())
    }
}

/// A checked site: every name in it resolves, no cycle of groups or of profiles.
#[derive(Debug, Clone, Default)]
pub struct Site<'a> {
    /// The strategy in force; `None` when all nodes are deployed at once.
    pub strategy: Option<Text<'a>>,
    /// The groups, in document order; one named `default` without a strategy.
    pub groups: Vec<Group<'a>>,
    /// The nodes, by name.
    pub nodes: Arc<Vec<Host<'a>>>,
    /// The host profiles, by name.
    pub profiles: Arc<Vec<Host<'a>>>,
    /// The timing in force.
    pub timing: Timing,
}

impl Site<'_> {
    /// The one group of a site without a strategy: critical, all nodes, all must succeed.
    #[must_use]
    pub fn all_at_once() -> Group<'static> {
        Group {
            name: Text {
                text: "default",
                place: Place::default(),
            },
            critical: true,
            depends_on: Vec::new(),
            selectors: Vec::new(),
            criteria: Some(Criteria {
                percent: Some(100),
                ..Criteria::default()
            }),
        }
    }

    /// The index of the node of that name.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<u32> {
        let at = self
            .nodes
            .binary_search_by(|node| node.name.text.cmp(name))
            .ok()?;
        u32::try_from(at).ok()
    }

    /// The index of the group of that name.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<u32> {
        let at = self
            .groups
            .iter()
            .position(|group| group.name.text == name)?;
        u32::try_from(at).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_round_half_to_even() {
        let limits = [
            (100, 30, 90),
            (100, 40, 80),
            (60, 40, 80),
            (35, 10, 40),
            (25, 10, 20),
            (10, 20, 0),
            (10, 21, 0),
            (10, 19, 19),
            (-30, 30, 0),
            (30, -30, 0),
            (i64::MAX, 1, i64::MAX),
        ];
        for (timeout, interval, limit) in limits {
            assert_eq!(
                limit_seconds(timeout, interval),
                limit,
                "{timeout}/{interval}"
            );
        }
    }

    #[test]
    fn a_group_takes_both_limits_and_the_join() {
        assert_eq!(Timing::default().group_limit(), 1800 + 3600 + 120 + 1800);
    }
}
