//! The plan screen as the program shows it.

use planner::hybrid::engine::Keep;
use planner::load::{Request, load};
use planner::options::Options;
use planner::render::text::{self, Screen};
use planner::{plan, site};

/// The plan of a request on a screen.
pub(crate) fn shown(request: &Request, options: &Options, screen: &Screen) -> String {
    let mut loaded = load(request).expect("a request");
    let mut sink = std::mem::take(&mut loaded.sink);
    let documents = loaded.documents();
    let site = site::check(&documents, loaded.unreadable, options, &mut sink);
    assert!(!sink.refused(), "{:?}", sink.diagnostics);
    let sources = documents.sources;
    let plan = plan::make(&site, sources, options, Keep::Ends, &mut sink);
    text::plan(&plan, screen, None).write(screen)
}
