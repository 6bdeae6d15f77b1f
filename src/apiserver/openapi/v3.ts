/** OpenAPI v3: the index of documents, and one document per group and version. Pure. */
import type { GroupVersionKind } from "../../api/index.js";
import type { Steps } from "../../base/index.js";
import type { ServedResource } from "../contracts/served.js";
import { customSchemas, type CustomSchema } from "./custom.js";
import { pathsOf } from "./paths.js";
import { builtInSchema, references, v3, withReferences } from "./schemas.js";

export interface OpenApiVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ServedResource[];
  /** The schemas of custom kinds, by kind. */
  readonly custom?: ReadonlyMap<string, CustomSchema>;
}

/** The key of a group and version in the index and in the URL after `/openapi/v3/`: `api/v1`, `apis/apps/v1`. */
export function openApiV3Path(group: string, version: string): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** The document at `/openapi/v3`; `hashes` has the hash of each document by its path, "" if it has none. */
export function openApiV3Index(hashes: ReadonlyMap<string, string>): object {
  const entries = [...hashes].map(([path, hash]) => {
    const query = hash === "" ? "" : `?hash=${hash}`;
    return [path, { serverRelativeURL: `/openapi/v3/${path}${query}` }];
  });
  return { paths: Object.fromEntries(entries) as object };
}

/** The document at `/openapi/v3/{path}`. */
export function* openApiV3({ group, version, resources, custom }: OpenApiVersion): Steps<object> {
  const paths = yield* pathsOf(group, version, resources);
  const home: GroupVersionKind = { group, version, kind: "" };
  const own = customSchemas(resources, custom ?? new Map(), v3);
  const used = [...references(paths)].map((target) => target.slice(v3.prefix.length));
  if (custom === undefined && resources.some(({ verbs }) => verbs.includes("watch"))) {
    used.push("io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent");
  }
  const schemas = yield* withReferences(
    [...used, ...own.keys()],
    (name) => own.get(name) ?? builtInSchema(name, v3, home),
    v3,
  );
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "1.36" },
    paths,
    components: { schemas, securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } } },
  };
}
