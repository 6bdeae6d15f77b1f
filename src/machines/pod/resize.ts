/** The kubelet's events about a pod whose resources were changed while it runs. Pure. */
import { type Container, deepEqual, findCondition, type Pod } from "../../api/index.js";
import type { Happening } from "./life.js";

/**
 * `deferred` is the reason why the resize must wait. Undefined if the pod has its requested resources, or the wait was
 * already reported.
 */
export function resizeHappening(pod: Pod, deferred: string | undefined): readonly Happening[] | undefined {
  const { status, spec } = pod;
  const reported = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const isResized = containers.some(({ name, resources }) => {
    const known = reported.find((one) => one.name === name)?.resources;
    if (known === undefined) return false;
    return !deepEqual(known.requests, resources?.requests) || !deepEqual(known.limits, resources?.limits);
  });
  if (!isResized) return undefined;
  if (deferred !== undefined) {
    const told = findCondition(status?.conditions, "PodResizePending")?.observedGeneration;
    if (told !== undefined && told === pod.metadata.generation) return undefined;
    const message = `Pod resize Deferred: ${summary(pod, deferred)}`;
    return [{ type: "Warning", reason: "ResizeDeferred", message }];
  }
  return [
    { type: "Normal", reason: "ResizeStarted", message: `Pod resize started: ${summary(pod)}` },
    { type: "Normal", reason: "ResizeCompleted", message: `Pod resize completed: ${summary(pod)}` },
  ];
}

function summary({ metadata, spec }: Pod, error?: string): string {
  const list = (containers: readonly Container[]): readonly object[] =>
    containers.map(({ name, resources: { limits, requests } = {} }) => ({
      name,
      resources: { ...(limits && { limits }), ...(requests && { requests }) },
    }));
  const { initContainers = [], containers = [] } = spec ?? {};
  return JSON.stringify({
    ...(initContainers.length > 0 && { initContainers: list(initContainers) }),
    containers: list(containers),
    generation: metadata.generation ?? 0,
    ...(error !== undefined && { error }),
  });
}
