/**
 * The client's promises as cases that every server must pass through every transport: real, embedded, with and without
 * sockets.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ConfigMap,
  Deployment,
  isAlreadyExists,
  isConflict,
  isInitialEventsEnd,
  isInvalid,
  isNotFound,
  type KubeObject,
  Namespace,
  Pod,
  ServiceAccount,
  StatusError,
  type WatchEvent,
} from "../../src/api/index.js";
import { type Client, type ClientOptions, type ResourceClient, retryOnConflict } from "../../src/client/index.js";

import { dynamicCases } from "./client-dynamic-cases.js";

interface ClientTarget extends AsyncDisposable {
  connect(options?: Omit<ClientOptions, "transport">): Promise<Client>;
}

export interface ClientCasesOptions {
  start(): Promise<ClientTarget>;
  /** The reason why there is no such server here; the cases are then skipped with it. */
  readonly absent?: string | undefined;
}

const containers = [{ name: "main", image: "example.test/a:1" }];
const draft = (name: string, labels: Record<string, string> = {}): { metadata: object; data: { k: string } } => ({
  metadata: { name, labels },
  data: { k: "v" },
});
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
  },
});

export function clientCases(title: string, { start, absent }: ClientCasesOptions): void {
  const suffix = absent === undefined ? "" : ` (skipped: ${absent})`;
  describe.skipIf(absent !== undefined)(`the client against ${title}${suffix}`, () => {
    let target: ClientTarget;
    let client: Client;
    beforeAll(async () => {
      target = await start();
      client = await target.connect({ fieldManager: "coxswain-test" });
      // opens the connection that all cases share, so that none of them is blamed for it
      await client.discovery.version();
    });
    afterAll(async () => {
      await client?.[Symbol.asyncDispose]();
      await target?.[Symbol.asyncDispose]();
    });

    /** A namespace of its own for each case. */
    async function place(): Promise<string> {
      const { metadata } = await client.resource(Namespace).create({ metadata: { generateName: "client-" } });
      return metadata.name;
    }
    async function maps(): Promise<ResourceClient<ConfigMap>> {
      return client.resource(ConfigMap, { namespace: await place() });
    }

    objectCases(maps);
    listCases(maps, () => client);
    writeCases(maps, () => client, place);
    watchCases(maps, () => target);
    dynamicCases(place, () => client);
    helperCases(maps);
  });
}

type Maps = () => Promise<ResourceClient<ConfigMap>>;

function objectCases(maps: Maps): void {
  test("an object is created, read, replaced and deleted; a stale replacement is a conflict", async () => {
    const resource = await maps();
    const made = await resource.create(draft("a"));
    expect(made).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { k: "v" } });
    expect(await resource.get("a")).toEqual(made);
    expect(await resource.in(undefined).get(made.metadata)).toEqual(made);
    const changed = await resource.update({ ...made, data: { k: "w" } });
    expect(changed.data).toEqual({ k: "w" });
    const stale = await resource.update({ ...made, data: { k: "x" } }).catch((error: unknown) => error);
    expect(isConflict(stale)).toBe(true);
    expect(await resource.delete("a")).toMatchObject({ kind: "Status", status: "Success" });
    expect(await resource.getOrUndefined("a")).toBeUndefined();
  });

  test("a refusal names verb, resource, name and reason, and its stack the caller", async () => {
    const resource = await maps();
    async function theCaller(): Promise<void> {
      await resource.get("none");
    }
    const error = (await theCaller().catch((caught: unknown) => caught)) as StatusError;
    expect(error).toBeInstanceOf(StatusError);
    expect(isNotFound(error)).toBe(true);
    const where = `${resource.namespace}/none`;
    expect(error.message).toBe(`get configmaps ${where}: configmaps "none" not found (404 NotFound)`);
    expect(error.stack).toContain("theCaller");
    await resource.create(draft("a"));
    expect(isAlreadyExists(await resource.create(draft("a")).catch((caught: unknown) => caught))).toBe(true);
  });

  test("what would address something else is refused before it is sent", async () => {
    const resource = await maps();
    await expect(async () => resource.get("")).rejects.toThrow("the name of a ConfigMap may not be empty");
    await expect(async () => resource.get("../x")).rejects.toThrow("would address something else");
    await expect(async () => resource.in(undefined).get("a")).rejects.toThrow('ConfigMap "a" needs a namespace');
    await expect(async () => resource.get({ name: "a", namespace: "other" })).rejects.toThrow("is of namespace other");
  });

  test("a delete may demand a version or an identity", async () => {
    const resource = await maps();
    const { metadata } = await resource.create(draft("a"));
    const wrong = { preconditions: { uid: randomUUID() } };
    expect(isConflict(await resource.delete("a", wrong).catch((error: unknown) => error))).toBe(true);
    const { uid = "", resourceVersion = "" } = metadata;
    await resource.delete("a", { preconditions: { uid, resourceVersion }, propagationPolicy: "Background" });
    expect(await resource.getOrUndefined("a")).toBeUndefined();
  });
}

function listCases(maps: Maps, client: () => Client): void {
  test("lists are complete objects, chosen by label and field", async () => {
    const resource = await maps();
    await Promise.all(["a", "b", "c"].map((name) => resource.create(draft(name, { half: name < "c" ? "1" : "2" }))));
    const list = await resource.list({ labelSelector: { half: "1" } });
    expect(list).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
    expect(list.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
    expect(list.items.map(({ kind, apiVersion, metadata }) => [kind, apiVersion, metadata.name])).toEqual([
      ["ConfigMap", "v1", "a"],
      ["ConfigMap", "v1", "b"],
    ]);
    expect((await resource.list({ fieldSelector: "metadata.name=c" })).items.length).toBe(1);
    const everywhere = await resource.in(undefined).list({ labelSelector: "half=2" });
    expect(everywhere.items.some(({ metadata }) => metadata.namespace === resource.namespace)).toBe(true);
  });

  test("a long list comes in pages, together or one by one, at one revision", async () => {
    const resource = await maps();
    const names = Array.from({ length: 25 }, (_, index) => `m${String(index).padStart(2, "0")}`);
    await Promise.all(names.map((name) => resource.create(draft(name))));
    const nameOf = ({ metadata }: KubeObject): string => metadata.name;
    const all = await resource.listAll({ pageSize: 10, labelSelector: "" });
    expect(all.paginated).toBe(true);
    expect(all.metadata.continue).toBeUndefined();
    expect(all.items.map(nameOf)).toEqual(names);
    const once: string[] = [];
    for await (const item of resource.each({ pageSize: 7 })) once.push(nameOf(item));
    expect(once).toEqual(names);
    const page = await resource.list({ limit: 10 });
    expect([page.items.length, page.metadata.remainingItemCount]).toEqual([10, 15]);
    expect((await resource.listAll()).paginated).toBe(false);
  });

  test("an unusable continue token is an error, not an empty list", async () => {
    const resource = await maps();
    const error = await resource.list({ limit: 1, continue: "nonsense" }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StatusError);
  });

  test("a collection is deleted by what it selects", async () => {
    const resource = await maps();
    for (const name of ["a", "b", "c"]) await resource.create(draft(name, { gone: String(name !== "c") }));
    await resource.deleteCollection({ labelSelector: "gone=true" });
    expect((await resource.list()).items.map(({ metadata }) => metadata.name)).toEqual(["c"]);
  });

  test("metadata can be had alone", async () => {
    const resource = await maps();
    await resource.create(draft("a", { x: "y" }));
    const metadata = client().metadata(ConfigMap, { namespace: resource.namespace });
    const list = await metadata.list();
    expect(list.kind).toBe("PartialObjectMetadataList");
    expect(list.items).toMatchObject([{ kind: "PartialObjectMetadata", metadata: { name: "a", labels: { x: "y" } } }]);
    expect(Object.keys(await metadata.get("a"))).not.toContain("data");
    for await (const { type, object } of metadata.watch({ resourceVersion: "0" })) {
      if (type === "BOOKMARK") continue;
      expect([type, object.kind, "data" in object]).toEqual(["ADDED", "PartialObjectMetadata", false]);
      break;
    }
  });
}

function writeCases(maps: Maps, client: () => Client, place: () => Promise<string>): void {
  test("patches change what they say, in three languages", async () => {
    const namespace = await place();
    const resource = client().resource(Deployment, { namespace });
    await resource.create(deployment("d"));
    const merged = await resource.patch("d", { merge: { metadata: { labels: { a: "1" } } } });
    expect(merged.metadata.labels).toEqual({ a: "1" });
    const stepped = await resource.patch("d", { json: [{ op: "replace", path: "/spec/replicas", value: 3 }] });
    expect(stepped.spec?.replicas).toBe(3);
    const sidecar = { name: "side", image: "example.test/b:1" };
    const strategic = { spec: { template: { spec: { containers: [sidecar] } } } };
    const both = await resource.patch("d", { strategic });
    expect(both.spec?.template.spec?.containers.map(({ name }) => name).toSorted()).toEqual(["main", "side"]);
    const locked = { old: merged, now: { ...merged, metadata: { ...merged.metadata, labels: { a: "2" } } } };
    const outdated = resource.patchFrom(locked.old, locked.now, { optimisticLock: true });
    expect(isConflict(await outdated.catch((error: unknown) => error))).toBe(true);
    expect((await resource.patchFrom(locked.old, locked.now)).metadata.labels).toEqual({ a: "2" });
    expect(await resource.patchFrom(both, both)).toBe(both);
  });

  test("an apply owns its fields, conflicts with others' and can take them over", async () => {
    const resource = await maps();
    const applied = await resource.apply({ metadata: { name: "a" }, data: { mine: "1" } }, { fieldManager: "one" });
    expect(applied.data).toEqual({ mine: "1" });
    const theirs = { metadata: { name: "a" }, data: { mine: "2" } };
    const refused = await resource.apply(theirs, { fieldManager: "two" }).catch((error: unknown) => error);
    expect(isConflict(refused)).toBe(true);
    expect((await resource.apply(theirs, { fieldManager: "two", force: true })).data).toEqual({ mine: "2" });
    expect((await resource.get("a")).metadata.managedFields?.map(({ manager }) => manager)).toContain("two");
  });

  test("a dry run answers and stores nothing", async () => {
    const resource = await maps();
    expect((await resource.create(draft("a"), { dryRun: true })).metadata.uid).toBeTruthy();
    expect(await resource.getOrUndefined("a")).toBeUndefined();
  });

  test("unknown fields are refused when validation is strict", async () => {
    const resource = await maps();
    const odd = { ...draft("a"), colour: "red" };
    const strict = await resource.create(odd, { fieldValidation: "Strict" }).catch((error: unknown) => error);
    expect(String(strict)).toContain('unknown field "colour"');
  });

  test("an invalid object is refused with its field", async () => {
    const error = await (await maps()).create(draft("Not_A_Name")).catch((caught: unknown) => caught);
    expect(isInvalid(error)).toBe(true);
    expect((error as Error).message).toContain('ConfigMap "Not_A_Name" is invalid: metadata.name');
  });

  test("status and scale have verbs of their own", async () => {
    const resource = client().resource(Deployment, { namespace: await place() });
    const made = await resource.create(deployment("d"));
    const now = await resource.status.update({ ...made, status: { replicas: 1, observedGeneration: 1 } });
    expect(now.status?.replicas).toBe(1);
    await resource.status.patch("d", { merge: { status: { replicas: 2 } } });
    expect((await resource.get("d")).status?.replicas).toBe(2);
    const scale = await resource.scale.get("d");
    expect([scale.kind, scale.spec?.replicas]).toEqual(["Scale", 2]);
    await resource.scale.patch("d", { merge: { spec: { replicas: 5 } } });
    const changed = await resource.scale.get("d");
    await resource.scale.update({ ...changed, spec: { replicas: 4 } });
    expect((await resource.get("d")).spec?.replicas).toBe(4);
  });

  test("pods are bound and evicted, and tokens given, through what is posted to subresources", async () => {
    const namespace = await place();
    const pods = client().resource(Pod, { namespace });
    await pods.create({ metadata: { name: "p" }, spec: { containers } });
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
    await pods.subresource("binding").create("p", binding);
    expect((await pods.get("p")).spec?.nodeName).toBe("n");
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p", namespace } };
    await pods.subresource("eviction").create("p", { ...eviction, deleteOptions: { gracePeriodSeconds: 0 } });
    expect(await pods.getOrUndefined("p")).toBeUndefined();
    const accounts = client().resource(ServiceAccount, { namespace });
    await accounts.create({ metadata: { name: "robot" } });
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [] } };
    const answer = await accounts.subresource("token").create<{ status: { token: string } }>("robot", request);
    expect(answer.status.token.split(".").length).toBe(3);
  });
}

function watchCases(maps: Maps, target: () => ClientTarget): void {
  test("events of one resource arrive in revision order: what happened since the list's revision, and no more", async () => {
    const resource = await maps();
    await resource.create(draft("before"));
    const { resourceVersion = "" } = (await resource.list()).metadata;
    const made = await resource.create(draft("a"));
    await resource.update({ ...made, data: { k: "w" } });
    await resource.delete("a");
    const seen: string[] = [];
    for await (const event of resource.watch({ resourceVersion })) {
      if (event.type === "BOOKMARK") continue;
      seen.push(`${event.type} ${event.object.metadata.name} ${event.object.data?.["k"]} ${event.object.kind}`);
      if (event.type === "DELETED") break;
    }
    expect(seen).toEqual(["ADDED a v ConfigMap", "MODIFIED a w ConfigMap", "DELETED a w ConfigMap"]);
  });

  test("a streamed list ends with its bookmark and goes on as a watch", async () => {
    const resource = await maps();
    await resource.create(draft("a"));
    const names: string[] = [];
    for await (const event of resource.watch({ sendInitialEvents: true, resourceVersion: "" })) {
      if (isInitialEventsEnd(event)) {
        names.push(`end ${event.object.metadata.resourceVersion !== ""}`);
        await resource.create(draft("b"));
      } else if (event.type === "ADDED") names.push(event.object.metadata.name);
      if (names.length === 3) break;
    }
    expect(names).toEqual(["a", "end true", "b"]);
  });

  test("a watch that the server ends in its time ends without an error", async () => {
    const resource = await maps();
    const events: WatchEvent<ConfigMap>[] = [];
    for await (const event of resource.watch({ timeoutSeconds: 1, allowWatchBookmarks: false })) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([]);
  });

  test("a hundred and twenty watches at a time do not hold up a write, and all see it", async () => {
    const resource = await maps();
    const { resourceVersion = "" } = (await resource.list()).metadata;
    const stop = new AbortController();
    const watches = Array.from({ length: 120 }, () => resource.watch({ resourceVersion, signal: stop.signal }));
    await Promise.all(watches.map((watch) => watch.open()));
    const firsts = watches.map(async (watch) => {
      for await (const event of watch) if (event.type === "ADDED") return event.object.metadata.name;
      return "none";
    });
    await resource.create(draft("seen"));
    expect(new Set(await Promise.all(firsts))).toEqual(new Set(["seen"]));
    stop.abort();
  });

  test("warnings of the server reach whoever listens", async () => {
    const warnings: string[] = [];
    await using other = await target().connect({ onWarning: (text, call) => warnings.push(`${call}: ${text}`) });
    const { namespace } = await maps();
    const resource = other.resource(ConfigMap, { namespace });
    await resource.create({ ...draft("a"), colour: "red" } as unknown as ConfigMap, { fieldValidation: "Warn" });
    expect(warnings).toEqual([`create configmaps in ${namespace}: unknown field "colour"`]);
  });
}

function helperCases(maps: Maps): void {
  test("createOrUpdate creates, updates and leaves alone", async () => {
    const resource = await maps();
    const wanted = (k: string) => (current: ConfigMap | undefined) => ({ metadata: {}, ...current, data: { k } });
    expect((await resource.createOrUpdate("a", wanted("1"))).operation).toBe("created");
    expect((await resource.createOrUpdate("a", wanted("1"))).operation).toBe("unchanged");
    const { operation, object } = await resource.createOrUpdate("a", wanted("2"));
    expect([operation, object.data]).toEqual(["updated", { k: "2" }]);
  });

  test("retryOnConflict makes concurrent changes all count", async () => {
    const resource = await maps();
    await resource.create({ metadata: { name: "a" }, data: { count: "0" } });
    const increment = async (): Promise<ConfigMap> => {
      const current = await resource.get("a");
      return resource.update({ ...current, data: { count: String(Number(current.data?.["count"]) + 1) } });
    };
    await Promise.all(Array.from({ length: 5 }, () => retryOnConflict(increment, { attempts: 50 })));
    expect((await resource.get("a")).data).toEqual({ count: "5" });
  });

  test("waitFor sees what comes and what goes", async () => {
    const resource = await maps();
    const came = resource.waitFor("a", (map) => map?.data?.["k"] === "ready");
    const made = await resource.create(draft("a"));
    await resource.update({ ...made, data: { k: "ready" } });
    expect((await came)?.data).toEqual({ k: "ready" });
    const went = resource.waitFor("a", (map) => map === undefined);
    await resource.delete("a");
    expect(await went).toBeUndefined();
    const late = resource.waitFor("b", (map) => map !== undefined, { timeoutMs: 30 });
    await expect(late).rejects.toThrow('ConfigMap "b" is not as wanted after 30 ms');
  });
}
