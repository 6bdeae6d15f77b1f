/**
 * The client of one run: it skips writes that would change nothing, shows its writes in the cache, and notes them in
 * the journal.
 */
import { defined } from "../../base/defined.js";
import { messageOf, Recent, shown } from "../../base/index.js";
import { createHash } from "node:crypto";
import {
  apiVersionOf,
  applyMergePatch,
  changedPaths,
  deepEqual,
  type Draft,
  isNotFound,
  type KubeObject,
  type MergePatch,
  metaNamespaceKey,
  type ResourceType,
  resourceKey,
  semanticDerivative,
} from "../../api/index.js";
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  GetOptions,
  Patch,
  PatchOptions,
  WriteOptions,
} from "../../client/index.js";
import type { ClusterCache, ObjectPlace } from "../cache/cluster-cache.js";
import type { JournalWrite } from "../history/journal.js";
import { rivalsOf } from "../history/rivals.js";
import { comparable } from "../intake/change.js";
import type { ReconcileClient, StatusWriter } from "../reconcile-client.js";
import type { KeyRun } from "../loop/key-run.js";
import { Refusals } from "../loop/refusals.js";
import { traceAnnotation, type WriteFacts, writePoint } from "../trace.js";
import { ServerState } from "./server-state.js";
import {
  type OwnerOfRun,
  refuseChangedStatus,
  refuseDistantOwner,
  refuseStatus,
  refuseStatusPatch,
} from "./write-mistakes.js";
import { withoutStringData } from "./string-data.js";

/** The state that the clients of all runs of a controller share. */
export interface WriterEnvironment {
  readonly client: Pick<Client, "resource">;
  readonly cache: ClusterCache;
  readonly fieldManager: string;
  /** The kinds that the controller declared, by apiVersion and kind. */
  readonly types: ReadonlyMap<string, ResourceType>;
  /** A hash of the configuration that was applied last, by kind and key; the object itself may be large. */
  readonly applied: Recent<string, string>;
  readonly serverState: ServerState;
  readonly refusals: Refusals;
  /** Called if a reconciler changed the cached object of this kind and key, which it must not. */
  readonly onMutation: (kind: string, key: string) => void;
}

export function typesByKind(types: Iterable<ResourceType>): ReadonlyMap<string, ResourceType> {
  return new Map(Array.from(types, (type) => [kindId(type), type]));
}

export function newWriterEnvironment(
  options: Omit<WriterEnvironment, "applied" | "serverState" | "refusals">,
): WriterEnvironment {
  const { frozen } = options.cache;
  return {
    ...options,
    applied: new Recent({ weight: 10_000 }),
    serverState: new ServerState({ frozen }),
    refusals: new Refusals(),
  };
}

interface Attempt<T extends KubeObject> {
  readonly verb: JournalWrite["verb"];
  readonly type: ResourceType<T>;
  readonly object: Pick<T, "metadata">;
  /** The state before the write, as far as it is known. */
  readonly before: T | undefined;
  /** Whether the write is known to change the object; only a tracer asks. */
  changes(): boolean;
  send(): Promise<T>;
}

export class RunClient implements ReconcileClient {
  readonly #environment: WriterEnvironment;
  readonly #run: KeyRun;
  readonly #owner: () => OwnerOfRun;

  constructor(environment: WriterEnvironment, run: KeyRun, owner: () => OwnerOfRun) {
    this.#environment = environment;
    this.#run = run;
    this.#owner = owner;
  }

  create<T extends Draft<KubeObject> & Pick<KubeObject, "apiVersion" | "kind">>(
    object: T,
    options: WriteOptions = {},
  ): Promise<T & KubeObject> {
    const type = this.#typeOf(object) as unknown as ResourceType<T & KubeObject>;
    refuseDistantOwner(type, object as unknown as KubeObject, this.#owner());
    refuseStatus(type, "create", (object as { readonly status?: unknown }).status);
    const send = (): Promise<T & KubeObject> =>
      this.#environment.client.resource(type).create(object as never, this.#options(options));
    const made = object as unknown as T & KubeObject;
    return this.#write({ verb: "create", type, object: made, before: undefined, changes: () => true, send });
  }

  update<T extends KubeObject>(object: T, options: WriteOptions = {}): Promise<T> {
    const type = this.#typeOf(object);
    refuseDistantOwner(type, object, this.#owner());
    if (this.#environment.cache.isPartial(type))
      throw new TypeError(
        `update of ${type.kind}: its cache holds only some fields, and an update would drop the others; use patch or apply`,
      );
    const before = this.#cached(type, object);
    refuseChangedStatus(type, object, before);
    const looksSame = before !== undefined && isSameBut(before, object);
    const judged = looksSame ? this.#judge(type, before) : "unknown";
    if (looksSame && judged === "intact") return this.#skip("update", type, before);
    const { resourceVersion } = object.metadata;
    const send = async (): Promise<T> => {
      const answer = await this.#environment.client.resource(type).update(object, this.#options(options));
      // the write changed the object, although the cached object of the same revision equals it: so the cached one was
      // changed
      const wasChanged = looksSame && resourceVersion && answer.metadata.resourceVersion !== resourceVersion;
      if (wasChanged && judged === "unknown") this.#tellMutation(type, object);
      return answer;
    };
    const changes = (): boolean => before !== undefined && !looksSame;
    return this.#write({ verb: "update", type, object, before, changes, send });
  }

  patch<T extends KubeObject>(object: T, patch: Patch<NoInfer<T>>, options: PatchOptions = {}): Promise<T> {
    const type = this.#typeOf(object);
    refuseStatusPatch(type, patch as Patch<never>);
    const send = (): Promise<T> =>
      this.#environment.client.resource(type).patch(object.metadata, patch as Patch<T>, this.#options(options));
    const before = this.#cached(type, object) ?? object;
    const isKnown = "merge" in patch && !this.#environment.cache.isPartial(type);
    const changes = (): boolean => isKnown && !deepEqual(applyMergePatch(before, patch.merge), before);
    return this.#write({ verb: "patch", type, object, before, changes, send });
  }

  readonly apply: ReconcileClient["apply"] = (first: object, second?: object, third?: ApplyOptions) => {
    if (!("plural" in first)) return this.#apply(first as KubeObject, second ?? {}) as Promise<never>;
    const type = first as ResourceType;
    const object = { apiVersion: apiVersionOf(type), kind: type.kind, ...second } as KubeObject;
    return this.#apply(object, third ?? {}) as Promise<never>;
  };

  #apply<T extends KubeObject>(given: T, options: ApplyOptions): Promise<T> {
    const object = withoutStringData(given);
    const type = this.#typeOf(object);
    refuseDistantOwner(type, object, this.#owner());
    refuseStatus(type, "apply", (object as { readonly status?: unknown }).status);
    const { applied } = this.#environment;
    const id = `${resourceKey(type)} ${metaNamespaceKey(object)}`;
    const before = this.#cached(type, object);
    const hash = hashOf(object);
    const settled = before !== undefined && applied.get(id) === hash && semanticDerivative(object, before);
    if (settled && this.#judge(type, before) === "intact") return this.#skip("apply", type, before);
    const send = async (): Promise<T> => {
      const answer = await this.#environment.client
        .resource(type)
        .apply(object as never, this.#options({ force: true, ...options }));
      applied.set(id, hash);
      return answer;
    };
    const last = applied.get(id);
    return this.#write({
      verb: "apply",
      type,
      object,
      before,
      changes: () => last !== hash && this.#differs(object, before, last),
      send,
    });
  }

  /** Whether an apply surely brings something new; `last` is the hash of the one before, if this process has made it. */
  #differs(object: KubeObject, before: KubeObject | undefined, last: string | undefined): boolean {
    const { cache } = this.#environment;
    const type = this.#typeOf(object);
    if (before === undefined) return cache.has(type);
    return cache.isPartial(type) ? last !== undefined : !semanticDerivative(object, before);
  }

  async delete(object: KubeObject, options: DeleteOptions = {}): Promise<void> {
    const type = this.#typeOf(object);
    const { client, cache, serverState } = this.#environment;
    const { uid } = object.metadata;
    const preconditions = { ...defined({ uid }), ...options.preconditions };
    using _waiting = this.#run.facts.operation?.waiting();
    const name = { verb: "delete", kind: type.kind, key: metaNamespaceKey(object), fields: [] } as const;
    try {
      this.#run.facts.pass?.check();
      const answer = await client.resource(type).delete(object.metadata, { ...this.#options(options), preconditions });
      const stays = answer.kind !== "Status" && "name" in answer.metadata;
      const shown = stays ? cache.wrote(type, answer as KubeObject) : undefined;
      if (shown !== undefined) serverState.learn(type, shown);
      if (!stays) cache.deleted(type, object);
      this.#environment.refusals.allowed("delete", type);
      this.#run.record.wrote({ ...name, revision: "", outcome: "done" });
    } catch (error) {
      if (isNotFound(error)) {
        cache.deleted(type, object);
        this.#run.record.wrote({ ...name, revision: "", outcome: "skipped" });
        return;
      }
      this.#environment.refusals.failed("delete", type, error);
      this.#run.record.wrote({ ...name, revision: "", outcome: "failed", error: messageOf(error) });
      throw error;
    }
  }

  status<T extends KubeObject>(type: ResourceType<T>): StatusWriter<T> {
    return {
      patch: (object, fields, options = {}) => {
        const cached = this.#cached(type, object);
        const before = cached ?? object;
        const current = ((before as { status?: unknown }).status ?? {}) as Readonly<Record<string, unknown>>;
        // a field that the cache does not hold may have any value
        const isUnknown = cached === undefined || this.#environment.cache.isPartial(type);
        const known = isUnknown ? "unknown" : this.#judge(type, cached);
        const all = Object.entries(fields as Readonly<Record<string, unknown>>);
        const changed = known === "intact" ? all.filter(([name, value]) => !deepEqual(current[name], value)) : all;
        if (changed.length === 0) return this.#skip("status", type, before);
        const status = Object.fromEntries(changed.map(([name, value]) => [name, value === undefined ? null : value]));
        const { uid } = object.metadata;
        // the uid keeps a new object of the same name from getting its predecessor's status
        const merge = { ...(uid === undefined ? {} : { metadata: { uid } }), status } as MergePatch<T>;
        const resource = this.#environment.client.resource(type);
        const target = type.subresources.includes("status") ? resource.status : resource;
        const send = (): Promise<T> => target.patch(object.metadata, { merge }, this.#options(options));
        return this.#write({ verb: "status", type, object, before, changes: () => false, send });
      },
    };
  }

  async whole<T extends KubeObject>(
    type: ResourceType<T>,
    place: ObjectPlace,
    options: GetOptions = {},
  ): Promise<T | undefined> {
    const { cache } = this.#environment;
    const { cached, whole } = cache.whole(type, place);
    const isMissing = cached !== undefined && whole === undefined;
    const live = isMissing ? await this.live(type, place, options) : undefined;
    const object = live === undefined ? whole : cache.keep(type, live);
    const key = cached === undefined ? place.name : metaNamespaceKey(cached);
    this.#run.record.read({ kind: type.kind, key, revision: object?.metadata.resourceVersion ?? "" });
    return object;
  }

  async live<T extends KubeObject>(
    type: ResourceType<T>,
    place: ObjectPlace,
    options: GetOptions = {},
  ): Promise<T | undefined> {
    using _waiting = this.#run.facts.operation?.waiting();
    return await this.#environment.client
      .resource(type)
      .getOrUndefined(place, { signal: this.#run.signal, ...options });
  }

  async reread<T extends KubeObject>(object: T, options: GetOptions = {}): Promise<T | undefined> {
    const { uid } = object.metadata;
    const now = await this.live(this.#typeOf(object), object.metadata, options);
    return uid === undefined || now?.metadata.uid === uid ? now : undefined;
  }

  async #write<T extends KubeObject>(attempt: Attempt<T>): Promise<T> {
    const { verb, type, object, before, changes, send } = attempt;
    const { fieldManager: controller, refusals } = this.#environment;
    const { kind } = type;
    const named = object.metadata.name ? metaNamespaceKey(object) : undefined;
    using _waiting = this.#run.facts.operation?.waiting();
    try {
      // the key seems to be fought over: read the object first, because our write takes the fields over and hides their
      // writer
      const contested = this.#run.facts.suspected && before !== undefined ? await this.#seen(type, before) : undefined;
      this.#run.facts.pass?.check();
      const trace = before?.metadata.annotations?.[traceAnnotation];
      const facts = (): WriteFacts => ({ controller, verb, kind, key: named, changes: changes(), trace });
      const after = await writePoint.around(facts, send);
      refusals.allowed(verb, type);
      this.#wrote(attempt, after, contested ?? after);
      return after;
    } catch (error) {
      const key = named ?? `${object.metadata.generateName ?? ""}…`;
      refusals.failed(verb, type, error);
      this.#run.record.wrote({ verb, kind, key, fields: [], revision: "", outcome: "failed", error: messageOf(error) });
      throw error;
    }
  }

  /** Shows the answer of a write in the cache, and notes the changed fields. `owned` is the state whose field managers count as rivals. */
  #wrote<T extends KubeObject>({ verb, type, before }: Attempt<T>, after: T, owned: T): void {
    const { cache, serverState, fieldManager } = this.#environment;
    const shown = cache.wrote(type, after);
    if (shown !== undefined) serverState.learn(type, shown);
    const { kind } = type;
    const key = metaNamespaceKey(after);
    const revision = after.metadata.resourceVersion ?? "";
    if (before?.metadata.resourceVersion === revision)
      return this.#run.record.wrote({ verb, kind, key, fields: [], revision, outcome: "unchanged" });
    const fields = before === undefined ? [] : changedPaths(comparable(before), comparable(after), { limit: 16 });
    const value = hashOf(comparable(after));
    const otherWriters = rivalsOf(owned, fields, fieldManager);
    this.#run.record.wrote(
      { verb, kind, key, fields, revision, outcome: "done" },
      { kind, key, revision, fields, value, otherWriters },
    );
  }

  #skip<T extends KubeObject>(verb: JournalWrite["verb"], type: ResourceType<T>, object: T): Promise<T> {
    const { kind } = type;
    const revision = object.metadata.resourceVersion ?? "";
    this.#run.record.wrote({ verb, kind, key: metaNamespaceKey(object), fields: [], revision, outcome: "skipped" });
    return Promise.resolve(object);
  }

  #options<O extends WriteOptions>(options: O): O {
    const { fieldManager } = this.#environment;
    return { fieldManager, ...options, signal: options.signal ?? this.#run.signal };
  }

  #cached<T extends KubeObject>(type: ResourceType<T>, { metadata }: Pick<T, "metadata">): T | undefined {
    const { cache } = this.#environment;
    return cache.has(type) && metadata.name ? cache.get(type, metadata) : undefined;
  }

  /** Compares the cached object with the state that the server sent; reports a mutation. */
  #judge(type: ResourceType, cached: KubeObject): "intact" | "changed" | "unknown" {
    const judged = this.#environment.serverState.judge(type, cached);
    if (judged === "changed") this.#tellMutation(type, cached);
    return judged;
  }

  #tellMutation({ kind }: ResourceType, object: KubeObject): void {
    this.#environment.onMutation(kind, metaNamespaceKey(object));
  }

  #typeOf<T extends Pick<KubeObject, "apiVersion" | "kind">>({ apiVersion, kind }: T): ResourceType<T & KubeObject> {
    const known = this.#environment.types.get(`${apiVersion} ${kind}`);
    if (known !== undefined) return known as ResourceType<T & KubeObject>;
    if (!apiVersion || !kind)
      throw new TypeError(`the object says no apiVersion and kind, but ${shown({ apiVersion, kind })}`);
    const kinds = [...this.#environment.types.keys()].join(", ");
    throw new TypeError(
      `${kind} (${apiVersion}) is not a kind of this controller: name it in owns, or in writes. Known: ${kinds}`,
    );
  }

  /** Read for a report only: a failure is no failure of the write. */
  #seen<T extends KubeObject>(type: ResourceType<T>, { metadata }: T): Promise<T | undefined> {
    return this.live(type, metadata).catch(() => undefined);
  }
}

function kindId({ group, version, kind }: Pick<ResourceType, "group" | "version" | "kind">): string {
  return `${apiVersionOf({ group, version })} ${kind}`;
}

function isSameBut(a: KubeObject, b: KubeObject): boolean {
  const expected = b.metadata.resourceVersion;
  if (expected !== undefined && expected !== a.metadata.resourceVersion) return false;
  return deepEqual(comparable(a), comparable(b));
}

function hashOf(value: unknown): string {
  return createHash("sha1").update(JSON.stringify(value)).digest("base64");
}
