//! Faults of a template that parses: calls, the data that it reads, and look-ups.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::delivery::policy::inside::template::{Level, functions};
use crate::delivery::policy::inside::{article, kinds};
use crate::delivery::rules::{
    TEMPLATE_ARGUMENTS, TEMPLATE_CONTEXT, TEMPLATE_FUNCTION, TEMPLATE_LOOKUP,
};
use crate::diagnostic::Rule;
use crate::gotemplate::{
    self, ActionKind, CallFault, Command, Operand, Pipe, Scope, Template, Term, Type,
};
use crate::kit::nearest::{did_you_mean, nearest};

/// A finding at a part of a text.
pub(super) enum Finding<'t> {
    /// It is wrong.
    Wrong(Wrong),
    /// It needs this label of the cluster.
    Label(&'t str),
}

/// A fault at a part of a text.
pub(super) struct Wrong {
    pub(super) rule: &'static Rule,
    pub(super) message: String,
    pub(super) label: &'static str,
    pub(super) help: String,
    /// Whether it is reached whenever the template is resolved.
    pub(super) certain: bool,
    /// Whether the text is resolved all the same.
    pub(super) always_warns: bool,
}

type Take<'k, 't> = &'k mut dyn FnMut(Range<usize>, Finding<'t>);

/// Checks a template that parses.
pub(super) fn check<'t>(
    level: Level<'_>,
    text: &'t str,
    template: &Template<'t>,
    take: Take<'_, 't>,
) {
    let function = |name: &str| functions::find(level, name);
    gotemplate::calls(
        template,
        text,
        &function,
        &|one, scope| field(level, one, scope),
        &mut |fault| {
            let span = fault.span.clone();
            let named = function(fault.name);
            // What always fails needs no word about its arguments.
            if functions::always_fails(level, fault.name).is_none() {
                take(span, Finding::Wrong(call(&fault, named)));
            }
        },
    );
    undefined(template, take);
    let certain = template.certain();
    for (id, pipe) in template.numbered() {
        let mut check = Check {
            level,
            scope: template.actions[pipe.action].scope,
            certain: certain[id.index()],
            take: &mut *take,
        };
        check.pipe(pipe);
        if let Level::Hub(_) = level
            && check.certain
        {
            let whole = &template.actions[pipe.action].kind;
            check.labels(pipe, *whole == ActionKind::Output(id));
        }
    }
}

/// The type of a field of what the template is given.
fn field(level: Level<'_>, operand: &Operand<'_>, scope: Scope) -> Type {
    let root = is_root(operand, scope);
    let name = matches!(level, Level::Hub(_)) && operand.fields == ["ManagedClusterName"];
    if root && name { Type::Text } else { Type::Any }
}

/// Whether the fields of an operand are those of what the template is given.
fn is_root(operand: &Operand<'_>, scope: Scope) -> bool {
    match operand.term {
        Term::Dot => scope.root_dot,
        Term::Variable("$") => scope.root_dollar,
        _ => false,
    }
}

fn call(fault: &CallFault<'_>, function: Option<&gotemplate::Function>) -> Wrong {
    Wrong {
        rule: &TEMPLATE_ARGUMENTS,
        message: fault.to_string(),
        label: "fails",
        help: gotemplate::Function::advice(function),
        certain: fault.certain,
        always_warns: false,
    }
}

/// Templates that are used and not defined.
fn undefined<'t>(template: &Template<'t>, take: Take<'_, 't>) {
    let defined: FxHashSet<&str> = template
        .actions
        .iter()
        .filter_map(|action| match &action.kind {
            ActionKind::Define(name) | ActionKind::Block(name, _) => Some(&**name),
            _ => None,
        })
        .collect();
    for action in &template.actions {
        if let ActionKind::Template(name, _) = &action.kind
            && !defined.contains(&**name)
        {
            let name: String = name.chars().take(60).collect();
            let wrong = Wrong {
                rule: &TEMPLATE_FUNCTION,
                message: format!("there is no template `{name}`"),
                label: "not defined",
                help: "define it in the same text: `{{ define \"…\" }}`".to_owned(),
                certain: action.scope.certain,
                always_warns: false,
            };
            take(action.span.clone(), Finding::Wrong(wrong));
        }
    }
}

struct Check<'k, 't, 'l> {
    level: Level<'l>,
    scope: Scope,
    certain: bool,
    take: Take<'k, 't>,
}

impl<'t> Check<'_, 't, '_> {
    fn say(
        &mut self,
        rule: &'static Rule,
        (at, label): (&Operand<'t>, &'static str),
        message: String,
        help: impl Into<String>,
    ) {
        let wrong = Wrong {
            rule,
            message,
            label,
            help: help.into(),
            certain: self.certain,
            always_warns: false,
        };
        (self.take)(at.span.clone(), Finding::Wrong(wrong));
    }

    fn pipe(&mut self, pipe: &Pipe<'t>) {
        let certain = self.certain;
        let mut before: Option<&Command<'t>> = None;
        for command in &pipe.commands {
            let word = command.operands.first().map(|operand| &operand.term);
            let lazy = matches!(word, Some(Term::Function("and" | "or")));
            for (operand, at) in command.operands.iter().zip(0..) {
                self.certain = certain && !(lazy && at > 1);
                self.operand(operand);
            }
            self.certain = certain;
            self.lookup(command, before);
            before = Some(command);
        }
    }

    fn operand(&mut self, operand: &Operand<'t>) {
        if let Term::Function(name) = operand.term
            && let Some((why, help)) = functions::always_fails(self.level, name)
        {
            let message = format!("`{name}` {why}");
            return self.say(&TEMPLATE_FUNCTION, (operand, "fails"), message, help);
        }
        let Some(first) = operand
            .fields
            .first()
            .filter(|_| is_root(operand, self.scope))
        else {
            return;
        };
        match self.level {
            Level::Message => {}
            Level::Hub(_) => self.hub_data(operand, first),
            Level::Managed => {
                let data = ["Object", "ObjectName", "ObjectNamespace"];
                if !data.contains(first) {
                    self.unknown_data(operand, first, &data);
                } else if *first != "Object" && operand.fields.len() > 1 {
                    self.no_fields(operand, first);
                }
            }
            Level::Raw | Level::Operator => {
                let message = format!("there is no `.{first}`: this template is given no data");
                let help = "read what it needs, as with `fromClusterClaim` or `lookup`";
                self.say(&TEMPLATE_CONTEXT, (operand, "no such field"), message, help);
            }
        }
    }

    fn unknown_data(&mut self, operand: &Operand<'t>, name: &str, data: &[&str]) {
        let message = format!("there is no `.{name}` in this template");
        let list = data.iter().map(|one| format!("`.{one}`"));
        let list: Vec<String> = list.collect();
        let help = match nearest(name, data.iter().copied()) {
            Some(near) => did_you_mean(&format!(".{near}")),
            None => format!("it may read {}", list.join(", ")),
        };
        self.say(&TEMPLATE_CONTEXT, (operand, "no such field"), message, help);
    }

    fn no_fields(&mut self, operand: &Operand<'t>, name: &str) {
        let message = format!("`.{name}` is a text and has no fields");
        let help = "remove what follows it";
        self.say(&TEMPLATE_CONTEXT, (operand, "no such field"), message, help);
    }

    fn hub_data(&mut self, operand: &Operand<'t>, first: &str) {
        const DATA: [&str; 3] = [
            "ManagedClusterName",
            "ManagedClusterLabels",
            "PolicyMetadata",
        ];
        const METADATA: [&str; 4] = ["name", "namespace", "labels", "annotations"];
        match (first, operand.fields.as_slice()) {
            ("ManagedClusterName", [_, _, ..]) => self.no_fields(operand, first),
            ("ManagedClusterLabels", [_, label, _, ..]) => {
                self.no_fields(operand, &format!("ManagedClusterLabels.{label}"));
            }
            ("PolicyMetadata", [_, key, ..]) if !METADATA.contains(key) => {
                let wrong = Wrong {
                    rule: &TEMPLATE_CONTEXT,
                    message: format!("`.PolicyMetadata` has no `{key}`: it prints `<no value>`"),
                    label: "no such key",
                    help: "it has `name`, `namespace`, `labels` and `annotations`".to_owned(),
                    certain: self.certain,
                    always_warns: true,
                };
                (self.take)(operand.span.clone(), Finding::Wrong(wrong));
            }
            ("PolicyMetadata", [_, key @ ("name" | "namespace"), _, ..]) => {
                self.no_fields(operand, &format!("PolicyMetadata.{key}"));
            }
            _ if !DATA.contains(&first) => self.unknown_data(operand, first, &DATA),
            _ => {}
        }
    }

    /// Notes the object that a function looks up, as far as it is written out.
    fn lookup(&mut self, command: &Command<'t>, before: Option<&Command<'t>>) {
        let Some((word, others)) = command.operands.split_first() else {
            return;
        };
        let Term::Function(name) = word.term else {
            return;
        };
        fn literal<'o>(operand: &'o Operand<'_>) -> Option<&'o str> {
            match &operand.term {
                Term::Text(text) if operand.fields.is_empty() => Some(text),
                _ => None,
            }
        }
        let parts: &[&str] = match name {
            "fromConfigMap" | "fromSecret" => &["namespace", "name", "key"],
            "copyConfigMapData" | "copySecretData" => &["namespace", "name"],
            "lookup" => &["apiVersion", "kind", "namespace", "name"],
            "fromClusterClaim" | "lookupClusterClaim" => &["claim"],
            "getNodesWithExactRoles" | "hasNodesWithExactRoles" => &[],
            _ => return,
        };
        let mut given: Vec<Option<&str>> = others.iter().map(literal).collect();
        if let Some(before) = before {
            let only = before
                .operands
                .first()
                .filter(|_| before.operands.len() == 1);
            given.push(only.and_then(literal));
        }
        let part = |name: &str| {
            let at = parts.iter().position(|part| *part == name)?;
            *given.get(at)?
        };
        let hub = matches!(self.level, Level::Hub(_));
        let listed = name == "lookup";
        let needed = |part: &&&str| match **part {
            "namespace" => !hub && !listed,
            "name" => !listed,
            _ => true,
        };
        if let Some(empty) = parts
            .iter()
            .filter(needed)
            .find(|one| part(one) == Some(""))
        {
            let message = format!("`{name}` has an empty {empty}");
            let at = (word, "nothing to look up");
            return self.say(&TEMPLATE_LOOKUP, at, message, format!("write the {empty}"));
        }
        if let Level::Hub(around) = self.level
            && !around.account
        {
            let kind = part("apiVersion").zip(part("kind"));
            self.restricted(
                word,
                name,
                (part("namespace"), kind, part("name")),
                around.namespace,
            );
        }
    }

    /// Reports look-ups that the hub does not let a template make without an account of its own.
    fn restricted(
        &mut self,
        word: &Operand<'t>,
        function: &str,
        (namespace, kind, name): (Option<&str>, Option<(&str, &str)>, Option<&str>),
        own: &str,
    ) {
        const ACCOUNT: &str = "set `hubTemplateOptions.serviceAccountName`";
        let of_cluster = match function {
            "fromClusterClaim" | "lookupClusterClaim" => Some("claims"),
            "getNodesWithExactRoles" | "hasNodesWithExactRoles" => Some("nodes"),
            _ => None,
        };
        if let Some(what) = of_cluster {
            let message =
                format!("`{function}` reads the {what} of the hub here, which it may not");
            let help = format!("use `{{{{ {function} … }}}}`, which the cluster resolves");
            return self.say(&TEMPLATE_LOOKUP, (word, "not allowed"), message, help);
        }
        if let Some((api, kind)) = kind {
            let group = api.split_once('/').map_or("", |(group, _)| group);
            let is_cluster =
                group == "cluster.open-cluster-management.io" && kind == "ManagedCluster";
            if kinds::is_cluster_scoped(api, kind) {
                let message = format!(
                    "the hub does not let this template read {} {kind}",
                    article(kind)
                );
                return self.say(&TEMPLATE_LOOKUP, (word, "not allowed"), message, ACCOUNT);
            }
            if is_cluster {
                if name == Some("") {
                    let message = "the hub does not let this template list ManagedClusters";
                    let at = (word, "not allowed");
                    self.say(&TEMPLATE_LOOKUP, at, message.to_owned(), ACCOUNT);
                }
                return;
            }
        }
        let Some(other) = namespace.filter(|one| !one.is_empty() && !own.is_empty() && *one != own)
        else {
            return;
        };
        let message = format!("the hub lets this template read `{own}` only, not `{other}`");
        let help = format!("copy the object, or {ACCOUNT}");
        self.say(&TEMPLATE_LOOKUP, (word, "not allowed"), message, help);
    }

    /// Labels of the cluster that are printed alone or handed to what wants a text.
    fn labels(&mut self, pipe: &Pipe<'t>, is_whole: bool) {
        let level = self.level;
        let wants = |command: &Command<'t>, at: usize| match command.operands.first() {
            Some(Operand {
                term: Term::Function(name),
                ..
            }) => {
                functions::find(level, name).and_then(|one| one.parameter(at)) == Some(Type::Text)
            }
            _ => false,
        };
        let mut commands = pipe.commands.iter().peekable();
        while let Some(command) = commands.next() {
            let alone = command.operands.len() == 1;
            for (operand, at) in command.operands.iter().zip(0..) {
                let is_label = operand.fields.len() == 2
                    && operand.fields[0] == "ManagedClusterLabels"
                    && is_root(operand, self.scope);
                let needed = match commands.peek() {
                    _ if at > 0 => wants(command, at - 1),
                    Some(next) => alone && wants(next, next.operands.len() - 1),
                    None => {
                        is_whole && pipe.commands.len() == 1 && pipe.variables.is_empty() && alone
                    }
                };
                if is_label && needed {
                    (self.take)(operand.span.clone(), Finding::Label(operand.fields[1]));
                }
            }
        }
    }
}
