/** Objects and their changes in words, and the index functions. Pure; both versions use it. */
import type { Pod, Service } from "coxswain";
import { objectKey } from "coxswain/api";

export const byNode = "by-node";
export const bySelector = "by-selector";

/** Indexes pods by their node; a pod without a node is in no index entry. */
export const podIndexers = { [byNode]: ({ spec }: Pod) => (spec?.nodeName ? [spec.nodeName] : []) };

/** Indexes services by each label that they select: a pod finds its services through its own labels, without a scan. */
export const serviceIndexers = {
  [bySelector]: ({ metadata, spec }: Service) =>
    Object.entries(spec?.selector ?? {}).map((label) => selectorValue(metadata.namespace, label)),
};

export function selectorValue(namespace: string | undefined, [key, value]: readonly [string, string]): string {
  return `${namespace}/${key}=${value}`;
}

/** True if the pod has all labels of the service's selector; an empty selector selects no pods. */
export function selects({ metadata, spec }: Service, pod: Pod): boolean {
  const wanted = Object.entries(spec?.selector ?? {});
  const same = metadata.namespace === pod.metadata.namespace;
  return same && wanted.length > 0 && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

export function podState({ metadata, spec, status }: Pod): string {
  const phase = metadata.deletionTimestamp === undefined ? (status?.phase ?? "Pending") : "Terminating";
  return spec?.nodeName ? `${phase} on ${spec.nodeName}` : phase;
}

export function serviceState({ spec }: Service): string {
  const selector = Object.entries(spec?.selector ?? {}).map(([key, value]) => `${key}=${value}`);
  const ports = (spec?.ports ?? []).map(({ port }) => port);
  return `${selector.join(",") || "no selector"}, ports ${ports.join(",") || "none"}`;
}

/** The line for an update; undefined if nothing that is printed has changed. */
export function changed<T>(kind: string, state: (object: T) => string, { old, now }: Pair<T>): string | undefined {
  const [was, is] = [state(old), state(now)];
  return was === is ? undefined : `${kind} ${nameOf(now)}: ${was} → ${is}`;
}

interface Pair<T> {
  readonly old: T;
  readonly now: T;
}

export function nameOf(object: unknown): string {
  return objectKey((object as Pod).metadata);
}
