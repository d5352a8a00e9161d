//! The JSON form of a cluster that CEL sees: the object as Go serialises it.

use std::borrow::Cow;

use super::{get, int, items, labels};
use crate::kit::quantity::Quantity;
use crate::kit::time::{format_seconds, parse_rfc3339};
use crate::ocm::model::Data;
use crate::yaml::{Dialect, Node, Scalar};

type Fields<'a> = Vec<(Cow<'a, str>, Data<'a>)>;

fn borrowed<'a>(text: &'a str) -> Data<'a> {
    Data::Text(Cow::Borrowed(text))
}

/// Adds a text that is there and not empty.
fn add_text<'a>(fields: &mut Fields<'a>, node: Node<'a>, key: &'static str) {
    if let Some(text) = get(node, key)
        .and_then(Node::text)
        .filter(|text| !text.is_empty())
    {
        fields.push((key.into(), borrowed(text)));
    }
}

fn add_int<'a>(fields: &mut Fields<'a>, node: Node<'a>, key: &'static str) {
    if let Some(value) = get(node, key).and_then(int).filter(|value| *value != 0) {
        fields.push((key.into(), Data::Int(value)));
    }
}

fn time<'a>(node: Option<Node<'a>>) -> Data<'a> {
    match node.and_then(Node::text).and_then(parse_rfc3339) {
        Some(time) => Data::Text(Cow::Owned(format_seconds(time))),
        None => Data::Null,
    }
}

fn texts<'a>(node: Node<'a>) -> Data<'a> {
    Data::Map(
        labels(Some(node))
            .into_iter()
            .map(|(k, v)| (k.into(), borrowed(v)))
            .collect(),
    )
}

pub(super) fn cluster<'a>(node: Node<'a>) -> Data<'a> {
    let mut fields = Fields::new();
    add_text(&mut fields, node, "kind");
    add_text(&mut fields, node, "apiVersion");
    fields.push(("metadata".into(), metadata(node)));
    fields.push(("spec".into(), spec(get(node, "spec"))));
    fields.push(("status".into(), status(get(node, "status"))));
    Data::Map(fields)
}

fn metadata<'a>(node: Node<'a>) -> Data<'a> {
    let mut fields = Fields::new();
    let Some(node) = get(node, "metadata") else {
        return Data::Map(fields);
    };
    for key in [
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
    ] {
        add_text(&mut fields, node, key);
    }
    add_int(&mut fields, node, "generation");
    for key in ["creationTimestamp", "deletionTimestamp"] {
        if let value @ Data::Text(_) = time(get(node, key)) {
            fields.push((key.into(), value));
        }
    }
    add_int(&mut fields, node, "deletionGracePeriodSeconds");
    for key in ["labels", "annotations"] {
        if let Some(map) = get(node, key).filter(|map| !map.is_empty()) {
            fields.push((key.into(), texts(map)));
        }
    }
    for key in ["ownerReferences", "finalizers", "managedFields"] {
        if let Some(list) = get(node, key).filter(|list| !list.is_empty()) {
            fields.push((key.into(), any(list)));
        }
    }
    Data::Map(fields)
}

fn spec<'a>(node: Option<Node<'a>>) -> Data<'a> {
    let mut fields = Fields::new();
    let flag = node.and_then(|node| get(node, "hubAcceptsClient"));
    let accepts = flag.and_then(|flag| flag.scalar(Dialect::Kubernetes));
    let configs = node.and_then(|node| get(node, "managedClusterClientConfigs"));
    if let Some(configs) = configs.filter(|configs| !configs.is_empty()) {
        let one = |config: Node<'a>| {
            let url = get(config, "url").and_then(Node::text).unwrap_or("");
            let mut fields: Fields<'a> = vec![("url".into(), borrowed(url))];
            add_text(&mut fields, config, "caBundle");
            Data::Map(fields)
        };
        let list = configs.items().map(one).collect();
        fields.push(("managedClusterClientConfigs".into(), Data::List(list)));
    }
    fields.push((
        "hubAcceptsClient".into(),
        Data::Bool(accepts == Some(Scalar::Bool(true))),
    ));
    if let Some(node) = node {
        let lease = get(node, "leaseDurationSeconds")
            .and_then(int)
            .unwrap_or(60);
        if lease != 0 {
            fields.push(("leaseDurationSeconds".into(), Data::Int(lease)));
        }
        let taints: Vec<Data<'a>> = items(get(node, "taints")).map(taint).collect();
        if !taints.is_empty() {
            fields.push(("taints".into(), Data::List(taints)));
        }
    }
    Data::Map(fields)
}

fn taint<'a>(node: Node<'a>) -> Data<'a> {
    let mut fields = Fields::new();
    let text = |key| get(node, key).and_then(Node::text).unwrap_or("");
    fields.push(("key".into(), borrowed(text("key"))));
    add_text(&mut fields, node, "value");
    fields.push(("effect".into(), borrowed(text("effect"))));
    fields.push(("timeAdded".into(), time(get(node, "timeAdded"))));
    Data::Map(fields)
}

fn status<'a>(node: Option<Node<'a>>) -> Data<'a> {
    let mut fields = Fields::new();
    let part = |key: &str| {
        node.and_then(|node| get(node, key))
            .filter(|part| !part.is_empty())
    };
    let conditions = match part("conditions") {
        None => Data::Null,
        Some(list) => Data::List(list.items().map(condition).collect()),
    };
    fields.push(("conditions".into(), conditions));
    for key in ["capacity", "allocatable"] {
        let Some(list) = part(key) else { continue };
        let amounts = list.entries().filter_map(|(name, amount)| {
            let amount = match amount.digits(Dialect::Kubernetes)? {
                Cow::Borrowed(text) => canonical(text),
                Cow::Owned(text) => canonical(&text).into_owned().into(),
            };
            Some((Cow::Borrowed(name.text()?), Data::Text(amount)))
        });
        fields.push((key.into(), Data::Map(amounts.collect())));
    }
    let mut version = Fields::new();
    if let Some(node) = node.and_then(|node| get(node, "version")) {
        add_text(&mut version, node, "kubernetes");
    }
    fields.push(("version".into(), Data::Map(version)));
    if let Some(list) = part("clusterClaims") {
        let claim = |node| {
            let mut fields = Fields::new();
            add_text(&mut fields, node, "name");
            add_text(&mut fields, node, "value");
            Data::Map(fields)
        };
        let claims = list.items().map(claim).collect();
        fields.push(("clusterClaims".into(), Data::List(claims)));
    }
    if let Some(list) = part("managedNamespaces") {
        fields.push(("managedNamespaces".into(), any(list)));
    }
    Data::Map(fields)
}

fn condition<'a>(node: Node<'a>) -> Data<'a> {
    let mut fields = Fields::new();
    let text = |key| borrowed(get(node, key).and_then(Node::text).unwrap_or(""));
    fields.push(("type".into(), text("type")));
    fields.push(("status".into(), text("status")));
    add_int(&mut fields, node, "observedGeneration");
    fields.push((
        "lastTransitionTime".into(),
        time(get(node, "lastTransitionTime")),
    ));
    fields.push(("reason".into(), text("reason")));
    fields.push(("message".into(), text("message")));
    Data::Map(fields)
}

/// A value as it is. The loader's depth limit bounds the recursion.
fn any<'a>(node: Node<'a>) -> Data<'a> {
    if node.is_mapping() {
        let entry = |(key, value): (Node<'a>, Node<'a>)| Some((key.text()?.into(), any(value)));
        return Data::Map(node.entries().filter_map(entry).collect());
    }
    if node.is_sequence() {
        return Data::List(node.items().map(any).collect());
    }
    match node.scalar(Dialect::Kubernetes) {
        None | Some(Scalar::Null) => Data::Null,
        Some(Scalar::Bool(value)) => Data::Bool(value),
        Some(Scalar::Int(value)) => {
            i64::try_from(value).map_or(Data::Double(value as f64), Data::Int)
        }
        Some(Scalar::Float(value)) => Data::Double(value),
        Some(Scalar::BigInt(text) | Scalar::Time(text) | Scalar::Text(text)) => borrowed(text),
    }
}

/// A quantity in Kubernetes' canonical form: its kind of suffix kept, the largest that leaves a
/// whole number.
fn canonical(text: &str) -> Cow<'_, str> {
    let Ok(quantity) = Quantity::parse(text) else {
        return text.into();
    };
    let nano = quantity.nano();
    if nano == 0 {
        return "0".into();
    }
    let unit = 1_000_000_000_i128;
    let small = nano.abs() < 1024 * unit;
    if text.ends_with('i') && !small && nano % unit == 0 {
        let mut number = nano / unit;
        let mut suffix = 0;
        while number % 1024 == 0 && suffix < 6 {
            number /= 1024;
            suffix += 1;
        }
        let suffix = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"][suffix];
        return format!("{number}{suffix}").into();
    }
    let digits = text.trim_start_matches(['-', '+']);
    let exponent = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if exponent.len() < 2 || !exponent.starts_with(['e', 'E']) {
        return quantity.decimal().into();
    }
    let (mut number, mut power) = (nano, -9);
    while number % 1000 == 0 {
        number /= 1000;
        power += 3;
    }
    if power == 0 {
        number.to_string().into()
    } else {
        format!("{number}e{power}").into()
    }
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn quantities_in_canonical_form() {
        for (text, form) in [
            ("2000m", "2"),
            ("1500m", "1500m"),
            ("2048Mi", "2Gi"),
            ("1.5Gi", "1536Mi"),
            ("0.5Ki", "512"),
            ("100000", "100k"),
            ("1e3", "1e3"),
            ("1200", "1200"),
            ("0.5", "500m"),
            ("0", "0"),
            ("0Gi", "0"),
            ("1Ki", "1Ki"),
        ] {
            assert_eq!(canonical(text), form, "{text}");
        }
    }
}
