/** Keeps `metadata.managedFields` and merges applied configurations. Knows kinds only by their types. */
import { asText, isRecord, without } from "../../base/members.js";
import {
  deepEqual,
  type KubeObject,
  type ManagedFieldsEntry,
  newBadRequest,
  StatusError,
  newFailure,
} from "../../api/index.js";
import type { Steps } from "../../base/index.js";
import type { FieldManager, FieldManagerRequest } from "../contracts/field-manager.js";
import { conflictError } from "./conflict.js";
import { CreatedShapes } from "./created-shapes.js";
import { fieldsOfLastApplied, withLastApplied } from "./last-applied.js";
import {
  capUpdaters,
  decodeManaged,
  encodeManaged,
  type Managed,
  managerIdentifier,
  nothingManaged,
  storedManaged,
} from "./managed-entries.js";
import { createdPaths } from "./merge/compare.js";
import { difference, equalSets, hasPath, isEmpty, type PathSet, setOf, union } from "./merge/path-set.js";
import type { ApplyType } from "./merge/types.js";
import {
  ApplyConflicts,
  applyOver,
  type Owned,
  ownersAfterUpdate,
  type Versions,
  type Write,
} from "./merge/updater.js";
import { type Reconcile, reconciler } from "./merge/reconcile.js";
import { problemsOf } from "./merge/validate.js";
import { renewedEntries, unownedMetadata } from "./renewal.js";

/**
 * The facts about kinds that ownership depends on. All functions are pure, and give the same object again as long as
 * nothing changed.
 */
export interface FieldManagerOptions {
  /** The type of a kind in a version; undefined if the version is not served. */
  typeOf(apiVersion: string, kind: string): ApplyType | undefined;
  /**
   * The zero value of the kind, with which a created object is compared: Go structs are present before they are filled
   * in. That of a custom kind has apiVersion and kind only.
   */
  emptyObject(apiVersion: string, kind: string): unknown;
  /** The object in another version of its kind; undefined if it cannot be converted. */
  convert(object: KubeObject, apiVersion: string): KubeObject | undefined;
  /** Removes the fields that a write through this endpoint cannot change: its manager does not come to own them. */
  ownable(
    set: PathSet,
    endpoint: { readonly apiVersion: string; readonly kind: string; readonly subresource: string },
  ): PathSet;
}

/** Fields that no manager owns. */
const neverTracked = setOf(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[...unownedMetadata].map((name) => ["f:metadata", `f:${name}`]),
);
const currentOperation = "current-operation";
const beforeFirstApply = "before-first-apply";

interface Context extends FieldManagerOptions {
  readonly reconcile: Reconcile;
}

export function fieldManagerOf(options: FieldManagerOptions): FieldManager {
  const shapes = new CreatedShapes();
  const context: Context = { ...options, reconcile: reconciler() };
  return {
    update: (live, object, request) =>
      live === undefined && object.metadata.managedFields === undefined
        ? create(context, object, { request, shapes })
        : update(context, live, object, request),
    apply: (live, applied, request) => apply(context, live, applied, request),
  };
}

/** As `update`, for a new object that nobody owns yet. */
function* create(
  context: Context,
  object: KubeObject,
  { request, shapes }: { readonly request: FieldManagerRequest; readonly shapes: CreatedShapes },
): Steps<KubeObject> {
  const known = shapes.entriesOf(object, request);
  if (known !== undefined) return withManagedFields(object, known);
  const owned = yield* update(context, undefined, object, request);
  shapes.keep(owned, request);
  return owned;
}

function* update(
  context: Context,
  live: KubeObject | undefined,
  object: KubeObject,
  request: FieldManagerRequest,
): Steps<KubeObject> {
  const isCreate = live?.metadata.uid === undefined;
  const type = context.typeOf(request.apiVersion, object.kind);
  const renewed =
    isCreate || type === undefined
      ? undefined
      : renewedEntries(live, object, request, (fields) => context.reconcile(fields, type) === fields);
  if (renewed !== undefined) return withManagedFields(object, renewed);
  const managed = managedBefore(live, object, request.subresource !== "");
  // an object without managed fields stays so until someone applies
  const stays = managed.owners.size === 0 && !isCreate;
  if (stays || type === undefined) return withManagedFields(object, []);
  const tracked = isCreate
    ? yield* trackCreate(context, unmanaged(object), { managed, request, type })
    : yield* trackUpdate(context, ...comparable(live, object), { managed, request });
  yield;
  return withManagedFields(object, encodeManaged(tracked));
}

/**
 * The owners before the write: the owners that the client sent, unless the write is to a subresource or they are malformed
 * or absent; then the stored ones.
 */
function managedBefore(live: KubeObject | undefined, object: KubeObject, isSubresource: boolean): Managed {
  const sent = object.metadata.managedFields;
  const stored = live?.metadata.managedFields ?? [];
  if (!isSubresource && sent !== undefined && sent !== null && !deepEqual(sent, stored)) {
    if (isReset(sent)) return nothingManaged;
    const managed = decodedOrNothing(sent);
    if (managed.owners.size > 0) return managed;
  }
  return storedManaged(stored);
}

/** `[]` and `[{}]` ask the server to forget all owners. */
function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] as object).length === 0);
}

function decodedOrNothing(entries: readonly ManagedFieldsEntry[]): Managed {
  try {
    return decodeManaged(entries);
  } catch {
    return nothingManaged;
  }
}

/** Upstream gives no reason for errors that should not happen. */
function internalError(message: string): StatusError {
  return newFailure({ message, code: 500 });
}

interface Tracking {
  readonly managed: Managed;
  readonly request: FieldManagerRequest;
}

function* trackUpdate(
  context: Context,
  before: unknown,
  next: KubeObject,
  { managed, request }: Tracking,
): Steps<Managed> {
  const { apiVersion, subresource, time } = request;
  const versions = versionsOf(context, next.kind, request);
  const write: Write = { live: before, owners: managed.owners, manager: currentOperation, apiVersion, versions };
  const owners = yield* ownersAfterUpdate(next, write);
  yield;
  const taken = withoutUntracked(owners.get(currentOperation));
  yield;
  owners.delete(currentOperation);
  if (taken === undefined) return { owners, times: managed.times };
  const manager = request.manager === "" ? "unknown" : request.manager;
  const identifier = managerIdentifier({ manager, operation: "Update", apiVersion, subresource });
  const previous = owners.get(identifier);
  owners.set(identifier, previous === undefined ? taken : { ...taken, set: union(taken.set, previous.set) });
  return capUpdaters({ owners, times: new Map(managed.times).set(identifier, time) });
}

/** As an update of the object without fields, which has nothing to take from others if the object came without owners. */
function* trackCreate(
  context: Context,
  object: KubeObject,
  { managed, request, type }: Tracking & { readonly type: ApplyType },
): Steps<Managed> {
  const { apiVersion, subresource, time } = request;
  const { kind } = object;
  const empty = context.emptyObject(apiVersion, kind);
  if (managed.owners.size > 0) return yield* trackUpdate(context, empty, object, { managed, request });
  const created = createdPaths(empty, object, type);
  yield;
  const ownable = context.ownable(created, { apiVersion, kind, subresource });
  yield;
  const taken = withoutUntracked({ set: ownable, apiVersion, applied: false });
  if (taken === undefined) return nothingManaged;
  const manager = request.manager === "" ? "unknown" : request.manager;
  const identifier = managerIdentifier({ manager, operation: "Update", apiVersion, subresource });
  return { owners: new Map([[identifier, taken]]), times: new Map([[identifier, time]]) };
}

function withoutUntracked(owned: Owned | undefined): Owned | undefined {
  if (owned === undefined) return undefined;
  const set = difference(owned.set, neverTracked);
  return isEmpty(set) ? undefined : { ...owned, set };
}

function versionsOf(context: Context, kind: string, request: FieldManagerRequest): Versions {
  return {
    typeOf: (apiVersion) => context.typeOf(apiVersion, kind),
    convert: (object, apiVersion) => context.convert(object as KubeObject, apiVersion),
    owned: (set, apiVersion) => context.ownable(set, { apiVersion, kind, subresource: request.subresource }),
    reconcile: context.reconcile,
  };
}

function* apply(
  context: Context,
  live: KubeObject | undefined,
  applied: KubeObject,
  request: FieldManagerRequest & { readonly force: boolean },
): Steps<KubeObject> {
  const { apiVersion, subresource, time } = request;
  const type = context.typeOf(apiVersion, applied.kind);
  if (applied.apiVersion !== apiVersion || type === undefined) {
    const versions = `Specified patch version: ${applied.apiVersion}, expected: ${apiVersion}`;
    throw newBadRequest(`Incorrect version specified in apply patch. ${versions}`);
  }
  requireType(applied, type);
  yield;
  // a list that holds anything but entries counts as none
  if (applied.metadata?.managedFields?.every(isRecord) === true)
    throw newBadRequest("metadata.managedFields must be nil");
  const empty = context.emptyObject(apiVersion, applied.kind);
  const before = live === undefined ? empty : withManagedFields(live, []);
  let managed = storedManaged(live?.metadata.managedFields ?? []);
  if (managed.owners.size === 0 && live !== undefined) {
    const first = { ...request, manager: beforeFirstApply };
    managed = yield* trackUpdate(context, empty, before as KubeObject, { managed, request: first });
  }
  const manager = request.manager === "" ? "unknown" : request.manager;
  const identifier = managerIdentifier({ manager, operation: "Apply", apiVersion, subresource });
  const versions = versionsOf(context, applied.kind, request);
  const write: Write = { live: before, owners: managed.owners, manager: identifier, apiVersion, versions };
  const result = yield* applyOrRefuse(applied, write, { ...request, live, type });
  yield;
  const owners = new Map(result.owners);
  const own = withoutUntracked(owners.get(identifier));
  yield;
  const last = managed.owners.get(identifier);
  if (own === undefined) owners.delete(identifier);
  else owners.set(identifier, last !== undefined && equalSets(own.set, last.set) ? { ...own, set: last.set } : own);
  const times = result.changed ? new Map(managed.times).set(identifier, time) : managed.times;
  const object = request.manager === "kubectl" ? withLastApplied(result.object as KubeObject, applied) : result.object;
  yield;
  return withManagedFields(object as KubeObject, encodeManaged({ owners, times }));
}

function requireType(applied: KubeObject, type: ApplyType): void {
  const problem = problemsOf(applied, type);
  if (problem === undefined) return;
  const { namespace, name }: { readonly namespace?: unknown; readonly name?: unknown } = applied.metadata ?? {};
  const slash = applied.apiVersion.indexOf("/");
  const version = slash < 0 ? `/${applied.apiVersion}` : applied.apiVersion;
  const subject = `${asText(namespace)}/${asText(name)}; ${version}, Kind=${applied.kind}`;
  throw internalError(`failed to create typed patch object (${subject}): ${problem}`);
}

interface ApplyRequest {
  readonly live: KubeObject | undefined;
  readonly manager: string;
  readonly force: boolean;
  readonly type: ApplyType;
}

/** kubectl may take fields from its own client-side apply: conflicts with those are forced. */
function* applyOrRefuse(applied: KubeObject, write: Write, request: ApplyRequest): ReturnType<typeof applyOver> {
  try {
    return yield* applyOver(applied, write, request.force);
  } catch (error) {
    if (!(error instanceof ApplyConflicts)) throw error;
    const allowed =
      request.manager === "kubectl" && request.live !== undefined
        ? fieldsOfLastApplied(request.live, write.apiVersion, request.type)
        : undefined;
    const left =
      allowed === undefined ? error.conflicts : error.conflicts.filter(({ path }) => !hasPath(allowed, path));
    if (left.length === 0) return yield* applyOver(applied, write, true);
    throw conflictError(left);
  }
}

/** An object that comes of its first apply may have no metadata. */
function withManagedFields(object: KubeObject, entries: readonly ManagedFieldsEntry[]): KubeObject {
  const metadata = object.metadata as KubeObject["metadata"] | undefined | null;
  if (entries.length > 0)
    return { ...object, metadata: { ...(metadata as object), managedFields: entries } as KubeObject["metadata"] };
  if (metadata?.managedFields === undefined) return object;
  return { ...object, metadata: without(metadata, "managedFields") };
}

/** Both objects without managedFields, which no manager owns; a patch leaves it unchanged. */
function comparable(live: KubeObject, object: KubeObject): readonly [KubeObject, KubeObject] {
  if (live.metadata.managedFields === object.metadata.managedFields) return [live, object];
  return [unmanaged(live), unmanaged(object)];
}

/** The object for comparison: undefined counts as absent. */
function unmanaged(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: undefined as never } };
}
