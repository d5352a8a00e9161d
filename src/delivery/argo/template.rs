//! The two languages of templates: `{{name}}` of fasttemplate, and `{{.name}}` of Go.

use std::borrow::Cow;

use super::functions::{is_known, is_removed};
use super::value::{Params, Value};

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

/// What a parsed text is made of.
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

    /// What is wrong, in words.
    #[must_use]
    pub fn message(&self, text: &str) -> String {
        match self {
            Self::Unclosed => format!("`{text}` has an unclosed `{{{{`"),
            Self::NoFunction(name) if is_removed(name) => {
                format!("Argo CD removes the function `{name}` from templates")
            }
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

    /// What stands before the first and behind the last thing that is filled in.
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
                    Found::Text(value) => text.push_str(&value),
                    Found::Server(cluster) if self.parts.len() == 1 => {
                        return Ok(Rendered::Server(cluster));
                    }
                    Found::Server(_) | Found::Unknown => unknown = true,
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

/// What a field comes to.
enum Found<'p> {
    Text(Cow<'p, str>),
    Server(u32),
    Unknown,
}

fn field<'p>(params: &'p Params<'_>, path: &[&str], strict: bool) -> Result<Found<'p>, Fault> {
    let nothing = || Found::Text(Cow::Borrowed("<no value>"));
    let mut value: Option<&Value<'_>> = None;
    for (depth, key) in path.iter().enumerate() {
        let dotted = || path[..=depth].join(".");
        let found = match value {
            None if depth == 0 => params.get(key),
            None => None,
            Some(Value::Unknown) => return Ok(Found::Unknown),
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
        Some(Value::Server(cluster)) => Found::Server(*cluster),
        Some(value) => value.printed().map_or(Found::Unknown, Found::Text),
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
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let end = end_of(after).ok_or(Fault::Unclosed)?;
        let (action, after) = (&after[..end], &after[end + 2..]);
        if !before.is_empty() {
            parts.push(Part::Text(before));
        }
        parts.push(action_of(action.trim())?);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Ok(Template { parts })
}

/// Where an action ends: at the first `}}` that no quotes surround.
fn end_of(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if next.starts_with("}}") {
            return Some(at);
        }
        at += quoted(next).unwrap_or_else(|| next.chars().next().map_or(1, char::len_utf8));
    }
    None
}

/// The length of the quoted text that a text begins with.
fn quoted(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|one| "\"'`".contains(*one))?;
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            _ if letter == quote => return Some(at + 1),
            '\\' if quote != '`' => drop(letters.next()),
            _ => {}
        }
    }
    Some(text.len())
}

fn is_letter(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

fn action_of(action: &str) -> Result<Part<'_>, Fault> {
    let word = |word: &str| {
        let starts = word.starts_with(|letter: char| letter == '_' || letter.is_alphabetic());
        starts && word.chars().all(is_letter)
    };
    if let Some(path) = action.strip_prefix('.') {
        let path: Vec<&str> = path.split('.').collect();
        if path.iter().all(|key| word(key)) {
            return Ok(Part::Field(path));
        }
    }
    let inner = action.trim_matches('-').trim();
    if inner.starts_with("/*") && inner.ends_with("*/") {
        return Ok(Part::Opaque);
    }
    // The function `values` needs a map.
    if inner == "values" {
        return Err(Fault::NoFunction(inner.to_owned()));
    }
    bare_words(inner)?;
    Ok(Part::Opaque)
}

/// Holds every bare word of an action against the functions that there are.
fn bare_words(action: &str) -> Result<(), Fault> {
    let mut rest = action;
    while let Some(first) = rest.chars().next() {
        let behind = |text: &str| text.find(|one| !is_letter(one)).unwrap_or(text.len());
        let length = match first {
            '"' | '\'' | '`' => quoted(rest).unwrap_or(rest.len()),
            // A field, a variable or a number.
            '.' | '$' => 1 + behind(&rest[1..]),
            _ if first.is_numeric() => behind(rest),
            _ if is_letter(first) => {
                let length = behind(rest);
                let fields = rest[length..].find(|one| one != '.' && !is_letter(one));
                let path = &rest[..fields.map_or(rest.len(), |more| length + more)];
                if !is_known(&rest[..length]) || path.starts_with("values.") {
                    return Err(Fault::NoFunction(path.to_owned()));
                }
                length
            }
            other => other.len_utf8(),
        };
        rest = &rest[length..];
    }
    Ok(())
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
