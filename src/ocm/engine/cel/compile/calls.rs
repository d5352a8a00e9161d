//! Operators and calls: the overload that fits, and arguments that must be right beforehand.

use cel::common::ast::{CallExpr, IdedExpr};

use super::program::{At, Node};
use super::{Compiler, Typed, refused};
use crate::ocm::engine::cel::Compilation;
use crate::ocm::engine::cel::eval::zone;
use crate::ocm::engine::cel::types::{self, Type, declared, optional_of, resolve};
use crate::ocm::engine::cel::value::Value;

impl Compiler<'_> {
    pub(super) fn call(&mut self, id: u64, call: &CallExpr) -> Typed {
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

    fn overload(
        &self,
        id: u64,
        name: &str,
        member: bool,
        args: &[Type],
    ) -> Result<Type, Compilation> {
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
    fn check_literals(&self, id: u64, name: &str, args: &[At]) -> Result<(), Compilation> {
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
            return Err(Compilation::Misconfigured(format!(
                "program instantiation failed: error parsing regexp: {last}"
            )));
        }
        if name.starts_with("get") && zone(literal).is_none() {
            let _ = id;
            return Err(refused(
                format!("planner does not know the time zone `{literal}`"),
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
}
