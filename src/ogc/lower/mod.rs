//! From documents to the model: refused documents take no part.
//!
//! Documents are read in runs of a fixed size, several at a time: first what others refer to,
//! then the Applications, which are by far the most.

mod cluster;
mod package;
mod reader;
mod refusals;
mod refused;
mod resolve;
mod trail;

use std::convert::Infallible;
use std::sync::OnceLock;

use self::package::ReferenceNames;
use self::reader::Reader;
use self::resolve::{Loose, Sourced};
use super::model::Model;
use super::rules;
use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, Documents};
use crate::kit::nearest::Names;
use crate::options::CheckOptions;
use crate::parallel;

/// Documents read at a time by one thread.
const RUN: usize = 1024;

/// Makes the model of a site out of its OGC documents, and checks it.
///
/// Documents that were refused take no part; what refers to them is left out without a finding
/// of its own.
pub(super) fn lower<'a>(
    documents: &Documents<'a>,
    settings: &CheckOptions,
    sink: &mut Sink,
) -> Model<'a> {
    let jobs = settings.jobs;
    let runs: Vec<&[Document<'a>]> = documents.all.chunks(RUN).collect();
    let read = parallel::map(jobs, &runs, |run| {
        let (mut loose, mut sink) = (Loose::default(), Sink::default());
        run.iter()
            .for_each(|document| read(document, &mut loose, &mut sink));
        settings.progress.add(run.len());
        (loose, sink)
    });
    let mut loose = Loose::default();
    for (more, found) in read {
        loose.append(more);
        sink.append(found);
    }
    let (mut model, refused) = resolve::resolve(loose, sink);
    let by_name = model
        .packages
        .iter()
        .map(|package| package.name)
        .zip(0..)
        .collect();
    let known = ReferenceNames {
        packages: &model.packages,
        by_name: &by_name,
        names: OnceLock::new(),
        images: settings.validating,
        refused: &refused,
    };
    let of_run = |run: usize| {
        let wanted = |document: &&Document<'a>| {
            document.kind == DocumentKind::Application && !document.refused
        };
        runs[run].iter().filter(wanted)
    };
    let read = |run: usize| {
        let mut sink = Sink::default();
        let mut looks = Names::LOOKS / runs.len();
        let read = of_run(run).filter_map(|document| {
            package::application(document.node, &known, &mut looks, &mut sink)
        });
        let read: Vec<_> = read.collect();
        settings.progress.add(runs[run].len());
        (read, sink)
    };
    let count = (0..runs.len()).map(|run| of_run(run).count()).sum();
    let mut applications = Vec::with_capacity(count);
    let Ok(()) = parallel::in_order(jobs, runs.len(), read, |(more, found)| {
        applications.extend(more);
        sink.append(found);
        Ok::<(), Infallible>(())
    });
    refused::report_remaining(&documents.all, &known, sink);
    resolve::applications(&mut model, applications, sink);
    rules::check_model(&model, sink);
    model
}

/// Collects into no more room than is needed: a site has hundreds of thousands of short lists.
fn exact<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = items.collect();
    list.shrink_to_fit();
    list
}

/// Reads documents that are no Applications.
fn read<'a>(document: &Document<'a>, loose: &mut Loose<'a>, sink: &mut Sink) {
    let (root, kind) = (document.node, document.kind);
    let read = match kind {
        _ if document.refused => None,
        DocumentKind::Project => {
            let mut reader = Reader::new(root, "Project", sink);
            let own = reader.own_name();
            reader.unread(&["labels", "annotations"]);
            reader
                .accept(own)
                .map(|own| loose.projects.push(found(document, own)))
        }
        DocumentKind::Cluster => {
            let read = cluster::cluster(root, sink);
            read.map(|cluster| loose.clusters.push(found(document, cluster)))
        }
        DocumentKind::Node => {
            let read = cluster::node_document(root, sink);
            read.map(|node| loose.nodes.push(found(document, node)))
        }
        DocumentKind::Package => {
            let read = package::package(root, sink);
            read.map(|package| loose.packages.push(found(document, package)))
        }
        DocumentKind::Deployment => {
            let read = package::deployment(root, sink);
            read.map(|deployment| loose.deployments.push(found(document, deployment)))
        }
        _ => return,
    };
    if read.is_none()
        && let Some(name) = document.name()
    {
        loose.refuse(kind, name);
    }
}

fn found<'a, T>(document: &Document<'a>, object: T) -> Sourced<'a, T> {
    Sourced {
        object,
        root: document.node,
        record: document.record(),
    }
}
