/** Short functions for writing scripts of requests. */
import type { Step } from "./exchange.js";

type Options = Pick<Step, "type" | "accept" | "agent" | "as">;

/** Steps in order; each has a name from its request, with a number so that the same request can come twice. */
export class Script {
  readonly steps: Step[] = [];

  #add(method: string, path: string, body: unknown, options: Options = {}): this {
    const brief = body === undefined ? "" : ` ${(typeof body === "string" ? body : JSON.stringify(body)).slice(0, 90)}`;
    const name = `${this.steps.length + 1} ${method} ${path}${options.accept ? ` as ${options.accept}` : ""}${options.as ? ` by ${options.as}` : ""}${brief}`;
    this.steps.push({ name, method, path, ...(body === undefined ? {} : { body }), ...options });
    return this;
  }

  get(path: string, options?: Options): this {
    return this.#add("GET", path, undefined, options);
  }

  post(path: string, body: unknown, options?: Options): this {
    return this.#add("POST", path, body, options);
  }

  put(path: string, body: unknown, options?: Options): this {
    return this.#add("PUT", path, body, options);
  }

  delete(path: string, body?: unknown, options?: Options): this {
    return this.#add("DELETE", path, body, options);
  }

  send(method: string, path: string, body?: unknown, options?: Options): this {
    return this.#add(method, path, body, options);
  }

  merge(path: string, body: unknown): this {
    return this.#add("PATCH", path, body, { type: "application/merge-patch+json" });
  }

  strategic(path: string, body: unknown): this {
    return this.#add("PATCH", path, body, { type: "application/strategic-merge-patch+json" });
  }

  json(path: string, body: unknown): this {
    return this.#add("PATCH", path, body, { type: "application/json-patch+json" });
  }

  apply(path: string, body: unknown): this {
    return this.#add("PATCH", path, body, { type: "application/apply-patch+yaml" });
  }
}

export const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
export const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
export const partialList = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

/** A namespace of the script's own, made first. */
export function inNamespace(name: string): {
  readonly script: Script;
  readonly core: string;
  group(group: string): string;
} {
  const script = new Script().post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return {
    script,
    core: `/api/v1/namespaces/${name}`,
    group: (group) => `/apis/${group}/namespaces/${name}`,
  };
}

export const object = (apiVersion: string, kind: string, name: string, rest: object = {}): object => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});
