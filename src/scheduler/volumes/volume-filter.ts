/** The filter for the volumes of a pod: accepts the nodes that can reach them. */
import { deepEqual } from "../../api/index.js";
import type { ClusterEvent, Filter } from "../filters/filter.js";
import type { PodInfo } from "../state/pod-info.js";
import { planVolumes, type VolumeView, whyNowhere } from "./needs.js";

export const volumeFilter = (view: VolumeView): Filter => ({
  name: "VolumeBinding",
  rejects: (pod) => (pod.claims.length === 0 ? undefined : whyNowhere(pod, view)),
  prepare(pod) {
    if (pod.claims.length === 0) return undefined;
    return ({ node }) => {
      if (node === undefined) return undefined;
      const { conflicts } = planVolumes(pod, node, view);
      return conflicts.length === 0 ? undefined : { reasons: conflicts, unresolvable: true };
    };
  },
  mayFitAfter: mayReachAfter,
});

/** Whether a volume of the pod may be reachable after the event. */
export function mayReachAfter(event: ClusterEvent, { claims }: PodInfo): boolean {
  if (event.type === "storage-changed") {
    return event.claim === undefined || claims.some(({ key }) => key === event.claim);
  }
  if (event.type !== "node-set") return false;
  return event.previous === undefined || !deepEqual(event.previous.metadata.labels, event.node.metadata.labels);
}
