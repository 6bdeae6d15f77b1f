/** conversion: converts kinds that are served in two versions of different shape to and from the stored version. Pure. */
import type { KubeObject } from "../../api/index.js";
import type { Conversion } from "../contracts/endpoint.js";
import { autoscalerConversion } from "./autoscaling.js";
import { eventConversion } from "./events.js";

/** The key is `apiVersion Kind` of the version that is not stored. */
export const builtInConversions: ReadonlyMap<string, Conversion> = new Map([
  ["events.k8s.io/v1 Event", eventConversion],
  ["autoscaling/v1 HorizontalPodAutoscaler", autoscalerConversion],
]);

/**
 * Converts between versions of a built-in kind; undefined between groups, across which ownership of fields does not
 * carry over.
 */
export function convertBuiltIn(object: KubeObject, apiVersion: string): KubeObject | undefined {
  return groupOf(object.apiVersion) === groupOf(apiVersion) ? builtInVersion(object, apiVersion) : undefined;
}

/** As `convertBuiltIn`, but also between groups that share a kind; undefined if they do not. */
export function builtInVersion(object: KubeObject, apiVersion: string): KubeObject | undefined {
  const ids = [`${object.apiVersion} ${object.kind}`, `${apiVersion} ${object.kind}`];
  const isShared = groupOf(object.apiVersion) === groupOf(apiVersion) || ids.some((id) => builtInConversions.has(id));
  if (!isShared) return undefined;
  const from = builtInConversions.get(`${object.apiVersion} ${object.kind}`);
  const stored = from?.toStorage(object) ?? object;
  const to = builtInConversions.get(`${apiVersion} ${object.kind}`);
  return to?.fromStorage(stored) ?? { ...stored, apiVersion };
}

const groupOf = (apiVersion: string): string => (apiVersion.includes("/") ? (apiVersion.split("/")[0] as string) : "");
