//! `generators`, `transformers` and `validators`: steps that other files configure. Those that
//! are built in are taken; programs never run.

use std::path::Path;
use std::sync::Arc;

use crate::kit::nearest::{did_you_mean, nearest};
use crate::kustomize::change::{self, Affix, Namespace, Subjects};
use crate::kustomize::fault::Fault;
use crate::kustomize::fields::{Fields, Pairs, Reader, Text};
use crate::kustomize::file::{
    self, FIELD_SPEC, FieldSpec, GENERATOR, IMAGE, REPLACEMENT, field_spec,
};
use crate::kustomize::heap::{Heap, LeftOut, Stop, What};
use crate::kustomize::node::{Entry, Node, Value};
use crate::kustomize::resource::Resource;
use crate::kustomize::scalar::{self, Scalar, Tag};
use crate::kustomize::texts::unreadable;
use crate::kustomize::{generate, images, patch, read, replace, rules};
use crate::source::{Place, Span};
use crate::yaml::{self, Tree};

use super::{Builder, Way};

/// The steps that Kustomize has built in.
const BUILT_IN: &str = "builtin";
/// The kind of the generator whose documents are made here.
const POLICY_GENERATOR: &str = "PolicyGenerator";
/// Its version.
const POLICY_GENERATOR_API: &str = "policy.open-cluster-management.io/v1";

impl Builder<'_> {
    /// The objects that configure steps.
    fn plugins(&mut self, paths: &[Text], way: &Way) -> Result<(Vec<Resource>, Heap), Stop> {
        let mut heap = Heap::default();
        for path in paths {
            let at = |span: Span| path.part(span);
            match read::documents(&path.text, self.limits, &at).and_then(read::objects) {
                Ok(nodes) if path.text.contains('\n') || path.text.contains(':') => {
                    heap.resources
                        .list
                        .extend(nodes.into_iter().map(Resource::new));
                }
                // No path has several lines.
                Err(why) if path.text.trim_end().contains('\n') => {
                    return Err(unreadable(&why, path.place).into());
                }
                _ => self.resources(&mut heap, std::slice::from_ref(path), way)?,
            }
        }
        Ok((std::mem::take(&mut heap.resources.list), heap))
    }

    /// Takes `generators`.
    pub(in crate::kustomize) fn run_generators(
        &mut self,
        heap: &mut Heap,
        paths: &[Text],
        way: &Way,
    ) -> Result<(), Stop> {
        let (plugins, below) = self.plugins(paths, way)?;
        heap.left_out.extend(below.left_out);
        for plugin in plugins {
            let (api_version, kind) = (plugin.api_version(), plugin.kind());
            if let Some(fault) = slip(&plugin) {
                return Err(fault.into());
            }
            let left = |what: What| LeftOut {
                what,
                name: format!("{kind} {}", plugin.name()),
                place: plugin.node.place,
            };
            match (&*api_version, &*kind) {
                (BUILT_IN, "ConfigMapGenerator" | "SecretGenerator") => {
                    let generator = generator(&plugin)?;
                    let kind = match &*kind {
                        "SecretGenerator" => generate::Kind::Secret,
                        _ => generate::Kind::ConfigMap,
                    };
                    generate::one(self, heap, &generator, kind, way.home())?;
                }
                (BUILT_IN, "HelmChartInflationGenerator") => heap.left_out.push(left(What::Helm)),
                (POLICY_GENERATOR_API, POLICY_GENERATOR) => {
                    self.run_policy_generator(heap, &plugin, way.home())?;
                    // The content of its manifests stays unknown.
                    heap.left_out.push(left(What::Generator));
                }
                _ => heap.left_out.push(left(What::Plugin)),
            }
        }
        Ok(())
    }

    /// Takes what a PolicyGenerator makes.
    fn run_policy_generator(
        &mut self,
        heap: &mut Heap,
        plugin: &Resource,
        home: &Path,
    ) -> Result<(), Stop> {
        let place = plugin.node.place;
        heap.generators.push((place.source, home.to_path_buf()));
        let Some(generate) = self.generate else {
            return Ok(());
        };
        let made = generate(&plugin.node.tree(), &mut |path| {
            let path = Text {
                text: path.into(),
                place,
                lines: None,
            };
            let nodes = self.objects(home, &path);
            let nodes = nodes.map_err(|fault| fault.diagnostic())?;
            Ok(nodes.iter().map(|node| node.tree()).collect())
        });
        let faults = made.findings.iter().filter(|found| found.refuses);
        let faults: Vec<Fault> = faults.map(|found| Fault::of(found, place)).collect();
        if !faults.is_empty() {
            return Err(faults.into());
        }
        heap.notes.extend(made.findings);
        for tree in &made.documents {
            let mut resource = Resource::new(node(tree.root("")));
            resource.generator = Some(plugin.name());
            generate::absorb(heap, resource, place)?;
        }
        Ok(())
    }

    /// The PolicyGenerators that a kustomization runs.
    pub fn policy_generators(&mut self, home: &Path) -> Vec<Tree> {
        let Ok(kustomization) = self.kustomization(home, Place::default()) else {
            return Vec::new();
        };
        let read = self.plugins(&kustomization.generators, &Way::default().to(home));
        let plugins = read.map(|(plugins, _)| plugins).unwrap_or_default();
        let generators = plugins.iter();
        let generators = generators.filter(|one| {
            &*one.kind() == POLICY_GENERATOR && &*one.api_version() == POLICY_GENERATOR_API
        });
        generators.map(|one| one.node.tree()).collect()
    }

    /// Takes `transformers`.
    pub(in crate::kustomize) fn run_transformers(
        &mut self,
        heap: &mut Heap,
        paths: &[Text],
        way: &Way,
    ) -> Result<(), Stop> {
        let plugins = self.steps(paths, way, |plugin| !is_built_in(plugin))?;
        for plugin in &plugins {
            self.transformer(heap, plugin, way.home())?;
            heap.resources.sweep();
        }
        Ok(())
    }

    /// Looks at `validators`: one that is a program may refuse the build.
    pub(in crate::kustomize) fn check_validators(
        &mut self,
        paths: &[Text],
        way: &Way,
    ) -> Result<(), Stop> {
        self.steps(paths, way, |_| true).map(|_| ())
    }

    /// The objects that configure steps, where none of the steps is a program: its work cannot be
    /// known.
    fn steps(
        &mut self,
        paths: &[Text],
        way: &Way,
        is_program: fn(&Resource) -> bool,
    ) -> Result<Vec<Resource>, Stop> {
        let (plugins, below) = self.plugins(paths, way)?;
        // The objects that configure a step may themselves be left out.
        let own = plugins.iter().filter(|one| is_program(one)).map(program);
        let programs: Vec<LeftOut> = below.left_out.into_iter().chain(own).collect();
        if programs.is_empty() {
            Ok(plugins)
        } else {
            Err(Stop::NotBuilt(Arc::new(programs)))
        }
    }

    fn transformer(&mut self, heap: &mut Heap, plugin: &Resource, home: &Path) -> Result<(), Stop> {
        let tree = plugin.node.tree();
        let root = tree.root("");
        let mut reader = Reader {
            faults: Vec::new(),
            strict: false,
        };
        let known = [
            "metadata",
            "fieldSpecs",
            "annotations",
            "labels",
            "imageTag",
            "unsetOnly",
            "setRoleBindingSubjects",
            "target",
            "path",
            "jsonOp",
            "paths",
            "patches",
            "patch",
            "options",
            "prefix",
            "suffix",
            "replacements",
            "replica",
        ];
        let Some(mut fields) = reader.object(root, &known) else {
            return Ok(());
        };
        let step = step(&mut fields, &plugin.kind());
        if !reader.faults.is_empty() {
            return Err(reader.faults.into());
        }
        let place = plugin.node.place;
        match step {
            Step::None => Ok(()),
            Step::Labels(pairs, specs) => change::labels(heap, &pairs, &specs),
            Step::Affixes(affixes, specs) => {
                if specs.is_empty() && !affixes.is_empty() {
                    let fault = Fault::new(&rules::UNREADABLE, "`fieldSpecs` is missing", place);
                    return Err(fault
                        .help("add `fieldSpecs: [{path: metadata/name}]`")
                        .into());
                }
                affixes
                    .iter()
                    .try_for_each(|(text, side)| change::affix(heap, text, &specs, *side))
            }
            Step::Images(image, specs) => images::all(heap, &[image], &specs),
            Step::Namespace {
                namespace,
                specs,
                unset_only,
                subjects,
            } => {
                let subjects = match subjects.as_ref().map(|text| &*text.text) {
                    None | Some("defaultOnly") => Subjects::Default,
                    Some("allServiceAccounts") => Subjects::Accounts,
                    Some("none") => Subjects::None,
                    Some(other) => {
                        let message = format!("`{other}` is no way to set subjects");
                        return Err(Fault::new(&rules::UNREADABLE, message, place)
                            .help("write defaultOnly, allServiceAccounts or none")
                            .into());
                    }
                };
                let Some(namespace) = &namespace else {
                    return Ok(());
                };
                let step = Namespace {
                    namespace,
                    specs: &specs,
                    subjects,
                    unset_only,
                };
                step.run(heap)
            }
            Step::Patch(entry) => patch::patch(self, heap, &entry, home),
            Step::JsonPatch(entry) => patch::json_patch(self, heap, &entry, home),
            Step::MergePatches(paths) => patch::merge_patches(self, heap, &paths, home),
            Step::Replace(entries) => replace::all(self, heap, &entries, home),
            Step::Replicas(replica, specs) => change::replicas(heap, &replica, &specs),
            Step::Hash => generate::hash_names(&mut heap.resources),
        }
    }
}

/// A step that is configured by a file.
enum Step {
    Labels(Pairs, Vec<FieldSpec>),
    Affixes(Vec<(Text, Affix)>, Vec<FieldSpec>),
    Images(file::Image, Vec<FieldSpec>),
    Namespace {
        namespace: Option<Text>,
        specs: Vec<FieldSpec>,
        unset_only: bool,
        subjects: Option<Text>,
    },
    Patch(file::Patch),
    JsonPatch(file::Patch),
    MergePatches(Vec<Text>),
    Replace(Vec<file::Replacement>),
    Replicas(file::Replica, Vec<FieldSpec>),
    Hash,
    None,
}

fn step(fields: &mut Fields<'_, '_>, kind: &str) -> Step {
    let specs = fields.objects("fieldSpecs", &FIELD_SPEC, field_spec);
    match kind {
        "LabelTransformer" => Step::Labels(fields.pairs("labels"), specs),
        "AnnotationsTransformer" => Step::Labels(fields.pairs("annotations"), specs),
        "PrefixTransformer" | "SuffixTransformer" | "PrefixSuffixTransformer" => {
            let sides = [("prefix", Affix::Prefix), ("suffix", Affix::Suffix)];
            let mut affixes = Vec::new();
            for (field, side) in sides {
                let text = fields.filled(field);
                let takes = kind.to_lowercase().contains(field);
                affixes.extend(text.filter(|_| takes).map(|text| (text, side)));
            }
            Step::Affixes(affixes, specs)
        }
        "ImageTagTransformer" => match fields.object("imageTag", &IMAGE, file::image) {
            Some(image) => Step::Images(image, specs),
            None => Step::None,
        },
        "NamespaceTransformer" => Step::Namespace {
            namespace: fields
                .object("metadata", &["namespace"], |fields| {
                    fields.filled("namespace")
                })
                .flatten(),
            specs,
            unset_only: fields.flag("unsetOnly"),
            subjects: fields.filled("setRoleBindingSubjects"),
        },
        "PatchTransformer" => Step::Patch(file::patch(fields)),
        "PatchJson6902Transformer" => {
            let mut entry = file::patch(fields);
            entry.patch = fields.filled("jsonOp");
            Step::JsonPatch(entry)
        }
        "PatchStrategicMergeTransformer" => {
            let mut paths = fields.texts("paths");
            paths.extend(fields.filled("patches"));
            Step::MergePatches(paths)
        }
        "ReplacementTransformer" => {
            Step::Replace(fields.objects("replacements", &REPLACEMENT, file::replacement))
        }
        "ReplicaCountTransformer" => {
            match fields.object("replica", &["name", "count"], file::replica) {
                Some(replica) => Step::Replicas(replica, specs),
                None => Step::None,
            }
        }
        "HashTransformer" => Step::Hash,
        _ => Step::None,
    }
}

/// Whether a step is built in, and taken here.
fn is_built_in(plugin: &Resource) -> bool {
    const KINDS: [&str; 14] = [
        "LabelTransformer",
        "AnnotationsTransformer",
        "PrefixTransformer",
        "SuffixTransformer",
        "PrefixSuffixTransformer",
        "ImageTagTransformer",
        "NamespaceTransformer",
        "PatchTransformer",
        "PatchJson6902Transformer",
        "PatchStrategicMergeTransformer",
        "ReplacementTransformer",
        "ReplicaCountTransformer",
        "HashTransformer",
        "SortOrderTransformer",
    ];
    &*plugin.api_version() == BUILT_IN && KINDS.contains(&&*plugin.kind())
}

/// A generator that is nearly a PolicyGenerator: no program has that name.
fn slip(plugin: &Resource) -> Option<Fault> {
    let (api_version, kind) = (plugin.api_version(), plugin.kind());
    let place = |key: &str| plugin.node.get(key).map(|node| node.place);
    let misspelt = |key: &str| {
        let keys = plugin.node.entries().iter().map(|entry| &*entry.key);
        let near = nearest(key, keys).and_then(|near| plugin.node.entry(near));
        near.map(|entry| entry.place)
    };
    let (at, near) = match (&*api_version, &*kind) {
        (POLICY_GENERATOR_API, POLICY_GENERATOR) => return None,
        (POLICY_GENERATOR_API, kind) => ("kind", nearest(kind, [POLICY_GENERATOR])?),
        ("", POLICY_GENERATOR) => ("apiVersion", POLICY_GENERATOR_API),
        (version, POLICY_GENERATOR) => ("apiVersion", nearest(version, [POLICY_GENERATOR_API])?),
        _ => return None,
    };
    let message = match (at, &*api_version) {
        ("kind", _) => format!("no generator is called `{kind}`"),
        (_, "") => format!("the generator {kind} has no `apiVersion`"),
        (_, version) => format!("no generator is called `{version}` {kind}"),
    };
    let (here, near) = match (place(at), misspelt(at)) {
        (None, Some(key)) => (Some(key), at),
        (value, _) => (value.or_else(|| place("kind")), near),
    };
    let fault = Fault::new(&rules::HEADER, message, here.unwrap_or(plugin.node.place));
    Some(fault.help(did_you_mean(near)))
}

fn program(plugin: &Resource) -> LeftOut {
    LeftOut {
        what: What::Plugin,
        name: format!("{} {}", plugin.kind(), plugin.name()),
        place: plugin.node.place,
    }
}

/// The generator that an object configures.
fn generator(plugin: &Resource) -> Result<file::Generator, Stop> {
    let tree = plugin.node.tree();
    let root = tree.root("");
    let mut reader = Reader {
        faults: Vec::new(),
        strict: false,
    };
    let read = reader
        .object(root, &GENERATOR)
        .map(|mut fields| file::generator(&mut fields));
    let mut generator = read.unwrap_or_default();
    let known = ["metadata"];
    if let Some(mut fields) = reader.object(root, &known) {
        fields.object("metadata", &["name", "namespace"], |fields| {
            if generator.name.is_none() {
                generator.name = fields.filled("name");
            }
            if generator.namespace.is_none() {
                generator.namespace = fields.filled("namespace");
            }
        });
    }
    if reader.faults.is_empty() {
        Ok(generator)
    } else {
        Err(reader.faults.into())
    }
}

/// A node of a tree that was made, with its places.
fn node(from: yaml::Node<'_>) -> Arc<Node> {
    let place: Place = from.place();
    let value = match from.kind() {
        yaml::Kind::Sequence => Value::List(from.items().map(node).collect()),
        yaml::Kind::Mapping => {
            let entry = |(key, value): (yaml::Node<'_>, yaml::Node<'_>)| Entry {
                key: key.text().unwrap_or_default().into(),
                place: key.place(),
                value: node(value),
            };
            Value::Map(from.entries().map(entry).collect())
        }
        yaml::Kind::Scalar => {
            let text = from.text().unwrap_or_default();
            Value::Scalar(if from.is_plain() {
                Scalar::plain(scalar::resolve(text), text)
            } else {
                Scalar {
                    tag: Tag::Text,
                    text: text.into(),
                    quoted: true,
                }
            })
        }
    };
    Node::new(value, place)
}
