//! From TOML to a configuration, with the place of every key.

use std::ops::Range;
use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Codes, Diagnostic, Fix, Level, Severity, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::time::parse_go_duration;
use crate::load::{NamedSite, is_glob};
use crate::source::{Place, SourceId, Span};
use crate::yaml::Limits;

use super::Config;
use super::rules::{SYNTAX, UNKNOWN_KEY, VALUE};

const KEYS: &[&str] = &[
    "advisor-environment",
    "default-site",
    "exclude",
    "fail-on",
    "fail-on-plan",
    "follow-links",
    "hub",
    "hub-max-age",
    "include",
    "limits",
    "require-reason",
    "rules",
    "site",
];
const SITE_KEYS: &[&str] = &["name", "roots"];
const LIMIT_KEYS: &[&str] = &["alias-nodes", "depth", "documents", "file-bytes", "nodes"];

struct Reader<'s> {
    source: SourceId,
    codes: &'s Codes,
    sink: &'s mut Sink,
}

pub(super) fn parse(text: &str, source: SourceId, codes: &Codes, sink: &mut Sink) -> Config {
    let mut reader = Reader {
        source,
        codes,
        sink,
    };
    let mut config = Config::default();
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let place = reader.place(error.span().unwrap_or(0..0));
            let message = error
                .message()
                .lines()
                .next()
                .unwrap_or("not TOML")
                .to_owned();
            reader
                .sink
                .push(Diagnostic::new(&SYNTAX, message).at(place, ""));
            return config;
        }
    };
    for (key, value) in &table {
        match key.get_ref().as_ref() {
            "advisor-environment" => {
                config.advisor_environment = reader.texts(value, "advisor-environment");
            }
            "default-site" => config.default_site = reader.text(value, "default-site"),
            "site" => config.sites = reader.sites(value),
            "include" => config.include = reader.globs(value, "include"),
            "exclude" => config.exclude = reader.globs(value, "exclude"),
            "fail-on" => config.fail_on = reader.fail_on(value),
            "fail-on-plan" => config.fail_on_plan = reader.texts(value, "fail-on-plan"),
            "hub" => config.hub = reader.text(value, "hub").map(PathBuf::from),
            "hub-max-age" => config.hub_max_age = reader.age(value),
            "follow-links" => config.follow_links = reader.truth(value, "follow-links"),
            "require-reason" => config.require_reason = reader.truth(value, "require-reason"),
            "limits" => reader.limits(value, &mut config.limits),
            "rules" => reader.levels(value, &mut config),
            other => reader.unknown(other, key.span(), KEYS, "planner.toml"),
        }
    }
    config
}

impl Reader<'_> {
    fn place(&self, range: Range<usize>) -> Place {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Place {
            source: self.source,
            span: Span {
                start: offset(range.start),
                end: offset(range.end),
            },
        }
    }

    fn wrong(&mut self, value: &Spanned<DeValue<'_>>, message: impl Into<String>) {
        let place = self.place(value.span());
        self.sink
            .push(Diagnostic::new(&VALUE, message).at(place, "this value"));
    }

    fn unknown(&mut self, key: &str, range: Range<usize>, known: &[&str], owner: &str) {
        let place = self.place(range);
        let mut found = Diagnostic::new(&UNKNOWN_KEY, format!("`{key}` is not a key of {owner}"))
            .at(place, "unknown key");
        found = match nearest(key, known.iter().copied()) {
            Some(near) => found.help(did_you_mean(near)).fix(Fix::replace(
                format!("write `{near}`"),
                place,
                near,
            )),
            None => found.help(format!("the keys are {}", known.join(", "))),
        };
        self.sink.push(found);
    }

    fn truth(&mut self, value: &Spanned<DeValue<'_>>, key: &str) -> bool {
        if let DeValue::Boolean(wanted) = value.get_ref() {
            return *wanted;
        }
        self.wrong(value, format!("`{key}` must be true or false"));
        false
    }

    fn text(&mut self, value: &Spanned<DeValue<'_>>, key: &str) -> Option<String> {
        let text = match value.get_ref() {
            DeValue::String(text) if !text.is_empty() => Some(text.to_string()),
            _ => None,
        };
        if text.is_none() {
            self.wrong(value, format!("`{key}` must be a string"));
        }
        text
    }

    /// Seconds, from a duration such as `24h`.
    fn age(&mut self, value: &Spanned<DeValue<'_>>) -> Option<i64> {
        let text = match value.get_ref() {
            DeValue::String(text) => parse_go_duration(text).ok(),
            _ => None,
        };
        let seconds = text
            .map(|nanos| nanos / 1_000_000_000)
            .filter(|age| *age > 0);
        if seconds.is_none() {
            self.wrong(
                value,
                "`hub-max-age` must be a duration such as \"24h\" or \"30m\"",
            );
        }
        seconds
    }

    fn texts(&mut self, value: &Spanned<DeValue<'_>>, key: &str) -> Vec<String> {
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong(value, format!("`{key}` must be a list of strings"));
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                DeValue::String(text) => texts.push(text.to_string()),
                _ => self.wrong(item, format!("`{key}` must contain only strings")),
            }
        }
        texts
    }

    fn globs(&mut self, value: &Spanned<DeValue<'_>>, key: &str) -> Vec<String> {
        for item in value
            .get_ref()
            .as_array()
            .into_iter()
            .flat_map(|all| all.iter())
        {
            if let DeValue::String(text) = item.get_ref()
                && !is_glob(text)
            {
                self.wrong(item, format!("\"{text}\" is not a glob"));
            }
        }
        self.texts(value, key)
    }

    fn sites(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<NamedSite> {
        let Some(items) = value.get_ref().as_array() else {
            self.wrong(value, "`site` must be written as `[[site]]`");
            return Vec::new();
        };
        let mut sites: Vec<NamedSite> = Vec::new();
        for item in items.iter() {
            let DeValue::Table(table) = item.get_ref() else {
                self.wrong(item, "`site` must be written as `[[site]]`");
                continue;
            };
            let (mut name, mut roots) = (None, Vec::new());
            for (key, value) in table {
                match key.get_ref().as_ref() {
                    "name" => name = self.text(value, "name"),
                    "roots" => roots = self.globs(value, "roots"),
                    other => self.unknown(other, key.span(), SITE_KEYS, "[[site]]"),
                }
            }
            match name {
                Some(name) if sites.iter().any(|site| site.name == name) => {
                    self.wrong(item, format!("another site is called \"{name}\""));
                }
                Some(name) => sites.push(NamedSite { name, roots }),
                None if !table.contains_key("name") => self.wrong(item, "a site needs a `name`"),
                None => {}
            }
        }
        sites
    }

    fn fail_on(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Severity> {
        let severity = match value.get_ref() {
            DeValue::String(text) => severity(text),
            _ => None,
        };
        if severity.is_none() {
            self.wrong(
                value,
                "`fail-on` must be \"error\", \"warning\" or \"note\"",
            );
        }
        severity
    }

    fn limits(&mut self, value: &Spanned<DeValue<'_>>, limits: &mut Limits) {
        let DeValue::Table(table) = value.get_ref() else {
            return self.wrong(value, "`limits` must be a table");
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if !LIMIT_KEYS.contains(&name) {
                self.unknown(name, key.span(), LIMIT_KEYS, "[limits]");
                continue;
            }
            let number = match value.get_ref() {
                DeValue::Integer(number) => {
                    u64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok()
                }
                _ => None,
            };
            let Some(number) = number.filter(|number| *number > 0) else {
                self.wrong(value, format!("`{name}` must be a whole number above 0"));
                continue;
            };
            let size = usize::try_from(number).unwrap_or(usize::MAX);
            match name {
                "file-bytes" if number > u64::from(u32::MAX) => {
                    self.wrong(value, format!("`file-bytes` can be at most {}", u32::MAX));
                }
                "file-bytes" => limits.file_bytes = number,
                "depth" if size > Limits::MAX_DEPTH => {
                    self.wrong(
                        value,
                        format!("`depth` can be at most {}", Limits::MAX_DEPTH),
                    );
                }
                "depth" => limits.depth = size,
                "nodes" => limits.nodes = size,
                "alias-nodes" => limits.alias_nodes = size,
                _ => limits.documents = size,
            }
        }
    }

    fn levels(&mut self, value: &Spanned<DeValue<'_>>, config: &mut Config) {
        let DeValue::Table(table) = value.get_ref() else {
            return self.wrong(value, "`rules` must be a table");
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let Some(meaning) = self.codes.find(name) else {
                let codes: Vec<&str> = self.codes.short().collect();
                self.unknown(name, key.span(), &codes, "[rules]");
                continue;
            };
            if let Some(note) = meaning.note(name) {
                let place = self.place(key.span());
                let found = Diagnostic::new(&UNKNOWN_KEY, note).at(place, "an old name");
                self.sink.push(found.severity(Severity::Note));
            }
            let Some(rule) = meaning.rule() else {
                continue;
            };
            let level = match value.get_ref() {
                DeValue::String(text) if text == "off" => Some(Level::Off),
                DeValue::String(text) => severity(text).map(Level::At),
                _ => None,
            };
            match level {
                Some(level) => {
                    config.levels.0.insert(rule.code.to_owned(), level);
                }
                None => self.wrong(
                    value,
                    format!("the level of `{name}` must be error, warning, note or off"),
                ),
            }
        }
    }
}

fn severity(text: &str) -> Option<Severity> {
    match text {
        "error" => Some(Severity::Error),
        "warning" | "warn" => Some(Severity::Warning),
        "note" => Some(Severity::Note),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_schema_knows_the_same_keys_and_defaults() {
        let schema = crate::schema::bundled("config").unwrap();
        let keys = |pointer: &str| -> Vec<String> {
            let mut keys: Vec<String> = schema
                .pointer(pointer)
                .and_then(Value::as_object)
                .unwrap()
                .keys()
                .cloned()
                .collect();
            keys.sort();
            keys
        };
        assert_eq!(keys("/properties"), KEYS);
        assert_eq!(keys("/properties/limits/properties"), LIMIT_KEYS);
        let limits = Limits::default();
        let default = |key: &str| {
            let at = format!("/properties/limits/properties/{key}/default");
            schema.pointer(&at).and_then(Value::as_u64).unwrap()
        };
        assert_eq!(default("file-bytes"), limits.file_bytes);
        assert_eq!(default("depth"), limits.depth as u64);
        assert_eq!(default("nodes"), limits.nodes as u64);
        assert_eq!(default("alias-nodes"), limits.alias_nodes as u64);
        assert_eq!(default("documents"), limits.documents as u64);
        let most = schema.pointer("/properties/limits/properties/depth/maximum");
        assert_eq!(most.and_then(Value::as_u64), Some(Limits::MAX_DEPTH as u64));
    }

    #[test]
    fn what_the_schema_takes_the_reader_takes() {
        let schema = crate::schema::bundled("config").unwrap();
        let validator = jsonschema::options().offline().build(&schema).unwrap();
        let cases = [
            "include = [\"site/**\"]\nexclude = []\nfail-on = \"warning\"\n\
             require-reason = true\nfollow-links = true\n[rules]\n\
             \"ogc::bad_name\" = \"off\"\n\"planner::yaml::syntax\" = \"warn\"\n\
             [limits]\ndepth = 512\nfile-bytes = 1_000\n",
            "fail-on = \"fatal\"",
            "fail-on = 1",
            "require-reason = \"yes\"",
            "follow-links = 1",
            "include = \"site\"",
            "exclude = [1]",
            "inclde = []",
            "rules = 1",
            "[rules]\n\"ogc::bad_name\" = \"fatal\"",
            "[rules]\nbad = \"off\"",
            "[limits]\ndepth = 0",
            "[limits]\ndepth = 513",
            "[limits]\ndepht = 1",
            "[limits]\nfile-bytes = 4294967296",
            "[limits]\nnodes = \"1\"",
        ];
        for (at, text) in cases.into_iter().enumerate() {
            let value: Value = toml::from_str(text).unwrap();
            let mut sink = Sink::default();
            parse(text, SourceId(0), &crate::rules::codes(), &mut sink);
            assert_eq!(!sink.has_errors(), at == 0, "{text}");
            assert_eq!(validator.is_valid(&value), at == 0, "{text}");
        }
    }

    #[test]
    fn a_former_code_still_has_its_level() {
        let codes = crate::diagnostic::changed_codes();
        let text = "[rules]\n\"ogc::gone\" = \"error\"\n\"ogc::old_name\" = \"off\"\n";
        let mut sink = Sink::default();
        let config = parse(text, SourceId(0), &codes, &mut sink);
        let levels = [("planner::ogc::new_name".to_owned(), Level::Off)];
        assert_eq!(config.levels.0, levels.into());
        let wanted = [
            "`ogc::gone` was retired in 0.2.0: the schema says it",
            "`ogc::old_name` is now called `ogc::new_name`",
        ];
        assert_eq!(crate::diagnostic::notes(&sink), wanted);
    }
}
