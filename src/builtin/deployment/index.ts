/** The Deployment controller: rolls templates out over ReplicaSets, and keeps their history. */
import { controllerOf, Deployment, type KubeObject, metaNamespaceKey, Pod, ReplicaSet } from "../../api/index.js";
import type { KeyRun, SyncResult } from "../../controller/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { claimable, controlledBy, indexByController } from "../kit/controller-index.js";
import { claimSelector } from "../kit/selector.js";
import { keyLoop } from "../kit/loops.js";
import { ownedChanges } from "../kit/owned.js";
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
  const { informers, clock } = context;
  const deployments = informers.informer(Deployment);
  const sets = informers.informer(ReplicaSet);
  const pods = informers.informer(Pod);
  indexByController(sets);
  indexByController(pods);
  const recorder = context.recorderFor("deployment-controller");
  const loop = keyLoop(context, {
    name: "deployment",
    kind: "Deployment",
    workers: 5,
    maxFailures: 16,
    // not for safety (names and conflicts give it), but to avoid writes that the server would refuse
    awaits: [deployments, sets],
    sync,
  });
  loop.follow(deployments);
  loop.watch(
    sets,
    ownedChanges<ReplicaSet, Deployment>({
      owners: deployments.indexer,
      ownerKind: "Deployment",
      selectorOf: claimSelector,
    }),
  );
  // a Deployment that recreates waits for its last old pod to be gone
  loop.watch(pods, ({ type, object: pod }, wake) => {
    const set = type === "deleted" ? ownerIn(sets.indexer, pod, "ReplicaSet") : undefined;
    const deployment = set === undefined ? undefined : ownerIn(deployments.indexer, set, "Deployment");
    if (deployment?.spec?.strategy?.type === "Recreate") wake(metaNamespaceKey(deployment));
  });

  async function sync({ key, client }: KeyRun): Promise<SyncResult | void> {
    const deployment = deployments.indexer.get(key);
    if (deployment === undefined) return { gone: true };
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
          });
    const now = clock.now();
    const podsOf = (set: ReplicaSet): readonly Pod[] => controlledBy(pods.indexer, set.metadata.uid);
    const observed = { deployment, sets: owned, podsOf };
    const actions = planDeployment(observed, now);
    const requeueAfterMs = await actOnDeployment(actions, { client, recorder, observed, now });
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  return { loops: [loop] };
}

function ownerIn<O extends KubeObject>(
  owners: { get(key: string): O | undefined },
  object: Pod | ReplicaSet,
  kind: string,
): O | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== kind) return undefined;
  const owner = owners.get(metaNamespaceKey({ metadata: { ...object.metadata, name: reference.name } }));
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}
