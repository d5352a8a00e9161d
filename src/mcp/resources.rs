//! Pages of the manual as resources: rules, schemas, chapters.

use serde_json::{Value, json};

use crate::diagnostic::short_code;
use crate::kit::nearest::{hint, nearest};
use crate::{rules, schema, systems};

/// The chapters: name, title, text.
const DOCS: &[(&str, &str, &str)] = &[
    (
        "agents",
        "planner for agents",
        include_str!("../../docs/agents.md"),
    ),
    ("ci", "In CI", include_str!("../../docs/ci.md")),
    (
        "fleet",
        "Policies and what they reach",
        include_str!("../../docs/fleet.md"),
    ),
    (
        "hub",
        "With a snapshot of the hub",
        include_str!("../../docs/hub.md"),
    ),
    (
        "repositories",
        "Which repositories are read",
        include_str!("../../docs/repositories.md"),
    ),
    (
        "systems",
        "The five systems",
        include_str!("../../docs/systems.md"),
    ),
    (
        "tutorial",
        "Tutorial",
        include_str!("../../docs/tutorial.md"),
    ),
    (
        "what-if",
        "What if: losses, changes, patches",
        include_str!("../../docs/what-if.md"),
    ),
];

const MARKDOWN: &str = "text/markdown";
const SCHEMA: &str = "application/schema+json";

/// How placement works in each system: name and text.
fn placement() -> impl Iterator<Item = (String, &'static str)> {
    let chapters = systems::all().into_iter();
    chapters.map(|one| {
        (
            format!("placement-{}", one.profile().system.name()),
            one.profile().chapter,
        )
    })
}

fn schemas() -> impl Iterator<Item = &'static str> {
    schema::stems().filter(|stem| !stem.starts_with("output/"))
}

/// The resources of a fixed name: chapters and schemas. Pages of rules are a template.
pub(super) fn list() -> Vec<Value> {
    let doc = |name: &str, title: &str| {
        json!({
            "uri": format!("planner://docs/{name}"),
            "name": format!("docs/{name}"),
            "title": title,
            "mimeType": MARKDOWN,
        })
    };
    let mut all: Vec<Value> = DOCS
        .iter()
        .map(|(name, title, _)| doc(name, title))
        .collect();
    all.extend(systems::all().into_iter().map(|one| {
        let name = one.profile().system.name();
        doc(&format!("placement-{name}"), &format!("How {name} places"))
    }));
    all.extend(schemas().map(|stem| {
        json!({
            "uri": format!("planner://schema/{stem}"),
            "name": format!("schema/{stem}"),
            "title": format!("JSON Schema of {stem}"),
            "mimeType": SCHEMA,
        })
    }));
    all
}

/// The templates of all resources.
pub(super) fn templates() -> Vec<Value> {
    let template = |uri: &str, name: &str, about: &str, mime: &str| {
        let (uri, about) = (Value::from(uri), Value::from(about));
        json!({"uriTemplate": uri, "name": name, "description": about, "mimeType": mime})
    };
    vec![
        template(
            "planner://rules/{code}",
            "rules",
            "The page of a diagnostic code: what it checks, and what to write instead",
            MARKDOWN,
        ),
        template(
            "planner://schema/{kind}",
            "schema",
            "The JSON Schema of a kind of document",
            SCHEMA,
        ),
        template(
            "planner://docs/{name}",
            "docs",
            "A chapter of the manual",
            MARKDOWN,
        ),
    ]
}

/// The resource of an address.
///
/// # Errors
/// The message that says what to send instead.
pub(super) fn read(params: &Value) -> Result<Value, String> {
    let uri = params.get("uri").and_then(Value::as_str);
    let uri = uri.ok_or("\"uri\" is missing: send planner://docs/NAME, for example")?;
    let form = "send planner://rules/CODE, planner://schema/KIND or planner://docs/NAME";
    let (host, name) = uri
        .strip_prefix("planner://")
        .and_then(|rest| rest.split_once('/'))
        .ok_or_else(|| format!("there is no resource \"{uri}\": {form}"))?;
    let missing = |near: Option<&str>| {
        let hint = hint(near.as_slice());
        format!("there is no {host} \"{name}\"{hint}")
    };
    let (mime, text) = match host {
        "rules" => {
            let codes = rules::codes();
            let known = || codes.rules.iter().map(|rule| short_code(rule.code));
            let found = codes.find(name).and_then(|meaning| meaning.rule());
            let rule = found.ok_or_else(|| missing(nearest(name, known())))?;
            (MARKDOWN, rule.docs.to_owned())
        }
        "schema" => {
            let found =
                schema::named(name).ok_or_else(|| missing(nearest(name, schema::names())))?;
            (SCHEMA, found.to_string())
        }
        "docs" => {
            let known = DOCS
                .iter()
                .map(|(name, _, text)| ((*name).to_owned(), *text));
            let all: Vec<(String, &str)> = known.chain(placement()).collect();
            let found = all.iter().find(|(known, _)| known == name);
            let names = || all.iter().map(|(name, _)| name.as_str());
            let (_, text) = found.ok_or_else(|| missing(nearest(name, names())))?;
            (MARKDOWN, (*text).to_owned())
        }
        _ => return Err(format!("there is no resource \"{uri}\": {form}")),
    };
    Ok(json!({"uri": uri, "mimeType": mime, "text": text}))
}
