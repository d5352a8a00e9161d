//! A forge that keeps comments and reports in memory, at an address of this machine.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// What a forge was told and holds.
#[derive(Default)]
pub(crate) struct State {
    /// Method and path of each call, in order.
    pub(crate) calls: Vec<String>,
    /// The comments of the only pull request.
    pub(crate) comments: Vec<String>,
    /// Who wrote a comment, where it is not the token's user.
    pub(crate) strangers: Vec<usize>,
    /// Whether every page holds comments that no other has.
    pub(crate) endless: bool,
    /// Reports, as they were sent.
    pub(crate) reports: Vec<Value>,
}

pub(crate) struct Forge {
    pub(crate) address: String,
    pub(crate) state: Arc<Mutex<State>>,
}

impl Forge {
    /// A forge with these comments; one that is `closed` lets nobody write.
    pub(crate) fn new(comments: &[&str], closed: bool) -> Self {
        Self::paged(comments, closed, usize::MAX)
    }

    /// A forge whose pages have at most so many comments; with 0 each page has all of them.
    pub(crate) fn paged(comments: &[&str], closed: bool, most: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            comments: comments.iter().map(|text| (*text).to_owned()).collect(),
            ..State::default()
        }));
        let kept = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                serve(stream, &kept, closed, most);
            }
        });
        Self { address, state }
    }
}

fn serve(mut stream: TcpStream, state: &Mutex<State>, closed: bool, most: usize) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let mut state = state.lock().unwrap();
    state.calls.push(format!("{method} {path}"));
    let (status, answer) = match method {
        "GET" if path.ends_with("/user") && closed => (403, json!({})),
        "GET" if path.ends_with("/user") => (200, json!({"id": 1, "login": "planner-bot"})),
        "GET" => (200, listed(&state, path, most)),
        _ => answer(&mut state, method, path, &body, closed),
    };
    let answer = answer.to_string();
    let head = format!(
        "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(answer.as_bytes()).unwrap();
}

fn listed(state: &State, path: &str, most: usize) -> Value {
    let number = |name: &str| {
        let (_, value) = path.split_once(name)?;
        value.split('&').next()?.parse::<usize>().ok()
    };
    let (size, page) = match most {
        0 => (usize::MAX, 1),
        most => (
            number("per_page=").unwrap().min(most),
            number("&page=").unwrap(),
        ),
    };
    if state.endless {
        let first = page * 1000;
        let all = (first..first + size).map(|id| json!({"id": id, "body": "more"}));
        return all.collect();
    }
    let all = state.comments.iter().enumerate();
    let found = all.skip((page - 1) * size).take(size);
    let found: Vec<Value> = found
        .map(|(id, body)| {
            let user = if state.strangers.contains(&id) {
                json!({"id": 2, "login": "stranger"})
            } else {
                json!({"id": 1, "login": "planner-bot"})
            };
            json!({"id": id, "body": body, "user": user, "author": user})
        })
        .collect();
    Value::from(found)
}

fn answer(state: &mut State, method: &str, path: &str, body: &Value, closed: bool) -> (u16, Value) {
    let text = || body["body"].as_str().unwrap_or_default().to_owned();
    match method {
        _ if closed => (403, json!({"message": "not accessible"})),
        "POST" if path.ends_with("/sarifs") => {
            state.reports.push(body.clone());
            (202, json!({}))
        }
        "POST" => {
            state.comments.push(text());
            (201, json!({}))
        }
        _ => {
            let id: usize = path.rsplit('/').next().unwrap().parse().unwrap();
            state.comments[id] = text();
            (200, json!({}))
        }
    }
}
