//! Evaluates expressions over many clusters, each distinct question once.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use fixedbitset::FixedBitSet;

use super::compile::{Program, compile};
use super::eval::{Exhausted, evaluate};
use super::value::{Value, from_data};
use super::{Compilation, Evaluation};
use crate::ocm::engine::hub::Hub;
use crate::ocm::engine::memo::Memo;
use crate::ocm::engine::select::Cel;
use crate::ocm::model::Model;

/// Stack of the thread that parses and evaluates: both recurse over what a person wrote, which
/// the limits of `compile` bound.
const STACK: usize = 64 << 20;

thread_local! {
    /// Whether this thread has a big stack.
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Runs on a thread with a big stack: this one, if it has one. A panic gives nothing.
fn deep<R: Send>(work: impl FnOnce() -> R + Send) -> Option<R> {
    if IS_DEEP.get() {
        return catch_unwind(AssertUnwindSafe(work)).ok();
    }
    thread::scope(|scope| {
        let started = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                IS_DEEP.set(true);
                work()
            });
        started.ok()?.join().ok()
    })
}

/// Does work that comes to many expressions, if there are `any`, on one thread with a big stack;
/// else each expression would start one.
pub fn together<R: Send>(any: bool, work: impl Fn() -> R + Sync) -> R {
    let done = if any { deep(&work) } else { None };
    done.unwrap_or_else(work)
}

fn no_thread() -> Compilation {
    Compilation::Refused {
        message: "the expression could not be read: no thread could be started".to_owned(),
        help: "allow planner more threads or memory".to_owned(),
    }
}

/// Whether an expression compiles, and whether we can evaluate it.
#[must_use]
pub fn check(expression: &str) -> Compilation {
    match deep(|| compile(expression)) {
        None => no_thread(),
        Some(Ok(_)) => Compilation::Good,
        Some(Err(verdict)) => verdict,
    }
}

/// Checks several expressions.
#[must_use]
pub fn check_all(expressions: &[&str]) -> Vec<Compilation> {
    let all = || expressions.iter().map(|one| check(one)).collect();
    together(!expressions.is_empty(), all)
}

/// How an expression comes out for one cluster.
#[must_use]
pub fn explain(model: &Model<'_>, expression: &str, cluster: usize) -> Evaluation {
    let run = || match compile(expression) {
        Ok(program) => {
            let look_up = |resource: &str, name: &str| scores_of(model, resource, name);
            match evaluate(&program, &value_of(model, cluster), &look_up) {
                Ok(outcome) => answer(outcome),
                Err(exhausted) => Evaluation::Error(exhausted.to_string()),
            }
        }
        Err(Compilation::Misconfigured(message)) => Evaluation::Error(message),
        Err(_) => Evaluation::Error("cannot be evaluated".to_owned()),
    };
    deep(run).unwrap_or_else(|| Evaluation::Error("cannot be evaluated".to_owned()))
}

fn answer(outcome: Result<Value, String>) -> Evaluation {
    match outcome {
        Ok(Value::Bool(true)) => Evaluation::Holds,
        Ok(Value::Bool(false)) => Evaluation::DoesNotHold,
        Ok(other) => Evaluation::NotBoolean(other.type_name()),
        Err(error) => Evaluation::Error(error),
    }
}

fn value_of(model: &Model<'_>, cluster: usize) -> Value {
    let data = model
        .clusters
        .get(cluster)
        .and_then(|cluster| cluster.data.as_ref());
    data.map_or(Value::Null, from_data)
}

fn scores_of(model: &Model<'_>, resource: &str, cluster: &str) -> Option<Vec<(String, i64)>> {
    let object = model
        .scores
        .iter()
        .find(|score| score.name == resource && score.cluster == cluster)?;
    Some(
        object
            .scores
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect(),
    )
}

/// The cached answers of one expression: the clusters asked, and those where it holds.
#[derive(Debug, Default)]
struct Cached {
    asked: FixedBitSet,
    holds: FixedBitSet,
}

/// A compiled expression, or the message of its misconfiguration.
type Compiled = Result<Arc<Program>, String>;

/// Evaluates expressions and remembers the answers.
#[derive(Debug, Default)]
pub struct Evaluator<'a> {
    programs: Memo<&'a str, Compiled>,
    answers: Mutex<BTreeMap<&'a str, Cached>>,
    /// The place of the score of a resource and a cluster in the model.
    scores: OnceLock<BTreeMap<(&'a str, &'a str), usize>>,
}

impl<'a> Evaluator<'a> {
    fn program(&self, expression: &'a str) -> Compiled {
        self.programs.get(&expression, || {
            let program = deep(|| compile(expression)).unwrap_or_else(|| Err(no_thread()));
            program.map(Arc::new).map_err(|verdict| match verdict {
                Compilation::Misconfigured(message) | Compilation::Refused { message, .. } => {
                    message
                }
                Compilation::Good => String::new(),
            })
        })
    }

    /// For which of these clusters an expression gives true.
    fn held(
        &self,
        model: &Model<'a>,
        program: &Program,
        clusters: &[usize],
    ) -> Result<Vec<bool>, Exhausted> {
        let scores = self.scores.get_or_init(|| {
            let all = model.scores.iter().enumerate().rev();
            all.map(|(at, score)| ((score.name, score.cluster), at))
                .collect()
        });
        let look_up = |resource: &str, cluster: &str| {
            let object = &model.scores[*scores.get(&(resource, cluster))?];
            let items = object.scores.iter();
            let item = |(name, value): &(&str, i64)| ((*name).to_owned(), *value);
            Some(items.map(item).collect())
        };
        let holds = |cluster: &usize| {
            let outcome = evaluate(program, &value_of(model, *cluster), &look_up)?;
            Ok(matches!(outcome, Ok(Value::Bool(true))))
        };
        clusters.iter().map(holds).collect()
    }
}

impl<'a> Cel<'a> for Evaluator<'a> {
    fn check(&self, expression: &'a str) -> Result<(), String> {
        self.program(expression).map(drop)
    }

    fn apply(
        &self,
        hub: &Hub<'_, 'a>,
        expression: &'a str,
        kept: &mut FixedBitSet,
    ) -> Result<(), String> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = answers.entry(expression).or_default();
        known.asked.grow(hub.len());
        known.holds.grow(hub.len());
        let open: Vec<usize> = kept.difference(&known.asked).collect();
        if !open.is_empty() {
            let program = self.program(expression)?;
            let held = deep(|| self.held(hub.model, &program, &open))
                .ok_or("the expression could not be evaluated: no thread could be started")?
                .map_err(|exhausted| format!("the expression `{expression}`: {exhausted}"))?;
            for (cluster, holds) in open.iter().zip(held) {
                known.asked.insert(*cluster);
                known.holds.set(*cluster, holds);
            }
        }
        kept.intersect_with(&known.holds);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ocm::model::{Data, ManagedCluster};

    fn model() -> Model<'static> {
        let map = |fields: Vec<(&'static str, Data<'static>)>| {
            Data::Map(
                fields
                    .into_iter()
                    .map(|(key, value)| (key.into(), value))
                    .collect(),
            )
        };
        let text = |text: &'static str| Data::Text(text.into());
        let data = map(vec![
            (
                "metadata",
                map(vec![
                    ("name", text("c1")),
                    (
                        "labels",
                        map(vec![("env", text("prod")), ("version", text("1.30.2"))]),
                    ),
                    ("creationTimestamp", text("2026-01-01T10:20:30Z")),
                ]),
            ),
            ("spec", map(vec![("leaseDurationSeconds", Data::Int(60))])),
            (
                "status",
                map(vec![
                    ("conditions", Data::Null),
                    (
                        "allocatable",
                        map(vec![("cpu", text("1500m")), ("memory", text("2Gi"))]),
                    ),
                    ("version", map(vec![])),
                ]),
            ),
        ]);
        let cluster = ManagedCluster {
            name: "c1",
            data: Some(data),
            ..ManagedCluster::default()
        };
        Model {
            clusters: vec![cluster],
            ..Model::default()
        }
    }

    fn answer_of(expression: &str) -> Evaluation {
        assert_eq!(check(expression), Compilation::Good);
        explain(&model(), expression, 0)
    }

    #[test]
    fn true_expressions() {
        for expression in [
            "managedCluster.metadata.name.startsWith('c')",
            "managedCluster.metadata.labels['env'] == \"prod\"",
            "'env' in managedCluster.metadata.labels",
            "has(managedCluster.status.version) && !has(managedCluster.status.nope)",
            "managedCluster.metadata.labels.all(k, k != 'x')",
            "managedCluster.metadata.labels.exists_one(k, k == 'env')",
            "[1, 2, 3].map(x, x * 2) == [2, 4, 6] && [1, 2, 3].filter(x, x > 1).size() == 2",
            "[1, 2].map(x, x > 1, x + 1) == [3]",
            "managedCluster.spec.leaseDurationSeconds == 60.0",
            "managedCluster.spec.leaseDurationSeconds < 60.5",
            "managedCluster.status.conditions == null",
            "managedCluster.nope == 1 || true",
            "true || managedCluster.nope",
            "managedCluster.?metadata.?labels[?'zone'].orValue('none') == 'none'",
            "managedCluster.metadata.labels[?'env'].hasValue()",
            "managedCluster.?nope.?deep.orValue(1) == 1",
            "optional.of(3).optMap(x, x + 1).value() == 4",
            "optional.none().or(optional.of(1)).value() == 1",
            "[?managedCluster.?nope, ?optional.of(1)] == [1]",
            "optional.ofNonZeroValue('').hasValue() == false",
            "'tacocat'.charAt(3) == 'o' && 'hello'.indexOf('l') == 2 \
             && 'hello'.lastIndexOf('l') == 3",
            "'hello'.indexOf('') == 0 && 'hello'.indexOf('l', 3) == 3",
            "['a', 'b'].join('-') == 'a-b' && 'TacoCÆt'.lowerAscii() == 'tacocÆt'",
            "'hello hello'.replace('he', 'we', 1) == 'wello hello'",
            "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'tacocat'.substring(4) == 'cat'",
            "'  x '.trim() == 'x' && 'gums'.reverse() == 'smug'",
            "'%s is %d, %.2f'.format(['a', 3, 1.5]) == 'a is 3, 1.50'",
            "strings.quote('a\\nb') == '\"a\\\\nb\"'",
            "[1, 2, 2].isSorted() && [1, 3].sum() == 4 && [3, 1].min() == 1 && [3, 1].max() == 3",
            "[1, 2, 2].indexOf(2) == 1 && [1, 2, 2].lastIndexOf(2) == 2",
            "'abc 123'.find('[0-9]+') == '123' && '1 2'.findAll('[0-9]+') == ['1', '2']",
            "'123 abc 456'.findAll('[0-9]+', 1) == ['123']",
            "'v1.2'.matches('^v[0-9]+')",
            "url('https://example.com:80/a?k=1').getPort() == '80' && isURL('/x')",
            "url('https://e.com/p?k1=a&k2=b&k2=c').getQuery() == {'k1': ['a'], 'k2': ['b', 'c']}",
            "quantity(managedCluster.status.allocatable['cpu']).isGreaterThan(quantity('1'))",
            "quantity('50k').add(20).sub(quantity('20')).asInteger() == 50000",
            "sign(quantity('-1')) == -1 && isQuantity('1.3Gi') && !isQuantity('1,3G')",
            "quantity('1500m').isInteger() == false \
             && quantity('200M').compareTo(quantity('0.2G')) == 0",
            "quantity('1500m').asApproximateFloat() > 1.4",
            "ip('10.0.0.1').family() == 4 && cidr('10.0.0.0/8').containsIP('10.1.2.3')",
            "cidr('192.168.0.0/24').containsIP(ip('192.168.0.1')) && isIP('::1') \
             && isCIDR('::1/128')",
            "ip.isCanonical('::1') && !ip.isCanonical('::0:1') && string(ip('::1')) == '::1'",
            "!format.dns1123Label().validate('my-name').hasValue()",
            "format.named('dns1123Label').hasValue() && !format.named('x').hasValue()",
            "format.dns1123Label().validate('A').value().size() > 0",
            "semver(managedCluster.metadata.labels['version']).isLessThan(semver('1.31.0'))",
            "semver('1.2.3').minor() == 2 && isSemver('1.0.0') && !isSemver('v1.0')",
            "'{\"gpu\": 2}'.parseJSON().gpu >= 2",
            "timestamp(managedCluster.metadata.creationTimestamp).getHours() == 10",
            "timestamp('2026-01-01T00:00:00Z') - duration('1h') \
             < timestamp('2026-01-01T00:00:00Z')",
            "duration('90m').getHours() == 1 && string(duration('90s')) == '90s'",
            "type(1) == int && type('') == string && int('3') == 3 && string(1.5) == '1.5'",
            "size('Æb') == 2 && dyn(1) == 1.0 && 7 / 2 == 3 && -7 % 3 == -1 && 1u + 2u == 3u",
            "(1 > 2 ? 'a' : 'b') == 'b'",
            "{'a': 1}.a == 1 && {'a': {'b': 2}}.a.b == 2 && b'ab' == b'ab'",
            "cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24')",
            "[[1, 2], [3]].exists(l, l.exists(x, x == 3))",
        ] {
            assert_eq!(answer_of(expression), Evaluation::Holds, "{expression}");
        }
    }

    #[test]
    fn no_match() {
        for expression in [
            "managedCluster.status.version.kubernetes == 'v1'",
            "managedCluster.metadata.labels['nope'] == 'x'",
            "1 / 0 == 1",
            "[1][1] == 1",
            "managedCluster.scores('usage').size() > 0",
            "'x'.parseJSON() == 1",
            "quantity('lots') == quantity('1')",
            "9223372036854775807 + 1 > 0",
            "'abc'.charAt(9) == ''",
            "optional.none().value() == 1",
            "managedCluster.metadata.name > 1",
            "[].min() == 1",
        ] {
            assert!(
                matches!(answer_of(expression), Evaluation::Error(_)),
                "{expression}"
            );
        }
        assert_eq!(
            answer_of("managedCluster.metadata.name"),
            Evaluation::NotBoolean("string")
        );
        assert_eq!(
            answer_of("managedCluster.metadata.name == 'x'"),
            Evaluation::DoesNotHold
        );
    }

    #[test]
    fn what_does_not_compile() {
        for expression in [
            "",
            " ",
            "managedCluster.metadata.name ===",
            "cluster.metadata.name == 'x'",
            "nope(1)",
            "'a'.nope()",
            "1 == 'a'",
            "1 + 'a'",
            "1 < 1.5",
            "'a'.startsWith(1)",
            "'a'.startsWith()",
            "size(1)",
            "!1",
            "1 && true",
            "'a'.foo",
            "quantity('1').sign()",
            "semver('1', true)",
            "cel.bind(x, 1, x)",
            "1.all(x, x)",
            "[1].all(x, y)",
            "managedCluster[1]",
            "Foo{}",
            "quantity(1)",
            "[1, 2].exists(x, x == 'a')",
            "has(managedCluster)",
        ] {
            let Compilation::Misconfigured(message) = check(expression) else {
                panic!("{expression} compiles");
            };
            assert!(
                message.starts_with("compilation failed: ERROR: <input>:"),
                "{message}"
            );
        }
        let Compilation::Misconfigured(message) = check("cluster.metadata.name == 'x'") else {
            panic!("compiles");
        };
        assert_eq!(
            message,
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'cluster' (in \
             container '')\n | cluster.metadata.name == 'x'\n | ^"
        );
    }

    /// The size of an expression's results is bounded and quickly refused; nothing catches the
    /// refusal.
    #[test]
    fn a_budget_of_bytes() {
        let tower = |call: &str, times: usize| format!("'x'{}", call.repeat(times));
        let replaced = tower(".replace('x', 'xxxxxxxxxx')", 10);
        let bound = |inner: &str, times: usize, end: &str| {
            let one = |at: usize| {
                let inner = inner.replace('@', &format!("v{}", at - 1));
                format!("[{inner}].exists(v{at}, ")
            };
            let binds: String = (1..=times).map(one).collect();
            let (end, close) = (end.replace('@', &format!("v{times}")), ")".repeat(times));
            format!("[['abc']].exists(v0, {binds}{end}{close})")
        };
        for expression in [
            format!("{replaced} == ''"),
            format!("{replaced} == '' || true"),
            format!("[1].exists(x, {replaced} == '') || true"),
            format!("({replaced}).size() > 0"),
            format!(
                "{}.split('').size() > 0",
                tower(".replace('x', 'xxxxxxxxxx')", 6)
            ),
            bound("@ + @ + @ + @ + @", 10, "@.size() > 0"),
            bound("[@, @, @, @, @]", 10, "@ == @"),
            bound("['%s%s%s%s%s'.format([@, @, @, @, @])]", 10, "@.size() > 0"),
        ] {
            let Evaluation::Error(why) = answer_of(&expression) else {
                panic!("{expression}: {:?}", answer_of(&expression));
            };
            assert!(
                why.contains("more than 10000000 bytes"),
                "{expression}: {why}"
            );
        }
        let modest = "[1,2,3,4,5,6,7,8,9,10]";
        let modest = format!("{modest}.map(a, {modest}.map(b, string(a * b))).size() == 10");
        assert_eq!(answer_of(&modest), Evaluation::Holds);
    }

    #[test]
    fn limits() {
        let deep = format!("{}true{}", "(".repeat(25), ")".repeat(25));
        let long = format!("'{}' == ''", "x".repeat(4096));
        let chain = format!("true{}", " || true".repeat(500));
        let dots = format!("managedCluster{}", ".a".repeat(2000));
        assert!(matches!(check(&deep), Compilation::Refused { .. }));
        assert!(matches!(check(&long), Compilation::Refused { .. }));
        assert_eq!(answer_of(&chain), Evaluation::Holds);
        assert!(matches!(answer_of(&dots), Evaluation::Error(_)));
        let nested = |depth: usize| {
            let inner = |inner, at| format!("[1].all(v{at}, {inner})");
            (0..depth).fold("true".to_owned(), inner)
        };
        assert_eq!(answer_of(&nested(12)), Evaluation::Holds);
        assert!(matches!(check(&nested(13)), Compilation::Refused { .. }));
        let long_run = "[1,1,1,1,1,1,1,1,1,1].map(a, [1,1,1,1,1,1,1,1,1,1].map(b, \
                        [1,1,1,1,1,1,1,1,1,1].map(c, [1,1,1,1,1,1,1,1,1,1].map(d, \
                        'x'.replace('', 'y').size() + a + b + c + d)))).size() == 10";
        assert!(matches!(
            answer_of(long_run),
            Evaluation::Holds | Evaluation::Error(_)
        ));
    }
}
