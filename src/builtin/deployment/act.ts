/** Carries out what was planned for a Deployment. From plan; to the API server, with the events that people look for. */
import { Deployment, type Draft, isAlreadyExists, isControlledBy, ReplicaSet } from "../../api/index.js";
import type { Client } from "../../client/index.js";
import type { Recorder } from "../kit/context.js";
import { unlessNotFound } from "../kit/missing.js";
import { isNamespaceTerminating, serverWords } from "../pods/pod-control.js";
import type { DeploymentAction } from "./actions.js";
import { specReplicas } from "./fenceposts.js";
import { type ObservedDeployment, statusAfterCreate } from "./plan.js";
import { sameTemplate } from "./revisions.js";
import { progressDeadlineSeconds, withCondition } from "./status.js";

export interface Acting {
  readonly client: Client;
  readonly recorder: Recorder;
  readonly observed: ObservedDeployment;
  readonly now: number;
  /** Told of each object that was written. */
  onWrite(resource: "deployments" | "sets", object: Deployment | ReplicaSet): void;
  readonly signal: AbortSignal;
}

/** Gives the wait until the next look, if one was planned. */
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
  const { client, recorder, observed, signal } = acting;
  const { deployment } = observed;
  switch (action.type) {
    case "event":
      if (action.eventType === "Normal") recorder.normal(deployment, action.reason, action.message);
      else recorder.warning(deployment, action.reason, action.message);
      return;
    case "create-set":
      return createSet(action.set, action.revision, acting);
    case "update-set": {
      const updated = await client.resource(ReplicaSet).update(action.set, { signal });
      acting.onWrite("sets", updated);
      if (specReplicas(updated) !== action.from) reportResize(acting, updated, action.from);
      return;
    }
    case "delete-set":
      await client.resource(ReplicaSet).delete(action.set.metadata, { signal }).catch(unlessNotFound);
      return;
    case "update-deployment":
      acting.onWrite("deployments", await client.resource(Deployment).update(action.deployment, { signal }));
      return;
    case "write-status":
      await writeStatus(action.deployment, acting);
      return;
  }
}

async function writeStatus(deployment: Deployment, { client, onWrite, signal }: Acting): Promise<void> {
  onWrite("deployments", await client.resource(Deployment).status.update(deployment, { signal }));
}

function reportResize({ recorder, observed }: Acting, set: ReplicaSet, from: number): void {
  const direction = specReplicas(set) > from ? "up" : "down";
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${specReplicas(set)}`;
  recorder.normal(observed.deployment, "ScalingReplicaSet", message);
}

async function createSet(draft: Draft<ReplicaSet>, revision: bigint, acting: Acting): Promise<void> {
  const { client, observed, now, signal } = acting;
  let set: ReplicaSet;
  try {
    set = await client.resource(ReplicaSet).create(draft, { signal });
    acting.onWrite("sets", set);
    if (specReplicas(set) > 0) reportResize(acting, set, 0);
  } catch (error) {
    if (isNamespaceTerminating(error)) return;
    if (!isAlreadyExists(error)) return refused(draft, error, acting);
    set = await existingSet(draft, error, acting);
  }
  await actOnDeployment(statusAfterCreate(observed, set, revision, now), acting);
}

/** The name is taken: by this very set, made in an earlier try, or by a template with the same hash, and then we take another. */
async function existingSet(draft: Draft<ReplicaSet>, error: unknown, acting: Acting): Promise<ReplicaSet> {
  const { client, observed, signal } = acting;
  const { deployment } = observed;
  const name = { name: draft.metadata.name ?? "", namespace: deployment.metadata.namespace ?? "" };
  const set = await client.resource(ReplicaSet).get(name, { signal });
  if (isControlledBy(set, deployment) && sameTemplate(set.spec?.template, deployment.spec?.template)) return set;
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await writeStatus({ ...deployment, status: { ...deployment.status, collisionCount } }, acting);
  throw error;
}

async function refused(draft: Draft<ReplicaSet>, error: unknown, acting: Acting): Promise<never> {
  const { recorder, observed, now } = acting;
  const { deployment } = observed;
  const reason = "ReplicaSetCreateError";
  const message = `Failed to create new replica set "${draft.metadata.name}": ${serverWords(error)}`;
  recorder.warning(deployment, reason, message);
  if (progressDeadlineSeconds(deployment) !== undefined) {
    const condition = { type: "Progressing", status: "False", reason, message } as const;
    const status = withCondition(deployment.status ?? {}, condition, now);
    if (status !== deployment.status) await writeStatus({ ...deployment, status }, acting);
  }
  throw error;
}
