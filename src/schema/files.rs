//! The schema files, embedded in the program, and the fields that the dispatching one tests.

// The files of `schemas/`, as `build.rs` finds them.
include!(concat!(env!("OUT_DIR"), "/schemas.rs"));

/// Airship documents by `schema`.
pub(super) static BY_SCHEMA: &[(&str, &str)] = &[
    (
        "shipyard/DeploymentStrategy/v1",
        "airship-deploymentstrategy",
    ),
    (
        "shipyard/DeploymentConfiguration/v1",
        "airship-deploymentconfiguration",
    ),
    ("drydock/BaremetalNode/v1", "airship-baremetalnode"),
    ("drydock/HostProfile/v1", "airship-hostprofile"),
    ("drydock/HardwareProfile/v1", "airship-hardwareprofile"),
    ("drydock/Rack/v1", "airship-rack"),
    ("deckhand/LayeringPolicy/v1", "airship-layeringpolicy"),
    ("pegleg/SiteDefinition/v1", "airship-sitedefinition"),
];

/// Senlin documents by `type`.
pub(super) static BY_TYPE: &[(&str, &str)] = &[
    ("senlin.policy.region_placement", "senlin-policy"),
    ("senlin.cluster", "senlin-cluster"),
    ("senlin.action", "senlin-action"),
    ("os.nova.server", "senlin-profile"),
    ("os.heat.stack", "senlin-profile"),
    ("container.dockerinc.docker", "senlin-profile"),
];
