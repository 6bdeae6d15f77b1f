import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Condition } from "../generated/meta-v1.js";
import { findCondition, isConditionFalse, isConditionTrue, removeCondition, setCondition } from "./condition.js";
import { metaNamespaceKey, objectKey, objectName, splitMetaNamespaceKey } from "./key.js";
import {
  controllerOf,
  isControlledBy,
  isOwnedBy,
  newControllerRef,
  newOwnerRef,
  withoutOwner,
  withOwner,
} from "./owner.js";
import { compareRevisions, InvalidRevisionError, isRevision, newerRevision, sameRevision } from "./revision.js";

describe("keys", () => {
  test("are namespace/name, or the name alone", () => {
    const keys = [{ name: "a" }, { name: "a", namespace: "" }, { name: "a", namespace: "n" }].map((metadata) =>
      metaNamespaceKey({ metadata }),
    );
    expect(keys).toEqual(["a", "a", "n/a"]);
    expect(objectName({ metadata: { name: "a" } })).toEqual({ namespace: "", name: "a" });
  });

  test("split into what they were made of", () => {
    const word = fc.stringMatching(/^[a-z0-9.-]{1,10}$/);
    fc.assert(
      fc.property(fc.oneof(word, fc.constant("")), word, (namespace, name) => {
        expect(splitMetaNamespaceKey(objectKey({ namespace, name }))).toEqual({ namespace, name });
      }),
    );
  });

  test("with more than one slash are an error in the words of the field", () => {
    expect(() => splitMetaNamespaceKey("a/b/c")).toThrow('unexpected key format: "a/b/c"');
    expect([splitMetaNamespaceKey(""), splitMetaNamespaceKey("/b"), splitMetaNamespaceKey("a/")]).toEqual([
      { namespace: "", name: "" },
      { namespace: "", name: "b" },
      { namespace: "a", name: "" },
    ]);
  });
});

describe("revisions", () => {
  test("are compared as decimals of any length", () => {
    const decimal = fc.bigInt({ min: 1n, max: 10n ** 40n });
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(compareRevisions(String(a), String(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  for (const bad of ["", "0", "01", "-1", "1a", "1.0", " 1", "１"]) {
    test(`${JSON.stringify(bad)} is not one`, () => {
      expect(isRevision(bad)).toBe(false);
      expect(() => compareRevisions("1", bad)).toThrow(InvalidRevisionError);
      expect(() => compareRevisions(bad, "1")).toThrow(`resource version is not well formed: ${bad}`);
    });
  }

  test("the newer of two is found, bad ones lose", () => {
    expect([
      newerRevision("9", "10"),
      newerRevision("10", "9"),
      newerRevision("", "3"),
      newerRevision("x", undefined),
    ]).toEqual(["10", "10", "3", ""]);
  });

  test("sameRevision compares text, and an object without one is never the same", () => {
    const at = (resourceVersion?: string): { metadata: { resourceVersion?: string } } => ({
      metadata: resourceVersion === undefined ? {} : { resourceVersion },
    });
    expect([
      sameRevision(at("1"), at("1")),
      sameRevision(at("1"), at("2")),
      sameRevision(at(), at()),
      sameRevision(at("opaque"), at("opaque")),
    ]).toEqual([true, false, false, true]);
  });
});

describe("owners", () => {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "rs", uid: "u1" } };
  const reference = newControllerRef(owner);

  test("a controller reference names the owner, blocks its deletion and controls", () => {
    expect(reference).toEqual({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "rs",
      uid: "u1",
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  test("control goes by uid", () => {
    const pod = { metadata: { ownerReferences: [{ ...reference, controller: false, uid: "u0" }, reference] } };
    expect([
      controllerOf(pod)?.uid,
      isControlledBy(pod, owner),
      isControlledBy(pod, { metadata: { uid: "u2" } }),
      isOwnedBy(pod, { metadata: { uid: "u0" } }),
      isControlledBy({ metadata: {} }, { metadata: {} }),
    ]).toEqual(["u1", true, false, true, false]);
  });

  test("items of lists carry no kind, so it can be given", () => {
    const item = { metadata: { name: "rs", uid: "u1" } };
    expect(newOwnerRef(item, { group: "", version: "v1", kind: "Pod" })).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      name: "rs",
      uid: "u1",
    });
    expect(() => newOwnerRef(item)).toThrow("needs its apiVersion and kind");
    expect(() => newOwnerRef({ kind: "Pod", apiVersion: "v1", metadata: { name: "a" } })).toThrow("needs its uid");
  });

  test("a reference to the same object is replaced, whatever its version or uid", () => {
    const newer = { ...reference, apiVersion: "apps/v2", uid: "u9" };
    expect(withOwner([reference], newer)).toEqual([newer]);
    expect(withOwner(undefined, reference)).toEqual([reference]);
    expect(withoutOwner([reference], newer)).toEqual([]);
  });
});

describe("conditions", () => {
  const ready: Condition = {
    type: "Ready",
    status: "True",
    reason: "Up",
    message: "",
    lastTransitionTime: "2024-01-01T00:00:00Z",
  };
  const now = "2024-06-01T00:00:00Z";

  test("the time of the transition changes only when the status does", () => {
    const { lastTransitionTime: _, ...same } = ready;
    const reworded = setCondition([ready], { ...same, reason: "StillUp" }, now);
    const down = setCondition([ready], { ...same, status: "False" }, now);
    expect([reworded, down]).toEqual([
      [{ ...ready, reason: "StillUp" }],
      [{ ...ready, status: "False", lastTransitionTime: now }],
    ]);
  });

  test("a given time is kept on a transition and on a new condition", () => {
    const given = "2024-03-03T00:00:00Z";
    expect(
      setCondition([ready], { ...ready, status: "False", lastTransitionTime: given }, now)[0]?.lastTransitionTime,
    ).toBe(given);
    expect(setCondition(undefined, { ...ready, lastTransitionTime: given }, now)[0]?.lastTransitionTime).toBe(given);
  });

  test("nothing changed gives the very same array", () => {
    const conditions = [ready];
    expect(setCondition(conditions, { ...ready, lastTransitionTime: now }, now)).toBe(conditions);
    expect(removeCondition(conditions, "Other")).toBe(conditions);
  });

  test("are found, asked and removed by type", () => {
    expect([
      findCondition([ready], "Ready"),
      isConditionTrue([ready], "Ready"),
      isConditionFalse([ready], "Ready"),
      isConditionTrue(undefined, "Ready"),
      removeCondition([ready], "Ready"),
    ]).toEqual([ready, true, false, false, []]);
  });
});
