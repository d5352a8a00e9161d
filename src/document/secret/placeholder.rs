//! Values that somebody else fills in: templates and variables. They are no secret.

/// Functions of templates whose arguments only name things.
const NAMING: [&str; 12] = [
    "copyConfigMapData",
    "copySecretData",
    "dig",
    "eq",
    "fromClusterClaim",
    "fromConfigMap",
    "fromSecret",
    "get",
    "hasKey",
    "index",
    "lookup",
    "ne",
];

/// Words of templates that no function is.
const WORDS: [&str; 6] = ["else", "if", "range", "with", "hub", ":="];

/// Whether a value is empty, or nothing but placeholders without a text of their own.
pub(super) fn is_placeholder(value: &str) -> bool {
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '"' || c == '\'');
        let after = if rest.is_empty() {
            return true;
        } else if let Some(action) = rest.strip_prefix("{{") {
            let action = action.split_once("}}");
            action
                .filter(|(action, _)| !has_text(action))
                .map(|(_, after)| after)
        } else if let Some(name) = rest.strip_prefix("${") {
            let name = name.split_once('}');
            name.filter(|(name, _)| is_name(name))
                .map(|(_, after)| after)
        } else if let Some(name) = rest.strip_prefix('$') {
            let after = name.trim_start_matches(|c: char| c.is_ascii_uppercase() || c == '_');
            (after.len() < name.len()).then_some(after)
        } else {
            None
        };
        match after {
            Some(after) => rest = after,
            None => return false,
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether an action holds a literal that may end up in the value, or a comment.
fn has_text(action: &str) -> bool {
    if action.contains("/*") {
        return true;
    }
    // The functions of the open brackets.
    let mut calls = vec![""];
    let mut rest = action.trim_start_matches('-');
    while let Some(next) = rest.chars().next() {
        let mut length = next.len_utf8();
        match next {
            '(' => calls.push(""),
            ')' => drop(calls.pop()),
            '|' => drop(calls.pop().map(|_| calls.push(""))),
            '"' | '\'' | '`' => {
                if !calls.last().is_some_and(|call| NAMING.contains(call)) {
                    return true;
                }
                match rest[1..].find(next) {
                    Some(close) => length = close + 2,
                    None => return true,
                }
            }
            _ if next.is_alphanumeric() || ":$.".contains(next) => {
                let is_word = |c: char| c.is_alphanumeric() || ":=$._".contains(c);
                let word = rest.split(|c| !is_word(c)).next().unwrap_or(rest);
                length = word.len();
                if let Some(call) = calls.last_mut().filter(|call| call.is_empty())
                    && !WORDS.contains(&word)
                {
                    *call = word;
                }
            }
            _ => {}
        }
        rest = &rest[length..];
    }
    false
}
