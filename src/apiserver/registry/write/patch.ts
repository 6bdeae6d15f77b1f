/** Patch: turns each of the four kinds of patch into a change for the update pipeline. */
import {
  apiVersionOf,
  formatTime,
  type GroupVersionKind,
  isBadRequest,
  type KubeObject,
  newBadRequest,
  newConflict,
  newFailure,
  newRequestEntityTooLarge,
  newUnsupportedMediaType,
  StatusError,
} from "../../../api/index.js";
import { runWithin, type Steps } from "../../../base/index.js";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  type JsonPatchOperation,
  PatchError,
} from "../../../api/patch/index.js";
import { type ObjectType, patchSchemaOfKind, typedForm, typeNamed, builtInTypeOf } from "../../../api/schema/index.js";
import type { Decoded } from "../../contracts/codec.js";
import { type Endpoint, inNamespaceOf, resourceOf } from "../../contracts/endpoint.js";
import type { RequestScope } from "../../contracts/scope.js";
import { type PatchBody, patchRefused, type PatchType, readApplied, readPatch, type Strictness } from "./patch-body.js";
import { inKind, type Patched, withKind } from "./patch-kind.js";
import type { FieldManagerRequest } from "../../contracts/field-manager.js";
import { type Updated, updateObject, type UpdateRequest } from "./update.js";
import { acrossVersions } from "../views.js";
import { asText } from "../../../base/members.js";

const builtInTypes: readonly string[] = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];
const customTypes = builtInTypes.filter((type) => type !== "application/strategic-merge-patch+json");

/** The patch's type; throws if the endpoint does not accept it. The error about a custom kind also names `further` types. */
export function patchTypeFor(custom: boolean, mediaType: string, further: readonly string[] = []): PatchType {
  const types = custom ? customTypes : builtInTypes;
  if (types.includes(mediaType)) return mediaType as PatchType;
  if (!custom) {
    const { status } = newUnsupportedMediaType("415: Unsupported Media Type");
    throw new StatusError({ ...status, details: {} });
  }
  throw newUnsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${[...types, ...further].join(", ")}`,
  );
}

export interface PatchRequest {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly scope: RequestScope;
  readonly type: PatchType;
  readonly bytes: Uint8Array;
  readonly force: boolean;
  /** The kind of the patched object. */
  readonly kind: GroupVersionKind;
  /** The treatment of unknown and duplicate fields. */
  readonly strictness: Strictness;
}

export async function patchObject(request: PatchRequest): Promise<Updated> {
  const { endpoint, namespace, name, subresource, scope } = request;
  const base = { endpoint, namespace, name, subresource, scope };
  if (request.type === "application/apply-patch+yaml") return applyObject(request, base);
  const patch = await runWithin(scope.slice, readPatch(request.bytes, request.type, request.strictness));
  return updateObject({
    ...base,
    missing: "refuse",
    follows: true,
    change: (live) => runWithin(scope.slice, patchedBy(patch, live as KubeObject, request)),
  });
}

/** The facts about an object that a patch to it needs. */
export type PatchTarget = Pick<PatchRequest, "type" | "kind" | "namespace" | "name" | "subresource" | "strictness"> & {
  readonly endpoint: Pick<Endpoint, "custom" | "normalize">;
  readonly scope: Pick<RequestScope, "warn">;
};

/** The live object after the patch, as an object of its kind, with the namespace and name of the request. */
export function* patchedBy(body: PatchBody, live: KubeObject, target: PatchTarget): Steps<KubeObject> {
  const { value: patch, problems } = body;
  const patched = { type: target.type, patch, result: applyPatch(target, live, patch) };
  yield;
  const type = builtInTypeOf(apiVersionOf(target.kind), target.kind.kind);
  const number = type === undefined ? undefined : body.refusedNumber(type);
  if (number !== undefined) throw patchRefused(target.type, patched, number);
  yield;
  const decoded = yield* normalized(patched, live, target);
  yield;
  if (target.strictness !== "Ignore") judge(patched, [...problems, ...decoded.problems], target);
  return placedAt(decoded.object, target);
}

function applyPatch<T>({ type, kind }: Pick<PatchRequest, "type" | "kind">, live: T, patch: unknown): T {
  try {
    if (type === "application/json-patch+json") {
      return applyJsonPatch(live, patch as readonly JsonPatchOperation[], { rules: "kubernetes" });
    }
    const schema = type === "application/merge-patch+json" ? undefined : patchSchemaOfKind(kind);
    if (schema === undefined) return applyMergePatch(live, patch, { rules: "kubernetes" });
    return applyStrategicMergePatch(live, patch, schema);
  } catch (error) {
    if (error instanceof PatchError) throw refusal(error);
    throw error;
  }
}

function refusal({ failure, message }: PatchError): StatusError {
  if (failure === "too-large") return newRequestEntityTooLarge(message);
  if (failure === "malformed") return newBadRequest(message);
  const code = failure === "inapplicable" ? 422 : 500;
  return newFailure({
    message: code === 422 ? "the server rejected our request due to an error in our request" : message,
    ...(code === 422 ? { reason: "Invalid", details: {} } : {}),
    code,
  });
}

/** A result that does not fit its kind is the patch's fault. */
function* normalized(patched: Patched, live: KubeObject, target: PatchTarget): Steps<Decoded> {
  const { endpoint, kind, name, subresource } = target;
  const value = withKind(patched, { kind, custom: endpoint.custom, name, subresource });
  if (value === undefined) return unread(patched);
  try {
    const decoded = yield* endpoint.normalize(value, live);
    const object = endpoint.custom ? decoded.object : inKind(patched, decoded.object, kind);
    return object === decoded.object ? decoded : { object, problems: decoded.problems };
  } catch (error) {
    if (!isBadRequest(error)) throw error;
    const why = (error as StatusError).message.replace(/^.*? cannot be handled as an? \w+: /, "");
    throw patchRefused(patched.type, patched, why);
  }
}

/** Decodes a result without a version: all of its fields are unknown, its name included. */
function unread({ result }: Patched): Decoded {
  const { kind, apiVersion, ...rest } = result;
  const problems = Object.keys(rest)
    .toSorted()
    .map((name) => `unknown field ${JSON.stringify(name)}`);
  return { object: { kind, apiVersion, metadata: {} } as KubeObject, problems };
}

function judge(patched: Patched, problems: readonly string[], { scope, strictness }: PatchTarget): void {
  if (problems.length === 0) return;
  if (strictness === "Strict") {
    throw patchRefused(patched.type, patched, `strict decoding error: ${problems.join(", ")}`);
  }
  for (const problem of problems) scope.warn(problem);
}

async function applyObject(
  request: PatchRequest,
  base: Pick<UpdateRequest, "endpoint" | "namespace" | "name" | "subresource" | "scope">,
): Promise<Updated> {
  const { endpoint, scope } = request;
  const { object: applied, problem } = await runWithin(scope.slice, readApplied(request.bytes, request.strictness));
  return updateObject({
    ...base,
    missing: request.subresource === "" ? "create" : "refuse",
    follows: true,
    managed: true,
    change: (live) => {
      requireKind(applied, request.kind);
      const about = {
        manager: scope.manager,
        apiVersion: apiVersionOf(request.kind),
        subresource: request.subresource,
        time: formatTime(scope.machinery.clock.now()),
        force: request.force,
      };
      return acrossVersions(endpoint, () => appliedTo(live, { applied, problem, about }, request), scope);
    },
  });
}

interface Applied {
  readonly applied: KubeObject;
  /** The complaint of strict validation. */
  readonly problem: string | undefined;
  readonly about: FieldManagerRequest & { readonly force: boolean };
}

function* appliedTo(
  live: KubeObject | undefined,
  { applied, problem, about }: Applied,
  request: PatchRequest,
): Steps<KubeObject> {
  const { endpoint, scope, name } = request;
  const merged = yield* endpoint.fieldManager.apply(live, applied, about);
  yield;
  if (problem !== undefined) {
    if (request.strictness === "Strict") throw newBadRequest(`error strict decoding YAML: ${problem}`);
    scope.warn(problem);
  }
  const object = endpoint.custom ? withMetaInForm(merged) : (yield* endpoint.normalize(merged, live)).object;
  const uid = live === undefined ? metadataOf(object)?.uid : undefined;
  if (!uid) return placedAt(object, request);
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw newConflict(resourceOf(endpoint), name, why);
}

/** For a custom object only the metadata has a typed form; validation judges nulls that the merge has left elsewhere. */
function withMetaInForm(object: KubeObject): KubeObject {
  const metadata = typedForm(typeNamed("meta/v1.ObjectMeta") as ObjectType, { ...object.metadata });
  return { ...object, metadata: metadata as unknown as KubeObject["metadata"] };
}

/** An applied configuration must name its kind and version. */
export function requireKind(applied: KubeObject, expected: GroupVersionKind): void {
  const [apiVersion, kind] = [asText(applied.apiVersion), asText(applied.kind)];
  if (apiVersion === apiVersionOf(expected) && kind === expected.kind) return;
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  throw newBadRequest(`invalid object type: ${version}, Kind=${kind}`);
}

/** The result must have the namespace and name of the request. */
function placedAt(object: KubeObject, { namespace, name }: Pick<PatchRequest, "namespace" | "name">): KubeObject {
  const placed = metadataOf(object) === undefined ? object : inNamespaceOf(object, namespace);
  const found = metadataOf(placed)?.name;
  if (!found) {
    throw newBadRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (found !== name) {
    throw newBadRequest(`the name of the object (${found}) does not match the name on the URL (${name})`);
  }
  return placed;
}

/** A patch may have removed the metadata. */
const metadataOf = ({ metadata }: KubeObject): KubeObject["metadata"] | undefined =>
  (metadata as KubeObject["metadata"] | null) ?? undefined;
