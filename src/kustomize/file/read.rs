//! A kustomization file read into its typed fields.

use crate::kustomize::fault::Fault;
use crate::kustomize::fields::{Fields, Pairs, Reader, Text};
use crate::kustomize::read::Unreadable;
use crate::kustomize::rules;
use crate::kustomize::texts::unreadable;
use crate::source::{Place, SourceId};
use crate::yaml::{Limits, Node, parse};

use super::known::{
    CHART, FIELD_OPTIONS, FIELD_SPEC, FIELDS, GENERATOR, IMAGE, OPTIONS, PATCH, REPLACEMENT,
    SELECTOR, SOURCE,
};
use super::{
    FieldOptions, FieldSpec, Generator, Image, Kustomization, Label, Options, Patch, Replacement,
    Replica, Selector, Source, Target, Var,
};

/// Reads a kustomization file.
///
/// # Errors
/// The faults of the file.
pub(in crate::kustomize) fn read(
    source: SourceId,
    text: &str,
    limits: Limits,
) -> Result<Kustomization, Vec<Fault>> {
    let parsed = parse(source, text, 0..text.len(), limits);
    let first = parsed
        .documents
        .first()
        .map(|root| parsed.tree.node(text, *root));
    let before =
        |fault: &&crate::yaml::Fault| first.is_none_or(|node| fault.span.start < node.span().start);
    if let Some(fault) = parsed.faults.iter().find(before) {
        let why = Unreadable::of(fault, text, &|span| Place { source, span });
        let place = why.place;
        return Err(vec![unreadable(&why, place)]);
    }
    let head = Place {
        source,
        span: first.map_or_else(Default::default, |node| {
            node.entries().next().map_or(node, |(key, _)| key).span()
        }),
    };
    let Some(root) = first.filter(|node| !node.is_null()) else {
        return Err(vec![empty(head)]);
    };
    let mut reader = Reader {
        faults: Vec::new(),
        strict: true,
    };
    let mut kustomization = Kustomization::default();
    let mut header = None;
    if let Some(mut fields) = reader.object(root, &FIELDS) {
        header = kustomization.fill(&mut fields);
    }
    kustomization.head = head;
    let lists = |key: &Node<'_>| {
        let name = key.text().unwrap_or_default();
        name.eq_ignore_ascii_case("resources")
    };
    let mut keys = root.entries().map(|(key, _)| key);
    kustomization.listing = keys.find(lists).map_or(head, Node::place);
    match (reader.faults.is_empty(), is_empty(root), header) {
        (false, ..) => Err(reader.faults),
        (_, true, _) => Err(vec![empty(head)]),
        (_, _, Some(fault)) => Err(vec![fault]),
        _ => Ok(kustomization),
    }
}

fn empty(head: Place) -> Fault {
    Fault::new(&rules::EMPTY, "the kustomization has no field", head)
        .help("list its `resources`, or remove the file")
}

/// Whether nothing but the header says anything.
fn is_empty(root: Node<'_>) -> bool {
    let says = |(key, value): (Node<'_>, Node<'_>)| {
        let name = key.text().unwrap_or_default().to_ascii_lowercase();
        let header = matches!(&*name, "apiversion" | "kind");
        let merged = matches!(
            &*name,
            "bases" | "imagetags" | "helmchartinflationgenerator"
        );
        let nothing = value.is_null()
            || value.text() == Some("")
            || (merged && value.is_sequence() && value.is_empty());
        !header && !nothing
    };
    !root.entries().any(says)
}

impl Kustomization {
    /// Takes the fields over; what is wrong with the header, if anything.
    fn fill(&mut self, fields: &mut Fields<'_, '_>) -> Option<Fault> {
        let header = self.header(fields);
        fields.object(
            "metadata",
            &["name", "namespace", "labels", "annotations"],
            |fields| {
                fields.text("name");
                fields.text("namespace");
                fields.pairs("labels");
                fields.pairs("annotations");
            },
        );
        if let Some(node) = fields.node("openapi") {
            self.schemas.push(("openapi", node.place()));
            fields.pairs("openapi");
        }
        if let Some(first) = fields.texts("crds").first() {
            self.schemas.push(("crds", first.place));
        }
        self.prefix = fields.filled("namePrefix");
        self.suffix = fields.filled("nameSuffix");
        self.namespace = fields.filled("namespace");
        self.common_labels = fields.pairs("commonLabels");
        self.annotations = fields.pairs("commonAnnotations");
        let known = ["pairs", "includeSelectors", "includeTemplates", "fields"];
        self.labels = fields.objects("labels", &known, |fields| Label {
            pairs: fields.pairs("pairs"),
            selectors: fields.flag("includeSelectors"),
            templates: fields.flag("includeTemplates"),
            fields: fields.objects("fields", &FIELD_SPEC, field_spec),
        });
        self.merge_patches = fields.texts("patchesStrategicMerge");
        self.json_patches = fields.objects("patchesJson6902", &PATCH, patch);
        self.patches = fields.objects("patches", &PATCH, patch);
        self.images = fields.objects("images", &IMAGE, image);
        self.images
            .extend(fields.objects("imageTags", &IMAGE, image));
        self.replacements = fields.objects("replacements", &REPLACEMENT, replacement);
        self.replicas = fields.objects("replicas", &["name", "count"], replica);
        let known = ["name", "objref", "fieldref"];
        let vars = fields.objects("vars", &known, var);
        self.vars = vars.into_iter().flatten().collect();
        fields.object("sortOptions", &["order", "legacySortOptions"], |fields| {
            fields.text("order");
        });
        self.resources = fields.texts("resources");
        self.resources.extend(fields.texts("bases"));
        self.components = fields.texts("components");
        let known = &GENERATOR[..8];
        self.config_maps = fields.objects("configMapGenerator", known, generator);
        self.secrets = fields.objects("secretGenerator", &GENERATOR, generator);
        if let Some(options) = fields.object("generatorOptions", &OPTIONS, options) {
            for generator in self.config_maps.iter_mut().chain(&mut self.secrets) {
                generator.options.merge(&options);
            }
        }
        fields.object("helmGlobals", &["chartHome", "configHome"], |fields| {
            fields.text("chartHome");
            fields.text("configHome");
        });
        let chart = |fields: &mut Fields<'_, '_>| {
            let name = fields.text("name").or_else(|| fields.text("chartName"));
            name.unwrap_or_else(|| Text {
                text: "".into(),
                place: fields.place,
                lines: None,
            })
        };
        self.charts = fields.objects("helmCharts", &CHART, chart);
        let mut older = CHART.to_vec();
        older.extend(["releaseNamespace", "extraArgs"]);
        let charts = fields.objects("helmChartInflationGenerator", &older, chart);
        self.charts.extend(charts);
        self.configurations = fields.texts("configurations");
        self.generators = fields.texts("generators");
        self.transformers = fields.texts("transformers");
        self.validators = fields.texts("validators");
        self.build_metadata = fields.texts("buildMetadata");
        header
    }

    fn header(&mut self, fields: &mut Fields<'_, '_>) -> Option<Fault> {
        const GROUP: &str = "kustomize.config.k8s.io/";
        let (version, kind) = (fields.filled("apiVersion"), fields.filled("kind"));
        if let Some(kind) = &kind {
            self.component = &*kind.text == "Component";
            if !self.component && &*kind.text != "Kustomization" {
                let message = format!("`{}` is no kind of a kustomization", kind.text);
                return Some(
                    Fault::new(&rules::HEADER, message, kind.place)
                        .help("write `kind: Kustomization` or `kind: Component`"),
                );
            }
        }
        let wanted = if self.component {
            format!("{GROUP}v1alpha1")
        } else {
            format!("{GROUP}v1beta1")
        };
        let version = version.filter(|version| *version.text != *wanted)?;
        let message = format!("the apiVersion is `{}`", version.text);
        Some(
            Fault::new(&rules::HEADER, message, version.place)
                .help(format!("write `apiVersion: {wanted}`")),
        )
    }
}

impl Options {
    /// Takes over what the options for all generators say and these do not.
    fn merge(&mut self, all: &Self) {
        let add = |own: &mut Pairs, all: &Pairs| {
            for (key, value) in all {
                if own.iter().all(|(own, _)| own.text != key.text) {
                    own.push((key.clone(), value.clone()));
                }
            }
            own.sort_by(|(one, _), (two, _)| one.text.cmp(&two.text));
        };
        add(&mut self.labels, &all.labels);
        add(&mut self.annotations, &all.annotations);
        self.no_hash |= all.no_hash;
        self.immutable = self.immutable.or(all.immutable);
    }
}

fn options(fields: &mut Fields<'_, '_>) -> Options {
    Options {
        labels: fields.pairs("labels"),
        annotations: fields.pairs("annotations"),
        no_hash: fields.flag("disableNameSuffixHash"),
        immutable: fields
            .flag("immutable")
            .then(|| fields.node("immutable").map(Node::place))
            .flatten(),
    }
}

pub(in crate::kustomize) fn generator(fields: &mut Fields<'_, '_>) -> Generator {
    let mut envs = fields.texts("envs");
    envs.extend(fields.filled("env"));
    Generator {
        place: fields.place,
        name: fields.filled("name"),
        namespace: fields.filled("namespace"),
        behavior: fields.filled("behavior"),
        literals: fields.texts("literals"),
        files: fields.texts("files"),
        envs,
        options: fields
            .object("options", &OPTIONS, options)
            .unwrap_or_default(),
        kind: fields.filled("type"),
    }
}

pub(in crate::kustomize) fn patch(fields: &mut Fields<'_, '_>) -> Patch {
    let target = fields.object("target", &SELECTOR, selector);
    let known = ["allowNameChange", "allowKindChange"];
    let flags = fields.object("options", &known, |fields| {
        (
            fields.flag("allowNameChange"),
            fields.flag("allowKindChange"),
        )
    });
    let (renames, changes_kind) = flags.unwrap_or_default();
    Patch {
        place: fields.place,
        path: fields.filled("path"),
        patch: fields.filled("patch"),
        target,
        renames,
        changes_kind,
    }
}

fn selector(fields: &mut Fields<'_, '_>) -> Selector {
    Selector {
        place: fields.place,
        group: fields.filled("group"),
        version: fields.filled("version"),
        kind: fields.filled("kind"),
        name: fields.filled("name"),
        namespace: fields.filled("namespace"),
        annotations: fields.filled("annotationSelector"),
        labels: fields.filled("labelSelector"),
    }
}

pub(in crate::kustomize) fn image(fields: &mut Fields<'_, '_>) -> Image {
    Image {
        place: fields.place,
        name: fields.filled("name"),
        new_name: fields.filled("newName"),
        new_tag: fields.filled("newTag"),
        tag_suffix: fields.filled("tagSuffix"),
        digest: fields.filled("digest"),
    }
}

pub(in crate::kustomize) fn replica(fields: &mut Fields<'_, '_>) -> Replica {
    let (count, place) = fields.number("count").unwrap_or((0, fields.place));
    Replica {
        name: fields.filled("name"),
        count,
        place,
    }
}

pub(in crate::kustomize) fn field_spec(fields: &mut Fields<'_, '_>) -> FieldSpec {
    let mut text = |name: &str| {
        fields
            .text(name)
            .map_or_else(String::new, |text| (*text.text).into())
    };
    FieldSpec {
        group: text("group"),
        version: text("version"),
        kind: text("kind"),
        path: text("path"),
        create: fields.flag("create"),
    }
}

fn field_options(fields: &mut Fields<'_, '_>) -> FieldOptions {
    fields.text("encoding");
    FieldOptions {
        delimiter: fields.filled("delimiter"),
        index: fields.number("index").map_or(0, |(index, _)| index),
        create: fields.flag("create"),
    }
}

pub(in crate::kustomize) fn replacement(fields: &mut Fields<'_, '_>) -> Replacement {
    let source = fields.object("source", &SOURCE, |fields| Source {
        object: selector(fields),
        field: fields.filled("fieldPath"),
        options: fields
            .object("options", &FIELD_OPTIONS, field_options)
            .unwrap_or_default(),
    });
    let known = ["select", "reject", "fieldPaths", "options"];
    let targets = fields.objects("targets", &known, |fields| Target {
        place: fields.place,
        select: fields.object("select", &SELECTOR, selector),
        reject: fields.objects("reject", &SELECTOR, selector),
        fields: fields.texts("fieldPaths"),
        options: fields
            .object("options", &FIELD_OPTIONS, field_options)
            .unwrap_or_default(),
    });
    Replacement {
        place: fields.place,
        path: fields.filled("path"),
        value: fields.text("sourceValue"),
        source,
        targets: fields.node("targets").map(|_| targets),
    }
}

fn var(fields: &mut Fields<'_, '_>) -> Option<Var> {
    let place = fields.place;
    let known = [
        "apiVersion",
        "group",
        "version",
        "kind",
        "name",
        "namespace",
    ];
    let object = fields.object("objref", &known, |fields| {
        let mut text = |name: &str| {
            fields
                .text(name)
                .map_or_else(String::new, |text| (*text.text).into())
        };
        let api_version = match (text("apiVersion"), text("group"), text("version")) {
            (version, ..) if !version.is_empty() => version,
            (_, group, version) if group.is_empty() => version,
            (_, group, version) => format!("{group}/{version}"),
        };
        (api_version, text("kind"), text("name"), text("namespace"))
    });
    let field = fields.object("fieldref", &["fieldPath"], |fields| {
        fields.filled("fieldPath")
    });
    let name = fields.text("name")?;
    let (api_version, kind, object, namespace) = object.unwrap_or_default();
    let field = field
        .flatten()
        .map_or_else(|| "metadata.name".to_owned(), |text| (*text.text).into());
    Some(Var {
        place,
        name,
        api_version,
        kind,
        object,
        namespace,
        field,
    })
}
