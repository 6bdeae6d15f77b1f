/** Bugs around deletion: state of the past that deletes the present, finalizers, clean-up that cannot end. */
import { ConfigMap, type KubeObject, Secret } from "../../../src/api/index.js";
import { watch } from "../../../src/controller/index.js";
import type { ScenarioTools } from "../../../src/testing/index.js";
import { type Bug, forMaps, intermediate, namespace, ownedBy, secretOf, sizeOf, stale } from "./bug.js";

const mine = "example.com/mine";

const data = (name: string): { readonly metadata: { readonly name: string } } => ({ metadata: { name } });

const gone = async ({ client, sleep }: ScenarioTools, name: string): Promise<void> => {
  while ((await client.resource(ConfigMap, { namespace }).getOrUndefined(name)) !== undefined) await sleep(100);
};

const withFinalizers = (
  finalizers: readonly string[],
): { readonly metadata: { readonly finalizers: readonly string[] } } => ({ metadata: { finalizers } });

export const deletion: readonly Bug[] = [
  {
    name: "deletes-by-name",
    about: "A deletion of the past, seen again after a restart, deletes the data of the present object of that name.",
    source: `${stale}; pravega/zookeeper-operator#312, instaclustr/cassandra-operator#402`,
    scenario: async (tools) => {
      const { client, sleep } = tools;
      const maps = client.resource(ConfigMap, { namespace });
      const secrets = client.resource(Secret, { namespace });
      for (const round of [1, 2]) {
        await secrets.create({ ...data("a-data"), stringData: { round: String(round) } });
        await maps.create({ metadata: { name: "a" } });
        await sleep(3_000);
        if (round === 2) return;
        while ((await maps.get("a")).metadata.finalizers === undefined) await sleep(100);
        await maps.delete("a");
        await gone(tools, "a");
      }
    },
    controller: (mended) => ({
      for: ConfigMap,
      reads: [Secret],
      writes: [Secret],
      name: "claims",
      predicates: [() => true],
      async reconcile({ object, client }) {
        const { name, finalizers = [], deletionTimestamp } = object.metadata;
        if (deletionTimestamp === undefined) {
          if (!finalizers.includes(mine)) await client.patch(object, { merge: withFinalizers([...finalizers, mine]) });
          return;
        }
        if (!finalizers.includes(mine)) return;
        const claim = await client.live(Secret, { namespace, name: `${name}-data` });
        const now = mended ? await client.reread(object) : object;
        if (now?.metadata.deletionTimestamp === undefined) return;
        if (claim !== undefined) await client.delete(claim);
        const left = (now.metadata.finalizers ?? []).filter((one) => one !== mine);
        await client.patch(now, { merge: withFinalizers(left) });
      },
    }),
  },
  {
    name: "scales-down-by-the-past",
    about: "The size of the past, seen again after a restart, deletes the claims of the present.",
    source: `${stale}; pravega/zookeeper-operator#314, instaclustr/cassandra-operator#407`,
    scenario: async ({ client, sleep }) => {
      const maps = client.resource(ConfigMap, { namespace });
      const secrets = client.resource(Secret, { namespace });
      await secrets.create(data("a-0"));
      await secrets.create(data("a-1"));
      await maps.create({ metadata: { name: "a" }, data: { size: "2" } });
      await sleep(1_000);
      await maps.patch("a", { merge: { data: { size: "1" } } });
      while ((await secrets.getOrUndefined("a-1")) !== undefined) await sleep(100);
      await maps.patch("a", { merge: { data: { size: "2" } } });
      await secrets.create(data("a-1"));
      await sleep(3_000);
    },
    controller: (mended) => ({
      for: ConfigMap,
      reads: [Secret],
      writes: [Secret],
      name: "shrinks",
      async reconcile({ object, client }) {
        const { name } = object.metadata;
        const claim = await client.live(Secret, { namespace, name: `${name}-1` });
        // the claim first, then the size: a claim that is made after the size was read has another uid
        const now = mended ? await client.reread(object) : object;
        if (claim !== undefined && now !== undefined && sizeOf(now) < 2) await client.delete(claim);
      },
    }),
  },
  {
    name: "takes-all-finalizers",
    about: "To let a child go, its finalizers are emptied, those of others with them.",
    source: "issue trackers of well-known operators: finalizers set to null; kubernetes/kubernetes#60807",
    scenario: async (tools) => {
      const { client, sleep } = tools;
      const maps = client.resource(ConfigMap, { namespace });
      await maps.create({ metadata: { name: "a" }, data: { size: "1" } });
      await sleep(5_000);
      await maps.patch("a", { merge: { data: { size: "0" } } });
      await sleep(5_000);
    },
    controller: (mended) => ({
      ...forMaps,
      name: "empties",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const child = cache.get(Secret, { namespace, name });
        if (sizeOf(object) > 0) {
          if (child === undefined)
            await client.create({
              ...secretOf(object),
              metadata: { name, namespace, finalizers: [mine], ownerReferences: ownedBy(object) },
            });
          return;
        }
        if (child === undefined) return;
        await client.delete(child);
        const now = await client.reread(child);
        if (now?.metadata.finalizers?.includes(mine) !== true) return;
        const left = mended ? now.metadata.finalizers.filter((one) => one !== mine) : [];
        await client.patch(now, {
          merge: {
            metadata: { ...withFinalizers(left).metadata, resourceVersion: now.metadata.resourceVersion ?? "" },
          },
        });
      },
    }),
  },
  {
    name: "clean-up-needs-the-dead",
    about: "The clean-up needs a Secret that may be deleted first: then the deletion never ends.",
    source: "rabbitmq/messaging-topology-operator#277, 1Password/onepassword-operator#55",
    scenario: async (tools) => {
      const { client, sleep } = tools;
      const maps = client.resource(ConfigMap, { namespace });
      const secrets = client.resource(Secret, { namespace });
      await secrets.create(data("credentials"));
      await maps.create({ metadata: { name: "a" } });
      await sleep(2_000);
      await maps.delete("a");
      await sleep(500);
      await secrets.delete("credentials");
      await sleep(2_000);
    },
    controller: (mended) => ({
      for: ConfigMap,
      reads: [Secret],
      name: "needs",
      predicates: [() => true],
      async reconcile({ object, client }) {
        const { finalizers = [], deletionTimestamp } = object.metadata;
        if (deletionTimestamp === undefined) {
          if (!finalizers.includes(mine)) await client.patch(object, { merge: withFinalizers([...finalizers, mine]) });
          return;
        }
        if (!finalizers.includes(mine)) return;
        const credentials = await client.live(Secret, { namespace, name: "credentials" });
        if (credentials === undefined && !mended) throw new Error("the credentials are missing");
        await client.patch(object, { merge: withFinalizers(finalizers.filter((one) => one !== mine)) });
      },
    }),
  },
  {
    name: "next-free-name",
    about: "A name that exists is taken to be somebody else's: after a lost answer the next free one is used as well.",
    source: intermediate,
    controller: (mended) => ({
      ...forMaps,
      name: "names",
      async reconcile({ object, client, cache }) {
        if (cache.ownedBy(Secret, object).length > 0) return;
        for (const number of [1, 2, 3]) {
          const name = `${object.metadata.name}-${number}`;
          const there: KubeObject | undefined = await client.live(Secret, { namespace, name });
          const isMine = there?.metadata.ownerReferences?.[0]?.uid === object.metadata.uid;
          if (mended && isMine) return;
          if (there !== undefined) continue;
          await client.create(secretOf(object, name, {}));
          return;
        }
      },
    }),
  },
  {
    name: "finalizer-after-the-work",
    about: "The finalizer is set after the child is made: an owner that is deleted in between leaves the child behind.",
    source: "Operator SDK and kubebuilder, on finalizers: registered before the first thing that needs a clean-up",
    scenario: async (tools) => {
      const maps = tools.client.resource(ConfigMap, { namespace });
      await maps.create({ metadata: { name: "a" }, data: { size: "1" } });
      await tools.sleep(2_000);
      await maps.delete("a");
      await tools.sleep(3_000);
    },
    controller: (mended) => ({
      for: ConfigMap,
      watches: [watch(Secret, ({ object }) => [{ namespace, name: object.metadata.name.replace(/^child-/, "") }])],
      writes: [Secret],
      name: "late",
      async reconcile({ object, client }) {
        const { name, finalizers = [], deletionTimestamp } = object.metadata;
        const { metadata, ...child } = secretOf(object, `child-${name}`);
        const unowned = { ...child, metadata: { name: metadata.name, namespace } };
        if (deletionTimestamp !== undefined) {
          if (!finalizers.includes(mine)) return;
          const there = await client.live(Secret, unowned.metadata);
          if (there !== undefined) await client.delete(there);
          return void (await client.patch(object, { merge: withFinalizers(finalizers.filter((one) => one !== mine)) }));
        }
        const isSet = finalizers.includes(mine);
        if (mended && !isSet) await client.patch(object, { merge: withFinalizers([...finalizers, mine]) });
        await client.apply(unowned);
        if (!mended && !isSet) await client.patch(object, { merge: withFinalizers([...finalizers, mine]) });
      },
    }),
  },
];
