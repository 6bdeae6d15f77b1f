import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ObjectMeta, OwnerReference } from "../../api/index.js";
import { type ObservedObject, OwnerGraph } from "./graph.js";

const owner = (name: string, block = true): OwnerReference => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name,
  uid: name,
  controller: true,
  blockOwnerDeletion: block,
});

function object(name: string, metadata: Partial<ObjectMeta> = {}): ObservedObject {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, uid: name, namespace: "default", ...metadata },
  };
}

const going = (finalizer: string): Partial<ObjectMeta> => ({
  deletionTimestamp: "2026-01-01T00:00:00Z",
  finalizers: [finalizer],
});

const woken = ({ toDelete, toOrphan }: { toDelete: Set<string>; toOrphan: Set<string> }) => ({
  toDelete: [...toDelete].toSorted((a, b) => (a < b ? -1 : 1)),
  toOrphan: [...toOrphan],
});

describe("the owner graph", () => {
  test("verifies an owner that it only knows from a reference", () => {
    const graph = new OwnerGraph();
    expect(woken(graph.observe(object("child", { ownerReferences: [owner("parent")] })))).toEqual({
      toDelete: ["parent"],
      toOrphan: [],
    });
    expect(graph.get("parent")?.virtual).toBe(true);
    graph.observe(object("parent"));
    expect(graph.get("parent")?.virtual).toBe(false);
  });

  test("looks at the dependents of what is gone", () => {
    const graph = new OwnerGraph();
    graph.observe(object("parent"));
    graph.observe(object("child", { ownerReferences: [owner("parent")] }));
    expect(woken(graph.remove("parent"))).toEqual({ toDelete: ["child"], toOrphan: [] });
  });

  test("looks at whoever comes to refer to an owner that has gone", () => {
    const graph = new OwnerGraph();
    graph.observe(object("parent"));
    graph.observe(object("child", { ownerReferences: [owner("parent")] }));
    graph.remove("parent");
    const late = object("late", { ownerReferences: [owner("parent")] });
    expect(woken(graph.observe(late)).toDelete).toEqual(["late"]);
    expect(woken(graph.observe(late)).toDelete).toEqual([]);
  });

  test("looks at owner and dependents when a foreground deletion begins, and at the owner when a dependent is gone", () => {
    const graph = new OwnerGraph();
    graph.observe(object("parent"));
    graph.observe(object("child", { ownerReferences: [owner("parent")] }));
    expect(woken(graph.observe(object("parent", going("foregroundDeletion"))))).toEqual({
      toDelete: ["child", "parent"],
      toOrphan: [],
    });
    expect(woken(graph.remove("child"))).toEqual({ toDelete: ["parent"], toOrphan: [] });
  });

  test("looks at an owner that waits when a reference stops blocking it", () => {
    const graph = new OwnerGraph();
    graph.observe(object("parent"));
    graph.observe(object("child", { ownerReferences: [owner("parent")] }));
    expect(woken(graph.observe(object("child", { ownerReferences: [owner("parent", false)] })))).toEqual({
      toDelete: ["parent"],
      toOrphan: [],
    });
  });

  test("orphans what an orphaning deletion leaves behind", () => {
    const graph = new OwnerGraph();
    graph.observe(object("parent"));
    expect(woken(graph.observe(object("parent", going("orphan"))))).toEqual({ toDelete: [], toOrphan: ["parent"] });
  });

  test("looks at a child whose owner is in another namespace", () => {
    const graph = new OwnerGraph();
    graph.observe(object("parent", { namespace: "elsewhere" }));
    expect(woken(graph.observe(object("child", { ownerReferences: [owner("parent")] }))).toDelete).toEqual(["child"]);
  });

  test("stays sound over any history", () => {
    const names = ["a", "b", "c", "d"];
    const step = fc.record({
      name: fc.constantFrom(...names),
      owners: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
      remove: fc.boolean(),
      finalizer: fc.constantFrom("none", "orphan", "foregroundDeletion"),
      namespace: fc.constantFrom("default", "other"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const graph = new OwnerGraph();
        const alive = new Map<string, readonly string[]>();
        for (const { name, owners, remove, finalizer, namespace } of steps) {
          const others = owners.filter((one) => one !== name);
          if (remove) {
            graph.remove(name);
            alive.delete(name);
          } else {
            const state = finalizer === "none" ? {} : going(finalizer);
            graph.observe(object(name, { namespace, ownerReferences: others.map((one) => owner(one)), ...state }));
            alive.set(name, others);
          }
          graph.assertSound();
          for (const one of names) {
            const dependents = [...alive].filter(([, refs]) => refs.includes(one)).map(([child]) => child);
            const node = graph.get(one);
            expect([...(node?.dependents ?? [])].map(({ identity }) => identity.uid).toSorted()).toEqual(
              dependents.toSorted(),
            );
            expect(node !== undefined && !node.virtual).toBe(alive.has(one));
          }
        }
      }),
    );
  });
});
