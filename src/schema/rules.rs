//! Codes of structural faults.

use crate::diagnostic::Rule;

/// A value of the wrong type.
pub static TYPE: Rule = Rule::error(
    "planner::schema::type",
    "a value of the wrong type",
    include_str!("rules/type.md"),
);

/// A required field is missing.
pub static REQUIRED: Rule = Rule::error(
    "planner::schema::required",
    "a required field is missing",
    include_str!("rules/required.md"),
);

/// A field that the kind does not have.
pub static UNKNOWN_FIELD: Rule = Rule::error(
    "planner::schema::unknown_field",
    "a field that the kind does not have",
    include_str!("rules/unknown_field.md"),
);

/// A value outside a closed list.
pub static VALUE: Rule = Rule::error(
    "planner::schema::value",
    "a value that is not one of those allowed",
    include_str!("rules/value.md"),
);

/// A text that does not have the form required.
pub static PATTERN: Rule = Rule::error(
    "planner::schema::pattern",
    "a text that does not have the form required",
    include_str!("rules/pattern.md"),
);

/// A number, length or count out of range.
pub static RANGE: Rule = Rule::error(
    "planner::schema::range",
    "a number, a length or a count out of range",
    include_str!("rules/range.md"),
);

/// Fields that exclude or need one another.
pub static COMBINATION: Rule = Rule::error(
    "planner::schema::combination",
    "fields that do not go together",
    include_str!("rules/combination.md"),
);

/// The codes of this module, sorted.
pub static RULES: &[&Rule] = &[
    &COMBINATION,
    &PATTERN,
    &RANGE,
    &REQUIRED,
    &TYPE,
    &UNKNOWN_FIELD,
    &VALUE,
];
