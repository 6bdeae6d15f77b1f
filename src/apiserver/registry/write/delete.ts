/**
 * Delete: preconditions, grace, finalizers and propagation, then the removal, either at once or by the write that
 * removes the last finalizer.
 */
import { defined } from "../../../base/defined.js";
import { systemClock } from "../../../base/index.js";
import { without } from "../../../base/members.js";
import {
  deepEqual,
  formatTime,
  isDeleting,
  type KubeObject,
  newConflict,
  newNotFound,
  type Status,
} from "../../../api/index.js";
import { ExpectationError, type Stored, type StoreWrite } from "../../storage/contract.js";
import { validate } from "./admit.js";
import { unstoredView } from "./create.js";
import type { DeleteOptions } from "./delete-options.js";
import { loaded, saved, workedOn } from "../views.js";
import { type Endpoint, resourceOf, storageKey, type View } from "../../contracts/endpoint.js";
import type { RequestScope } from "../../contracts/scope.js";

export interface DeleteRequest {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly name: string;
  readonly options: DeleteOptions;
  readonly scope: RequestScope;
  /** A further condition on the very version that is deleted (eviction); throws to refuse. */
  check?(object: KubeObject): void;
  /** True if admission has judged the request in another form (eviction). */
  readonly admitted?: boolean;
}

export type Deleted =
  | { readonly type: "object"; readonly view: View; readonly gone: boolean }
  | { readonly type: "status"; readonly status: Status };

/**
 * The outcome of a delete: the object is changed and kept, it is removed (perhaps changed first), or its deletion was
 * already pending.
 */
type Fate =
  | { readonly type: "pending" }
  | { readonly type: "keep"; readonly object: KubeObject }
  | { readonly type: "remove"; readonly object: KubeObject | undefined };

export async function deleteObject(request: DeleteRequest): Promise<Deleted> {
  const { endpoint, namespace, name, options, scope } = request;
  const { store, clock } = scope.machinery;
  warnOfOrphans(endpoint, options, scope);
  for (;;) {
    const current = store.get(endpoint.collection, storageKey(namespace, name));
    if (current === undefined) throw newNotFound(resourceOf(endpoint), name);
    if (endpoint.converter !== undefined) await loaded(endpoint, [current], scope.signal);
    const object = workedOn(endpoint, current);
    checkPreconditions(endpoint, object, options);
    request.check?.(object);
    const fate = fateOf(endpoint, object, { options, now: clock.now() });
    if (fate.type === "pending") return finished(endpoint, endpoint.view(current), false);
    const admission = { endpoint, namespace, name, subresource: "", scope, options: options as unknown as KubeObject };
    if (!request.admitted) await validate(admission, { operation: "DELETE", old: object });
    if (scope.dryRun) return dryRun(endpoint, fate, current);
    try {
      return await carryOut(endpoint, fate, { current, scope });
    } catch (error) {
      // another client wrote in between: judge anew
      if (!(error instanceof ExpectationError)) throw error;
    }
  }
}

export function checkPreconditions(
  endpoint: Endpoint,
  { metadata }: KubeObject,
  { preconditions }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions ?? {};
  // upstream puts the kind here
  const named = { group: endpoint.served.group, resource: endpoint.served.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw newConflict(named, metadata.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw newConflict(named, metadata.name, why);
  }
}

/** Warns of the one default that surprises users: a Job's pods are orphaned. */
export function warnOfOrphans({ served }: Endpoint, options: DeleteOptions, { warn }: RequestScope): void {
  if (served.group !== "batch" || served.plural !== "jobs") return;
  if (options.propagationPolicy !== undefined || options.orphanDependents !== undefined) return;
  warn(
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  );
}

/** Pure: upstream's BeforeDelete and updateForGracefulDeletionAndFinalizers in one. */
function fateOf(
  endpoint: Endpoint,
  object: KubeObject,
  { options, now }: { readonly options: DeleteOptions; readonly now: number },
): Fate {
  const { strategy } = endpoint;
  const { metadata } = object;
  const finalizers = finalizersAfter(endpoint, metadata.finalizers ?? [], options);
  const held = finalizers.length > 0 || (strategy.holdsDeletion?.(object) ?? false);
  const grace = graceOf(endpoint, object, options);
  if (grace === "pending") return { type: "pending" };
  const changed =
    finalizers.join() === (metadata.finalizers ?? []).join() ? object : withFinalizers(object, finalizers);
  if (grace === undefined) {
    if (!held) return { type: "remove", object: undefined };
    return { type: "keep", object: marked(endpoint, changed, { atMs: now, seconds: 0, now }) };
  }
  const end = metadata.deletionTimestamp === undefined ? endOf(now, grace) : shortened(metadata, grace, now);
  const dying = marked(endpoint, changed, { ...end, now, replaces: true });
  return held || grace > 0 ? { type: "keep", object: dying } : { type: "remove", object: dying };
}

/** Undefined if the kind has no graceful deletion, or no grace is left. */
function graceOf(
  endpoint: Endpoint,
  object: KubeObject,
  { gracePeriodSeconds: asked }: DeleteOptions,
): number | "pending" | undefined {
  const { strategy } = endpoint;
  if (strategy.gracePeriodSeconds === undefined) return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds: running } = object.metadata;
  if (deletionTimestamp === undefined) return strategy.gracePeriodSeconds(object, asked);
  // a grace of zero is over: only finalizers and the kind can still hold the object
  if (running === undefined || running === 0) return undefined;
  // once the deletion is pending, only a shorter grace can be asked for; a negative one counts as a second
  const period = asked !== undefined && asked < 0 ? 1 : asked;
  return period === undefined || period >= running ? "pending" : period;
}

/** The moment at which a grace ends, and its seconds. */
interface End {
  readonly atMs: number;
  readonly seconds: number;
}

const endOf = (startMs: number, seconds: number): End => ({ atMs: startMs + Number(seconds) * 1000, seconds });

/** A grace that would have ended before now ends now; unless it is none, it then counts as one second. */
function shortened(
  { deletionTimestamp = "", deletionGracePeriodSeconds = 0 }: KubeObject["metadata"],
  grace: number,
  now: number,
): End {
  const end = endOf(Date.parse(deletionTimestamp) - Number(deletionGracePeriodSeconds) * 1000, grace);
  return end.atMs >= now ? end : { atMs: now, seconds: Math.min(grace, 1) };
}

function marked(
  endpoint: Endpoint,
  object: KubeObject,
  { atMs, seconds, now, replaces = false }: End & { readonly now: number; readonly replaces?: boolean },
): KubeObject {
  const { deletionTimestamp, generation } = object.metadata;
  const first = deletionTimestamp === undefined;
  const started = first ? (endpoint.strategy.onDeletionStart?.(object, now) ?? object) : object;
  return {
    ...started,
    metadata: {
      ...started.metadata,
      deletionTimestamp:
        first || replaces || Date.parse(deletionTimestamp) > atMs ? formatTime(atMs) : deletionTimestamp,
      // a kind with its own deletion phase (namespaces) shows no grace and does not count the generation
      ...(endpoint.strategy.onDeletionStart === undefined
        ? {
            deletionGracePeriodSeconds: seconds,
            ...(first && generation !== undefined && generation > 0 ? { generation: generation + 1 } : {}),
          }
        : {}),
    },
  };
}

function withFinalizers(object: KubeObject, finalizers: readonly string[]): KubeObject {
  const { metadata } = object;
  if (finalizers.length > 0) return { ...object, metadata: { ...metadata, finalizers } };
  return metadata.finalizers === undefined ? object : { ...object, metadata: without(metadata, "finalizers") };
}

const orphan = "orphan";
const foreground = "foregroundDeletion";

/** The finalizers that tell the garbage collector how to treat dependents. */
function finalizersAfter(endpoint: Endpoint, finalizers: readonly string[], options: DeleteOptions): readonly string[] {
  const policy = policyOf(endpoint, finalizers, options);
  const kept = finalizers.filter((one) => one !== orphan && one !== foreground);
  const wanted = policy === "Orphan" ? [...kept, orphan] : policy === "Foreground" ? [...kept, foreground] : kept;
  // the same finalizers keep their order
  const same = wanted.length === finalizers.length && wanted.every((one) => finalizers.includes(one));
  return same ? finalizers : wanted;
}

function policyOf(endpoint: Endpoint, finalizers: readonly string[], options: DeleteOptions): string {
  const { defaultPropagation = "Background" } = endpoint.strategy;
  // of a kind that the collector does not know, nothing waits for it
  if (defaultPropagation === "Unsupported") return "Background";
  if (options.orphanDependents !== undefined) return options.orphanDependents ? "Orphan" : "Background";
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  if (finalizers.includes(orphan)) return "Orphan";
  return finalizers.includes(foreground) ? "Foreground" : defaultPropagation;
}

async function carryOut(
  endpoint: Endpoint,
  fate: Exclude<Fate, { type: "pending" }>,
  { current, scope }: { readonly current: Stored; readonly scope: RequestScope },
): Promise<Deleted> {
  const { store, companions } = scope.machinery;
  const { collection, key } = current;
  let last = current;
  // a second deletion of an object that finalizers hold changes nothing, and wakes no watcher
  if (fate.object !== undefined && !(fate.type === "keep" && deepEqual(fate.object, workedOn(endpoint, current)))) {
    const kept = saved(endpoint, fate.object, scope.signal);
    const object = kept instanceof Promise ? await kept : kept;
    const put: StoreWrite = { type: "put", collection, key, expected: current.revision, object };
    last = store.commit([put]).stored[0] as Stored;
    const isFirst = !isDeleting(current.object);
    if (fate.type === "remove" && isFirst) {
      await markIsSeen(scope);
      const now = store.get(collection, key);
      // another client was faster
      if (now?.object.metadata.uid !== last.object.metadata.uid) return finished(endpoint, endpoint.view(last), true);
    }
  }
  if (fate.type === "keep") {
    await store.settled(last.revision);
    await loaded(endpoint, [last], scope.signal);
    return { type: "object", view: endpoint.view(last), gone: false };
  }
  const { revision } = store.commit([
    { type: "delete", collection, key, expected: last.revision },
    ...(companions.get(collection)?.(last.object, undefined) ?? []),
  ]);
  await store.settled(revision);
  await loaded(endpoint, [last], scope.signal);
  return finished(endpoint, endpoint.view(last), true);
}

/** About the time of a transaction in etcd. */
const markedMs = 2;

/**
 * An object without a grace is marked as dying and then removed, by two transactions. Some controllers act on the mark
 * alone (LeaderWorkerSet: the group of a dying pod goes), and would never see it in their caches if both arrived at once.
 * On a clock that does not move by itself nothing is waited for. A client that has left does not keep the object.
 */
async function markIsSeen({ machinery: { clock }, signal }: RequestScope): Promise<void> {
  if (clock === systemClock) await clock.sleep(markedMs, signal).catch(() => {});
}

function dryRun(endpoint: Endpoint, fate: Exclude<Fate, { type: "pending" }>, current: Stored): Deleted {
  if (fate.type === "remove") {
    const last = fate.object === undefined ? endpoint.view(current) : unstoredView(endpoint.fromStorage(fate.object));
    return finished(endpoint, last, true);
  }
  return { type: "object", view: unstoredView(endpoint.fromStorage(fate.object)), gone: false };
}

function finished(endpoint: Endpoint, view: View, gone: boolean): Deleted {
  if (endpoint.strategy.deleteReturnsObject ?? false) return { type: "object", view, gone };
  const { group, plural } = endpoint.served;
  const { name, uid } = view.object.metadata;
  return {
    type: "status",
    status: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: defined({ name, group: group || undefined, kind: plural, uid }),
    } as Status,
  };
}
