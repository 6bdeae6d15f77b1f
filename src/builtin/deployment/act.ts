/** Carries out the planned actions of a Deployment on the API server, and records upstream's events for them. */
import {
  Deployment,
  type Draft,
  isAlreadyExists,
  isControlledBy,
  isNotFound,
  ReplicaSet,
  unless,
} from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import type { Recorder } from "../kit/context.js";
import { isNamespaceTerminating, serverWords } from "../pods/pod-control.js";
import type { DeploymentAction } from "./actions.js";
import { wantedReplicas } from "./fenceposts.js";
import { type ObservedDeployment, statusAfterCreate } from "./plan.js";
import { sameTemplate } from "./revisions.js";
import { progressDeadlineSeconds, withCondition } from "./status.js";

export interface Acting {
  readonly client: WorkClient;
  readonly recorder: Recorder;
  readonly observed: ObservedDeployment;
  readonly now: number;
}

/** Gives the milliseconds until the next sync, if the plan asks for one. */
export async function actOnDeployment(
  actions: readonly DeploymentAction[],
  acting: Acting,
): Promise<number | undefined> {
  let requeueAfterMs: number | undefined;
  for (const action of actions) {
    if (action.type === "requeue") requeueAfterMs = action.afterMs;
    else await carryOut(action, acting);
  }
  return requeueAfterMs;
}

async function carryOut(action: Exclude<DeploymentAction, { type: "requeue" }>, acting: Acting): Promise<void> {
  const { client, recorder, observed } = acting;
  const { deployment } = observed;
  switch (action.type) {
    case "event":
      return recorder[action.level](deployment, action.reason, action.message);
    case "create-set":
      return createSet(action.set, action.revision, acting);
    case "update-set": {
      const updated = await client.resource(ReplicaSet).update(action.set);
      if (wantedReplicas(updated) !== action.from) reportResize(acting, updated, action.from);
      return;
    }
    case "delete-set":
      await client.resource(ReplicaSet).delete(action.set.metadata).catch(unless(isNotFound));
      return;
    case "update-deployment":
      await client.resource(Deployment).update(action.deployment);
      return;
    case "write-status":
      await client.resource(Deployment).status.update(action.deployment);
      return;
  }
}

function reportResize({ recorder, observed }: Acting, set: ReplicaSet, from: number): void {
  const direction = wantedReplicas(set) > from ? "up" : "down";
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${wantedReplicas(set)}`;
  recorder.normal(observed.deployment, "ScalingReplicaSet", message);
}

async function createSet(draft: Draft<ReplicaSet>, revision: bigint, acting: Acting): Promise<void> {
  const { client, observed, now } = acting;
  let set: ReplicaSet;
  try {
    set = await client.resource(ReplicaSet).create(draft);
    if (wantedReplicas(set) > 0) reportResize(acting, set, 0);
  } catch (error) {
    if (isNamespaceTerminating(error)) return;
    if (!isAlreadyExists(error)) return refused(draft, error, acting);
    set = await existingSet(draft, error, acting);
  }
  await actOnDeployment(statusAfterCreate(observed, set, revision, now), acting);
}

/**
 * Called when the name is taken. Gives the existing set if an earlier sync made it. If the set has another template
 * with the same hash, counts the collision and throws, so that the next sync uses another name.
 */
async function existingSet(draft: Draft<ReplicaSet>, error: unknown, acting: Acting): Promise<ReplicaSet> {
  const { client, observed } = acting;
  const { deployment } = observed;
  const name = { name: draft.metadata.name ?? "", namespace: deployment.metadata.namespace ?? "" };
  const set = await client.resource(ReplicaSet).get(name);
  if (isControlledBy(set, deployment) && sameTemplate(set.spec?.template, deployment.spec?.template)) return set;
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await client.resource(Deployment).status.update({ ...deployment, status: { ...deployment.status, collisionCount } });
  throw error;
}

async function refused(draft: Draft<ReplicaSet>, error: unknown, acting: Acting): Promise<never> {
  const { client, recorder, observed, now } = acting;
  const { deployment } = observed;
  const reason = "ReplicaSetCreateError";
  const message = `Failed to create new replica set "${draft.metadata.name}": ${serverWords(error)}`;
  recorder.warning(deployment, reason, message);
  if (progressDeadlineSeconds(deployment) !== undefined) {
    const condition = { type: "Progressing", status: "False", reason, message } as const;
    const status = withCondition(deployment.status ?? {}, condition, now);
    if (status !== deployment.status) await client.resource(Deployment).status.update({ ...deployment, status });
  }
  throw error;
}
