import { describe, expect, test } from "vitest";
import { type Pod, type ReplicaSet, selectorFromSet } from "../../api/index.js";
import type { ObjectChange } from "../../controller/index.js";
import type { ReadonlyStore } from "../../informer/index.js";
import { ownedChanges } from "./owned.js";

const setOf = (name: string, uid = name): ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name, namespace: "default", uid },
});

interface Shape {
  readonly owner?: string;
  readonly kind?: string;
  readonly app?: string;
  readonly version?: string;
  readonly uid?: string;
  readonly leaving?: boolean;
}

function podOf({ owner, kind = "ReplicaSet", app = "web", version = "1", uid = "p", leaving = false }: Shape): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "p",
      namespace: "default",
      uid,
      resourceVersion: version,
      labels: { app },
      ...(owner === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: "apps/v1", kind, name: owner, uid: owner, controller: true }] }),
      ...(leaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
  };
}

/** The keys that a change wakes, of two sets that select `web` and one that selects `db`. */
function told(change: ObjectChange<Pod>): readonly string[] {
  const sets = [setOf("a"), setOf("b"), setOf("db")];
  const owners = {
    get: (key: string) => sets.find(({ metadata }) => `default/${metadata.name}` === key),
    byIndex: () => sets,
    list: () => sets,
  } as unknown as ReadonlyStore<ReplicaSet>;
  const calls: string[] = [];
  const hear = ownedChanges<Pod, ReplicaSet>({
    owners,
    ownerKind: "ReplicaSet",
    selectorOf: ({ metadata }) => selectorFromSet({ app: metadata.name === "db" ? "db" : "web" }),
    tell: (owner, { type, previous }) =>
      void calls.push(`${owner.metadata.name} ${type}${previous === undefined ? "" : " from"}`),
  });
  hear(change, () => {});
  return calls;
}

const updated = (before: Shape, after: Shape): readonly string[] =>
  told({ type: "updated", previous: podOf(before), object: podOf({ version: "2", ...after }) });

describe("an added object", () => {
  const added = (shape: Shape): readonly string[] => told({ type: "added", object: podOf(shape), initial: false });
  for (const [what, shape, expected] of [
    ["wakes its owner alone", { owner: "a" }, ["a added"]],
    ["that is being deleted counts as deleted", { owner: "a", leaving: true }, ["a deleted"]],
    ["of an owner that is gone wakes nobody", { owner: "gone" }, []],
    ["of an owner of another kind wakes nobody", { owner: "a", kind: "Job" }, []],
    ["without an owner wakes all that could adopt it", {}, ["a updated", "b updated"]],
    ["without an owner that nobody selects wakes nobody", { app: "x" }, []],
    ["without an owner that leaves wakes nobody", { leaving: true }, []],
  ] as const) {
    test(what, () => expect(added(shape)).toEqual(expected));
  }

  test("of a namesake of its owner wakes nobody", () => {
    const pod = podOf({ owner: "a" });
    const ownerReferences = [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "a", uid: "earlier", controller: true },
    ];
    const other = { ...pod, metadata: { ...pod.metadata, ownerReferences } };
    expect(told({ type: "added", object: other, initial: false })).toEqual([]);
  });
});

describe("an updated object", () => {
  for (const [what, before, after, expected] of [
    ["wakes its owner, and shows it both states", { owner: "a" }, { owner: "a" }, ["a updated from"]],
    ["that changes hands wakes both", { owner: "a" }, { owner: "b" }, ["a updated", "b updated from"]],
    [
      "that was released wakes its old owner and all that could adopt it",
      { owner: "a", app: "db" },
      { app: "db" },
      ["a updated", "db updated"],
    ],
    ["without an owner wakes nobody if nothing changed that matters", {}, {}, []],
    ["without an owner wakes those that select its new labels", {}, { app: "db" }, ["db updated"]],
    ["that begins to leave counts as deleted", { owner: "a" }, { owner: "a", leaving: true }, ["a deleted"]],
    [
      "made anew under its name is a delete and an add",
      { owner: "a" },
      { owner: "b", uid: "q" },
      ["a deleted", "b added"],
    ],
  ] as const) {
    test(what, () => expect(updated(before, after)).toEqual(expected));
  }
});

describe("a deleted object", () => {
  const deleted = (shape: Shape): readonly string[] =>
    told({ type: "deleted", object: podOf(shape), key: "default/p", missed: false });
  test("wakes its owner", () => expect(deleted({ owner: "a" })).toEqual(["a deleted"]));
  test("without an owner wakes nobody", () => expect(deleted({})).toEqual([]));
});

test("a resync wakes nobody", () => {
  const object = podOf({ owner: "a" });
  expect(told({ type: "resync", object, previous: object })).toEqual([]);
});
