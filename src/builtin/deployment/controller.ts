/** The Deployment controller: rolls templates out over ReplicaSets, and keeps their history. */
import { Deployment, metaNamespaceKey, Pod, ReplicaSet } from "../../api/index.js";
import type { KeyRun, SyncResult } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { claimSelector } from "../kit/selector.js";
import { controlledBy, indexByController, OwnedObjects, ownerIn } from "../ownership/owned.js";
import { actOnDeployment } from "./act.js";
import { planDeployment } from "./plan.js";

export function deploymentController(context: ControllerContext): BuiltInController {
  const { informers, clock } = context;
  const deployments = informers.informer(Deployment);
  const sets = informers.informer(ReplicaSet);
  const pods = informers.informer(Pod);
  const ownSets = new OwnedObjects({ owners: deployments, objects: sets, selectorOf: claimSelector });
  indexByController(pods);
  const recorder = context.recorderFor("deployment-controller");
  const loop = objectLoop(context, deployments, {
    name: "deployment",
    workers: 5,
    maxFailures: 16,
    // not for safety (names and conflicts give it), but to avoid writes that the server would refuse
    awaits: [deployments, sets],
    sync,
  });
  loop.follow(deployments);
  ownSets.wakeOwners(loop);
  // a Deployment that recreates waits for its last old pod to be gone
  loop.watch(pods, ({ type, object: pod }, wake) => {
    const set = type === "deleted" ? ownerIn(sets.indexer, pod, "ReplicaSet") : undefined;
    const deployment = set && ownerIn(deployments.indexer, set, "Deployment");
    if (deployment?.spec?.strategy?.type === "Recreate") wake(metaNamespaceKey(deployment));
  });

  async function sync(deployment: Deployment, run: KeyRun): Promise<SyncResult> {
    const owned = await ownSets.claim(deployment, run);
    const now = clock.now();
    const podsOf = (set: ReplicaSet): readonly Pod[] => controlledBy(pods, set.metadata.uid);
    const observed = { deployment, sets: owned, podsOf };
    const actions = planDeployment(observed, now);
    return { requeueAfterMs: await actOnDeployment(actions, { client: run.client, recorder, observed, now }) };
  }

  return { loops: [loop] };
}
