//! The fields of a row that only an add-on has.

use super::read::Config;

/// The fields that only an add-on has.
#[derive(Debug, Clone, Default)]
pub struct About<'a> {
    /// Its place among the add-ons of the model.
    pub addon: usize,
    /// The configurations of each cluster; clusters without any are not here.
    pub configs: Vec<(&'a str, Vec<Config<'a>>)>,
    /// Why nothing is configured anywhere, if so.
    pub stopped: Option<String>,
    /// The indexes of the installs whose placement does not exist.
    pub missing: Vec<usize>,
    /// Clusters that never get their configuration, and why, by install.
    pub blocked: Vec<Blocked<'a>>,
}

/// Clusters of one placement that never get their configuration.
#[derive(Debug, Clone)]
pub struct Blocked<'a> {
    /// The install among those of the add-on.
    pub install: usize,
    /// The group that never ends.
    pub group: i64,
    /// The cluster that it waits for.
    pub waits_for: &'a str,
    /// The install that has taken that cluster; none where it is not installed there.
    pub taken_by: Option<usize>,
    /// The clusters, by name.
    pub clusters: Vec<&'a str>,
}
