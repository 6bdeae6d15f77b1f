/** Bugs between two writes: work that is half done when the process dies, and never finished. */
import { Secret } from "../../../src/api/index.js";
import { type Bug, forMaps, intermediate, namespace, ownedBy, secretOf, sizeOf, stale } from "./bug.js";

const withAnnotation = (name: string, value: string): object => ({ metadata: { annotations: { [name]: value } } });

export const steps: readonly Bug[] = [
  {
    name: "first-means-all",
    about: "The first child is taken for a sign that all children are there.",
    source: intermediate,
    controller: (mended) => ({
      ...forMaps,
      name: "pairs",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const isThere = (suffix: string) => cache.get(Secret, { namespace, name: `${name}-${suffix}` }) !== undefined;
        if (!mended && isThere("one")) return;
        for (const suffix of ["one", "two"])
          if (!isThere(suffix)) await client.create(secretOf(object, `${name}-${suffix}`, {}));
      },
    }),
  },
  {
    name: "marked-before-done",
    about: "The owner is marked as done before the work is.",
    source: intermediate,
    controller: (mended) => ({
      ...forMaps,
      name: "marks",
      predicates: [() => true],
      async reconcile({ object, client }) {
        const size = object.data?.["size"] ?? "";
        if (!mended && object.metadata.annotations?.["done"] === size) return;
        if (!mended) await client.patch(object, { merge: withAnnotation("done", size) });
        await client.apply(secretOf(object));
        if (mended) await client.patch(object, { merge: withAnnotation("done", size) });
      },
    }),
  },
  {
    name: "hash-before-update",
    about: "The hash of the last applied state is stored before the state is applied.",
    source: intermediate,
    controller: (mended) => ({
      ...forMaps,
      name: "hashes",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const hash = JSON.stringify(object.data ?? {});
        const child = cache.get(Secret, { namespace, name });
        if (child === undefined) {
          await client.create(secretOf(object));
          return;
        }
        if (mended) {
          await client.apply(secretOf(object));
          return;
        }
        if (child.metadata.annotations?.["hash"] === hash) return;
        await client.patch(child, { merge: withAnnotation("hash", hash) });
        await client.patch(child, { merge: { stringData: object.data ?? {} } });
      },
    }),
  },
  {
    name: "two-passwords",
    about: "A generated value is written to two objects, and generated anew if the second is missing.",
    source: intermediate,
    controller: (mended) => ({
      ...forMaps,
      name: "passwords",
      async reconcile({ object, client, cache }) {
        const { name, uid = "" } = object.metadata;
        const known = cache.get(Secret, { namespace, name: `${name}-server` });
        const other = cache.get(Secret, { namespace, name: `${name}-client` });
        if (mended) {
          for (const suffix of ["server", "client"])
            await client.apply(secretOf(object, `${name}-${suffix}`, { password: `for ${name}` }));
          return;
        }
        if (known !== undefined && other !== undefined) return;
        // the number of tries stands for a random value
        const password = `${uid.slice(0, 0)}${known === undefined ? "first" : "second"}`;
        for (const suffix of ["server", "client"])
          if (cache.get(Secret, { namespace, name: `${name}-${suffix}` }) === undefined)
            await client.create(secretOf(object, `${name}-${suffix}`, { password }));
      },
    }),
  },
  {
    name: "cleanup-after-finalizer",
    about: "The finalizer goes before the clean-up is done.",
    source: intermediate,
    scenario: async ({ client, sleep }) => {
      const { ConfigMap } = await import("../../../src/api/index.js");
      const maps = client.resource(ConfigMap, { namespace });
      await maps.create({ metadata: { name: "a" }, data: { size: "1" } });
      await sleep(2_000);
      await maps.delete("a");
      await sleep(2_000);
    },
    controller: (mended) => ({
      for: forMaps.for,
      reads: [Secret],
      writes: [Secret],
      name: "cleans",
      predicates: [() => true],
      async reconcile({ object, client, cache }) {
        const { name, finalizers = [], deletionTimestamp } = object.metadata;
        const mine = "example.com/cleans";
        const secret = { ...secretOf(object, `${name}-data`, {}), metadata: { name: `${name}-data`, namespace } };
        if (deletionTimestamp === undefined) {
          if (!finalizers.includes(mine)) await client.patch(object, { merge: { metadata: { finalizers: [mine] } } });
          await client.apply(secret);
          return;
        }
        if (!finalizers.includes(mine)) return;
        const place = { namespace, name: `${name}-data` };
        // what the cache lacks may be there: nobody else will look for it later
        const child = mended ? await client.live(Secret, place) : cache.get(Secret, place);
        if (mended && child !== undefined) await client.delete(child);
        await client.patch(object, { merge: { metadata: { finalizers: [] } } });
        if (!mended && child !== undefined) await client.delete(child);
      },
    }),
  },
  {
    name: "renamed-in-memory",
    about: "The name of the child that must go is known to the process alone.",
    source: intermediate,
    controller: (mended) => {
      const last = new Map<string, string>();
      return {
        ...forMaps,
        name: "renames",
        async reconcile({ object, client, cache }) {
          const { name } = object.metadata;
          const wanted = `${name}-${sizeOf(object)}`;
          await client.apply(secretOf(object, wanted, {}));
          const children = cache.ownedBy(Secret, object).map(({ metadata }) => metadata.name);
          const old = mended ? children.filter((one) => one !== wanted) : [last.get(name) ?? wanted];
          for (const one of old) {
            const child = one === wanted ? undefined : cache.get(Secret, { namespace, name: one });
            if (child !== undefined) await client.delete(child);
          }
          last.set(name, wanted);
        },
      };
    },
  },
  {
    name: "counted-by-tries",
    about: "A number in the child is increased at each try, not for each change.",
    source: "kubebuilder's book on idempotent reconciliation; " + intermediate,
    controller: (mended) => ({
      ...forMaps,
      name: "counts",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const child = cache.get(Secret, { namespace, name });
        const size = object.data?.["size"] ?? "";
        const labels = child?.metadata.labels;
        if (labels?.["size"] === size) return;
        const generation = mended ? size : String(Number(labels?.["generation"] ?? "0") + 1);
        if (child === undefined) await client.create(secretOf(object, name, {}));
        const place = {
          ...secretOf(object, name, {}),
          metadata: { name, namespace, ownerReferences: ownedBy(object) },
        };
        await client.apply({ ...place, metadata: { ...place.metadata, labels: { generation } } });
        await client.apply({ ...place, metadata: { ...place.metadata, labels: { generation, size } } });
      },
    }),
  },
  {
    name: "generated-names",
    about: "A child with a generated name is made again when the cache does not show it yet.",
    source: stale,
    controller: (mended) => ({
      ...forMaps,
      name: "generates",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        if (cache.ownedBy(Secret, object).length > 0) return;
        if (mended) await client.apply(secretOf(object, `${name}-child`, {}));
        else
          await client.create({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { generateName: `${name}-`, namespace, ownerReferences: ownedBy(object) },
          });
      },
    }),
  },
];
