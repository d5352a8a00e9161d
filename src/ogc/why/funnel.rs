//! How the filters narrowed the Clusters down: the requirement of each, how many Clusters it left,
//! and which it removed for which reason.

use std::collections::BTreeMap;

use crate::diagnostic::Label;
use crate::kit::quantity::Quantity;
use crate::ogc::describe::{rule_text, superlative};
use crate::ogc::engine::{Filter, FilterRun};
use crate::ogc::judge::{Ruling, from};
use crate::ogc::labels::Integer;
use crate::ogc::model::Operator;
use crate::source::Place;
use crate::why::{Funnel, Passage, Said};

use super::{Candidate, Why, hidden_text, rule_from};

impl Why<'_, '_> {
    /// The rules, and what every filter did.
    pub(super) fn funnel(&self) -> Funnel {
        let rules = self.rules.iter();
        let hidden = self.hidden.iter();
        Funnel {
            rules: rules
                .map(|(rule, of)| (rule_text(rule), from(*of)))
                .collect(),
            hidden: hidden.map(|(rule, why)| hidden_text(rule, *why)).collect(),
            filters: self.run().map_or(Vec::new(), |run| self.filters(run)),
            further: self.further(),
            at: self.lines(),
        }
    }

    fn filters(&self, run: &FilterRun<'_>) -> Vec<Passage> {
        let names = self.candidates.iter().map(|one| one.name.to_owned());
        let all = if self.candidates.is_empty() {
            remark("no Clusters")
        } else {
            Said {
                text: String::new(),
                names: names.collect(),
            }
        };
        let first = Passage {
            filter: format!("Project {}", self.item().project.unwrap_or_default()),
            left: run.all as usize,
            said: vec![all],
        };
        let filters = run.filters().map(|(filter, left)| Passage {
            filter: filter.name().to_owned(),
            left: left as usize,
            said: self.said(filter),
        });
        [first].into_iter().chain(filters).collect()
    }

    /// The remarks about a filter: what it asked for, and the Clusters it removed, grouped by
    /// reason.
    fn said(&self, filter: Filter) -> Vec<Said> {
        let groups = self.removed_by(filter);
        let chosen = self.candidates.iter().find(|candidate| candidate.chosen);
        let application = self.application;
        let asks = |amount: Quantity, text: String| {
            (amount > Quantity::ZERO && groups.is_empty()).then(|| format!("needs {text}"))
        };
        let asked = match filter {
            Filter::Compute => asks(application.cpu.amount, application.cpu.amount.decimal()),
            Filter::Memory => asks(
                application.memory.amount,
                application.memory.amount.binary(),
            ),
            Filter::Storage if groups.is_empty() => {
                let first = self.candidates.first();
                first.and_then(|one| verdict(one, filter)?.asked.clone())
            }
            Filter::Extant => match (&self.holder, chosen) {
                (Some(holder), Some(chosen)) if holder.cluster == chosen.name => {
                    return vec![remark(format!("{} holds {}", holder.cluster, holder.holds))];
                }
                (Some(holder), Some(_)) => Some(holder.removed()),
                _ => None,
            },
            Filter::Extremum => {
                let rule = self.rules.iter().map(|(rule, _)| rule);
                let rule = rule.into_iter().find(|rule| rule.operator.is_extremum());
                let found = chosen.and_then(|c| verdict(c, filter)?.found.clone());
                rule.zip(found).map(|(rule, found)| {
                    format!("{} {}: {found}", superlative(rule.operator), rule.key)
                })
            }
            Filter::Tiebreaker if !groups.is_empty() => {
                let oldest = chosen.map_or("", |chosen| chosen.name);
                return vec![remark(format!("{oldest} is the oldest"))];
            }
            _ => None,
        };
        asked.map(remark).into_iter().chain(groups).collect()
    }

    /// The Clusters that a filter removed, by its reason; for Min/Max the nearest figure first.
    fn removed_by(&self, filter: Filter) -> Vec<Said> {
        let mut groups: Vec<Said> = Vec::new();
        let removed = self.candidates.iter();
        for candidate in removed.filter(|one| one.removed_by == Some(filter)) {
            let text = verdict(candidate, filter).map_or("", |verdict| &verdict.reason);
            let name = candidate.name.to_owned();
            match groups.iter_mut().find(|known| known.text == text) {
                Some(known) => known.names.push(name),
                None => groups.push(Said {
                    text: text.to_owned(),
                    names: vec![name],
                }),
            }
        }
        if filter == Filter::Extremum {
            self.nearest_first(&mut groups);
        }
        groups
    }

    fn nearest_first(&self, groups: &mut [Said]) {
        let figure = |one: &Candidate<'_>| {
            let found = verdict(one, Filter::Extremum)?.found.clone()?;
            Some((one.name.to_owned(), found))
        };
        let found: BTreeMap<String, String> = self.candidates.iter().filter_map(figure).collect();
        let figure = |said: &Said| Integer::parse(found.get(said.names.first()?)?);
        let mut rules = self.rules.iter().map(|(rule, _)| rule.operator);
        let least = rules.any(|operator| operator == Operator::MinOf);
        groups.sort_by(|one, other| match (figure(one), figure(other)) {
            (Some(one), Some(other)) if least => one.cmp(&other),
            (Some(one), Some(other)) => other.cmp(&one),
            (one, other) => other.is_some().cmp(&one.is_some()),
        });
    }

    /// Reasons beyond the first, which would keep a Cluster out as well.
    fn further(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for candidate in &self.candidates {
            let Some(first) = candidate.removed_by else {
                continue;
            };
            let also = candidate.verdicts.iter().filter(|(filter, verdict)| {
                *filter > first && *filter <= Filter::Labels && !verdict.passes
            });
            let name = candidate.name;
            let line = |(filter, verdict): &(Filter, Ruling)| {
                format!("{name}: {}: {}", filter.name(), verdict.reason)
            };
            lines.extend(also.map(line));
        }
        lines
    }

    /// The lines that ask, and the records that hold.
    fn lines(&self) -> Vec<Label> {
        let (cpu, memory) = (self.application.cpu, self.application.memory);
        let mut at: Vec<(Place, String)> =
            vec![(self.application.place, "the Application".to_owned())];
        let cpu_text = || format!("needs {} CPU", cpu.amount.decimal());
        at.extend(cpu.place.map(|place| (place, cpu_text())));
        let memory_text = || format!("needs {} of memory", memory.amount.binary());
        at.extend(memory.place.map(|place| (place, memory_text())));
        let rules = self.rules.iter();
        at.extend(rules.map(|(rule, origin)| (rule.place, rule_from(rule, *origin))));
        let hidden = self.hidden.iter();
        at.extend(hidden.map(|(rule, _)| (rule.place, format!("{}, hidden", rule_text(rule)))));
        let chosen = self.candidates.iter().find(|candidate| candidate.chosen);
        let decided = chosen.into_iter().flat_map(|chosen| &chosen.verdicts);
        let decided =
            decided.filter(|(filter, _)| matches!(filter, Filter::Extant | Filter::Extremum));
        for place in decided.flat_map(|(_, verdict)| &verdict.at) {
            if !at.iter().any(|(known, _)| *known == place.0) {
                at.push(place.clone());
            }
        }
        let label = |(place, text): (_, String)| Label {
            place,
            text: text.into(),
        };
        at.into_iter().map(label).collect()
    }
}

/// A remark about the filter itself, without Clusters.
fn remark(text: impl Into<String>) -> Said {
    Said {
        text: text.into(),
        names: Vec::new(),
    }
}

fn verdict<'w>(candidate: &'w Candidate<'_>, filter: Filter) -> Option<&'w Ruling> {
    let mut verdicts = candidate.verdicts.iter();
    let found = verdicts.find(|(judged, _)| *judged == filter);
    found.map(|(_, verdict)| verdict)
}
