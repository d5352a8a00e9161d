//! The impact of a loss, in words: the cells of its row.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::plural::{first_names, plural};
use crate::risk::{Class, Loss};

/// Names in a cell, at most.
pub(super) const NAMES: usize = 4;

/// A cell without names.
pub(super) const NOTHING: &str = "-";

pub(super) const GROUP: &str = "group";

/// Names, each after its kind.
pub(super) type Named = Vec<(&'static str, String)>;

/// The consequences of a loss.
pub(super) struct Impact<'l> {
    pub(super) loss: &'l Loss,
    /// Whether the deployment fails.
    pub(super) fails: bool,
    /// Whether it fails without any loss.
    already: bool,
    pub(super) without: Named,
    volumes: Named,
    moves: Named,
}

impl<'l> Impact<'l> {
    pub(super) fn of(loss: &'l Loss) -> Self {
        let (mut without, mut moves): (Named, Named) = Default::default();
        for effect in loss.effects() {
            let list = if effect.unplaced {
                &mut without
            } else {
                &mut moves
            };
            list.push(match effect.noun {
                "Application" => (effect.noun, effect.name.name.to_owned()),
                "Region" if effect.unplaced => ("policy", effect.name.namespace.to_owned()),
                "Region" => (effect.noun, format!("Region {}", effect.name.name)),
                noun => (noun, effect.name.to_string()),
            });
        }
        if !loss.regions.is_empty() && without.is_empty() && moves.is_empty() {
            moves.push(("", "nothing else".to_owned()));
        }
        let volumes = loss.volumes.iter();
        Self {
            loss,
            fails: loss.groups.critical || loss.verdict.as_deref() == Some("failed"),
            already: false,
            without,
            volumes: volumes.map(|one| ("volume", one.name.clone())).collect(),
            moves,
        }
    }

    /// The same where the deployment may fail without any loss.
    pub(super) fn after(mut self, already: bool) -> Self {
        self.already = already;
        self
    }

    pub(super) fn has(&self, noun: &str) -> bool {
        self.without.iter().any(|(own, _)| *own == noun)
    }

    pub(super) fn mark(&self) -> char {
        match self.loss.class {
            Class::Fatal | Class::Unplaceable => '!',
            Class::None => ' ',
            _ => '~',
        }
    }

    /// All cells but the first; `said` writes the names.
    pub(super) fn cells(&self, delivers: bool, said: impl Fn(&Named) -> String) -> Vec<String> {
        let without = match (self.fails, said(&self.without)) {
            (false, names) => names,
            (true, names) if self.already && names == NOTHING => {
                "the deployment fails already".to_owned()
            }
            (true, names) if self.already => format!("fails already; adds {names}"),
            (true, names) if names == NOTHING => "the deployment fails".to_owned(),
            (true, names) => format!("the deployment fails: {names}"),
        };
        let delivered = delivers.then(|| match self.loss.deliveries.lost.len() {
            0 => NOTHING.to_owned(),
            number => number.to_string(),
        });
        let cells = [without].into_iter().chain(delivered);
        cells
            .chain([said(&self.volumes), said(&self.moves)])
            .collect()
    }

    /// The lost thing, by name.
    pub(super) fn lost(&self, with_kind: bool) -> String {
        if with_kind {
            format!("{} {}", self.loss.kind, self.loss.name)
        } else {
            self.loss.name.clone()
        }
    }
}

/// The names. Deployment groups come first and say what they are.
pub(super) fn names(named: &Named, most: usize) -> String {
    let of = |is_group: bool| {
        let own = named
            .iter()
            .filter(|(noun, _)| (*noun == GROUP) == is_group);
        own.map(|(_, name)| name.clone()).collect::<Vec<_>>()
    };
    let (groups, others) = (of(true), of(false));
    let word = if groups.len() == 1 { "group" } else { "groups" };
    match (groups.is_empty(), others.is_empty()) {
        (true, _) => cell(others, most),
        (false, true) => format!("{word} {}", cell(groups, most)),
        (false, false) => format!("{word} {}; {}", cell(groups, most), cell(others, most)),
    }
}

/// How many of what: `3 groups, 1 Application`.
pub(super) fn counted(named: &Named) -> String {
    let distinct: BTreeSet<_> = named.iter().collect();
    let mut nouns: BTreeMap<&str, usize> = BTreeMap::new();
    for (noun, _) in distinct {
        *nouns.entry(noun).or_default() += 1;
    }
    let parts = nouns.into_iter().map(|(noun, number)| match noun {
        "" => names(named, NAMES),
        noun => plural(number, noun),
    });
    if named.is_empty() {
        NOTHING.to_owned()
    } else {
        parts.collect::<Vec<_>>().join(", ")
    }
}

pub(super) fn cell(mut names: Vec<String>, most: usize) -> String {
    names.sort();
    names.dedup();
    if names.is_empty() {
        NOTHING.to_owned()
    } else {
        first_names(names.iter(), most)
    }
}
