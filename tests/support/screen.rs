//! The plan screen as the program shows it.

use planner::load::{Request, open};
use planner::options::{CheckOptions, Options};
use planner::render::text::{self, Screen};
use planner::why::Ways;
use planner::{plan, site, systems};

/// The plan of a request on a screen, down to what Proceed does.
#[allow(dead_code, reason = "not every test asks")]
pub(crate) fn asked(
    request: &Request,
    settings: &CheckOptions,
    record: &str,
    screen: &Screen,
) -> String {
    let loaded = open(request).expect("a request");
    let site = site::check(&loaded, settings);
    let plan = plan::make(&site, &Options::default());
    let mut page = text::plan(&plan, &Ways::new(), screen, None, "");
    page.append(text::proceed(&systems::stake(&plan), record, screen));
    page.write(screen)
}

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
    text::plan(&plan, &Ways::new(), screen, None, "").write(screen)
}
