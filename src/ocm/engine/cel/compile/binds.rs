//! Expressions that bind variables: comprehensions and `optMap`.

use cel::common::ast::{ComprehensionExpr, Expr, IdedExpr};

use super::program::{Fold, Node};
use super::{Compiler, Typed, refused};
use crate::ocm::engine::cel::types::{self, Type, join, optional_of};

/// Deepest nesting of comprehensions (`all`, `exists`, `map` …).
const NESTED: usize = 12;

impl Compiler<'_> {
    fn declare(&mut self, name: &str, found: Type) -> u32 {
        let slot = self.slots;
        self.slots += 1;
        self.scope.push((name.to_owned(), found, slot));
        slot
    }

    pub(super) fn opt_map(
        &mut self,
        id: u64,
        target: &IdedExpr,
        args: &[IdedExpr],
        flat: bool,
    ) -> Typed {
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

    pub(super) fn fold(&mut self, id: u64, fold: &ComprehensionExpr) -> Typed {
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
