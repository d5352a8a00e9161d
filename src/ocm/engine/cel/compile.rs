//! The compile step: the crate's syntax tree checked and made into a flat program.
//!
//! It refuses everything that upstream refuses before evaluation: unknown variables and functions,
//! wrong numbers of arguments, operators and calls on values of a type known to be wrong.

mod binds;
mod calls;
mod limits;
mod program;

use std::sync::Arc;

use cel::common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue, SourceInfo};
use cel::parser::Parser;

use self::limits::within_limits;
use super::Compilation;
use super::types::{self, Type, join, list_of, map_of, optional_of};
use super::value::{Value, text};

pub(super) use self::program::{At, Fold, Node, Program};

/// Compiles an expression. Needs a big stack: the parser recurses.
pub(super) fn compile(source: &str) -> Result<Program, Compilation> {
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

fn refused(message: String, help: &str) -> Compilation {
    Compilation::Refused {
        message,
        help: help.to_owned(),
    }
}

/// cel-go's form of a compiler error.
fn misconfigured(source: &str, line: isize, column: isize, message: &str) -> Compilation {
    let shown = source
        .lines()
        .nth(usize::try_from(line - 1).unwrap_or(0))
        .unwrap_or("");
    let dots = ".".repeat(usize::try_from(column - 1).unwrap_or(0));
    Compilation::Misconfigured(format!(
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

type Typed = Result<(At, Type), Compilation>;

impl Compiler<'_> {
    fn push(&mut self, node: Node) -> At {
        self.nodes.push(node);
        At::try_from(self.nodes.len() - 1).unwrap_or(At::MAX)
    }

    fn fault(&self, id: u64, message: &str) -> Compilation {
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

    fn undeclared(&self, id: u64, name: &str) -> Compilation {
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
    fn element(&self, id: u64, found: Type, optional: bool) -> Result<Type, Compilation> {
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

    fn field(&self, id: u64, operand: &Type) -> Result<Type, Compilation> {
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
}

/// The first item gives the type; later ones that differ make it dynamic.
fn join_items(index: usize, so_far: Type, found: Type) -> Type {
    if index == 0 {
        found
    } else {
        join(so_far, found)
    }
}
