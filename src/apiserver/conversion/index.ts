/** conversion: kinds that are served in two versions of different shape, between the one that is stored and the other. Pure; to the registry. */
import type { KubeObject } from "../../api/index.js";
import type { Conversion } from "../registry/built-in.js";
import { autoscalerConversion } from "./autoscaling.js";
import { eventConversion } from "./events.js";

/** By `apiVersion Kind` of the version that is not stored. */
export const builtInConversions: ReadonlyMap<string, Conversion> = new Map([
  ["events.k8s.io/v1 Event", eventConversion],
  ["autoscaling/v1 HorizontalPodAutoscaler", autoscalerConversion],
]);

/** Any version of a built-in kind from any other; undefined between groups, where ownership of fields does not go along. */
export function convertBuiltIn(object: KubeObject, apiVersion: string): KubeObject | undefined {
  return groupOf(object.apiVersion) === groupOf(apiVersion) ? builtInVersion(object, apiVersion) : undefined;
}

/** The same between groups too, where they share a kind; undefined where they do not. */
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
