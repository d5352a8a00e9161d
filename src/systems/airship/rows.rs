//! Deployment groups as rows.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::airship::engine::run::{DeploymentRun, Faults};
use crate::airship::{Strategy, terms};
use crate::kit::named::Name;
use crate::plan::row::{At, Facts, Moved, Row, Rows};
use crate::plan::{Answer, Mark, Plan, Section, again};

struct Deployed<'p, 's, 'a> {
    strategy: &'p Strategy<'s, 'a>,
    group: usize,
    position: usize,
    /// The run in which every node succeeds, made for the first group that is asked about.
    run: Rc<OnceCell<DeploymentRun>>,
}

/// The groups in the order in which they are deployed.
pub(super) fn rows<'p>(plan: &'p Plan<'_, '_>) -> Rows<'p> {
    let run = Rc::new(OnceCell::new());
    let strategies = plan.strategy.iter();
    Box::new(strategies.flat_map(move |strategy| {
        let run = Rc::clone(&run);
        let order = strategy.deployment.order.iter().zip(1..);
        order.map(move |(group, position)| {
            let group = *group as usize;
            let name = &strategy.site.groups[group].name;
            let nodes = strategy.deployment.members[group].len();
            Row {
                section: Section::Groups,
                kind: "Group",
                name: Name::new("", name.text),
                at: At::Place(name.place),
                // Groups are planned again each time.
                mark: Mark::New,
                moved: Moved::of(nodes, nodes, nodes),
                fails: false,
                facts: Box::new(Deployed {
                    strategy,
                    group,
                    position,
                    run: Rc::clone(&run),
                }),
            }
        })
    }))
}

impl Deployed<'_, '_, '_> {
    fn terms(&self) -> Vec<String> {
        let begin = || again::run(self.strategy, &Faults::default());
        let run = self.run.get_or_init(begin);
        terms::of(
            &self.strategy.site.groups[self.group],
            run.succeeded[self.group],
        )
    }
}

impl<'p> Facts<'p> for Deployed<'p, '_, '_> {
    fn was(&self) -> Option<Answer<'p>> {
        None
    }

    fn now(&self) -> Option<Answer<'p>> {
        let members = self.strategy.deployment.members[self.group].iter();
        let mut nodes: Vec<&str> = members
            .map(|node| self.strategy.site.nodes[*node as usize].name.text)
            .collect();
        nodes.sort_unstable();
        Some(Answer::Group {
            position: self.position,
            nodes: nodes.into_iter().map(Into::into).collect(),
            terms: self.terms(),
        })
    }

    fn because(&self) -> String {
        self.terms().join("; ")
    }
}
