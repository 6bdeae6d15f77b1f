import { describe, expect, test } from "vitest";
import { ConfigMap, type Condition, type KubeObject, newControllerRef, Secret } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import {
  adopt,
  AdoptionError,
  childName,
  ensureFinalizer,
  isFreeFor,
  orphan,
  type ReconcileClient,
  removeFinalizer,
  withConditions,
} from "../../src/controller/index.js";
import { Manager } from "../../src/manager/index.js";
import { startTestServer } from "../../src/testing/cluster.js";

/** Runs `use` once with a reconciler's client, and gives its result. */
async function withClient<R>(
  use: (tools: {
    client: ReconcileClient;
    maps: ReturnType<typeof clientOf>["maps"];
    secrets: ReturnType<typeof clientOf>["secrets"];
    owner: ConfigMap;
  }) => Promise<R>,
): Promise<R> {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock });
  const direct = new Client({ transport: server.transport(), clock });
  const { maps, secrets } = clientOf(direct);
  const owner = await maps.create({ metadata: { name: "owner" } });
  const manager = new Manager({ client: direct, clock });
  let result: Promise<R> | undefined;
  manager.controller<ConfigMap>({
    name: "helpers",
    for: ConfigMap,
    owns: [Secret],
    async reconcile({ object, client }) {
      if (object.metadata.name !== "owner" || result !== undefined) return;
      result = use({ client, maps, secrets, owner });
      await result.catch(() => {});
    },
  });
  await using _running = manager.start();
  for (let step = 0; step < 100; step++) await clock.advance(10);
  if (result === undefined) throw new Error("nothing was reconciled");
  return await result;
}

const clientOf = (client: Client) => ({
  maps: client.resource(ConfigMap, { namespace: "default" }),
  secrets: client.resource(Secret, { namespace: "default" }),
});

describe("finalizers", () => {
  test("a finalizer that somebody else adds or takes off meanwhile is neither lost nor an error", async () => {
    await withClient(async ({ client, maps, owner }) => {
      await maps.patch("owner", { merge: { metadata: { finalizers: ["other.com/x"] } } });
      const both = await ensureFinalizer(client, owner, "example.com/mine");
      expect(both.metadata.finalizers).toEqual(["other.com/x", "example.com/mine"]);
      await maps.patch("owner", { merge: { metadata: { finalizers: ["other.com/y", "example.com/mine"] } } });
      await removeFinalizer(client, both, "example.com/mine");
      expect((await maps.get("owner")).metadata.finalizers).toEqual(["other.com/y"]);
      await maps.patch("owner", { merge: { metadata: { finalizers: null } } });
    });
  });

  test("an object that was deleted meanwhile, or is gone, takes none", async () => {
    await withClient(async ({ client, maps }) => {
      const made = await maps.create({ metadata: { name: "ends", finalizers: ["other.com/x"] } });
      await maps.delete("ends");
      const ending = await ensureFinalizer(client, made, "example.com/mine");
      expect(ending.metadata.finalizers).toEqual(["other.com/x"]);
      await maps.patch("ends", { merge: { metadata: { finalizers: null } } });
      expect(await ensureFinalizer(client, made, "example.com/mine")).toBe(made);
    });
  });

  test("an object that is gone needs no clean-up", async () => {
    await withClient(async ({ client, maps }) => {
      const made = await maps.create({ metadata: { name: "gone", finalizers: ["example.com/mine"] } });
      await maps.patch("gone", { merge: { metadata: { finalizers: null } } });
      await maps.delete("gone");
      await removeFinalizer(client, made, "example.com/mine");
    });
  });
});

describe("ownership", () => {
  test("an orphan is adopted, once; one that another controls is not; and ours can be let go", async () => {
    await withClient(async ({ client, secrets, owner }) => {
      const free = await secrets.create({ metadata: { name: "free" } });
      expect(isFreeFor(free, owner)).toBe(false);
      const ours = await adopt(client, free, { owner, type: ConfigMap });
      expect(ours.metadata.ownerReferences).toEqual([newControllerRef(owner)]);
      expect([await adopt(client, ours, { owner, type: ConfigMap }), isFreeFor(ours, owner)]).toEqual([ours, true]);
      const other: KubeObject = { ...owner, metadata: { ...owner.metadata, name: "other", uid: "someone" } };
      const theirs = await secrets.create({ metadata: { name: "theirs", ownerReferences: [newControllerRef(other)] } });
      await expect(adopt(client, theirs, { owner, type: ConfigMap })).rejects.toBeInstanceOf(AdoptionError);
      await orphan(client, ours, owner);
      expect((await secrets.get("free")).metadata.ownerReferences ?? []).toEqual([]);
    });
  });

  test("an owner that was made anew under the same name, or is being deleted, adopts nothing", async () => {
    await withClient(async ({ client, maps, secrets, owner }) => {
      const free = await secrets.create({ metadata: { name: "free" } });
      const stale = { ...owner, metadata: { ...owner.metadata, uid: "before" } };
      await expect(adopt(client, free, { owner: stale, type: ConfigMap })).rejects.toThrow("is gone, or going");
      const going = await maps.create({ metadata: { name: "going", finalizers: ["example.com/x"] } });
      await maps.delete("going");
      await expect(adopt(client, free, { owner: going, type: ConfigMap })).rejects.toThrow("is gone, or going");
      await maps.patch("going", { merge: { metadata: { finalizers: null } } });
    });
  });

  test("a child's name is always the same for an owner, differs for its successor, and fits", () => {
    const owner = (uid: string, name = "web"): KubeObject => ({ apiVersion: "v1", kind: "X", metadata: { name, uid } });
    expect(childName(owner("1"), "db")).toBe(childName(owner("1"), "db"));
    expect(
      new Set([childName(owner("1"), "db"), childName(owner("2"), "db"), childName(owner("1"), "cache")]).size,
    ).toBe(3);
    for (const name of ["w", "web.", "x".repeat(253)]) {
      for (const suffix of ["db", "s".repeat(80)]) {
        expect(childName(owner("1", name), suffix)).toMatch(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/);
      }
    }
  });
});

test("conditions carry the generation, keep the time of the last transition, and are the same array if nothing changed", async () => {
  const clock = new FakeClock();
  const ready: Condition = {
    type: "Ready",
    status: "True",
    reason: "Up",
    message: "",
    observedGeneration: 3,
    lastTransitionTime: "2019-01-01T00:00:00Z",
  };
  const object = {
    apiVersion: "v1",
    kind: "X",
    metadata: { name: "x", generation: 3 },
    status: { conditions: [ready] },
  };
  const same = { type: "Ready", status: "True", reason: "Up", message: "" } as const;
  expect(withConditions(object, [same], { clock })).toBe(object.status.conditions);
  const next = { ...object, metadata: { ...object.metadata, generation: 4 } };
  expect(
    withConditions(next, [same, { type: "Synced", status: "False", reason: "Busy", message: "" }], { clock }),
  ).toEqual([
    { ...ready, observedGeneration: 4 },
    {
      type: "Synced",
      status: "False",
      reason: "Busy",
      message: "",
      observedGeneration: 4,
      lastTransitionTime: "2020-01-01T00:00:00Z",
    },
  ]);
});
