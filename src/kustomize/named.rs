//! The directories that Argo CD and Flux deploy by their names.

use crate::source::Place;
use crate::yaml::Node;

/// The paths that a document names, from the top of its repository, each with its line.
#[must_use]
pub fn named_paths(node: Node<'_>) -> Vec<(String, Place)> {
    let text = |path: &[&str]| node.at(path).and_then(Node::text).unwrap_or_default();
    let (api_version, kind) = (text(&["apiVersion"]), text(&["kind"]));
    let group = api_version.split('/').next().unwrap_or_default();
    let spec = node.get("spec");
    match (group, kind) {
        ("argoproj.io", "Application") => spec.map_or_else(Vec::new, sources),
        ("argoproj.io", "ApplicationSet") => {
            let template = node.at(&["spec", "template", "spec"]);
            let paths = template.map_or_else(Vec::new, sources);
            let generators = node.at(&["spec", "generators"]);
            let elements = generators.into_iter().flat_map(Node::items);
            let elements = elements.filter_map(|one| one.at(&["list", "elements"]));
            let elements: Vec<Node<'_>> = elements.flat_map(Node::items).collect();
            let rendered = |(path, place): (String, Place)| {
                if !path.contains("{{") {
                    vec![(path, place)]
                } else {
                    elements
                        .iter()
                        .map(|element| (fill(&path, *element), place))
                        .collect()
                }
            };
            paths.into_iter().flat_map(rendered).collect()
        }
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => {
            let path = spec.and_then(|spec| spec.get("path"));
            path.and_then(|path| Some((path.text()?.to_owned(), path.place())))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The paths of the sources of an Application.
fn sources(spec: Node<'_>) -> Vec<(String, Place)> {
    let one = spec.get("source").into_iter();
    let all = one.chain(spec.get("sources").into_iter().flat_map(Node::items));
    let path = |source: Node<'_>| {
        let path = source.get("path")?;
        Some((path.text()?.to_owned(), path.place()))
    };
    all.filter_map(path).collect()
}

/// A path with the values of an element of a list generator; what has none stays.
fn fill(path: &str, element: Node<'_>) -> String {
    let mut filled = path.to_owned();
    for (key, value) in element.entries() {
        let (Some(key), Some(value)) = (key.text(), value.text()) else {
            continue;
        };
        for form in [
            format!("{{{{{key}}}}}"),
            format!("{{{{ {key} }}}}"),
            format!("{{{{.{key}}}}}"),
            format!("{{{{ .{key} }}}}"),
        ] {
            filled = filled.replace(&form, value);
        }
    }
    filled
}
