/** The legacy rollback annotation: takes a Deployment that carries it, gives the Deployment with the old template. Pure. */
import type { Deployment, ReplicaSet } from "../../api/index.js";
import type { DeploymentAction } from "./actions.js";
import { byRevision, copiedAnnotations, hashLabel, revisionOf, rollbackAnnotation, sameTemplate } from "./revisions.js";

/** The annotation is always removed, whether or not there is a revision to go back to. */
export function planRollback(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
): readonly DeploymentAction[] {
  const text = deployment.metadata.annotations?.[rollbackAnnotation] ?? "";
  const wanted = /^-?[0-9]+$/.test(text) ? BigInt(text) : undefined;
  const sets = newSet === undefined ? oldSets : [...oldSets, newSet];
  const revisions = [...new Set(sets.toSorted(byRevision).map(revisionOf))];
  const target = wanted === 0n ? revisions.at(-2) : wanted;
  const set = sets.find((one) => target !== undefined && target > 0n && revisionOf(one) === target);
  const { [rollbackAnnotation]: _done, ...annotations } = deployment.metadata.annotations ?? {};
  const cleared: Deployment = { ...deployment, metadata: { ...deployment.metadata, annotations } };
  if (set === undefined) {
    const message = wanted === 0n ? "Unable to find last revision." : "Unable to find the revision to rollback to.";
    return [warning("DeploymentRollbackRevisionNotFound", message), { type: "update-deployment", deployment: cleared }];
  }
  if (sameTemplate(set.spec?.template, deployment.spec?.template)) {
    const message = `The rollback revision contains the same template as current deployment "${deployment.metadata.name}"`;
    return [
      warning("DeploymentRollbackTemplateUnchanged", message),
      { type: "update-deployment", deployment: cleared },
    ];
  }
  const { [hashLabel]: _hash, ...labels } = set.spec?.template?.metadata?.labels ?? {};
  const template = { ...set.spec?.template, metadata: { ...set.spec?.template?.metadata, labels } };
  const restored: Deployment = {
    ...cleared,
    metadata: { ...cleared.metadata, annotations: copiedAnnotations(set.metadata.annotations, annotations) },
    spec: { ...(cleared.spec as NonNullable<Deployment["spec"]>), template },
  };
  const message = `Rolled back deployment "${deployment.metadata.name}" to revision ${target}`;
  return [
    { type: "update-deployment", deployment: restored },
    { type: "event", level: "normal", reason: "DeploymentRollback", message },
  ];
}

const warning = (reason: string, message: string): DeploymentAction => ({
  type: "event",
  level: "warning",
  reason,
  message,
});
