//! The decision of a plan about one subject.

use std::borrow::Cow;

/// The decision about a subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answer<'p> {
    /// An application's cluster, if there is one for it.
    Cluster(Option<Cow<'p, str>>),
    /// The decisions of a placement or rule, as a set, sorted.
    Decisions(Vec<Cow<'p, str>>),
    /// A deployment group.
    Group {
        /// Its position in the order, from 1.
        position: usize,
        /// Its nodes, sorted.
        nodes: Vec<Cow<'p, str>>,
        /// The terms that it is judged by, in words: whether it is critical, what it waits for, its
        /// criteria, and that it fails even if every node succeeds. Empty if they are not known.
        terms: Vec<String>,
    },
    /// How many nodes a region has.
    Count(i128),
}

/// An answer that outlives its plan.
pub type Assignment = Answer<'static>;

fn owned(names: Vec<Cow<'_, str>>) -> Vec<Cow<'static, str>> {
    let names = names.into_iter();
    names.map(|name| Cow::Owned(name.into_owned())).collect()
}

impl<'p> Answer<'p> {
    /// Decisions in any order.
    #[must_use]
    pub fn decisions<N: Into<Cow<'p, str>>>(names: impl Iterator<Item = N>) -> Self {
        let mut names: Vec<Cow<'p, str>> = names.map(Into::into).collect();
        names.sort_unstable();
        Self::Decisions(names)
    }

    /// The same, apart from the plan.
    #[must_use]
    pub fn into_owned(self) -> Assignment {
        match self {
            Self::Cluster(name) => Answer::Cluster(name.map(|name| Cow::Owned(name.into_owned()))),
            Self::Decisions(names) => Answer::Decisions(owned(names)),
            Self::Group {
                position,
                nodes,
                terms,
            } => Answer::Group {
                position,
                nodes: owned(nodes),
                terms,
            },
            Self::Count(count) => Answer::Count(count),
        }
    }

    /// The places that are decided on, or the nodes of a group.
    #[must_use]
    pub fn names(&self) -> &[Cow<'p, str>] {
        match self {
            Self::Cluster(name) => name.as_slice(),
            Self::Decisions(names) | Self::Group { nodes: names, .. } => names,
            Self::Count(_) => &[],
        }
    }

    /// Whether there is no place: no cluster, or no decision.
    #[must_use]
    pub fn is_nowhere(&self) -> bool {
        match self {
            Self::Cluster(name) => name.is_none(),
            Self::Decisions(names) => names.is_empty(),
            Self::Group { .. } | Self::Count(_) => false,
        }
    }
}
