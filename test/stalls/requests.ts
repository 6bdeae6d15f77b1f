/** Requests of a given size, and their parts, for the cases of the stall guard. */

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body?: string;
}

export interface Case {
  readonly name: string;
  /** The objects that must exist before; not counted. */
  readonly before?: (n: number) => readonly Sent[];
  readonly request: (n: number) => Sent;
  /** Everything is allowed by default. */
  readonly authorization?: "RBAC" | "AlwaysAllow";
  /** The smallest of the three sizes; 500 by default. */
  readonly size?: number;
  /** The number of steps that is allowed where work is not linear, but limited. */
  readonly atMost?: number;
}

export const maps = "/api/v1/namespaces/default/configmaps";
export const deployments = "/apis/apps/v1/namespaces/default/deployments";
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const widgets = "/apis/stalls.example.com/v1/widgets";

export const many = <T>(n: number, make: (i: number) => T): readonly T[] =>
  Array.from({ length: n }, (_, i) => make(i));
export const fields = (n: number, make: (i: number) => unknown, prefix = "k"): object =>
  Object.fromEntries(many(n, (i) => [`${prefix}${i}`, make(i)]));

export const post = (path: string, body: unknown, type = "application/json"): Sent => ({
  method: "POST",
  path,
  type,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

export const patch = (path: string, type: string, body: unknown): Sent => ({
  method: "PATCH",
  path,
  type: `application/${type}`,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

export const configMap = (more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "stall" },
  ...more,
});

export function deployment(container: object, more: object = {}): object {
  const template = {
    metadata: { labels: { app: "a" } },
    spec: { containers: [{ name: "c", image: "i", ...container }] },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "stall", ...more },
    spec: { selector: { matchLabels: { app: "a" } }, template },
  };
}

export function definition(schema: object, version: object = {}): object {
  const served = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.stalls.example.com" },
    spec: {
      group: "stalls.example.com",
      names: { plural: "widgets", kind: "Widget" },
      scope: "Cluster",
      versions: [served],
    },
  };
}

export const object = (properties: object): object => ({ type: "object", properties });
export const widget = (spec: unknown): object => ({
  apiVersion: "stalls.example.com/v1",
  kind: "Widget",
  metadata: { name: "stall" },
  spec,
});
export const listOf = (items: object, more: object = {}): object =>
  object({ spec: object({ l: { type: "array", items, ...more } }) });
