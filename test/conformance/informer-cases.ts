/**
 * The informers' promises as cases that every server must pass through every transport: real, embedded, with and
 * without sockets.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  compareRevisions,
  ConfigMap,
  CustomResourceDefinition,
  defineResource,
  type KubeObject,
  Namespace,
  parseLabelSelector,
} from "../../src/api/index.js";
import type { Client, ResourceClient } from "../../src/client/index.js";
import {
  type Deleted,
  DeletedFinalStateUnknown,
  type FactoryInformer,
  type FactoryOptions,
  SharedInformerFactory,
} from "../../src/informer/index.js";
import { eventually } from "../eventually.js";

interface InformerTarget extends AsyncDisposable {
  connect(): Promise<Client>;
}

export interface InformerCasesOptions {
  start(): Promise<InformerTarget>;
  /** The reason why there is no such server here; the cases are then skipped with it. */
  readonly absent?: string | undefined;
}

interface Foo extends KubeObject {
  readonly spec?: { readonly size: number };
}

/** A handler that records its calls in short form. */
export function diary<T extends KubeObject>(
  informer: FactoryInformer<T>,
): { readonly lines: string[]; readonly view: Map<string, T> } {
  const lines: string[] = [];
  const view = new Map<string, T>();
  const nameOf = (object: Deleted<T>): string =>
    object instanceof DeletedFinalStateUnknown ? (object.key.split("/").at(-1) as string) : object.metadata.name;
  informer.addEventHandler({
    onAdd(object, isInInitialList) {
      lines.push(`add ${nameOf(object)}${isInInitialList ? " initially" : ""}`);
      view.set(nameOf(object), object);
    },
    onUpdate(_previous, object) {
      lines.push(`update ${nameOf(object)}`);
      view.set(nameOf(object), object);
    },
    onDelete(object) {
      lines.push(`delete ${nameOf(object)}`);
      view.delete(nameOf(object));
    },
  });
  return { lines, view };
}

/** The server's objects as a cache holds them: by name, without managedFields. */
export async function listed<T extends KubeObject>(resource: ResourceClient<T>): Promise<Map<string, T>> {
  const { items } = await resource.listAll();
  return new Map(
    items.map((item) => {
      const { managedFields: _, ...metadata } = item.metadata;
      return [item.metadata.name, { ...item, metadata }];
    }),
  );
}

export function cachedByName<T extends KubeObject>(informer: FactoryInformer<T>): Map<string, T> {
  return new Map(informer.indexer.list().map((object) => [object.metadata.name, object]));
}

export function informerCases(title: string, options: InformerCasesOptions): void {
  const reason = options.absent === undefined ? "" : ` (skipped: ${options.absent})`;
  describe.skipIf(options.absent !== undefined)(`informers on ${title}${reason}`, () => {
    let target: InformerTarget;
    let client: Client;
    const namespace = `informer-${randomUUID().slice(0, 8)}`;

    beforeAll(async () => {
      target = await options.start();
      client = await target.connect();
      await client.resource(Namespace).create({ metadata: { name: namespace } });
    });

    afterAll(async () => {
      await client?.[Symbol.asyncDispose]();
      await target?.[Symbol.asyncDispose]();
    });

    const configMaps = (): ResourceClient<ConfigMap> => client.resource(ConfigMap, { namespace });
    const labelled = (group: string, name: string, value = "0") => ({
      metadata: { name, labels: { group } },
      data: { value },
    });
    const factoryFor = (group: string, more: FactoryOptions = {}): SharedInformerFactory =>
      new SharedInformerFactory(client, { namespace, labelSelector: `group=${group}`, ...more });

    for (const [how, tuning] of [
      ["streaming", {}],
      ["listing", { useWatchList: false }],
      ["listing in pages", { useWatchList: false, pageSize: 3 }],
    ] as const)
      test(`${how}: the initial objects, then each change, and in the end what the server has`, async () => {
        const group = `follow-${randomUUID().slice(0, 8)}`;
        const name = (n: number): string => `${group}-${n}`;
        for (let n = 0; n < 8; n++) await configMaps().create(labelled(group, name(n)));
        // an informer's first list may come from the server's cache, which is behind for a moment
        await eventually("the server's cache has all", async () => {
          const { items } = await configMaps().list({ labelSelector: `group=${group}`, resourceVersion: "0" });
          return items.length === 8;
        });
        const factory = factoryFor(group, { tuning });
        const informer = factory.informer(ConfigMap);
        const { lines, view } = diary(informer);
        await using _ = factory.start();
        await factory.waitForCacheSync({ signal: AbortSignal.timeout(60_000) });
        await eventually("the handler saw all initial objects", () => lines.length === 8);
        expect(new Set(lines)).toEqual(new Set(Array.from({ length: 8 }, (_unused, n) => `add ${name(n)} initially`)));
        lines.length = 0;
        await configMaps().create(labelled(group, name(8)));
        await configMaps().patch(name(0), { merge: { data: { value: "1" } } });
        await configMaps().delete(name(1));
        await eventually("the changes arrived", () => lines.length === 3);
        expect(lines).toEqual([`add ${name(8)}`, `update ${name(0)}`, `delete ${name(1)}`]);
        const server = await listed(client.resource(ConfigMap, { namespace }));
        for (const [key] of server) if (!key.startsWith(group)) server.delete(key);
        expect(cachedByName(informer)).toEqual(server);
        expect(view).toEqual(server);
        expect(informer.lister.namespace(namespace).get(name(0)).data).toEqual({ value: "1" });
        expect(informer.lister.list(parseLabelSelector(`group=${group}`))).toHaveLength(8);
        expect(informer.reflector?.isWatching).toBe(true);
      });

    test("an object that leaves the selector is deleted from the cache, one that enters it is added", async () => {
      const group = `select-${randomUUID().slice(0, 8)}`;
      await configMaps().create(labelled(group, `${group}-in`));
      await configMaps().create(labelled("elsewhere", `${group}-out`));
      const factory = factoryFor(group);
      const { lines } = diary(factory.informer(ConfigMap));
      await using _ = factory.start();
      await factory.waitForCacheSync({ signal: AbortSignal.timeout(60_000) });
      await configMaps().patch(`${group}-in`, { merge: { metadata: { labels: { group: "elsewhere" } } } });
      await configMaps().patch(`${group}-out`, { merge: { metadata: { labels: { group } } } });
      await eventually("both moved", () => lines.length === 3);
      expect(lines).toEqual([`add ${group}-in initially`, `delete ${group}-in`, `add ${group}-out`]);
    });

    test("a handler that joins late is told of everything, and an index that is added late is complete", async () => {
      const group = `late-${randomUUID().slice(0, 8)}`;
      for (const n of [1, 2, 3]) await configMaps().create(labelled(group, `${group}-${n}`, String(n % 2)));
      const factory = factoryFor(group);
      const informer = factory.informer(ConfigMap);
      await using _ = factory.start();
      await factory.waitForCacheSync({ signal: AbortSignal.timeout(60_000) });
      informer.addIndexers({ byValue: (map) => [map.data?.["value"] ?? ""] });
      expect(informer.indexer.indexKeys("byValue", "1")).toEqual([
        `${namespace}/${group}-1`,
        `${namespace}/${group}-3`,
      ]);
      const { lines } = diary(informer);
      await eventually("the late handler saw all", () => lines.length === 3);
      expect(lines.every((line) => line.endsWith("initially"))).toBe(true);
    });

    test("a metadata-only informer holds metadata and nothing else", async () => {
      const group = `meta-${randomUUID().slice(0, 8)}`;
      await configMaps().create(labelled(group, `${group}-a`));
      const factory = factoryFor(group);
      const informer = factory.metadata(ConfigMap);
      await using _ = factory.start();
      await factory.waitForCacheSync({ signal: AbortSignal.timeout(60_000) });
      const [object] = informer.indexer.list();
      expect(object).toMatchObject({
        kind: "PartialObjectMetadata",
        metadata: { name: `${group}-a`, labels: { group } },
      });
      expect(Object.keys(object ?? {}).sort()).toEqual(["apiVersion", "kind", "metadata"]);
      await configMaps().patch(`${group}-a`, { merge: { metadata: { labels: { more: "yes" } } } });
      await eventually("the change arrived", () => informer.indexer.list()[0]?.metadata.labels?.["more"] === "yes");
    });

    test("a kind that is defined at run time is informed of like any other", async () => {
      const plural = `foos${randomUUID().slice(0, 8)}`;
      const group = "informers.example.com";
      await client.resource(CustomResourceDefinition).create({
        metadata: { name: `${plural}.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural, singular: plural.slice(0, -1), kind: "Foo", listKind: "FooList" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            },
          ],
        },
      });
      const Foo = defineResource<Foo>({ group, version: "v1", kind: "Foo", plural, scope: "Namespaced" });
      const foos = client.resource(Foo, { namespace });
      await eventually("the new kind is served", async () => (await foos.list().catch(() => undefined)) !== undefined);
      const factory = new SharedInformerFactory(client, { namespace });
      const informer = factory.informer(Foo);
      const { lines } = diary(informer);
      await using _ = factory.start();
      await foos.create({ metadata: { name: "one" }, spec: { size: 3 } });
      await factory.waitForCacheSync({ signal: AbortSignal.timeout(60_000) });
      await eventually("the object arrived", () => informer.indexer.size === 1);
      await foos.patch("one", { merge: { spec: { size: 4 } } });
      await eventually("the change arrived", () => informer.lister.namespace(namespace).find("one")?.spec?.size === 4);
      expect(cachedByName(informer)).toEqual(await listed(foos));
      await eventually("the handler was told", () => lines.at(-1) === "update one");
      await client.resource(CustomResourceDefinition).delete(`${plural}.${group}`);
    });

    test("a kind that the server does not have is reported and tried again; others are not affected", async () => {
      const Missing = defineResource({
        group: "nowhere.example.com",
        version: "v1",
        kind: "Missing",
        plural: "missings",
        scope: "Namespaced",
      });
      const errors: unknown[] = [];
      const factory = new SharedInformerFactory(client, { namespace, onWatchError: (error) => errors.push(error) });
      const missing = factory.informer(Missing);
      const present = factory.informer(ConfigMap);
      await using _ = factory.start();
      await eventually("the other one has synced", () => present.hasSynced);
      await eventually("the failure was reported", () => errors.length > 0);
      expect(errors[0]).toMatchObject({ code: 404 });
      expect(missing.hasSynced).toBe(false);
      expect(missing.reflector?.lastError).toMatchObject({ code: 404 });
    });

    test("the cache's revision reaches that of one's own write", async () => {
      const group = `write-${randomUUID().slice(0, 8)}`;
      const factory = factoryFor(group);
      const informer = factory.informer(ConfigMap);
      await using _ = factory.start();
      await factory.waitForCacheSync({ signal: AbortSignal.timeout(60_000) });
      const written = await configMaps().create(labelled(group, `${group}-a`));
      await eventually(
        "the cache caught up",
        () => compareRevisions(informer.lastStoreSyncResourceVersion, written.metadata.resourceVersion ?? "") >= 0,
      );
      expect(informer.indexer.get(`${namespace}/${group}-a`)?.metadata.uid).toBe(written.metadata.uid);
    });
  });
}
