/** Rules for references inside objects: kinds, names, groups. */
import { isPathSegmentName } from "../../../../api/index.js";
import { dns1123Subdomain, formed, type Issues, type Path } from "./issues.js";

/** Requires a name that is valid as a path segment. */
export function* segment(at: Path, name: string | undefined, detail = ""): Issues {
  if (!name) yield at.required(detail);
  else yield* formed(at, name, isPathSegmentName(name));
}

export interface TypedReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export function* typedReference(at: Path, { apiGroup, kind, name }: TypedReference): Issues {
  if (apiGroup !== undefined) yield* dns1123Subdomain(at.child("apiGroup"), apiGroup);
  yield* segment(at.child("kind"), kind);
  yield* segment(at.child("name"), name);
}
