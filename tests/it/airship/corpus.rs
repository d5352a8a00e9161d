//! The readable cases that were computed with the original's code.

use planner::load::Request;
use planner::options::{CheckOptions, Options, Order};
use serde_json::Value;

use super::{differs, fixture, settings, simulate};

/// Every case's name, expected result, and answer with these settings.
fn each(
    settings: (&CheckOptions, &Options),
    mut check: impl FnMut(&str, Value, Value, Vec<planner::diagnostic::Diagnostic>),
) {
    let mut cases = 0;
    for entry in std::fs::read_dir(fixture("corpus/airship")).expect("the corpus") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name")
            .to_owned();
        let Some(case) = name.strip_suffix(".expected.json") else {
            continue;
        };
        cases += 1;
        let want = std::fs::read_to_string(&path).expect("a result");
        let want: Value = serde_json::from_str(&want).expect("JSON");
        let faults = path.with_file_name(format!("{case}.faults.yaml"));
        let faults = faults.exists().then_some(faults);
        let request = Request::of(vec![path.with_file_name(format!("{case}.yaml"))]);
        let (got, found) = simulate(&request, faults.as_deref(), settings);
        check(case, want, got, found);
    }
    assert_eq!(cases, 50);
}

#[test]
fn the_specification_is_followed() {
    each(
        (&settings(), &Options::default()),
        |case, mut want, got, found| {
            let divergences = want["divergences"].to_string();
            if divergences.contains("duplicate-group-name") {
                assert_eq!(got["result"], "invalid", "{case}");
                return;
            }
            if let Some(seed) = want.as_object_mut().and_then(|want| want.remove("seed")) {
                want = seed;
            }
            assert_eq!(differs(&got, &found, &want), None, "{case}");
        },
    );
}

#[test]
fn the_code_is_followed_where_asked() {
    let settings = CheckOptions {
        upstream: true,
        ..settings()
    };
    each(
        (&settings, &Options::default()),
        |case, want, got, found| {
            assert_eq!(differs(&got, &found, &want), None, "{case}");
        },
    );
}

#[test]
fn the_older_order_is_the_stack() {
    let settings = CheckOptions {
        upstream: true,
        ..settings()
    };
    let options = Options {
        order: Order::Stack,
        ..Options::default()
    };
    each((&settings, &options), |case, want, got, _| {
        let older = want.get("order_networkx_2").or(want.get("order"));
        if got["result"] == "ready"
            && let Some(older) = older
        {
            assert_eq!(&got["deploymentStrategy"]["order"], older, "{case}");
        }
    });
}
