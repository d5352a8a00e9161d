//! The plan screen as the program shows it.

use planner::load::{Request, open};
use planner::options::{CheckOptions, Options};
use planner::render::text::{self, Screen};
use planner::why::Ways;
use planner::{plan, site};

/// The plan of a request on a screen.
pub(crate) fn shown(
    request: &Request,
    settings: &CheckOptions,
    options: &Options,
    screen: &Screen,
) -> String {
    let loaded = open(request).expect("a request");
    let site = site::check(&loaded, settings);
    let options = Options {
        screen: true,
        ..options.clone()
    };
    let plan = plan::make(&site, &options);
    assert!(!plan.refused(), "{:?}", site.report(&[&plan.findings]));
    text::plan(&plan, &Ways::new(), screen, None).write(screen)
}
