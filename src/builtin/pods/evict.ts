/** Evictions by controllers: takes a pod and the reason, marks the pod as disrupted, and deletes it. */
import { isNotFound, Pod, type PodCondition } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { WorkClient } from "../../client/index.js";

/** A pod that is gone is no failure. The uid keeps a new pod of the same name from being evicted in its place. */
export async function evict(
  { metadata }: Pod,
  why: Omit<PodCondition, "type" | "status">,
  client: WorkClient,
): Promise<void> {
  const { uid } = metadata;
  const pods = client.resource(Pod);
  const condition: PodCondition = { type: "DisruptionTarget", status: "True", ...why };
  try {
    await pods.status.patch(metadata, { strategic: { metadata: { uid }, status: { conditions: [condition] } } });
    await pods.delete(metadata, { preconditions: defined({ uid }) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
