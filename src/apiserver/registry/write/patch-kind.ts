/** Checks the kind and version of a patch's result as upstream's decoders do: a patch cannot turn an object into another kind. */
import { exactJson } from "../../../api/values/exact-json.js";
import { isRecord } from "../../../base/members.js";
import {
  apiVersionOf,
  fieldPath,
  type GroupVersionKind,
  type KubeObject,
  newInternalError,
  newInvalid,
  parseGroupVersion,
  type StatusCause,
} from "../../../api/index.js";
import { builtInTypeOf, jsonKind } from "../../../api/schema/index.js";
import { unregistered } from "../../codec/index.js";
import { builtInVersion } from "../../conversion/index.js";
import { internalName } from "../../contracts/endpoint.js";
import { noObject, patchRefused, type PatchType } from "./patch-body.js";

export interface Patched {
  readonly type: PatchType;
  readonly patch: unknown;
  readonly result: KubeObject;
}

interface PatchedKind {
  /** The kind of the endpoint. */
  readonly kind: GroupVersionKind;
  readonly custom: boolean;
  readonly name: string;
  readonly subresource: string;
}

type Claimed = { readonly [K in "apiVersion" | "kind"]?: unknown };

/**
 * The result of a patch, with the kind and version by which to decode it; undefined if it names no version and so
 * cannot be decoded.
 */
export function withKind(patched: Patched, about: PatchedKind): KubeObject | undefined {
  const { type, result } = patched;
  if (!isRecord(result)) throw refused(patched, noObject);
  const claimed: Claimed = result;
  for (const field of ["apiVersion", "kind"] as const) requireText(patched, field, claimed[field]);
  const own = { kind: about.kind.kind, apiVersion: apiVersionOf(about.kind) };
  if (claimed.kind === own.kind && claimed.apiVersion === own.apiVersion) return result;
  // upstream sets the fields of a struct, and ignores these two afterwards
  if (type === "application/strategic-merge-patch+json") return { ...result, ...own };
  return about.custom ? customKind(patched, about) : builtInKind(patched, about);
}

function requireText(patched: Patched, field: string, value: unknown): void {
  if (value === undefined || value === null || typeof value === "string") return;
  const why = `json: cannot unmarshal ${jsonKind(value, { kind: "json" })} into Go struct field .${field} of type string`;
  const isStrategic = patched.type === "application/strategic-merge-patch+json";
  throw refused(patched, isStrategic ? why : `couldn't get version/kind; json parse error: ${why}`);
}

const refused = ({ type, patch, result }: Patched, why: string): Error => patchRefused(type, { patch, result }, why);

function customKind(patched: Patched, { kind, name, subresource }: PatchedKind): KubeObject {
  const { result } = patched;
  if (!result.kind) throw refused(patched, `Object 'Kind' is missing in '${exactJson(result)}'`);
  if (!result.apiVersion) {
    throw newInternalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  }
  const own = { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  // everything but the status is taken from the stored object
  if (subresource === "status") return { ...result, ...own };
  const wrong: StatusCause[] = [];
  for (const field of ["kind", "apiVersion"] as const) {
    if (result[field] !== own[field]) wrong.push(fieldPath(field).invalid(result[field], `must be ${own[field]}`));
  }
  throw newInvalid({ group: groupOf(result.apiVersion), kind: result.kind }, name, wrong);
}

function builtInKind(patched: Patched, { kind }: PatchedKind): KubeObject | undefined {
  const { result } = patched;
  if (!result.apiVersion) return undefined;
  const named = result.kind ? result : { ...result, kind: kind.kind };
  if (builtInTypeOf(named.apiVersion, named.kind) !== undefined) return named;
  throw refused(patched, unregistered(named.apiVersion, named.kind));
}

/** The patched object in the endpoint's version. Throws if it cannot be converted. */
export function inKind(patched: Patched, object: KubeObject, kind: GroupVersionKind): KubeObject {
  const apiVersion = apiVersionOf(kind);
  if (object.kind === kind.kind && object.apiVersion === apiVersion) return object;
  const converted = object.kind === kind.kind ? builtInVersion(object, apiVersion) : undefined;
  if (converted !== undefined) return converted;
  const from = `${object.apiVersion.split("/").at(-1)}.${object.kind}`;
  throw refused(patched, `converting (${from}) to (${internalName(kind.group)}.${kind.kind}): unknown conversion`);
}

/** The group of an API version; the core group if it names none or cannot be parsed. */
function groupOf(apiVersion: string): string {
  try {
    return parseGroupVersion(apiVersion).group;
  } catch {
    return "";
  }
}
