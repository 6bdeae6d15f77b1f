/** Revision bookkeeping of a Deployment: which ReplicaSet is the new one, and the annotations that number them. Pure. */
import { deepEqual, type Deployment, type PodTemplateSpec, type ReplicaSet, semanticEqual } from "../../api/index.js";
import { traceAnnotation } from "../../controller/index.js";
import { maxSurge, wantedReplicas } from "./fenceposts.js";
import { createdAt } from "../kit/created-at.js";
import { byName } from "../../api/meta/key.js";

export const hashLabel = "pod-template-hash";
export const revisionAnnotation = "deployment.kubernetes.io/revision";
const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
export const rollbackAnnotation = "deprecated.deployment.rollback.to";
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Annotations that belong to only one of the two objects, and are never copied between Deployment and ReplicaSet. The
 * trace of a writer is one: the copy would be a write, which leaves another trace, and so on without end.
 */
const notCopied: ReadonlySet<string> = new Set([
  lastAppliedAnnotation,
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackAnnotation,
  traceAnnotation,
]);

const maxHistoryCharacters = 2000;

type Annotations = Readonly<Record<string, string>>;

/** The annotation's value. Undefined unless it is a non-negative int32: anyone may have written the annotation. */
export function intAnnotation(set: ReplicaSet, name: string): number | undefined {
  const text = set.metadata.annotations?.[name] ?? "";
  const size = /^[0-9]+$/.test(text) ? Number(text) : undefined;
  return size !== undefined && size < 2 ** 31 ? size : undefined;
}

/** The set's revision as a 64-bit number, because an adopted set may have a large one; 0 if it has none. */
export function revisionOf(set: ReplicaSet): bigint {
  const text = set.metadata.annotations?.[revisionAnnotation] ?? "";
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : 0n;
}

export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const difference = revisionOf(a) - revisionOf(b);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [timeA, timeB] = [createdAt(a), createdAt(b)];
  return timeA - timeB || byName(a, b);
}

/** True if the templates are equal apart from the hash label, which the controller itself adds. */
export function sameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return semanticEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { [hashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

export interface ReplicaSetsOf {
  /** The oldest set that has the Deployment's template. */
  readonly newSet: ReplicaSet | undefined;
  readonly oldSets: readonly ReplicaSet[];
}

export function splitSets(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSetsOf {
  const newSet = sets.toSorted(byAge).find((set) => sameTemplate(set.spec?.template, deployment.spec?.template));
  return { newSet, oldSets: sets.filter((set) => set !== newSet) };
}

/** The number for a new revision: one above the highest old one. */
export const nextRevision = (oldSets: readonly ReplicaSet[]): bigint =>
  oldSets.map(revisionOf).reduce((highest, revision) => (revision > highest ? revision : highest), 0n) + 1n;

function historyWith(history: string, revision: string): string {
  const kept = history === "" ? [] : history.split(",");
  let length = history.length + revision.length + 1;
  while (kept.length > 0 && length > maxHistoryCharacters) length -= (kept.shift() as string).length + 1;
  return [...kept, revision].join(",");
}

/** `onto`, overlaid with the annotations of `from` that may be copied. Never removes a key. */
export function copiedAnnotations(from: Annotations | undefined, onto: Annotations | undefined): Annotations {
  const copied = Object.entries(from ?? {}).filter(([name]) => !notCopied.has(name));
  return { ...onto, ...Object.fromEntries(copied) };
}

/** The new set's annotations once it has `revision`. A set that had an older revision lists it in its history annotation. */
export function annotationsOfNew(deployment: Deployment, set: ReplicaSet | undefined, revision: bigint): Annotations {
  const before = set?.metadata.annotations ?? {};
  const after: Record<string, string> = { ...copiedAnnotations(deployment.metadata.annotations, before) };
  const old = before[revisionAnnotation];
  if (set === undefined || revisionOf(set) < revision) {
    after[revisionAnnotation] = String(revision);
    if (old !== undefined) after[revisionHistoryAnnotation] = historyWith(before[revisionHistoryAnnotation] ?? "", old);
  }
  return after;
}

/** Annotations by which a set remembers the Deployment's size, so that a later scaling can be told apart from a rollout. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const wanted = wantedReplicas(deployment);
  return {
    [desiredReplicasAnnotation]: String(wanted),
    [maxReplicasAnnotation]: String(wanted + maxSurge(deployment)),
  };
}

/** The set with this size and up-to-date size annotations; the very same object if it already has both. */
export function resized(deployment: Deployment, set: ReplicaSet, replicas: number): ReplicaSet {
  const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
  if (wantedReplicas(set) === replicas && deepEqual(annotations, set.metadata.annotations ?? {})) return set;
  return {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...(set.spec as NonNullable<ReplicaSet["spec"]>), replicas },
  };
}
