//! Where a place lies: its document and the way to it through keys and items.

use crate::diagnostic::{Diagnostic, Identity, Object};
use crate::source::{Place, Span};
use crate::yaml::{Kind, Node};

use super::{Document, Documents, classify::object_of, info_of};

/// One step of the way to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step<'a> {
    Key(&'a str),
    /// Index, and what tells the item from its neighbours: its `name` or `key`.
    Item(usize, Option<(&'static str, &'a str)>),
}

/// The document of a place and the way to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Located {
    document: usize,
    /// The last step, as an index into [`Way::steps`]; none at the root.
    step: Option<usize>,
}

/// Steps of many places, each with the one before it.
#[derive(Debug, Default)]
struct Way<'a> {
    steps: Vec<(Option<usize>, Step<'a>)>,
}

/// Works out where many places lie in one walk over their documents.
#[derive(Debug)]
pub struct Locator<'d, 'a> {
    documents: &'d Documents<'a>,
    way: Way<'a>,
    located: Vec<Option<Located>>,
}

impl Documents<'_> {
    /// The document that holds a place, as an index into [`Documents::all`]; of what a generator
    /// makes it is the generator.
    #[must_use]
    pub fn holding(&self, place: Place) -> Option<usize> {
        let start = |document: &Document<'_>| (document.source(), document.node.span().start);
        let after = self
            .all
            .partition_point(|document| start(document) <= (place.source, place.span.start));
        let before = after.checked_sub(1)?;
        let at = self.all[..=before]
            .iter()
            .rposition(|document| document.generator().is_none())?;
        let found = &self.all[at];
        (found.source() == place.source && place.span.start <= found.node.span().end).then_some(at)
    }
}

/// An open container and the places that lie inside it.
struct Frame<'a> {
    node: Node<'a>,
    step: Option<usize>,
    from: usize,
    to: usize,
}

impl<'d, 'a> Locator<'d, 'a> {
    /// Locates the primary place of each finding.
    #[must_use]
    pub fn new(documents: &'d Documents<'a>, findings: &[&Diagnostic]) -> Self {
        let mut locator = Self {
            documents,
            way: Way::default(),
            located: vec![None; findings.len()],
        };
        let mut wanted: Vec<(usize, Span, usize)> = Vec::with_capacity(findings.len());
        for (index, found) in findings.iter().enumerate() {
            let place = found.primary.as_ref().map(|label| label.place);
            if let Some(place) = place
                && let Some(document) = documents.holding(place)
            {
                wanted.push((document, place.span, index));
            }
        }
        wanted.sort_unstable_by_key(|(document, span, index)| (*document, *span, *index));
        let mut from = 0;
        while from < wanted.len() {
            let document = wanted[from].0;
            let to = from + wanted[from..].partition_point(|(other, ..)| *other == document);
            locator.walk(document, &wanted[from..to]);
            from = to;
        }
        locator
    }

    /// Goes down one document; each place ends at the innermost node that holds it.
    fn walk(&mut self, document: usize, wanted: &[(usize, Span, usize)]) {
        for (_, _, index) in wanted {
            self.located[*index] = Some(Located {
                document,
                step: None,
            });
        }
        let mut open = vec![Frame {
            node: self.documents.all[document].node,
            step: None,
            from: 0,
            to: wanted.len(),
        }];
        while let Some(frame) = open.pop() {
            let mut child = |key: Option<Node<'a>>, value: Node<'a>, index: usize| {
                let start = key.map_or(value.span().start, |key| key.span().start);
                let end = value.span().end.max(key.map_or(0, |key| key.span().end));
                let inside = &wanted[frame.from..frame.to];
                let first = inside.partition_point(|(_, span, _)| span.start < start);
                let count =
                    inside[first..].partition_point(|(_, span, _)| span.start < end.max(start + 1));
                if count == 0 {
                    return;
                }
                let (from, to) = (frame.from + first, frame.from + first + count);
                let step = match key {
                    Some(key) => Step::Key(key.text().unwrap_or("")),
                    None => Step::Item(index, handle(value)),
                };
                let at = self.way.steps.len();
                self.way.steps.push((frame.step, step));
                for (_, span, index) in &wanted[from..to] {
                    // A place that reaches beyond the child is about what holds the child.
                    if span.end <= end
                        && let Some(located) = &mut self.located[*index]
                    {
                        located.step = Some(at);
                    }
                }
                open.push(Frame {
                    node: value,
                    step: Some(at),
                    from,
                    to,
                });
            };
            match frame.node.kind() {
                Kind::Scalar => {}
                Kind::Mapping => {
                    for (key, value) in frame.node.entries() {
                        child(Some(key), value, 0);
                    }
                }
                Kind::Sequence => {
                    for (index, item) in frame.node.items().enumerate() {
                        child(None, item, index);
                    }
                }
            }
        }
    }

    /// The document a finding is in.
    #[must_use]
    pub fn document(&self, finding: usize) -> Option<usize> {
        self.located[finding].map(|located| located.document)
    }

    /// The identity of a finding, in words that survive edits elsewhere in the file; `path` is the
    /// file's name for the identity.
    #[must_use]
    pub fn identity(
        &self,
        finding: usize,
        found: &Diagnostic,
        path: impl FnOnce() -> Option<String>,
    ) -> Identity {
        let located = self.located[finding];
        let own = located.map(|at| object(&self.documents.all[at.document]));
        let mut object = found.object.clone().or(own);
        if let Some(object) = &mut object {
            // The pointer says it, and without indexes.
            object.field = None;
            object.rule = None;
        }
        let nameless = object.as_ref().is_none_or(|object| object.name.is_empty());
        Identity {
            code: found.rule.code.to_owned(),
            object,
            pointer: located.map(|at| self.pointer(at.step, found.pointer.as_deref())),
            path: if nameless { path() } else { None },
        }
    }

    /// The pointer with items by name. `known` is the pointer that the finding itself carries;
    /// what it says beyond the place (a field that is missing) is kept.
    fn pointer(&self, step: Option<usize>, known: Option<&str>) -> String {
        let mut steps = Vec::new();
        let mut next = step;
        while let Some(at) = next {
            let (before, step) = self.way.steps[at];
            steps.push(step);
            next = before;
        }
        steps.reverse();
        let known: Vec<&str> = known
            .map(|known| known.split('/').skip(1).collect())
            .unwrap_or_default();
        let shared = steps
            .iter()
            .zip(&known)
            .take_while(|(step, part)| step.plain() == **part)
            .count();
        let (steps, rest) = if known.is_empty() {
            (&steps[..], &known[..])
        } else {
            (&steps[..shared], &known[shared..])
        };
        let mut pointer: String = steps
            .iter()
            .map(|step| format!("/{}", step.named()))
            .collect();
        for part in rest {
            pointer.push('/');
            pointer.push_str(part);
        }
        pointer
    }
}

/// The identity of each finding, in their order; `path` gives a file's name as identities have it.
pub fn identities<'f>(
    documents: &'f Documents<'_>,
    findings: &'f [&'f Diagnostic],
    path: impl Fn(&str) -> String + 'f,
) -> impl Iterator<Item = Identity> + 'f {
    let locator = Locator::new(documents, findings);
    let name = move |found: &Diagnostic| {
        let place = found.primary.as_ref()?.place;
        Some(path(&documents.sources.get(place.source).name))
    };
    let findings = findings.iter().enumerate();
    findings.map(move |(at, found)| locator.identity(at, found, || name(found)))
}

/// The `name` or `key` of an item.
fn handle(item: Node<'_>) -> Option<(&'static str, &str)> {
    ["name", "key"]
        .into_iter()
        .find_map(|key| Some((key, item.get(key)?.text()?)))
}

/// The object a document holds, whatever its system.
fn object(document: &Document<'_>) -> Object {
    let kind = match info_of(document.kind) {
        Some(info) => info.name,
        None => text(document.node, document.kind.names_itself()),
    };
    object_of(document.node, kind)
}

fn text<'a>(node: Node<'a>, key: &str) -> &'a str {
    node.get(key).and_then(Node::text).unwrap_or("")
}

fn escape(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

impl Step<'_> {
    /// As JSON Pointer has it.
    fn plain(&self) -> String {
        match self {
            Self::Key(key) => escape(key),
            Self::Item(index, _) => index.to_string(),
        }
    }

    fn named(&self) -> String {
        match self {
            Self::Item(_, Some((key, value))) => format!("{key}={}", escape(value)),
            other => other.plain(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::DocumentKind;
    use super::*;
    use crate::diagnostic::{Rule, Severity};
    use crate::source::{Source, SourceId, Sources};
    use crate::yaml::{Limits, parse};

    static RULE: Rule = Rule {
        code: "planner::site::test",
        former: &[],
        since: crate::diagnostic::FIRST,
        summary: "",
        severity: Severity::Error,
        tells: crate::diagnostic::Tells::Nothing,
        docs: "",
        table: "",
        page: "",
    };

    fn pointers(text: &str, wanted: &[(&str, Option<&str>)]) -> Vec<Identity> {
        let parsed = parse(SourceId(0), text, 0..text.len(), Limits::default());
        let mut sources = Sources::default();
        sources.add(Source::new("a.yaml".into(), text.into()));
        let made = std::sync::OnceLock::new();
        let generated = std::sync::OnceLock::new();
        let all = parsed
            .documents
            .iter()
            .zip(0..)
            .map(|(root, index)| Document {
                kind: DocumentKind::Foreign,
                node: parsed.tree.node(text, *root),
                index,
                refused: false,
                is_recorded: false,
                build: None,
                known: false,
            })
            .collect();
        let documents = Documents {
            sources: &sources,
            made: &made,
            generated: &generated,
            repositories: Vec::new(),
            templates: Vec::new(),
            all,
        };
        let findings: Vec<Diagnostic> = wanted
            .iter()
            .map(|(part, pointer)| {
                let start = u32::try_from(text.find(part).unwrap()).unwrap();
                let end = start + u32::try_from(part.len()).unwrap();
                let span = Span { start, end };
                let source = SourceId(0);
                let mut found = Diagnostic::new(&RULE, "x").at(Place { source, span }, "");
                found.pointer = pointer.map(str::to_owned);
                found
            })
            .collect();
        let findings: Vec<&Diagnostic> = findings.iter().collect();
        let locator = Locator::new(&documents, &findings);
        (0..findings.len())
            .map(|at| locator.identity(at, findings[at], || Some("a.yaml".into())))
            .collect()
    }

    #[test]
    fn items_are_named_and_missing_fields_kept() {
        let text = "kind: A\nmetadata: {name: one}\n---\nkind: B\nmetadata: {name: two}\nspec:\n\
                    \u{20} rules:\n  - key: a/b\n    values: [x, y]\n  - {name: n, deep: [[z]]}\n";
        let found = pointers(
            text,
            &[
                ("one", None),
                ("y]", None),
                ("values", Some("/spec/rules/0/operator")),
                ("z", None),
                ("rules", None),
                ("kind: B", None),
                ("[x, y]", None),
            ],
        );
        let shown: Vec<(&str, &str)> = found
            .iter()
            .map(|found| {
                let object = found.object.as_ref().unwrap();
                (object.name.as_str(), found.pointer.as_deref().unwrap())
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("one", "/metadata/name"),
                ("two", "/spec/rules/key=a~1b/values"),
                ("two", "/spec/rules/key=a~1b/operator"),
                ("two", "/spec/rules/name=n/deep/0/0"),
                ("two", "/spec/rules"),
                ("two", "/kind"),
                ("two", "/spec/rules/key=a~1b/values"),
            ]
        );
    }
}
