import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyStrategicMergePatch, PatchError, type PatchSchema } from "../../src/api/index.js";
import { patchSchemaOfKind } from "../../src/api/schema/index.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { type ApiRequest, apiRequester } from "./api-request.js";

const labels = { app: "web" };
const podSpec = {
  containers: [
    {
      name: "a",
      image: "a:1",
      command: ["run"],
      env: [
        { name: "X", value: "1" },
        { name: "Y", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "Z", value: "3" },
      ],
      ports: [{ containerPort: 80 }, { containerPort: 53, protocol: "TCP" }, { containerPort: 53, protocol: "UDP" }],
      volumeMounts: [
        { name: "v1", mountPath: "/one" },
        { name: "v2", mountPath: "/two" },
      ],
      resources: { limits: { cpu: "1", memory: "1Gi" } },
    },
    { name: "b", image: "b:1", livenessProbe: { httpGet: { path: "/", port: 80 } } },
    { name: "c", image: "c:1" },
  ],
  volumes: [
    { name: "v1", emptyDir: {} },
    { name: "v2", configMap: { name: "x", items: [{ key: "k", path: "p" }] } },
    { name: "v3", hostPath: { path: "/x" } },
  ],
  tolerations: [{ key: "t", operator: "Exists" }],
  imagePullSecrets: [{ name: "s1" }, { name: "s2" }],
  hostAliases: [{ ip: "1.1.1.1", hostnames: ["one"] }],
  nodeSelector: { disk: "ssd" },
};
const metadata = {
  labels: { ...labels, x: "1" },
  annotations: { note: "n" },
  finalizers: ["example.com/a", "example.com/b", "example.com/c"],
  ownerReferences: [
    { apiVersion: "v1", kind: "ConfigMap", name: "o1", uid: "u1" },
    { apiVersion: "v1", kind: "ConfigMap", name: "o2", uid: "u2" },
  ],
};
const subjects = [
  {
    group: "apps",
    kind: "Deployment",
    path: "/apis/apps/v1/namespaces/default/deployments",
    object: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...metadata, name: "smp" },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
    },
  },
  {
    group: "",
    kind: "Pod",
    path: "/api/v1/namespaces/default/pods",
    object: { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name: "smp" }, spec: podSpec },
  },
  {
    group: "",
    kind: "Service",
    path: "/api/v1/namespaces/default/services",
    object: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...metadata, name: "smp" },
      spec: {
        selector: labels,
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 443, targetPort: "https" },
          { name: "c", port: 53, protocol: "TCP" },
          { name: "d", port: 53, protocol: "UDP" },
        ],
        externalIPs: ["10.1.1.1"],
      },
    },
  },
];

type Tree = fc.Arbitrary<unknown>;

/** Any of the members, each perhaps, and now and then a directive on the object as a whole. */
function partial(members: Record<string, Tree>): Tree {
  const fields = fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Record<string, unknown>>;
  const directive = fc.constantFrom("delete", "replace", "merge", "nonsense");
  return fc.oneof(
    { weight: 14, arbitrary: fields },
    { weight: 1, arbitrary: fc.tuple(fields, directive).map(([object, $patch]) => ({ ...object, $patch })) },
    { weight: 1, arbitrary: fields.map((object) => ({ ...object, $retainKeys: Object.keys(object) })) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

/** The member itself and, now and then, its parallel lists. */
function list(
  name: string,
  mergeKey: string,
  keys: readonly unknown[],
  item: Record<string, Tree>,
): Record<string, Tree> {
  const key = fc.constantFrom(...keys);
  const entry = fc
    .tuple(
      key,
      partial(item),
      fc.option(fc.constantFrom("delete", "delete", "replace", "merge"), { freq: 4 }),
      fc.integer({ max: 20, min: 0 }),
    )
    .map(([value, object, $patch, chance]) => ({
      ...(object as object),
      ...(chance === 0 ? {} : { [mergeKey]: value }),
      ...($patch === null ? {} : { $patch }),
    }));
  const items = fc.uniqueArray(entry, { maxLength: 4, selector: (one) => (one as Record<string, unknown>)[mergeKey] });
  const order = fc
    .shuffledSubarray([...keys], { minLength: 2 })
    .map((chosen) => chosen.map((value) => ({ [mergeKey]: value })));
  return { [name]: fc.oneof({ weight: 8, arbitrary: items }, fc.constant(null)), [`$setElementOrder/${name}`]: order };
}

const text = fc.constantFrom("1", "2", "abc", null);
const meta = partial({
  labels: partial({ x: text, y: text }),
  annotations: partial({ note: text, other: text }),
  finalizers: fc.subarray(["example.com/a", "example.com/b", "example.com/d"]),
  "$deleteFromPrimitiveList/finalizers": fc.subarray(["example.com/c", "example.com/e"]),
  "$setElementOrder/finalizers": fc.shuffledSubarray([
    "example.com/a",
    "example.com/b",
    "example.com/c",
    "example.com/d",
  ]),
  ...list("ownerReferences", "uid", ["u1", "u2", "u3"], {
    apiVersion: fc.constant("v1"),
    kind: fc.constant("Secret"),
    name: fc.constantFrom("p1", "p2"),
  }),
});
const container = {
  image: fc.constantFrom("z:1", "z:2"),
  command: fc.subarray(["go", "now"]),
  ...list("env", "name", ["X", "Y", "Z", "W"], {
    value: text,
    valueFrom: partial({ fieldRef: fc.constantFrom({ fieldPath: "metadata.namespace" }, null) }),
  }),
  ...list("ports", "containerPort", [80, 53, 81], { protocol: fc.constantFrom("UDP", "TCP"), name: fc.constant("p") }),
  ...list("volumeMounts", "mountPath", ["/one", "/two", "/three"], { name: fc.constantFrom("v1", "v2") }),
  resources: partial({ limits: partial({ cpu: fc.constantFrom("2", null), memory: fc.constantFrom("2Gi", null) }) }),
  livenessProbe: partial({ httpGet: partial({ path: fc.constant("/x"), port: fc.constant(81) }) }),
};
const pod = partial({
  ...list("containers", "name", ["a", "b", "c", "d"], container),
  ...list("volumes", "name", ["v1", "v2", "v3", "v4"], {
    emptyDir: partial({ medium: fc.constant("Memory") }),
    configMap: partial({ name: fc.constant("y"), items: fc.constantFrom([], [{ key: "q", path: "r" }]) }),
    hostPath: fc.constantFrom({ path: "/y" }, null),
  }),
  ...list("imagePullSecrets", "name", ["s1", "s2", "s3"], {}),
  ...list("hostAliases", "ip", ["1.1.1.1", "2.2.2.2"], { hostnames: fc.subarray(["one", "two"]) }),
  tolerations: fc.constantFrom([], [{ key: "t2", operator: "Exists" }], null),
  nodeSelector: partial({ disk: text, zone: text }),
});
const patches: Record<string, Tree> = {
  Deployment: partial({
    metadata: meta,
    spec: partial({
      replicas: fc.constantFrom(0, 3, null),
      strategy: partial({
        type: fc.constantFrom("Recreate", "RollingUpdate"),
        rollingUpdate: fc.constantFrom(null, { maxSurge: 1 }),
      }),
      template: partial({ spec: pod }),
    }),
  }),
  Pod: partial({
    metadata: meta,
    spec: partial({
      ...list("containers", "name", ["a", "b", "c"], { image: fc.constantFrom("y:1") }),
      ...list("volumes", "name", ["v1", "v2", "v3"], {}),
    }),
  }),
  Service: partial({
    metadata: meta,
    spec: partial({
      ...list("ports", "port", [80, 443, 53, 8080], {
        name: fc.constantFrom("n1", "a", "b"),
        protocol: fc.constantFrom("TCP", "UDP"),
      }),
      selector: partial({ app: text, tier: text }),
      externalIPs: fc.constantFrom([], ["10.1.1.2"], null),
      "$deleteFromPrimitiveList/externalIPs": fc.constantFrom([], ["10.1.1.1"]),
    }),
  }),
};

describe.skipIf(!hasRealCluster())(
  "strategic merge, beside a real kube-apiserver (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    let request: ApiRequest & Disposable;
    beforeAll(async () => {
      request = apiRequester(await realCluster());
    });
    afterAll(() => request[Symbol.dispose]());

    for (const { group, kind, path, object } of subjects) {
      test(`${kind}: our merge, written by an update, gives what the server's own merge gives (property)`, async () => {
        const created = await request("POST", path, object);
        expect(created.status, JSON.stringify(created.body)).toBe(201);
        const live = created.body;
        const schema = patchSchemaOfKind({ group, version: "v1", kind }) as PatchSchema;
        const one = `${path}/smp?dryRun=All&fieldValidation=Ignore&fieldManager=test`;
        let [merged, refused] = [0, 0];
        await fc.assert(
          fc.asyncProperty(patches[kind] as Tree, async (patch) => {
            const theirs = await request("PATCH", one, patch, {
              contentType: "application/strategic-merge-patch+json",
            });
            const ours = attempt(() => applyStrategicMergePatch(live, patch, schema));
            if (ours instanceof PatchError) {
              expect([400, 422, 500], ours.message).toContain(theirs.status);
              refused++;
              return;
            }
            const written = await request("PUT", one, ours);
            expect(outcome(written), theirs.body.message).toEqual(outcome(theirs));
            if (theirs.status === 200) merged++;
          }),
          { numRuns: process.env["COXSWAIN_FULL"] === "1" ? 1_500 : 250 },
        );
        expect(merged).toBeGreaterThan(20);
        expect(refused).toBeGreaterThan(5);
      });
    }
  },
);

function attempt(merge: () => unknown): unknown {
  try {
    return merge();
  } catch (error) {
    expect(error).toBeInstanceOf(PatchError);
    return error;
  }
}

/** The object without its managedFields; or only the refusal. */
function outcome({ status, body }: { readonly status: number; readonly body: Record<string, unknown> }): unknown {
  if (status !== 200) return "refused";
  const { managedFields: _, resourceVersion: __, ...meta } = body["metadata"] as Record<string, unknown>;
  return { ...body, metadata: meta };
}
