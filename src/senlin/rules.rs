//! The rules of region placement: codes, pages, and the checks over a file's documents.

mod request;
mod site;

pub(super) use site::check;

use crate::diagnostic::{Rule, Severity};

/// A needed key is missing or null.
pub static MISSING_KEY: Rule = Rule {
    code: "planner::senlin::missing_key",
    summary: "a Senlin document lacks a key that it needs",
    severity: Severity::Error,
    docs: include_str!("rules/missing_key.md"),
};

/// Type and version name nothing that exists.
pub static UNKNOWN_TYPE: Rule = Rule {
    code: "planner::senlin::unknown_type",
    summary: "a Senlin document of a type and version that do not exist",
    severity: Severity::Error,
    docs: include_str!("rules/unknown_type.md"),
};

/// A key that the document's type does not have.
pub static UNKNOWN_KEY: Rule = Rule {
    code: "planner::senlin::unknown_key",
    summary: "a key that the type of the Senlin document does not have",
    severity: Severity::Error,
    docs: include_str!("rules/unknown_key.md"),
};

/// A value of the wrong type.
pub static WRONG_TYPE: Rule = Rule {
    code: "planner::senlin::wrong_type",
    summary: "a value of a Senlin document has the wrong type",
    severity: Severity::Error,
    docs: include_str!("rules/wrong_type.md"),
};

/// Two documents of one type in one file.
pub static REPEATED_DOCUMENT: Rule = Rule {
    code: "planner::senlin::repeated_document",
    summary: "two policies, clusters, actions or profiles in one file",
    severity: Severity::Error,
    docs: include_str!("rules/repeated_document.md"),
};

/// A file that lacks what a plan needs.
pub static INCOMPLETE_SET: Rule = Rule {
    code: "planner::senlin::incomplete_set",
    summary: "a file lacks the policy, the cluster or the action that a plan needs",
    severity: Severity::Note,
    docs: include_str!("rules/incomplete_set.md"),
};

/// A region that the identity service does not know.
pub static UNKNOWN_REGION: Rule = Rule {
    code: "planner::senlin::unknown_region",
    summary: "a policy names a region that does not exist",
    severity: Severity::Error,
    docs: include_str!("rules/unknown_region.md"),
};

/// A region listed twice.
pub static DUPLICATE_REGION: Rule = Rule {
    code: "planner::senlin::duplicate_region",
    summary: "a policy lists a region twice",
    severity: Severity::Warning,
    docs: include_str!("rules/duplicate_region.md"),
};

/// A weight below zero.
pub static NEGATIVE_WEIGHT: Rule = Rule {
    code: "planner::senlin::negative_weight",
    summary: "a region has a weight below zero",
    severity: Severity::Warning,
    docs: include_str!("rules/negative_weight.md"),
};

/// Caps that leave no room for the smallest size.
pub static CAPS_BELOW_MIN_SIZE: Rule = Rule {
    code: "planner::senlin::caps_below_min_size",
    summary: "the caps of all regions together are less than the cluster's min_size",
    severity: Severity::Warning,
    docs: include_str!("rules/caps_below_min_size.md"),
};

/// An action that is probably a typo for one that asks the policy.
pub static UNKNOWN_ACTION: Rule = Rule {
    code: "planner::senlin::unknown_action",
    summary: "an action is probably a typo for one that asks the policy",
    severity: Severity::Warning,
    docs: include_str!("rules/unknown_action.md"),
};

/// A request that upstream's API would refuse.
pub static REFUSED_REQUEST: Rule = Rule {
    code: "planner::senlin::refused_request",
    summary: "the API would refuse the inputs of the action before it exists",
    severity: Severity::Warning,
    docs: include_str!("rules/refused_request.md"),
};

/// An action's number that cannot be used.
pub static UNUSABLE_NUMBER: Rule = Rule {
    code: "planner::senlin::unusable_number",
    summary: "a number that the action needs is missing or is none",
    severity: Severity::Error,
    docs: include_str!("rules/unusable_number.md"),
};

/// Weights that add up to zero.
pub static ZERO_WEIGHT_SUM: Rule = Rule {
    code: "planner::senlin::zero_weight_sum",
    summary: "the weights of the usable regions add up to zero",
    severity: Severity::Error,
    docs: include_str!("rules/zero_weight_sum.md"),
};

/// More deletions than nodes.
pub static OVERDRAFT: Rule = Rule {
    code: "planner::senlin::overdraft",
    summary: "a region is asked for more deletions than it has nodes",
    severity: Severity::Warning,
    docs: include_str!("rules/overdraft.md"),
};

/// The codes of this module.
pub static RULES: &[&Rule] = &[
    &CAPS_BELOW_MIN_SIZE,
    &DUPLICATE_REGION,
    &INCOMPLETE_SET,
    &MISSING_KEY,
    &NEGATIVE_WEIGHT,
    &OVERDRAFT,
    &REFUSED_REQUEST,
    &REPEATED_DOCUMENT,
    &UNKNOWN_ACTION,
    &UNKNOWN_KEY,
    &UNKNOWN_REGION,
    &UNKNOWN_TYPE,
    &UNUSABLE_NUMBER,
    &WRONG_TYPE,
    &ZERO_WEIGHT_SUM,
];
