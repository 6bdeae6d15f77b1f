/** The ephemeral volume controller: makes the claims of pods' generic ephemeral volumes, again if one is deleted. */
import { isDeleting, metaNamespaceKey, PersistentVolumeClaim, Pod } from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import type { KeyRun } from "../../controller/index.js";
import { claimsOfPod } from "../../placement/volume-claims.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { claimSteps, hasEphemeralVolume } from "./plan.js";

const podsOfClaim = "pods-of-ephemeral-claim";

export function ephemeralVolumeController(context: ControllerContext): BuiltInController {
  const pods = context.informers.informer(Pod);
  const claims = context.informers.informer(PersistentVolumeClaim);
  const recorder = context.recorderFor("ephemeral_volume");
  pods.addIndexers({
    [podsOfClaim]: (pod) => claimsOfPod(pod).flatMap(({ key, ephemeral }) => (ephemeral ? [key] : [])),
  });
  const loop = objectLoop(context, pods, { name: "ephemeral_volume", workers: 5, awaits: [claims], sync });
  // the volumes of a pod never change, and the claims of a deleted pod go with it by their owner
  loop.watch(pods, ({ type, object }, wake) => {
    if (type !== "added" || isDeleting(object)) return;
    if (hasEphemeralVolume(object)) wake(metaNamespaceKey(object));
  });
  loop.watch(claims, ({ type, object }, wake) => {
    if (type !== "deleted") return;
    for (const key of pods.indexer.indexKeys(podsOfClaim, metaNamespaceKey(object))) wake(key);
  });

  async function sync(pod: Pod, { key, client }: KeyRun): Promise<void> {
    if (isDeleting(pod)) return;
    const { namespace = "" } = pod.metadata;
    for (const step of claimSteps(pod, (name) => claims.indexer.get(`${namespace}/${name}`))) {
      try {
        if (step.type === "refuse") throw new Error(step.problem);
        await client.resource(PersistentVolumeClaim, { namespace }).create(step.claim);
      } catch (error) {
        const what = step.type === "refuse" ? "" : `create PVC ${step.claim.metadata.name}: `;
        const message = `ephemeral volume ${step.volume}: ${what}${messageOf(error)}`;
        recorder.warning(pod, "FailedBinding", message);
        throw new Error(`pod ${key}, ${message}`, { cause: error });
      }
    }
  }

  return { loops: [loop] };
}
