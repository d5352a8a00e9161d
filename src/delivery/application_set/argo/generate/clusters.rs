//! The clusters that Argo CD knows.

use std::borrow::Cow;

use crate::delivery::application_set::argo::generate::{Failure, Outer, Run, Sets, Why};
use crate::delivery::application_set::argo::hub::{IN_CLUSTER, IN_CLUSTER_SERVER};
use crate::delivery::application_set::argo::render::{Fault, Language, Rendered, Template};
use crate::delivery::application_set::argo::set::Values;
use crate::delivery::application_set::argo::value::{Params, Value};
use crate::kit::selector::{LabelSelector, Selector};
use crate::source::Place;

const SECRET_TYPE: &str = "argocd.argoproj.io/secret-type";
const ACM_CLUSTER: &str = "apps.open-cluster-management.io/acm-cluster";
const ACM_NAME: &str = "apps.open-cluster-management.io/cluster-name";

impl<'s, 'a> Run<'s, 'a> {
    pub(super) fn clusters(
        &mut self,
        selector: &LabelSelector<'a>,
        values: &Values<'a>,
        flat: bool,
        outer: Outer<'_, 'a>,
        place: Place,
    ) -> Sets<'a> {
        let sight = self.sight;
        let Some(filled) = self.fill_selector(selector, place, outer)? else {
            return self.unknown();
        };
        let selector = filled.as_ref();
        let compiled = selector.compile().map_err(|fault| {
            let message = format!("the selector of the clusters is refused: {fault}");
            Failure::new(Why::Generator, message, place, "correct the selector")
        })?;
        if !sight.registered.known || flat {
            return self.unknown();
        }
        let values = self.fill_values(values, place, outer)?;
        let mut sets = Vec::new();
        let mut known_by_address = false;
        for secret in &sight.registered.secrets {
            let mut labels = secret.labels.clone();
            labels.retain(|(key, _)| *key != SECRET_TYPE);
            labels.push((SECRET_TYPE, "cluster"));
            let here = secret.server.trim_end_matches('/') == IN_CLUSTER_SERVER;
            known_by_address |= here;
            let number = sight.clusters.names.find(&secret.cluster);
            let number = if here {
                Some(sight.clusters.in_cluster)
            } else {
                number
            };
            if matches(&compiled, &labels) {
                let server = match number {
                    Some(number) => Value::Server(number),
                    None => Value::Text(secret.server.to_string().into()),
                };
                let name = Cow::Owned(secret.cluster.to_string());
                sets.push(self.cluster((name, number, server), Some(labels), &values, place)?);
            }
        }
        for number in &sight.registered.imported {
            let name = sight.clusters.names.name(*number);
            let own = sight.clusters.labels.get(number);
            let mut labels = own.cloned().unwrap_or_default();
            let ours = [
                (SECRET_TYPE, "cluster"),
                (ACM_CLUSTER, "true"),
                (ACM_NAME, name),
            ];
            labels.retain(|(key, _)| ours.iter().all(|(our, _)| our != key));
            labels.extend(ours);
            if matches(&compiled, &labels) {
                let known = (Cow::Borrowed(name), Some(*number), Value::Server(*number));
                sets.push(self.cluster(known, Some(labels), &values, place)?);
            }
        }
        if selector.is_empty() && !known_by_address {
            let number = sight.clusters.in_cluster;
            let known = (
                Cow::Borrowed(IN_CLUSTER),
                Some(number),
                Value::Server(number),
            );
            sets.push(self.cluster(known, None, &values, place)?);
        }
        Ok(sets)
    }

    /// The set of one cluster that Argo CD knows.
    fn cluster(
        &self,
        (name, number, server): (Cow<'a, str>, Option<u32>, Value<'a>),
        labels: Option<Vec<(&'a str, &'a str)>>,
        values: &[(&'a str, Value<'a>)],
        place: Place,
    ) -> Result<Params<'a>, Failure> {
        let mut params = Params {
            own: number,
            ..Params::default()
        };
        params.set("nameNormalized", Value::Text(normalized(&name).into()));
        params.set("name", Value::Text(name));
        params.set("server", server);
        params.set("project", Value::text(""));
        let labels = labels.map(|labels| {
            let labels = labels.into_iter();
            labels.map(|(key, value)| (key, Value::text(value)))
        });
        match (self.language, labels) {
            (_, None) => {}
            (Language::Tags, Some(labels)) => {
                for (key, value) in labels {
                    params.set(format!("metadata.labels.{key}"), value);
                }
            }
            (Language::Go { .. }, Some(labels)) => {
                let labels = labels
                    .map(|(key, value)| (Cow::Borrowed(key), value))
                    .collect();
                let metadata = vec![("labels".into(), Value::Map(labels))];
                params.set("metadata", Value::Map(metadata));
            }
        }
        let mut rendered = Vec::with_capacity(values.len());
        for (key, value) in values {
            let value = match value {
                Value::Text(text) => self.value(text, &params, place)?,
                other => other.clone(),
            };
            rendered.push((*key, value));
        }
        self.add_values(&mut params, rendered);
        Ok(params)
    }

    fn value(&self, text: &str, params: &Params<'a>, place: Place) -> Result<Value<'a>, Failure> {
        let fault = |fault: Fault| Failure::template(&fault, text, place);
        let template = Template::parse(text, self.language).map_err(fault)?;
        let rendered = template.render(params, self.language).map_err(fault)?;
        Ok(match rendered {
            Rendered::Text(text) => Value::Text(Cow::Owned(text)),
            Rendered::Server(cluster) => Value::Server(cluster),
            Rendered::Unknown => Value::Unknown,
        })
    }
}

fn matches(selector: &Selector<'_>, labels: &[(&str, &str)]) -> bool {
    selector.matches(|key| {
        let found = labels.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| *value)
    })
}

/// A name as Argo CD makes it fit for Kubernetes.
fn normalized(name: &str) -> String {
    let fit = |letter: char| match letter {
        'a'..='z' | '0'..='9' | '-' | '.' => letter,
        _ => '-',
    };
    let name: String = name.to_lowercase().chars().map(fit).collect();
    let end = name.len().min(253);
    name[..end].trim_matches(['-', '.']).to_owned()
}
