//! The tools: what clients are told of them, and how a call is answered.

use serde_json::{Map, Value, json};

use crate::kit::nearest::{hint, nearest};
use crate::plan::Section;

use super::arguments::{Arguments, Mistake};
use super::ask;
use super::sites::Sites;
use super::wire;

/// A tool: its name, its description as clients get it, what answers it.
struct Tool {
    name: &'static str,
    form: &'static str,
    call: fn(&mut Sites, Arguments<'_>) -> Result<Value, Mistake>,
}

/// All tools, always in this order.
const TOOLS: [Tool; 7] = [
    Tool {
        name: "validate",
        form: include_str!("tools/validate.json"),
        call: ask::validate,
    },
    Tool {
        name: "plan",
        form: include_str!("tools/plan.json"),
        call: ask::plan,
    },
    Tool {
        name: "why",
        form: include_str!("tools/why.json"),
        call: ask::why,
    },
    Tool {
        name: "diff",
        form: include_str!("tools/diff.json"),
        call: ask::diff,
    },
    Tool {
        name: "risk",
        form: include_str!("tools/risk.json"),
        call: ask::risk,
    },
    Tool {
        name: "explain",
        form: include_str!("tools/explain.json"),
        call: ask::explain,
    },
    Tool {
        name: "schema",
        form: include_str!("tools/schema.json"),
        call: ask::schema,
    },
];

/// The tools as clients are told of them.
pub(super) fn list() -> Vec<Value> {
    TOOLS.iter().map(Tool::form).collect()
}

/// Answers a call. A mistake that whoever calls can mend is an answer, too.
pub(super) fn call(sites: &mut Sites, params: &Value) -> Result<Value, (i64, String)> {
    let name = params
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let names = TOOLS.map(|tool| tool.name);
        let hint = hint(nearest(name, names).as_slice());
        let all = names.join(", ");
        let why = format!("there is no tool \"{name}\" (there are {all}){hint}");
        return Err((wire::INVALID_PARAMS, why));
    };
    let nothing = Map::new();
    let sent = match params.get("arguments") {
        None | Some(Value::Null) => &nothing,
        Some(Value::Object(sent)) => sent,
        Some(_) => {
            let why = "\"arguments\" is not an object".to_owned();
            return Err((wire::INVALID_PARAMS, why));
        }
    };
    let answered =
        Arguments::new(sent, &tool.arguments()).and_then(|arguments| (tool.call)(sites, arguments));
    Ok(match answered {
        Ok(answer) => {
            let text = wire::text(&answer);
            let content = json!([{"type": "text", "text": text}]);
            json!({"content": content, "structuredContent": answer, "isError": false})
        }
        Err(Mistake(why)) => {
            json!({"content": [{"type": "text", "text": why}], "isError": true})
        }
    })
}

impl Tool {
    /// Its description: the sections of a plan are filled in.
    fn form(&self) -> Value {
        // A test reads all of them.
        let mut form: Value = serde_json::from_str(self.form).unwrap_or_default();
        if let Some(section) = form.pointer_mut("/inputSchema/properties/section") {
            section["enum"] = Section::ALL.map(Section::key).as_slice().into();
        }
        form
    }

    /// The names of its arguments.
    fn arguments(&self) -> Vec<String> {
        let form = self.form();
        let properties = form["inputSchema"]["properties"].as_object();
        properties
            .into_iter()
            .flat_map(Map::keys)
            .cloned()
            .collect()
    }
}
