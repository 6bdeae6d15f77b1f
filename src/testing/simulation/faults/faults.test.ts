import { describe, expect, test } from "vitest";
import type { KubeObject, ManagedFieldsEntry } from "../../../api/index.js";
import type { Controls, Place, Somebody } from "../fault.js";
import type { PlannedFault } from "../plan.js";
import { allFaults } from "./index.js";

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Foo" },
    versions: [
      {
        name: "v1",
        schema: { openAPIV3Schema: { properties: { spec: { properties: { on: { type: "boolean" } } } } } },
      },
    ],
  },
  status: { conditions: [{ type: "Established", status: "True" }] },
};
const foo = {
  apiVersion: "example.com/v1",
  kind: "Foo",
  metadata: { name: "a", namespace: "n" },
  spec: { on: true },
  status: { phase: "x" },
};
const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
const lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "mine", namespace: "default" },
};
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } };
const owned = (operation: "Apply" | "Update", fields: readonly string[]): ManagedFieldsEntry => ({
  manager: operation,
  operation,
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": Object.fromEntries(fields.map((name) => [`f:${name}`, {}])) },
});
const child = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "c", namespace: "n", uid: "1", labels: { app: "c" } },
  status: { phase: "x" },
};

const placeOf = ({ apiVersion, kind, metadata }: KubeObject): Place => ({
  apiVersion,
  kind,
  namespace: metadata.namespace ?? "",
  name: metadata.name,
});

/** Strikes once, and tells the calls of the controls and the acts of other users, in order. */
async function struck(name: string, fault: Partial<PlannedFault> = {}): Promise<readonly string[]> {
  const kind = allFaults.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`no fault ${name}`);
  const told: string[] = [];
  const say = (verb: string, ...details: readonly unknown[]): void =>
    void told.push([verb, ...details.map((one) => JSON.stringify(one))].join(" "));
  const objects = new Map(
    [definition, foo, namespace, lease, node, child].map((one) => [`${one.kind} ${one.metadata.name}`, one as unknown]),
  );
  const user: Somebody = {
    read: async ({ kind: of, name: which }) => objects.get(`${of} ${which}`) as KubeObject | undefined,
    list: async ({ kind: of }) =>
      [...objects.values()].filter((one) => (one as KubeObject).kind === of) as readonly KubeObject[],
    remove: async ({ kind: of, name: which }) => {
      say("remove", `${of} ${which}`);
      objects.delete(`${of} ${which}`);
    },
    patch: async ({ kind: of, name: which }, patch) => {
      say("patch", `${of} ${which}`, patch);
      return objects.has(`${of} ${which}`);
    },
    create: async (object) => {
      say("create", `${object.kind} ${object.metadata.name}`);
      if (object.kind === definition.kind) objects.set(`${object.kind} ${object.metadata.name}`, definition);
    },
    sleep: async (ms) => say("sleep", ms),
    mark: async ({ kind: of, name: which }, member) => say("mark", `${of} ${which}`, member),
    add: async (object) => say("add", `${object.kind} ${object.metadata.name}`),
    complains: (harm) => say("complains", harm),
    settled: async () => {
      say("settled");
      return { end: new Map(), isWell: true };
    },
    contradicts: (contradiction) => say("contradicts", contradiction),
    says: () => {},
  };
  const acts: Promise<void>[] = [];
  const call =
    (verb: string) =>
    (...details: readonly unknown[]): void =>
      say(verb, ...details);
  const controls: Controls = {
    target: { verb: "create", resource: "secrets", subresource: "", namespace: "n", name: "c" },
    resource: "secrets",
    created: [{ ...placeOf(child), sent: [child] }],
    asked: [placeOf(definition), placeOf(namespace), placeOf(foo)],
    running: new Set(),
    kill: call("kill"),
    startAnew: call("startAnew"),
    pause: call("pause"),
    jumpClock: call("jumpClock"),
    driftClock: call("driftClock"),
    partition: call("partition"),
    hold: call("hold"),
    withholdBookmarks: call("withholdBookmarks"),
    cutWatches: call("cutWatches"),
    refuseWrites: call("refuseWrites"),
    listOld: call("listOld"),
    travelBack: call("travelBack"),
    somebody: (_, act) => void acts.push(act(user)),
  };
  const verdict = kind.strike({ fault: name, at: { on: "time", number: 0 }, ...fault }, controls);
  await Promise.all(acts);
  if (verdict !== undefined) say("verdict", verdict);
  return told;
}

test("every kind has a name of its own, a sentence, a moment, and does something", async () => {
  expect(new Set(allFaults.map(({ name }) => name)).size).toBe(allFaults.length);
  for (const { name, about, strikesOn } of allFaults) {
    expect(about).toMatch(/\.$/);
    expect(strikesOn.length).toBeGreaterThan(0);
    // a creation is not sent twice
    if (name !== "duplicate" && name !== "child-changed") expect(await struck(name), name).not.toEqual([]);
  }
});

describe("what each kind does", () => {
  test.each([
    ["old-list", { forMs: 700, choice: 0.5 }, ['listOld {"byMs":5000,"forMs":700}']],
    ["time-travel", { forMs: 700 }, ['travelBack {"byMs":0,"forMs":700}', 'verdict {"type":"kill-after","downMs":0}']],
    ["lag", { forMs: 700 }, ['hold {"resource":"secrets","forMs":700,"end":"deliver"}']],
    ["unobserved", { forMs: 700 }, ['hold {"resource":"secrets","forMs":700,"end":"gone"}']],
    ["clock-drift", { choice: 0 }, ["driftClock 0.9"]],
    ["clock-jump", { choice: 0 }, ["jumpClock -3600000"]],
    ["partition", { forMs: 700 }, ["partition 700"]],
    ["writes-refused", { forMs: 700 }, ['refuseWrites {"forMs":700}']],
    [
      "kind-refused",
      { forMs: 700 },
      ['refuseWrites {"forMs":700,"resource":"secrets"}', 'verdict {"type":"answer","code":403}'],
    ],
    ["lease-taken", {}, ['patch "Lease mine" {"spec":{"holderIdentity":"somebody","leaseDurationSeconds":15}}']],
    [
      "node-fails",
      { forMs: 700 },
      [
        'patch "Node node-1" {"metadata":{"annotations":{"coxswain.dev/power":"off"}}}',
        "sleep 700",
        'patch "Node node-1" {"metadata":{"annotations":{"coxswain.dev/power":null}}}',
      ],
    ],
    ["status-overwritten", {}, ['patch "Foo a" {"status":{"phase":null}}', "startAnew"]],
    ["child-annotated", {}, ['mark "Secret c" "annotations"']],
    ["child-labelled", {}, ['mark "Secret c" "labels"']],
    ["lookalike", {}, ['add "Secret c-other"']],
    ["owner-recreated", {}, ['remove "Foo a"', 'create "Foo a"']],
    ["namespace-recreated", {}, ['remove "Namespace n"', 'create "Namespace n"', 'create "Foo a"']],
    [
      "definition-recreated",
      {},
      [
        'remove "CustomResourceDefinition foos.example.com"',
        'create "CustomResourceDefinition foos.example.com"',
        'create "Foo a"',
      ],
    ],
    [
      "asked-and-back",
      { forMs: 700 },
      ['patch "Foo a" {"spec":{"on":false}}', "sleep 700", 'patch "Foo a" {"spec":{}}'],
    ],
    [
      "asked-anew",
      {},
      [
        'patch "Foo a" {"spec":{"on":false}}',
        "settled",
        'remove "Foo a"',
        ...Array.from({ length: 10 }, () => "sleep 1000"),
        'create "Foo a"',
        "settled",
      ],
    ],
    [
      "asked-invalid",
      { forMs: 700 },
      ['patch "Foo a" {"spec":{"on":"yes"}}', "sleep 700", 'patch "Foo a" {"spec":{}}'],
    ],
  ] as const)("%s", async (name, fault, told) => {
    expect(await struck(name, fault)).toEqual(told);
  });

  test("a label that is taken comes back, unless the operator has put it back", async () => {
    expect(await struck("child-relabelled", { forMs: 700 })).toEqual([
      'patch "Secret c" {"metadata":{"labels":{"app":null}}}',
      "sleep 700",
    ]);
  });
});

test("a finalizer of somebody else that the operator takes away is harm", async () => {
  expect(await struck("foreign-finalizer", { forMs: 700 })).toEqual([
    'patch "Secret c" {"metadata":{"finalizers":["simulation.coxswain.dev/somebody"]}}',
    "sleep 700",
    'complains "Secret n/c: somebody else\'s finalizer was removed"',
  ]);
});

test("kinds that have no effect on an operator are left out", () => {
  const facts = { asked: [placeOf(child)], created: [], hasLeases: false };
  const left = allFaults.filter(
    ({ fits }) => fits?.({ ...facts, asked: [{ ...placeOf(child), namespace: "default" }] }) === false,
  );
  expect(left.map(({ name }) => name).toSorted()).toEqual([
    "asked-and-back",
    "asked-anew",
    "asked-in-turn",
    "asked-invalid",
    "definition-recreated",
    "lease-taken",
    "lookalike",
    "namespace-recreated",
  ]);
});

test("child-changed leaves the fields alone that the server has filled in", async () => {
  const kind = allFaults.find(({ name }) => name === "child-changed");
  const patches = async (managedFields: readonly ManagedFieldsEntry[]): Promise<readonly object[]> => {
    const metadata = { name: "d", namespace: "n", managedFields };
    const thing = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas: 1, limit: 600 } };
    const told: object[] = [];
    const acts: Promise<void>[] = [];
    const user = { read: async () => thing, patch: async (_: Place, patch: object) => told.push(patch) > 0 };
    const made = { ...placeOf(thing), sent: [{ spec: { replicas: 1 } }] };
    for (const choice of [0, 0.3, 0.6, 0.9])
      kind?.strike({ fault: "child-changed", at: { on: "time", number: 0 }, choice }, {
        created: [made],
        somebody: (_: string, act: (user: Somebody) => Promise<void>) =>
          void acts.push(act(user as Partial<Somebody> as Somebody)),
      } as Partial<Controls> as Controls);
    await Promise.all(acts);
    return told;
  };
  const named = { spec: { replicas: 2 } };
  expect(await patches([owned("Update", ["replicas", "limit"])])).toEqual([named, named, named, named]);
  expect(await patches([owned("Apply", ["replicas", "limit"])])).toContainEqual({ spec: { limit: 601 } });
  expect(await patches([owned("Update", ["limit"])])).toEqual([]);
});
