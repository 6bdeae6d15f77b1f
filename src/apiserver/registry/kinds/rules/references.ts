/** Rules for references inside objects: kinds, names, groups. */
import { dns1123Subdomain, type Issues, type Path, pathSegmentName, required } from "./issues.js";

export interface TypedReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export function* typedReference(at: Path, { apiGroup, kind, name }: TypedReference): Issues {
  if (apiGroup !== undefined) yield* dns1123Subdomain(at.child("apiGroup"), apiGroup);
  yield* required(at.child("kind"), kind, pathSegmentName);
  yield* required(at.child("name"), name, pathSegmentName);
}
