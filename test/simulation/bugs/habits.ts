/** Bugs of habit: code that reads well, works on every good day, and relies on what nobody promises. */
import { ConfigMap, isAlreadyExists, isNotFound, newControllerRef, Secret } from "../../../src/api/index.js";
import { watch } from "../../../src/controller/index.js";
import type { ScenarioTools } from "../../../src/testing/index.js";
import { managerWith } from "../operators.js";
import { acto, type Bug, forMaps, namespace, secretOf, stale, unobserved } from "./bug.js";
import { childOf, Cluster, clusters, definition, forClusters } from "./kind.js";

/** The users make an object, and delete it when it has settled. */
async function madeAndDeleted({ client, sleep }: ScenarioTools): Promise<void> {
  const maps = client.resource(ConfigMap, { namespace });
  await maps.create({ metadata: { name: "a" }, data: { size: "2" } });
  await sleep(5_000);
  await maps.delete("a");
  await sleep(2_000);
}

const finalizer = "example.com/habits";

export const habits: readonly Bug[] = [
  {
    name: "put-without-a-version",
    about: "A whole object from the cache is put without its version, over what others wrote since.",
    source: `${stale}; also the API conventions on concurrency control`,
    controller: (mended) => ({
      ...forMaps,
      name: "puts",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const size = Buffer.from(object.data?.["size"] ?? "").toString("base64");
        const child = cache.get(Secret, { namespace, name });
        if (child === undefined) {
          await client.create(secretOf(object));
          return;
        }
        if (child.data?.["size"] === size) return;
        if (mended) await client.patch(child, { merge: { data: { size } } });
        else {
          const { resourceVersion: _, ...metadata } = child.metadata;
          await client.update({ ...child, metadata, data: { size } });
        }
      },
    }),
  },
  {
    name: "names-that-collide",
    about: "The names of children are joined from two parts, so that two owners ask for the same child.",
    source: "issue trackers of operators: names cut or joined without a separator that is reserved",
    async scenario({ client, sleep }) {
      const maps = client.resource(ConfigMap, { namespace });
      await maps.create({ metadata: { name: "a" }, data: { part: "b-c", size: "1" } });
      await maps.create({ metadata: { name: "a-b" }, data: { part: "c", size: "2" } });
      await sleep(2_000);
    },
    controller: (mended) => ({
      ...forMaps,
      name: "joins",
      async reconcile({ object, client }) {
        const { name } = object.metadata;
        const part = object.data?.["part"] ?? "";
        await client.apply(secretOf(object, mended ? `${name}.${part}` : `${name}-${part}`, {}));
      },
    }),
  },
  {
    name: "cleans-by-label",
    about: "Children without an owner are found by a label when they must go; one whose label is gone stays for ever.",
    source: `${unobserved}; leaked children in the issue trackers of storage operators`,
    scenario: madeAndDeleted,
    controller: (mended) => ({
      for: ConfigMap,
      reads: [Secret],
      writes: [Secret],
      name: "labels",
      predicates: [() => true],
      async reconcile({ object, client, cache }) {
        const { name, finalizers = [], deletionTimestamp } = object.metadata;
        const names = [0, 1].map((index) => `${name}-part-${index}`);
        if (deletionTimestamp === undefined) {
          if (!finalizers.includes(finalizer))
            await client.patch(object, { merge: { metadata: { finalizers: [finalizer] } } });
          for (const one of names)
            await client.apply({
              apiVersion: "v1",
              kind: "Secret",
              metadata: { name: one, namespace, labels: { part: name } },
            });
          return;
        }
        if (!finalizers.includes(finalizer)) return;
        const found = mended
          ? names.map((one) => ({ name: one, namespace }))
          : cache
              .list(Secret)
              .map(({ metadata }) => metadata)
              .filter(({ labels }) => labels?.["part"] === name);
        for (const { name: one } of found) {
          const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: one, namespace } };
          await client.delete(secret).catch((error: unknown) => {
            if (!isNotFound(error)) throw error;
          });
        }
        await client.patch(object, {
          merge: { metadata: { finalizers: finalizers.filter((one) => one !== finalizer) } },
        });
      },
    }),
  },
  {
    name: "phases-go-forward",
    about:
      "A machine of phases does each step in its phase, and nothing in the last one: a child that is lost stays so.",
    source: acto,
    ...definition,
    scenario: clusters,
    operator: (mended) => (tools) =>
      managerWith(tools, {
        ...forClusters,
        name: "phases",
        async reconcile({ object, client, cache }) {
          const phase = object.status?.phase ?? "";
          const isThere = cache.get(Secret, { namespace, name: object.metadata.name }) !== undefined;
          if (phase === "Running" && (!mended || isThere)) return;
          if (!isThere) await client.create(childOf(object, {}, {})).catch(ignoreExisting);
          await client.status(Cluster).patch(object, { phase: "Running" });
        },
      }),
  },
  {
    name: "remembers-the-uid",
    about: "The owner's uid is remembered by its name; one that is made again gets children that belong to the dead.",
    source: "client-go: names are used again, uids are not; the garbage collector deletes what a dead owner owns",
    world: { controllers: ["garbage-collector-controller"] },
    operator: (mended) => (tools) => {
      const owners = new Map<string, ReturnType<typeof newControllerRef>>();
      return managerWith(tools, {
        ...forMaps,
        name: "owners",
        async reconcile({ object, client }) {
          const { name } = object.metadata;
          const owner = mended ? newControllerRef(object) : (owners.get(name) ?? newControllerRef(object));
          owners.set(name, owner);
          const secret = secretOf(object);
          await client.apply({ ...secret, metadata: { ...secret.metadata, ownerReferences: [owner] } });
        },
      });
    },
  },
  {
    name: "hammers-the-server",
    about: "A write that is refused is sent again at once, thousands of times, until it is taken.",
    source: "API conventions: clients back off; the storms of retries in the issue trackers of operators",
    controller: (mended) => ({
      ...forMaps,
      name: "hammers",
      async reconcile({ object, client, signal }) {
        if (mended) {
          await client.apply(secretOf(object));
          return;
        }
        while (!signal.aborted) {
          try {
            await client.apply(secretOf(object));
            return;
          } catch {
            // again
          }
        }
      },
    }),
  },
  {
    name: "order-of-arrival",
    about: "Names are joined in the order in which this process heard of them.",
    source: "Go maps and caches have no order; lists of addresses that change with each restart",
    operator: (mended) => (tools) => {
      const heard = new Set<string>();
      return managerWith(tools, {
        for: ConfigMap,
        watches: [watch(Secret, () => [{ namespace, name: "c" }])],
        writes: [Secret],
        name: "arrivals",
        async reconcile({ object, client, cache }) {
          heard.add(object.metadata.name);
          const known = cache.list(ConfigMap).map(({ metadata }) => metadata.name);
          const names = mended ? known.toSorted() : [...heard];
          await client.apply({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: "all", namespace },
            stringData: { names: names.join(",") },
          });
        },
      });
    },
    async scenario({ client, sleep }) {
      const maps = client.resource(ConfigMap, { namespace });
      for (const name of ["c", "a", "b"]) {
        await maps.create({ metadata: { name }, data: { size: "1" } });
        await sleep(1_000);
      }
    },
  },
  {
    name: "named-by-the-time",
    about: "A thing that must be done once is named by the time at which it is done: another attempt does it again.",
    source: "issue trackers of back-up operators: two back-ups of one request after a restart or a clock that was set",
    async scenario({ client, sleep }) {
      const maps = client.resource(ConfigMap, { namespace });
      for (const name of ["a", "b"]) await maps.create({ metadata: { name }, data: { size: "1" } });
      await sleep(2_000);
    },
    operator: (mended) => (tools) =>
      managerWith(tools, {
        ...forMaps,
        name: "backups",
        predicates: [() => true],
        async reconcile({ object, client, cache }) {
          const { name, annotations } = object.metadata;
          if (!mended && annotations?.["backup"] === "done") return;
          const minute = Math.floor(tools.clock.now() / 60_000);
          const backup = mended ? `${name}-backup` : `${name}-${minute % 2 === 0 ? "even" : "odd"}`;
          if (cache.get(Secret, { namespace, name: backup }) === undefined)
            await client.create(secretOf(object, backup, {})).catch(ignoreExisting);
          if (annotations?.["backup"] !== "done")
            await client.patch(object, { merge: { metadata: { annotations: { backup: "done" } } } });
        },
      }),
  },
  {
    name: "changes-the-cache",
    about: "An object of the cache is changed in place before it is written.",
    source: "client-go: objects from a lister are shared and must not be changed",
    controller: (mended) => ({
      ...forMaps,
      name: "changes",
      async reconcile({ object, client, cache }) {
        const child = cache.get(Secret, { namespace, name: object.metadata.name });
        if (child === undefined) {
          await client.create(secretOf(object));
          return;
        }
        const size = Buffer.from(object.data?.["size"] ?? "").toString("base64");
        if (child.data?.["size"] === size) return;
        if (mended) {
          await client.update({ ...child, data: { size } });
          return;
        }
        Object.assign(child, { data: { size } });
        await client.update(child);
      },
    }),
  },
];

function ignoreExisting(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
