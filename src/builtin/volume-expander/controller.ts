/** The expander of volumes: leaves a claim that asks for more space to its driver, and tells the user so by an event. */
import { metaNamespaceKey, parseQuantity, PersistentVolume, PersistentVolumeClaim } from "../../api/index.js";
import { requestOf } from "../../placement/volume-claims.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";

type Quantity = ReturnType<typeof parseQuantity>;
const capacityOf = ({ status }: PersistentVolumeClaim): Quantity => parseQuantity(status?.capacity?.["storage"] ?? "0");

/** True for a bound claim that asks for more than its volume has. */
export const wantsToGrow = (claim: PersistentVolumeClaim): boolean =>
  claim.status?.phase === "Bound" && requestOf(claim).compare(capacityOf(claim)) > 0;

/** True if the request or the capacity of the claim became larger. */
const grew = (before: PersistentVolumeClaim, after: PersistentVolumeClaim): boolean =>
  requestOf(after).compare(requestOf(before)) > 0 || capacityOf(after).compare(capacityOf(before)) > 0;

/** The controller expands no volume itself: as upstream, CSI drivers expand all kinds that can grow. */
export function volumeExpander(context: ControllerContext): BuiltInController {
  const claims = context.informers.informer(PersistentVolumeClaim);
  const recorder = context.recorderFor("volume_expand");
  const loop = objectLoop(context, claims, {
    name: "volume_expand",
    workers: 10,
    async sync(claim, { key, client }) {
      if (!wantsToGrow(claim)) return;
      const volume = await client.resource(PersistentVolume).get(claim.spec?.volumeName ?? "");
      if (volume.spec?.claimRef?.uid !== claim.metadata.uid) {
        throw new Error(`persistent Volume is not bound to PVC being updated : ${key}`);
      }
      recorder.normal(claim, "ExternalExpanding", "waiting for an external controller to expand this PVC");
    },
  });
  loop.watch(claims, (change, wake) => {
    if (change.type === "deleted" || (change.type === "updated" && !grew(change.previous, change.object))) return;
    if (wantsToGrow(change.object)) wake(metaNamespaceKey(change.object));
  });
  return { loops: [loop] };
}
