//! Everything of the protocol but the calls of tools: versions, lists, pages.

use serde_json::{Value, json};

use super::wire::{self, INVALID_PARAMS, NO_METHOD, NO_VERSION, Request};
use super::{prompts, resources, tools};

/// The version without a handshake.
const MODERN: &str = "2026-07-28";
/// The versions with a handshake, the newest first.
const HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The key of the version in a request.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of the server's name in an answer.
const SERVER: &str = "io.modelcontextprotocol/serverInfo";
/// Milliseconds for which a client may keep what never changes while the server runs.
const KEPT: u64 = 3_600_000;

/// The two ways of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// The client said its version once.
    Handshake,
    /// Each request says it.
    Modern,
}

impl Era {
    /// The way of a request.
    pub(super) fn of(request: &Request) -> Self {
        if request.method == "server/discover" || version(request).is_some() {
            Self::Modern
        } else {
            Self::Handshake
        }
    }
}

/// The version that a request says it is in.
fn version(request: &Request) -> Option<&Value> {
    request.params.get("_meta")?.get(VERSION)
}

/// Refuses a request in a version that is not spoken.
pub(super) fn checked(request: &Request) -> Result<(), Value> {
    match version(request) {
        Some(version) if version != MODERN => {
            let data = json!({"supported": [MODERN, HANDSHAKE[0]], "requested": version});
            let why = format!("this protocol version is not spoken: send \"{MODERN}\"");
            Err(wire::error(&request.id, NO_VERSION, &why, Some(data)))
        }
        _ => Ok(()),
    }
}

fn server() -> Value {
    json!({"name": "planner", "title": "planner", "version": env!("CARGO_PKG_VERSION")})
}

/// The description of the server for a client.
pub(super) fn instructions(roots: &[String]) -> String {
    format!(
        "planner reads YAML site documents (clusters, placements, policies, applications, \
         deployment groups, kustomizations), finds what is wrong and plans what goes where. It \
         reads files only: no cluster, no network, nothing is written. Send edits that are not \
         yet written as `overlay` with each call. Before a change is committed: validate, then \
         diff. Directories: {}. Paths are relative to the first of them.",
        roots.join(", ")
    )
}

fn capabilities() -> Value {
    json!({"tools": {}, "resources": {}, "prompts": {}})
}

/// A result with what its way of the protocol adds; `kept` for what a client may keep.
pub(super) fn dressed(mut result: Value, era: Era, kept: Option<u64>) -> Value {
    if era == Era::Modern {
        result["resultType"] = "complete".into();
        result["_meta"] = json!({SERVER: server()});
        if let Some(kept) = kept {
            result["ttlMs"] = kept.into();
            result["cacheScope"] = "public".into();
        }
    }
    result
}

/// The answer to a request that costs nothing.
pub(super) fn answer(request: &Request, instructions: &str) -> Value {
    if let Err(answer) = checked(request) {
        return answer;
    }
    let (era, id, params) = (Era::of(request), &request.id, &request.params);
    let kept = |value: Value| Ok(dressed(value, era, Some(KEPT)));
    let of_list = |value: Value| match params.get("cursor") {
        Some(cursor) if !cursor.is_null() => Err((
            INVALID_PARAMS,
            "there is one page: send no cursor".to_owned(),
        )),
        _ => kept(value),
    };
    let unknown = || {
        let why = format!("there is no method \"{}\"", request.method);
        Err((NO_METHOD, why))
    };
    let answered = match (request.method.as_str(), era) {
        ("initialize", Era::Handshake) => {
            let wanted = params.get("protocolVersion").and_then(Value::as_str);
            let spoken = HANDSHAKE
                .into_iter()
                .find(|version| Some(*version) == wanted);
            Ok(json!({
                "protocolVersion": spoken.unwrap_or(HANDSHAKE[0]),
                "capabilities": capabilities(),
                "serverInfo": server(),
                "instructions": instructions,
            }))
        }
        ("ping", Era::Handshake) => Ok(json!({})),
        ("server/discover", _) => kept(json!({
            "supportedVersions": [MODERN, HANDSHAKE[0]],
            "capabilities": capabilities(),
            "instructions": instructions,
        })),
        ("tools/list", _) => of_list(json!({"tools": tools::list()})),
        ("resources/list", _) => of_list(json!({"resources": resources::list()})),
        ("resources/templates/list", _) => {
            of_list(json!({"resourceTemplates": resources::templates()}))
        }
        ("resources/read", _) => match resources::read(params) {
            Ok(contents) => kept(json!({"contents": [contents]})),
            Err(why) => Err((INVALID_PARAMS, why)),
        },
        ("prompts/list", _) => of_list(json!({"prompts": prompts::list()})),
        ("prompts/get", _) => match prompts::get(params) {
            Ok(prompt) => Ok(dressed(prompt, era, None)),
            Err(why) => Err((INVALID_PARAMS, why)),
        },
        _ => unknown(),
    };
    match answered {
        Ok(result) => wire::result(id, &result),
        Err((code, why)) => wire::error(id, code, &why, None),
    }
}
