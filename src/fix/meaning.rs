//! The meaning of documents: the same for two texts that every engine reads alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug, Write};
use std::hash::{DefaultHasher, Hasher as _};

use crate::diagnostic::Sink;
use crate::options::Options;
use crate::plan;
use crate::site::{Changes, Checked};
use crate::systems;

/// Takes text and keeps its hash.
struct Digest(DefaultHasher);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

impl Digest {
    /// Models print themselves whole; with `-` places are left out, which edits move.
    fn add(&mut self, part: &dyn Debug) {
        // A digest takes all text.
        let _ = write!(self, "{part:-?};");
    }
}

/// The documents that nothing refuses, by number; `more` are findings beside those of checking.
#[must_use]
pub fn accepted(checked: &Checked<'_>, more: &Sink) -> Vec<u32> {
    let refused = checked.refused(&[&checked.findings, more]);
    let all = checked.documents.all.iter();
    let all = all.map(|document| document.index);
    all.filter(|index| !refused.contains(index)).collect()
}

/// A digest of what some of the documents mean: their models, and the plan if they are all
/// documents of the site.
#[must_use]
pub fn meaning(checked: &Checked<'_>, of: &[u32]) -> u64 {
    let all = &checked.documents.all;
    if of.len() == all.len() {
        return digest(checked, true);
    }
    let wanted: BTreeSet<u32> = of.iter().copied().collect();
    let others = all.iter().map(|document| document.index);
    let others = others.filter(|index| !wanted.contains(index));
    let replaced: BTreeMap<_, _> = others.map(|index| (index, None)).collect();
    let changed = checked.changed(Changes {
        replaced,
        ..Changes::default()
    });
    // Leaving out documents is always possible; without them nothing could be compared.
    changed.map_or(0, |changed| digest(&changed.check(), false))
}

fn digest(site: &Checked<'_>, planned: bool) -> u64 {
    let mut digest = Digest(DefaultHasher::new());
    for model in systems::all().iter().flat_map(|one| one.models(site)) {
        digest.add(model);
    }
    if planned {
        let plan = plan::make(site, &Options::default());
        for system in systems::all() {
            digest.add(system.answer(&plan));
        }
    }
    digest.0.finish()
}
