//! Real site repositories, where they are at hand.

use std::io::Write as _;
use std::path::PathBuf;

use planner::airship::engine::inherit::effective;
use planner::load::{Request, open};
use planner::site;
use serde_json::{Value, json};

use planner::options::Options;

use super::{differs, settings, simulate};

#[test]
fn real_sites_plan_and_run_as_the_original_does() {
    let Some(root) = std::env::var_os("PLANNER_REALWORLD").map(PathBuf::from) else {
        // Past the capture of a test that passes.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: PLANNER_REALWORLD is not set\n",
        );
        return;
    };
    for name in ["stl1", "seaworthy", "airsloop"] {
        let folder = root.join("airship").join(name);
        let want = std::fs::read_to_string(folder.join("expected.json")).expect("a result");
        let want: Value = serde_json::from_str(&want).expect("JSON");
        let request = Request::of(vec![folder.clone()]);
        let (got, found) = simulate(&request, None, (&settings(), &Options::default()));
        assert_eq!(differs(&got, &found, &want["plan"]), None, "{name}");
        let skipped = found
            .iter()
            .filter(|one| one.rule.code.ends_with("substitution_skipped"));
        let told: Vec<&str> = skipped.map(|one| one.message.as_str()).collect();
        assert_eq!(told.len(), 1, "{name}: only one source bears on the plan");
        assert!(
            told[0].contains("Passphrase `ipmi_admin_password`"),
            "{told:?}"
        );
        let mut faults = tempfile::NamedTempFile::new().expect("a file");
        write!(faults, "{}", want["with_faults"]["faults"]).expect("written");
        let (got, found) = simulate(
            &request,
            Some(faults.path()),
            (&settings(), &Options::default()),
        );
        let faulty = &want["with_faults"];
        let faulty = faulty.get("seed").unwrap_or(faulty);
        assert_eq!(differs(&got, &found, faulty), None, "{name}");
        nodes(&request, &want["effective_nodes"], name);
    }
}

/// Rack, tags and labels of every node, after layering, substitution and inheritance.
fn nodes(request: &Request, want: &Value, name: &str) {
    let loaded = open(request).expect("a request");
    let settings = settings();
    let site = site::check(&loaded, &settings);
    let planned = site.airship.site.as_ref().expect("a site");
    let mut found = serde_json::Map::new();
    for (node, number) in planned.nodes.iter().zip(0..) {
        let is = effective(planned, number);
        let labels: serde_json::Map<String, Value> = is
            .labels
            .iter()
            .map(|label| (label.key.to_owned(), label.value.into()))
            .collect();
        let tags: Vec<&str> = is.tags.iter().map(|tag| tag.text).collect();
        let profile = node.host_profile.map(|name| name.text);
        let rack = is.rack.map(|rack| rack.text);
        let value = json!({"host_profile": profile, "rack": rack, "tags": tags, "labels": labels});
        found.insert(node.name.text.to_owned(), value);
    }
    assert_eq!(Value::Object(found), *want, "{name}");
}
