//! The compile step: the crate's syntax tree checked and made into a flat program.
//!
//! What upstream refuses before it runs anything is refused here: unknown variables and functions,
//! wrong numbers of arguments, operators and calls on values of a type known to be wrong.

use std::sync::Arc;

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SourceInfo};
use cel::parser::Parser;

use super::Verdict;
use super::types::{self, Type, declared, join, list_of, map_of, optional_of, resolve};
use super::value::{Value, text};

/// Longest text of an expression, in bytes.
const LONGEST: usize = 4096;
/// Deepest nesting of brackets.
const DEEPEST: usize = 24;
/// Deepest nesting of comprehensions (`all`, `exists`, `map` …).
const NESTED: usize = 12;

/// An index of a node.
pub(super) type At = u32;

/// One node of a program; operands stand before what uses them.
#[derive(Debug)]
pub(super) enum Node {
    Constant(Value),
    /// A variable by its slot; 0 is the cluster.
    Variable(u32),
    Select {
        operand: At,
        field: Value,
        test: bool,
    },
    Call {
        name: &'static str,
        args: Vec<At>,
    },
    List(Vec<(At, bool)>),
    Map(Vec<(At, At, bool)>),
    Fold(Box<Fold>),
    /// `optMap` and `optFlatMap`.
    OptMap {
        target: At,
        slot: u32,
        body: At,
        flat: bool,
    },
    /// `&&`, `||` and `?:` do not evaluate everything.
    And(At, At),
    Or(At, At),
    Choose(At, At, At),
}

/// A comprehension.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) range: At,
    pub(super) item: u32,
    pub(super) accumulator: u32,
    pub(super) start: At,
    pub(super) condition: At,
    pub(super) step: At,
    pub(super) result: At,
}

/// A checked expression.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) nodes: Vec<Node>,
    pub(super) root: At,
    pub(super) slots: usize,
}

/// Compiles an expression. Needs a big stack: the parser recurses.
pub(super) fn compile(source: &str) -> Result<Program, Verdict> {
    within_limits(source)?;
    let parsed = Parser::new()
        .enable_optional_syntax(true)
        .parse_with_source_info(source);
    let (tree, info) = parsed.map_err(|errors| {
        let error = errors.errors.first();
        let (line, column) = error.map_or((1, 1), |error| error.pos);
        let message = error.map_or("", |error| error.msg.as_str());
        misconfigured(
            source,
            line.max(1),
            column.max(1),
            &format!("Syntax error: {message}"),
        )
    })?;
    let mut compiler = Compiler {
        source,
        info: &info,
        nodes: Vec::new(),
        scope: vec![(
            "managedCluster".to_owned(),
            map_of(types::TEXT, Type::Dyn),
            0,
        )],
        slots: 1,
        folds: 0,
    };
    let (root, _) = compiler.node(&tree)?;
    Ok(Program {
        nodes: compiler.nodes,
        root,
        slots: compiler.slots as usize,
    })
}

fn refused(message: String, help: &str) -> Verdict {
    Verdict::Refused {
        message,
        help: help.to_owned(),
    }
}

fn within_limits(source: &str) -> Result<(), Verdict> {
    if source.len() > LONGEST {
        return Err(refused(
            format!(
                "the expression has {} bytes, the limit is {LONGEST}",
                source.len()
            ),
            "split it into several expressions of the list: all of them must hold",
        ));
    }
    let (mut depth, mut deepest): (usize, usize) = (0, 0);
    let mut quote = None;
    let mut escaped = false;
    for byte in source.bytes() {
        match (quote, byte) {
            (Some(_), b'\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(end), byte) if byte == end && !escaped => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        escaped = false;
        deepest = deepest.max(depth);
    }
    if deepest > DEEPEST {
        return Err(refused(
            format!("the expression nests {deepest} brackets, the limit is {DEEPEST}"),
            "split it into several expressions of the list: all of them must hold",
        ));
    }
    Ok(())
}

/// cel-go's form of a compiler error.
fn misconfigured(source: &str, line: isize, column: isize, message: &str) -> Verdict {
    let shown = source
        .lines()
        .nth(usize::try_from(line - 1).unwrap_or(0))
        .unwrap_or("");
    let dots = ".".repeat(usize::try_from(column - 1).unwrap_or(0));
    Verdict::Misconfigured(format!(
        "compilation failed: ERROR: <input>:{line}:{column}: {message}\n | {shown}\n | {dots}^"
    ))
}

/// The names of types that can stand as values.
const TYPE_NAMES: [&str; 14] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
    "optional_type",
    "net.CIDR",
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
];

struct Compiler<'s> {
    source: &'s str,
    info: &'s SourceInfo,
    nodes: Vec<Node>,
    scope: Vec<(String, Type, u32)>,
    slots: u32,
    folds: usize,
}

type Typed = Result<(At, Type), Verdict>;

impl Compiler<'_> {
    fn push(&mut self, node: Node) -> At {
        self.nodes.push(node);
        At::try_from(self.nodes.len() - 1).unwrap_or(At::MAX)
    }

    fn fault(&self, id: u64, message: &str) -> Verdict {
        let offset = self
            .info
            .offset_for(id)
            .map_or(0, |(start, _)| start as usize);
        let (mut line, mut column) = (1, 1);
        for character in self.source.chars().take(offset) {
            column += 1;
            if character == '\n' {
                (line, column) = (line + 1, 1);
            }
        }
        misconfigured(self.source, line, column, message)
    }

    fn undeclared(&self, id: u64, name: &str) -> Verdict {
        self.fault(
            id,
            &format!("undeclared reference to '{name}' (in container '')"),
        )
    }

    fn node(&mut self, tree: &IdedExpr) -> Typed {
        match &tree.expr {
            Expr::Unspecified => Err(self.fault(tree.id, "unspecified expression")),
            Expr::Literal(literal) => Ok(self.literal(literal)),
            Expr::Ident(name) => self.ident(tree.id, name.trim_start_matches('.')),
            Expr::Select(_) => self.select(tree),
            Expr::Call(call) => self.call(tree.id, call),
            Expr::List(items) => {
                let mut nodes = Vec::with_capacity(items.elements.len());
                let mut item = Type::Fresh;
                for (index, element) in items.elements.iter().enumerate() {
                    let optional = items.optional_indices.contains(&index);
                    let (node, found) = self.node(element)?;
                    let found = self.element(element.id, found, optional)?;
                    item = join_items(index, item, found);
                    nodes.push((node, optional));
                }
                Ok((self.push(Node::List(nodes)), list_of(item)))
            }
            Expr::Map(map) => {
                let mut nodes = Vec::with_capacity(map.entries.len());
                let (mut key, mut value) = (Type::Fresh, Type::Fresh);
                for (index, entry) in map.entries.iter().enumerate() {
                    let EntryExpr::MapEntry(entry) = &entry.expr else {
                        return Err(self.fault(entry.id, "unsupported map entry"));
                    };
                    let (key_node, key_type) = self.node(&entry.key)?;
                    let (value_node, value_type) = self.node(&entry.value)?;
                    let value_type = self.element(entry.value.id, value_type, entry.optional)?;
                    key = join_items(index, key, key_type);
                    value = join_items(index, value, value_type);
                    nodes.push((key_node, value_node, entry.optional));
                }
                Ok((self.push(Node::Map(nodes)), map_of(key, value)))
            }
            Expr::Struct(object) => Err(self.undeclared(tree.id, &object.type_name)),
            Expr::Comprehension(fold) => self.fold(tree.id, fold),
        }
    }

    /// The type of an item; one written `?item` must be an optional.
    fn element(&self, id: u64, found: Type, optional: bool) -> Result<Type, Verdict> {
        match (optional, found) {
            (false, found) => Ok(found),
            (true, Type::Optional(inner)) => Ok(*inner),
            (true, Type::Dyn | Type::Fresh) => Ok(Type::Dyn),
            (true, found) => Err(self.fault(
                id,
                &format!("expected type 'optional_type(dyn)' but found '{found}'"),
            )),
        }
    }

    fn literal(&mut self, literal: &LiteralValue) -> (At, Type) {
        let (value, found) = match literal {
            LiteralValue::Boolean(value) => (Value::Bool(*value.inner()), types::BOOL),
            LiteralValue::Bytes(value) => (Value::Bytes(Arc::from(value.inner())), types::BYTES),
            LiteralValue::Double(value) => (Value::Double(*value.inner()), types::DOUBLE),
            LiteralValue::Int(value) => (Value::Int(*value.inner()), types::INT),
            LiteralValue::Null => (Value::Null, types::NULL),
            LiteralValue::String(value) => (text(value.inner()), types::TEXT),
            LiteralValue::UInt(value) => (Value::Uint(*value.inner()), types::UINT),
        };
        (self.push(Node::Constant(value)), found)
    }

    fn ident(&mut self, id: u64, name: &str) -> Typed {
        if let Some((_, found, slot)) = self.scope.iter().rev().find(|(known, ..)| known == name) {
            let (found, slot) = (found.clone(), *slot);
            return Ok((self.push(Node::Variable(slot)), found));
        }
        match TYPE_NAMES.into_iter().find(|known| *known == name) {
            Some(name) => Ok((self.push(Node::Constant(Value::Type(name))), types::TYPE)),
            None => Err(self.undeclared(id, name)),
        }
    }

    /// The dotted name that an expression spells, unless its root is a variable.
    fn qualified(&self, tree: &IdedExpr) -> Option<String> {
        let mut parts = Vec::new();
        let mut at = tree;
        loop {
            match &at.expr {
                Expr::Select(select) if !select.test => {
                    parts.push(select.field.as_str());
                    at = &select.operand;
                }
                Expr::Ident(name) => {
                    let name = name.trim_start_matches('.');
                    if self.scope.iter().any(|(known, ..)| known == name) {
                        return None;
                    }
                    parts.push(name);
                    parts.reverse();
                    return Some(parts.join("."));
                }
                _ => return None,
            }
        }
    }

    fn select(&mut self, tree: &IdedExpr) -> Typed {
        let Expr::Select(select) = &tree.expr else {
            return Err(self.fault(tree.id, "no selection"));
        };
        if let Some(name) = self.qualified(tree)
            && TYPE_NAMES.contains(&name.as_str())
        {
            return self.ident(tree.id, &name);
        }
        let (operand, found) = self.node(&select.operand)?;
        let result = self.field(tree.id, &found)?;
        let result = if select.test { types::BOOL } else { result };
        let field = text(&select.field);
        Ok((
            self.push(Node::Select {
                operand,
                field,
                test: select.test,
            }),
            result,
        ))
    }

    fn field(&self, id: u64, operand: &Type) -> Result<Type, Verdict> {
        match operand {
            Type::Dyn | Type::Fresh => Ok(Type::Dyn),
            Type::Map(entry) => Ok(match &entry.1 {
                Type::Fresh => Type::Dyn,
                value => value.clone(),
            }),
            Type::Optional(inner) => Ok(optional_of(self.field(id, inner)?)),
            other => Err(self.fault(
                id,
                &format!("type '{other}' does not support field selection"),
            )),
        }
    }

    fn call(&mut self, id: u64, call: &CallExpr) -> Typed {
        let name = call.func_name.trim_start_matches('.');
        if let Some(target) = &call.target {
            let spelt = self
                .qualified(target)
                .map(|target| format!("{target}.{name}"));
            if let Some(name) = spelt.as_deref().and_then(declared) {
                return self.apply(id, name, false, None, &call.args);
            }
            if matches!(name, "optMap" | "optFlatMap") && call.args.len() == 2 {
                return self.opt_map(id, target, &call.args, name == "optFlatMap");
            }
        }
        match (name, call.args.as_slice()) {
            ("_?._", [operand, field]) => self.optional_select(id, operand, field),
            ("_&&_" | "_||_", [a, b]) => {
                let (a_node, a_type) = self.node(a)?;
                let (b_node, b_type) = self.node(b)?;
                self.overload(id, name, false, &[a_type, b_type])?;
                let node = if name == "_&&_" {
                    Node::And(a_node, b_node)
                } else {
                    Node::Or(a_node, b_node)
                };
                Ok((self.push(node), types::BOOL))
            }
            ("_?_:_", [condition, yes, no]) => {
                let (condition, a) = self.node(condition)?;
                let (yes, b) = self.node(yes)?;
                let (no, c) = self.node(no)?;
                let result = self.overload(id, name, false, &[a, b, c])?;
                Ok((self.push(Node::Choose(condition, yes, no)), result))
            }
            _ => match declared(name) {
                Some(name) => self.apply(
                    id,
                    name,
                    call.target.is_some(),
                    call.target.as_deref(),
                    &call.args,
                ),
                None => Err(self.undeclared(id, name)),
            },
        }
    }

    fn overload(&self, id: u64, name: &str, member: bool, args: &[Type]) -> Result<Type, Verdict> {
        resolve(name, member, args).ok_or_else(|| {
            let shown: Vec<String> = args.iter().map(ToString::to_string).collect();
            let shown = match (member, shown.split_first()) {
                (true, Some((first, rest))) => format!("{first}.({})", rest.join(", ")),
                _ => format!("({})", shown.join(", ")),
            };
            self.fault(
                id,
                &format!("found no matching overload for '{name}' applied to '{shown}'"),
            )
        })
    }

    fn apply(
        &mut self,
        id: u64,
        name: &'static str,
        member: bool,
        target: Option<&IdedExpr>,
        args: &[IdedExpr],
    ) -> Typed {
        let mut nodes = Vec::with_capacity(args.len() + 1);
        let mut found = Vec::with_capacity(args.len() + 1);
        for argument in target.into_iter().chain(args) {
            let (node, argument) = self.node(argument)?;
            nodes.push(node);
            found.push(argument);
        }
        let result = self.overload(id, name, member, &found)?;
        self.check_literals(id, name, &nodes)?;
        Ok((self.push(Node::Call { name, args: nodes }), result))
    }

    /// Literal patterns of `find` and `findAll` are compiled with the program; a time zone that
    /// is not an offset needs a data base that is not here.
    fn check_literals(&self, id: u64, name: &str, args: &[At]) -> Result<(), Verdict> {
        let literal = args.get(1).and_then(|at| match &self.nodes[*at as usize] {
            Node::Constant(Value::Text(text)) => Some(text),
            _ => None,
        });
        let Some(literal) = literal else {
            return Ok(());
        };
        if matches!(name, "find" | "findAll")
            && let Err(error) = regex::Regex::new(literal)
        {
            let error = error.to_string();
            let last = error.lines().last().unwrap_or("");
            return Err(Verdict::Misconfigured(format!(
                "program instantiation failed: error parsing regexp: {last}"
            )));
        }
        if name.starts_with("get") && super::eval::zone(literal).is_none() {
            let _ = id;
            return Err(refused(
                format!("the time zone `{literal}` is not known here"),
                "write `UTC` or an offset such as `+02:00`",
            ));
        }
        Ok(())
    }

    fn optional_select(&mut self, id: u64, operand: &IdedExpr, field: &IdedExpr) -> Typed {
        let (operand, found) = self.node(operand)?;
        let inner = match &found {
            Type::Optional(inner) => inner.as_ref().clone(),
            other => other.clone(),
        };
        let result = self.field(id, &inner)?;
        let (field, _) = self.node(field)?;
        let node = self.push(Node::Call {
            name: "_?._",
            args: vec![operand, field],
        });
        Ok((node, optional_of(result)))
    }

    fn declare(&mut self, name: &str, found: Type) -> u32 {
        let slot = self.slots;
        self.slots += 1;
        self.scope.push((name.to_owned(), found, slot));
        slot
    }

    fn opt_map(&mut self, id: u64, target: &IdedExpr, args: &[IdedExpr], flat: bool) -> Typed {
        let Expr::Ident(name) = &args[0].expr else {
            return Err(self.fault(
                args[0].id,
                "optMap() variable name must be a simple identifier",
            ));
        };
        let (target, found) = self.node(target)?;
        let inner = match found {
            Type::Optional(inner) => *inner,
            Type::Dyn | Type::Fresh => Type::Dyn,
            other => {
                let shown =
                    format!("found no matching overload for 'hasValue' applied to '{other}.()'");
                return Err(self.fault(id, &shown));
            }
        };
        let slot = self.declare(name, inner);
        let body = self.node(&args[1]);
        self.scope.pop();
        let (body, result) = body?;
        let result = match (flat, result) {
            (false, result) => optional_of(result),
            (true, result @ (Type::Optional(_) | Type::Dyn | Type::Fresh)) => result,
            (true, other) => {
                let shown = format!(
                    "found no matching overload for '_?_:_' applied to '(bool, {other}, \
                     optional_type(dyn))'"
                );
                return Err(self.fault(id, &shown));
            }
        };
        Ok((
            self.push(Node::OptMap {
                target,
                slot,
                body,
                flat,
            }),
            result,
        ))
    }

    fn fold(&mut self, id: u64, fold: &cel::common::ast::ComprehensionExpr) -> Typed {
        if let Some(second) = &fold.iter_var2 {
            return Err(self.undeclared(id, second));
        }
        let (range, found) = self.node(&fold.iter_range)?;
        self.folds += 1;
        if self.folds > NESTED {
            return Err(refused(
                format!("the expression nests more than {NESTED} comprehensions"),
                "split it into several expressions of the list: all of them must hold",
            ));
        }
        let item = match found {
            Type::Dyn | Type::Fresh => Type::Dyn,
            Type::List(item) => match *item {
                Type::Fresh => Type::Dyn,
                item => item,
            },
            Type::Map(entry) => match entry.0 {
                Type::Fresh => Type::Dyn,
                key => key,
            },
            other => {
                return Err(self.fault(
                    fold.iter_range.id,
                    &format!(
                        "expression of type '{other}' cannot be range of a comprehension (must be \
                         list, map, or dynamic)"
                    ),
                ));
            }
        };
        let (start, start_type) = self.node(&fold.accu_init)?;
        let accumulator = self.declare(&fold.accu_var, start_type.clone());
        let item = self.declare(&fold.iter_var, item);
        let (condition, condition_type) = self.node(&fold.loop_cond)?;
        let (step, step_type) = self.node(&fold.loop_step)?;
        self.scope.pop();
        if !types::fits(&types::BOOL, &condition_type) || !types::fits(&start_type, &step_type) {
            return Err(self.fault(
                fold.loop_step.id,
                &format!("expected type '{start_type}' but found '{step_type}'"),
            ));
        }
        if let Some((_, found, _)) = self.scope.last_mut() {
            *found = join(start_type, step_type);
        }
        let (result, result_type) = self.node(&fold.result)?;
        self.scope.pop();
        self.folds -= 1;
        let fold = Fold {
            range,
            item,
            accumulator,
            start,
            condition,
            step,
            result,
        };
        Ok((self.push(Node::Fold(Box::new(fold))), result_type))
    }
}

/// The first item gives the type; later ones that differ make it dynamic.
fn join_items(index: usize, so_far: Type, found: Type) -> Type {
    if index == 0 {
        found
    } else {
        join(so_far, found)
    }
}
