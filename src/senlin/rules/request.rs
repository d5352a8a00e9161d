//! The requests that upstream's API refuses before an action exists: warnings, since a plan starts
//! from the action.

use crate::diagnostic::{Diagnostic, Sink};
use crate::senlin::engine::resize::{Limits, change, check as check_sizes};
use crate::senlin::model::{Action, ActionKind, Cluster, Field, Inputs, Value};

use super::REFUSED_REQUEST;
use super::shown;

/// A fault of one field, in upstream's words.
struct Fault<'a> {
    field: Field<'a>,
    text: String,
}

impl<'a> Fault<'a> {
    fn of<T>(field: Field<'a>, text: impl Into<String>) -> Result<T, Self> {
        Err(Self {
            field,
            text: text.into(),
        })
    }
}

/// Checks the inputs of a scale action or a resize; the first fault is reported, as there.
pub(in crate::senlin) fn check(
    action: &Action<'_>,
    cluster: Option<&Cluster<'_>>,
    sink: &mut Sink,
) {
    let found = match action.kind {
        ActionKind::ScaleOut => scale(action.inputs.count, "out", 1, cluster),
        ActionKind::ScaleIn => scale(action.inputs.count, "in", -1, cluster),
        ActionKind::Resize => resize(&action.inputs, cluster),
        ActionKind::NodeCreate | ActionKind::Other => Ok(()),
    };
    if let Err(Fault { field, text }) = found {
        let message = format!(
            "the API refuses such a request: {}",
            text.trim_end_matches('.')
        );
        sink.push(
            Diagnostic::new(&REFUSED_REQUEST, message)
                .at(field.place, "this input")
                .upstream(text)
                .help("the plan still shows what the action would do"),
        );
    }
}

fn scale<'a>(
    count: Field<'a>,
    word: &str,
    sign: i128,
    cluster: Option<&Cluster<'_>>,
) -> Result<(), Fault<'a>> {
    if count.value == Value::Absent {
        return Ok(());
    }
    let number = integer(count, "count")?;
    if number < 0 {
        return Fault::of(count, "Value must be >= 0 for field 'count'.");
    }
    if number == 0 {
        return Fault::of(
            count,
            format!("Count for scale-{word} request cannot be 0."),
        );
    }
    sizes(cluster, Limits::default(), count, |cluster| {
        Some(cluster.desired_capacity + sign * number)
    })
}

fn resize<'a>(inputs: &Inputs<'a>, cluster: Option<&Cluster<'_>>) -> Result<(), Fault<'a>> {
    let kind = inputs.adjustment_type;
    let types = [
        "EXACT_CAPACITY",
        "CHANGE_IN_CAPACITY",
        "CHANGE_IN_PERCENTAGE",
    ];
    if !kind.value.is_none() && !types.iter().any(|word| kind.value == Value::Text(word)) {
        let value = shown(kind);
        let text = format!("Value '{value}' is not acceptable for field 'adjustment_type'.");
        return Fault::of(kind, text);
    }
    let percentage = kind.value == Value::Text("CHANGE_IN_PERCENTAGE");
    let step = optional(inputs.min_step, "min_step")?;
    if step.is_some_and(|step| step < 0) {
        return Fault::of(inputs.min_step, "Value must be >= 0 for field 'min_step'.");
    }
    let bound = |field: Field<'a>, name: &str, least: i128| match optional(field, name)? {
        Some(number) if number < least => {
            let text =
                format!("The value for the {name} field must be greater than or equal to {least}.");
            Fault::of(field, text)
        }
        number => Ok(number),
    };
    let min_size = bound(inputs.min_size, "min_size", 0)?;
    let max_size = bound(inputs.max_size, "max_size", -1)?;
    if kind.value.is_none() && !inputs.number.value.is_none() {
        return Fault::of(
            inputs.number,
            "Missing adjustment_type value for size adjustment.",
        );
    }
    if !kind.value.is_none() && inputs.number.value.is_none() {
        return Fault::of(kind, "Missing number value for size adjustment.");
    }
    let number = match inputs.number.value {
        // The API takes fractions for percentages; for the other two it cuts them.
        Value::Float(number) if percentage => Value::Float(number),
        _ => optional(inputs.number, "number")?.map_or(Value::Absent, Value::Int),
    };
    if kind.value == Value::Text("EXACT_CAPACITY") && matches!(number, Value::Int(..=-1)) {
        let text = "The 'number' must be non-negative integer for adjustment type \
                    'EXACT_CAPACITY'.";
        return Fault::of(inputs.number, text);
    }
    let strict = inputs.strict.value != Value::Bool(false);
    let limits = Limits {
        min_size,
        max_size,
        strict,
    };
    let field = if kind.value.is_none() {
        inputs.min_size
    } else {
        inputs.number
    };
    sizes(cluster, limits, field, |cluster| {
        let step = if percentage { step } else { None };
        match (kind.value, number) {
            (Value::Text("EXACT_CAPACITY"), Value::Int(number)) => Some(number),
            (Value::Text("CHANGE_IN_CAPACITY"), Value::Int(number)) => Some(cluster.size + number),
            (Value::Text(_), number) => {
                change(number, cluster.size, step).map(|step| cluster.size + step.change)
            }
            _ => None,
        }
    })
}

fn sizes<'a>(
    cluster: Option<&Cluster<'_>>,
    limits: Limits,
    field: Field<'a>,
    target: impl FnOnce(&Cluster<'_>) -> Option<i128>,
) -> Result<(), Fault<'a>> {
    let Some(cluster) = cluster else {
        return Ok(());
    };
    check_sizes(cluster, target(cluster), limits).map_or(Ok(()), |text| Fault::of(field, text))
}

fn optional<'a>(field: Field<'a>, name: &str) -> Result<Option<i128>, Fault<'a>> {
    if field.value.is_none() {
        Ok(None)
    } else {
        integer(field, name).map(Some)
    }
}

/// The integer that the API reads from a value: from numbers, booleans and decimal text.
fn integer<'a>(field: Field<'a>, name: &str) -> Result<i128, Fault<'a>> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "only the sign and the limits matter"
    )]
    let number = match field.value {
        Value::Int(number) => Some(number),
        Value::Bool(flag) => Some(i128::from(flag)),
        Value::Float(number) if number.is_finite() => Some(number.trunc() as i128),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    };
    match number.filter(|number| number.unsigned_abs() <= 10_u128.pow(30)) {
        Some(number) => Ok(number),
        None => {
            let value = if field.value.is_none() {
                "None".to_owned()
            } else {
                shown(field)
            };
            Fault::of(
                field,
                format!("The value for {name} must be an integer: '{value}'."),
            )
        }
    }
}
