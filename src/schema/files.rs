//! The schema files, embedded in the program: stem and text, by stem.

/// Every file of `schemas/` but the dispatching one, which is made from the table of kinds.
pub static FILES: &[(&str, &str)] = &[
    (
        "senlin-action",
        include_str!("../../schemas/senlin-action.schema.json"),
    ),
    (
        "senlin-cluster",
        include_str!("../../schemas/senlin-cluster.schema.json"),
    ),
    (
        "senlin-policy",
        include_str!("../../schemas/senlin-policy.schema.json"),
    ),
    (
        "senlin-profile",
        include_str!("../../schemas/senlin-profile.schema.json"),
    ),
];
