//! Codes of reading: files, encodings, YAML itself, limits.

use crate::diagnostic::{Diagnostic, Severity, rule_table};
use crate::kit::plural::first_names;
use crate::source::{Place, SourceId, Span};
use crate::yaml::{Fault, FaultKind, Limits, Quirk, QuirkKind, syntax};

rule_table! {
    pages "rules/";
    "io" {
        BINARY Error "binary" "a file that is not text";
        ENCODING Error "encoding" "a file that is not UTF-8";
        FAILED Error "failed" "a run that ended without an answer";
        FILE_TOO_LARGE Error "file_too_large" "a file over the size limit";
        LEADS_OUT Note "leads_out" "a link that leads out of the PATHs";
        NOT_FOUND Error "not_found" "a PATH that does not exist";
        TOO_MANY_DOCUMENTS Error "too_many_documents" "more documents than the limit";
        UNREADABLE Error "unreadable" "a file that cannot be read";
    }
    "yaml" {
        BAD_MERGE Error "bad_merge" "a merge key whose value is not a mapping";
        COLLECTION_KEY Error "collection_key" "a mapping or list used as a key";
        REPEATED_KEY Error "duplicate_key" "a key that appears twice in one mapping";
        LATE_MERGE Warning "late_merge" "a merge key that overrides keys before it";
        NO_JSON Error "no_json" "a value that the API server's reader cannot turn into JSON";
        RECURSIVE_ALIAS Error "recursive_alias" "an alias inside the node it names";
        SYNTAX Error "syntax" "text that is not valid YAML";
        TEMPLATE Note "template" "files that are templates for Helm, Go or Jinja";
        TEMPLATE_VALUE Warning "template_value" "template syntax in a value that planner reads";
        TOO_DEEP Error "too_deep" "nesting deeper than the limit";
        TOO_MANY_ALIASES Error "too_many_aliases" "aliases that expand beyond the limit";
        TOO_MANY_NODES Error "too_many_nodes" "more nodes in a file than the limit";
        UNDEFINED_ALIAS Error "undefined_alias" "an alias without an anchor";
        UNSAFE Error "unsafe" "YAML that PyYAML's safe reader refuses";
    }
}

/// Every fault of the reader is a `YAMLError` to Airship.
const UPSTREAM: &str = "YAMLError";

pub(super) fn unreadable(
    source: SourceId,
    text: &str,
    fault: &Fault,
    limits: Limits,
) -> Diagnostic {
    let place = Place {
        source,
        span: fault.span,
    };
    let found = match &fault.kind {
        FaultKind::Syntax(reason) => {
            let broken = syntax(reason, text, place);
            let skipped = "the document is skipped; the others in the file are still read";
            Diagnostic::new(&SYNTAX, broken.message)
                .at(broken.place, broken.label)
                .help(broken.help.unwrap_or(skipped))
        }
        FaultKind::TooDeep => Diagnostic::new(
            &TOO_DEEP,
            format!("the document nests deeper than {} levels", limits.depth),
        )
        .at(place, "one level too many")
        .help(format!(
            "raise `depth` under `[limits]` in planner.toml, to at most {}",
            Limits::MAX_DEPTH
        )),
        FaultKind::TooManyNodes => Diagnostic::new(
            &TOO_MANY_NODES,
            format!("the file has more than {} nodes", limits.nodes),
        )
        .at(place, "the rest of the file is not read")
        .help("raise `nodes` under `[limits]` in planner.toml"),
        FaultKind::TooManyAliases => Diagnostic::new(
            &TOO_MANY_ALIASES,
            format!(
                "aliases and merge keys add more than {} nodes",
                limits.alias_nodes
            ),
        )
        .at(place, "the limit is exceeded here")
        .help("write the values out, or raise `alias-nodes` under `[limits]` in planner.toml"),
        FaultKind::UndefinedAlias(name) => Diagnostic::new(
            &UNDEFINED_ALIAS,
            format!("the alias `{name}` has no anchor before it"),
        )
        .at(place, "no such anchor")
        .help("define the anchor above it, in the same document"),
        FaultKind::RecursiveAlias(name) => Diagnostic::new(
            &RECURSIVE_ALIAS,
            format!("the alias `{name}` is inside the node it names"),
        )
        .at(place, "inside its own anchor")
        .help("write the value out; a YAML reader cannot follow a cycle"),
        FaultKind::CollectionKey => {
            Diagnostic::new(&COLLECTION_KEY, "a mapping or a list cannot be a key")
                .at(place, "used as a key")
                .help("quote it if it is meant as text")
        }
        FaultKind::BadMerge => Diagnostic::new(
            &BAD_MERGE,
            "`<<` merges only a mapping or a list of mappings",
        )
        .at(place, "not a mapping")
        .help("name an anchor of a mapping, `<<: *anchor`, or quote the key"),
    };
    found.upstream(UPSTREAM)
}

pub(crate) fn repeated_key(
    source: SourceId,
    key: &str,
    first: Span,
    again: Span,
    lenient: bool,
) -> Diagnostic {
    let found = Diagnostic::new(
        &REPEATED_KEY,
        format!("the key `{key}` appears twice in one mapping"),
    )
    .at(
        Place {
            source,
            span: again,
        },
        "again here",
    )
    .related(
        Place {
            source,
            span: first,
        },
        "first here",
    )
    .help("remove one of them; the last one counts where the original reader allows it")
    .upstream(UPSTREAM);
    if lenient {
        found.severity(Severity::Warning)
    } else {
        found
    }
}

/// A second document that no `---` divides from the first: its first key, and that of the first.
pub(crate) fn missing_mark(source: SourceId, first: Span, again: Span) -> Diagnostic {
    let place = |span| Place { source, span };
    Diagnostic::new(&REPEATED_KEY, "missing `---` before the next document")
        .at(place(again), "the next document begins here")
        .related(place(first), "the first document")
        .help("add a line `---` before it; without it the first document is lost")
        .upstream(UPSTREAM)
}

pub(crate) fn unsafe_yaml(source: SourceId, quirk: &Quirk, severity: Severity) -> Diagnostic {
    let place = Place {
        source,
        span: quirk.span,
    };
    let found = match quirk.kind {
        QuirkKind::EqualsSign => Diagnostic::new(&UNSAFE, "a plain `=` is not a value")
            .at(place, "reserved in YAML 1.1")
            .help("quote it: \"=\""),
        QuirkKind::Tab => {
            Diagnostic::new(&UNSAFE, "PyYAML does not accept a tab as white space here")
                .at(place, "a tab")
                .help("use spaces")
        }
        QuirkKind::Refused(why) => {
            Diagnostic::new(&UNSAFE, why).at(place, "PyYAML's safe reader stops here")
        }
        _ => Diagnostic::new(&UNSAFE, "the tag is not one of YAML's own")
            .at(place, "the value with the tag")
            .help("remove the tag"),
    };
    found.upstream(UPSTREAM).severity(severity)
}

pub(crate) fn no_json(source: SourceId, why: &str, span: Span) -> Diagnostic {
    Diagnostic::new(&NO_JSON, why)
        .at(Place { source, span }, "the API server's reader stops here")
        .help("quote it if it is meant as text")
}

pub(crate) fn late_merge(source: SourceId, first: Span, merge: Span) -> Diagnostic {
    let place = |span| Place { source, span };
    Diagnostic::new(&LATE_MERGE, "the merge key overrides a key before it")
        .at(place(merge), "its value counts")
        .related(place(first), "this value is lost")
        .help("write `<<` before the keys of the mapping, so that their values count")
        .not_refusing()
}

/// Links that are not followed, in one note.
pub(super) fn leads_out(names: &[String]) -> Option<Diagnostic> {
    const SHOWN: usize = 5;
    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let message = match all.as_slice() {
        [] => return None,
        [name] => format!("{name} is a link that leads out of the PATHs, so it is not read"),
        names => {
            let (count, first) = (names.len(), first_names(names.iter(), SHOWN));
            format!("{count} links lead out of the PATHs, so they are not read: {first}")
        }
    };
    let found = Diagnostic::new(&LEADS_OUT, message);
    Some(
        found.help(
            "pass their targets as further PATHs, or set `follow-links = true` in planner.toml",
        ),
    )
}

pub(super) fn too_many_documents(source: SourceId, count: usize, limit: usize) -> Diagnostic {
    let place = Place {
        source,
        span: Span::default(),
    };
    Diagnostic::new(
        &TOO_MANY_DOCUMENTS,
        format!("there are {count} documents, more than the limit of {limit}"),
    )
    .at(place, "")
    .help("raise `documents` under `[limits]` in planner.toml")
}
