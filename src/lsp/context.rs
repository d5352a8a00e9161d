//! Where in a document a text is being typed: worked out from what is above, as what is being typed
//! is seldom YAML.

use std::collections::BTreeMap;

/// A mapping or list that is open at the place.
#[derive(Debug, Clone, Default)]
struct Frame {
    /// Column of the key or dash; `None` inside of brackets.
    indent: Option<usize>,
    /// The key, or an item.
    step: Option<String>,
    /// The scalars that its mapping has so far.
    pairs: BTreeMap<String, String>,
    /// The bracket that opened it.
    bracket: Option<char>,
}

/// The place where something is typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Context {
    /// Keys from the root of the innermost object with a kind; items are `None`.
    pub(super) path: Vec<Option<String>>,
    /// Whether a value is typed, not a key; an item may be both.
    pub(super) is_value: bool,
    /// The text that is typed so far.
    pub(super) typed: String,
    /// The scalars of the mapping so far.
    pub(super) pairs: BTreeMap<String, String>,
    /// The scalars of the object: its kind, for one.
    pub(super) object: BTreeMap<String, String>,
    /// The word that is typed behind an open `{{`.
    pub(super) template: Option<String>,
}

/// The context at the end of a text.
pub(super) fn context(before: &str) -> Context {
    let begin = before.rfind("\n---").map_or(0, |at| {
        before[at + 1..]
            .find('\n')
            .map_or(before.len(), |end| at + 1 + end + 1)
    });
    let document = &before[begin..];
    let mut frames = vec![Frame::default()];
    let mut context = Context::default();
    let mut lines = document.split('\n').peekable();
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        let line = line.trim_end_matches('\r');
        let content = line.trim_start_matches(' ');
        if !is_last && (content.is_empty() || content.starts_with('#')) {
            continue;
        }
        let in_flow = frames.last().is_some_and(|frame| frame.bracket.is_some());
        if in_flow {
            flow(&mut frames, content, is_last, &mut context);
        } else {
            block(
                &mut frames,
                line.len() - content.len(),
                content,
                is_last,
                &mut context,
            );
        }
    }
    let line = document.rsplit('\n').next().unwrap_or("");
    if let Some(open) = line.rfind("{{")
        && !line[open..].contains("}}")
    {
        let word = line[open + 2..].rsplit([' ', '(', '|', '\t']).next();
        context.template = word.map(|word| word.trim_start_matches('-').to_owned());
    }
    finish(frames, context)
}

/// The scalars that follow in the mapping whose key stands at the end of a text, outside of
/// brackets.
pub(super) fn pairs_below(before: &str, after: &str) -> BTreeMap<String, String> {
    let line = before.rsplit('\n').next().unwrap_or("");
    let column = line.len() - line.trim_start_matches(['-', ' ']).len();
    let mut pairs = BTreeMap::new();
    if line.contains(['{', '[']) {
        return pairs;
    }
    for line in after.lines().skip(1) {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        if content.is_empty() || content.starts_with('#') || indent > column {
            continue;
        }
        let Some((key, value)) = split(content).filter(|_| indent == column) else {
            break;
        };
        pairs.insert(key.to_owned(), unquoted(value).to_owned());
    }
    pairs
}

/// A line outside of brackets.
fn block(
    frames: &mut Vec<Frame>,
    mut indent: usize,
    mut content: &str,
    is_last: bool,
    context: &mut Context,
) {
    while content == "-" || content.starts_with("- ") {
        // A list may stand in the column of its key.
        let ends = |frame: &Frame| {
            let column = frame.indent.unwrap_or(0);
            column > indent || column == indent && frame.step.is_none()
        };
        while frames.len() > 1 && frames.last().is_some_and(ends) {
            frames.pop();
        }
        frames.push(Frame {
            indent: Some(indent),
            ..Frame::default()
        });
        let rest = content[1..].trim_start_matches(' ');
        indent += content.len() - rest.len();
        content = rest;
    }
    let ends = |frame: &Frame| frame.indent.is_some_and(|own| own >= indent);
    while frames.len() > 1 && frames.last().is_some_and(ends) {
        frames.pop();
    }
    let Some((key, value)) = split(content) else {
        if content.starts_with(['{', '[']) {
            flow(frames, content, is_last, context);
        } else if is_last {
            context.typed = content.to_owned();
        }
        return;
    };
    if let Some(holder) = frames.last_mut() {
        holder
            .pairs
            .insert(key.to_owned(), unquoted(value).to_owned());
    }
    frames.push(Frame {
        indent: Some(indent),
        step: Some(key.to_owned()),
        ..Frame::default()
    });
    if value.starts_with(['{', '[']) && !value.starts_with("{{") {
        flow(frames, value, is_last, context);
    } else if is_last {
        context.is_value = true;
        context.typed = value.to_owned();
    }
}

/// A key and what follows its colon.
fn split(content: &str) -> Option<(&str, &str)> {
    if content.starts_with(['{', '[', '"', '\'', '#']) {
        return None;
    }
    let (key, value) = match content.split_once(": ") {
        Some(pair) => pair,
        None => (content.strip_suffix(':')?, ""),
    };
    Some((key.trim(), value.trim_start()))
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// A line, or the end of one, inside of brackets.
fn flow(frames: &mut Vec<Frame>, content: &str, is_last: bool, context: &mut Context) {
    let mut token = String::new();
    let mut quote = None;
    let mut letters = content.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            _ if quote == Some(c) => {
                quote = None;
                token.push(c);
            }
            _ if quote.is_some() => token.push(c),
            '"' | '\'' if token.trim().is_empty() => {
                quote = Some(c);
                token.push(c);
            }
            '{' | '[' => {
                token.clear();
                frames.push(Frame {
                    bracket: Some(c),
                    ..Frame::default()
                });
            }
            ',' | '}' | ']' => {
                // A key ends with its value.
                if frames
                    .last()
                    .is_some_and(|frame| frame.step.is_some() && frame.bracket == Some(':'))
                {
                    let key = frames
                        .pop()
                        .and_then(|frame| frame.step)
                        .unwrap_or_default();
                    if let Some(holder) = frames.last_mut() {
                        holder.pairs.insert(key, unquoted(&token).to_owned());
                    }
                }
                token.clear();
                if c != ',' {
                    let is_bracket = |frame: &Frame| matches!(frame.bracket, Some('{' | '['));
                    if frames.last().is_some_and(is_bracket) {
                        frames.pop();
                    }
                }
            }
            ':' if letters.peek().is_none_or(|next| *next == ' ') => {
                frames.push(Frame {
                    bracket: Some(':'),
                    step: Some(unquoted(&token).to_owned()),
                    ..Frame::default()
                });
                token.clear();
            }
            '#' if token.ends_with(' ') || token.is_empty() => break,
            c => token.push(c),
        }
    }
    if is_last {
        let last = frames.last().and_then(|frame| frame.bracket);
        context.is_value = matches!(last, Some(':' | '['));
        context.typed = token.trim_start().to_owned();
    }
}

/// Puts together the path from the innermost object with a kind.
fn finish(frames: Vec<Frame>, mut context: Context) -> Context {
    // A reference says the group of what it refers to; an object has an `apiVersion`.
    let has = |frame: &Frame, key: &str| frame.pairs.contains_key(key);
    let with_kind = |frame: &Frame| has(frame, "kind") && !has(frame, "apiGroup");
    let root = frames.iter().rposition(with_kind).unwrap_or(0);
    context.object = frames[root].pairs.clone();
    for frame in &frames[root + 1..] {
        match (&frame.step, frame.bracket) {
            (Some(key), _) => context.path.push(Some(key.clone())),
            // A mapping in braces is what is before it.
            (None, Some('{')) => {}
            (None, _) => context.path.push(None),
        }
    }
    if let Some(last) = frames.last() {
        let holder = match last.bracket {
            Some(':') => frames.get(frames.len().wrapping_sub(2)),
            _ if last.step.is_some() && context.is_value => {
                frames.get(frames.len().wrapping_sub(2))
            }
            _ => Some(last),
        };
        context.pairs = holder.map(|frame| frame.pairs.clone()).unwrap_or_default();
    }
    // Items of a list whose siblings decide what they may be: those of the mapping around it.
    if context.pairs.is_empty() && context.path.last() == Some(&None) && frames.len() >= 3 {
        let around = frames
            .iter()
            .rev()
            .skip(1)
            .find(|frame| !frame.pairs.is_empty());
        context.pairs = around.map(|frame| frame.pairs.clone()).unwrap_or_default();
    }
    context
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> (String, bool, String) {
        let context = context(text);
        let path = context
            .path
            .iter()
            .map(|step| step.as_deref().unwrap_or("*"));
        let path = path.collect::<Vec<_>>().join("/");
        (path, context.is_value, context.typed)
    }

    #[test]
    fn keys_and_values_are_found_by_their_columns() {
        let head = "kind: Placement\nmetadata: {name: p, namespace: n}\nspec:\n";
        let of = |rest: &str| at(&format!("a: b\n---\n{head}{rest}"));
        let is = |path: &str, value, typed: &str| (path.to_owned(), value, typed.to_owned());
        assert_eq!(of("  num"), is("spec", false, "num"));
        assert_eq!(
            of("  clusterSets:\n  - ha"),
            is("spec/clusterSets/*", false, "ha")
        );
        assert_eq!(
            of("  clusterSets: [a, ha"),
            is("spec/clusterSets/*", true, "ha")
        );
        assert_eq!(
            of("  numberOfClusters: "),
            is("spec/numberOfClusters", true, "")
        );
        let predicates = "  predicates:\n  - requiredClusterSelector:\n      labelSelector:\n";
        let selector = "spec/predicates/*/requiredClusterSelector/labelSelector";
        assert_eq!(
            of(&format!("{predicates}        matchLabels: {{tier: co")),
            is(&format!("{selector}/matchLabels/tier"), true, "co")
        );
        assert_eq!(
            of(&format!("{predicates}        matchLabels:\n          ti")),
            is(&format!("{selector}/matchLabels"), false, "ti")
        );
        let listed = format!("{predicates}        matchExpressions:\n        - {{key: tier, ");
        assert_eq!(
            of(&format!("{listed}operator: ")),
            is(&format!("{selector}/matchExpressions/*/operator"), true, "")
        );
        let values = context(&format!("{head}{listed}operator: In, values: [core, \"me"));
        assert_eq!(values.pairs["key"], "tier");
        assert_eq!(values.typed, "\"me");
    }

    #[test]
    fn the_innermost_object_with_a_kind_counts() {
        let text = "kind: Policy\nspec:\n  policy-templates:\n  - objectDefinition:\n      \
                    kind: ConfigurationPolicy\n      spec:\n        sev";
        let context = context(text);
        assert_eq!(context.object["kind"], "ConfigurationPolicy");
        assert_eq!(context.path, [Some("spec".to_owned())]);
        assert_eq!(context.typed, "sev");
    }

    #[test]
    fn what_follows_in_the_mapping_is_known() {
        let below = |before: &str, after: &str| Vec::from_iter(pairs_below(before, after));
        let kind = [("kind".to_owned(), "Policy".to_owned())];
        assert_eq!(below("subjects:\n- name: ", "\n  kind: Policy\n"), kind);
        assert_eq!(
            below("a:\n  name: ", "\n  # x\n  kind: 'Policy'\nkind: b"),
            kind
        );
        assert_eq!(below("- name: ", "\n- kind: Policy\n"), []);
        assert_eq!(below("  - name: ", "\n---\n    kind: Policy\n"), []);
        assert_eq!(below("a: {name: ", "}\nkind: Policy\n"), []);
        assert_eq!(below("name: x", ""), []);
    }

    #[test]
    fn an_open_template_is_seen() {
        assert_eq!(
            context("a: '{{ fromSec").template.as_deref(),
            Some("fromSec")
        );
        assert_eq!(
            context("a: '{{hub .Managed | toI").template.as_deref(),
            Some("toI")
        );
        assert_eq!(context("a: '{{ x }}").template, None);
    }
}
