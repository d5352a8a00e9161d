//! Layering, replacement and substitution: raw documents to the rendered ones.
//! Source: Deckhand, `doc/source/users/rendering.rst`.

mod closure;
mod layer;
mod parents;
mod path;
mod substitute;
mod value;

use rustc_hash::{FxHashMap, FxHashSet};

use super::raw::{Raw, source_of};
use super::rules;
use crate::diagnostic::{Diagnostic, Sink};
use crate::document::Documents;
use crate::kit::dag::Dag;
use crate::yaml::TreeBuilder;

use value::Value;

pub(crate) use closure::{NEEDED, closure};

/// Levels that layering and substitution may build.
const MOST_DEPTH: u32 = 128;
/// Nodes of one rendered document.
const MOST_NODES: u64 = 1_000_000;
/// Nodes of all rendered documents that were made of several.
const MOST_MADE: u64 = 20_000_000;

/// A document after layering and substitution: its root is their result.
pub(crate) type Rendered<'a> = Raw<'a>;

/// The state of the documents while they are rendered.
struct Site<'r, 'a> {
    raws: &'r [Raw<'a>],
    /// The parent of each.
    parents: Vec<Option<u32>>,
    /// The replacement of each.
    replaced_by: Vec<Option<u32>>,
    /// Where substitutions take their values from, by schema and name.
    sources: FxHashMap<(&'a str, &'a str), u32>,
    /// Schema and name of documents left out for faults reported elsewhere.
    omitted: &'r FxHashSet<(&'a str, &'a str)>,
    /// The data so far; `None` while, or because, it could not be rendered.
    data: Vec<Option<Value<'a>>>,
    /// Sources already reported as missing.
    reported: FxHashSet<(&'a str, &'a str)>,
}

/// Renders documents that hold a policy. `raws` are the sound ones of those that take part.
pub(crate) fn render<'a>(
    documents: &Documents<'a>,
    raws: &[Raw<'a>],
    omitted: &FxHashSet<(&'a str, &'a str)>,
    sink: &mut Sink,
) -> Vec<Rendered<'a>> {
    let Some(layers) = layer::order(raws, sink) else {
        return Vec::new();
    };
    let layer_of = layer::numbers(raws, &layers, sink);
    let parents = parents::parents(raws, &layer_of, sink);
    let replaced_by = parents::replacements(raws, &parents, sink);
    let sources = parents::sources(raws, &replaced_by);
    let mut site = Site {
        raws,
        parents,
        replaced_by,
        sources,
        omitted,
        data: vec![None; raws.len()],
        reported: FxHashSet::default(),
    };
    for number in site.order(sink) {
        let rendered = site.render(number, sink);
        site.data[number as usize] = rendered;
        // From now on the other children of a replaced document see its replacement's data.
        if raws[number as usize].replacement
            && let Some(parent) = site.parents[number as usize]
        {
            site.data[parent as usize] = site.data[number as usize].clone();
        }
    }
    site.output(documents, sink)
}

/// Checks that the layers of documents that are not rendered are those of the policy among
/// those that are.
pub(crate) fn check_layers(raws: &[Raw<'_>], rendered: &[Raw<'_>], sink: &mut Sink) {
    // Several policies are reported where they are rendered.
    if let Some(layers) = layer::order(rendered, &mut Sink::default()) {
        layer::numbers(raws, &layers, sink);
    }
}

impl<'a> Site<'_, 'a> {
    /// The order in which documents are rendered, each after those it needs; reports cycles.
    fn order(&self, sink: &mut Sink) -> Vec<u32> {
        let needs: Vec<Vec<u32>> = (0..self.raws.len())
            .map(|number| self.needs(number))
            .collect();
        let graph = Dag::new(&needs);
        for cycle in graph.cycles() {
            sink.push(self.cycle(&cycle));
        }
        graph.waves().concat()
    }

    fn needs(&self, number: usize) -> Vec<u32> {
        let mut needs = Vec::new();
        if let Some(parent) = self.parents[number] {
            let replacement = self.replaced_by[parent as usize];
            let other = replacement.filter(|other| *other as usize != number);
            needs.push(other.unwrap_or(parent));
        }
        let sources = self.raws[number].substitutions().map(source_of);
        needs.extend(sources.filter_map(|source| self.sources.get(&source).copied()));
        needs
    }

    fn cycle(&self, cycle: &[u32]) -> Diagnostic {
        let raw = |number: &u32| &self.raws[*number as usize];
        // The path leads from a document to those that wait for it; reversed it reads "needs".
        let names: Vec<String> = cycle.iter().rev().map(|one| raw(one).describe()).collect();
        let first = raw(&cycle[cycle.len() - 1]);
        let chain = format!("{} needs {}", names.join(", which needs "), names[0]);
        let message = if names.len() == 1 {
            format!("{} depends on itself", names[0])
        } else {
            format!("documents depend on each other: {chain}")
        };
        let mut found = Diagnostic::new(&rules::SUBSTITUTION_CYCLE, message)
            .at(first.place, "in the cycle")
            .help("take one of the values from a document outside the cycle")
            .upstream("SubstitutionDependencyCycle")
            .object(first.object());
        for one in cycle.iter().rev().skip(1) {
            found = found.related(raw(one).place, "in the cycle");
        }
        found
    }

    /// The document's data: layered over its parent, then substituted into.
    fn render(&mut self, number: u32, sink: &mut Sink) -> Option<Value<'a>> {
        let raw = self.raws[number as usize];
        let own = raw
            .data()
            .map_or_else(|| Value::Null(raw.place), Value::Node);
        let parent = self.parents[number as usize].filter(|_| !raw.control);
        let mut data = match parent {
            Some(parent) => {
                let parent = self.data[parent as usize].clone()?;
                layer::apply(&raw, &own, parent, sink)?
            }
            None => own,
        };
        if !raw.control {
            self.substitute(&raw, &mut data, sink)?;
        }
        if data.depth() > MOST_DEPTH || data.weight() > MOST_NODES {
            sink.push(self.too_large(&raw));
            return None;
        }
        Some(data)
    }

    fn too_large(&self, raw: &Raw<'_>) -> Diagnostic {
        let message = format!(
            "layering and substitution make {} larger than {MOST_NODES} nodes or deeper than \
             {MOST_DEPTH} levels",
            raw.describe()
        );
        Diagnostic::new(&rules::RENDERED_TOO_LARGE, message)
            .at(raw.place, "this document")
            .help("substitute smaller values")
            .object(raw.object())
    }

    /// The rendered documents: neither abstract nor replaced.
    fn output(self, documents: &Documents<'a>, sink: &mut Sink) -> Vec<Rendered<'a>> {
        let mut trees = Vec::new();
        let mut found = Vec::new();
        let mut made = 0u64;
        for (number, raw) in self.raws.iter().enumerate() {
            if raw.is_abstract || self.replaced_by[number].is_some() {
                continue;
            }
            let Some(data) = &self.data[number] else {
                continue;
            };
            if matches!(data, Value::Node(_)) && data_is_own(raw, data) {
                found.push((*raw, None));
                continue;
            }
            made = made.saturating_add(data.weight());
            if made > MOST_MADE {
                sink.push(self.too_large(raw));
                break;
            }
            let mut builder = TreeBuilder::new();
            builder.begin(crate::yaml::Kind::Mapping, raw.root.place());
            for key in ["schema", "metadata"] {
                if let Some((key, value)) = raw.root.entry(key) {
                    builder.copy(key);
                    builder.copy(value);
                }
            }
            match raw.root.entry("data") {
                Some((key, _)) => builder.copy(key),
                None => builder.scalar("data", false, raw.place),
            }
            data.write(&mut builder);
            builder.end();
            found.push((*raw, Some(trees.len())));
            trees.push(builder.finish());
        }
        let trees: &'a [_] = documents.made.get_or_init(|| trees);
        let rendered = |(raw, tree): (Raw<'a>, Option<usize>)| {
            let root = tree
                .and_then(|tree| trees.get(tree))
                .map(|tree| tree.root(""));
            Rendered {
                root: root.unwrap_or(raw.root),
                ..raw
            }
        };
        found.into_iter().map(rendered).collect()
    }
}

fn data_is_own(raw: &Raw<'_>, data: &Value<'_>) -> bool {
    matches!((raw.data(), data), (Some(own), Value::Node(node)) if own == *node)
}

#[cfg(test)]
mod tests {
    //! Whole real sites, rendered and compared with the original's own rendering.

    use std::path::PathBuf;

    use serde_json::{Map, Value};

    use super::render;
    use crate::airship::raw;
    use crate::diagnostic::Sink;
    use crate::load::{Request, open};
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
            // Past the capture of a test that passes.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                b"skipped: PLANNER_REALWORLD is not set\n",
            );
            return;
        };
        for name in ["stl1", "seaworthy", "airsloop"] {
            let folder = root.join("airship").join(name);
            let want = std::fs::read_to_string(folder.join("expected-rendered.json")).unwrap();
            let want: Vec<Value> = serde_json::from_str(&want).unwrap();
            let loaded = open(&Request::of(vec![folder])).unwrap();
            let documents = loaded.documents();
            let mut sink = Sink::default();
            let raws = raw::read(&documents, 1);
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
                    .find(|one| one.schema == schema && one.name == name)
            };
            let mut compared = 0;
            for document in &want {
                let one = found(document).unwrap_or_else(|| panic!("{name}: {document:#}"));
                let data = one.data().map_or(Value::Null, value);
                assert_eq!(
                    data, document["data"],
                    "{name}: {} {}",
                    one.schema, one.name
                );
                compared += 1;
            }
            let control = rendered.iter().filter(|one| one.control).count();
            assert_eq!(rendered.len() - control, compared, "{name}");
        }
    }
}
