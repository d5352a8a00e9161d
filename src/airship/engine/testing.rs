//! Small sites for the engine's own tests.

use crate::airship::model::{Criteria, Dependency, Group, Host, Label, Selector, Site, Text};
use crate::source::Place;

pub(crate) fn word(text: &str) -> Text<'_> {
    Text {
        text,
        place: Place::default(),
    }
}

pub(crate) fn host<'a>(
    name: &'a str,
    tags: &[&'a str],
    labels: &[(&'a str, &'a str)],
    rack: Option<&'a str>,
) -> Host<'a> {
    let label = |(key, value): &(&'a str, &'a str)| Label {
        key,
        value,
        place: Place::default(),
    };
    Host {
        name: word(name),
        host_profile: None,
        parent: None,
        hardware_profile: None,
        tags: tags.iter().map(|tag| word(tag)).collect(),
        labels: labels.iter().map(label).collect(),
        rack: rack.map(word),
        addresses: Box::default(),
    }
}

pub(crate) fn site() -> Site<'static> {
    Site::default()
}

/// A group of named nodes.
pub(crate) fn group<'a>(
    name: &'a str,
    critical: bool,
    needs: &[u32],
    nodes: &[&'a str],
    criteria: Criteria,
) -> Group<'a> {
    let depends = |need: &u32| Dependency {
        name: word(""),
        group: Some(*need),
    };
    Group {
        name: word(name),
        critical,
        depends_on: needs.iter().map(depends).collect(),
        selectors: vec![Selector {
            names: nodes.to_vec(),
            ..Selector::default()
        }],
        criteria: (criteria != Criteria::default()).then_some(criteria),
    }
}
