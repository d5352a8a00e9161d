//! The schema files, embedded in the program: stem and text, by stem.

/// Every file of `schemas/` but the dispatching one, which is made from the table of kinds.
pub static FILES: &[(&str, &str)] = &[
    (
        "ogc-application",
        include_str!("../../schemas/ogc-application.schema.json"),
    ),
    (
        "ogc-cluster",
        include_str!("../../schemas/ogc-cluster.schema.json"),
    ),
    (
        "ogc-deployment",
        include_str!("../../schemas/ogc-deployment.schema.json"),
    ),
    (
        "ogc-node",
        include_str!("../../schemas/ogc-node.schema.json"),
    ),
    (
        "ogc-package",
        include_str!("../../schemas/ogc-package.schema.json"),
    ),
    (
        "ogc-project",
        include_str!("../../schemas/ogc-project.schema.json"),
    ),
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
