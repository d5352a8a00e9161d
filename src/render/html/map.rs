//! The map of a site: regions, racks and clusters as boxes, and what comes to and goes from each.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::kit::plural::plural;
use crate::plan::row::Rows;
use crate::plan::section::Form;
use crate::plan::{Answer, Mark, Plan, Section};
use crate::saved::Sections;
use crate::systems;
use crate::systems::outcome::text;

use super::page::{ALL, Page};

/// Boxes of one picture.
const BOXES: usize = 200;
/// Rows of the table beside it.
const ROWS: usize = 2000;
/// Boxes in a row, and their measures.
const ACROSS: usize = 5;
const WIDTH: usize = 190;
const HEIGHT: usize = 54;
const GAP: usize = 10;
/// Characters of a name in a box.
const NAME: usize = 22;
/// Where documents say which region a cluster is in.
const REGION: [&str; 4] = [
    "topology.kubernetes.io/region",
    "region",
    "region.open-cluster-management.io",
    "cluster.open-cluster-management.io/clusterset",
];

/// A cluster, a rack or a region, and how much is on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Boxed {
    stays: u64,
    comes: u64,
    goes: u64,
}

/// All of them: by what they are, what they lie in, and their name.
pub(super) type Boxes = BTreeMap<(&'static str, String, String), Boxed>;

/// Boxes being filled: where each name lies.
#[derive(Default)]
struct Filling {
    within: BTreeMap<String, String>,
    boxes: BTreeMap<String, Boxed>,
}

impl Filling {
    fn add<'l>(
        &mut self,
        name: &str,
        mut labels: impl Iterator<Item = (&'l str, &'l str)> + Clone,
    ) {
        let found = REGION
            .iter()
            .find_map(|key| labels.clone().find(|(own, _)| own == key));
        let _ = labels.next();
        let within = self.within.entry(name.to_owned()).or_default();
        if let Some((_, region)) = found
            && within.is_empty()
        {
            region.clone_into(within);
        }
        self.boxes.entry(name.to_owned()).or_default();
    }

    fn put(&mut self, was: &[&str], now: &[&str]) {
        for name in now {
            let own = self.boxes.entry((*name).to_owned()).or_default();
            if was.binary_search(name).is_ok() {
                own.stays += 1;
            } else {
                own.comes += 1;
            }
        }
        for name in was.iter().filter(|name| now.binary_search(name).is_err()) {
            self.boxes.entry((*name).to_owned()).or_default().goes += 1;
        }
    }

    /// The boxes, with what these rows put into each.
    fn finish(mut self, rows: Rows<'_>) -> Boxes {
        let mut boxes = Boxes::new();
        for row in rows.filter(|row| counts(row.section)) {
            let (was, now) = (row.facts.was(), row.facts.now());
            let now = now.or_else(|| was.clone().filter(|_| row.mark == Mark::Same));
            if let (Some(Answer::Count(was)), Some(Answer::Count(now))) = (&was, &now) {
                let number = |number: i128| u64::try_from(number.max(0)).unwrap_or(u64::MAX);
                let key = ("Region", String::new(), row.name.name.to_owned());
                let own = boxes.entry(key).or_default();
                own.stays = own.stays.saturating_add(number(*was.min(now)));
                own.comes = own.comes.saturating_add(number(now - was));
                own.goes = own.goes.saturating_add(number(was - now));
            } else {
                self.put(&clusters(was.as_ref()), &clusters(now.as_ref()));
            }
        }
        for (name, own) in self.boxes {
            let region = self.within.remove(&name).unwrap_or_default();
            boxes.insert(("Cluster", region, name), own);
        }
        boxes
    }
}

/// The clusters of an answer, in order; of decisions with a kind those that are clusters.
fn clusters<'a>(answer: Option<&'a Answer<'_>>) -> Vec<&'a str> {
    let names = answer.into_iter().flat_map(Answer::names);
    let cluster = |name: &'a Cow<'_, str>| match name.split_once('/') {
        None => Some(&**name),
        Some(("ManagedCluster", name)) => name.rsplit('/').next(),
        Some(_) => None,
    };
    let mut clusters: Vec<&str> = names.filter_map(cluster).collect();
    clusters.sort_unstable();
    clusters
}

/// The boxes of a plan.
pub(super) fn of_plan(plan: &Plan<'_, '_>) -> Boxes {
    let site = plan.site;
    let mut filling = Filling::default();
    for cluster in &site.ogc.clusters {
        filling.add(
            cluster.name,
            cluster.labels.iter().map(|label| (label.key, label.value)),
        );
    }
    for cluster in &site.ocm.clusters {
        let all = cluster.labels.iter().chain(&cluster.claims).copied();
        filling.add(cluster.name, all);
    }
    let mut boxes = filling.finish(systems::rows(plan));
    if let Some(strategy) = &plan.strategy {
        for node in strategy.deployment.members.iter().flatten() {
            if let Some(rack) = &strategy.site.nodes[*node as usize].rack {
                let key = ("Rack", String::new(), rack.text.to_owned());
                boxes.entry(key).or_default().stays += 1;
            }
        }
    }
    boxes
}

/// The boxes of a saved plan, which does not know where clusters and nodes are.
pub(super) fn of_saved(outcome: &Sections, rows: Rows<'_>) -> Boxes {
    let mut filling = Filling::default();
    for cluster in outcome.rows("clusters") {
        filling.add(text(&cluster, "name"), std::iter::empty());
    }
    filling.finish(rows)
}

/// The word for the items counted in a box of a kind.
fn unit(kind: &str) -> &'static str {
    match kind {
        "Cluster" => "placed",
        _ => "nodes",
    }
}

fn mark(own: &Boxed) -> Mark {
    match (own.comes, own.goes) {
        (0, 0) => Mark::Same,
        (_, 0) => Mark::New,
        (0, _) => Mark::Gone,
        _ => Mark::Changed,
    }
}

/// The section.
pub(super) fn write(page: &mut Page<'_>, boxes: &Boxes) {
    if boxes.is_empty() {
        return;
    }
    page.markup("<section id=\"map\" class=\"full\"><h2>Map</h2><p>");
    page.markup("Work on each cluster, rack and region, with what is added (+) ");
    page.markup("and removed (\u{2212}).</p>\n");
    let together = boxes.len() > BOXES;
    let drawn = if together {
        by_region(boxes)
    } else {
        boxes.clone()
    };
    if together {
        page.markup("<p>").text(&plural(boxes.len(), "box"));
        page.markup("are drawn by region; the table lists each one.</p>");
    }
    picture(page, &drawn);
    page.markup("<details><summary>The map as a table</summary>");
    let heads = ["@Change", "What", "Name", "In", "#Stay", "#Come", "#Go"];
    let mut left = 0;
    page.table("The map as a table", &heads, |page| {
        left = page.rows(boxes.iter(), ROWS, |page, ((kind, within, name), own)| {
            let sign = mark(own);
            page.markup("<tr")
                .marked(sign)
                .markup("><td class=\"m\">")
                .mark(sign)
                .markup("</td>");
            page.cell(kind).head(name).cell(within);
            for number in [own.stays, own.comes, own.goes] {
                page.figure(&number.to_string());
            }
            page.markup("</tr>\n");
        });
    });
    page.left_out(left, "row", ALL);
    page.markup("</details></section>\n");
}

/// One box for each region.
fn by_region(boxes: &Boxes) -> Boxes {
    let mut regions = Boxes::new();
    for ((kind, within, _), own) in boxes {
        let name = match (within.as_str(), *kind) {
            ("", "Cluster") => "Clusters",
            ("", "Rack") => "Racks",
            ("", _) => "Regions",
            (within, _) => within,
        };
        let sum = regions
            .entry((kind, String::new(), name.to_owned()))
            .or_default();
        sum.stays = sum.stays.saturating_add(own.stays);
        sum.comes = sum.comes.saturating_add(own.comes);
        sum.goes = sum.goes.saturating_add(own.goes);
    }
    regions
}

/// One frame of the picture and the boxes in it.
type Frame<'b> = ((&'static str, &'b str), Vec<(&'b str, &'b Boxed)>);

fn picture(page: &mut Page<'_>, boxes: &Boxes) {
    let mut frames: Vec<Frame<'_>> = Vec::new();
    for ((kind, within, name), own) in boxes.iter().take(BOXES) {
        let key = (*kind, within.as_str());
        match frames.last_mut().filter(|(last, _)| *last == key) {
            Some((_, held)) => held.push((name, own)),
            None => frames.push((key, vec![(name, own)])),
        }
    }
    // Small frames stand beside each other.
    let mut placed = Vec::new();
    let (mut left, mut top, mut row) = (0, 0, 0);
    for ((kind, within), held) in &frames {
        let across = held.len().min(ACROSS);
        let down = held.len().div_ceil(ACROSS);
        let width = across * (WIDTH + GAP) + GAP;
        let height = down * (HEIGHT + GAP) + GAP + 22;
        if left > 0 && left + width > ACROSS * (WIDTH + GAP) + GAP {
            (left, top, row) = (0, top + row + 2 * GAP, 0);
        }
        placed.push((kind, within, held, left, top, width, height));
        left += width + 2 * GAP;
        row = row.max(height);
    }
    let right = placed
        .iter()
        .map(|(.., left, _, width, _)| left + width)
        .max();
    let view = format!("-1 -1 {} {}", right.unwrap_or_default() + 2, top + row + 2);
    page.wide("Map of the site", |page| {
        page.markup("<svg role=\"img\" aria-labelledby=\"map-title\"");
        page.attribute("viewBox", &view);
        page.length("width", right.unwrap_or_default() + 2)
            .length("height", top + row + 2);
        page.markup("><title id=\"map-title\">Map of the site</title>");
        for (kind, within, held, left, top, width, height) in placed {
            page.markup("<rect class=\"frame-box\" rx=\"8\"")
                .length("x", left)
                .length("y", top);
            page.length("width", width)
                .length("height", height)
                .markup("/>");
            page.markup("<text class=\"small\"")
                .length("x", left + GAP)
                .length("y", top + 19);
            page.markup(">")
                .text(&head(kind, within, held.len()))
                .markup("</text>");
            for (at, (name, own)) in held.iter().enumerate() {
                let x = left + GAP + at % ACROSS * (WIDTH + GAP);
                let y = top + 28 + at / ACROSS * (HEIGHT + GAP);
                one(page, kind, name, own, x, y);
            }
        }
        page.markup("</svg>");
    });
}

fn head(kind: &str, within: &str, held: usize) -> String {
    match within {
        "" => plural(held, kind),
        within => format!("{} · {}", cut(within, 40), plural(held, kind)),
    }
}

fn one(page: &mut Page<'_>, kind: &str, name: &str, own: &Boxed, x: usize, y: usize) {
    page.markup(match mark(own) {
        Mark::New => "<rect class=\"box new\" rx=\"5\"",
        Mark::Changed => "<rect class=\"box changed\" rx=\"5\"",
        Mark::Gone => "<rect class=\"box gone\" rx=\"5\"",
        _ => "<rect class=\"box\" rx=\"5\"",
    });
    page.length("x", x)
        .length("y", y)
        .length("width", WIDTH)
        .length("height", HEIGHT);
    page.markup("/><text class=\"t\"")
        .length("x", x + GAP)
        .length("y", y + 22)
        .markup(">");
    page.text(&cut(name, NAME)).markup("</text>");
    let mut says = format!("{} {}", own.stays + own.comes, unit(kind));
    if own.comes > 0 {
        says.push_str(&format!("  +{}", own.comes));
    }
    if own.goes > 0 {
        says.push_str(&format!("  \u{2212}{}", own.goes));
    }
    page.markup("<text class=\"small\"")
        .length("x", x + GAP)
        .length("y", y + 41)
        .markup(">");
    page.text(&says).markup("</text>");
}

/// The start of a name.
pub(super) fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    let start: String = name.chars().take(most - 1).collect();
    format!("{start}…")
}

/// Whether the map counts a section: the places that a system decides itself.
fn counts(section: Section) -> bool {
    Section::of(section.system()) == section && section.info().form != Form::Group
}
