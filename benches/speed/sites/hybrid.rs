//! Placement rules with four built-in advisors over managed clusters.

use std::fmt::Write as _;

use super::{Dice, Form, Site, hub};

/// So many clusters with labels and resources.
pub fn clusters(count: usize, form: Form, text: &mut String, dice: &mut Dice) {
    for cluster in 0..count {
        let cpu = 4 + dice.roll(200);
        if form == Form::Whole {
            let labels = format!(
                "    cloud: {}\n    cost: \"{}\"\n    pool: q{}\n",
                dice.one(&["IBM", "AWS", "Azure"]),
                1 + dice.roll(900),
                cluster % (count / 20).max(1),
            );
            hub::cluster(&format!("cluster{cluster:04}"), &labels, cpu, 0, dice, text);
            continue;
        }
        write!(
            text,
            "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata:\n  \
             name: cluster{cluster:04}\n  labels: {{pool: q{}, cost: \"{}\", cloud: {}}}\nstatus:\n  \
             allocatable: {{cpu: \"{cpu}\", memory: {}Gi}}\n---\n",
            cluster % (count / 20).max(1),
            1 + dice.roll(900),
            dice.one(&["IBM", "AWS", "Azure"]),
            cpu * 4
        )
        .unwrap();
    }
}

/// So many rules: a labels predicate that keeps 20, a veto, cost and resourceHint.
pub fn site(rules: usize, candidates: usize, form: Form) -> Site {
    let mut dice = Dice::new(61);
    let mut text = String::new();
    clusters(candidates, form, &mut text, &mut dice);
    if form == Form::Whole {
        text.push_str("---\n");
    }
    for rule in 0..rules {
        write!(
            text,
            "apiVersion: core.hybridapp.io/v1alpha1\nkind: PlacementRule\nmetadata: {{name: r{rule}, \
             namespace: default}}\nspec:\n  replicas: 10\n  advisors:\n  - name: pool\n    type: \
             predicate\n    rules: {{matchLabels: {{pool: q{}}}}}\n  - name: veto\n    type: \
             predicate\n    rules: {{resources: [{{name: cluster{:04}}}]}}\n  - name: cost\n    \
             rules: {{cost: {{label: cost, scored: true}}}}\n  - name: hint\n    weight: 50\n    \
             rules: {{resourceHint: {{type: cpu, order: desc, scored: true}}}}\n---\n",
            dice.roll((candidates / 20).max(1)),
            dice.roll(candidates)
        )
        .unwrap();
    }
    Site::of(&format!("hybrid-{form:?}"), &[("rules.yaml".into(), text)])
}

/// One rule that removes one candidate a round.
pub fn rounds(candidates: usize) -> Site {
    let mut dice = Dice::new(62);
    let mut text = String::new();
    clusters(candidates, Form::Bare, &mut text, &mut dice);
    text.push_str(
        "apiVersion: core.hybridapp.io/v1alpha1\nkind: PlacementRule\nmetadata: {name: one, \
         namespace: default}\nspec:\n  replicas: 1\n  advisors:\n  - name: cost\n    rules: {cost: \
         {label: cost, scored: true}}\n",
    );
    Site::of(
        &format!("hybrid-rounds-{candidates}"),
        &[("rule.yaml".into(), text)],
    )
}

/// So many rules, each for the 20 candidates of a label.
pub fn narrow(rules: usize, candidates: usize) -> Site {
    let mut dice = Dice::new(63);
    let mut text = String::new();
    clusters(candidates, Form::Bare, &mut text, &mut dice);
    for rule in 0..rules {
        write!(
            text,
            "apiVersion: core.hybridapp.io/v1alpha1\nkind: PlacementRule\nmetadata: {{name: r{rule}, \
             namespace: default}}\nspec:\n  replicas: 10\n  targetLabels: {{matchLabels: {{pool: \
             q{}}}}}\n  advisors:\n  - name: cloud\n    type: predicate\n    rules: {{matchLabels: \
             {{cloud: {}}}}}\n  - name: cost\n    rules: {{cost: {{label: cost, scored: true}}}}\n  \
             - name: hint\n    weight: 50\n    rules: {{resourceHint: {{type: cpu, order: desc, \
             scored: true}}}}\n---\n",
            dice.roll((candidates / 20).max(1)),
            dice.one(&["IBM", "AWS", "Azure"]),
        )
        .unwrap();
    }
    Site::of("hybrid-narrow", &[("rules.yaml".into(), text)])
}
