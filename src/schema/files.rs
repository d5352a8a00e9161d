//! The schema files, embedded in the program: stem and text, by stem.

/// Every file of `schemas/` but the dispatching one, which is made from the table of kinds.
pub static FILES: &[(&str, &str)] = &[
    (
        "airship-baremetalnode",
        include_str!("../../schemas/airship-baremetalnode.schema.json"),
    ),
    (
        "airship-deploymentconfiguration",
        include_str!("../../schemas/airship-deploymentconfiguration.schema.json"),
    ),
    (
        "airship-deploymentstrategy",
        include_str!("../../schemas/airship-deploymentstrategy.schema.json"),
    ),
    (
        "airship-envelope",
        include_str!("../../schemas/airship-envelope.schema.json"),
    ),
    (
        "airship-hardwareprofile",
        include_str!("../../schemas/airship-hardwareprofile.schema.json"),
    ),
    (
        "airship-hostprofile",
        include_str!("../../schemas/airship-hostprofile.schema.json"),
    ),
    (
        "airship-layeringpolicy",
        include_str!("../../schemas/airship-layeringpolicy.schema.json"),
    ),
    (
        "airship-rack",
        include_str!("../../schemas/airship-rack.schema.json"),
    ),
    (
        "airship-sitedefinition",
        include_str!("../../schemas/airship-sitedefinition.schema.json"),
    ),
    ("config", include_str!("../../schemas/config.schema.json")),
    (
        "hybrid-advisoranswers",
        include_str!("../../schemas/hybrid-advisoranswers.schema.json"),
    ),
    (
        "hybrid-deployer",
        include_str!("../../schemas/hybrid-deployer.schema.json"),
    ),
    (
        "hybrid-placementrule",
        include_str!("../../schemas/hybrid-placementrule.schema.json"),
    ),
    (
        "ocm-addondeploymentconfig",
        include_str!("../../schemas/ocm-addondeploymentconfig.schema.json"),
    ),
    (
        "ocm-addonplacementscore",
        include_str!("../../schemas/ocm-addonplacementscore.schema.json"),
    ),
    (
        "ocm-addontemplate",
        include_str!("../../schemas/ocm-addontemplate.schema.json"),
    ),
    (
        "ocm-applicationset",
        include_str!("../../schemas/ocm-applicationset.schema.json"),
    ),
    (
        "ocm-channel",
        include_str!("../../schemas/ocm-channel.schema.json"),
    ),
    (
        "ocm-clustermanagementaddon",
        include_str!("../../schemas/ocm-clustermanagementaddon.schema.json"),
    ),
    (
        "ocm-drplacementcontrol",
        include_str!("../../schemas/ocm-drplacementcontrol.schema.json"),
    ),
    (
        "ocm-drpolicy",
        include_str!("../../schemas/ocm-drpolicy.schema.json"),
    ),
    (
        "ocm-gitopscluster",
        include_str!("../../schemas/ocm-gitopscluster.schema.json"),
    ),
    (
        "ocm-managedcluster",
        include_str!("../../schemas/ocm-managedcluster.schema.json"),
    ),
    (
        "ocm-managedclusteraddon",
        include_str!("../../schemas/ocm-managedclusteraddon.schema.json"),
    ),
    (
        "ocm-managedclusterset",
        include_str!("../../schemas/ocm-managedclusterset.schema.json"),
    ),
    (
        "ocm-managedclustersetbinding",
        include_str!("../../schemas/ocm-managedclustersetbinding.schema.json"),
    ),
    (
        "ocm-manifestwork",
        include_str!("../../schemas/ocm-manifestwork.schema.json"),
    ),
    (
        "ocm-manifestworkreplicaset",
        include_str!("../../schemas/ocm-manifestworkreplicaset.schema.json"),
    ),
    (
        "ocm-placement",
        include_str!("../../schemas/ocm-placement.schema.json"),
    ),
    (
        "ocm-placementbinding",
        include_str!("../../schemas/ocm-placementbinding.schema.json"),
    ),
    (
        "ocm-placementdecision",
        include_str!("../../schemas/ocm-placementdecision.schema.json"),
    ),
    (
        "ocm-placementrule",
        include_str!("../../schemas/ocm-placementrule.schema.json"),
    ),
    (
        "ocm-policy",
        include_str!("../../schemas/ocm-policy.schema.json"),
    ),
    (
        "ocm-policygenerator",
        include_str!("../../schemas/ocm-policygenerator.schema.json"),
    ),
    (
        "ocm-policyset",
        include_str!("../../schemas/ocm-policyset.schema.json"),
    ),
    (
        "ocm-rolloutstep",
        include_str!("../../schemas/ocm-rolloutstep.schema.json"),
    ),
    (
        "ocm-sigplacementdecision",
        include_str!("../../schemas/ocm-sigplacementdecision.schema.json"),
    ),
    (
        "ocm-subscription",
        include_str!("../../schemas/ocm-subscription.schema.json"),
    ),
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
        "plantest",
        include_str!("../../schemas/plantest.schema.json"),
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

/// The answers of commands as JSON, by stem: no documents are held against these.
pub static OUTPUTS: &[(&str, &str)] = &[
    (
        "output/diff",
        include_str!("../../schemas/output/diff.schema.json"),
    ),
    (
        "output/plan",
        include_str!("../../schemas/output/plan.schema.json"),
    ),
    (
        "output/risk",
        include_str!("../../schemas/output/risk.schema.json"),
    ),
    (
        "output/simulate",
        include_str!("../../schemas/output/simulate.schema.json"),
    ),
    (
        "output/test",
        include_str!("../../schemas/output/test.schema.json"),
    ),
    (
        "output/validate",
        include_str!("../../schemas/output/validate.schema.json"),
    ),
    (
        "output/why",
        include_str!("../../schemas/output/why.schema.json"),
    ),
];

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
