/** Reads the schemas and kinds out of the OpenAPI v3 documents that the kubernetes module publishes. */
import { join } from "node:path";
import { filesOf, type ModuleFolders, readJson } from "./modules.js";

export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly allOf?: readonly OpenApiSchema[];
  readonly $ref?: string;
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

/** All schemas by name, e.g. `io.k8s.api.core.v1.Pod`. */
export async function readSchemas(folders: ModuleFolders): Promise<ReadonlyMap<string, OpenApiSchema>> {
  const schemas = new Map<string, OpenApiSchema>();
  const folder = join(folders.kubernetes, "api/openapi-spec/v3");
  for (const path of await filesOf(folder, (name) => name.endsWith(".json"))) {
    const document = await readJson<{ components?: { schemas?: Record<string, OpenApiSchema> } }>(path);
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) schemas.set(name, schema);
  }
  return schemas;
}
