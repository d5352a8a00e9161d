//! Many calls, cancelled calls, clients that go away.

use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::Server;
use crate::support::{self, Folder};

fn site() -> Folder {
    Folder::of(&[("site.yaml", &support::site())])
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

#[test]
fn two_calls_at_once_are_both_answered() {
    let folder = site();
    let mut server = Server::over(folder.path());
    let first = server.begin("tools/call", call("risk", &json!({})));
    let second = server.begin("tools/call", call("plan", &json!({})));
    let third = server.begin("ping", json!({}));
    let mut answers: Vec<(u64, Value)> = (0..3)
        .map(|_| server.next().unwrap())
        .map(|answer| (answer["id"].as_u64().unwrap(), answer["result"].clone()))
        .collect();
    answers.sort_by_key(|(id, _)| *id);
    let ids: Vec<u64> = answers.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, [first, second, third]);
    assert_eq!(answers[0].1["structuredContent"]["result"], "assessed");
    assert_eq!(answers[1].1["structuredContent"]["result"], "ready");
    // The same id once more, while the first is not answered.
    let request = json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call",
        "params": call("risk", &json!({}))});
    server.send(&format!("{request}\n{request}\n{request}"));
    let answers: Vec<Value> = (0..3).map(|_| server.next().unwrap()).collect();
    assert!(answers.iter().all(|answer| answer["id"] == 99));
    assert!(answers.iter().any(|answer| answer["result"].is_object()));
}

#[test]
fn nothing_is_sent_for_a_cancelled_call() {
    let folder = Folder::new();
    folder.copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/site"),
        ".",
    );
    let mut server = Server::over(folder.path());
    let running = server.begin("tools/call", call("risk", &json!({})));
    let waiting = server.begin("tools/call", call("risk", &json!({})));
    let wanted = server.begin(
        "tools/call",
        call("explain", &json!({"code": "unbound_set"})),
    );
    for id in [running, waiting, 12345] {
        let params = json!({"requestId": id, "reason": "no longer wanted"});
        let cancel =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        server.send(&cancel.to_string());
    }
    assert_eq!(server.next().unwrap()["id"], wanted);
    assert_eq!(server.end(), (0, Vec::new()));
}

#[test]
fn what_was_asked_before_the_input_ends_is_answered() {
    let folder = site();
    let mut server = Server::over(folder.path());
    for _ in 0..5 {
        server.begin("tools/call", call("plan", &json!({})));
    }
    let (status, rest) = server.end();
    assert_eq!((status, rest.len()), (0, 5));
}

#[test]
fn a_client_that_goes_away_ends_the_server() {
    let folder = site();
    // In the middle of a message.
    let mut server = Server::over(folder.path());
    server
        .to
        .as_mut()
        .unwrap()
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,")
        .unwrap();
    let (status, rest) = server.end();
    assert_eq!((status, rest.len()), (0, 1));
    // Nobody reads the answers, and the input stays open.
    let mut server = Server::over(folder.path());
    server.begin("tools/call", call("plan", &json!({})));
    server.from.fill_buf().unwrap();
    server.from = Box::new(std::io::empty());
    let to = server.to.as_mut().unwrap();
    let status = (0..1500).find_map(|_| {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": call("explain", &json!({}))});
        let _ = to.write_all(format!("{request}\n").as_bytes());
        std::thread::sleep(Duration::from_millis(20));
        server.child.try_wait().unwrap()
    });
    let status = status.expect("the server ends within half a minute");
    assert_eq!(status.code(), Some(0));
}

/// Kilobytes that a process holds.
#[cfg(target_os = "linux")]
fn resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_calls() {
    let folder = site();
    let mut server = Server::over(folder.path());
    let changed = support::site().replace("cost: \"5\"", "cost: \"50\"");
    let calls = [
        call("validate", &json!({})),
        call(
            "plan",
            &json!({"overlay": {"site.yaml": changed, "new.yaml": support::BROKEN}}),
        ),
        call("diff", &json!({"overlay": {"site.yaml": changed}})),
        call("explain", &json!({})),
        call("plan", &json!({"path": "nowhere"})),
    ];
    let mut ask = |count: usize| {
        // Several on their way at any time.
        let (mut sent, mut got) = (0, 0);
        while got < count {
            while sent < count && sent < got + 8 {
                server.begin("tools/call", calls[sent % calls.len()].clone());
                sent += 1;
            }
            assert!(server.next().unwrap()["result"].is_object());
            got += 1;
        }
        resident(server.child.id())
    };
    let first = ask(500);
    let last = ask(1_500);
    assert!(
        last < first + first / 5 + 2_000,
        "{first} kB, then {last} kB"
    );
}
