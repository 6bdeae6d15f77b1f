/** Takes an object to apply; gives it with the `stringData` of a Secret as `data`, as the server stores it. */
import type { KubeObject, Secret } from "../../api/index.js";
import { isRecord } from "../../base/members.js";

/**
 * The server turns `stringData` into `data` after it has noted the fields of the manager: a key that the next apply
 * leaves out would stay, and nobody could tell whether an apply changes anything.
 */
export function withoutStringData<T extends KubeObject>(object: T): T {
  if (object.apiVersion !== "v1" || object.kind !== "Secret") return object;
  const { stringData, ...secret } = object as KubeObject as Secret;
  if (!isRecord(stringData) || !Object.values(stringData).every((value) => typeof value === "string")) return object;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")] as const);
  return { ...secret, data: { ...secret.data, ...Object.fromEntries(encoded) } } as KubeObject as T;
}
