//! The options that a plan was made with. They are compared with those that are given again; a
//! file never sets one.

use serde::{Deserialize, Serialize};

/// The options that change an outcome, where they are not the defaults.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Chosen {
    /// `--allow-commands`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_commands: bool,
    /// `--compat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compat: Option<Compat>,
    /// `--config`, relative to the directory the plan was made in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// `--hub`, relative to the directory the plan was made in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
    /// `--no-prune`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_prune: bool,
    /// `--order`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// `--package`, as often as it was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    /// `--records`, relative to the directory the plan was made in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// `--rendered`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rendered: bool,
    /// `--same-node`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub same_node: bool,
    /// `--site`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub site: Vec<String>,
}

/// A value of `--compat` that is not the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Compat {
    /// As the original code has it.
    Upstream,
}

/// A value of `--order` that is not the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Order {
    /// Depth first.
    Stack,
}

impl Chosen {
    /// The flags that choose them, each with its value.
    #[must_use]
    pub fn flags(&self) -> Vec<Vec<String>> {
        let alone = |flag: &str, given: bool| given.then(|| vec![flag.to_owned()]);
        let with = |flag: &str, value: &Option<String>| {
            value.clone().map(|value| vec![flag.to_owned(), value])
        };
        let compat = self.compat.map(|Compat::Upstream| "upstream".to_owned());
        let order = self.order.map(|Order::Stack| "stack".to_owned());
        let packages = self.packages.iter().cloned().map(Some);
        let packages = packages.map(|package| with("--package", &package));
        let sites = self.site.iter().cloned().map(Some);
        let sites = sites.map(|site| with("--site", &site));
        [
            alone("--allow-commands", self.allow_commands),
            with("--compat", &compat),
            with("--config", &self.config),
            with("--hub", &self.hub),
            alone("--no-prune", self.no_prune),
            with("--order", &order),
            with("--records", &self.records),
            alone("--rendered", self.rendered),
            alone("--same-node", self.same_node),
        ]
        .into_iter()
        .chain(sites)
        .chain(packages)
        .flatten()
        .collect()
    }
}
