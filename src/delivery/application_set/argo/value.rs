//! Parameters: what a generator hands to a template.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// The address of a cluster: which one is known, its text is not.
    Server(u32),
    /// A number or truth value, as Go prints it.
    Plain(Cow<'a, str>),
    /// Nothing.
    Null,
    /// A list.
    List(Vec<Self>),
    /// A map.
    Map(Vec<(Cow<'a, str>, Self)>),
    /// Something that the documents do not say.
    Unknown,
}

impl<'a> Value<'a> {
    /// A text of a document.
    #[must_use]
    pub const fn text(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// A value of JSON.
    #[must_use]
    pub fn of_json(value: serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match value {
            Json::Null => Self::Null,
            Json::Bool(truth) => Self::Plain(if truth { "true" } else { "false" }.into()),
            Json::Number(number) => Self::Plain(go_number(number.as_f64().unwrap_or(0.0)).into()),
            Json::String(text) => Self::Text(text.into()),
            Json::Array(items) => Self::List(items.into_iter().map(Self::of_json).collect()),
            Json::Object(entries) => {
                let entries = entries.into_iter();
                Self::Map(
                    entries
                        .map(|(key, value)| (key.into(), Self::of_json(value)))
                        .collect(),
                )
            }
        }
    }

    /// The value as Go prints it; `None` where it is not known.
    #[must_use]
    pub fn printed(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) | Self::Plain(text) => Some(Cow::Borrowed(text)),
            Self::Null => Some(Cow::Borrowed("<nil>")),
            Self::Server(_) | Self::Unknown => None,
            Self::List(items) => {
                let items: Option<Vec<_>> = items.iter().map(Self::printed).collect();
                Some(Cow::Owned(format!("[{}]", items?.join(" "))))
            }
            Self::Map(entries) => {
                let mut sorted: Vec<_> = entries.iter().collect();
                sorted.sort_by(|a, b| a.0.cmp(&b.0));
                let mut text = String::from("map[");
                for (index, (key, value)) in sorted.into_iter().enumerate() {
                    let space = if index == 0 { "" } else { " " };
                    let _ = write!(text, "{space}{key}:{}", value.printed()?);
                }
                text.push(']');
                Some(Cow::Owned(text))
            }
        }
    }

    /// The value that a dotted key names below this one, as a selector sees it.
    fn flat(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => flat(entries, key),
            Self::List(items) => {
                let (index, rest) = key
                    .split_once('.')
                    .map_or((key, None), |(i, r)| (i, Some(r)));
                let item = items.get(index.parse::<usize>().ok()?)?;
                match rest {
                    Some(rest) => item.flat(rest),
                    None => item.leaf(),
                }
            }
            _ => None,
        }
    }

    fn leaf(&self) -> Option<&Self> {
        (!matches!(self, Self::Map(_) | Self::List(_))).then_some(self)
    }

    /// Puts another value in the place of this one; the keys of maps one by one.
    fn merge(&mut self, other: Self) {
        match (self, other) {
            (Self::Map(own), Self::Map(other)) => {
                for (key, value) in other {
                    merge(own, key, value);
                }
            }
            (own, other) => *own = other,
        }
    }
}

fn flat<'v, 'a>(entries: &'v [(Cow<'a, str>, Value<'a>)], key: &str) -> Option<&'v Value<'a>> {
    entries.iter().find_map(|(name, value)| {
        let rest = key.strip_prefix(name.as_ref())?;
        match rest.strip_prefix('.') {
            Some(rest) => value.flat(rest),
            None if rest.is_empty() => value.leaf(),
            None => None,
        }
    })
}

fn merge<'a>(entries: &mut Vec<(Cow<'a, str>, Value<'a>)>, key: Cow<'a, str>, value: Value<'a>) {
    match entries.iter_mut().find(|(name, _)| *name == key) {
        Some((_, own)) => own.merge(value),
        None => entries.push((key, value)),
    }
}

/// One set of parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params<'a> {
    /// The parameters; no name twice.
    pub entries: Vec<(Cow<'a, str>, Value<'a>)>,
    /// Whether there may be others, which the documents do not say.
    pub open: bool,
    /// The cluster that the set was made for.
    pub own: Option<u32>,
}

impl<'a> Params<'a> {
    /// The set of a generator whose results are not known.
    #[must_use]
    pub fn unknown() -> Self {
        Self {
            open: true,
            ..Self::default()
        }
    }

    /// The parameter of this name; of an open set any.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        let found = self.entries.iter().find(|(key, _)| key == name);
        match found {
            Some((_, value)) => Some(value),
            None if self.open => Some(&Value::Unknown),
            None => None,
        }
    }

    /// Whether a dotted path of a Go template leads nowhere.
    #[must_use]
    pub fn lacks(&self, path: &str) -> bool {
        let mut keys = path.split('.');
        let mut value = match keys.next().and_then(|key| self.get(key)) {
            None => return true,
            Some(value) => value,
        };
        for key in keys {
            let Value::Map(entries) = value else {
                return *value != Value::Unknown;
            };
            match entries.iter().find(|(name, _)| name == key) {
                None => return true,
                Some((_, below)) => value = below,
            }
        }
        false
    }

    /// Whether there is nothing to render with.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && !self.open
    }

    /// Sets a parameter.
    pub fn set(&mut self, name: impl Into<Cow<'a, str>>, value: Value<'a>) {
        let name = name.into();
        match self.entries.iter_mut().find(|(key, _)| *key == name) {
            Some((_, old)) => *old = value,
            None => self.entries.push((name, value)),
        }
    }

    /// The value that a dotted key names, as a selector sees it.
    #[must_use]
    pub fn flat(&self, key: &str) -> Option<&Value<'a>> {
        match flat(&self.entries, key) {
            None if self.open => Some(&Value::Unknown),
            found => found,
        }
    }

    /// Takes over the parameters of another set; they win, and maps are merged where `deep`.
    pub fn override_with(&mut self, other: Self, deep: bool) {
        for (key, value) in other.entries {
            if deep {
                merge(&mut self.entries, key, value);
            } else {
                self.set(key, value);
            }
        }
        self.open |= other.open;
        self.own = other.own.or(self.own);
    }

    /// Both sets as one, all values as texts.
    ///
    /// # Errors
    /// The name that has two different values.
    pub fn combine(&self, other: &Self) -> Result<Self, String> {
        let mut both = self.clone();
        for (_, value) in &mut both.entries {
            value.make_text();
        }
        for (key, value) in &other.entries {
            let mut value = value.clone();
            value.make_text();
            let found = both.entries.iter_mut().find(|(name, _)| name == key);
            let Some((_, old)) = found else {
                both.entries.push((key.clone(), value));
                continue;
            };
            match (&*old, &value) {
                (old, value) if old == value => {}
                (Value::Text(_), Value::Text(_)) => return Err(key.to_string()),
                (Value::Server(_), Value::Server(_)) => return Err(key.to_string()),
                _ => *old = Value::Unknown,
            }
        }
        both.open |= other.open;
        both.own = both.own.or(other.own);
        Ok(both)
    }
}

impl Value<'_> {
    /// Makes it the text that Go prints for it.
    fn make_text(&mut self) {
        if matches!(self, Self::Text(_) | Self::Server(_) | Self::Unknown) {
            return;
        }
        *self = match self.printed() {
            Some(text) => Self::Text(Cow::Owned(text.into_owned())),
            None => Self::Unknown,
        };
    }
}

/// A number as Go prints it.
#[must_use]
pub fn go_number(value: f64) -> String {
    if value == 0.0 {
        return String::from(if value.is_sign_negative() { "-0" } else { "0" });
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
