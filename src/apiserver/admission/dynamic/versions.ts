/** Converts objects from the stored form to the version in which a hook sees them, and back. */
import type { KubeObject } from "../../../api/index.js";
import { withManagedFieldsOf } from "../../../api/meta/managed-fields.js";
import { inOneGo } from "../../../base/index.js";
import type { Endpoint } from "../../contracts/endpoint.js";
import { scaleOf } from "../../registry/scale.js";
import type { AdmissionRequest } from "../../contracts/admission.js";
import { type Criteria, equivalents, type Match, matchOf, ownEndpoint, type Surroundings } from "./matching.js";

/** Undefined stays undefined: a deletion has no new object, and a creation no old one. */
export function inVersion({ endpoint, kind }: Match, stored: KubeObject | undefined): KubeObject | undefined {
  if (stored === undefined) return undefined;
  const object = endpoint.fromStorage(stored);
  return kind.kind === "Scale" ? scaleOf(endpoint, object) : object;
}

/** A hook's changes are read as if a client had sent them, but do not make the hook an owner of fields. */
export function asStored(endpoint: Endpoint, changed: KubeObject, before: KubeObject): KubeObject {
  const { object } = inOneGo(endpoint.normalize(changed));
  const kept = endpoint.toStorage(object);
  const defaulted = endpoint.strategy.setDefaults?.(kept) ?? kept;
  return withManagedFieldsOf(defaulted, before);
}

/**
 * Undefined if `shown` can show the request's objects to the hook now; else resolves when it can, because a webhook
 * converts the kind and the hook asks for another version.
 */
export function readyFor(
  hook: Criteria,
  request: AdmissionRequest,
  around: Surroundings,
): Promise<unknown> | undefined {
  if (ownEndpoint(request, around)?.converter === undefined) return undefined;
  const { endpoint } = matchOf(request, hook, around) ?? {};
  return endpoint?.converter?.load(objectsOf(request));
}

/** The same for every version in which a hook could want to see the objects. */
export function readyForAll(request: AdmissionRequest, around: Surroundings): Promise<unknown> | undefined {
  if (ownEndpoint(request, around)?.converter === undefined) return undefined;
  const others = equivalents(request, around);
  return Promise.all(others.map(async ({ converter }) => converter?.load(objectsOf(request))));
}

const objectsOf = ({ object, old }: AdmissionRequest): readonly KubeObject[] =>
  [object, old].filter((one) => one !== undefined);

/** A hook's result, which is in the version that the hook saw, in the version of the request. */
export async function inVersionOf(
  request: AdmissionRequest,
  object: KubeObject,
  around: Surroundings,
): Promise<KubeObject> {
  const own = ownEndpoint(request, around);
  if (own?.converter === undefined) return object;
  await own.converter.load([object]);
  return own.fromStorage(object);
}
