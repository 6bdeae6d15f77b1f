import { expect, test } from "vitest";
import { ConfigMap, type KubeObject, newExpired, Secret } from "../../api/index.js";
import { startCluster } from "../../testing/index.js";
import type { Revision } from "../wire.js";
import { differencesOf, managerOf } from "./differences.js";
import { joined, Past, type ReadAt } from "./past.js";

const pod = (spec: unknown, metadata: object = {}): KubeObject =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { name: "a", ...metadata }, spec }) as unknown as KubeObject;

test("a difference has the field's path, with items of lists by their names, and both values", () => {
  const before = pod({ containers: [{ name: "a", image: "i:1" }, { name: "b" }], args: [1, 2], gone: { x: 1 } });
  const after = pod(
    {
      containers: [
        { name: "b", ready: true },
        { name: "a", image: "i:2" },
      ],
      args: [1, 3, 4],
    },
    { resourceVersion: "9", managedFields: [], labels: { app: "x" } },
  );
  expect(differencesOf(before, after).changes).toEqual([
    { path: "metadata.labels", after: '{"app":"x"}' },
    { path: "spec.containers[name=a].image", before: '"i:1"', after: '"i:2"' },
    { path: "spec.containers[name=b].ready", after: "true" },
    { path: "spec.args[1]", before: "2", after: "3" },
    { path: "spec.args[2]", after: "4" },
    { path: "spec.gone", before: '{"x":1}' },
  ]);
});

test("many differences and long values are clipped, and the number of the rest is told", () => {
  const fields = (value: string) => Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, value]));
  const { changes, omittedChanges } = differencesOf(pod(fields("a")), pod(fields("b".repeat(500))));
  expect([changes.length, omittedChanges]).toEqual([60, 40]);
  expect(changes[0]?.after?.length).toBe(161);
});

test("the values of a Secret are not in its differences", () => {
  const secret = (value: string) => ({ ...pod({}), kind: "Secret", data: { password: value } }) as KubeObject;
  const { changes } = differencesOf(secret("b25l"), secret("dHdv"));
  expect(changes).toEqual([{ path: "data.password", before: "‹not shown›", after: "‹not shown›" }]);
});

test("the manager of a write is the one whose entry is new or newer, not the one that lost fields to it", () => {
  const entry = (manager: string, time: string, fields: object) => ({
    manager,
    operation: "Apply",
    time,
    fieldsV1: fields,
  });
  const both = { "f:spec": { "f:a": {}, "f:b": {} } };
  const before = pod({}, { managedFields: [entry("first", "2030-01-01T00:00:00Z", both)] });
  const after = pod(
    {},
    {
      managedFields: [
        entry("first", "2030-01-01T00:00:00Z", { "f:spec": { "f:a": {} } }),
        entry("second", "2030-01-01T00:00:05Z", { "f:spec": { "f:b": {} } }),
      ],
    },
  );
  expect(managerOf(before, after)).toBe("second");
  expect(managerOf(after, after)).toBe("");
});

const readerOf = (client: Awaited<ReturnType<typeof startCluster>>["client"], name: string) => {
  const reads: string[] = [];
  const read: ReadAt = async (resourceVersion) => {
    reads.push(resourceVersion);
    const maps = client.resource(ConfigMap, { namespace: "default" });
    const fieldSelector = `metadata.name=${name}`;
    return (await maps.list({ fieldSelector, resourceVersion, resourceVersionMatch: "Exact" })).items[0];
  };
  return { reads, read };
};

test("an object's writes are told back to its creation, each read once; an earlier object of its name is none of it", async () => {
  await using cluster = await startCluster();
  const maps = cluster.client.resource(ConfigMap, { namespace: "default" });
  await maps.create({ metadata: { name: "m" }, data: { of: "another" } });
  await maps.delete("m");
  await maps.create({ metadata: { name: "m" }, data: { turn: "1" } });
  // writes to other objects are between
  await cluster.client.resource(Secret, { namespace: "default" }).create({ metadata: { name: "s" } });
  const object = await maps.patch("m", { merge: { data: { turn: "2", more: "x" } } }, { fieldManager: "painter" });
  const past = new Past();
  const { reads, read } = readerOf(cluster.client, "m");
  const { revisions, problem } = await past.before(object, read);
  expect(problem).toBeUndefined();
  expect(revisions.map(({ writer, isCreation, changes }) => [writer, isCreation, changes])).toEqual([
    [
      "painter",
      false,
      [
        { path: "data.turn", before: '"1"', after: '"2"' },
        { path: "data.more", after: '"x"' },
      ],
    ],
    [revisions[1]?.writer, true, []],
  ]);
  await past.before(object, read);
  expect(reads.length).toBe(2);
});

test("what the server has forgotten is said, and what was read is kept", async () => {
  const object = pod({ a: 2 }, { resourceVersion: "30", uid: "u" });
  const read: ReadAt = async (at) => {
    if (at === "29") return pod({ a: 1 }, { resourceVersion: "20", uid: "u" });
    throw newExpired("compacted");
  };
  const { revisions, problem } = await new Past().before(object, read);
  expect(revisions.map(({ revision }) => revision)).toEqual(["30"]);
  expect(problem).toBe("the server has forgotten earlier revisions");
});

test("the journal gives the run and the time of a revision, the server its differences", () => {
  const told: Revision[] = [
    { revision: "30", at: 3_456, fields: ["spec.a 1→2"], writer: "painter", run: 7 },
    { revision: "9", at: 900, fields: ["spec.a"], writer: "" },
  ];
  const changes = [{ path: "spec.a", before: "1", after: "2" }];
  const remembered: Revision[] = [
    { revision: "31", at: 4_000, fields: [], writer: "kubectl", changes },
    { revision: "30", at: 3_000, fields: [], writer: "manager", changes },
  ];
  expect(joined(told, remembered)).toEqual([
    { revision: "31", at: 4_000, fields: [], writer: "kubectl", changes },
    { revision: "30", at: 3_456, fields: ["spec.a 1→2"], writer: "painter", run: 7, changes },
    { revision: "9", at: 900, fields: ["spec.a"], writer: "" },
  ]);
});
