//! What holds for every site: order means nothing, filters only remove, the rest adds up.

use planner::ocm::engine::resource::{allocatable, resource_score};
use planner::ocm::engine::rollout::deadline;
use planner::ocm::engine::score::balance;
use proptest::prelude::*;
use serde_json::Value;

use super::text;

/// Some documents: clusters with a label, taints and decisions as the bits say.
fn documents(bits: &[u8], wanted: u8) -> Vec<String> {
    let group = "cluster.open-cluster-management.io";
    let mut documents = vec![
        format!("apiVersion: {group}/v1beta2\nkind: ManagedClusterSet\nmetadata: {{name: s}}\n"),
        format!(
            "apiVersion: {group}/v1beta2\nkind: ManagedClusterSetBinding\n\
             metadata: {{name: s, namespace: ns}}\nspec: {{clusterSet: s}}\n"
        ),
        format!(
            "apiVersion: {group}/v1beta1\nkind: Placement\nmetadata: {{name: p, namespace: ns}}\n\
             spec:\n  numberOfClusters: {wanted}\n  predicates:\n  - requiredClusterSelector:\n      \
             labelSelector: {{matchLabels: {{env: a}}}}\n  decisionStrategy:\n    groupStrategy:\n      \
             clustersPerDecisionGroup: 2\n"
        ),
    ];
    for (index, bits) in bits.iter().enumerate() {
        let set = if bits & 1 == 0 { "s" } else { "t" };
        let env = if bits & 2 == 0 { "a" } else { "b" };
        let taint = match bits & 4 {
            0 => "",
            _ => "spec: {taints: [{key: k, effect: NoSelect}]}\n",
        };
        documents.push(format!(
            "apiVersion: {group}/v1\nkind: ManagedCluster\nmetadata:\n  name: c{index}\n  \
             labels: {{{group}/clusterset: {set}, env: {env}}}\n{taint}\
             status: {{allocatable: {{cpu: {bits}}}, capacity: {{cpu: {bits}}}}}\n"
        ));
        if bits & 8 != 0 {
            documents.push(format!(
                "apiVersion: {group}/v1beta1\nkind: PlacementDecision\n\
                 metadata: {{name: d{index}, namespace: other}}\n\
                 status: {{decisions: [{{clusterName: c{index}, reason: \"\"}}]}}\n"
            ));
        }
    }
    documents
}

/// A placement that asks for clusters by resources, and for those that it has.
fn by_resources(name: usize, (cpu, memory, steady, wanted): (i8, i8, i8, u8)) -> String {
    let built_in = [
        ("ResourceAllocatableCPU", cpu),
        ("ResourceAllocatableMemory", memory),
        ("Steady", steady),
    ];
    let built_in = built_in.map(|(score, weight)| {
        format!("    - {{scoreCoordinate: {{builtIn: {score}}}, weight: {weight}}}\n")
    });
    format!(
        "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
         metadata: {{name: r{name}, namespace: ns}}\nspec:\n  numberOfClusters: {wanted}\n  \
         prioritizerPolicy:\n    mode: Exact\n    configurations:\n{}",
        built_in.concat()
    )
}

/// A decision that a placement has.
fn decided(placement: usize, cluster: u8) -> String {
    let group = "cluster.open-cluster-management.io";
    format!(
        "apiVersion: {group}/v1beta1\nkind: PlacementDecision\nmetadata:\n  \
         name: r{placement}-decision-1\n  namespace: ns\n  \
         labels: {{{group}/placement: r{placement}}}\n\
         status: {{decisions: [{{clusterName: c{cluster}, reason: \"\"}}]}}\n"
    )
}

fn names(list: &Value) -> Vec<String> {
    let names = list.as_array().expect("a list").iter();
    names
        .map(|name| name.as_str().expect("a name").to_owned())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_order_of_documents_means_nothing(
        bits in proptest::collection::vec(0_u8..16, 0..9),
        wanted in 0_u8..6,
        turn in 0_usize..20,
    ) {
        let mut documents = documents(&bits, wanted);
        let (first, _) = text(&documents.join("---\n"));
        let turn = turn % documents.len();
        documents.rotate_left(turn);
        let (second, _) = text(&documents.join("---\n"));
        prop_assert_eq!(first, second);
    }

    #[test]
    fn filters_only_remove_and_groups_hold_what_is_selected(
        bits in proptest::collection::vec(0_u8..16, 0..9),
        wanted in 0_u8..6,
    ) {
        let (answer, _) = text(&documents(&bits, wanted).join("---\n"));
        let placement = &answer["placements"][0];
        let mut left = names(&placement["availableClusters"]);
        for filter in placement["filters"].as_array().expect("filters") {
            let next = names(&filter["clusters"]);
            prop_assert!(next.iter().all(|name| left.contains(name)));
            left = next;
        }
        let mut selected = names(&placement["selected"]);
        prop_assert_eq!(selected.len(), left.len().min(wanted.into()));
        let mut decided = names(&placement["decisions"]);
        selected.sort();
        decided.sort();
        prop_assert_eq!(selected, decided);
    }

    #[test]
    fn placements_that_ask_for_the_same_are_planned_as_each_alone(
        bits in proptest::collection::vec(0_u8..16, 2..7),
        asked in proptest::collection::vec((-1_i8..2, 0_i8..2, 0_i8..2, 0_u8..4), 2..6),
        had in proptest::collection::vec(proptest::option::of(0_u8..6), 6),
    ) {
        // Nearly all are to be had: they lie in the set, and few have a taint.
        let bits: Vec<u8> = bits.iter().map(|bits| bits & !1 & !(bits >> 1 & 4)).collect();
        let clusters = documents(&bits, 1);
        let of = |asks: &[usize]| {
            let mut all = clusters.clone();
            for ask in asks {
                all.push(by_resources(*ask, asked[*ask]));
                all.extend(had[*ask].map(|cluster| decided(*ask, cluster)));
            }
            text(&all.join("---\n")).0
        };
        let placed = |answer: &Value, ask: usize| {
            let name = format!("r{ask}");
            let all = answer["placements"].as_array().expect("placements");
            let one = all.iter().find(|one| one["name"] == name.as_str()).expect("it");
            ["selected", "totals", "decisions", "conditions"].map(|field| one[field].clone())
        };
        let every: Vec<usize> = (0..asked.len()).collect();
        let together = of(&every);
        for ask in every {
            prop_assert_eq!(placed(&together, ask), placed(&of(&[ask]), ask));
        }
    }

    #[test]
    fn scores_stay_within_their_bounds(count in 0_u32..2000, more in 0_u32..2000, a in 0_u32..9, b in 1_u32..9) {
        let score = balance(count, count + more);
        prop_assert!((-100..=100).contains(&score) && score % 2 == 0);
        let score = resource_score(f64::from(a.min(b)), 0.0, f64::from(b));
        prop_assert!((-100..=100).contains(&score));
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,12}") {
        let _ = allocatable(&text);
        let _ = deadline(&text);
    }
}
