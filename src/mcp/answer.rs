//! Answers that a client can take: a summary first, then lists as far as there is room.

use serde_json::{Map, Value, json};

/// The most bytes of an answer: clients refuse or cut longer ones.
pub(super) const MOST: usize = 20_000;
/// The most bytes of an item: what is longer is shortened.
const ITEM: usize = 6_000;
/// The bytes that `truncated` and `next` take.
const REST: usize = 64;

/// A list whose items are made as far as they are sent.
pub(super) type Items<'a> = Box<dyn Iterator<Item = Value> + 'a>;

/// An answer: fields that are always sent, and lists in order of weight. Pages go through all
/// lists, one after the other.
#[derive(Default)]
pub(super) struct Answer<'a> {
    head: Map<String, Value>,
    lists: Vec<(&'static str, Items<'a>)>,
}

impl<'a> Answer<'a> {
    /// Adds a field.
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.head.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a field if it has a value.
    pub(super) fn with_some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds a list.
    pub(super) fn list(
        mut self,
        key: &'static str,
        items: impl Iterator<Item = Value> + 'a,
    ) -> Self {
        self.lists.push((key, Box::new(items)));
        self
    }

    /// The answer from an item on; `next` is the first item that has no room.
    pub(super) fn page(self, from: usize) -> Value {
        let mut answer = match shortened(Value::Object(self.head), ITEM) {
            Value::Object(head) => head,
            other => Map::from_iter([("summary".to_owned(), other)]),
        };
        let keys: usize = self.lists.iter().map(|(key, _)| key.len() + 6).sum();
        let mut room = MOST.saturating_sub(length(&json!(answer)) + keys + REST);
        let (mut at, mut next) = (0, None);
        for (key, items) in self.lists {
            let mut sent = Vec::new();
            if next.is_none() {
                for item in items {
                    if at < from {
                        at += 1;
                        continue;
                    }
                    let item = shortened(item, ITEM);
                    let bytes = length(&item) + 1;
                    if bytes > room {
                        next = Some(at);
                        break;
                    }
                    room -= bytes;
                    at += 1;
                    sent.push(item);
                }
            }
            answer.insert(key.to_owned(), sent.into());
        }
        answer.insert("truncated".to_owned(), next.is_some().into());
        if let Some(next) = next {
            answer.insert("next".to_owned(), next.into());
        }
        Value::Object(answer)
    }
}

fn length(value: &Value) -> usize {
    super::wire::text(value).len()
}

/// A value of at most so many bytes: its longest texts and lists are cut.
pub(super) fn shortened(value: Value, most: usize) -> Value {
    if length(&value) <= most {
        return value;
    }
    for (text, list) in [(1000, 40), (300, 16), (120, 8), (60, 4), (30, 2)] {
        let cut = cut(&value, text, list);
        if length(&cut) <= most {
            return cut;
        }
    }
    Value::from("too long to be sent")
}

fn cut(value: &Value, text: usize, list: usize) -> Value {
    match value {
        Value::String(long) if long.len() > text => {
            let end = (0..=text).rev().find(|end| long.is_char_boundary(*end));
            let kept = &long[..end.unwrap_or(0)];
            format!("{kept}… ({} bytes more)", long.len() - kept.len()).into()
        }
        Value::Array(items) => {
            let mut kept: Vec<Value> = items
                .iter()
                .take(list)
                .map(|item| cut(item, text, list))
                .collect();
            if items.len() > list {
                kept.push(format!("… ({} more)", items.len() - list).into());
            }
            kept.into()
        }
        Value::Object(map) => {
            // The fields of an answer are few; more than these are data.
            let fields = map.iter().take(list.max(12));
            let fields = fields.map(|(key, value)| {
                let key = match cut(&Value::from(key.as_str()), text, list) {
                    Value::String(key) => key,
                    _ => String::new(),
                };
                (key, cut(value, text, list))
            });
            fields.collect::<Map<_, _>>().into()
        }
        value => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_one_another_and_none_is_too_long() {
        let answer = || {
            let items = (0..500).map(|at| json!({"at": at, "text": "x".repeat(at % 97)}));
            let more = (0..300).map(|at| json!(at));
            Answer::default()
                .with("count", 800)
                .list("items", items)
                .list("more", more)
        };
        let (mut from, mut seen, mut pages) = (0, 0, 0);
        loop {
            let page = answer().page(from);
            assert!(length(&page) <= MOST, "{}", length(&page));
            seen += page["items"].as_array().map_or(0, Vec::len);
            seen += page["more"].as_array().map_or(0, Vec::len);
            pages += 1;
            match page["next"].as_u64() {
                Some(next) => from = usize::try_from(next).expect("small"),
                None => break,
            }
        }
        assert_eq!(seen, 800);
        assert!(pages > 1);
        assert_eq!(answer().page(10_000)["truncated"], false);
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let long = json!({"name": "é\u{1b}".repeat(50_000), "list": vec!["x"; 50_000]});
        let short = shortened(long.clone(), ITEM);
        assert!(length(&short) <= ITEM);
        assert!(
            short["name"]
                .as_str()
                .is_some_and(|name| name.starts_with('é'))
        );
        let page = Answer::default()
            .with("a", long.clone())
            .list("b", [long].into_iter())
            .page(0);
        assert!(length(&page) <= MOST);
    }
}
