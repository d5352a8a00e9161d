//! Runs one PlanTest over one site.

use std::borrow::Cow;

use crate::airship::engine::run::DeploymentVerdict;
use crate::airship::faults::Reader;
use crate::diagnostic::{Sink, short_code};
use crate::diff::{Decisions, Subject, decisions};
use crate::document::System;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::options::Options;
use crate::plan;
use crate::plan::{Assignment, Section};
use crate::site::{Changes, Checked};

use super::model::{Claim, Delivery, PlanTest};

/// The result of one expectation: the actual decision, if it does not hold.
pub type Outcome = Result<(), String>;

/// The facts about the altered site.
struct Facts {
    decisions: Decisions,
    verdict: Option<DeploymentVerdict>,
    /// The codes for which documents were refused, sorted.
    refused: Vec<&'static str>,
}

/// Plans the site with the changes and checks every expectation, in their order. Faults of the
/// test's own `faults` are reported. Where documents are refused, what is left is planned, but
/// only `keep_going` or an expected refusal makes that count as an answer.
pub fn run(
    test: &PlanTest<'_>,
    site: &Checked<'_>,
    changes: Changes,
    options: &Options,
    sink: &mut Sink,
) -> Vec<Outcome> {
    let changed = match site.changed(changes) {
        Ok(changed) => changed,
        Err(why) => {
            let failed = || Err(why.to_string());
            return test.expect.iter().map(|_| failed()).collect();
        }
    };
    let site = changed.check();
    let plan = plan::make(
        &site,
        &Options {
            keep_going: true,
            ..options.clone()
        },
    );
    let found = site.findings.diagnostics.iter();
    let found = found.chain(&plan.findings.diagnostics);
    let mut refused: Vec<&'static str> = found
        .filter(|found| found.refuses)
        .map(|found| found.rule.code)
        .collect();
    refused.sort_unstable();
    refused.dedup();
    let wanted = |claim: &Claim<'_>| matches!(claim, Claim::Verdict(_));
    let wanted = test.expect.iter().any(|expected| wanted(&expected.claim));
    let strategy = plan.strategy.as_ref().filter(|_| wanted);
    let verdict = strategy.map(|strategy| {
        let mut reader = Reader::new(strategy.site);
        if let Some(faults) = test.faults {
            reader.document(faults, sink);
        }
        plan::again::run(strategy, &reader.faults).verdict
    });
    let facts = Facts {
        decisions: decisions(&plan),
        verdict,
        refused,
    };
    let expected = test.expect.iter();
    let refusal = expected
        .clone()
        .any(|e| matches!(e.claim, Claim::Invalid(_)));
    let check = |claim: &Claim<'_>| {
        if !facts.refused.is_empty() && !refusal && !options.keep_going {
            return Err(format!("documents are refused: {}", codes(&facts.refused)));
        }
        facts.check(claim)
    };
    expected.map(|expected| check(&expected.claim)).collect()
}

fn codes(codes: &[&str]) -> String {
    let short: Vec<&str> = codes.iter().map(|code| short_code(code)).collect();
    short.join(", ")
}

impl Facts {
    fn check(&self, claim: &Claim<'_>) -> Outcome {
        match claim {
            Claim::Application(name, cluster) => {
                let subject = Subject::new(Section::Applications, *name);
                let Some(Assignment::Cluster(found)) = self.decisions.get(&subject) else {
                    return Err(self.nothing("application", &[System::Ogc], name));
                };
                match found.as_deref() {
                    found if found == *cluster => Ok(()),
                    Some(found) => Err(format!("it is on `{found}`")),
                    None => Err("it is on no cluster".to_owned()),
                }
            }
            Claim::Placement(name, wanted) => self.placement(name, wanted),
            Claim::Delivery(wanted) => self.delivery(wanted),
            Claim::GroupOrder(wanted) => {
                let mut groups: Vec<(usize, &str)> = Vec::new();
                for (subject, answer) in &self.decisions {
                    if let Assignment::Group { position, .. } = answer {
                        groups.push((*position, &subject.name));
                    }
                }
                groups.sort_unstable();
                let found: Vec<&str> = groups.iter().map(|(_, name)| *name).collect();
                same(&found, wanted, "the order is")
            }
            Claim::Verdict(wanted) => match self.verdict {
                None => Err("there is no deployment strategy".to_owned()),
                Some(found) if found == *wanted => Ok(()),
                Some(found) => Err(format!("the verdict is {}", found.word())),
            },
            Claim::Invalid(code) => match self.refused.as_slice() {
                found if found.contains(code) => Ok(()),
                [] => Err("nothing is refused".to_owned()),
                found => Err(format!("documents are refused for {}", codes(found))),
            },
        }
    }

    fn placement(&self, name: &str, wanted: &[&str]) -> Outcome {
        const SYSTEMS: [System; 2] = [System::Ocm, System::Hybrid];
        let subjects = SYSTEMS.map(|system| Subject::new(Section::of(system), name));
        let found = subjects.iter().find_map(|one| self.decisions.get(one));
        let Some(Assignment::Decisions(found)) = found else {
            return Err(self.nothing("placement", &SYSTEMS, name));
        };
        // A rule's decisions are `Kind/name`; the name alone will do.
        let full = |name: &&str| {
            let ends = |one: &&Cow<'_, str>| one.rsplit('/').next() == Some(*name);
            let mut ending = found.iter().filter(ends);
            match (ending.next(), ending.next()) {
                (Some(only), None) => only.to_string(),
                _ => (*name).to_owned(),
            }
        };
        let mut wanted: Vec<String> = wanted.iter().map(full).collect();
        wanted.sort();
        let found: Vec<&str> = found.iter().map(|one| &**one).collect();
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        same(&found, &wanted, "the decisions are")
    }

    fn delivery(&self, wanted: &Delivery<'_>) -> Outcome {
        let subject = Subject::delivery(wanted.kind, wanted.namespace, wanted.name);
        let Some(Assignment::Decisions(found)) = self.decisions.get(&subject) else {
            return Err(self.nothing("delivery", &[System::Ocm], &subject.name));
        };
        let found: Vec<&str> = found.iter().map(|one| &**one).collect();
        if let Some(all) = &wanted.clusters {
            let mut all = all.clone();
            all.sort_unstable();
            same(&found, &all, "it reaches")?;
        }
        let lacks = |name: &&&str| !found.contains(*name);
        if let Some(name) = wanted.contains.iter().find(lacks) {
            return Err(format!("it does not reach `{name}`"));
        }
        match wanted.without.iter().find(|name| found.contains(*name)) {
            Some(name) => Err(format!("it reaches `{name}`")),
            None => Ok(()),
        }
    }

    fn nothing(&self, what: &str, systems: &[System], name: &str) -> String {
        let of = |subject: &&Subject| systems.contains(&subject.system());
        let names = self
            .decisions
            .keys()
            .filter(of)
            .map(|subject| subject.name.as_str());
        let near = nearest(name, names);
        let hint = near.map_or(String::new(), |near| format!("; {}", did_you_mean(near)));
        format!("there is no such {what}{hint}")
    }
}

fn same(found: &[&str], wanted: &[&str], words: &str) -> Outcome {
    if found == wanted {
        return Ok(());
    }
    let list = if found.is_empty() {
        "none".to_owned()
    } else {
        found.join(", ")
    };
    Err(format!("{words} {list}"))
}
