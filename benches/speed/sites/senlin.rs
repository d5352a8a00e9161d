//! One cluster whose nodes are listed one by one, and a policy of many regions.

use std::fmt::Write as _;

use super::{Dice, Site};

pub fn site(regions: usize, nodes: usize) -> Site {
    let mut dice = Dice::new(6);
    let mut text = String::from(
        "type: senlin.policy.region_placement\nversion: 1.0\nproperties:\n  regions:\n",
    );
    for region in 0..regions {
        let weight = 1 + dice.roll(300);
        writeln!(text, "  - {{name: region-{region}, weight: {weight}}}").unwrap();
    }
    text.push_str(
        "---\ntype: senlin.cluster\nversion: 1.0\nproperties:\n  name: web\n  max_size: -1\n  \
         nodes:\n",
    );
    for node in 0..nodes {
        let region = dice.roll(regions);
        writeln!(
            text,
            "  - name: web-{node}\n    data: {{placement: {{region_name: region-{region}}}}}"
        )
        .unwrap();
    }
    let count = nodes / 4;
    writeln!(
        text,
        "---\ntype: senlin.action\nversion: 1.0\nproperties:\n  action: CLUSTER_SCALE_OUT\n  \
         inputs: {{count: {count}}}"
    )
    .unwrap();
    Site::of("senlin", &[("web.yaml".into(), text)])
}
