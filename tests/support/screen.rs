//! The plan screen as the program shows it.

use planner::load::{Request, open};
use planner::options::{Options, Rules};
use planner::render::text::{self, Screen};
use planner::why::Ways;
use planner::{plan, site};

/// The plan of a request on a screen.
pub(crate) fn shown(
    request: &Request,
    rules: &Rules,
    options: &Options,
    screen: &Screen,
) -> String {
    let loaded = open(request).expect("a request");
    let site = site::check(&loaded, rules);
    let options = Options {
        screen: true,
        ..options.clone()
    };
    let plan = plan::make(&site, &options);
    assert!(!plan.refused(), "{:?}", site.report(&[&plan.findings]));
    text::plan(&plan, &Ways::new(), screen, None).write(screen)
}
