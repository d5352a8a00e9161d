//! The last writers of objects on the hub: a part of the reasons for a decision.

use crate::diagnostic::Label;
use crate::document::{DocumentKind, System};
use crate::hub;
use crate::site::Checked;
use crate::source::SourceId;
use crate::why::{Candidate, Why};

/// Says of what stands on the hub who wrote it last, and when.
pub fn origins(why: &mut Why, site: &Checked<'_>) {
    let Some(hub) = &site.loaded.hub else {
        return;
    };
    let text = site.documents.sources.get(hub.source).text.as_str();
    if why.system == System::Ocm {
        for candidate in &mut why.candidates {
            facts(candidate, site, hub.source);
        }
    }
    let verdicts = why.candidates.iter_mut().flat_map(|one| &mut one.verdicts);
    for label in verdicts.flat_map(|verdict| &mut verdict.at) {
        if let Some(writer) = hub::origin(hub, text, label.place) {
            let day = writer.time.get(..10).unwrap_or(writer.time);
            let space = if label.text.is_empty() { "" } else { " " };
            let text = label.text.to_mut();
            text.push_str(&format!("{space}({}, {day})", writer.name));
        }
    }
}

/// Adds the labels of a cluster on the hub that predicates ask for.
fn facts(candidate: &mut Candidate, site: &Checked<'_>, hub: SourceId) {
    let clusters = site.documents.of(DocumentKind::ManagedCluster);
    let mut clusters = clusters.filter(|one| one.name() == Some(&candidate.name));
    let labels = clusters.next();
    let Some(labels) = labels.and_then(|one| one.node.at(&["metadata", "labels"])) else {
        return;
    };
    for verdict in candidate.verdicts.iter_mut().filter(|one| !one.passes) {
        let key = verdict.asked.as_deref();
        let key = key.and_then(|asked| asked.split(' ').next());
        let Some((label, _)) = key.and_then(|key| labels.entry(key)) else {
            continue;
        };
        if label.place().source == hub {
            let text = format!("label {}", label.text().unwrap_or_default()).into();
            let place = label.place();
            verdict.at.push(Label { place, text });
        }
    }
}
