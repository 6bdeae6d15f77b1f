import { tracingChannel } from "node:diagnostics_channel";
import { describe, expect, onTestFinished, test } from "vitest";
import { Deployment, type KubeObject } from "../../api/index.js";
import type { ObjectChange } from "../../informer/index.js";
import { reasonOf, specChanged } from "./change.js";
import { traceAnnotation } from "../trace.js";
import { owned, watch } from "./sources.js";

const object = (metadata: Partial<KubeObject["metadata"]> = {}, rest: object = {}): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Foo",
  metadata: { name: "x", namespace: "default", uid: "u", generation: 1, resourceVersion: "1", ...metadata },
  ...rest,
});
const update = (previous: KubeObject, now: KubeObject): ObjectChange<KubeObject> => ({
  type: "updated",
  previous,
  object: now,
});

describe("which changes of its own kind wake a controller", () => {
  for (const [what, change, wakes] of [
    ["an add", { type: "added", object: object(), initial: true }, true],
    ["a delete", { type: "deleted", object: object(), key: "default/x", missed: false }, true],
    ["a resync", { type: "resync", object: object(), previous: object() }, true],
    ["a status write", update(object(), object({ resourceVersion: "2" }, { status: { ready: true } })), false],
    ["a change of the spec", update(object(), object({ generation: 2 })), true],
    ["a label", update(object(), object({ labels: { a: "b" } })), true],
    ["an annotation", update(object(), object({ annotations: { a: "b" } })), true],
    ["a finalizer", update(object(), object({ finalizers: ["f"] })), true],
    ["a deletion that waits", update(object(), object({ deletionTimestamp: "2020-01-01T00:00:00Z" })), true],
    ["another object of that name", update(object(), object({ uid: "v" })), true],
    ["who manages which field", update(object(), object({ managedFields: [{ manager: "m" }] })), false],
    ["an update of a kind without generations", update(object({ generation: 0 }), object({ generation: 0 })), true],
  ] as const) {
    test(`${what}: ${wakes ? "yes" : "no"}`, () => {
      expect(specChanged(change)).toBe(wakes);
    });
  }
});

test("a reason names the object, its revision and the changed fields with small values", () => {
  const before = object({}, { status: { replicas: 1, note: "x".repeat(100) }, spec: { list: [1, 2] } });
  const after = object(
    { resourceVersion: "2" },
    { status: { replicas: 2, note: "y".repeat(100) }, spec: { list: [1, 3] } },
  );
  expect(reasonOf(update(before, after))).toEqual({
    type: "updated",
    kind: "Foo",
    key: "default/x",
    revision: "2",
    fields: ["status.replicas 1→2", "status.note", "spec.list[1]"],
  });
});

test("a reason has the trace of the write that made the change, and of no earlier one", () => {
  const [traced, again] = ["1", "2"].map((id) => object({ annotations: { [traceAnnotation]: id } })) as [
    KubeObject,
    KubeObject,
  ];
  const added = (initial: boolean): ObjectChange<KubeObject> => ({ type: "added", object: traced, initial });
  expect(reasonOf(added(false)).trace).toBeUndefined();
  const channel = tracingChannel("coxswain:reconcile");
  const follower = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} };
  channel.subscribe(follower);
  onTestFinished(() => channel.unsubscribe(follower));
  const traces = [
    added(false),
    update(traced, again),
    // a restart, a writer without a trace, nothing at all, a deletion
    added(true),
    update(traced, object({ ...traced.metadata, generation: 2 })),
    { type: "resync", object: traced, previous: traced } as const,
    { type: "deleted", object: traced, key: "default/x", missed: false } as const,
  ].map((change) => reasonOf(change).trace);
  expect(traces).toEqual(["1", "2", undefined, undefined, undefined, undefined]);
});

describe("which objects a change concerns", () => {
  const Foo = { ...Deployment, group: "example.com", version: "v1", kind: "Foo", plural: "foos" };
  const tools = { cache: undefined as never, owner: Foo };
  const reference = (name: string, controller = true, apiVersion = "example.com/v1beta1") => ({
    apiVersion,
    kind: "Foo",
    name,
    uid: name,
    controller,
  });
  const child = (...ownerReferences: ReturnType<typeof reference>[]): KubeObject =>
    object({ name: "child", ownerReferences });

  test("the owner that controls it, of any version, before and after the change", () => {
    const change = update(child(reference("old")), child(reference("new"), reference("other", false)));
    expect(owned(Deployment).map(change, tools)).toEqual([
      { namespace: "default", name: "new" },
      { namespace: "default", name: "old" },
    ]);
  });

  test("every owner of the kind, if that is asked for", () => {
    const change = {
      type: "added",
      object: child(reference("a"), reference("b", false), reference("c", true, "other/v1")),
      initial: false,
    } as const;
    expect(owned(Deployment, { anyOwner: true }).map(change, tools)).toMatchObject([{ name: "a" }, { name: "b" }]);
  });

  test("an owner without namespaces is named without one", () => {
    const change = { type: "added", object: child(reference("a")), initial: false } as const;
    expect(owned(Deployment).map(change, { ...tools, owner: { ...Foo, scope: "Cluster" } })).toEqual([{ name: "a" }]);
  });

  test("a watch does not wake on resyncs unless it says so", () => {
    const spec = watch(Deployment, () => []);
    expect([
      spec.wakes({ type: "resync", object: object(), previous: object() }),
      spec.wakes({ type: "deleted", object: object(), key: "default/x", missed: false }),
    ]).toEqual([false, true]);
    expect(
      watch(Deployment, () => [], { predicate: () => true }).wakes({
        type: "resync",
        object: object(),
        previous: object(),
      }),
    ).toBe(true);
  });
});

test("the reason tells which values of a Secret changed, never what they are", () => {
  const secret = (password: string, resourceVersion: string) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", namespace: "default", resourceVersion },
    data: { password },
  });
  const change = { type: "updated", previous: secret("b2xk", "1"), object: secret("bmV3", "2") } as const;
  expect(reasonOf(change).fields).toEqual(["data.password"]);
});
