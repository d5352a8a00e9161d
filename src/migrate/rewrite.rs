//! The text of a PlacementRule as that of a Placement, in its place.

use serde_json::{Value, json};

use super::target::{Priority, Select, Target};
use super::text::{Doc, Unwritable, range};
use crate::repair::text::Replacement;
use crate::yaml::Node;

/// The version of a Placement.
pub(super) const PLACEMENT_API: &str = "cluster.open-cluster-management.io/v1beta1";
/// The metadata that a server writes, and that an object of another kind must not have.
const OF_THE_SERVER: [&str; 6] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];
/// By how much a selector moves to the right.
const SHIFT: usize = 6;

/// The edits that make a Placement of a rule.
pub(super) fn placement(
    doc: &Doc<'_>,
    target: &Target,
    name: &str,
) -> Result<Vec<Replacement>, Unwritable> {
    let root = doc.root;
    let field = |path: &[&str]| root.at(path).ok_or(Unwritable::Form);
    let mut edits = vec![
        doc.scalar(field(&["apiVersion"])?, PLACEMENT_API)?,
        doc.scalar(field(&["kind"])?, "Placement")?,
        doc.scalar(field(&["metadata", "name"])?, name)?,
    ];
    let metadata = field(&["metadata"])?;
    for key in OF_THE_SERVER {
        edits.extend(doc.without(metadata, key)?);
    }
    edits.push(spec(doc, target)?);
    edits.extend(doc.without(root, "status")?);
    Ok(edits)
}

fn spec(doc: &Doc<'_>, target: &Target) -> Result<Replacement, Unwritable> {
    let root = doc.root;
    let Some((key, value)) = root.entry("spec") else {
        let end = doc.last(root);
        if root.is_flow() {
            let last = root.entries().last().ok_or(Unwritable::Form)?;
            let at = doc.last_of(last.0, last.1);
            let spec = whole(doc, target);
            let name = doc.value(&json!("spec"));
            return Ok((at..at, format!(", {name}: {spec}")));
        }
        let column = doc.column(range(root).start);
        let at = doc.line_end(end);
        let lines = lines(target, column + 2);
        let text = format!("{}{:column$}spec:{}", doc.newline, "", doc.newline);
        let text = text + &doc.joined(lines);
        return Ok((at..at, text.trim_end().to_owned()));
    };
    if value.is_mapping() && !value.is_empty() {
        return if value.is_flow() {
            in_braces(doc, value, target)
        } else {
            in_lines(doc, value, target)
        };
    }
    if value.is_mapping() || root.is_flow() {
        let own = range(value);
        return if own.is_empty() {
            let at = range(key).end + 1;
            Ok((at..at, format!(" {}", whole(doc, target))))
        } else {
            Ok((own, whole(doc, target)))
        };
    }
    if !value.is_null() {
        return Err(Unwritable::Form);
    }
    let own = doc.lines(key, value)?;
    let last = doc.last_of(key, value);
    let tail = &doc.text[last..doc.line_end(last)];
    let column = doc.column(range(key).start) + 2;
    let text = format!("{tail}{}", doc.newline) + &doc.joined(lines(target, column));
    Ok((range(key).end + 1..own.end, text))
}

/// A whole spec in braces.
fn whole(doc: &Doc<'_>, target: &Target) -> String {
    let mut spec = head(target);
    if let Some(predicate) = predicate(target) {
        spec.push(("predicates", json!([predicate])));
    }
    if let Some(number) = target.number {
        spec.push(("numberOfClusters", json!(number)));
    }
    let pair = |(key, value): &(&str, Value)| pair(doc, key, &doc.value(value));
    format!(
        "{{{}}}",
        spec.iter().map(pair).collect::<Vec<_>>().join(", ")
    )
}

fn pair(doc: &Doc<'_>, key: &str, value: &str) -> String {
    format!("{}: {value}", doc.value(&json!(key)))
}

/// The fields of every Placement before its predicates.
fn head(target: &Target) -> Vec<(&'static str, Value)> {
    let mut all = vec![("clusterSets", json!(["global"]))];
    if target.tolerates {
        all.push(("tolerations", json!([{"operator": "Exists"}])));
    }
    if let Some(priority) = &target.priority {
        let mut policy = json!({"mode": "Exact"});
        if let Some((score, weight)) = score(priority) {
            let mut configuration =
                json!({"scoreCoordinate": {"type": "BuiltIn", "builtIn": score}});
            if weight != 1 {
                configuration["weight"] = weight.into();
            }
            policy["configurations"] = json!([configuration]);
        }
        all.push(("prioritizerPolicy", policy));
    }
    all
}

fn score(priority: &Priority) -> Option<(&'static str, i64)> {
    match priority {
        Priority::Steady => Some(("Steady", 1)),
        Priority::Equal => None,
        Priority::Cpu { ascending } => {
            Some(("ResourceAllocatableCPU", if *ascending { -1 } else { 1 }))
        }
        Priority::Memory { ascending } => {
            Some(("ResourceAllocatableMemory", if *ascending { -1 } else { 1 }))
        }
    }
}

/// The predicate of a rule whose own selector does not count.
fn predicate(target: &Target) -> Option<Value> {
    let mut selector = json!({});
    if let Select::Names(names) = &target.select {
        selector["labelSelector"] =
            json!({"matchExpressions": [{"key": "name", "operator": "In", "values": names}]});
    }
    if let Some(cel) = &target.cel {
        selector["celSelector"] = json!({"celExpressions": [cel]});
    }
    let empty = selector.as_object().is_none_or(serde_json::Map::is_empty);
    (!empty).then(|| json!({"requiredClusterSelector": selector}))
}

/// A whole spec in lines.
fn lines(target: &Target, column: usize) -> Vec<String> {
    let mut all = head_lines(target);
    if !matches!(target.select, Select::Own) {
        all.extend(predicate_lines(target));
    }
    if let Some(number) = target.number {
        all.push(format!("numberOfClusters: {number}"));
    }
    indented(all, column)
}

fn indented(lines: Vec<String>, column: usize) -> Vec<String> {
    let all = lines.into_iter();
    all.map(|line| format!("{:column$}{line}", "")).collect()
}

fn head_lines(target: &Target) -> Vec<String> {
    let mut all = vec!["clusterSets:".to_owned(), "  - global".to_owned()];
    if target.tolerates {
        all.extend(["tolerations:", "  - operator: Exists"].map(str::to_owned));
    }
    if let Some(priority) = &target.priority {
        all.extend(["prioritizerPolicy:", "  mode: Exact"].map(str::to_owned));
        if let Some((score, weight)) = score(priority) {
            all.push("  configurations:".to_owned());
            all.push("    - scoreCoordinate:".to_owned());
            all.push("        type: BuiltIn".to_owned());
            all.push(format!("        builtIn: {score}"));
            if weight != 1 {
                all.push(format!("      weight: {weight}"));
            }
        }
    }
    all
}

/// The predicate of a rule whose own selector does not count, in lines.
fn predicate_lines(target: &Target) -> Vec<String> {
    let mut all = Vec::new();
    if let Select::Names(names) = &target.select {
        all.extend(
            [
                "      labelSelector:",
                "        matchExpressions:",
                "          - key: name",
                "            operator: In",
                "            values:",
            ]
            .map(str::to_owned),
        );
        let name = |name: &String| format!("              - {}", written_text(name));
        all.extend(names.iter().map(name));
    }
    all.extend(cel_lines(target));
    if !all.is_empty() {
        all.splice(
            0..0,
            ["predicates:", "  - requiredClusterSelector:"].map(str::to_owned),
        );
    }
    all
}

fn cel_lines(target: &Target) -> Vec<String> {
    let Some(cel) = &target.cel else {
        return Vec::new();
    };
    vec![
        "      celSelector:".to_owned(),
        "        celExpressions:".to_owned(),
        format!("          - {}", written_text(cel)),
    ]
}

/// A text in single quotes where it needs some and has nothing that they cannot hold.
fn written_text(text: &str) -> String {
    let plain = crate::repair::text::written(&Value::from(text));
    if plain.starts_with('"') && !text.chars().any(char::is_control) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        plain
    }
}

/// Rewrites a block spec entry by entry, each into the Placement's form.
fn in_lines(doc: &Doc<'_>, spec: Node<'_>, target: &Target) -> Result<Replacement, Unwritable> {
    let entries: Vec<(Node<'_>, Node<'_>)> = spec.entries().collect();
    let (first, _) = *entries.first().ok_or(Unwritable::Form)?;
    let column = doc.column(range(first).start);
    let mut all = Vec::new();
    let own = matches!(target.select, Select::Own);
    for (key, value) in &entries {
        let lines = doc.lines(*key, *value)?;
        let last = doc.last_of(*key, *value);
        let new = match key.text().unwrap_or_default() {
            "clusterSelector" if own => {
                let from = range(*key).end;
                let rest = shifted(doc, from..doc.line_end(last));
                let head = ["predicates:", "  - requiredClusterSelector:"];
                let head = head.map(|line| format!("{:column$}{line}", ""));
                let mut text = doc.joined(head);
                text.push_str(&format!("{:column$}      labelSelector{rest}", ""));
                text.push_str(doc.newline);
                text + &doc.joined(indented(cel_lines(target), column))
            }
            "clusterReplicas" if target.number.is_some() => {
                let number = target.number.unwrap_or_default();
                let tail = &doc.text[last..doc.line_end(last)];
                doc.joined([format!("{:column$}numberOfClusters: {number}{tail}", "")])
            }
            _ => doc.kept(lines.clone(), column),
        };
        all.push((lines, new));
    }
    let mut head = head_lines(target);
    if !own {
        head.extend(predicate_lines(target));
    }
    let start = all.first().map_or(0, |(lines, _)| lines.start);
    let end = all.last().map_or(0, |(lines, _)| lines.end);
    let mut text = doc.joined(indented(head, column));
    let mut at = start;
    for (lines, new) in all {
        text.push_str(doc.text.get(at..lines.start).ok_or(Unwritable::Form)?);
        text.push_str(&new);
        at = lines.end;
    }
    // The last line of a file may have no end.
    if !doc.text[start..end].ends_with('\n') {
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    Ok((start..end, text))
}

/// A part of the text whose lines after the first are moved to the right.
fn shifted(doc: &Doc<'_>, part: std::ops::Range<usize>) -> String {
    let mut lines = doc.text[part].split('\n');
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        text.push('\n');
        if !line.trim().is_empty() {
            text.push_str(&" ".repeat(SHIFT));
        }
        text.push_str(line);
    }
    text
}

/// A spec that is written in braces.
fn in_braces(doc: &Doc<'_>, spec: Node<'_>, target: &Target) -> Result<Replacement, Unwritable> {
    if !doc.comments(range(spec)).is_empty() {
        return Err(Unwritable::Comments);
    }
    let entries: Vec<(Node<'_>, Node<'_>)> = spec.entries().collect();
    let (Some((first, _)), Some((key, value))) = (entries.first(), entries.last()) else {
        return Err(Unwritable::Form);
    };
    let whole = range(*first).start..doc.last_of(*key, *value);
    let mut pieces: Vec<String> = head(target)
        .iter()
        .map(|(key, value)| pair(doc, key, &doc.value(value)))
        .collect();
    let own = matches!(target.select, Select::Own);
    if let Some(predicate) = predicate(target).filter(|_| !own) {
        pieces.push(pair(doc, "predicates", &doc.value(&json!([predicate]))));
    }
    for (key, value) in &entries {
        match key.text().unwrap_or_default() {
            "clusterSelector" if own => {
                let old = &doc.text[range(*value).start..doc.last(*value)];
                let mut inner = pair(doc, "labelSelector", old);
                if let Some(cel) = &target.cel {
                    let cel = doc.value(&json!({"celExpressions": [cel]}));
                    inner.push_str(&format!(", {}", pair(doc, "celSelector", &cel)));
                }
                let selector = pair(doc, "requiredClusterSelector", &format!("{{{inner}}}"));
                pieces.push(pair(doc, "predicates", &format!("[{{{selector}}}]")));
            }
            "clusterReplicas" => {
                let number = target.number.map(|number| number.to_string());
                pieces.extend(number.map(|number| pair(doc, "numberOfClusters", &number)));
            }
            _ => {}
        }
    }
    let column = doc.column(range(*first).start);
    let before = &doc.text[doc.line_start(range(*first).start)..range(*first).start];
    let separator = if before.trim().is_empty() {
        format!(",{}{:column$}", doc.newline, "")
    } else {
        ", ".to_owned()
    };
    Ok((whole, pieces.join(&separator)))
}
