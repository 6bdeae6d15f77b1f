/** Patches of each type. For the stall guard. */
import {
  type Case,
  configMap,
  deployment,
  deployments,
  fields,
  many,
  maps,
  patch,
  post,
  type Sent,
} from "../requests.js";

const jsonPatch = "json-patch+json";
const stored = (more: object = {}): readonly Sent[] => [post(maps, configMap(more))];

const services = "/api/v1/namespaces/default/services";
const address = (i: number): string => `20.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
const external = (externalIPs: readonly string[]): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "stall" },
  spec: { ports: [{ port: 1 }], externalIPs },
});

const pods = "/api/v1/namespaces/default/pods";
const toleration = (i: number): object => ({ key: `k${i}`, operator: "Exists" });
const tolerant = (tolerations: readonly object[], more: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "stall" },
  spec: { containers: [{ name: "c", image: "i" }], tolerations, terminationGracePeriodSeconds: 1, ...more },
});

export const patches: readonly Case[] = [
  {
    name: "JSON patch with unknown members",
    before: () => stored(),
    request: (n) => patch(`${maps}/stall`, jsonPatch, [{ op: "add", path: "/data", value: {}, ...fields(n, String) }]),
  },
  {
    name: "JSON patch that copies and adds in turn",
    before: (n) => stored({ data: fields(n, String) }),
    request: (n) =>
      patch(
        `${maps}/stall`,
        jsonPatch,
        many(n, (i) =>
          i % 2 === 0
            ? { op: "copy", from: "/data/k0", path: "/data/c" }
            : { op: "add", path: `/data/a${i}`, value: "" },
        ),
      ),
  },
  {
    name: "JSON patch that moves",
    before: (n) => stored({ data: fields(n, String) }),
    request: (n) =>
      patch(
        `${maps}/stall`,
        jsonPatch,
        many(n, (i) => ({ op: "move", from: `/data/k${i}`, path: `/data/m${i}` })),
      ),
  },
  {
    name: "JSON patch that tests",
    before: (n) => stored({ data: fields(n, String) }),
    request: (n) =>
      patch(
        `${maps}/stall`,
        jsonPatch,
        many(n, (i) => ({ op: "test", path: `/data/k${i}`, value: String(i) })),
      ),
  },
  {
    name: "JSON patch that removes",
    before: (n) => stored({ data: fields(n, String) }),
    request: (n) =>
      patch(
        `${maps}/stall`,
        jsonPatch,
        many(n, (i) => ({ op: "remove", path: `/data/k${i}` })),
      ),
  },
  {
    name: "merge patch",
    before: (n) => stored({ data: fields(n, String) }),
    request: (n) =>
      patch(`${maps}/stall`, "merge-patch+json", { data: fields(n, (i) => (i % 2 === 0 ? null : "new")) }),
  },
  {
    name: "strategic merge of a list",
    before: (n) => [post(deployments, deployment({ env: many(n, (i) => ({ name: `K${i}`, value: "v" })) }))],
    request: (n) =>
      patch(
        `${deployments}/stall`,
        "strategic-merge-patch+json",
        deployment({ env: many(n, (i) => ({ name: `K${n - i}`, value: "w" })) }),
      ),
  },
  {
    name: "strategic merge that deletes from a list",
    before: (n) => [post(deployments, deployment({ env: many(n, (i) => ({ name: `K${i}`, value: "v" })) }))],
    request: (n) =>
      patch(
        `${deployments}/stall`,
        "strategic-merge-patch+json",
        deployment({ env: many(n, (i) => ({ name: `K${i}`, $patch: "delete" })) }),
      ),
  },
  {
    name: "strategic merge with an order",
    before: (n) => [post(deployments, deployment({ env: many(n, (i) => ({ name: `K${i}`, value: "v" })) }))],
    request: (n) =>
      patch(
        `${deployments}/stall`,
        "strategic-merge-patch+json",
        deployment({ "$setElementOrder/env": many(n, (i) => ({ name: `K${n - 1 - i}` })) }),
      ),
  },
  {
    name: "strategic merge of one key again and again",
    size: 1_000,
    atMost: 20_000_000,
    before: (n) => [post(deployments, deployment({ env: many(n, (i) => ({ name: `K${i}`, value: "v" })) }))],
    request: (n) => {
      const containers = many(n, () => ({ name: "c", env: [{ name: "K1", value: "w" }] }));
      return patch(`${deployments}/stall`, "strategic-merge-patch+json", {
        spec: { template: { spec: { containers } } },
      });
    },
  },
  {
    name: "strategic merge of finalizers",
    before: (n) => stored({ metadata: { name: "stall", finalizers: many(n, (i) => `a/b${i}`) } }),
    request: (n) =>
      patch(`${maps}/stall`, "strategic-merge-patch+json", { metadata: { finalizers: many(n, (i) => `a/c${i}`) } }),
  },
  {
    name: "strategic merge that deletes finalizers",
    before: (n) => stored({ metadata: { name: "stall", finalizers: many(n, (i) => `a/b${i}`) } }),
    request: (n) =>
      patch(`${maps}/stall`, "strategic-merge-patch+json", {
        metadata: { "$deleteFromPrimitiveList/finalizers": many(n, (i) => `a/b${i}`) },
      }),
  },
  {
    name: "addresses of a service in another order",
    before: (n) => [post(services, external(many(n, address)))],
    request: (n) => ({ ...post(`${services}/stall`, external(many(n, address).toReversed())), method: "PUT" }),
  },
  {
    name: "tolerations of a pod in another order",
    before: (n) => [post(pods, tolerant(many(n, toleration)))],
    request: (n) => ({ ...post(`${pods}/stall`, tolerant(many(n, toleration).toReversed())), method: "PUT" }),
  },
  {
    name: "tolerations of a pod whose runtime class has one, too",
    before: () => [
      post("/apis/node.k8s.io/v1/runtimeclasses", {
        apiVersion: "node.k8s.io/v1",
        kind: "RuntimeClass",
        metadata: { name: "stall" },
        handler: "h",
        scheduling: { tolerations: [{ key: "of-the-class", operator: "Exists" }] },
      }),
    ],
    request: (n) => post(pods, tolerant(many(n, toleration), { runtimeClassName: "stall" })),
  },
  {
    name: "apply of many keys",
    request: (n) => patch(`${maps}/stall?fieldManager=m`, "apply-patch+yaml", configMap({ data: fields(n, String) })),
  },
  {
    name: "apply again with other keys",
    before: (n) => [patch(`${maps}/stall?fieldManager=m`, "apply-patch+yaml", configMap({ data: fields(n, String) }))],
    request: (n) => patch(`${maps}/stall?fieldManager=m`, "apply-patch+yaml", configMap({ data: { x: String(n) } })),
  },
  {
    name: "apply of what others own",
    before: (n) => [patch(`${maps}/stall?fieldManager=m`, "apply-patch+yaml", configMap({ data: fields(n, String) }))],
    request: (n) =>
      patch(`${maps}/stall?fieldManager=other`, "apply-patch+yaml", configMap({ data: fields(n, () => "new") })),
  },
  {
    name: "apply of a list",
    before: (n) => [
      patch(
        `${deployments}/stall?fieldManager=m`,
        "apply-patch+yaml",
        deployment({ env: many(n, (i) => ({ name: `K${i}`, value: "v" })) }),
      ),
    ],
    request: (n) =>
      patch(
        `${deployments}/stall?fieldManager=m`,
        "apply-patch+yaml",
        deployment({ env: many(n, (i) => ({ name: `K${n - i}`, value: "w" })) }),
      ),
  },
  {
    name: "apply of a set",
    before: (n) => [
      patch(
        `${maps}/stall?fieldManager=m`,
        "apply-patch+yaml",
        configMap({ metadata: { name: "stall", finalizers: many(n, (i) => `a/b${i}`) } }),
      ),
    ],
    request: (n) =>
      patch(
        `${maps}/stall?fieldManager=m`,
        "apply-patch+yaml",
        configMap({ metadata: { name: "stall", finalizers: many(n, (i) => `a/c${i}`) } }),
      ),
  },
];
