//! From documents to the model: what is refused takes no part (OGC planning, section 2).

mod cluster;
mod package;
mod reader;
mod resolve;

use self::reader::Reader;
use self::resolve::{Found, Loose};
use super::model::Model;
use super::rules;
use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, Documents};

/// Makes the model of a site out of its OGC documents, and checks it.
///
/// Documents that were refused take no part; what refers to them is left out without a finding
/// of its own.
pub(super) fn lower<'a>(documents: &Documents<'a>, sink: &mut Sink) -> Model<'a> {
    let mut loose = Loose::default();
    for document in &documents.all {
        if !document.refused {
            read(document, &mut loose, sink);
        } else if let Some(name) = document.name() {
            loose.refuse(document.kind, name);
        }
    }
    let model = resolve::resolve(loose, sink);
    rules::check_model(&model, sink);
    model
}

fn read<'a>(document: &Document<'a>, loose: &mut Loose<'a>, sink: &mut Sink) {
    let (root, kind) = (document.node, document.kind);
    let read = match kind {
        DocumentKind::Project => {
            let mut reader = Reader::new(root, "Project", sink);
            let own = reader.own_name();
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
        DocumentKind::Application => {
            let read = package::application(root, sink);
            read.map(|application| loose.applications.push(found(document, application)))
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

fn found<'a, T>(document: &Document<'a>, object: T) -> Found<'a, T> {
    Found {
        object,
        root: document.node,
        record: document.record,
    }
}
