//! From documents to PlanTests, and from their settings to altered documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::airship::engine::run::DeploymentVerdict;
use crate::diagnostic::{Codes, Diagnostic, Meaning, Object, Sink, short_code};
use crate::document::{Document, DocumentKind, Documents};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::schema::rules::REQUIRED;
use crate::site::Changes;
use crate::yaml::{Node, Patch, TreeBuilder};

use super::model::{Claim, Delivery, Expectation, PlanTest, Setting, Text};
use super::rules::{AMBIGUOUS_DOCUMENT, UNKNOWN_CODE, UNKNOWN_DOCUMENT, UNKNOWN_POINTER};

/// Where a document keeps what else tells it from others, by the field of a setting.
const QUALIFIERS: [(&str, &[&str]); 4] = [
    ("namespace", &["metadata", "namespace"]),
    ("package", &["spec", "package"]),
    ("cluster", &["spec", "cluster"]),
    ("layer", &["metadata", "layeringDefinition", "layer"]),
];

/// The PlanTests among the documents, in document order.
pub fn lower<'a>(documents: &Documents<'a>, codes: &Codes, sink: &mut Sink) -> Vec<PlanTest<'a>> {
    let tests = documents.of(DocumentKind::PlanTest);
    tests.map(|document| test(document, codes, sink)).collect()
}

fn word(node: Option<Node<'_>>) -> Text<'_> {
    node.map_or_else(Text::default, |node| Text {
        text: node.text().unwrap_or_default(),
        place: node.place(),
    })
}

fn texts<'a>(list: Node<'a>) -> Vec<&'a str> {
    list.items().filter_map(Node::text).collect()
}

/// A key whose value may be null; the schema takes null for absent.
fn present<'a>(node: Node<'a>, key: &str) -> Option<Node<'a>> {
    node.get(key).filter(|value| !value.is_null())
}

fn test<'a>(document: &Document<'a>, codes: &Codes, sink: &mut Sink) -> PlanTest<'a> {
    let node = document.node;
    let name = node.at(&["metadata", "name"]);
    let spec = node.get("spec").unwrap_or(node);
    let mut test = PlanTest {
        name: name.and_then(Node::text).unwrap_or("(without a name)"),
        file: document.source(),
        place: name.unwrap_or(document.head()).place(),
        given: Vec::new(),
        set: Vec::new(),
        faults: present(spec, "faults"),
        expect: Vec::new(),
        refused: document.refused,
    };
    if document.refused {
        return test;
    }
    let items = |key| present(spec, key).into_iter().flat_map(Node::items);
    test.given = items("given").map(|path| word(Some(path))).collect();
    for item in items("set") {
        let Some(value) = item.get("value") else {
            let message = "a setting needs a `value`";
            let found = Diagnostic::new(&REQUIRED, message).at(item.place(), "sets nothing");
            report(
                &mut test,
                found.help("write `value: null` to set null"),
                sink,
            );
            continue;
        };
        test.set.push(Setting {
            kind: word(item.get("kind")),
            name: word(item.get("name")),
            qualifiers: QUALIFIERS.map(|(key, _)| (key, present(item, key).and_then(Node::text))),
            pointer: word(item.get("pointer")),
            value,
        });
    }
    for item in items("expect") {
        for delivery in present(item, "deliveries")
            .into_iter()
            .flat_map(Node::items)
        {
            test.expect.push(Expectation {
                claim: Claim::Delivery(self::delivery(delivery)),
                place: delivery.place(),
            });
        }
        if present(item, "deliveries").is_some() {
            continue;
        }
        if let Some(claim) = claim(item, codes, &mut test, sink) {
            test.expect.push(Expectation {
                claim,
                place: item.place(),
            });
        }
    }
    test
}

fn delivery<'a>(item: Node<'a>) -> Delivery<'a> {
    let text = |key| present(item, key).and_then(Node::text).unwrap_or("");
    let list = |key| present(item, key).map(texts);
    Delivery {
        kind: text("kind"),
        namespace: text("namespace"),
        name: text("name"),
        clusters: list("clusters"),
        contains: list("contains").unwrap_or_default(),
        without: list("not").unwrap_or_default(),
    }
}

fn claim<'a>(
    item: Node<'a>,
    codes: &Codes,
    test: &mut PlanTest<'a>,
    sink: &mut Sink,
) -> Option<Claim<'a>> {
    if let Some(application) = present(item, "application") {
        let Some(cluster) = item.get("cluster") else {
            let message = "an expectation of an application needs a `cluster`";
            let found = Diagnostic::new(&REQUIRED, message).at(item.place(), "expects nothing");
            report(
                test,
                found.help("write `cluster: null` if it should be on none"),
                sink,
            );
            return None;
        };
        let cluster = Some(cluster).filter(|cluster| !cluster.is_null());
        return Some(Claim::Application(
            application.text()?,
            cluster.and_then(Node::text),
        ));
    }
    if let Some(placement) = present(item, "placement") {
        return Some(Claim::Placement(
            placement.text()?,
            texts(item.get("decisions")?),
        ));
    }
    if let Some(order) = present(item, "groupOrder") {
        return Some(Claim::GroupOrder(texts(order)));
    }
    if let Some(verdict) = present(item, "verdict") {
        return Some(Claim::Verdict(match verdict.text()? {
            "success" => DeploymentVerdict::Success,
            "partial" => DeploymentVerdict::Partial,
            _ => DeploymentVerdict::Failed,
        }));
    }
    let code = present(item, "invalid")?;
    if let Some(rule) = codes.find(code.text()?).and_then(Meaning::rule) {
        return Some(Claim::Invalid(rule.code));
    }
    let text = short_code(code.text()?);
    let message = format!("`{text}` is not a code");
    let found = Diagnostic::new(&UNKNOWN_CODE, message).at(code.place(), "no such code");
    let near = nearest(text, codes.short());
    report(
        test,
        found.suggest(near, "planner explain lists the codes"),
        sink,
    );
    None
}

/// A fault of the test itself: it does not stop planning.
fn report(test: &mut PlanTest<'_>, found: Diagnostic, sink: &mut Sink) {
    test.refused = true;
    sink.push(
        found
            .object(Object::new("PlanTest", test.name))
            .not_refusing(),
    );
}

/// The kind by which settings name a document; `short` is another way to say it.
fn kinds<'a>(document: &Document<'a>) -> (&'a str, Option<&'a str>) {
    let text = |key| document.node.get(key).and_then(Node::text);
    let kind = text("kind")
        .or(text("schema"))
        .or(text("type"))
        .unwrap_or_default();
    (kind, kind.split('/').nth(1))
}

fn name<'a>(document: &Document<'a>) -> &'a str {
    let own = || document.node.get("name").and_then(Node::text);
    document.name().or_else(own).unwrap_or_default()
}

/// The edits that a test's settings amount to; `None` if one of them cannot be made.
pub fn edits(
    test: &mut PlanTest<'_>,
    documents: &Documents<'_>,
    sink: &mut Sink,
) -> Option<Changes> {
    let mut patches: BTreeMap<u32, Patch<'_>> = BTreeMap::new();
    let mut broken = Vec::new();
    for setting in &test.set {
        match target(setting, documents) {
            Ok((document, value)) => {
                let patch = patches.entry(document.index).or_default();
                patch.replaced.insert(value.number(), Some(setting.value));
            }
            Err(found) => broken.push(*found),
        }
    }
    if !broken.is_empty() {
        broken
            .into_iter()
            .for_each(|found| report(test, found, sink));
        return None;
    }
    let mut edits = Changes::default();
    for (index, patch) in patches {
        let root = documents.all[index as usize].node;
        let mut builder = TreeBuilder::new();
        // Places of the test's own file mean nothing among the files of the site.
        builder.copy_patched(root, &patch, &|_| root.place());
        edits
            .replaced
            .insert(index, Some(Arc::new(builder.finish())));
    }
    Some(edits)
}

/// The document and value that a setting is about.
fn target<'a>(
    setting: &Setting<'_>,
    documents: &Documents<'a>,
) -> Result<(Document<'a>, Node<'a>), Box<Diagnostic>> {
    let site = || {
        let plain = |d: &&Document<'_>| d.record().is_none() && d.kind != DocumentKind::PlanTest;
        documents.all.iter().filter(plain)
    };
    let wanted = setting.kind.text;
    let of_kind = || {
        let is = |document: &&Document<'_>| {
            let (kind, short) = kinds(document);
            kind == wanted || short == Some(wanted)
        };
        site().filter(is)
    };
    let qualified = |document: &&Document<'_>| {
        let asked = setting.qualifiers.iter().zip(&QUALIFIERS);
        let mut asked = asked.filter_map(|((_, text), (_, path))| Some((*path, (*text)?)));
        asked.all(|(path, text)| document.node.at(path).and_then(Node::text) == Some(text))
    };
    let named = |document: &&Document<'_>| name(document) == setting.name.text;
    let mut found = of_kind().filter(named).filter(qualified);
    let Some(document) = found.next() else {
        let full = setting.qualifiers.iter().filter_map(|(_, text)| *text);
        let full: String = full.map(|text| format!("{text}/")).collect();
        let message = format!("there is no {wanted} `{full}{}`", setting.name.text);
        let near = if of_kind().next().is_some() {
            nearest(setting.name.text, of_kind().map(name)).map(|near| format!("`{near}`"))
        } else {
            let all = site().flat_map(|document| {
                let (kind, short) = kinds(document);
                [Some(kind), short].into_iter().flatten()
            });
            nearest(wanted, all).map(|near| format!("a {near}"))
        };
        let place = if of_kind().next().is_some() {
            setting.name
        } else {
            setting.kind
        };
        let found = Diagnostic::new(&UNKNOWN_DOCUMENT, message).at(place.place, "no such document");
        return Err(Box::new(match near {
            Some(near) => found.help(format!("did you mean {near}?")),
            None => found,
        }));
    };
    let others = found.count();
    if others > 0 {
        let message = format!(
            "{} documents are named {wanted} `{}`",
            others + 1,
            setting.name.text
        );
        return Err(Box::new(
            Diagnostic::new(&AMBIGUOUS_DOCUMENT, message)
                .at(setting.name.place, "which one?")
                .help("add `namespace`, `package`, `cluster` or `layer`"),
        ));
    }
    match document.node.pointer(setting.pointer.text) {
        Some(value) => Ok((*document, value)),
        None => Err(Box::new(no_value(setting, document))),
    }
}

/// Names the part of the pointer that fails.
fn no_value(setting: &Setting<'_>, document: &Document<'_>) -> Diagnostic {
    let whole = setting.pointer.text;
    let mut node = document.node;
    let mut end = 0;
    let steps = whole.match_indices('/').map(|(at, _)| at).skip(1);
    for at in steps.chain(std::iter::once(whole.len())) {
        match document.node.pointer(&whole[..at]) {
            Some(found) => (node, end) = (found, at),
            None => break,
        }
    }
    let missing = whole[end + 1..].split('/').next().unwrap_or_default();
    let message = format!(
        "{} `{}` has nothing at `{whole}`",
        setting.kind.text, setting.name.text
    );
    let found =
        Diagnostic::new(&UNKNOWN_POINTER, message).at(setting.pointer.place, "leads to nothing");
    let keys = node.entries().filter_map(|(key, _)| key.text());
    match nearest(missing, keys) {
        Some(near) => found.help(did_you_mean(&format!("{}/{near}", &whole[..end]))),
        None if node.is_sequence() => found.help(format!(
            "the list `{}` has {} items",
            &whole[..end],
            node.len()
        )),
        None => found.help(format!("`{missing}` is not there")),
    }
}
