/** Create: from a decoded body to a stored object. */
import { exactJson } from "../../../api/values/exact-json.js";
import { withManagedFieldsOf } from "../../../api/meta/managed-fields.js";
import { defined } from "../../../base/defined.js";
import { inOneGo, runWithin, type Steps } from "../../../base/index.js";
import {
  formatTime,
  isPathSegmentName,
  type KubeObject,
  newAlreadyExists,
  newFailure,
  newForbidden,
  newGenerateNameConflict,
  newInvalid,
  type StatusCause,
  StatusError,
} from "../../../api/index.js";
import { Causes } from "../../../api/status.js";
import { inItself, requireAllowed } from "../../auth/authorize.js";
import { ExpectationError, type Stored, type StoreWrite } from "../../storage/contract.js";
import { mutate, validate } from "./admit.js";
import {
  type Endpoint,
  inNamespaceOf,
  namespaced,
  resourceOf,
  storageKey,
  type View,
} from "../../contracts/endpoint.js";
import {
  generateName,
  nameRuleOf,
  validateFinalizerDomains,
  validateNames,
  validateObjectMeta,
  withoutDuplicateOwners,
  type DraftMetadata,
} from "./object-meta.js";
import { type Guard, newUid, type RequestScope, strategyContext } from "../../contracts/scope.js";
import type { Strategy, StrategyContext } from "../../contracts/strategy.js";
import type { Template, Judgement } from "./templates.js";
import { loaded, rehearsed, saved } from "../views.js";

export interface CreateRequest {
  readonly endpoint: Endpoint;
  /** "" in cluster scope. */
  readonly namespace: string;
  /** In the endpoint's version, with kind and apiVersion. */
  readonly object: KubeObject;
  readonly scope: RequestScope;
  /** True if ownership is recorded already (apply). */
  readonly managed?: boolean;
  /** True if an update or apply, which was allowed as such, creates the object: its sender must also be allowed to create. */
  readonly byUpdate?: boolean;
  readonly options?: KubeObject;
  /** The template that the object was sent as, if the server is to name it. */
  readonly template?: Template | undefined;
}

const generateNameTries = 8;

export async function createObject(request: CreateRequest): Promise<View> {
  const { endpoint, scope } = request;
  if (endpoint.terminating) {
    const why = "create not allowed while custom resource definition is terminating";
    throw newForbidden(resourceOf(endpoint), request.object.metadata.name ?? "", why);
  }
  if (scope.slice.due()) await scope.slice.pause();
  const drafting = managedDraft(request);
  const draft = drafting instanceof Promise ? await drafting : drafting;
  const generated = !draft.metadata.name && draft.metadata.generateName !== undefined;
  for (let attempt = 1; ; attempt++) {
    if (scope.slice.due()) await scope.slice.pause();
    const named = withSystemMetadata(draft, request);
    try {
      return await createNamed(request, named);
    } catch (error) {
      if (!(error instanceof ExpectationError)) throw error;
      const { name = "" } = named.metadata as Partial<KubeObject["metadata"]>;
      if (!generated) throw alreadyExists(endpoint, name, error);
      if (attempt === generateNameTries) throw newGenerateNameConflict(resourceOf(endpoint), name, 1);
    }
  }
}

/** Admits, checks and stores an object that has its name. */
async function createNamed(request: CreateRequest, named: KubeObject): Promise<View> {
  const { endpoint, namespace, scope } = request;
  const target = { endpoint, namespace, name: named.metadata.name ?? "", subresource: "", scope };
  const withOptions = request.options === undefined ? target : { ...target, options: request.options };
  const mutated = mutate(withOptions, { operation: "CREATE", object: named });
  const admitted = mutated instanceof Promise ? await mutated : mutated;
  const guarded = guard(request, admitted);
  const causes = guarded instanceof Promise ? await guarded : guarded;
  if (scope.slice.due()) await scope.slice.pause();
  const object = prepare(request, withoutDuplicateOwners(admitted, { warn: scope.warn, admitted: true }), causes);
  if (scope.slice.due()) await scope.slice.pause();
  if (request.byUpdate) await requireCreate(request, object.metadata.name);
  const validated = validate({ ...withOptions, name: object.metadata.name }, { operation: "CREATE", object });
  if (validated instanceof Promise) await validated;
  // upstream's store refuses a resourceVersion, so this comes after all other checks and never in a dry run
  if (!request.byUpdate && !scope.dryRun && namesVersion(request.object)) throw versionOnCreate();
  return commit(endpoint, object, scope);
}

/** Text that is not a number counts as no version. */
const namesVersion = ({ metadata }: KubeObject): boolean => /^0*[1-9]\d*$/.test(metadata.resourceVersion ?? "");

function guard(request: CreateRequest, admitted: KubeObject): ReturnType<Guard> {
  const { endpoint, namespace, scope, byUpdate } = request;
  const check = scope.machinery.guards.get(endpoint.collection);
  if (check === undefined) return [];
  // a generated name is not the sender's, so the guard does not see it
  const { name = "" } = request.object.metadata as Partial<KubeObject["metadata"]>;
  const object = { ...admitted, metadata: { ...admitted.metadata, name } };
  const { plural: resource } = endpoint.served;
  const about = { user: scope.user, verb: "create", resource, subresource: "" } as const;
  return check({ ...about, namespace, name: byUpdate ? name : "", object });
}

function requireCreate({ endpoint, namespace, scope }: CreateRequest, name: string): void | Promise<void> {
  const { group, version, plural: resource } = endpoint.served;
  const where = { namespace, inNamespace: namespace !== "", name, subresource: "", rest: [] };
  const asked = { type: "resource", verb: "create", group, version, resource, ...where } as const;
  return requireAllowed(scope.machinery.authorizer, scope.user, inItself(asked));
}

function managedDraft(request: CreateRequest): KubeObject | Promise<KubeObject> {
  const { template, scope } = request;
  const time = formatTime(scope.machinery.clock.now());
  // duplicate owners cause a warning each time
  const isPlain = (request.object.metadata.ownerReferences ?? []).length < 2;
  return isPlain && template !== undefined
    ? template.draft(time, () => inOneGo(newDraft(request, time)))
    : runWithin(scope.slice, newDraft(request, time));
}

/** Defaults and ownership come first, so that no manager owns the fields that admission adds. */
function* newDraft({ endpoint, object, scope, managed, namespace }: CreateRequest, time: string): Steps<KubeObject> {
  const unique = withoutDuplicateOwners(withoutSystemMetadata(inNamespaceOf(object, namespace)), {
    warn: scope.warn,
    admitted: false,
  });
  const stored = endpoint.toStorage(unique);
  const defaulted = endpoint.strategy.setDefaults?.(stored) ?? stored;
  if (managed) return defaulted;
  yield;
  const shown = endpoint.fromStorage(defaulted);
  const owned = yield* endpoint.fieldManager.update(undefined, shown, {
    manager: scope.manager,
    apiVersion: object.apiVersion,
    subresource: "",
    time,
  });
  return withOwners(defaulted, owned, shown);
}

/**
 * The stored object with the owners that were computed for its form in another version. The object itself is not
 * converted back, because that might change it.
 */
export function withOwners(stored: KubeObject, owned: KubeObject, shown: KubeObject): KubeObject {
  return shown === stored ? owned : withManagedFieldsOf(stored, owned);
}

const notForClients = ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] as const;

/** Removes metadata that only the server sets, such as the time of deletion, so that no manager owns it. */
export function withoutSystemMetadata(object: KubeObject): KubeObject {
  const metadata: DraftMetadata = { ...object.metadata };
  for (const name of notForClients) if (metadata[name] !== undefined) delete metadata[name];
  return { ...object, metadata };
}

function withSystemMetadata(object: KubeObject, { endpoint, scope }: CreateRequest): KubeObject {
  const { clock, random } = scope.machinery;
  const metadata: DraftMetadata = { ...object.metadata };
  if (!metadata.name) metadata.name = metadata.generateName ? generateName(metadata.generateName, random) : "";
  metadata.uid = newUid(random);
  metadata.creationTimestamp = formatTime(clock.now());
  // where the server does not count from 1, the client's number stays
  if (hasGeneration(endpoint) && endpoint.strategy.firstGeneration !== 0) metadata.generation = 1;
  return { ...object, metadata };
}

export const hasGeneration = ({ strategy }: Endpoint): boolean => (strategy.generation ?? "never") !== "never";

export const hasStatus = ({ served }: Endpoint): boolean => served.subresources.some(({ name }) => name === "status");

function prepare(
  { endpoint, scope, template }: CreateRequest,
  object: KubeObject,
  causes: readonly StatusCause[],
): KubeObject {
  const { strategy } = endpoint;
  const context = strategyContext(scope, endpoint.served.group);
  let draft = object;
  if (hasStatus(endpoint) && strategy.keepsStatusOnCreate !== true && "status" in object) {
    const { status: _, ...rest } = object as KubeObject & { status?: unknown };
    const { emptyStatus: status } = endpoint;
    draft = status === undefined ? rest : ({ ...rest, status } as KubeObject);
  }
  draft = strategy.prepareForCreate?.(draft, context) ?? draft;
  const judge = (): Judgement & { readonly byContent: boolean } => judged(strategy, draft, context);
  const { object: prepared, verdict } = template?.judged(draft, judge) ?? { object: draft, verdict: judge() };
  const errors = new Causes();
  errors.add(causes);
  if (verdict.errors.length === 0 || strategy.judgesMetadataLast?.(endpoint.served.group) !== true) {
    errors.add(
      validateObjectMeta(prepared.metadata, { namespaced: namespaced(endpoint), nameRule: nameRuleOf(strategy) }),
    );
    if (!endpoint.custom) errors.add(validateFinalizerDomains(prepared.metadata, strategy));
  }
  errors.add(verdict.errors);
  // whatever a kind allows, a name must be valid in a path
  if (errors.all.length === 0) errors.add(validateNames(prepared.metadata, isPathSegmentName));
  const { name = "" } = prepared.metadata as Partial<KubeObject["metadata"]>;
  if (errors.all.length > 0) throw newInvalid(endpoint.strategy, name, errors.all);
  for (const warning of verdict.warnings) scope.warn(warning);
  return prepared;
}

function judged(
  strategy: Strategy,
  object: KubeObject,
  context: StrategyContext,
): Judgement & { readonly byContent: boolean } {
  const seen = strategy.forRules?.(object) ?? object;
  const errors = new Causes();
  errors.add(strategy.validateCreate?.(seen, context) ?? []);
  const warnings = errors.all.length > 0 ? [] : (strategy.warningsOnCreate?.(seen) ?? []);
  return { errors: errors.all, warnings, byContent: strategy.isJudgedByContent?.(seen) ?? false };
}

async function commit(endpoint: Endpoint, prepared: KubeObject, scope: RequestScope): Promise<View> {
  const { store, allocators, companions } = scope.machinery;
  const kept = scope.dryRun ? prepared : saved(endpoint, prepared, scope.signal);
  // no needless await: it would let other writes in between admission's judgement of the store and the commit
  const worked = kept instanceof Promise ? await kept : kept;
  const object = allocators.get(endpoint.collection)?.(worked, { old: undefined, dryRun: scope.dryRun }) ?? worked;
  const { namespace = "", name } = object.metadata;
  const key = storageKey(namespace, name);
  const { collection, strategy } = endpoint;
  const ttl = defined({ ttlMs: strategy.ttlMs });
  const change = { type: "put", collection, key, expected: 0, object, ...ttl } as const;
  if (scope.dryRun) {
    const current = store.get(collection, key);
    if (current !== undefined) throw new ExpectationError(change, current);
    return rehearsed(endpoint, object, scope.signal);
  }
  return committed(endpoint, [change, ...(companions.get(collection)?.(undefined, object) ?? [])], scope);
}

/** Makes all writes in one transaction; gives the first object as it is stored. */
export async function committed(
  endpoint: Endpoint,
  writes: readonly StoreWrite[],
  { machinery: { store }, signal, slice }: RequestScope,
): Promise<View> {
  const { revision, stored } = store.commit(writes);
  if (revision > store.settledRevision) await store.settled(revision);
  if (endpoint.converter !== undefined) await loaded(endpoint, stored.slice(0, 1), signal);
  if (slice.due()) await slice.pause();
  return endpoint.view(stored[0] as Stored);
}

/** The view that a dry run answers with. */
export function unstoredView(object: KubeObject): View {
  return { object, bytes: Buffer.from(exactJson(object)) };
}

function alreadyExists(endpoint: Endpoint, name: string, { current }: ExpectationError): StatusError {
  const error = newAlreadyExists(resourceOf(endpoint), name);
  if (current?.object.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.status.message}` });
}

function versionOnCreate(): StatusError {
  const message = "resourceVersion should not be set on objects to be created";
  return newFailure({ message, code: 500 });
}
