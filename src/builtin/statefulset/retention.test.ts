import { describe, expect, test } from "vitest";
import type { OwnerReference, StatefulSet } from "../../api/index.js";
import { hasItsOwners, hasOtherController, isStaleFor, ownersOf, retentionOwners } from "./retention.js";

type Policy = "Retain" | "Delete";

const setOf = (whenDeleted: Policy, whenScaled: Policy): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db", namespace: "default", uid: "sts" },
  spec: {
    selector: {},
    template: {},
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  },
});
const pod = (condemned: boolean) => ({ name: "db-4", uid: "pod", condemned });
const claimOf = (...ownerReferences: readonly OwnerReference[]) => ({
  metadata: { name: "data-db-4", ownerReferences },
});
const bySet = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "sts", controller: true } as const;
const byPod = { apiVersion: "v1", kind: "Pod", name: "db-4", uid: "pod", controller: true } as const;
const byNobodysController = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "x" } as const;
const byOther = { ...byNobodysController, controller: true } as const;

describe("a claim goes", () => {
  for (const [deleted, scaled, condemned, kind] of [
    ["Retain", "Retain", true, undefined],
    ["Retain", "Retain", false, undefined],
    ["Delete", "Retain", false, "StatefulSet"],
    ["Delete", "Retain", true, "StatefulSet"],
    ["Retain", "Delete", true, "Pod"],
    ["Retain", "Delete", false, undefined],
    ["Delete", "Delete", true, "Pod"],
    ["Delete", "Delete", false, "StatefulSet"],
  ] as const) {
    const state = condemned ? "scaled away" : "in range";
    test(`whenDeleted ${deleted}, whenScaled ${scaled}, ${state}: with ${kind ?? "nobody"}`, () => {
      const set = setOf(deleted, scaled);
      const wanted = retentionOwners(set, pod(condemned));
      expect(wanted[0]?.kind).toBe(kind);
      // from any earlier owners of the claim, and then the result is stable
      for (const before of [[], [bySet], [byPod], [byNobodysController]]) {
        const after = ownersOf(claimOf(...before), set, pod(condemned));
        expect(after.filter(({ uid }) => uid !== "x").map(({ uid }) => uid)).toEqual(wanted.map(({ uid }) => uid));
        expect(after.filter(({ uid }) => uid === "x")).toEqual(before.filter(({ uid }) => uid === "x"));
        expect(hasItsOwners(claimOf(...after), set, pod(condemned))).toBe(true);
      }
    });
  }
});

test("an owner of ours that does not say that it is the controller is written anew", () => {
  const { controller: _controller, ...quiet } = bySet;
  expect(ownersOf(claimOf(quiet), setOf("Delete", "Retain"), pod(false))).toEqual([
    { ...bySet, blockOwnerDeletion: true },
  ]);
});

test("a claim of an earlier set or pod of the same name is not touched", () => {
  const set = setOf("Delete", "Delete");
  for (const stale of [
    { ...bySet, uid: "earlier" },
    { ...byPod, uid: "earlier" },
  ]) {
    const claim = claimOf(stale);
    expect(ownersOf(claim, set, pod(true))).toBe(claim.metadata.ownerReferences);
    expect(hasOtherController(claim, set, pod(true))).toBe(true);
  }
});

test("a claim that somebody else manages is left to them alone", () => {
  const set = setOf("Delete", "Retain");
  const theirs = claimOf(byOther);
  expect([hasOtherController(theirs, set, pod(false)), hasItsOwners(theirs, set, pod(false))]).toEqual([true, true]);
  expect(ownersOf(claimOf(byOther, bySet), set, pod(false))).toEqual([byOther]);
  expect(hasOtherController(theirs, setOf("Retain", "Retain"), pod(false))).toBe(false);
});

test("a claim is stale for a new pod if it goes with an earlier one, and the policy deletes", () => {
  const fresh = { name: "db-4", condemned: false };
  expect(isStaleFor(claimOf(byPod), setOf("Retain", "Delete"), fresh)).toBe(true);
  expect(isStaleFor(claimOf(byPod), setOf("Retain", "Retain"), fresh)).toBe(false);
  expect(isStaleFor(claimOf(bySet), setOf("Retain", "Delete"), fresh)).toBe(false);
});
