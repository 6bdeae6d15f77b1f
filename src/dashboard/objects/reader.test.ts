import { expect, test } from "vitest";
import { emptySources } from "../../../test/page/empty-sources.js";
import { ConfigMap, Event, Secret } from "../../api/index.js";
import { SharedInformerFactory } from "../../informer/index.js";
import { startCluster } from "../../testing/index.js";
import type { TreeNode } from "../wire.js";
import { ObjectReader } from "./reader.js";

const never = new AbortController().signal;

const namesOf = ({ name, children }: TreeNode): readonly string[] => [name, ...children.flatMap(namesOf)];

test("a moment of the past has its own object, tree, events and table", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const maps = client.resource(ConfigMap, { namespace: "default" });
  const secrets = client.resource(Secret, { namespace: "default" });
  const events = client.resource(Event, { namespace: "default" });
  const parent = await maps.create({ metadata: { name: "parent" }, data: { colour: "red" } });
  const { uid = "" } = parent.metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "parent", uid, controller: true }];
  const involvedObject = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "parent", uid };
  const first = await secrets.create({ metadata: { name: "first", ownerReferences } });
  await events.create({ metadata: { name: "early" }, involvedObject, reason: "Early", type: "Normal" });
  const then = await secrets.create({ metadata: { name: "marker" } });
  await secrets.delete(first.metadata.name);
  await secrets.create({ metadata: { name: "second", ownerReferences } });
  await events.create({ metadata: { name: "late" }, involvedObject, reason: "Late", type: "Normal" });
  await maps.patch("parent", { merge: { data: { colour: "blue" } } });

  const informers = new SharedInformerFactory(client);
  informers.informer(Secret);
  await using _running = informers.start();
  await informers.waitForCacheSync({ signal: AbortSignal.timeout(60_000) });
  const reader = new ObjectReader({
    ...emptySources(),
    client: () => client,
    informers: () =>
      Array.from(informers.informers.values(), (informer) => ({ cluster: "", informer: informer as never })),
  });
  const at = then.metadata.resourceVersion ?? "";
  const asked = { resource: "v1/configmaps", kind: "", namespace: "default", name: "parent" };
  const past = await reader.why({ ...asked, at, until: Infinity }, never);
  const now = await reader.why({ ...asked, at: "", until: Infinity }, never);
  expect([past.manifest, now.manifest]).toMatchObject([{ data: { colour: "red" } }, { data: { colour: "blue" } }]);
  expect([past.family, now.family].map((tree) => tree && namesOf(tree))).toEqual([
    ["parent", "first"],
    ["parent", "second"],
  ]);
  expect(past.familyProblem).toBeUndefined();
  expect(past.events.map(({ reason }) => reason)).toEqual(["Early"]);
  expect(now.events.map(({ reason }) => reason).toSorted()).toEqual(["Early", "Late"]);
  expect(past.revisions.map(({ revision }) => revision)).toEqual([parent.metadata.resourceVersion]);
  expect((await reader.events({ namespace: "default", at }, never)).map(({ reason }) => reason)).toEqual(["Early"]);
  const table = await reader.table({ resource: "v1/secrets", namespace: "default", at }, never);
  expect(table.rows.map(({ name }) => name)).toEqual(["first", "marker"]);
  const none = await reader.table({ resource: "v1/limitranges", namespace: "", at: "" }, never);
  expect([none.rows, none.more]).toEqual([[], 0]);
});

test("an owner of that moment is found from its dependent, and a later object was not there", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const maps = client.resource(ConfigMap, { namespace: "default" });
  const parent = await maps.create({ metadata: { name: "parent" } });
  const { uid = "" } = parent.metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "parent", uid, controller: true }];
  const child = await maps.create({ metadata: { name: "child", ownerReferences } });
  await maps.delete("parent");
  const reader = new ObjectReader({ ...emptySources(), client: () => client });
  const at = child.metadata.resourceVersion ?? "";
  const asked = { resource: "v1/configmaps", kind: "", namespace: "default", at, until: Infinity };
  expect((await reader.why({ ...asked, name: "child" }, never)).family).toMatchObject({ name: "parent" });
  await maps.create({ metadata: { name: "later" } });
  const later = await reader.why({ ...asked, name: "later" }, never);
  expect(later.problem).toBe("there was no ConfigMap later at that moment");
});
