/** The pods of a Job: active, finished, failed, counted or not; and new ones. Pure. */
import {
  type ContainerStatus,
  type Draft,
  isConditionTrue,
  isDeleting,
  type Job,
  parseTime,
  type Pod,
} from "../../api/index.js";
import { sidecarsOf } from "../../api/pods/containers.js";
import { podFromTemplate } from "../pods/template.js";

export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const indexName = "batch.kubernetes.io/job-completion-index";

export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === "Indexed";
export const isSuspended = ({ spec }: Job): boolean => spec?.suspend === true;

const ownManager = "kubernetes.io/job-controller";
/** True if another controller manages the Job (`spec.managedBy`). */
export const isOthers = ({ spec }: Job): boolean => (spec?.managedBy ?? ownManager) !== ownManager;

/** The end of the Job; undefined if it goes on. */
export const endOf = ({ status }: Job): "Complete" | "Failed" | undefined =>
  (["Complete", "Failed"] as const).find((type) => isConditionTrue(status?.conditions, type));

/** True if the Job is over: nothing changes it any more. */
export const isFinished = (job: Job): boolean => endOf(job) !== undefined;

export const isTracked = ({ metadata }: Pod): boolean => (metadata.finalizers ?? []).includes(trackingFinalizer);

/** The index that the pod works on; undefined if it has none, or an invalid one. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexName];
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** For an indexed Job, only pods with an index in range count. */
export function counts(job: Job, pod: Pod): boolean {
  if (!isIndexed(job)) return true;
  const index = completionIndex(pod);
  return index !== undefined && index < (job.spec?.completions ?? 0);
}

/**
 * True if a terminating pod is not replaced before it has failed: it may still succeed, and a failure policy must see
 * how it ended.
 */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

export function podHasFailed(job: Job, pod: Pod): boolean {
  if (pod.status?.phase === "Failed") return true;
  if (replacesOnlyFailed(job)) return false;
  return isDeleting(pod) && pod.status?.phase !== "Succeeded";
}

/**
 * The time at which the last container or sidecar ended. If some have not ended: when the pod became unready, was
 * deleted, or was created.
 */
export function finishedAt({ metadata, spec, status }: Pod): number | undefined {
  const sidecars = new Set(sidecarsOf(spec).map(({ name }) => name));
  const statuses = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  const ended = statuses.map(({ state }: ContainerStatus) => state?.terminated?.finishedAt);
  if (ended.length > 0 && !ended.includes(undefined)) return Math.max(...(ended as string[]).map(parseTime));
  const unready = status?.conditions?.find((one) => one.type === "Ready" && one.status === "False");
  if (unready?.lastTransitionTime !== undefined) return parseTime(unready.lastTransitionTime);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return parseTime(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return creationTimestamp === undefined ? undefined : parseTime(creationTimestamp);
}

/** The server cuts a `generateName` at 58 characters: the Job's name is shortened, so that the index stays. */
function generateNameWithIndex({ metadata }: Job, index: number): string {
  const suffix = `-${index}-`;
  return `${metadata.name.slice(0, 58 - suffix.length)}${suffix}`;
}

/**
 * A pod of the Job. A pod of an indexed Job has the index in its name, labels, annotations and environment, and the
 * annotations `more`.
 */
export function jobPod(job: Job, index: number | undefined, more: Readonly<Record<string, string>> = {}): Draft<Pod> {
  const pod = podFromTemplate(job.spec?.template ?? {}, job);
  const finalizers = [...new Set([...(pod.metadata.finalizers ?? []), trackingFinalizer])];
  if (index === undefined) return { ...pod, metadata: { ...pod.metadata, finalizers } };
  const value = { [indexName]: String(index) };
  const env = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexName}']` } },
  };
  const withIndex = <C extends { readonly env?: readonly { readonly name: string }[] }>(container: C): C =>
    container.env?.some(({ name }) => name === env.name)
      ? container
      : { ...container, env: [...(container.env ?? []), env] };
  const spec = pod.spec ?? { containers: [] };
  const name = `${job.metadata.name}-${index}`;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: generateNameWithIndex(job, index),
      finalizers,
      labels: { ...pod.metadata.labels, ...value },
      annotations: { ...pod.metadata.annotations, ...value, ...more },
    },
    spec: {
      ...spec,
      hostname: name,
      containers: spec.containers.map(withIndex),
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withIndex) }),
    },
  };
}
