//! Whole real sites, rendered and compared with the original's own rendering.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::render;
use crate::airship::raw;
use crate::diagnostic::Sink;
use crate::load::{Request, load};
use crate::yaml::{Dialect, Kind, Node, Scalar};

fn value(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Mapping => {
            let entries = node.entries();
            let pair = |(key, part): (Node<'_>, Node<'_>)| {
                (key.text().unwrap_or("").to_owned(), value(part))
            };
            Value::Object(entries.map(pair).collect::<Map<_, _>>())
        }
        Kind::Sequence => node.items().map(value).collect(),
        Kind::Scalar => match node.scalar(Dialect::PyYaml) {
            Some(Scalar::Bool(value)) => value.into(),
            Some(Scalar::Int(value)) => i64::try_from(value).unwrap().into(),
            Some(Scalar::Float(value)) => value.into(),
            Some(Scalar::Text(text) | Scalar::Time(text)) => text.into(),
            _ => Value::Null,
        },
    }
}

#[test]
fn real_sites_render_as_the_original_renders_them() {
    let Some(root) = std::env::var_os("PLANNER_REALWORLD").map(PathBuf::from) else {
        return;
    };
    for name in ["stl1", "seaworthy", "airsloop"] {
        let folder = root.join("airship").join(name);
        let want = std::fs::read_to_string(folder.join("expected-rendered.json")).unwrap();
        let want: Vec<Value> = serde_json::from_str(&want).unwrap();
        let loaded = load(&Request::of(vec![folder])).unwrap();
        let documents = loaded.documents();
        let mut sink = Sink::default();
        let raws = raw::read(&documents);
        let rendered = render(
            &documents,
            &raws,
            &rustc_hash::FxHashSet::default(),
            &mut sink,
        );
        let found = |document: &Value| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let (schema, name) = (text(&document["schema"]), text(&document["name"]));
            rendered
                .iter()
                .find(|one| one.raw.schema == schema && one.raw.name == name)
        };
        let mut compared = 0;
        for document in &want {
            let one = found(document).unwrap_or_else(|| panic!("{name}: {document:#}"));
            let data = one.data().map_or(Value::Null, value);
            assert_eq!(
                data, document["data"],
                "{name}: {} {}",
                one.raw.schema, one.raw.name
            );
            compared += 1;
        }
        let control = rendered.iter().filter(|one| one.raw.is_control()).count();
        assert_eq!(rendered.len() - control, compared, "{name}");
    }
}
