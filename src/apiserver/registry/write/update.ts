/**
 * Update: read, change, check, write, and again if another client was faster. Serves PUT, PATCH and apply on every
 * endpoint that takes the whole object.
 */
import { defined } from "../../../base/defined.js";
import { runWithin, type Steps } from "../../../base/index.js";
import {
  deepEqual,
  fieldPath,
  formatTime,
  goQuote,
  type KubeObject,
  newConflict,
  newFailure,
  newInvalid,
  newNotFound,
  objectHasBeenModified,
  type StatusCause,
  StatusError,
} from "../../../api/index.js";
import { Causes } from "../../../api/status.js";
import { without } from "../../../base/members.js";
import { metadataKeptByStatus } from "../../apply/index.js";
import { ExpectationError, type Stored, type StoreWrite } from "../../storage/contract.js";
import { mutate, validate } from "./admit.js";
import { committed, createObject, hasGeneration, hasStatus, unstoredView, withOwners } from "./create.js";
import { type Endpoint, preconditionFailed, resourceOf, storageKey, type View } from "../../contracts/endpoint.js";
import {
  type DraftMetadata,
  sameButForTimes,
  validateFinalizerDomains,
  validateMetaChange,
  validateUpdatedMeta,
  withoutDuplicateOwners,
  withServerMetadata,
} from "./object-meta.js";
import { loaded, rehearsed, saved, acrossVersions, workedOn } from "../views.js";
import { type RequestScope, strategyContext } from "../../contracts/scope.js";
import type { Strategy, UpdateStrategy } from "../../contracts/strategy.js";
import type { FieldManagerRequest } from "../../contracts/field-manager.js";
import { after } from "../../../base/time/awaitable.js";

export interface UpdateRequest {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly name: string;
  /** "" for the object itself. */
  readonly subresource: string;
  readonly scope: RequestScope;
  /**
   * Gives the new object (in the endpoint's version) from the live one; called again after every lost race. `live` is
   * undefined if the object is missing.
   */
  change(live: KubeObject | undefined): KubeObject | Promise<KubeObject>;
  /** The treatment of a missing object. */
  readonly missing: "refuse" | "create";
  /** True if `change` itself keeps managedFields (apply). */
  readonly managed?: boolean;
  /** True if no resourceVersion is needed, even if the kind requires one for a PUT. */
  readonly unconditional?: boolean;
  /**
   * True if `change` starts from the live object (patch, apply): the version in its result is then not a precondition
   * of the client.
   */
  readonly follows?: boolean;
  /** A precondition on the live object's uid. */
  readonly uid?: string;
  readonly options?: KubeObject;
}

export interface Updated {
  readonly view: View;
  readonly created: boolean;
}

/** After this many lost races in a row the client gets a conflict. */
const maxTries = 20;

export async function updateObject(request: UpdateRequest): Promise<Updated> {
  const { endpoint, namespace, name, scope } = request;
  const { store } = scope.machinery;
  for (let attempt = 1; ; attempt++) {
    const current = store.get(endpoint.collection, storageKey(namespace, name));
    if (current === undefined) {
      if (request.missing === "refuse") throw newNotFound(resourceOf(endpoint), name);
      if (request.uid) throw uidConflict(request, request.uid, "");
      const object = await request.change(undefined);
      versionOf(object);
      const managed = request.managed ? { managed: true } : {};
      const creation = { endpoint, namespace, object, scope, byUpdate: true, ...managed };
      return { view: await createObject(creation), created: true };
    }
    const view = await attemptUpdate(request, current);
    if (view !== undefined) return { view, created: false };
    if (attempt === maxTries) throw newConflict(resourceOf(endpoint), name, objectHasBeenModified);
  }
}

/** Undefined if another client wrote in the meantime and the change did not insist on a version. */
async function attemptUpdate(request: UpdateRequest, current: Stored): Promise<View | undefined> {
  const { endpoint, namespace, name, subresource, scope } = request;
  if (endpoint.converter !== undefined) await loaded(endpoint, [current], scope.signal);
  const old = workedOn(endpoint, current);
  const { uid = "" } = old.metadata;
  if (request.uid && request.uid !== uid) throw uidConflict(request, request.uid, uid);
  const live = endpoint.view(current).object;
  const change = request.change(live);
  const sent = change instanceof Promise ? await change : change;
  if (scope.slice.due()) await scope.slice.pause();
  const drafting = drafted(request, sent, { old, live });
  const draft = drafting instanceof Promise ? await drafting : drafting;
  if (scope.slice.due()) await scope.slice.pause();
  const options = defined({ options: request.options });
  const target = { endpoint, namespace, name, subresource, scope, ...options };
  const mutated = mutate(target, { operation: "UPDATE", object: draft, old });
  const admitted = mutated instanceof Promise ? await mutated : mutated;
  const { plural: resource } = endpoint.served;
  const guard = scope.machinery.guards.get(endpoint.collection);
  const about = { user: scope.user, verb: request.follows ? "patch" : "update", resource, subresource } as const;
  const guarded = guard?.({ ...about, namespace, name, object: admitted, old }) ?? [];
  const causes = guarded instanceof Promise ? await guarded : guarded;
  const insists = checkRevision(request, sent, current);
  const unique = withoutDuplicateOwners(admitted, { warn: scope.warn, admitted: true });
  if (scope.slice.due()) await scope.slice.pause();
  const prepared = prepareUpdate(request, unique, { old, causes });
  if (scope.slice.due()) await scope.slice.pause();
  const validated = validate(target, { operation: "UPDATE", object: prepared, old });
  if (validated instanceof Promise) await validated;
  const allocate = subresource === "" ? scope.machinery.allocators.get(endpoint.collection) : undefined;
  const allocated = allocate?.(prepared, { old, dryRun: scope.dryRun }) ?? prepared;
  return finish(request, allocated, { current, old, insists });
}

interface Ending {
  readonly current: Stored;
  /** The current version as the request sees it. */
  readonly old: KubeObject;
  /** True if the client named the version that it wants to replace. */
  readonly insists: boolean;
}

/** Writes the admitted object, unless it is a dry run or changes nothing. */
async function finish(
  request: UpdateRequest,
  admitted: KubeObject,
  { current, old, insists }: Ending,
): Promise<View | undefined> {
  const { endpoint, name, scope } = request;
  const worked = scope.dryRun ? admitted : withoutLink(admitted);
  const kept = scope.dryRun ? worked : saved(endpoint, worked, scope.signal);
  const object = kept instanceof Promise ? await kept : kept;
  if (sameButForTimes(object, scope.dryRun ? old : current.object)) {
    await scope.machinery.store.settled(current.revision);
    return endpoint.view(current);
  }
  if (scope.dryRun) return rehearsed(endpoint, object, scope.signal);
  try {
    return await write(request, object, current);
  } catch (error) {
    if (!(error instanceof ExpectationError)) throw error;
    if (insists) throw newConflict(resourceOf(endpoint), name, objectHasBeenModified);
    return undefined;
  }
}

function uidConflict({ endpoint, namespace, name, scope }: UpdateRequest, wanted: string, found: string): StatusError {
  const failed = `UID in precondition: ${wanted}, UID in object meta: ${found}`;
  return preconditionFailed(endpoint, { namespace, name, dryRun: scope.dryRun }, failed);
}

/** The resourceVersion of an object, "" for none. As upstream, text that is not a number is refused with a 500. */
function versionOf({ metadata }: KubeObject): string {
  const { resourceVersion = "" } = metadata;
  if (/^\d*$/.test(resourceVersion)) return resourceVersion === "0" ? "" : resourceVersion;
  const message = `strconv.ParseUint: parsing ${goQuote(resourceVersion)}: invalid syntax`;
  throw newFailure({ message, code: 500 });
}

/** True if the client named the version that it wants to replace. */
function checkRevision(request: UpdateRequest, sent: KubeObject, current: Stored): boolean {
  const { endpoint, name, unconditional, follows = false } = request;
  const resourceVersion = versionOf(sent);
  if (resourceVersion === "") {
    if (unconditional || (endpoint.strategy.allowUnconditionalUpdate ?? true)) return false;
    const why = "must be specified for an update";
    // upstream puts the resource here, not the kind
    const { group, plural: kind } = endpoint.served;
    throw newInvalid({ group, kind }, name, [fieldPath("metadata.resourceVersion").invalid(0, why)]);
  }
  if (resourceVersion !== String(current.revision))
    throw newConflict(resourceOf(endpoint), name, objectHasBeenModified);
  return !follows;
}

/** The object that was sent, in the form in which it is stored, with its defaults and the owners of its fields. */
function drafted(
  request: UpdateRequest,
  sent: KubeObject,
  { old, live }: { readonly old: KubeObject; readonly live: KubeObject },
): KubeObject | Promise<KubeObject> {
  return after(runWithin(request.scope.slice, defaulted(request, sent, old)), (object) =>
    request.managed ? object : owned(request, object, { sent, live }),
  );
}

function* defaulted(
  { endpoint, subresource, scope, follows }: UpdateRequest,
  sent: KubeObject,
  old: KubeObject,
): Steps<KubeObject> {
  const unique = follows ? sent : withoutDuplicateOwners(sent, { warn: scope.warn, admitted: false });
  const converted = endpoint.toStorage(unique);
  yield;
  const stored = withSpecOf(old, converted);
  yield;
  return withDefaults(endpoint.strategy, stored, subresource === "status" ? old : undefined);
}

function owned(
  { endpoint, subresource, scope }: UpdateRequest,
  draft: KubeObject,
  { sent, live }: { readonly sent: KubeObject; readonly live: KubeObject },
): KubeObject | Promise<KubeObject> {
  const time = formatTime(scope.machinery.clock.now());
  const { manager } = scope;
  const request = { manager, apiVersion: sent.apiVersion, subresource, time };
  const shown = endpoint.fromStorage(draft);
  return acrossVersions(endpoint, () => tracked(endpoint, { live, shown, draft }, request), scope);
}

function* tracked(
  { fieldManager }: Endpoint,
  { live, shown, draft }: { readonly live: KubeObject; readonly shown: KubeObject; readonly draft: KubeObject },
  request: FieldManagerRequest,
): Steps<KubeObject> {
  return withOwners(draft, yield* fieldManager.update(live, shown, request), shown);
}

type WithSpec = KubeObject & { readonly spec?: unknown };

/** Replaces a spec that equals the stored one by the stored one, so that later comparisons are by identity. */
function withSpecOf(old: WithSpec, object: WithSpec): KubeObject {
  const { spec } = object;
  if (typeof spec !== "object" || spec === old.spec || !deepEqual(spec, old.spec)) return object;
  return { ...object, spec: old.spec } as KubeObject;
}

/** On a status endpoint (where `old` is given) only status and metadata are kept, so the stored spec needs no defaults. */
function withDefaults(strategy: Strategy, object: WithSpec, old: WithSpec | undefined): KubeObject {
  const { status } = strategy;
  if (old !== undefined && status?.setDefaults !== undefined && object.spec === old.spec)
    return status.setDefaults(object);
  return strategy.setDefaults?.(object) ?? object;
}

/** The fields that the endpoint lets through, with the server's own metadata put back. */
function prepareUpdate(
  { endpoint, subresource, scope, name }: UpdateRequest,
  sent: KubeObject,
  { old, causes }: { readonly old: KubeObject; readonly causes: readonly StatusCause[] },
): KubeObject {
  const { strategy } = endpoint;
  const context = strategyContext(scope, endpoint.served.group);
  const updater = updaterOf(endpoint, subresource);
  const generation = old.metadata.generation;
  const owning = withServerMetadata(sent, old);
  const prepared = updater.prepareForUpdate?.(owning, old, context) ?? owning;
  const served = prepared.metadata === owning.metadata ? prepared : withServerMetadata(prepared, old);
  // a status write does not change the desired state
  const counted = subresource === "status" ? served : withGeneration(endpoint, served, { old, generation });
  const change = validateMetaChange(counted.metadata, old.metadata);
  const { forRules = (object: KubeObject) => object } = strategy;
  const [seen, seenOld] = [forRules(counted), forRules(old)];
  const errors = new Causes();
  errors.add(causes);
  errors.add(validateUpdatedMeta(counted.metadata, strategy));
  // twice, as upstream: once by the registry and once by the kind
  errors.push(...change, ...change);
  if (!endpoint.custom) errors.add(validateFinalizerDomains(counted.metadata, strategy));
  errors.add(updater.validateUpdate?.(seen, seenOld, context) ?? []);
  if (errors.all.length > 0) throw newInvalid(strategy, name, errors.all);
  if (subresource === "") {
    for (const warning of strategy.warningsOnUpdate?.(seen, seenOld) ?? []) scope.warn(warning);
  }
  return counted;
}

/** The object without selfLink, a field that is long out of use: a dry run still shows it, but it is not stored. */
const withoutLink = (object: KubeObject): KubeObject =>
  object.metadata.selfLink === undefined ? object : { ...object, metadata: without(object.metadata, "selfLink") };

function withGeneration(
  endpoint: Endpoint,
  object: KubeObject,
  { old, generation = 0 }: { readonly old: KubeObject; readonly generation: number | undefined },
): KubeObject {
  if (!hasGeneration(endpoint)) return object;
  const rule = endpoint.strategy.generation;
  const changed =
    typeof rule === "function"
      ? rule(object, old)
      : !deepEqual((object as { spec?: unknown }).spec, (old as { spec?: unknown }).spec);
  return changed ? { ...object, metadata: { ...object.metadata, generation: generation + 1 } } : object;
}

type WithStatus = KubeObject & { readonly status?: unknown };

/**
 * The status that was sent, and everything else from the stored object, including the metadata that the endpoint does
 * not let through.
 */
function withStatusOnly(
  object: WithStatus,
  old: WithStatus,
  kept: ReturnType<typeof metadataKeptByStatus>,
): WithStatus {
  const metadata = statusMetadata(object.metadata, old.metadata, kept);
  if (object.status !== undefined) return { ...old, metadata, status: object.status };
  const { status: _, ...rest } = old;
  return { ...rest, metadata };
}

function statusMetadata(
  sent: KubeObject["metadata"],
  old: KubeObject["metadata"],
  kept: ReturnType<typeof metadataKeptByStatus>,
): KubeObject["metadata"] {
  if (kept === "all") {
    const { managedFields } = sent;
    return { ...old, ...defined({ managedFields }) };
  }
  let metadata: DraftMetadata | undefined;
  for (const name of kept) {
    const value = old[name];
    if (sent[name] === value) continue;
    metadata ??= { ...sent };
    if (value === undefined) delete metadata[name];
    else metadata[name] = value as never;
  }
  return metadata ?? sent;
}

/** Everything that was sent, but with the stored status. */
function keepStatus(updater: UpdateStrategy): UpdateStrategy {
  return {
    ...updater,
    prepareForUpdate: (object: WithStatus, old: WithStatus, context) => {
      const { status: _, ...rest } = object;
      const kept = old.status === undefined ? rest : { ...rest, status: old.status };
      return updater.prepareForUpdate?.(kept, old, context) ?? kept;
    },
  };
}

/** The main endpoint, and those of the kind's subresources that have no strategy of their own. */
export const mainUpdater = ({ prepareForUpdate, validateCreate, validateUpdate }: Strategy): UpdateStrategy => ({
  ...defined({ prepareForUpdate }),
  validateUpdate: validateUpdate ?? ((object, _old, context) => validateCreate?.(object, context) ?? []),
});

function updaterOf(endpoint: Endpoint, subresource: string): UpdateStrategy {
  const { strategy } = endpoint;
  if (subresource === "") return hasStatus(endpoint) ? keepStatus(mainUpdater(strategy)) : mainUpdater(strategy);
  if (subresource !== "status") return strategy.subresources?.[subresource] ?? mainUpdater(strategy);
  const kept = endpoint.custom ? "all" : metadataKeptByStatus(endpoint.served.kind);
  return {
    prepareForUpdate: (object, old, context) => {
      const status = withStatusOnly(object, old, kept);
      return strategy.status?.prepareForUpdate?.(status, old, context) ?? status;
    },
    validateUpdate: (object, old, context) => strategy.status?.validateUpdate?.(object, old, context) ?? [],
  };
}

/** True if the last finalizer of an object that is being deleted was removed: this write then deletes the object. */
function endsDeletion(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = object.metadata;
  return deletionTimestamp !== undefined && !deletionGracePeriodSeconds && finalizers.length === 0;
}

/** The object that a write deleted, in the endpoint's version. */
async function lastForm(endpoint: Endpoint, object: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  await loaded(endpoint, [object], signal);
  return endpoint.fromStorage(object);
}

async function write({ endpoint, scope }: UpdateRequest, object: KubeObject, current: Stored): Promise<View> {
  const { store, companions } = scope.machinery;
  const { collection, key, revision: expected } = current;
  const others = (after: KubeObject | undefined): readonly StoreWrite[] =>
    companions.get(collection)?.(current.object, after) ?? [];
  const ttl = defined({ ttlMs: endpoint.strategy.ttlMs });
  const put: StoreWrite = { type: "put", collection, key, expected, object, ...ttl };
  if (endsDeletion(object) && !endpoint.strategy.holdsDeletion?.(object)) {
    const { revision } = store.commit([{ type: "delete", collection, key, expected }, ...others(undefined)]);
    await store.settled(revision);
    return unstoredView(await lastForm(endpoint, object, scope.signal));
  }
  return committed(endpoint, [put, ...others(object)], scope);
}
