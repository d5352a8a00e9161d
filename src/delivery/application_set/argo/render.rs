//! The two languages of templates: `{{name}}` of fasttemplate, and `{{.name}}` of Go.

use std::borrow::Cow;

use crate::delivery::application_set::argo::functions::{APPLICATION_SET, is_removed};
use crate::delivery::application_set::argo::value::{Params, Value};
use crate::gotemplate::{self, ActionKind, Delimiters, FaultKind, Function, PipeId, Term, Type};

/// Which language the texts of an ApplicationSet are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `{{name}}`: a tag that nothing gives stays as it is.
    Tags,
    /// `{{.name}}`, with sprig.
    Go {
        /// Whether a key that is not there is an error (`missingkey=error`).
        strict: bool,
    },
}

impl Language {
    /// The language in which a key that is not there is an error, if there is one.
    #[must_use]
    pub const fn strict(self) -> Self {
        match self {
            Self::Tags => Self::Tags,
            Self::Go { .. } => Self::Go { strict: true },
        }
    }
}

/// A part of a parsed text.
#[derive(Debug, Clone, PartialEq)]
enum Part<'t> {
    /// Text as it is.
    Text(&'t str),
    /// `{{name}}`: the name, and all that is between the braces.
    Tag(&'t str, &'t str),
    /// `{{.a.b}}`.
    Field(Vec<&'t str>),
    /// An action that is not carried out here.
    Opaque,
}

/// A parsed text.
#[derive(Debug, Clone, PartialEq)]
pub struct Template<'t> {
    parts: Vec<Part<'t>>,
}

/// The result of a template.
#[derive(Debug, Clone, PartialEq)]
pub enum Rendered {
    /// A text.
    Text(String),
    /// The address of a cluster, and nothing else.
    Server(u32),
    /// Something that the documents do not say.
    Unknown,
}

impl Rendered {
    /// Whether it is the empty text.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }
}

/// Why a template cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// `{{` without `}}`.
    Unclosed,
    /// Something else that Go's parser refuses.
    Syntax(FaultKind),
    /// A call that fails whenever the template is rendered: what is wrong, and what to write.
    Call(String, String),
    /// A bare word that is no function: `{{name}}` where Go wants `{{.name}}`. It holds the word
    /// and the fields behind it.
    NoFunction(String),
    /// A key that is not there, where that is an error.
    MissingKey(String),
    /// A field of a text: all of it, and what has none.
    NoField(String, String),
}

impl Fault {
    /// Whether values of a child of a matrix stay as they are because of it.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        matches!(self, Self::MissingKey(_) | Self::NoField(..))
    }

    /// The fault, in words.
    #[must_use]
    pub fn message(&self, text: &str) -> String {
        let short = text
            .char_indices()
            .nth(60)
            .map_or(text, |(end, _)| &text[..end]);
        let rest = if short.len() < text.len() { "…" } else { "" };
        let text = format!("{short}{rest}");
        match self {
            Self::Unclosed => format!("`{text}` has an unclosed `{{{{`"),
            Self::Syntax(kind) => format!("`{text}` is not a Go template: {kind}"),
            Self::NoFunction(name) if is_removed(name) => {
                format!("Argo CD removes the function `{name}` from templates")
            }
            Self::Call(what, _) => format!("`{text}` cannot be rendered: {what}"),
            Self::NoFunction(name) => {
                format!("`{{{{{name}}}}}` is not a Go template: there is no function `{name}`")
            }
            Self::MissingKey(key) => format!("no generator provides the parameter `{key}`"),
            Self::NoField(path, key) => {
                format!("`{path}` needs a field of `{key}`, which is a string")
            }
        }
    }
}

impl<'t> Template<'t> {
    /// Reads a text.
    ///
    /// # Errors
    /// Braces that are not closed, and functions that do not exist.
    pub fn parse(text: &'t str, language: Language) -> Result<Self, Fault> {
        if !text.contains(Delimiters::BRACES.left) {
            let parts = match text {
                "" => Vec::new(),
                text => vec![Part::Text(text)],
            };
            return Ok(Self { parts });
        }
        match language {
            Language::Tags => tags(text),
            Language::Go { .. } => go(text),
        }
    }

    /// The text, where nothing is filled in.
    #[must_use]
    pub fn literal(&self) -> Option<&'t str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The text before the first and behind the last thing that is filled in.
    #[must_use]
    pub fn ends(&self) -> (&'t str, &'t str) {
        let text = |part: Option<&Part<'t>>| match part {
            Some(Part::Text(text)) => *text,
            _ => "",
        };
        (text(self.parts.first()), text(self.parts.last()))
    }

    /// Whether some of it is never known.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.parts.contains(&Part::Opaque)
    }

    /// The names of the parameters that it asks for, dotted.
    pub fn asks(&self) -> impl Iterator<Item = String> + '_ {
        self.parts.iter().filter_map(|part| match part {
            Part::Tag(name, _) => Some((*name).to_owned()),
            Part::Field(path) => Some(path.join(".")),
            Part::Text(_) | Part::Opaque => None,
        })
    }

    /// Fills it in.
    ///
    /// # Errors
    /// A key that is not there, or a field of a text.
    pub fn render(&self, params: &Params<'_>, language: Language) -> Result<Rendered, Fault> {
        let strict = language == Language::Go { strict: true };
        let mut text = String::new();
        let mut unknown = false;
        for part in &self.parts {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Opaque => unknown = true,
                Part::Tag(name, raw) => match params.get(name) {
                    Some(Value::Text(value)) if !name.is_empty() => text.push_str(value),
                    Some(Value::Server(cluster)) if self.parts.len() == 1 => {
                        return Ok(Rendered::Server(*cluster));
                    }
                    Some(Value::Server(_) | Value::Unknown) if !name.is_empty() => unknown = true,
                    _ => {
                        text.push_str("{{");
                        text.push_str(raw);
                        text.push_str("}}");
                    }
                },
                Part::Field(path) => match field(params, path, strict)? {
                    FieldValue::Text(value) => text.push_str(&value),
                    FieldValue::Server(cluster) if self.parts.len() == 1 => {
                        return Ok(Rendered::Server(cluster));
                    }
                    FieldValue::Server(_) | FieldValue::Unknown => unknown = true,
                },
            }
        }
        Ok(if unknown {
            Rendered::Unknown
        } else {
            Rendered::Text(text)
        })
    }

    /// Whether it can be rendered, without doing so.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn check(&self, params: &Params<'_>, language: Language) -> Result<(), Fault> {
        let strict = language == Language::Go { strict: true };
        self.parts.iter().try_for_each(|part| match part {
            Part::Field(path) => field(params, path, strict).map(drop),
            Part::Text(_) | Part::Tag(..) | Part::Opaque => Ok(()),
        })
    }
}

/// The value of a field.
enum FieldValue<'p> {
    Text(Cow<'p, str>),
    Server(u32),
    Unknown,
}

fn field<'p>(params: &'p Params<'_>, path: &[&str], strict: bool) -> Result<FieldValue<'p>, Fault> {
    let nothing = || FieldValue::Text(Cow::Borrowed("<no value>"));
    let mut value: Option<&Value<'_>> = None;
    for (depth, key) in path.iter().enumerate() {
        let dotted = || path[..=depth].join(".");
        let found = match value {
            None if depth == 0 => params.get(key),
            None => None,
            Some(Value::Unknown) => return Ok(FieldValue::Unknown),
            Some(Value::Map(entries)) => {
                let entry = entries.iter().find(|(name, _)| name == key);
                entry.map(|(_, value)| value)
            }
            Some(_) => return Err(Fault::NoField(path.join("."), path[..depth].join("."))),
        };
        if found.is_none() {
            return if strict {
                Err(Fault::MissingKey(dotted()))
            } else {
                Ok(nothing())
            };
        }
        value = found;
    }
    Ok(match value {
        None | Some(Value::Null) => nothing(),
        Some(Value::Server(cluster)) => FieldValue::Server(*cluster),
        Some(value) => value
            .printed()
            .map_or(FieldValue::Unknown, FieldValue::Text),
    })
}

/// Cuts a text with `{{name}}` in it.
fn tags(text: &str) -> Result<Template<'_>, Fault> {
    let on_a_line = |line: &str| {
        let open = line.find("{{");
        open.is_some_and(|open| line[open + 2..].contains("}}"))
    };
    let mut parts = Vec::new();
    if !text.split('\n').any(on_a_line) {
        parts.push(Part::Text(text));
        return Ok(Template { parts });
    }
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (raw, after) = after.split_once("}}").ok_or(Fault::Unclosed)?;
        if !before.is_empty() {
            parts.push(Part::Text(before));
        }
        parts.push(Part::Tag(raw.trim(), raw));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Ok(Template { parts })
}

/// Cuts a text with `{{.name}}` in it.
fn go(text: &str) -> Result<Template<'_>, Fault> {
    let known = |name: &str| APPLICATION_SET.find(name).is_some();
    let template =
        gotemplate::parse(text, Delimiters::BRACES, &known).map_err(|fault| match fault.kind {
            FaultKind::UnknownFunction(_) => {
                Fault::NoFunction(with_fields(text, fault.span.start).to_owned())
            }
            FaultKind::UnclosedAction => Fault::Unclosed,
            kind => Fault::Syntax(kind),
        })?;
    if let Some(fault) = failing_call(&template, text) {
        return Err(fault);
    }
    let mut parts = Vec::new();
    let mut end = 0;
    for action in &template.actions {
        between(&text[end..action.span.start], &mut parts);
        end = action.span.end;
        let trims = text[action.span.clone()].starts_with("{{-") || text[..end].ends_with("-}}");
        parts.push(match &action.kind {
            ActionKind::Output(pipe) if !trims => field_of(&template, *pipe),
            _ => Part::Opaque,
        });
    }
    between(&text[end..], &mut parts);
    Ok(Template { parts })
}

/// Adds what stands between two actions: text, or a comment with text around it.
fn between<'t>(text: &'t str, parts: &mut Vec<Part<'t>>) {
    if text.contains(Delimiters::BRACES.left) {
        parts.push(Part::Opaque);
    } else if !text.is_empty() {
        parts.push(Part::Text(text));
    }
}

/// The part of a text that a printed pipeline makes.
fn field_of<'t>(template: &gotemplate::Template<'t>, pipe: PipeId) -> Part<'t> {
    let pipe = template.pipe(pipe);
    if let [command] = pipe.commands.as_slice()
        && let [operand] = command.operands.as_slice()
        && operand.term == Term::Dot
        && !operand.fields.is_empty()
        && pipe.variables.is_empty()
    {
        Part::Field(operand.fields.clone())
    } else {
        Part::Opaque
    }
}

/// The first call that fails whenever the template is rendered.
fn failing_call<'t>(template: &gotemplate::Template<'t>, text: &'t str) -> Option<Fault> {
    let mut found = None;
    let function = |name: &str| APPLICATION_SET.find(name);
    gotemplate::calls(template, text, &function, &|_, _| Type::Any, &mut |call| {
        if !call.certain || found.is_some() {
            return;
        }
        let word = with_fields(text, call.span.start);
        // The function `values` needs a map.
        let is_parameter = word == "values" || word.starts_with("values.");
        found = Some(if is_parameter {
            Fault::NoFunction(word.to_owned())
        } else {
            Fault::Call(call.to_string(), Function::advice(function(call.name)))
        });
    });
    found
}

/// A word of a text with the fields behind it.
fn with_fields(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    let is_part = |letter: char| letter == '.' || letter == '_' || letter.is_alphanumeric();
    let end = rest.find(|letter| !is_part(letter));
    &rest[..end.unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOSE: Language = Language::Go { strict: false };
    const STRICT: Language = Language::Go { strict: true };

    fn params() -> Params<'static> {
        let mut params = Params::default();
        params.set("name", Value::text("oslo"));
        params.set("server", Value::Server(7));
        let values = vec![
            ("team".into(), Value::text("blue")),
            ("n".into(), Value::Null),
        ];
        params.set("values", Value::Map(values));
        params.set("values.team", Value::text("red"));
        params
    }

    fn render(text: &str, language: Language) -> Result<Rendered, Fault> {
        Template::parse(text, language)?.render(&params(), language)
    }

    fn text(text: &str) -> Result<Rendered, Fault> {
        Ok(Rendered::Text(text.to_owned()))
    }

    #[test]
    fn tags_that_nothing_gives_stay() {
        let render = |text| render(text, Language::Tags);
        assert_eq!(render("a-{{name}}-{{ name }}"), text("a-oslo-oslo"));
        assert_eq!(render("{{ nope }}-{{}}"), text("{{ nope }}-{{}}"));
        assert_eq!(render("x-{{.name}}"), text("x-{{.name}}"));
        assert_eq!(render("{{values.team}}"), text("red"));
        assert_eq!(render("{{values}}"), text("{{values}}"));
        assert_eq!(render("{{server}}"), Ok(Rendered::Server(7)));
        assert_eq!(render("{{server}}/x"), Ok(Rendered::Unknown));
    }

    #[test]
    fn a_text_without_a_whole_tag_on_one_line_is_no_template() {
        let render = |text| render(text, Language::Tags);
        assert_eq!(render("a-{{name}"), text("a-{{name}"));
        assert_eq!(render("{{name\n}}"), text("{{name\n}}"));
        assert_eq!(render("{{name}}-{{"), Err(Fault::Unclosed));
    }

    #[test]
    fn go_prints_what_is_there() {
        let render = |text| render(text, LOOSE);
        assert_eq!(render("a-{{.name}}{{ .values.team }}"), text("a-osloblue"));
        assert_eq!(
            render("{{.nope}}-{{.nope.deep}}"),
            text("<no value>-<no value>")
        );
        assert_eq!(render("{{.values}}"), text("map[n:<nil> team:blue]"));
        assert_eq!(render("{{.values.n}}"), text("<no value>"));
        assert_eq!(render("{{.server}}"), Ok(Rendered::Server(7)));
        assert_eq!(render("{{.name | lower}}"), Ok(Rendered::Unknown));
        assert_eq!(render("{{- .name }}"), Ok(Rendered::Unknown));
        assert_eq!(
            render("{{.name.x}}"),
            Err(Fault::NoField("name.x".into(), "name".into()))
        );
    }

    #[test]
    fn go_has_faults_of_its_own() {
        assert_eq!(
            render("{{name}}", LOOSE),
            Err(Fault::NoFunction("name".into()))
        );
        assert_eq!(
            render("{{values.x}}", LOOSE),
            Err(Fault::NoFunction("values.x".into()))
        );
        assert_eq!(render("{{lower .name}}", LOOSE), Ok(Rendered::Unknown));
        for (text, word) in [
            ("{{ring}}", "ring"),
            ("a-{{ .name | loud }}", "loud"),
            ("{{- if eq .name prod -}}x{{ end }}", "prod"),
            (
                "{{ printf \"%s-}}\" (lower cluster.name) }}",
                "cluster.name",
            ),
            ("{{ env \"HOME\" }}", "env"),
            ("{{ lookup \"v1\" }}", "lookup"),
            ("{{ $x := ring }}", "ring"),
        ] {
            assert_eq!(
                render(text, LOOSE),
                Err(Fault::NoFunction(word.into())),
                "{text}"
            );
        }
        for text in [
            "{{ .name | default \"ring\" | trunc 5 }}",
            "{{ range $at, $one := .values }}{{ $one.ring }}{{ else }}{{ nil | quote }}{{ end }}",
            "{{/* ring */}}",
            "{{ `ring}}` }}{{ index .values \"team\" }}{{ 1.5e3 }}{{ slugify 10 .name }}",
            "{{ (index .values \"a\").ring }}",
        ] {
            assert_eq!(render(text, LOOSE), Ok(Rendered::Unknown), "{text}");
        }
        assert_eq!(render("{{.name", LOOSE), Err(Fault::Unclosed));
        for (text, message) in [
            (
                "{{.site-code}}",
                "`{{.site-code}}` is not a Go template: `.site-code`: `-` cannot stand in a \
                 field",
            ),
            (
                "{{ if .name }}x",
                "`{{ if .name }}x` is not a Go template: `if` has no `end`",
            ),
            (
                "{{ .name | trunc }}",
                "`{{ .name | trunc }}` cannot be rendered: `trunc` needs 2 arguments, and has 1",
            ),
            (
                "{{ indent \"2\" .name }}",
                "`{{ indent \"2\" .name }}` cannot be rendered: argument 1 of `indent` must be \
                 int, not \"2\"",
            ),
        ] {
            let fault = render(text, LOOSE).unwrap_err();
            assert_eq!(fault.message(text), message);
        }
        // It may never be reached.
        let text = "{{ if .nope }}{{ trunc }}{{ end }}";
        assert_eq!(render(text, LOOSE), Ok(Rendered::Unknown));
        assert_eq!(
            render("{{.nope}}", STRICT),
            Err(Fault::MissingKey("nope".into()))
        );
        assert_eq!(
            render("{{.values.x}}", STRICT),
            Err(Fault::MissingKey("values.x".into()))
        );
    }

    #[test]
    fn numbers_as_go_prints_them() {
        use super::super::value::go_number;
        let printed = [3.0, -0.5, 1_000_000.0, 123_456.0, 0.00001, 0.0].map(go_number);
        assert_eq!(printed, ["3", "-0.5", "1e+06", "123456", "1e-05", "0"]);
    }
}
