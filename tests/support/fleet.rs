//! Fleets that look random and are the same every time: clusters, placements and one or two of each
//! kind of what they deliver, often with something in the way.

use serde_json::{Value, json};

use super::random::Dice;

const OCM: &str = "cluster.open-cluster-management.io";
const APPS: &str = "apps.open-cluster-management.io";
const POLICY: &str = "policy.open-cluster-management.io";

/// The clusters of a fleet.
pub(crate) const CLUSTERS: [&str; 4] = ["c0", "c1", "c2", "c3"];

fn named(api: &str, kind: &str, namespace: &str, name: &str) -> Value {
    match namespace {
        "" => json!({"apiVersion": api, "kind": kind, "metadata": {"name": name}}),
        namespace => json!({"apiVersion": api, "kind": kind,
            "metadata": {"name": name, "namespace": namespace}}),
    }
}

fn with(mut document: Value, fields: Value) -> Value {
    let own = document.as_object_mut().unwrap();
    own.extend(fields.as_object().unwrap().clone());
    document
}

/// Clusters, sets and the Placements `a` and `b` in a namespace.
fn ground(dice: &mut Dice, namespaces: &[&str]) -> Vec<Value> {
    let mut all = Vec::new();
    for name in CLUSTERS {
        let mut labels = json!({"env": dice.of(&["dev", "prod"])});
        if dice.roll(2) == 0 {
            labels["name"] = json!(name);
        }
        labels[format!("{OCM}/clusterset")] = json!(dice.of(&["s", "s", "t"]));
        let mut cluster = named(&format!("{OCM}/v1"), "ManagedCluster", "", name);
        cluster["metadata"]["labels"] = labels;
        let condition = json!({"type": "Ready", "status": dice.of(&["True", "False"])});
        cluster["status"] = json!({"conditions": [condition]});
        all.push(cluster);
    }
    let sets = format!("{OCM}/v1beta2");
    for set in ["s", "t"] {
        all.push(named(&sets, "ManagedClusterSet", "", set));
    }
    for namespace in namespaces {
        let binding = named(&sets, "ManagedClusterSetBinding", namespace, "s");
        all.push(with(binding, json!({"spec": {"clusterSet": "s"}})));
        for name in ["a", "b"] {
            let mut spec = json!({});
            if dice.roll(2) == 0 {
                let labels = json!({"matchLabels": {"env": dice.of(&["dev", "prod"])}});
                let selector = json!({"requiredClusterSelector": {"labelSelector": labels}});
                spec["predicates"] = json!([selector]);
            }
            if dice.roll(3) == 0 {
                spec["numberOfClusters"] = json!(dice.roll(3));
            }
            let placement = named(&format!("{OCM}/v1beta1"), "Placement", namespace, name);
            all.push(with(placement, json!({"spec": spec})));
        }
    }
    all
}

/// The name of a Placement, now and then of one that does not exist.
fn placement(dice: &mut Dice) -> &'static str {
    dice.of(&["a", "a", "b", "b", "gone"])
}

/// Policies `p` and `q`, a set, bindings with overrides and exclusions, a rule.
pub(crate) fn policies(dice: &mut Dice) -> Vec<Value> {
    let mut all = ground(dice, &["gov"]);
    for name in ["p", "q"] {
        let policy = named(&format!("{POLICY}/v1"), "Policy", "gov", name);
        let spec = json!({"disabled": dice.roll(4) == 0, "remediationAction": "inform",
            "policy-templates": []});
        all.push(with(policy, json!({"spec": spec})));
    }
    let mut spec = json!({"policies": ["p"]});
    if dice.roll(2) == 0 {
        let clusters = match dice.roll(2) {
            0 => json!(["c0"]),
            _ => json!(["c0", dice.of(&["c1", "c2"])]),
        };
        spec["exclusions"] = json!([{"policyName": "p", "clusterNames": clusters}]);
    }
    let set = named(&format!("{POLICY}/v1beta1"), "PolicySet", "gov", "s");
    all.push(with(set, json!({"spec": spec})));
    let rule = named(&format!("{APPS}/v1"), "PlacementRule", "gov", "r");
    let spec = match dice.roll(4) {
        0 => json!({"clusters": [{"name": "c0"}, {"name": "c1"}]}),
        1 => json!({"clusterSelector": {"matchLabels": {"env": "dev"}}, "clusterReplicas": 1}),
        2 => json!({"clusterConditions": [{"type": "Ready", "status": "True"}]}),
        _ => json!({"clusterSelector": {"matchExpressions": [
            {"key": "env", "operator": "NotIn", "values": ["dev"]}]}}),
    };
    all.push(with(rule, json!({"spec": spec})));
    for binding in 0..1 + dice.roll(2) {
        let name = format!("b{binding}");
        let subject = match dice.roll(2) {
            0 => json!({"apiGroup": POLICY, "kind": "Policy", "name": dice.of(&["p", "q"])}),
            _ => json!({"apiGroup": POLICY, "kind": "PolicySet", "name": "s"}),
        };
        let reference = match dice.roll(4) {
            0 => json!({"apiGroup": APPS, "kind": "PlacementRule", "name": "r"}),
            _ => json!({"apiGroup": OCM, "kind": "Placement", "name": placement(dice)}),
        };
        let mut one = named(&format!("{POLICY}/v1"), "PlacementBinding", "gov", &name);
        one["placementRef"] = reference;
        one["subjects"] = json!([subject]);
        if dice.roll(5) == 0 {
            one["subFilter"] = json!("restricted");
            one["bindingOverrides"] = json!({"remediationAction": "enforce"});
        }
        all.push(one);
    }
    all
}

/// A generator with policies and maybe a set of them. It comes last, so that nothing follows what
/// it makes.
pub(crate) fn generated(dice: &mut Dice) -> Vec<Value> {
    let mut all = ground(dice, &["gov"]);
    let selector = json!({"matchLabels": {"env": dice.of(&["dev", "prod"])}});
    let mut policies = Vec::new();
    for name in ["p", "q"] {
        let mut policy = json!({"name": name, "manifests": [{"path": "m.yaml"}]});
        if dice.roll(3) == 0 {
            policy["disabled"] = json!(true);
        }
        match dice.roll(3) {
            0 => policy["placement"] = json!({"placementName": placement(dice)}),
            1 => policy["placement"] = json!({"labelSelector": {"env": dice.of(&["dev", "prod"])}}),
            _ => {}
        }
        policies.push(policy);
    }
    let mut generator = named(&format!("{POLICY}/v1"), "PolicyGenerator", "", "g");
    generator["policyDefaults"] =
        json!({"namespace": "gov", "placement": {"labelSelector": selector}});
    generator["placementBindingDefaults"] = json!({"name": "bound"});
    if dice.roll(2) == 0 {
        policies[0]["policySets"] = json!(["s"]);
        generator["policySetDefaults"] =
            json!({"placement": {"labelSelector": {"matchLabels": {"env": "prod"}}}});
    }
    generator["policies"] = json!(policies);
    all.push(generator);
    all
}

/// ApplicationSets that read decisions, and a GitOpsCluster for their Argo CD.
pub(crate) fn applications(dice: &mut Dice) -> Vec<Value> {
    let mut all = ground(dice, &["argocd"]);
    if dice.roll(3) > 0 {
        let gitops = named(&format!("{APPS}/v1beta1"), "GitOpsCluster", "argocd", "g");
        let mut reference = json!({"kind": "Placement", "apiVersion": format!("{OCM}/v1beta1"),
            "name": placement(dice)});
        if dice.roll(5) == 0 {
            reference["kind"] = json!("PlacementRule");
        }
        let spec = json!({"argoServer": {"argoNamespace": "argocd"}, "placementRef": reference});
        all.push(with(gitops, json!({"spec": spec})));
    }
    let mut data = json!({"apiVersion": format!("{OCM}/v1beta1"), "kind": "placementdecisions",
        "statusListKey": "decisions", "matchKey": "clusterName"});
    match dice.roll(12) {
        0 => data["kind"] = json!("PlacementDecision"),
        1 => drop(data.as_object_mut().unwrap().shift_remove("matchKey")),
        2 => data["statusListKey"] = json!("clusters"),
        _ => {}
    }
    let map = named("v1", "ConfigMap", "argocd", "m");
    all.push(with(map, json!({"data": data})));
    let go = dice.roll(2) == 0;
    let tag = |name: &str| {
        if go {
            format!("{{{{.{name}}}}}")
        } else {
            format!("{{{{{name}}}}}")
        }
    };
    let mut asks = json!({"configMapRef": dice.of(&["m", "m", "m", "acm-placement", "acm-placement", "gone"])});
    let label = format!("{OCM}/placement");
    match dice.roll(8) {
        0 => asks["name"] = json!("a-decision-1"),
        1 => {}
        _ => asks["labelSelector"] = json!({"matchLabels": {label: placement(dice)}}),
    }
    let name = match dice.roll(8) {
        0 => "web".to_owned(),
        1 => format!("web-{}", tag("clusterNam")),
        2 if go => "web-{{name}}".to_owned(),
        _ => format!("web-{}", tag("name")),
    };
    let destination = match dice.roll(4) {
        0 => json!({"server": tag("clusterName")}),
        1 => json!({"server": tag("server")}),
        _ => json!({"name": tag("name")}),
    };
    let set = named("argoproj.io/v1alpha1", "ApplicationSet", "argocd", "web");
    let mut spec = json!({"generators": [{"clusterDecisionResource": asks}],
        "template": {"metadata": {"name": name}, "spec": {"destination": destination,
            "project": "default"}}});
    if go {
        spec["goTemplate"] = json!(true);
        spec["goTemplateOptions"] = json!(["missingkey=error"]);
    }
    all.push(with(set, json!({"spec": spec})));
    all
}

/// A Subscription, and a DRPlacementControl with its Placement.
pub(crate) fn subscriptions(dice: &mut Dice) -> Vec<Value> {
    let mut all = ground(dice, &["shop"]);
    let channel = named(&format!("{APPS}/v1"), "Channel", "git", "shop");
    all.push(with(
        channel,
        json!({"spec": {"type": "Git", "pathname": "https://x"}}),
    ));
    let placement = match dice.roll(7) {
        0 => json!({"clusters": [{"name": "c0"}, {"name": "c1"}]}),
        1 => json!({"clusterSelector": {"matchLabels": {"env": dice.of(&["dev", "prod"])}}}),
        2 => json!({"local": true}),
        3 => json!({"placementRef": {"name": placement(dice)}}),
        4 => json!({"placementRef": {"kind": dice.of(&["placement", "Placement"]), "name": "b"}}),
        _ => json!({"placementRef": {"kind": "Placement", "name": placement(dice)}}),
    };
    let subscription = named(&format!("{APPS}/v1"), "Subscription", "shop", "mail");
    let from = dice.of(&["git/shop", "git/shop", "git/shopp"]);
    let spec = json!({"channel": from, "placement": placement});
    all.push(with(subscription, json!({"spec": spec})));
    let key = format!("{OCM}/experimental-scheduling-disable");
    let mut own = named(&format!("{OCM}/v1beta1"), "Placement", "shop", "dr");
    if dice.roll(4) > 0 {
        own["metadata"]["annotations"] = json!({key: "true"});
    }
    all.push(with(own, json!({"spec": {}})));
    let control = named(
        "ramendr.openshift.io/v1alpha1",
        "DRPlacementControl",
        "shop",
        "dr",
    );
    let mut spec = json!({"placementRef": {"kind": "Placement", "name": "dr"},
        "drPolicyRef": {"name": "dr"}, "pvcSelector": {}});
    if dice.roll(4) > 0 {
        spec["preferredCluster"] = json!(dice.of(&["c0", "c1"]));
    }
    if dice.roll(2) == 0 {
        spec["failoverCluster"] = json!("c2");
    }
    match dice.roll(3) {
        0 => spec["action"] = json!("Failover"),
        1 if dice.roll(2) == 0 => spec["dryRun"] = json!(true),
        _ => {}
    }
    all.push(with(control, json!({"spec": spec})));
    all
}

/// An add-on and a replica set of works.
pub(crate) fn hub(dice: &mut Dice) -> Vec<Value> {
    let mut all = ground(dice, &["web"]);
    let addons = "addon.open-cluster-management.io/v1alpha1";
    let mut addon = named(addons, "ClusterManagementAddOn", "", "search");
    let annotation = "addon.open-cluster-management.io/lifecycle";
    let lifecycle = dice.of(&["addon-manager", "addon-manager", "self"]);
    addon["metadata"]["annotations"] = json!({annotation: lifecycle});
    let placements: Vec<Value> = match dice.roll(3) {
        0 => vec![
            json!({"namespace": "web", "name": "a"}),
            json!({"namespace": "web", "name": "b"}),
        ],
        _ => vec![json!({"namespace": "web", "name": placement(dice)})],
    };
    let kind = dice.of(&["Placements", "Placements", "Manual"]);
    addon["spec"] = json!({"installStrategy": {"type": kind, "placements": placements}});
    all.push(addon);
    let works = "work.open-cluster-management.io/v1alpha1";
    let set = named(works, "ManifestWorkReplicaSet", "web", "app");
    let refs: Vec<Value> = match dice.roll(3) {
        0 => vec![json!({"name": placement(dice)}), json!({"name": "b"})],
        _ => vec![json!({"name": placement(dice)})],
    };
    let spec =
        json!({"placementRefs": refs, "manifestWorkTemplate": {"workload": {"manifests": []}}});
    all.push(with(set, json!({"spec": spec})));
    all
}
