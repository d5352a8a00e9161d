//! Documents to the model: rendering, structure, then nodes and strategy.

mod hosts;
mod near;
mod strategy;

pub(super) use hosts::Hosts;

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Model;
use super::layering::{self, Rendered};
use super::model::{Reading, Site};
use super::raw::{self, Raw, Soundness};
use super::rules;
use crate::diagnostic::{Diagnostic, Object, Severity, Sink};
use crate::document::{Document, DocumentKind, Documents, bare_groups};
use crate::kit::nearest::{did_you_mean, within};
use crate::kit::plural::plural;
use crate::options::CheckOptions;
use crate::schema::{self, Policy};
use crate::source::Place;
use crate::yaml::{self, Dialect, Node, TreeBuilder};

/// Schema and name of documents left out for faults that are reported: what refers to them is not
/// reported again.
type Omitted<'a> = FxHashSet<(&'a str, &'a str)>;

/// The site of all Airship documents; `None` without any, or when something was refused.
pub(super) fn lower<'a>(
    documents: &Documents<'a>,
    settings: &CheckOptions,
    before: Option<&Model<'a>>,
    model: &mut Model<'a>,
    sink: &mut Sink,
) -> Option<Site<'a>> {
    let reading = model.reading;
    let all = raw::read(documents, settings.jobs);
    ignored(documents, reading, sink);
    let repository = !documents.repositories.is_empty();
    misspelt(&all, (!repository).then_some(reading), sink);
    if all.is_empty() && documents.repositories.is_empty() {
        return None;
    }
    let mut found = Sink::default();
    let refused = all.iter().any(|raw| raw.refused);
    let mut omitted = Omitted::default();
    let faulty = before.and_then(|before| before.faulty.as_deref());
    let with = (settings, faulty);
    let rendered = rendered(documents, with, all, model, &mut omitted, &mut found);
    // References to documents that are left out are judged differently.
    let whole = model.faulty.is_some() && omitted.is_empty();
    let known = before.and_then(|before| before.hosts.as_ref());
    let site = rendered.and_then(|rendered| {
        let mut site = Site::default();
        let known = known.filter(|_| whole);
        let hosts = match known.filter(|known| known.are_those_of(&rendered)) {
            Some(known) => known.clone(),
            None => hosts::hosts(&rendered, known, &omitted, settings.jobs),
        };
        found.append(hosts.found.clone());
        site.nodes = Arc::clone(&hosts.nodes);
        site.profiles = Arc::clone(&hosts.profiles);
        model.hosts = Some(hosts);
        strategy::strategy(&rendered, &omitted, reading, &mut site, &mut found)?;
        Some(site)
    });
    let refused = refused || found.refused();
    model.hosts = model.hosts.take().filter(|_| whole && !refused);
    sink.append(found);
    site.filter(|_| !refused)
}

/// The documents as Airship sees them once rendered; `None` when that cannot be known. `faulty` are
/// those of the site that this one was made from.
fn rendered<'a>(
    documents: &Documents<'a>,
    (settings, faulty): (&CheckOptions, Option<&[Place]>),
    all: Vec<Raw<'a>>,
    model: &mut Model<'a>,
    omitted: &mut Omitted<'a>,
    sink: &mut Sink,
) -> Option<Vec<Rendered<'a>>> {
    let repository = !documents.repositories.is_empty();
    let policy = all
        .iter()
        .any(|raw| raw.schema.starts_with("deckhand/LayeringPolicy"));
    let mut raws = if repository {
        below(documents, sink);
        let elsewhere = remote(documents, sink);
        definitions(documents, sink);
        // The policy is global, as are other documents where it lies.
        if !policy && elsewhere && !all.iter().any(|raw| raw.layer == Some("global")) {
            return None;
        }
        if !policy {
            let place = all.first().map(|raw| raw.place).unwrap_or_default();
            sink.push(no_policy(place, "a document of the site"));
            return None;
        }
        if documents.repositories.iter().all(|one| one.site.is_none()) {
            // Which of its types a site reads, and what that adds, is the site's to say.
            model.left_out = all.iter().map(|raw| raw.whole).collect();
            left_out(all, &[], settings, sink);
            return None;
        }
        let part = layering::closure(&all);
        model.taking_part = part.iter().map(|raw| raw.whole).collect();
        let mut rest = all;
        rest.retain(|raw| !model.taking_part.contains(&raw.whole));
        model.left_out = rest.iter().map(|raw| raw.whole).collect();
        let mut rest = left_out(rest, &part, settings, sink);
        duplicates(&mut rest, true, sink);
        part
    } else {
        all
    };
    if !policy && !settings.rendered {
        unlayered(documents, &raws, sink);
    }
    let layered = repository || (policy && !settings.rendered);
    let written = |raw: &Raw<'_>| {
        if layered && !raw.control {
            raw::ENVELOPE
        } else {
            raw::stem(raw.schema)
        }
    };
    let sound = |raw: &Raw<'_>| {
        let faulty = faulty.filter(|_| raw.known && !layered);
        faulty.is_some_and(|faulty| !faulty.contains(&raw.whole))
    };
    let faulty = keep_sound(&mut raws, (written, sound), settings, omitted, sink);
    model.faulty = Some(faulty).filter(|_| !layered);
    duplicates(&mut raws, layered, sink);
    if !layered {
        return Some(raws);
    }
    let mut made = layering::render(documents, &raws, omitted, sink);
    // Envelopes have been checked as they were written.
    let made_data = |raw: &Raw<'_>| match raw::stem(raw.schema) {
        raw::ENVELOPE => "",
        stem => stem,
    };
    keep_sound(&mut made, (made_data, |_| false), settings, omitted, sink);
    Some(made)
}

/// Takes out the documents at fault by the schema that `stem` names for each, but for those that
/// are known to be sound; gives all of which something was said.
fn keep_sound<'a>(
    raws: &mut Vec<Raw<'a>>,
    (stem, sound): (
        impl Fn(&Raw<'_>) -> &'static str + Sync,
        impl Fn(&Raw<'_>) -> bool + Sync,
    ),
    settings: &CheckOptions,
    omitted: &mut Omitted<'a>,
    sink: &mut Sink,
) -> Vec<Place> {
    let mut faulty = Vec::new();
    let mut found = raw::check(settings, raws, stem, sound, sink).into_iter();
    raws.retain(|raw| {
        let found = found.next().unwrap_or(Soundness::Sound);
        if found != Soundness::Sound {
            faulty.push(raw.whole);
        }
        if found == Soundness::Refused {
            omitted.insert((raw.schema, raw.name));
        }
        found != Soundness::Refused
    });
    faulty
}

fn no_policy(place: Place, label: &'static str) -> Diagnostic {
    Diagnostic::new(
        &rules::NO_POLICY,
        "there is no LayeringPolicy, so nothing can be rendered",
    )
    .at(place, label)
    .help("add a document deckhand/LayeringPolicy/v1, in a repository below `global/`")
    .upstream("LayeringPolicyNotFound")
}

/// A stream without a policy is taken as rendered. What cannot be in a rendered one shows that
/// the policy is missing: abstract documents, a document beside its replacement, or a policy
/// whose envelope is wrong.
fn unlayered(documents: &Documents<'_>, raws: &[Raw<'_>], sink: &mut Sink) {
    let mut plain: FxHashMap<(&str, &str), Option<&str>> = FxHashMap::default();
    if raws.iter().any(|raw| raw.replacement) {
        let them = raws.iter().filter(|raw| !raw.replacement);
        plain.extend(them.map(|raw| ((raw.schema, raw.name), raw.layer)));
    }
    let beside = |raw: &&Raw<'_>| {
        raw.is_abstract
            || raw.replacement
                && plain
                    .get(&(raw.schema, raw.name))
                    .is_some_and(|layer| *layer != raw.layer)
    };
    if let Some(raw) = raws.iter().find(beside) {
        let label = if raw.is_abstract {
            "abstract"
        } else {
            "replaces another document"
        };
        sink.push(no_policy(raw.place, label));
    }
    for document in documents.of(DocumentKind::Foreign) {
        let schema = document.node.get("schema").filter(|schema| {
            schema
                .text()
                .is_some_and(|text| text.starts_with("deckhand/LayeringPolicy/"))
        });
        if let Some(schema) = schema {
            sink.push(no_policy(
                schema.place(),
                "lacks Airship's envelope, so it is ignored",
            ));
        }
    }
}

/// Documents that look like ours but lack the envelope: Airship skips them silently.
fn ignored(documents: &Documents<'_>, reading: Reading, sink: &mut Sink) {
    for document in documents.of(DocumentKind::Foreign) {
        let Some(schema) = document.node.get("schema") else {
            if bare_groups(document.node).is_some() {
                unwritten(document, reading, sink);
            }
            continue;
        };
        let Some(text) = schema.text().filter(|text| layering::NEEDED.contains(text)) else {
            continue;
        };
        let message = format!(
            "a {} without Airship's envelope is ignored",
            raw::kind_of(text)
        );
        sink.push(
            Diagnostic::new(&rules::IGNORED_DOCUMENT, message)
                .at(
                    schema.place(),
                    "`metadata.schema` is not metadata/Document/v1",
                )
                .help("add `schema: metadata/Document/v1` to its metadata")
                .object(Object::new(
                    raw::kind_of(text),
                    document.name().unwrap_or(""),
                )),
        );
        if text == strategy::STRATEGY {
            unenveloped(document, reading, sink);
        }
    }
}

/// Reports the other faults that a strategy without an envelope would have with one.
fn unenveloped(document: &Document<'_>, reading: Reading, sink: &mut Sink) {
    let (raw, _) = Raw::bare(document, false);
    as_strategy(&raw, reading, sink);
}

/// Reports the faults that unnamed groups would have below `data` of a strategy.
fn unwritten(document: &Document<'_>, reading: Reading, sink: &mut Sink) {
    let place = document.node.place();
    let mut builder = TreeBuilder::new();
    builder.begin(yaml::Kind::Mapping, place);
    builder.scalar("schema", true, place);
    builder.scalar(strategy::STRATEGY, true, place);
    builder.scalar("data", true, place);
    builder.copy(document.node);
    builder.end();
    let tree = builder.finish();
    let whole = Document {
        node: tree.root(""),
        ..*document
    };
    let (raw, _) = Raw::bare(&whole, false);
    as_strategy(&raw, reading, sink);
}

fn as_strategy(raw: &Raw<'_>, reading: Reading, sink: &mut Sink) {
    as_written(raw, strategy::STRATEGY, reading, sink);
}

/// Reports the faults that the data of a document would have under this schema.
fn as_written(raw: &Raw<'_>, written: &str, reading: Reading, sink: &mut Sink) {
    let mut found = Sink::default();
    schema::check_each(
        raw::stem(written),
        raw.root,
        Dialect::PyYaml,
        &mut |fault| {
            if fault.pointer.starts_with("/data") {
                found.push(fault.diagnostic(raw::POLICY, &raw.object()));
            }
        },
    );
    if found.diagnostics.is_empty() && written == strategy::STRATEGY {
        strategy::groups(raw, reading, false, &mut found);
    }
    for found in found.diagnostics {
        sink.push(found.severity(Severity::Warning));
    }
}

/// Documents with a schema that is probably a typo for one that a plan reads. Drydock's own kinds
/// are judged with its other documents. Of documents that are rendered the data is judged, too.
fn misspelt(all: &[Raw<'_>], rendered: Option<Reading>, sink: &mut Sink) {
    let policy = |raw: &Raw<'_>| raw.schema.starts_with("deckhand/LayeringPolicy");
    let rendered = rendered.filter(|_| !all.iter().any(policy));
    // A site has very many documents of a few schemas.
    let mut judged: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for raw in all {
        let near = *judged.entry(raw.schema).or_insert_with(|| {
            let known =
                layering::NEEDED.contains(&raw.schema) || raw.schema.starts_with("drydock/");
            let near = |needed: &&str| within(needed, raw.schema, 2);
            layering::NEEDED.into_iter().find(near).filter(|_| !known)
        });
        let Some(near) = near else {
            continue;
        };
        let schema = raw.root.get("schema").unwrap_or(raw.root);
        let message = format!("`{}` is not planned; {}", raw.schema, did_you_mean(near));
        sink.push(
            Diagnostic::new(&rules::IGNORED_DOCUMENT, message)
                .at(schema.place(), "this schema")
                .help(format!("write `schema: {near}`"))
                .object(raw.object()),
        );
        if let Some(reading) = rendered {
            as_written(raw, near, reading, sink);
        }
    }
}

/// A repository that was not named as such but found.
fn below(documents: &Documents<'_>, sink: &mut Sink) {
    for repository in documents.repositories.iter().filter(|one| one.below) {
        let Some(site) = &repository.site else {
            continue;
        };
        let definition = documents.of(DocumentKind::Airship).find(|document| {
            let name = documents.sources.get(document.source()).name.as_str();
            let home = format!("site/{site}/site-definition.yaml");
            name.ends_with(&home)
        });
        let Some(definition) = definition else {
            continue;
        };
        let message = format!(
            "site `{site}` is read from the Airship repository at `{}`",
            repository.shown
        );
        sink.push(
            Diagnostic::new(&rules::ROOT_BELOW, message)
                .at(definition.head().place(), "the site's definition")
                .help("pass that directory as PATH to leave out all other documents"),
        );
    }
}

/// Repositories that the site's definition names: offline they are only noted. Whether one of them
/// is not among the PATHs.
fn remote(documents: &Documents<'_>, sink: &mut Sink) -> bool {
    let mut missing = false;
    for document in documents.of(DocumentKind::Airship) {
        let node = document.node;
        if node.get("schema").and_then(Node::text) != Some("pegleg/SiteDefinition/v1") {
            continue;
        }
        let further = node.at(&["data", "repositories"]);
        let further: Vec<_> = further.into_iter().flat_map(Node::entries).collect();
        let given: usize = documents.repositories.iter().map(|one| 1 + one.lent).sum();
        if further.len() < given {
            continue;
        }
        for (name, _) in further {
            missing = true;
            let text = name.text().unwrap_or("");
            sink.push(
                Diagnostic::new(
                    &rules::REMOTE_REPOSITORY,
                    format!("the site also reads the repository `{text}`"),
                )
                .at(name.place(), "not fetched")
                .help("if documents are missing, pass its directory as a further PATH"),
            );
        }
    }
    missing
}

/// The definitions of sites, whose `site_type` names a directory to read.
fn definitions(documents: &Documents<'_>, sink: &mut Sink) {
    let policy = Policy {
        upstream: None,
        ..raw::POLICY
    };
    for document in documents.of(DocumentKind::Airship) {
        if document.node.get("schema").and_then(Node::text) == Some("pegleg/SiteDefinition/v1") {
            let object = Object::new("SiteDefinition", document.name().unwrap_or(""));
            let stem = "airship-sitedefinition";
            schema::check(stem, document.node, Dialect::PyYaml, policy, &object)
                .into_iter()
                .for_each(|found| sink.push(found));
        }
    }
}

/// Documents that no plan depends on are not rendered, but each has to be sound by itself; those
/// that are.
fn left_out<'a>(
    rest: Vec<Raw<'a>>,
    part: &[Raw<'a>],
    settings: &CheckOptions,
    sink: &mut Sink,
) -> Vec<Raw<'a>> {
    let Some(first) = rest.first() else {
        return rest;
    };
    let (count, all) = (rest.len(), rest.len() + part.len());
    let verb = if count == 1 { "does" } else { "do" };
    let message = format!(
        "{count} of {} {verb} not affect the plan",
        plural(all, "document")
    );
    sink.push(
        Diagnostic::new(&rules::LEFT_OUT, message)
            .at(first.place, "the first of them")
            .help("planner does not render them and checks only their envelopes and layers"),
    );
    layering::check_layers(&rest, part, sink);
    // Their parents and substitutions are unknown, and so are the values that those add.
    let whole = |raw: &Raw<'_>| {
        !raw.is_abstract && raw.selector().is_none() && raw.substitutions().next().is_none()
    };
    let written = |raw: &Raw<'_>| {
        if whole(raw) {
            raw::stem(raw.schema)
        } else {
            raw::ENVELOPE
        }
    };
    let mut rest = rest;
    keep_sound(
        &mut rest,
        (written, |_| false),
        settings,
        &mut Omitted::default(),
        sink,
    );
    rest
}

/// Raw documents are told apart by schema, layer and name, rendered ones by schema and name.
fn duplicates(raws: &mut Vec<Raw<'_>>, layered: bool, sink: &mut Sink) {
    let mut first: FxHashMap<_, Place> = FxHashMap::default();
    first.reserve(raws.len());
    raws.retain(|raw| {
        let layer = raw.layer.filter(|_| layered);
        let other = match first.entry((raw.schema, layer, raw.name)) {
            Entry::Vacant(free) => {
                free.insert(raw.place);
                return true;
            }
            Entry::Occupied(taken) => *taken.get(),
        };
        sink.push(
            Diagnostic::new(
                &rules::DUPLICATE_DOCUMENT,
                format!("there is a second {}", raw.describe()),
            )
            .at(raw.place, "again here")
            .related(other, "first here")
            .help("remove one, or give it another name")
            .upstream("InvalidDocumentFormat")
            .pointer("/metadata/name")
            .object(raw.object()),
        );
        false
    });
}
