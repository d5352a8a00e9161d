//! The rules of region placement: codes, pages, and the checks over a file's documents.

mod request;
mod site;

pub(super) use site::check;
pub use site::{planned, unplaceable};

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "senlin" {
        CAPS_BELOW_MIN_SIZE Warning "caps_below_min_size"
            "the caps of all regions together are less than the cluster's min_size";
        DUPLICATE_REGION Warning "duplicate_region" "a policy lists a region twice";
        INCOMPLETE_SET Note "incomplete_set"
            "a file lacks the policy, the cluster or the action that a plan needs";
        MISSING_KEY Error "missing_key" "a Senlin document lacks a key that it needs";
        NEGATIVE_WEIGHT Warning "negative_weight" "a region has a weight below zero";
        OVERDRAFT Warning "overdraft" "a region loses more nodes than it has";
        REFUSED_REQUEST Warning "refused_request"
            "inputs of an action that the API would refuse";
        REPEATED_DOCUMENT Error "repeated_document"
            "two policies, clusters, actions or profiles in one file";
        UNKNOWN_ACTION Warning "unknown_action"
            "an action that is probably a typo for one that the policy applies to";
        UNKNOWN_KEY Error "unknown_key" "a key that this type of Senlin document does not have";
        UNKNOWN_REGION Error "unknown_region" "a policy names a region that does not exist";
        UNKNOWN_TYPE Error "unknown_type"
            "a Senlin document with an unknown type or version";
        UNPLACEABLE Warning "unplaceable" "regions without room for what the action requests";
        UNUSABLE_NUMBER Error "unusable_number"
            "a number that the action needs is missing or not a number";
        WRONG_TYPE Error "wrong_type" "a value of a Senlin document has the wrong type";
        ZERO_WEIGHT_SUM Error "zero_weight_sum" "the weights of the usable regions add up to zero";
    }
}

/// A field as messages show it.
fn shown(field: super::model::Field<'_>) -> String {
    use super::model::Value;
    match field.value {
        Value::Absent | Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) | Value::Other(text) => text.lines().next().unwrap_or("").to_owned(),
    }
}
