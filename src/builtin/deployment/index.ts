/** The Deployment controller: rolls templates out over ReplicaSets, and keeps the history. */
import { controllerOf, Deployment, metaNamespaceKey, Pod, ReplicaSet } from "../../api/index.js";
import { ConsistencyStore } from "../../controller/consistency.js";
import { deletedObject } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { claimable, controlledBy, indexByController } from "../kit/controller-index.js";
import { claimSelector } from "../kit/selector.js";
import { KeyLoop, type SyncOutcome } from "../kit/key-loop.js";
import { ownedHandler } from "../kit/owned-handler.js";
import { adoptAndRelease } from "../ownership/adopt.js";
import { claim } from "../ownership/claim.js";
import { actOnDeployment } from "./act.js";
import { planDeployment } from "./plan.js";

export const deploymentController: ControllerDescriptor = {
  name: "deployment-controller",
  aliases: ["deployment"],
  create: createDeploymentController,
};

function createDeploymentController(context: ControllerContext): BuiltInController {
  const { client, informers, clock } = context;
  const deployments = informers.informer(Deployment);
  const sets = informers.informer(ReplicaSet);
  const pods = informers.informer(Pod);
  indexByController(sets);
  indexByController(pods);
  const recorder = context.recorderFor("deployment-controller");
  // not for safety, which names and conflicts give, but so that few writes are made to be refused
  const consistency = new ConsistencyStore({ deployments: deployments.indexer, sets: sets.indexer });
  const loop = new KeyLoop({ context, name: "deployment", workers: 5, maxRetries: 15, sync });

  loop.follow(deployments);
  sets.addEventHandler(
    ownedHandler<ReplicaSet, Deployment>({
      owners: deployments.indexer,
      ownerKind: "Deployment",
      selectorOf: claimSelector,
      enqueue: loop.enqueue,
    }),
    { name: "deployment" },
  );
  pods.addEventHandler({ onDelete: (gone) => wakeRecreate(deletedObject(gone)) }, { name: "deployment" });

  /** A Deployment that recreates waits for its last old pod to be gone. */
  function wakeRecreate(pod: Pod | undefined): void {
    if (pod === undefined) return;
    const set = ownerIn(sets.indexer, pod, "ReplicaSet");
    const deployment = set === undefined ? undefined : ownerIn(deployments.indexer, set, "Deployment");
    if (deployment?.spec?.strategy?.type === "Recreate") loop.enqueue(deployment);
  }

  async function sync(key: string, { signal }: { readonly signal: AbortSignal }): Promise<SyncOutcome | void> {
    consistency.ensureReady(key);
    const deployment = deployments.indexer.get(key);
    if (deployment === undefined) return consistency.forget(key);
    const selector = claimSelector(deployment);
    const owned =
      selector === undefined
        ? []
        : await adoptAndRelease({
            client,
            owner: deployment,
            ownerType: Deployment,
            type: ReplicaSet,
            claim: claim({ owner: deployment, selector, candidates: claimable(sets.indexer, deployment) }),
            signal,
          });
    const now = clock.now();
    const onWrite = (resource: string, { metadata: { resourceVersion } }: Deployment | ReplicaSet): void =>
      consistency.wrote(key, deployment.metadata.uid ?? "", { resource, resourceVersion });
    const podsOf = (set: ReplicaSet): readonly Pod[] => controlledBy(pods.indexer, set.metadata.uid);
    const observed = { deployment, sets: owned, podsOf };
    const actions = planDeployment(observed, now);
    const requeueAfterMs = await actOnDeployment(actions, { client, recorder, observed, now, onWrite, signal });
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  return loop;
}

function ownerIn<O extends { readonly metadata: { readonly uid?: string } }>(
  owners: { get(key: string): O | undefined },
  object: Pod | ReplicaSet,
  kind: string,
): O | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== kind) return undefined;
  const owner = owners.get(metaNamespaceKey({ metadata: { ...object.metadata, name: reference.name } }));
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}
