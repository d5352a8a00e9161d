//! Prompts: what to ask before a change of a site is merged, and how PlacementRules are migrated.

use serde_json::{Value, json};

use crate::kit::nearest::{hint, nearest};

/// A prompt: its name, title, purpose, arguments (name, purpose, default), text.
struct Prompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [(&'static str, &'static str, &'static str)],
    text: &'static str,
}

const ALL: [Prompt; 2] = [
    Prompt {
        name: "review",
        title: "Review a change of a site",
        description: "What to ask before a change of site documents is merged",
        arguments: &[
            ("path", "The site's directory", "."),
            ("against", "The revision before the change", "HEAD"),
        ],
        text: include_str!("prompts/review.md"),
    },
    Prompt {
        name: "migrate",
        title: "Migrate PlacementRules to Placements",
        description: "Turn apps.open-cluster-management.io PlacementRules into Placements that \
                      select the same clusters, with proof",
        arguments: &[("path", "The site's directory", ".")],
        text: include_str!("prompts/migrate.md"),
    },
];

/// The most bytes of an argument, a path or a revision.
const LONGEST: usize = 4_096;

/// All prompts.
pub(super) fn list() -> Vec<Value> {
    let prompt = |prompt: &Prompt| {
        let argument = |(name, about, default): &(&str, &str, &str)| {
            let about = format!("{about} [default: {default}]");
            json!({"name": name, "description": about, "required": false})
        };
        let arguments: Vec<Value> = prompt.arguments.iter().map(argument).collect();
        json!({
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": arguments,
        })
    };
    ALL.iter().map(prompt).collect()
}

/// A prompt with its arguments filled in.
///
/// # Errors
/// The message that says what to send instead.
pub(super) fn get(params: &Value) -> Result<Value, String> {
    let name = params
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let names = || ALL.iter().map(|prompt| prompt.name);
    let prompt = ALL.iter().find(|prompt| prompt.name == name);
    let prompt = prompt.ok_or_else(|| {
        let hint = hint(nearest(name, names()).as_slice());
        let all: Vec<&str> = names().collect();
        format!(
            "there is no prompt \"{name}\" (there are {}){hint}",
            all.join(", ")
        )
    })?;
    let mut text = prompt.text.to_owned();
    for (name, _, default) in prompt.arguments {
        let given = params.get("arguments").and_then(|all| all.get(*name));
        let value = match given {
            None | Some(Value::Null) => Value::from(*default),
            Some(Value::String(text)) if text.len() > LONGEST => {
                return Err(format!(
                    "the argument \"{name}\" is too long: send the name alone"
                ));
            }
            Some(text @ Value::String(_)) => text.clone(),
            Some(_) => return Err(format!("the argument \"{name}\" is not a text")),
        };
        // As JSON: a name can hold anything.
        text = text.replace(&format!("@{name}@"), &value.to_string());
    }
    let content = json!({"type": "text", "text": text});
    Ok(json!({
        "description": prompt.description,
        "messages": [{"role": "user", "content": content}],
    }))
}
