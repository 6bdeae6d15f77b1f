/** Takes an object with replicas, of any kind; gives its `Scale`. */
import { defined } from "../../base/defined.js";
import { type KubeObject, type LabelSelector, labelSelectorAsSelector } from "../../api/index.js";
import type { Endpoint, ScaleFields } from "../contracts/endpoint.js";

export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

export const builtInPaths: ScaleFields = {
  spec: ["spec", "replicas"],
  status: ["status", "replicas"],
  selector: ["spec", "selector"],
};

export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of path)
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return value;
}

function selectorText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  const isSelector = Object.values(value).some((part) => typeof part === "object");
  if (isSelector) return String(labelSelectorAsSelector(value as LabelSelector));
  return String(labelSelectorAsSelector({ matchLabels: value as Record<string, string> }));
}

export function scaleOf({ scale = builtInPaths }: Endpoint, object: KubeObject): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = (valueAt(object, scale.spec) as number | undefined) ?? 0;
  const selector = scale.selector === undefined ? "" : selectorText(valueAt(object, scale.selector));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: defined({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: (valueAt(object, scale.status) as number | undefined) ?? 0,
      ...defined({ selector: selector || undefined }),
    },
  };
}
