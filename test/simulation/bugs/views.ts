/** Bugs of stale and missing views: decisions on a past that is over, or on a change that nobody saw. */
import { ConfigMap, Secret } from "../../../src/api/index.js";
import { watch } from "../../../src/controller/index.js";
import { type Bug, forMaps, namespace, ownedBy, secretOf, sizeOf, stale, unobserved } from "./bug.js";

export const views: readonly Bug[] = [
  {
    name: "counts-the-cache",
    about: "Missing children are counted in the cache and made with generated names: a stale count makes too many.",
    source: stale,
    controller: (mended) => ({
      ...forMaps,
      name: "scales",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        if (mended) {
          for (let i = 0; i < sizeOf(object); i++) await client.apply(secretOf(object, `${name}-${i}`, {}));
          return;
        }
        for (let have = cache.ownedBy(Secret, object).length; have < sizeOf(object); have++)
          await client.create({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { generateName: `${name}-`, namespace, ownerReferences: ownedBy(object) },
          });
      },
    }),
  },
  {
    name: "acts-on-the-previous-state",
    about:
      "The child of the previous state is deleted by comparing two states of one update, which a new list does not give.",
    source: unobserved,
    controller: (mended) => {
      const gone = new Set<string>();
      return {
        ...forMaps,
        name: "compares",
        watches: [
          watch(ConfigMap, (change) => {
            if (change.type === "updated")
              gone.add(`${change.object.metadata.name}-${sizeOf(change.previous as ConfigMap)}`);
            return [];
          }),
        ],
        async reconcile({ object, client, cache }) {
          const { name } = object.metadata;
          const wanted = `${name}-${sizeOf(object)}`;
          await client.apply(secretOf(object, wanted, {}));
          for (const child of cache.ownedBy(Secret, object)) {
            const isOld = mended ? child.metadata.name !== wanted : gone.has(child.metadata.name);
            if (isOld) await client.delete(child);
          }
        },
      };
    },
  },
  {
    name: "counts-changes",
    about: "Changes are counted as they are seen; of two between two looks one is lost.",
    source: unobserved,
    scenario: async ({ client, sleep }) => {
      const maps = client.resource(ConfigMap, { namespace });
      await maps.create({ metadata: { name: "a" }, data: { size: "1" } });
      await sleep(1_000);
      await maps.patch("a", { merge: { data: { size: "2" } } });
      await sleep(1_000);
      await maps.patch("a", { merge: { data: { size: "3" } } });
      await sleep(1_000);
    },
    controller: (mended) => ({
      ...forMaps,
      name: "observes",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const child = cache.get(Secret, { namespace, name });
        const [seen, count] = [child?.metadata.labels?.["seen"], Number(child?.metadata.labels?.["count"] ?? "0")];
        const size = object.data?.["size"] ?? "";
        if (seen === size) return;
        const labels = { seen: size, count: mended ? size : String(count + 1) };
        await client.apply({
          ...secretOf(object, name, {}),
          metadata: { name, namespace, ownerReferences: ownedBy(object), labels },
        });
      },
    }),
  },
  {
    name: "waits-for-a-moment",
    about: "A step waits to see a state that lasts only for a moment.",
    source: unobserved,
    scenario: async ({ client, sleep }) => {
      const maps = client.resource(ConfigMap, { namespace });
      await maps.create({ metadata: { name: "a" }, data: { phase: "idle" } });
      await sleep(1_000);
      await maps.patch("a", { merge: { data: { phase: "restarting" } } });
      await sleep(500);
      await maps.patch("a", { merge: { data: { phase: "idle", done: "yes" } } });
      await sleep(1_000);
    },
    controller: (mended) => ({
      ...forMaps,
      name: "waits",
      async reconcile({ object, client }) {
        const { name } = object.metadata;
        const isDue = mended ? object.data?.["done"] === "yes" : object.data?.["phase"] === "restarting";
        if (isDue) await client.apply(secretOf(object, `${name}-restarted`, {}));
      },
    }),
  },
  {
    name: "remembers-in-the-process",
    about: "Whether the child was made is remembered in the process: a deletion is never answered.",
    source: stale,
    controller: (mended) => {
      const made = new Set<string>();
      return {
        ...forMaps,
        name: "remembers",
        async reconcile({ object, client, cache }) {
          const { name } = object.metadata;
          if (!mended && made.has(name)) return;
          if (cache.get(Secret, { namespace, name: `${name}-child` }) === undefined)
            await client.create(secretOf(object, `${name}-child`, {}));
          made.add(name);
        },
      };
    },
  },
];
