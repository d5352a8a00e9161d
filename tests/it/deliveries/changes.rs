//! What heads the plan of a fleet: its changes by cause; and its graph as lines.

use std::path::Path;

use planner::load::{Request, open};
use planner::options::{CheckOptions, Options};
use planner::render::graph::{self, Drawing};
use planner::render::text::{self, Screen};
use planner::why::Ways;
use planner::{delivery, plan, site};

use crate::support::NOW;

#[test]
fn the_changes_of_a_fleet_have_three_causes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut request = Request::of(vec![root.join("fixtures/ocm/fleet")]);
    request.directory = root.to_path_buf();
    let loaded = open(&request).unwrap();
    let settings = CheckOptions::at(NOW.parse().unwrap());
    let site = site::check(&loaded, &settings);
    let plan = plan::make(&site, &Options::default());
    let shown = |screen: &Screen| text::plan(&plan, &Ways::new(), screen, None, "").write(screen);
    let whole = shown(&Screen::columns(80));
    let (head, _) = whole.split_once("\nPlan for").unwrap();
    let (_, policies) = whole.split_once("\nPolicies:").unwrap();
    let (policies, _) = policies.split_once("\nWaves").unwrap();
    insta::assert_snapshot!("changes-80", format!("{head}\n…\n\nPolicies:{policies}"));
    // A trace lists each row, and a pipe has the rows alone.
    let trace = Screen {
        trace: true,
        ..Screen::columns(80)
    };
    assert!(!shown(&trace).contains(" more  "));
    assert!(!shown(&Screen::piped()).contains("What changes"));
    // One section alone has no head.
    let screen = Screen::columns(80);
    let section = text::plan(&plan, &Ways::new(), &screen, Some("deliveries"), "");
    assert!(!section.write(&screen).contains("What changes"));
    let deliveries = plan.deliveries.as_ref().unwrap();
    let deliveries = delivery::graph::graph(&site.delivery, deliveries);
    let drawing = Drawing {
        strategy: None,
        deliveries: Some(&deliveries),
    };
    insta::assert_snapshot!("graph-80", graph::text(drawing, &screen).write(&screen));
}
