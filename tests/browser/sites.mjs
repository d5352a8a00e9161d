// Sites for the browser: of several sizes, and with names that a page must not obey.
import { mkdirSync, writeFileSync } from "node:fs";

const directory = process.argv[2];
mkdirSync(directory, { recursive: true });

const write = (name, documents) =>
  writeFileSync(`${directory}/${name}.yaml`, documents.map((one) => JSON.stringify(one)).join("\n---\n") + "\n");

const own = (kind, name, rest) => ({ apiVersion: "planner/v1", kind, metadata: { name }, ...rest });

const cluster = (name, cost, labels = {}) => ({
  ...own("Cluster", name, {
    spec: {
      projects: ["shop"],
      nodes: [{ name: "n1", allocatable: { cpu: "64", memory: "256Gi" } }],
    },
    status: { phase: "Up" },
  }),
  metadata: { name, creationTimestamp: "2024-01-01T00:00:00Z", labels: { cost: String(cost), ...labels } },
});

const rows = (number) => {
  const documents = [own("Project", "shop", {}), own("Package", "store", {
    spec: { project: "shop", rules: [{ key: "cost", operator: "MinOf" }] },
  })];
  const regions = ["north", "west", "south"];
  for (let at = 0; at < 9; at += 1) {
    documents.push(cluster(`cluster-${at}`, 5 + at, { region: regions[at % 3] }));
  }
  for (let at = 0; at < number; at += 1) {
    const rules = at % 3 === 0 ? [{ key: "region", operator: "Equals", values: [regions[at % 7 % 3]] }] : [];
    documents.push(own("Application", `application-${at}`, {
      spec: { package: "store", rules, containers: [{ name: "main", image: "example.com/main:1", requests: { cpu: at % 10 === 9 ? "100" : "100m" } }] },
    }));
  }
  return documents;
};
for (const number of [3, 300, 3000, 30000]) {
  write(`rows-${number}`, rows(number));
}

const hostile = [
  "<script>alert(1)</script>",
  "\" onmouseover=\"alert(1)",
  "</title></style></script><img src=x onerror=alert(1)>",
  "]]><!-- <![CDATA[",
  "a\u202eb\u2066c \u001b[31m",
  "x".repeat(65536),
];
write("nothing", [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } }]);

const airship = (names) => {
  const document = (schema, name, data) => ({
    schema,
    metadata: {
      schema: "metadata/Document/v1",
      name,
      layeringDefinition: { abstract: false, layer: "site" },
      storagePolicy: "cleartext",
    },
    data,
  });
  const groups = [];
  for (let at = 0; at < names.length; at += 1) {
    const needs = at === 0 ? [] : [names[Math.floor(at / 4)]];
    if (at > 20 && at % 5 === 0) {
      needs.push(names[at % 19]);
    }
    groups.push({ name: names[at], critical: at % 7 === 0, depends_on: [...new Set(needs)], selectors: [{ node_names: [`node-${at % 3}`] }] });
  }
  const nodes = [0, 1, 2].map((at) => document("drydock/BaremetalNode/v1", `node-${at}`, {
    hardware_profile: "any",
    addressing: [{ network: "pxe", address: `10.0.0.${at}` }],
    metadata: { rack: "rack-1" },
  }));
  return [
    document("shipyard/DeploymentConfiguration/v1", "deployment-configuration", {
      physical_provisioner: { deployment_strategy: "strategy" },
      armada: { manifest: "full" },
    }),
    document("shipyard/DeploymentStrategy/v1", "strategy", { groups }),
    document("drydock/HardwareProfile/v1", "any", {}),
    ...nodes,
  ];
};
for (const number of [60, 2000]) {
  write(`groups-${number}`, airship(Array.from({ length: number }, (_, at) => `group-${at}`)));
}

// Groups may be called anything.
write("hostile", airship(hostile));
write("tame", airship(hostile.map((_, at) => `group-${at}`)));
