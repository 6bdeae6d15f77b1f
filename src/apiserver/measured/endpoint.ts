/** Makes the endpoint of a resource that is computed when it is asked for: it can be read, and nothing of it is stored. */
import { type KubeObject, newBadRequest } from "../../api/index.js";
import type { Endpoint } from "../contracts/endpoint.js";
import type { FieldManager } from "../contracts/field-manager.js";
import type { ServedResource } from "../contracts/served.js";
import type { TableRenderer } from "../contracts/table.js";

export interface UnstoredOptions {
  /** The collection of the objects that the resource is about. */
  readonly collection: string;
  readonly fieldManager: FieldManager;
  readonly table: TableRenderer;
}

const same = (object: KubeObject): KubeObject => object;

export function unstoredEndpoint(served: ServedResource, options: UnstoredOptions): Endpoint {
  const { group, kind } = served;
  const refuse = (): never => {
    throw newBadRequest(`${kind} cannot be written`);
  };
  return {
    served,
    ...options,
    strategy: { group, kind },
    custom: true,
    decode: refuse,
    normalize: refuse,
    view: (stored) => stored,
    toStorage: same,
    fromStorage: same,
  };
}
