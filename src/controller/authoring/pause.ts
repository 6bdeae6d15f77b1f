/** Pauses: takes an object's annotation, gives the controllers that leave the object alone, and shows it as a condition. */
import { type Condition, isConditionTrue, type KubeObject, type ResourceType } from "../../api/index.js";
import type { Clock } from "../../base/index.js";
import { own } from "../../base/members.js";
import type { ReconcileClient, StatusOf } from "../reconcile-client.js";
import { withConditions } from "./conditions.js";

/**
 * On an object: "true" keeps every controller from reconciling it, a list of names (`web,backup`) those controllers.
 * On the Lease of a manager: "true" pauses all of its controllers, a list those. Any other value pauses nothing.
 */
export const pausedAnnotation = "coxswain.dev/paused";

/** True if the object's annotation pauses this controller. */
export function isPausedFor({ metadata }: Pick<KubeObject, "metadata">, controller: string): boolean {
  const text = own(metadata.annotations, pausedAnnotation);
  if (text === undefined) return false;
  return text === "true" || text.split(",").some((name) => name.trim() === controller);
}

interface WithConditions extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * Sets the condition Paused, and gives the object as it is then. Only objects of custom kinds that have conditions
 * already get one, and only an object that shows a pause is told of its end.
 */
export async function showPause<T extends KubeObject>(
  client: ReconcileClient,
  { type, object, isPaused }: { readonly type: ResourceType<T>; readonly object: T; readonly isPaused: boolean },
  clock: Clock,
): Promise<T> {
  const { conditions = [] } = (object as WithConditions).status ?? {};
  if (conditions.length === 0 || !type.subresources.includes("status") || isOfKubernetes(type)) return object;
  if (!isPaused && !isConditionTrue(conditions, "Paused")) return object;
  const now = isPaused
    ? { status: "True", reason: "Annotated", message: `${pausedAnnotation} is set` }
    : { status: "False", reason: "Resumed", message: "" };
  const fields = { conditions: withConditions(object as WithConditions, [{ type: "Paused", ...now }], { clock }) };
  return client.status(type).patch(object, fields as unknown as StatusOf<T>);
}

const isOfKubernetes = ({ group }: ResourceType): boolean => !group.includes(".") || group.endsWith(".k8s.io");
