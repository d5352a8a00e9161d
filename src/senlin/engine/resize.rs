//! Reading the inputs of a resize.

use crate::senlin::model::{Cluster, Inputs, LARGEST, Value};

use super::allot::product;
use super::{Failure, Input, Problem};

/// The sizes that a resize request works out to.
#[derive(Debug, Clone, PartialEq)]
pub struct Resize {
    /// The size the change starts from.
    pub current: i128,
    /// The percentage step, when the adjustment is one.
    pub percentage: Option<Percentage>,
    /// The target as asked for.
    pub asked: i128,
    /// The target after cutting to the limits.
    pub target: i128,
    /// `target − current`, or upstream's text why the request is refused.
    pub change: Result<i128, String>,
}

/// A change by a percentage of the current size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentage {
    /// The exact change in nodes, in double precision.
    pub delta: f64,
    /// The change rounded.
    pub rounded: i128,
    /// The change after `min_step`.
    pub change: i128,
}

/// The limits of a request, nulls taken as absent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// The lower bound of the request.
    pub min_size: Option<i128>,
    /// The upper bound of the request.
    pub max_size: Option<i128>,
    /// Whether the limits of the cluster are checked.
    pub strict: bool,
}

/// `senlin.engine.utils.parse_resize_params`: the target and the change of a resize.
///
/// # Errors
/// A [`Failure`] where upstream's own code breaks: a value of the wrong type, no `number`.
pub fn parse(inputs: &Inputs<'_>, cluster: &Cluster<'_>) -> Result<Resize, Failure> {
    let current = if cluster.size == 0 {
        cluster.desired_capacity
    } else {
        cluster.size
    };
    let mut percentage = None;
    let asked = match inputs.adjustment_type.value {
        Value::Absent | Value::Null => current,
        Value::Text("EXACT_CAPACITY") => number(inputs)?,
        Value::Text("CHANGE_IN_CAPACITY") => current + number(inputs)?,
        _ => {
            let step = percent(inputs, current)?;
            percentage = Some(step);
            current + step.change
        }
    };
    let min_size = optional(inputs.min_size.value, Input::MinSize)?;
    let max_size = optional(inputs.max_size.value, Input::MaxSize)?;
    let (truncate, strict) = match inputs.strict.value {
        Value::Absent | Value::Bool(false) => (true, false),
        Value::Bool(true) => (false, true),
        Value::Null => (false, false),
        _ => return Err(Failure::Input(Input::Strict, Problem::NotBoolean)),
    };
    let limits = Limits {
        min_size,
        max_size,
        strict,
    };
    let target = if truncate {
        truncated(cluster, asked, limits)
    } else {
        asked
    };
    let change = match check(cluster, Some(target), limits) {
        Some(text) => Err(text),
        None => Ok(target - current),
    };
    Ok(Resize {
        current,
        percentage,
        asked,
        target,
        change,
    })
}

fn number(inputs: &Inputs<'_>) -> Result<i128, Failure> {
    match optional(inputs.number.value, Input::Number)? {
        Some(number) => Ok(number),
        None => Err(Failure::Input(Input::Number, Problem::Missing)),
    }
}

fn optional(value: Value<'_>, input: Input) -> Result<Option<i128>, Failure> {
    match value {
        Value::Absent | Value::Null => Ok(None),
        Value::Int(number) => Ok(Some(number)),
        _ => Err(Failure::Input(input, Problem::NotInteger)),
    }
}

fn percent(inputs: &Inputs<'_>, current: i128) -> Result<Percentage, Failure> {
    let number = inputs.number.value;
    if number.is_none() {
        return Err(Failure::Input(Input::Number, Problem::Missing));
    }
    let step = optional(inputs.min_step.value, Input::MinStep)?;
    change(number, current, step).ok_or(Failure::Input(Input::Number, Problem::NotNumber))
}

/// `senlin.engine.utils.calculate_desired` for percentages: `(number * current) / 100.0` in
/// double precision; below one node it is rounded away from zero, else towards it. `None` when
/// the number is none, or the change is beyond [`LARGEST`].
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "the rounding is the original's")]
pub fn change(number: Value<'_>, current: i128, step: Option<i128>) -> Option<Percentage> {
    let delta = match number {
        Value::Int(number) => product(number, current) / 100.0,
        Value::Float(number) => number * current as f64 / 100.0,
        _ => return None,
    };
    let rounded = match delta {
        _ if delta == 0.0 => 0.0,
        _ if delta.abs() < 1.0 => 1.0_f64.copysign(delta),
        _ => delta.trunc(),
    };
    if rounded.is_nan() || rounded.abs() > LARGEST as f64 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number within bounds"
    )]
    let rounded = rounded as i128;
    let change = match step {
        Some(step) if step > rounded.abs() && rounded > 0 => step,
        Some(step) if step > rounded.abs() => -step,
        _ => rounded,
    };
    Some(Percentage {
        delta,
        rounded,
        change,
    })
}

/// `senlin.engine.utils.truncate_desired`.
fn truncated(cluster: &Cluster<'_>, target: i128, limits: Limits) -> i128 {
    let target = target.max(limits.min_size.unwrap_or(cluster.min_size));
    match limits.max_size.unwrap_or(cluster.max_size) {
        most if most > 0 => target.min(most),
        _ => target,
    }
}

/// `senlin.engine.utils.check_size_params`: the first check that applies, in
/// upstream's words. Without a target (a request without a type) the two of the API as well.
#[must_use]
pub fn check(cluster: &Cluster<'_>, target: Option<i128>, limits: Limits) -> Option<String> {
    let Limits {
        min_size,
        max_size,
        strict,
    } = limits;
    let most = cluster.max_nodes_per_cluster;
    let fault = target.and_then(|target| against(target, cluster, limits));
    if fault.is_some() {
        return fault;
    }
    if let Some(least) = min_size {
        let highest = max_size.unwrap_or(cluster.max_size);
        if highest >= 0 && least > highest {
            return Some(if max_size.is_some() {
                format!(
                    "The specified min_size ({least}) is greater than the specified max_size \
                     ({highest})."
                )
            } else {
                format!(
                    "The specified min_size ({least}) is greater than the current max_size \
                     ({highest}) of the cluster."
                )
            });
        }
        let desired = cluster.desired_capacity;
        if target.is_none() && strict && least > desired {
            return Some(format!(
                "The specified min_size ({least}) is greater than the current desired_capacity \
                 ({desired}) of the cluster."
            ));
        }
    }
    if let Some(highest) = max_size {
        if highest > most {
            return Some(format!(
                "The specified max_size ({highest}) is greater than the maximum number of nodes \
                 allowed per cluster ({most})."
            ));
        }
        if highest >= 0 && min_size.is_none() && highest < cluster.min_size {
            return Some(format!(
                "The specified max_size ({highest}) is less than the current min_size ({}) of \
                 the cluster.",
                cluster.min_size
            ));
        }
        let desired = cluster.desired_capacity;
        if target.is_none() && strict && highest >= 0 && highest < desired {
            return Some(format!(
                "The specified max_size ({highest}) is less than the current desired_capacity \
                 ({desired}) of the cluster."
            ));
        }
    }
    None
}

/// Whether so many nodes are too many or too few.
fn against(target: i128, cluster: &Cluster<'_>, limits: Limits) -> Option<String> {
    let Limits {
        min_size,
        max_size,
        strict,
    } = limits;
    let whose = |of_request: Option<i128>| match of_request {
        Some(_) => "specified",
        None => "cluster's",
    };
    let most = cluster.max_nodes_per_cluster;
    if target > most {
        return Some(format!(
            "The target capacity ({target}) is greater than the maximum number of nodes \
             allowed per cluster ({most})."
        ));
    }
    let least = min_size.unwrap_or(cluster.min_size);
    if target < least && (min_size.is_some() || strict) {
        let whose = whose(min_size);
        return Some(format!(
            "The target capacity ({target}) is less than the {whose} min_size ({least})."
        ));
    }
    let highest = max_size.unwrap_or(cluster.max_size);
    if highest >= 0 && target > highest && (max_size.is_some() || strict) {
        let whose = whose(max_size);
        return Some(format!(
            "The target capacity ({target}) is greater than the {whose} max_size ({highest})."
        ));
    }
    None
}
