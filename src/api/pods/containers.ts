/** The containers of a pod: takes its spec or status, which may be absent, and gives its containers and their states. */
import type { Container, ContainerStatus, PodSpec, PodStatus } from "../generated/core-v1.js";

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

/** The reported state of a container of whatever sort; undefined before the first report. */
export function containerStatus(status: PodStatus | undefined, container: string): ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  return all.find(({ name }) => name === container);
}
