/** Rules for references inside objects: kinds, domain-prefixed paths, groups. */
import { isDns1123Subdomain, isPathSegmentName, patternComplaint } from "../../../../api/index.js";
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

const pathForm = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Requires a domain and a path: `example.com/controller`. */
export function* domainPrefixedPath(at: Path, name: string): Issues {
  const slash = name.indexOf("/");
  const [domain, path] = [name.slice(0, slash), name.slice(slash + 1)];
  if (name === "") yield at.required();
  else if (slash < 1 || path === "") {
    yield at.invalid(name, 'must be a domain-prefixed path (such as "acme.io/foo")');
  } else {
    yield* formed(at, domain, isDns1123Subdomain(domain));
    if (!new RegExp(`^${pathForm}$`).test(path)) yield at.invalid(path, patternComplaint("Invalid path", pathForm));
  }
}
