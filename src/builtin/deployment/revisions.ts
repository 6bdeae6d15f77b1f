/** Revision bookkeeping of a Deployment: which ReplicaSet is the new one, and the annotations that number them. Pure. */
import {
  deepEqual,
  type Deployment,
  parseTime,
  type PodTemplateSpec,
  type ReplicaSet,
  semanticEqual,
} from "../../api/index.js";
import { maxSurge, specReplicas, wantedReplicas } from "./fenceposts.js";

export const hashLabel = "pod-template-hash";
export const revisionAnnotation = "deployment.kubernetes.io/revision";
const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
export const rollbackAnnotation = "deprecated.deployment.rollback.to";
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** What belongs to one of the two objects only, and is never copied from Deployment to ReplicaSet or back. */
const notCopied: ReadonlySet<string> = new Set([
  lastAppliedAnnotation,
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackAnnotation,
]);

const maxHistoryCharacters = 2000;

type Annotations = Readonly<Record<string, string>>;

/** undefined for what is no size: whoever wrote it may have written anything. */
export function intAnnotation(set: ReplicaSet, name: string): number | undefined {
  const text = set.metadata.annotations?.[name] ?? "";
  const size = /^[0-9]+$/.test(text) ? Number(text) : undefined;
  return size !== undefined && size < 2 ** 31 ? size : undefined;
}

/** Revisions are numbers of 64 bits: an adopted set may bring a large one. */
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
  return timeA !== timeB ? timeA - timeB : a.metadata.name < b.metadata.name ? -1 : 1;
}

const createdAt = ({ metadata: { creationTimestamp } }: ReplicaSet): number =>
  creationTimestamp === undefined ? 0 : parseTime(creationTimestamp);

/** Templates are equal if they differ at most in the hash label, which the controller itself adds. */
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

/** The revision that the new set has, or gets. */
export const nextRevision = (oldSets: readonly ReplicaSet[]): bigint =>
  oldSets.map(revisionOf).reduce((highest, revision) => (revision > highest ? revision : highest), 0n) + 1n;

function historyWith(history: string, revision: string): string {
  const kept = history === "" ? [] : history.split(",");
  let length = history.length + revision.length + 1;
  while (kept.length > 0 && length > maxHistoryCharacters) length -= (kept.shift() as string).length + 1;
  return [...kept, revision].join(",");
}

/** The Deployment's annotations, less those that are not copied, over the set's own; keys are never taken away. */
export function copiedAnnotations(from: Annotations | undefined, onto: Annotations | undefined): Annotations {
  const copied = Object.entries(from ?? {}).filter(([name]) => !notCopied.has(name));
  return { ...onto, ...Object.fromEntries(copied) };
}

/** The new set's annotations once it stands for `revision`; a set that was an older revision remembers it as history. */
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

/** What the sets remember of the Deployment's size, so that a later change of it can be told from a rollout. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const wanted = wantedReplicas(deployment);
  return {
    [desiredReplicasAnnotation]: String(wanted),
    [maxReplicasAnnotation]: String(wanted + maxSurge(deployment)),
  };
}

/** The set with this size and fresh size annotations; the very same object if it has both. */
export function resized(deployment: Deployment, set: ReplicaSet, replicas: number): ReplicaSet {
  const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
  if (specReplicas(set) === replicas && deepEqual(annotations, set.metadata.annotations ?? {})) return set;
  return {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...(set.spec as NonNullable<ReplicaSet["spec"]>), replicas },
  };
}
