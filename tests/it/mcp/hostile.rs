//! Arguments and messages of clients that are mistaken, or mean harm.

use serde_json::{Value, json};

use super::Server;
use crate::support::{self, Folder};

const SECRET: &str = "apiVersion: planner/v1\nkind: Project\nmetadata: {name: topsecret}\n";

fn repository() -> Folder {
    Folder::of(&[
        ("outside.yaml", SECRET),
        ("site/site.yaml", &support::site()),
        ("site/notes.txt", "no documents\n"),
    ])
}

#[test]
fn nothing_outside_is_read_or_told() {
    let folder = repository();
    let site = folder.path().join("site");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../outside.yaml", site.join("link.yaml")).unwrap();
        std::os::unix::fs::symlink("..", site.join("up")).unwrap();
    }
    let mut server = Server::over(&site);
    let outside = folder.path().join("outside.yaml");
    let mut paths = vec![
        "..",
        "../outside.yaml",
        "/etc/passwd",
        "x/../../outside.yaml",
        "/",
    ];
    paths.extend([
        outside.to_str().unwrap(),
        "/proc/self/environ",
        "/dev/stdin",
    ]);
    if cfg!(unix) {
        paths.extend([
            "link.yaml",
            "up",
            "up/outside.yaml",
            "up/site/../outside.yaml",
        ]);
    }
    for path in paths {
        for tool in ["validate", "plan", "why", "risk"] {
            let why = server.mistake(tool, json!({"path": path}));
            assert!(!why.contains("topsecret"), "{why}");
            assert!(why.contains("send"), "{tool} {path}: {why}");
        }
        let why = server.mistake("plan", json!({"overlay": {path: "a: b\n"}}));
        assert!(why.contains("lies outside"), "{path}: {why}");
    }
    for path in ["a\nb", "no-such", "", "\u{1b}[31m", "site.yaml/x", "\0"] {
        let params = json!({"name": "plan", "arguments": {"path": path}});
        let result = server.result("tools/call", params);
        assert!(
            !result["content"][0]["text"]
                .as_str()
                .unwrap()
                .contains('\u{1b}'),
            "{result}"
        );
    }
    for revision in [
        "-x",
        "--output=/tmp/x",
        "HEAD",
        "no-such",
        "a\nb",
        "",
        "HEAD:x",
    ] {
        let why = server.mistake("diff", json!({"against": revision}));
        assert!(why.contains("revision"), "{revision}: {why}");
    }
    let plan = server.call("plan", json!({}));
    assert!(!plan.to_string().contains("topsecret"));
}

#[test]
fn a_mistake_says_what_to_send_instead() {
    let folder = repository();
    let mut server = Server::over(&folder.path().join("site"));
    for (tool, arguments, words) in [
        ("plan", json!({"pth": "."}), "did you mean path?"),
        ("plan", json!({"path": 5}), "send \"path\": \"…\""),
        ("plan", json!({"section": "apps"}), "is not one of"),
        ("plan", json!({"now": "yesterday"}), "2026-01-01T00:00:00Z"),
        ("plan", json!({"overlay": ["a"]}), "its whole new text"),
        (
            "plan",
            json!({"overlay": {"a.yaml": 5}}),
            "its whole new text",
        ),
        ("plan", json!({"page": -1}), "whole number"),
        ("plan", json!({"page": 1.5}), "whole number"),
        (
            "plan",
            json!({"path": "nowhere"}),
            "send a path relative to",
        ),
        ("plan", json!({"site": "north"}), "north"),
        (
            "validate",
            json!({"codes": ["ocm::unbound_sett"]}),
            "unbound_set",
        ),
        ("validate", json!({"codes": "x"}), "list of texts"),
        (
            "validate",
            json!({"severity": "fatal"}),
            "error, warning, note",
        ),
        ("why", json!({"subject": "shop/wbe"}), "shop/web"),
        (
            "why",
            json!({"subject": "shop/web", "candidate": "oslow"}),
            "oslo",
        ),
        ("diff", json!({}), "send \"overlay\""),
        ("explain", json!({"code": "unbound_sett"}), "unbound_set"),
        ("schema", json!({"kind": "Placment"}), "Placement"),
        (
            "schema",
            json!({"kind": "Placement", "pointer": "/properties/nothing"}),
            "spec",
        ),
    ] {
        let why = server.mistake(tool, arguments.clone());
        assert!(why.contains(words), "{tool} {arguments}: {why}");
    }
    for (params, words) in [
        (json!({"name": "validat"}), "did you mean validate?"),
        (json!({}), "there is no tool"),
        (json!({"name": "plan", "arguments": []}), "not an object"),
    ] {
        let answer = server.ask("tools/call", params);
        assert_eq!(answer["error"]["code"], -32602);
        assert!(
            answer["error"]["message"].as_str().unwrap().contains(words),
            "{answer}"
        );
    }
}

#[test]
fn no_answer_repeats_a_long_text() {
    let folder = repository();
    let mut server = Server::over(&folder.path().join("site"));
    let long = "x".repeat(100_000);
    for (tool, arguments, words) in [
        ("plan", json!({"path": long}), "send a path relative to"),
        ("plan", json!({long.as_str(): 1}), "there are path"),
        ("plan", json!({"section": long}), "is not one of"),
        ("validate", json!({"codes": [long]}), "`explain` lists them"),
        ("why", json!({"subject": long}), "lists all names"),
        ("diff", json!({"against": long}), "send one such as HEAD"),
        ("explain", json!({"code": long}), "without code"),
        ("schema", json!({"kind": long}), "there is no schema"),
    ] {
        let why = server.mistake(tool, arguments);
        assert!(why.len() < 5_000 && why.contains(words), "{tool}: {why}");
    }
    for (method, params) in [
        (long.as_str(), json!({})),
        ("resources/read", json!({"uri": long})),
        ("prompts/get", json!({"name": long})),
        (
            "prompts/get",
            json!({"name": "review", "arguments": {"path": long}}),
        ),
        ("tools/call", json!({"name": long})),
    ] {
        let answer = server.ask(method, params);
        let why = answer["error"]["message"].as_str().unwrap();
        assert!(why.len() < 5_000, "{method:.40}: {why}");
    }
}

#[test]
fn what_is_no_message_ends_nothing() {
    let folder = repository();
    let mut server = Server::over(&folder.path().join("site"));
    for (text, code) in [
        ("{", -32700),
        ("nonsense \u{1b}[31m", -32700),
        (&*"[".repeat(200_000), -32700),
        ("[]", -32600),
        ("5", -32600),
        (r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
            -32602,
        ),
    ] {
        server.send(text);
        assert_eq!(server.next().unwrap()["error"]["code"], code, "{text:.40}");
    }
    // Nothing is answered to these.
    server.send("");
    server.send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/nonsense"}"#);
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#);
    assert_eq!(server.result("ping", json!({})), json!({}));
    // A message that is too long: its id is found, and nothing of it is kept.
    let long = "x".repeat(33 << 20);
    server.send(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"x\",\"params\":\"{long}\"}}"
    ));
    let answer = server.next().unwrap();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(77), &json!(-32600))
    );
    // Texts that are large, but not too large.
    let large = format!("# {}\n", "y".repeat(8 << 20));
    let plan = server.call("plan", json!({"overlay": {"large.yaml": large}}));
    assert_eq!(plan["result"], "ready");
    assert_eq!(server.end().0, 0);
}

#[test]
fn text_of_documents_reaches_no_terminal_and_no_secret_is_told() {
    let evil = "evil\u{1b}]0;x\u{7}\u{202e}".to_owned();
    let policy = "apiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: y}\nstringData:\n  \
                  password: hunter2-in-the-clear\n  oter: yes\ntype: 5\n";
    let folder = Folder::of(&[
        ("site.yaml", &support::site()),
        (
            "evil.yaml",
            &format!(
                "apiVersion: planner/v1\nkind: Cluster\nmetadata: {{name: {}}}\n",
                json!(evil)
            ),
        ),
        ("secret.yaml", policy),
    ]);
    let mut server = Server::over(folder.path());
    for (tool, arguments) in [
        ("validate", json!({})),
        ("plan", json!({})),
        ("why", json!({})),
        ("risk", json!({})),
        (
            "diff",
            json!({"overlay": {"secret.yaml": policy.replace("type: 5", "type: 6")}}),
        ),
    ] {
        // `next` looks at every byte that is sent.
        let answer: Value = server.call(tool, arguments);
        assert!(!answer.to_string().contains("hunter2"), "{tool}: {answer}");
    }
}
