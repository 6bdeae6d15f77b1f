import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askReal, realAnswer } from "../../../test/real-answer.js";
import { apiVersionOf, type KubeObject } from "../../api/index.js";
import { type Envtest, envtestAssets, startEnvtest } from "../../testing/envtest.js";
import { hasRealCluster } from "../../testing/shared-envtest.js";
import { builtInGroups } from "../discovery/index.js";
import type { ServedResource } from "../contracts/served.js";
import { customTable, rendererOf } from "./index.js";

const hour = 3_600_000;

describe.skipIf(!hasRealCluster())("against a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

  interface Table {
    readonly columnDefinitions: readonly { readonly description: string }[];
    readonly rows: null | readonly { readonly cells: readonly unknown[]; readonly object: KubeObject }[];
  }

  const withoutProse = (columns: readonly { readonly description: string }[]): unknown =>
    columns.map((column) => ({ ...column, description: "" }));

  /** Ages differ by the moment at which they were asked for. */
  const ageless = (cells: readonly unknown[]): unknown =>
    cells.map((cell) =>
      typeof cell === "string"
        ? cell.replace(/^(?:\d+[smhdy])+$/, "age").replace(/ \((?:\d+[smhdy])+ ago\)$/, " (age ago)")
        : cell,
    );

  const create = async (path: string, object: object): Promise<void> => {
    const headers = { "content-type": "application/json" };
    const { status, bytes } = await askReal({ method: "POST", path, headers, body: JSON.stringify(object) }, cluster);
    if (status !== 201 && status !== 409) throw new Error(bytes.toString());
  };

  async function compare(path: string, renderer: ReturnType<typeof rendererOf>): Promise<number> {
    const real = (await realAnswer(`${path}?includeObject=Object`, asTable, cluster)) as Table;
    expect(withoutProse(renderer.columns)).toEqual(withoutProse(real.columnDefinitions));
    for (const { cells, object } of real.rows ?? []) {
      // values that the older version keeps in an annotation come in another order than they were stored in
      if (object.metadata.annotations?.["autoscaling.alpha.kubernetes.io/metrics"] !== undefined) continue;
      // an hour later, so that nothing about the object lies in the future
      const ours = renderer.cells(object, Date.parse(object.metadata.creationTimestamp ?? "") + hour);
      expect(ageless(ours), JSON.stringify(object)).toEqual(ageless(cells));
    }
    return real.rows?.length ?? 0;
  }

  const pathOf = ({ group, version, plural }: ServedResource): string =>
    `/${group === "" ? "api" : "apis"}/${apiVersionOf({ group, version })}/${plural}`;

  // a cluster of its own: default classes change the objects that other tests create
  let cluster: Envtest;
  afterAll(() => cluster[Symbol.asyncDispose]());
  beforeAll(async () => {
    cluster = await startEnvtest({ assets: envtestAssets() as string });
    await create("/api/v1/namespaces", { metadata: { name: "tables" } });
    for (const [path, object] of specimens) await create(path, object);
  });

  const listed = builtInGroups()
    .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    .filter(({ verbs }) => verbs.includes("list"));

  test.each(listed)("$group/$version $kind has the same columns and cells", async (resource) => {
    // componentstatuses ask processes that are not there
    if (resource.kind === "ComponentStatus") return;
    await compare(pathOf(resource), rendererOf(resource));
  });

  test("printer columns of custom kinds give the same cells", async () => {
    const columns = [
      { name: "Text", type: "string", jsonPath: ".spec.text" },
      { name: "Number", type: "integer", jsonPath: ".spec.number" },
      { name: "Real", type: "number", jsonPath: ".spec.number" },
      { name: "Flag", type: "boolean", jsonPath: ".spec.flag", priority: 1 },
      { name: "Object", type: "string", jsonPath: ".spec" },
      { name: "NumberText", type: "string", jsonPath: ".spec.number" },
      { name: "Ready", type: "string", jsonPath: '.spec.list[?(@.type=="Ready")].status' },
      { name: "When", type: "date", jsonPath: ".spec.text" },
      { name: "Wrong", type: "integer", jsonPath: ".spec.text" },
      { name: "Born", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ];
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "shows.tables.example" },
      spec: {
        group: "tables.example",
        scope: "Namespaced",
        names: { plural: "shows", kind: "Show" },
        versions: [{ name: "v1", served: true, storage: true, schema, additionalPrinterColumns: columns }],
      },
    });
    const path = "/apis/tables.example/v1/namespaces/tables/shows";
    await expect.poll(async () => (await askReal({ path }, cluster)).status, { timeout: 60_000 }).toBe(200);
    const spec = { text: "t", number: 5, flag: true, list: [{ type: "Ready", status: "True" }] };
    await create(path, { apiVersion: "tables.example/v1", kind: "Show", metadata: { name: "a" }, spec });
    await create(path, { apiVersion: "tables.example/v1", kind: "Show", metadata: { name: "b" } });
    await expect.poll(() => compare(path, customTable(columns)), { timeout: 60_000 }).toBe(2);
  });
});

const template = {
  metadata: { labels: { a: "b" } },
  spec: {
    containers: [
      { name: "c", image: "i" },
      { name: "d", image: "j" },
    ],
  },
};

const selector = { matchLabels: { a: "b" }, matchExpressions: [{ key: "k", operator: "DoesNotExist" }] };

const core = "/api/v1/namespaces/tables";

const apps = "/apis/apps/v1/namespaces/tables";

const x = { name: "x" };

const specimens: readonly (readonly [string, object])[] = [
  [`${core}/pods`, { metadata: x, spec: { ...template.spec, readinessGates: [{ conditionType: "g" }] } }],
  [`${core}/configmaps`, { metadata: x, data: { a: "b" }, binaryData: { c: "AA==" } }],
  [`${core}/secrets`, { metadata: x, data: { a: "AA==" } }],
  [
    `${core}/services`,
    { metadata: x, spec: { selector: { a: "b" }, ports: [{ port: 80 }], externalIPs: ["1.2.3.4"] } },
  ],
  [`${core}/services`, { metadata: { name: "np" }, spec: { type: "NodePort", ports: [{ port: 80 }] } }],
  [`${core}/services`, { metadata: { name: "lb" }, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } }],
  [`${core}/services`, { metadata: { name: "en" }, spec: { type: "ExternalName", externalName: "a.example" } }],
  [`${core}/services`, { metadata: { name: "hl" }, spec: { clusterIP: "None" } }],
  [
    `${core}/endpoints`,
    {
      metadata: x,
      subsets: [
        {
          addresses: [{ ip: "1.1.1.1" }, { ip: "1.1.1.2" }],
          ports: [
            { port: 1, name: "a" },
            { port: 2, name: "b" },
          ],
        },
      ],
    },
  ],
  [
    "/apis/discovery.k8s.io/v1/namespaces/tables/endpointslices",
    { metadata: x, addressType: "IPv4", ports: [{ port: 80, name: "a" }], endpoints: [{ addresses: ["1.1.1.1"] }] },
  ],
  [
    `${core}/events`,
    {
      metadata: x,
      involvedObject: { kind: "Pod", name: "x", namespace: "tables", fieldPath: "spec" },
      reason: "R",
      message: " m ",
      type: "Normal",
      source: { component: "c", host: "h" },
      count: 3,
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
    },
  ],
  [
    "/apis/events.k8s.io/v1/namespaces/tables/events",
    {
      metadata: { name: "y" },
      regarding: { kind: "Pod", name: "x", namespace: "tables" },
      reason: "R",
      note: "n",
      type: "Normal",
      action: "A",
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "c.example/x",
      reportingInstance: "i",
      series: { count: 2, lastObservedTime: "2026-01-01T00:00:00.000000Z" },
    },
  ],
  [
    `${core}/persistentvolumeclaims`,
    { metadata: x, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  ],
  [
    "/api/v1/persistentvolumes",
    {
      metadata: { name: "tables" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteMany", "ReadWriteOnce"],
        hostPath: { path: "/x" },
        claimRef: { namespace: "n", name: "c" },
      },
    },
  ],
  [
    "/api/v1/nodes",
    {
      metadata: { name: "tables", labels: { "node-role.kubernetes.io/b": "", "kubernetes.io/role": "a" } },
      spec: { unschedulable: true },
    },
  ],
  [`${core}/resourcequotas`, { metadata: x, spec: { hard: { pods: "5", "limits.cpu": "1" } } }],
  [`${core}/podtemplates`, { metadata: x, template }],
  [`${core}/replicationcontrollers`, { metadata: x, spec: { replicas: 2, selector: { a: "b" }, template } }],
  [`${apps}/deployments`, { metadata: x, spec: { replicas: 2, selector, template } }],
  [`${apps}/replicasets`, { metadata: x, spec: { replicas: 2, selector, template } }],
  [`${apps}/statefulsets`, { metadata: x, spec: { replicas: 2, selector, template, serviceName: "s" } }],
  [`${apps}/daemonsets`, { metadata: x, spec: { selector, template } }],
  [
    `${apps}/controllerrevisions`,
    {
      metadata: {
        name: "x",
        ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "s", uid: "u", controller: true }],
      },
      revision: 3,
      data: { a: 1 },
    },
  ],
  [
    "/apis/batch/v1/namespaces/tables/jobs",
    { metadata: x, spec: { parallelism: 3, template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
  ],
  [
    "/apis/batch/v1/namespaces/tables/cronjobs",
    {
      metadata: x,
      spec: {
        schedule: "* * * * *",
        timeZone: "Etc/UTC",
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    },
  ],
  [
    "/apis/autoscaling/v2/namespaces/tables/horizontalpodautoscalers",
    {
      metadata: x,
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { kind: "Deployment", name: "x", apiVersion: "apps/v1" },
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
          { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
          { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } } },
        ],
      },
    },
  ],
  [
    "/apis/autoscaling/v2/namespaces/tables/horizontalpodautoscalers",
    {
      metadata: { name: "y" },
      spec: {
        maxReplicas: 3,
        minReplicas: 2,
        scaleTargetRef: { kind: "Deployment", name: "x", apiVersion: "apps/v1" },
      },
    },
  ],
  ["/apis/policy/v1/namespaces/tables/poddisruptionbudgets", { metadata: x, spec: { minAvailable: "50%", selector } }],
  [
    "/apis/networking.k8s.io/v1/namespaces/tables/ingresses",
    {
      metadata: x,
      spec: {
        ingressClassName: "c",
        tls: [{ hosts: ["a.example"] }],
        rules: ["a", "b", "c", "d"].map((host) => ({ host: `${host}.example` })),
      },
    },
  ],
  [
    "/apis/networking.k8s.io/v1/ingressclasses",
    {
      metadata: { name: "tables", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
      spec: {
        controller: "a.example/b",
        parameters: { apiGroup: "g.example", kind: "K", name: "n", scope: "Cluster" },
      },
    },
  ],
  ["/apis/networking.k8s.io/v1/namespaces/tables/networkpolicies", { metadata: x, spec: { podSelector: selector } }],
  ["/apis/coordination.k8s.io/v1/namespaces/tables/leases", { metadata: x, spec: { holderIdentity: "h" } }],
  [
    "/apis/storage.k8s.io/v1/storageclasses",
    {
      metadata: { name: "tables", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "p.example/p",
    },
  ],
  ["/apis/storage.k8s.io/v1/csidrivers", { metadata: { name: "tables.example" }, spec: {} }],
  [
    "/apis/storage.k8s.io/v1/csinodes",
    { metadata: { name: "tables" }, spec: { drivers: [{ name: "d", nodeID: "n" }] } },
  ],
  [
    "/apis/storage.k8s.io/v1/volumeattachments",
    { metadata: { name: "tables" }, spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "p" } } },
  ],
  [
    "/apis/rbac.authorization.k8s.io/v1/namespaces/tables/rolebindings",
    {
      metadata: x,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [
        { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
      ],
    },
  ],
  ["/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name: "tables" }, handler: "h" }],
  [
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    {
      metadata: { name: "tables.example" },
      spec: {
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        validations: [{ expression: "true" }],
        matchConstraints: {
          resourceRules: [{ apiGroups: ["x"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["x"] }],
        },
      },
    },
  ],
  [
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
    {
      metadata: { name: "tables.example" },
      spec: {
        policyName: "tables.example",
        validationActions: ["Warn"],
        paramRef: { name: "p", parameterNotFoundAction: "Allow" },
      },
    },
  ],
];
