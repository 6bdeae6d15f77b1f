/** The containers of a pod: takes its spec, which may be absent, and gives lists of its containers. */
import type { Container, PodSpec } from "./generated/core-v1.js";

/** Init containers, containers and ephemeral containers: the order in which they start. */
export function allContainers(spec: PodSpec | undefined): readonly Container[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  return [...initContainers, ...containers, ...(ephemeralContainers as readonly Container[])];
}

/** The init containers that run beside the containers instead of before them. */
export function sidecarsOf(spec: PodSpec | undefined): readonly Container[] {
  return (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
}

/** The containers that run beside one another: the main ones, then the sidecars. */
export function runningContainers(spec: PodSpec | undefined): readonly Container[] {
  return [...(spec?.containers ?? []), ...sidecarsOf(spec)];
}
