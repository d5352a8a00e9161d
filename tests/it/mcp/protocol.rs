//! Both versions of the protocol, and the forms of everything that is listed.

use std::path::Path;

use serde_json::{Value, json};

use super::Server;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

fn meta(version: &str) -> Value {
    json!({VERSION: version, "io.modelcontextprotocol/clientCapabilities": {}})
}

#[test]
fn a_client_with_a_handshake_is_served() {
    let mut server = Server::over(&fixture("retail"));
    for (wanted, spoken) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2026-07-28", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ] {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": wanted, "capabilities": {}, "clientInfo": client});
        let result = server.result("initialize", params);
        assert_eq!(result["protocolVersion"], spoken);
        assert_eq!(result["serverInfo"]["name"], "planner");
        assert!(result["instructions"].as_str().unwrap().contains("overlay"));
        assert!(result["resultType"].is_null());
    }
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(server.result("ping", json!({})), json!({}));
    let plan = server.call("plan", json!({}));
    assert_eq!(plan["result"], "ready");
    assert_eq!(server.end(), (0, Vec::new()));
}

#[test]
fn a_client_that_says_its_version_each_time_is_served() {
    let mut server = Server::over(&fixture("retail"));
    let params = || json!({"_meta": meta("2026-07-28")});
    for (method, is_kept) in [
        ("server/discover", true),
        ("tools/list", true),
        ("resources/list", true),
        ("resources/templates/list", true),
        ("prompts/list", true),
    ] {
        let result = server.result(method, params());
        assert_eq!(result["resultType"], "complete", "{method}");
        let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(info["name"], "planner", "{method}");
        assert_eq!(result["ttlMs"].is_u64(), is_kept, "{method}");
        assert_eq!(result["cacheScope"].is_string(), is_kept, "{method}");
    }
    let found = server.result("server/discover", params());
    assert_eq!(
        found["supportedVersions"],
        json!(["2026-07-28", "2025-11-25"])
    );
    let mut call = params();
    call["name"] = "explain".into();
    call["arguments"] = json!({"code": "unbound_set"});
    let result = server.result("tools/call", call);
    assert_eq!(result["resultType"], "complete");
    // Another version is refused, with those that are spoken.
    for method in ["tools/list", "tools/call", "server/discover", "initialize"] {
        let answer = server.ask(method, json!({"_meta": meta("2030-01-01")}));
        assert_eq!(answer["error"]["code"], -32022, "{answer}");
        assert_eq!(answer["error"]["data"]["requested"], "2030-01-01");
        assert_eq!(answer["error"]["data"]["supported"][0], "2026-07-28");
    }
    // What this version does not have.
    for method in ["ping", "initialize", "nonsense", "subscriptions/listen"] {
        assert_eq!(
            server.ask(method, params())["error"]["code"],
            -32601,
            "{method}"
        );
    }
}

#[test]
fn tools_are_described_so_that_clients_take_them() {
    let mut server = Server::over(&fixture("retail"));
    let list = server.result("tools/list", json!({}));
    let tools = list["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "validate", "plan", "why", "diff", "risk", "explain", "schema"
        ]
    );
    for tool in tools {
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], true);
        assert_eq!(hints["destructiveHint"], false);
        assert_eq!(hints["idempotentHint"], true);
        assert_eq!(hints["openWorldHint"], false);
        assert!(hints["title"].is_string() && tool["title"].is_string());
        let about = tool["description"].as_str().unwrap();
        assert!(about.len() < 400, "{about}");
        assert!(about.contains("Takes"), "no cost: {about}");
        for key in ["inputSchema", "outputSchema"] {
            let schema = &tool[key];
            assert_eq!(schema["type"], "object");
            let text = schema.to_string();
            assert!(!text.contains("$schema") && !text.contains("://"), "{text}");
            assert!(jsonschema::meta::is_valid(schema), "{key}");
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
    }
    assert_eq!(
        list,
        server.result("tools/list", json!({})),
        "always the same"
    );
}

/// What each tool can be asked over a site.
fn calls() -> Vec<(&'static str, Value)> {
    let mut calls = vec![
        ("validate", json!({})),
        ("validate", json!({"severity": "error"})),
        (
            "validate",
            json!({"codes": ["ocm::unbound_set", "unbound_set"]}),
        ),
        ("plan", json!({})),
        ("why", json!({})),
        ("diff", json!({"overlay": {"new.yaml": "kind: Nothing\n"}})),
        ("risk", json!({})),
        ("risk", json!({"kind": "rack", "top": 3})),
        ("explain", json!({})),
        ("explain", json!({"code": "planner::ocm::unbound_set"})),
        ("schema", json!({})),
        ("schema", json!({"kind": "site"})),
        ("schema", json!({"kind": "ApplicationSet"})),
        (
            "schema",
            json!({"kind": "ApplicationSet", "pointer": "/properties/spec/properties"}),
        ),
    ];
    let sections = [
        "deploymentStrategy",
        "regionPlacements",
        "placements",
        "deliveries",
        "legacyRules",
        "placementRules",
        "applications",
    ];
    calls.extend(sections.map(|section| ("plan", json!({"section": section}))));
    calls
}

#[test]
fn every_answer_is_as_its_schema_says() {
    for site in [
        "site",
        "retail",
        "deliveries",
        "ocm/fleet",
        "bad",
        "repositories/partial/files",
    ] {
        let mut server = Server::over(&fixture(site));
        let list = server.result("tools/list", json!({}));
        let tools = list["tools"].as_array().unwrap();
        let schema = |name: &str| {
            let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
            (tool["inputSchema"].clone(), tool["outputSchema"].clone())
        };
        let mut asked = calls();
        let names = server.call("why", json!({}))["names"].clone();
        for name in names
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .take(12)
        {
            asked.push(("why", json!({"subject": name})));
        }
        for (tool, arguments) in asked {
            let (input, output) = schema(tool);
            assert!(
                jsonschema::is_valid(&input, &arguments),
                "{tool} {arguments}"
            );
            let answer = server.call(tool, arguments.clone());
            if let Err(error) = jsonschema::validate(&output, &answer) {
                panic!(
                    "{site}: {tool} {arguments}: {error} at {}",
                    error.instance_path()
                );
            }
        }
    }
}

#[test]
fn pages_hold_all_that_there_is() {
    let mut server = Server::over(&fixture("bad"));
    let count = server.call("validate", json!({}))["listed"]
        .as_u64()
        .unwrap();
    let all = super::pages(&mut server, "validate", &json!({}), "findings");
    assert_eq!(all.len() as u64, count);
    assert!(count > 50, "too few to need pages");
    let mut server = Server::over(&fixture("site"));
    let names = super::pages(&mut server, "why", &json!({}), "names");
    assert!(names.len() > 30);
    let all = super::pages(&mut server, "explain", &json!({}), "codes");
    assert_eq!(all.len(), planner::rules::all().len());
}

#[test]
fn resources_and_prompts_are_read() {
    let mut server = Server::over(&fixture("retail"));
    let list = server.result("resources/list", json!({}));
    for resource in list["resources"].as_array().unwrap() {
        let read = server.result("resources/read", json!({"uri": resource["uri"]}));
        let contents = &read["contents"][0];
        assert_eq!(contents["uri"], resource["uri"]);
        assert!(contents["text"].as_str().unwrap().len() > 100, "{resource}");
    }
    let page = server.result(
        "resources/read",
        json!({"uri": "planner://rules/ocm::unbound_set"}),
    );
    assert!(
        page["contents"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("# planner::ocm::unbound_set")
    );
    let policy = server.result("resources/read", json!({"uri": "planner://schema/Policy"}));
    let text = policy["contents"][0]["text"].as_str().unwrap();
    assert!(serde_json::from_str::<Value>(text).unwrap()["properties"].is_object());
    for (uri, words) in [
        ("planner://rules/unbound_sett", "unbound_set"),
        ("planner://docs/tutorail", "tutorial"),
        ("planner://schema/Polcy", "Policy"),
        ("planner://nothing/x", "planner://docs/NAME"),
        ("file:///etc/passwd", "planner://docs/NAME"),
        ("planner://docs/../../Cargo.toml", "there is no docs"),
    ] {
        let answer = server.ask("resources/read", json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let why = answer["error"]["message"].as_str().unwrap();
        assert!(why.contains(words), "{uri}: {why}");
    }
    for (name, arguments, words) in [
        ("review", json!({}), "in \".\" against \"HEAD\""),
        (
            "review",
            json!({"path": "a\"b", "against": "main"}),
            "in \"a\\\"b\" against \"main\"",
        ),
        (
            "migrate",
            json!({"path": "x"}),
            "in \"x\" are to become Placements",
        ),
    ] {
        let params = json!({"name": name, "arguments": arguments});
        let prompt = server.result("prompts/get", params);
        let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains(words) && !text.contains("@"), "{text}");
    }
    let answer = server.ask("prompts/get", json!({"name": "reveiw"}));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("did you mean review?")
    );
}
