/** The actions of one sync of a Deployment: takes the observed state and the time, gives the actions in order. Pure. */
import {
  deepEqual,
  type Deployment,
  type DeploymentStatus,
  type Draft,
  findCondition,
  isDeleting,
  newControllerRef,
  type Pod,
  type ReplicaSet,
  semanticEqual,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { isTerminal } from "../pods/state.js";
import { templateHash } from "../template-hash.js";
import type { DeploymentAction, EventAction } from "./actions.js";
import { isRollingUpdate, nextSizeOfNew, wantedReplicas } from "./fenceposts.js";
import {
  annotationsOfNew,
  hashLabel,
  byRevision,
  nextRevision,
  resized,
  revisionAnnotation,
  revisionOf,
  rollbackAnnotation,
  sizeAnnotations,
  splitSets,
} from "./revisions.js";
import { planRollback } from "./rollback.js";
import { planRolling } from "./rolling.js";
import { isActiveSet, isScalingEvent, planScale, type Resize } from "./scale.js";
import {
  countStatus,
  isComplete,
  nextProgressCheckMs,
  noLimit,
  progressDeadlineSeconds,
  rolloutStatus,
  withCondition,
} from "./status.js";

export interface ObservedDeployment {
  readonly deployment: Deployment;
  /** The sets that the Deployment owns, after adoption and release. */
  readonly sets: readonly ReplicaSet[];
  /** The pods of a set; only the Recreate strategy looks at them. */
  readonly podsOf: (set: ReplicaSet) => readonly Pod[];
}

export function planDeployment(observed: ObservedDeployment, now: number): readonly DeploymentAction[] {
  const { deployment } = observed;
  if (selectsEverything(deployment)) return planSelectsEverything(deployment);
  const { newSet, oldSets } = splitSets(deployment, observed.sets);
  const step: Step = { observed, deployment: withPauseNoted(deployment, now), newSet, oldSets, now };
  if (isDeleting(deployment)) return statusOnly(step);
  if (deployment.spec?.paused === true) return scaleStep(step);
  if (deployment.metadata.annotations?.[rollbackAnnotation] !== undefined)
    return planRollback(deployment, newSet, oldSets);
  if (isScalingEvent(deployment, observed.sets)) return scaleStep(step);
  return isRollingUpdate(deployment) ? rollingStep(step) : recreateStep(step);
}

interface Step extends ReplicaSetsStep {
  readonly observed: ObservedDeployment;
  /** The stored Deployment, with conditions that this sync has already decided on. */
  readonly deployment: Deployment;
  readonly now: number;
}

interface ReplicaSetsStep {
  readonly newSet: ReplicaSet | undefined;
  readonly oldSets: readonly ReplicaSet[];
}

const allSets = ({ newSet, oldSets }: ReplicaSetsStep): readonly ReplicaSet[] =>
  newSet === undefined ? oldSets : [...oldSets, newSet];

function selectsEverything({ spec }: Deployment): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

function planSelectsEverything(deployment: Deployment): readonly DeploymentAction[] {
  const { generation = 0 } = deployment.metadata;
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  const warning: EventAction = { type: "event", level: "warning", reason: "SelectingAll", message };
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return [warning];
  const status = { ...deployment.status, observedGeneration: generation };
  return [warning, { type: "write-status", deployment: { ...deployment, status } }];
}

/** The start and the end of a pause restart the progress deadline. A rollout that has already failed stays failed. */
function withPauseNoted(deployment: Deployment, now: number): Deployment {
  const reason = findCondition(deployment.status?.conditions, "Progressing")?.reason;
  if (progressDeadlineSeconds(deployment) === undefined || reason === "ProgressDeadlineExceeded") return deployment;
  const paused = deployment.spec?.paused === true;
  if (paused === (reason === "DeploymentPaused")) return deployment;
  if (!paused && reason !== "DeploymentPaused") return deployment;
  const condition = paused
    ? ({ reason: "DeploymentPaused", message: "Deployment is paused" } as const)
    : ({ reason: "DeploymentResumed", message: "Deployment is resumed" } as const);
  const status = withCondition(deployment.status ?? {}, { type: "Progressing", status: "Unknown", ...condition }, now);
  return { ...deployment, status };
}

function statusOnly(step: Step): readonly DeploymentAction[] {
  return writeStatus(step, countStatus(step.deployment, allSets(step), step.newSet, step.now));
}

/**
 * The action that writes the status, if the status or the revision annotation (which is written with it) differs from
 * the stored one.
 */
function writeStatus(step: Step, status: DeploymentStatus): readonly DeploymentAction[] {
  const stored = step.observed.deployment;
  const sameRevision =
    stored.metadata.annotations?.[revisionAnnotation] === step.deployment.metadata.annotations?.[revisionAnnotation];
  if (sameRevision && semanticEqual(stored.status ?? {}, status)) {
    const afterMs = nextProgressCheckMs(stored, status, step.now);
    return afterMs === undefined ? [] : [{ type: "requeue", afterMs }];
  }
  return [{ type: "write-status", deployment: { ...step.deployment, status } }];
}

function resizeActions(deployment: Deployment, resizes: readonly Resize[]): readonly DeploymentAction[] {
  return resizes.flatMap(({ set, to }) => {
    const from = wantedReplicas(set);
    const next = resized(deployment, set, to);
    return next === set ? [] : [{ type: "update-set", set: next, from } as const];
  });
}

function scaleStep(step: Step): readonly DeploymentAction[] {
  const { deployment, newSet, oldSets, now } = step;
  const [revised, bookkeeping] = withRevision(step);
  const rollback = deployment.metadata.annotations?.[rollbackAnnotation] !== undefined;
  const cleanUp = deployment.spec?.paused === true && !rollback ? historyCleanUp(deployment, oldSets) : [];
  const resizes = bookkeeping.length > 0 ? [] : resizeActions(deployment, planScale(deployment, newSet, oldSets));
  return [
    ...bookkeeping,
    ...resizes,
    ...cleanUp,
    ...writeStatus(revised, countStatus(revised.deployment, allSets(step), newSet, now)),
  ];
}

function rollingStep(step: Step): readonly DeploymentAction[] {
  const { deployment, newSet, oldSets, now } = step;
  if (newSet === undefined) return createNewSet(step);
  const [revised, bookkeeping] = withRevision(step);
  const status = writeStatus(revised, rolloutStatus(revised.deployment, allSets(step), newSet, now));
  if (bookkeeping.length > 0) return [...bookkeeping, ...status];
  const resizes = resizeActions(deployment, planRolling(deployment, newSet, oldSets));
  if (resizes.length > 0) return [...resizes, ...status];
  const cleanUp = isComplete(deployment, deployment.status ?? {}) ? historyCleanUp(deployment, oldSets) : [];
  return [...cleanUp, ...status];
}

/** All old pods must be gone, including the terminating ones, before the first new one is made. */
function recreateStep(step: Step): readonly DeploymentAction[] {
  const { deployment, newSet, oldSets, now, observed } = step;
  const [revised, bookkeeping] = newSet === undefined ? ([step, []] as const) : withRevision(step);
  const status = writeStatus(revised, rolloutStatus(revised.deployment, allSets(step), newSet, now));
  const down = resizeActions(
    deployment,
    oldSets.filter(isActiveSet).map((set) => ({ set, to: 0 })),
  );
  if (down.length > 0) return [...bookkeeping, ...down, ...status];
  const oldPodsRun = oldSets.some(
    (set) => (set.status?.replicas ?? 0) > 0 || observed.podsOf(set).some((pod) => !isTerminal(pod)),
  );
  if (oldPodsRun) return [...bookkeeping, ...status];
  if (newSet === undefined) return createNewSet(step);
  if (bookkeeping.length > 0) return [...bookkeeping, ...status];
  const up =
    wantedReplicas(newSet) === wantedReplicas(deployment) ? [] : [{ set: newSet, to: wantedReplicas(deployment) }];
  const cleanUp = isComplete(deployment, deployment.status ?? {}) ? historyCleanUp(deployment, oldSets) : [];
  return [...resizeActions(deployment, up), ...cleanUp, ...status];
}

/**
 * Brings the new set's annotations and minReadySeconds up to date before any other change to it. Once they are, the
 * Deployment takes the set's revision.
 */
function withRevision(step: Step): readonly [Step, readonly DeploymentAction[]] {
  const { deployment, newSet, oldSets, now } = step;
  if (newSet === undefined) return [step, []];
  const annotations = annotationsOfNew(deployment, newSet, nextRevision(oldSets));
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  if (
    !deepEqual(annotations, newSet.metadata.annotations ?? {}) ||
    minReadySeconds !== (newSet.spec?.minReadySeconds ?? 0)
  ) {
    const spec = { ...(newSet.spec as NonNullable<ReplicaSet["spec"]>), minReadySeconds };
    const set = { ...newSet, metadata: { ...newSet.metadata, annotations }, spec };
    return [step, [{ type: "update-set", set, from: wantedReplicas(newSet) }]];
  }
  return [{ ...step, deployment: foundSet(atRevision(deployment, String(revisionOf(newSet))), newSet, now) }, []];
}

function atRevision(deployment: Deployment, revision: string): Deployment {
  if (deployment.metadata.annotations?.[revisionAnnotation] === revision) return deployment;
  const annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: revision };
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}

function foundSet(deployment: Deployment, newSet: ReplicaSet, now: number): Deployment {
  const known = findCondition(deployment.status?.conditions, "Progressing") !== undefined;
  if (known || progressDeadlineSeconds(deployment) === undefined) return deployment;
  const message = `Found new replica set "${newSet.metadata.name}"`;
  const condition = { type: "Progressing", status: "True", reason: "FoundNewReplicaSet", message } as const;
  return { ...deployment, status: withCondition(deployment.status ?? {}, condition, now) };
}

function createNewSet({ deployment, oldSets }: Step): readonly DeploymentAction[] {
  const { metadata, spec, status } = deployment;
  const template = spec?.template ?? {};
  const hash = templateHash(template, status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const revision = nextRevision(oldSets);
  const set: Draft<ReplicaSet> = {
    metadata: {
      // a name that leaves room for the hash
      name: `${metadata.name.slice(0, 252 - hash.length)}-${hash}`,
      ...defined({ namespace: metadata.namespace }),
      labels,
      annotations: { ...annotationsOfNew(deployment, undefined, revision), ...sizeAnnotations(deployment) },
      ownerReferences: [newControllerRef(deployment)],
    },
    spec: {
      replicas: nextSizeOfNew(deployment, oldSets, 0),
      ...(spec?.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec?.selector, matchLabels: { ...spec?.selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  return [{ type: "create-set", set, revision }];
}

/** The status right after the new set was created: the revision, and a note of progress. */
export function statusAfterCreate(
  observed: ObservedDeployment,
  created: ReplicaSet,
  revision: bigint,
  now: number,
): readonly DeploymentAction[] {
  const { oldSets } = splitSets(observed.deployment, observed.sets);
  let deployment = atRevision(withPauseNoted(observed.deployment, now), String(revision));
  if (progressDeadlineSeconds(deployment) !== undefined) {
    const message = `Created new replica set "${created.metadata.name}"`;
    const condition = { type: "Progressing", status: "True", reason: "NewReplicaSetCreated", message } as const;
    deployment = { ...deployment, status: withCondition(deployment.status ?? {}, condition, now) };
  }
  const step: Step = { observed, deployment, newSet: created, oldSets, now };
  return writeStatus(step, rolloutStatus(deployment, allSets(step), created, now));
}

/** Deletes old sets beyond the history limit, lowest revision first; never one that has pods or may still get some. */
function historyCleanUp(deployment: Deployment, oldSets: readonly ReplicaSet[]): readonly DeploymentAction[] {
  const limit = deployment.spec?.revisionHistoryLimit ?? noLimit;
  if (limit === noLimit) return [];
  const candidates = oldSets.filter((set) => !isDeleting(set));
  const excess = Math.max(0, candidates.length - limit);
  return candidates
    .toSorted(byRevision)
    .slice(0, excess)
    .filter(
      (set) =>
        wantedReplicas(set) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0),
    )
    .map((set) => ({ type: "delete-set", set }));
}
