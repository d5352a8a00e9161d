//! The plan as every engine gets it: the groups in their order, as data.

use serde_json::{Map, Value, json};

use super::digest;
use crate::airship::Strategy;
use crate::airship::model::{Criteria, Group};

/// A strategy as the engines read it.
#[derive(Debug)]
pub struct Sheet<'m, 'a> {
    /// The strategy.
    pub(super) strategy: &'m Strategy<'m, 'a>,
    /// The groups in the order of the plan.
    pub(super) rows: Vec<Row<'m, 'a>>,
    /// The seconds after which a prepare and a deploy step have timed out.
    pub(super) limits: [i64; 2],
    /// The digest of all of it.
    digest: String,
}

/// A group.
#[derive(Debug)]
pub(super) struct Row<'m, 'a> {
    pub(super) group: &'m Group<'a>,
    /// Its place in the documents.
    place: u32,
    /// The groups it depends on, by their place in the order; each once.
    pub(super) needs: Vec<usize>,
    /// Its nodes: indices, sorted.
    pub(super) nodes: &'m [u32],
}

impl<'m, 'a> Sheet<'m, 'a> {
    /// The sheet of a planned strategy.
    #[must_use]
    pub fn of(strategy: &'m Strategy<'m, 'a>) -> Self {
        let (site, plan) = (strategy.site, &strategy.deployment);
        let mut at = vec![0; site.groups.len()];
        for (place, group) in plan.order.iter().enumerate() {
            at[*group as usize] = place;
        }
        let row = |number: &u32| {
            let group = &site.groups[*number as usize];
            let needs = group.depends_on.iter().filter_map(|need| need.group);
            let mut needs: Vec<usize> = needs.map(|need| at[need as usize]).collect();
            needs.sort_unstable();
            needs.dedup();
            Row {
                group,
                place: *number,
                needs,
                nodes: &plan.members[*number as usize],
            }
        };
        let mut sheet = Self {
            strategy,
            rows: plan.order.iter().map(row).collect(),
            limits: [site.timing.prepare_limit(), site.timing.deploy_limit()],
            digest: String::new(),
        };
        sheet.digest = digest(sheet.data(|_| Map::new()).to_string().as_bytes());
        sheet
    }

    /// The digest of the data for engines.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The name of a node.
    pub(super) fn node(&self, node: u32) -> &'m str {
        self.strategy.site.nodes[node as usize].name.text
    }

    /// The names of the groups, in the order of the plan.
    pub(super) fn names(&self) -> impl Iterator<Item = &'m str> {
        self.rows.iter().map(|row| row.group.name.text)
    }

    /// The plan as the engines' code reads it; `more` is what an engine keeps of each group, by its
    /// place in the order.
    pub(super) fn data(&self, more: impl Fn(usize) -> Map<String, Value>) -> Value {
        let groups = self.rows.iter().enumerate().map(|(at, row)| {
            let needs = row
                .needs
                .iter()
                .map(|need| self.rows[*need].group.name.text);
            let mut group = json!({
                "name": row.group.name.text,
                "place": row.place,
                "critical": row.group.critical,
                "depends_on": needs.collect::<Vec<_>>(),
                "criteria": criteria(row.group.criteria),
                "nodes": row.nodes.iter().map(|node| self.node(*node)).collect::<Vec<_>>(),
            });
            if let Some(group) = group.as_object_mut() {
                group.extend(more(at));
            }
            group
        });
        let [prepare, deploy] = self.limits;
        json!({
            "digest": self.digest,
            "strategy": self.strategy.site.strategy.map(|name| name.text),
            "limits": {"prepare": prepare, "deploy": deploy},
            "groups": groups.collect::<Vec<Value>>(),
        })
    }
}

/// The criteria that are there, keys as in the documents.
fn criteria(criteria: Option<Criteria>) -> Value {
    let criteria = criteria.unwrap_or_default();
    let all = [
        ("percent_successful_nodes", criteria.percent),
        ("minimum_successful_nodes", criteria.minimum),
        ("maximum_failed_nodes", criteria.maximum_failed),
    ];
    let there = all
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)));
    there
        .map(|(key, value)| (key.to_owned(), value.into()))
        .collect::<Map<_, _>>()
        .into()
}
