//! The library's errors as findings of ours: on the exact value or key, in our words.

mod exact;
mod fields;
mod forms;
mod reader;
mod spellings;
mod words;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::OnceLock;

use jsonschema::{PatternOptions, Registry, Validator};
use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, Fix, Object, Rule, Severity};
use crate::source::Place;
use crate::yaml::{Dialect, Node};

use super::bundle::bundled;
use super::files::FILES;
use super::instance::{Instance, Spanned, View};
use super::shape::{Sensitive, ValidShapes};
use super::{Policy, rules};
use reader::Reader;

struct Compiled {
    schema: Value,
    validator: Validator<Spanned>,
    /// Made when a second document comes: a run over one small file needs none.
    sensitive: OnceLock<Sensitive>,
}

impl Compiled {
    fn sensitive(&self) -> &Sensitive {
        self.sensitive.get_or_init(|| Sensitive::of(&self.schema))
    }
}

/// The shapes of the valid documents of one kind that a thread has seen.
#[derive(Default)]
struct Seen {
    /// A copy for this thread: threads that share a pattern wait for each other.
    sensitive: OnceCell<Sensitive>,
    shapes: ValidShapes,
}

thread_local! {
    /// The shapes of valid documents that this thread has seen, for each file of `FILES` and each
    /// dialect. It only saves work: no answer depends on which thread saw what.
    static KNOWN: RefCell<BTreeMap<(usize, Dialect), Seen>> =
        const { RefCell::new(BTreeMap::new()) };
}

/// The library checks a schema against the meta-schema of its draft before it compiles it, which
/// takes longer than the rest of reading a small file. Ours are checked by a test: what is compiled
/// is a reference to one, in the draft whose meta-schema is the smallest.
const REFERRING: &str = "http://json-schema.org/draft-04/schema#";
const NAME: &str = "planner:schema";

/// Compiled at the first document of the kind.
fn compiled(stem: &str) -> Option<(usize, &'static Compiled)> {
    static CACHE: OnceLock<Vec<OnceLock<Option<Compiled>>>> = OnceLock::new();
    let at = FILES.binary_search_by_key(&stem, |(name, _)| *name).ok()?;
    let cache = CACHE.get_or_init(|| FILES.iter().map(|_| OnceLock::new()).collect());
    let slot = cache[at].get_or_init(|| {
        let schema = bundled(stem)?;
        let validator = validator(&schema)?;
        Some(Compiled {
            schema,
            validator,
            sensitive: OnceLock::new(),
        })
    });
    Some((at, slot.as_ref()?))
}

fn validator(schema: &Value) -> Option<Validator<Spanned>> {
    let registry = Registry::new().add(NAME, schema).ok()?.prepare().ok()?;
    jsonschema::options_for::<Spanned>()
        .with_registry(&registry)
        .offline()
        .with_pattern_options(PatternOptions::regex())
        .build(&json!({"$schema": REFERRING, "$ref": NAME}))
        .ok()
}

/// One structural fault, before it becomes a finding.
#[derive(Debug)]
pub struct Fault<'a> {
    /// The rule broken.
    pub rule: &'static Rule,
    /// The schema keyword that found it: `type`, `required`, `additionalProperties` …
    pub keyword: &'static str,
    /// JSON Pointer of the value at fault (for a missing or unknown field: of the field).
    pub pointer: String,
    /// The field as Kubernetes writes it: `spec.taints[0].effect`.
    pub field: String,
    /// The value, where there is one.
    pub node: Option<Node<'a>>,
    /// The place to point at.
    pub place: Place,
    /// The label of the place.
    pub label: String,
    /// The message.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// An edit that fixes it.
    pub fix: Option<Fix>,
    /// Of an unknown field, the one that was probably meant: `spec.numberOfClusters`.
    pub meant: Option<String>,
    /// The words or the fields that may be written instead.
    pub allowed: Vec<String>,
}

impl Fault<'_> {
    /// The finding, reported as the family wants it.
    #[must_use]
    pub fn diagnostic(mut self, policy: Policy, object: &Object) -> Diagnostic {
        if policy.exact_fixes {
            exact::settle(&mut self);
        }
        let unknown = self.rule.code == rules::UNKNOWN_FIELD.code;
        let lost = || {
            let mut deciding = policy.deciding.iter();
            self.meant
                .as_ref()
                .is_some_and(|meant| deciding.any(|field| meant.starts_with(field)))
        };
        let severity = if unknown && !lost() {
            policy.unknown_field
        } else {
            Severity::Error
        };
        let mut object = object.clone();
        if policy.admission && !unknown {
            object.field = Some(self.field);
            object.rule = Some(self.keyword.to_owned());
        }
        let mut found = Diagnostic::new(self.rule, self.message)
            .at(self.place, self.label)
            .pointer(self.pointer)
            .severity(severity)
            .object(object);
        if unknown && severity != policy.unknown_field {
            // Admission drops it, unless it is strict.
            found = found.not_refusing();
        }
        found.help = self.help.map(Into::into);
        found.fix = self.fix;
        found.upstream = policy.upstream.map(Into::into);
        found
    }
}

/// Checks a document against the schema of a stem and gives every fault as a finding.
/// An unknown stem checks nothing.
#[must_use]
pub fn check(
    stem: &str,
    node: Node<'_>,
    dialect: Dialect,
    policy: Policy,
    object: &Object,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    check_each(stem, node, dialect, &mut |fault| {
        found.push(fault.diagnostic(policy, object));
    });
    found
}

/// Checks a document and hands every fault to `report`.
pub fn check_each<'a>(
    stem: &str,
    node: Node<'a>,
    dialect: Dialect,
    report: &mut dyn FnMut(Fault<'a>),
) {
    let Some((at, compiled)) = compiled(stem) else {
        return;
    };
    let (shape, is_known) = KNOWN
        .with_borrow(|known| {
            // The first document is rather checked at once.
            let seen = known.get(&(at, dialect))?;
            let sensitive = seen.sensitive.get_or_init(|| compiled.sensitive().clone());
            let shape = sensitive.shape(node, dialect)?;
            let is_known = seen.shapes.has(&shape);
            Some((shape, is_known))
        })
        .unzip();
    if is_known == Some(true) {
        return;
    }
    let dropped = Cell::new(false);
    let instance = Instance::Node(node, View::as_read(dialect, &dropped));
    let validator = &compiled.validator;
    let valid = validator.is_valid(instance);
    if valid && !dropped.get() {
        KNOWN.with_borrow_mut(|known| {
            let seen = known.entry((at, dialect)).or_default();
            shape.into_iter().for_each(|shape| seen.shapes.add(shape));
        });
        return;
    }
    let reader = Reader::new(&compiled.schema, node, dialect);
    if !valid {
        for error in validator.iter_errors(instance) {
            reader.report(&error, "", "", report);
        }
    }
    if dropped.get() {
        // A key that the kind does not have is worth a word without a value, too.
        let whole = Instance::Node(node, View::whole(dialect));
        for error in validator.iter_errors(whole) {
            reader.report(&error, "", "", &mut |fault| {
                let unknown = fault.rule.code == rules::UNKNOWN_FIELD.code;
                if unknown && fault.node.is_some_and(Node::is_null) {
                    report(fault);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::document::{DocumentKind, info_of};
    use crate::load::{self, Request};
    use crate::source::SourceId;
    use crate::yaml::{Limits, parse};

    /// Scalars of every type, and texts that the keywords about values tell apart.
    const VALUES: &[&str] = &[
        "",
        "x",
        "\"\"",
        "\"5\"",
        "0",
        "-200",
        "70000",
        "3.0",
        "3.5",
        "true",
        "~",
        "In",
        "True",
        "NoSelect",
        "2026-01-01",
        "[]",
        "{a: b}",
        "A!",
        "250m",
        "100%",
    ];

    fn scalars<'a>(node: Node<'a>, found: &mut Vec<Node<'a>>) {
        for (_, value) in node.entries() {
            scalars(value, found);
        }
        node.items().for_each(|item| scalars(item, found));
        if node.is_scalar() {
            found.push(node);
        }
    }

    /// Whether the library accepts a document, and its shape.
    fn judged(kind: DocumentKind, text: &str) -> Option<(bool, Vec<u8>)> {
        let parsed = parse(SourceId(0), text, 0..text.len(), Limits::default());
        let root = parsed
            .documents
            .first()
            .filter(|_| parsed.faults.is_empty())?;
        let node = parsed.tree.node(text, *root);
        let (_, compiled) = compiled(info_of(kind)?.schema)?;
        let dropped = Cell::new(false);
        let instance = Instance::Node(node, View::as_read(kind.dialect(), &dropped));
        let valid = compiled.validator.is_valid(instance) && !dropped.get();
        Some((valid, compiled.sensitive().shape(node, kind.dialect())?))
    }

    #[test]
    fn documents_of_one_shape_are_valid_together_or_not_at_all() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let request = Request {
            every_site: true,
            first_site: true,
            // The documents are edited as texts.
            unbuilt: true,
            ..Request::of(vec![root])
        };
        let loaded = load::open(&request).unwrap();
        let documents = loaded.documents();
        let mut of_kind: BTreeMap<DocumentKind, usize> = BTreeMap::new();
        let mut shapes: BTreeMap<(DocumentKind, Vec<u8>), bool> = BTreeMap::new();
        let (mut judged_again, mut refused) = (0, 0);
        for document in &documents.all {
            let kind = document.kind;
            let seen = of_kind.entry(kind).or_default();
            *seen += 1;
            if info_of(kind).is_none() || *seen % 9 != 1 || *seen > 90 {
                continue;
            }
            let text = document.node.source_text();
            let mut found = Vec::new();
            scalars(document.node, &mut found);
            let start = document.node.span().start as usize;
            for (scalar, at) in found.iter().zip(0..) {
                let span = scalar.span();
                let (from, to) = (span.start as usize - start, span.end as usize - start);
                for value in VALUES.iter().skip(at % 3).step_by(3) {
                    let edited = format!("{}{value}{}", &text[..from], &text[to..]);
                    let Some((valid, shape)) = judged(kind, &edited) else {
                        continue;
                    };
                    refused += usize::from(!valid);
                    if let Some(before) = shapes.insert((kind, shape), valid) {
                        judged_again += 1;
                        assert_eq!(before, valid, "{kind:?}\n{edited}");
                    }
                }
            }
        }
        assert!(judged_again > 500, "{judged_again}");
        assert!(refused > 500, "{refused}");
    }

    #[test]
    fn the_values_that_matter_are_few() {
        for (stem, _) in FILES {
            let (_, compiled) = compiled(stem).unwrap();
            assert!(!Sensitive::of(&compiled.schema).all, "{stem}");
        }
    }
}
