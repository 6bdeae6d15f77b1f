/** `scale`: the replicas of a workload as a Scale object, whatever the workload's kind. */
import { defined } from "../../base/defined.js";
import {
  apiVersionOf,
  fieldPath,
  formatTime,
  type KubeObject,
  newConflict,
  newInternalError,
  newInvalid,
} from "../../api/index.js";
import { inOneGo, runWithin } from "../../base/index.js";
import { ownersAfterScale, ownersOfScale } from "../apply/index.js";
import { parsePatchOptions, parseWriteOptions, placed, type WriteOptions } from "../http/body.js";
import { objectAnswer, type Shown } from "../http/answers/answer.js";
import { bodyOf, patchOf, readScope, shownBy, writeScope } from "../http/exchange.js";
import type { VerbRequest, Verb } from "../http/verbs.js";
import type { Endpoint } from "../contracts/endpoint.js";
import type { FieldManagerRequest } from "../contracts/field-manager.js";
import { getObject } from "../registry/read/list.js";
import { normalize } from "../registry/built-in.js";
import { nonNegative } from "../registry/kinds/rules/issues.js";
import { builtInPaths, type Scale, scaleOf, valueAt } from "../registry/scale.js";
import { patchedBy, requireKind } from "../registry/write/patch.js";
import { readApplied, readPatch } from "../registry/write/patch-body.js";
import { unstoredView } from "../registry/write/create.js";
import {
  nameRuleOf,
  validateFinalizerDomains,
  validateObjectMeta,
  withoutDuplicateOwners,
} from "../registry/write/object-meta.js";
import { updateObject } from "../registry/write/update.js";
import { customScaleTable, scaleTable } from "../table/index.js";

const kind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

function withValue<T>(object: T, [name, ...rest]: readonly string[], value: unknown): T {
  if (name === undefined) return value as T;
  return { ...object, [name]: withValue((object as Record<string, unknown>)[name] ?? {}, rest, value) };
}

export const scaleVerb: Verb = async (operation) => {
  // a form that cannot be answered is refused before anything is written
  const shown = shownAsScale(operation);
  return objectAnswer(200, unstoredView(await scaleAfter(operation)), shown);
};

function shownAsScale({ exchange, endpoint }: VerbRequest): Shown {
  const served = { ...endpoint.served, ...kind };
  return shownBy(exchange, { ...endpoint, served, table: endpoint.custom ? customScaleTable : scaleTable });
}

async function scaleAfter(operation: VerbRequest): Promise<Scale> {
  const { exchange, endpoint, info } = operation;
  const { namespace, name, verb } = info;
  if (verb !== "get") return verb === "update" ? replaceScale(operation) : patchScale(operation);
  const { object } = await getObject(endpoint, { namespace, name, resourceVersion: "" }, readScope(exchange));
  if (endpoint.scale !== undefined && valueAt(object, endpoint.scale.spec) === undefined) {
    throw newInternalError(`the spec replicas field ".${endpoint.scale.spec.join(".")}" does not exist`);
  }
  return scaleOf(endpoint, object);
}

async function replaceScale({ exchange, endpoint, info }: VerbRequest): Promise<Scale> {
  const options = parseWriteOptions(exchange.query, "UpdateOptions");
  const builtIn = {
    ...endpoint,
    custom: false,
    decode: (codec: Parameters<Endpoint["decode"]>[0], bytes: Uint8Array) => codec.decode(bytes, kind),
  };
  const body = await bodyOf(exchange, builtIn, { expected: kind, validation: options.fieldValidation });
  const sent = placed(body, info) as Scale;
  return write(
    { exchange, endpoint, info },
    tracked(endpoint, () => sent),
    sent,
  );
}

async function patchScale({ exchange, endpoint, info }: VerbRequest): Promise<Scale> {
  const { type, bytes } = patchOf(exchange, endpoint.custom);
  const options = parsePatchOptions(exchange.query, type);
  if (type === "application/apply-patch+yaml") return applyScale({ exchange, endpoint, info }, { bytes, options });
  const patch = await runWithin(readScope(exchange).slice, readPatch(bytes, type, options.fieldValidation));
  const { namespace, name, subresource } = info;
  const about = { type, kind, namespace, name, subresource, strictness: options.fieldValidation };
  const target = { ...about, endpoint: { custom: false, normalize }, scope: readScope(exchange) };
  const change = tracked(endpoint, (old) => {
    const object = inOneGo(patchedBy(patch, old, target));
    const { resourceVersion, ...metadata } = object.metadata;
    const named = resourceVersion !== old.metadata.resourceVersion;
    return (named ? object : { ...object, metadata }) as Scale;
  });
  return write({ exchange, endpoint, info }, change);
}

async function applyScale(
  { exchange, endpoint, info }: VerbRequest,
  { bytes, options }: { readonly bytes: Uint8Array; readonly options: WriteOptions },
): Promise<Scale> {
  const { object } = await runWithin(readScope(exchange).slice, readApplied(bytes, options.fieldValidation));
  return write({ exchange, endpoint, info }, (old, request) => {
    requireKind(object, kind);
    const force = options.force ?? false;
    const about = { ...request, manager: options.fieldManager, force };
    const merged = inOneGo(endpoint.fieldManager.apply(old, object, about));
    return placed(inOneGo(normalize(merged, old)).object, info) as Scale;
  });
}

/** Gives the Scale to write, with its owners, from the present one. */
type ScaleChange = (old: Scale, request: FieldManagerRequest) => Scale;

/** An update or patch: the owners follow from the changed fields. */
function tracked(endpoint: Endpoint, change: (old: Scale) => Scale): ScaleChange {
  return (old, request) => inOneGo(endpoint.fieldManager.update(old, change(old), request)) as Scale;
}

/** `sent` is the whole Scale of an update; a patch has none. */
async function write({ exchange, endpoint, info }: VerbRequest, change: ScaleChange, sent?: Scale): Promise<Scale> {
  const options = parseWriteOptions(exchange.query, "UpdateOptions");
  const { namespace, name } = info;
  const scope = writeScope(exchange, options);
  const { view } = await updateObject({
    endpoint,
    namespace,
    name,
    subresource: "scale",
    scope,
    missing: "refuse",
    unconditional: true,
    managed: true,
    ...defined({ uid: sent?.metadata.uid || undefined }),
    change: (live) => {
      const time = formatTime(scope.machinery.clock.now());
      const request = { manager: scope.manager, apiVersion: apiVersionOf(kind), subresource: "scale", time };
      const told = { warn: scope.warn, admitted: sent === undefined };
      return scaled(endpoint, live as KubeObject, (old) => withoutDuplicateOwners(change(old, request), told) as Scale);
    },
  });
  return scaleOf(endpoint, view.object);
}

/** The live object with the replicas and owners of its changed Scale. */
function scaled(endpoint: Endpoint, live: KubeObject, change: (old: Scale) => Scale): KubeObject {
  const { spec: path } = endpoint.scale ?? builtInPaths;
  const { resourceVersion: _, managedFields = [], ...rest } = live.metadata;
  const before = scaleOf(endpoint, live);
  const old = { ...before, metadata: { ...before.metadata, managedFields: ownersOfScale(managedFields, path) } };
  const { metadata, spec } = change(old);
  const replicas = spec?.replicas ?? 0;
  // a custom object is judged by rules of its own
  const causes = endpoint.custom
    ? []
    : [
        ...validateObjectMeta(metadata, { namespaced: true, nameRule: nameRuleOf({}) }),
        ...validateFinalizerDomains(metadata, {}),
        ...nonNegative(fieldPath("spec.replicas"), replicas),
      ];
  if (causes.length > 0) throw newInvalid(kind, live.metadata.name, causes);
  const { uid, resourceVersion } = metadata;
  if (uid && uid !== live.metadata.uid) {
    const { group, plural } = endpoint.served;
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
    throw newConflict({ group, resource: `${plural}/scale` }, live.metadata.name, why);
  }
  const conditions = defined({ resourceVersion: resourceVersion || undefined });
  const { apiVersion } = live;
  const owners = ownersAfterScale(managedFields, metadata.managedFields ?? [], { replicas: path, apiVersion });
  const next = withValue(live, path, replicas);
  const entries = owners.length === 0 ? {} : { managedFields: owners };
  return { ...next, metadata: { ...rest, ...entries, ...conditions } };
}
