//! `planner plan` as data.

use std::io;

use jiff::Timestamp;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::data::{self, Fields, InTurn, Object, Part};
use crate::diagnostic::Sink;
use crate::ocm::records;
use crate::plan::changes::Changes;
use crate::plan::{Plan, Quality};
use crate::render::diagnostics::{self, JsonDiagnostics};
use crate::render::yaml;
use crate::saved;
use crate::site::Counts;
use crate::source::Sources;
use crate::systems;

use super::Hub;
use super::changes::change;
use super::envelope::{DocumentCounts, FORMAT_VERSION};
use super::partial::{LeftOutForm, left_out};
use super::row::RowData;

/// The keys of the parts that systems add to an answer, in their order.
#[must_use]
pub fn parts() -> Vec<&'static str> {
    let profiles = systems::all().map(|system| system.profile());
    let first = profiles.iter().flat_map(|profile| profile.parts);
    let last = profiles.iter().flat_map(|profile| profile.last);
    first.chain(last).copied().collect()
}

/// The whole answer.
pub struct PlanAnswer<'p, 'a> {
    now: String,
    documents: DocumentCounts,
    result: &'static str,
    left_out: Vec<LeftOutForm<'p>>,
    hub: Option<Hub>,
    guard: Option<Value>,
    parts: Vec<Part<'p>>,
    /// The plan whose changes are gathered when they are written.
    changing: Option<&'p Plan<'p, 'a>>,
    /// The rows, where they are wanted.
    rows: Option<&'p Plan<'p, 'a>>,
    diagnostics: JsonDiagnostics<'p>,
}

impl<'p, 'a> PlanAnswer<'p, 'a> {
    /// The answer; of a plan that is none (documents were refused) only the findings follow.
    #[must_use]
    pub fn new(planned: &'p Plan<'_, 'a>, found: &'p Sink, sources: &'p Sources) -> Self {
        let plan = planned.shown();
        let order = parts();
        let mut parts: Vec<Part<'p>> = plan.map_or(Vec::new(), |plan| {
            let systems = systems::all().into_iter();
            systems.flat_map(|system| system.data(plan)).collect()
        });
        parts.sort_by_key(|part| order.iter().position(|key| *key == part.key));
        Self {
            now: planned.now.to_string(),
            documents: planned.counts.into(),
            result: planned.result().word(),
            left_out: plan
                .and_then(|plan| plan.partial.as_ref())
                .map_or(Vec::new(), |partial| left_out(&partial.left_out, sources)),
            guard: None,
            hub: planned.site.hub.as_ref().map(|hub| Hub::new(hub, sources)),
            parts,
            changing: plan,
            rows: None,
            diagnostics: diagnostics::json(found, sources),
        }
    }

    /// With what the guard says.
    #[must_use]
    pub fn guarded(self, guard: Option<Value>) -> Self {
        Self { guard, ..self }
    }

    /// With the rows of this plan: what a saved plan is compared by, and what pages show of it.
    #[must_use]
    pub fn saved(self, plan: &'p Plan<'p, 'a>) -> Self {
        let rows = Some(plan);
        Self { rows, ..self }
    }

    /// Hands over every field, in the documented order.
    fn fields<F: Fields>(&self, to: &mut F) -> Result<(), F::Error> {
        to.field("apiVersion", &"planner/v1")?;
        to.field("kind", &"Plan")?;
        to.field("formatVersion", &FORMAT_VERSION)?;
        to.field("now", &self.now)?;
        self.contents(to)?;
        to.field("diagnostics", &self.diagnostics)
    }

    /// Hands over what a site alone has.
    fn contents<F: Fields>(&self, to: &mut F) -> Result<(), F::Error> {
        to.field("documents", &self.documents)?;
        to.field("result", &self.result)?;
        if !self.left_out.is_empty() {
            to.field("leftOut", &self.left_out)?;
        }
        if let Some(hub) = &self.hub {
            to.field("hub", hub)?;
        }
        if let Some(guard) = &self.guard {
            to.field("guard", guard)?;
        }
        if let Some(plan) = self.changing {
            let changes = Changes::of(|| systems::rows(plan));
            if changes.are_fewer() {
                let sources = plan.site.documents.sources;
                let form = |one| change(one, sources);
                to.field("changes", &Each(|| changes.all.iter().map(form)))?;
            }
        }
        for part in &self.parts {
            to.part(part)?;
        }
        if let Some(plan) = self.rows {
            let row = |row| RowData(row, plan.site.documents.sources);
            to.field("rows", &Each(|| systems::rows(plan).map(row)))?;
        }
        Ok(())
    }

    /// Writes the answer as YAML.
    ///
    /// # Errors
    /// Any error from the writer.
    pub fn write_yaml(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut fields = Map::new();
        self.fields(&mut fields)?;
        out.write_all(yaml::document(&fields.into()).as_bytes())
    }

    /// One part alone, under its key.
    #[must_use]
    pub fn section(&self, key: &str) -> Value {
        json!({ key: self.part(key).map_or_else(|| json!([]), Part::all) })
    }

    /// Writes the answer as JSON, one item of a section a line, on at most `jobs` threads.
    ///
    /// # Errors
    /// Any error from the writer.
    pub fn write_json(&self, jobs: usize, out: &mut dyn io::Write) -> io::Result<()> {
        let mut object = Object::begin(out, jobs)?;
        self.fields(&mut object)?;
        object.end()?;
        out.write_all(b"\n")
    }
}

/// A section that is a list, its items made when they are asked for.
pub struct Items<'p> {
    len: usize,
    make: Box<dyn Fn(usize) -> Value + 'p>,
}

impl<'p> Items<'p> {
    /// The items of a list that was made.
    #[must_use]
    pub fn made_of(values: Vec<Value>) -> Self {
        Self {
            len: values.len(),
            make: Box::new(move |at| values.get(at).cloned().unwrap_or_default()),
        }
    }

    /// The items of a saved plan; one that is no object has no fields.
    #[must_use]
    pub fn read(items: Vec<&'p RawValue>) -> Self {
        Self {
            len: items.len(),
            make: Box::new(move |at| {
                let item = items.get(at).map(|item| saved::value(item));
                item.filter(Value::is_object)
                    .unwrap_or_else(|| Value::Object(Map::new()))
            }),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, at: usize) -> Value {
        (self.make)(at)
    }
}

impl PlanAnswer<'_, '_> {
    /// The items of a part that is a list; none of any other.
    #[must_use]
    pub fn items(&self, key: &str) -> Items<'_> {
        let Some(part) = self.part(key) else {
            return Items::made_of(Vec::new());
        };
        match part.count() {
            Some(len) => Items {
                len,
                make: Box::new(|at| part.value(at)),
            },
            None => match part.value(0) {
                Value::Array(items) => Items::made_of(items),
                _ => Items::made_of(Vec::new()),
            },
        }
    }

    /// A part that is made as a whole.
    #[must_use]
    pub fn whole(&self, key: &str) -> Option<Value> {
        let part = self.part(key)?;
        Some(part.value(0)).filter(|_| part.count().is_none())
    }

    fn part(&self, key: &str) -> Option<&Part<'_>> {
        self.parts.iter().find(|part| part.key == key)
    }
}

impl Serialize for PlanAnswer<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = InTurn(to.serialize_map(None)?);
        self.fields(&mut map)?;
        map.0.end()
    }
}

/// Writes an answer as JSON, one item of a section a line.
///
/// # Errors
/// Any error from the writer.
pub fn write_json(answer: &impl Serialize, mut out: impl io::Write) -> io::Result<()> {
    data::write(answer, &mut out)?;
    out.write_all(b"\n")
}

/// A list whose items are made when they are written: there may be very many.
#[derive(Debug)]
pub struct Each<F>(pub F);

impl<F, I> Serialize for Each<F>
where
    F: Fn() -> I,
    I: IntoIterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((self.0)())
    }
}

/// The same as a text.
#[must_use]
pub fn text(answer: &impl Serialize) -> String {
    // Our answers hold no keys that are not texts, so writing them does not fail.
    let mut text = Vec::new();
    let _ = write_json(answer, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Writes an answer as YAML.
///
/// # Errors
/// Any error from the writer.
pub fn write_yaml(answer: &impl Serialize, mut out: impl io::Write) -> io::Result<()> {
    let value = serde_json::to_value(answer)?;
    out.write_all(yaml::document(&value).as_bytes())
}

/// Writes the `PlacementDecision`s of a plan as a hub would hold them.
///
/// # Errors
/// Any error from the writer.
pub fn write_decisions(plan: &Plan<'_, '_>, mut out: impl io::Write) -> io::Result<()> {
    let planned = plan
        .shown()
        .and_then(|plan| Some((&*plan.site.ocm, plan.placements.as_ref()?)));
    let documents = planned.map(|(model, outcome)| records::documents(model, outcome));
    for (index, document) in documents.into_iter().flatten().enumerate() {
        let mark = if index == 0 { "" } else { "---\n" };
        write!(out, "{mark}{}", yaml::document(&document))?;
    }
    Ok(())
}

/// A site among several.
pub struct SiteAnswer<'p, 'a> {
    /// Its name.
    pub name: &'p str,
    /// The kustomizations that it has and others have not.
    pub roots: &'p [String],
    /// Its plan.
    pub plan: PlanAnswer<'p, 'a>,
}

impl Serialize for SiteAnswer<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = InTurn(to.serialize_map(None)?);
        map.field("name", &self.name)?;
        map.field("roots", &self.roots)?;
        self.plan.contents(&mut map)?;
        map.0.end()
    }
}

/// The plans of several sites.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SitesAnswer<'p, 'a> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    now: String,
    documents: DocumentCounts,
    result: &'static str,
    sites: Vec<SiteAnswer<'p, 'a>>,
    diagnostics: JsonDiagnostics<'p>,
}

impl<'p, 'a> SitesAnswer<'p, 'a> {
    /// The answer over these sites, each finding once.
    #[must_use]
    pub fn new(
        (now, documents): (Timestamp, Counts),
        result: Quality,
        sites: Vec<SiteAnswer<'p, 'a>>,
        (found, sources): (&'p Sink, &'p Sources),
    ) -> Self {
        Self {
            api_version: "planner/v1",
            kind: "Plan",
            format_version: FORMAT_VERSION,
            now: now.to_string(),
            documents: documents.into(),
            result: result.word(),
            sites,
            diagnostics: diagnostics::json(found, sources),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_of_a_saved_plan_that_is_no_object_has_no_fields() {
        let written: Vec<Box<RawValue>> = ["{\"a\": 1}", "\"b\"", "[2]", "3", "null"]
            .map(|text| RawValue::from_string(text.to_owned()).unwrap())
            .into();
        let items = Items::read(written.iter().map(|item| &**item).collect());
        assert_eq!(items.get(0)["a"], 1);
        // Whoever shows an item adds to its fields.
        for at in 1..=written.len() {
            assert_eq!(items.get(at), Value::Object(Map::new()));
        }
    }
}
