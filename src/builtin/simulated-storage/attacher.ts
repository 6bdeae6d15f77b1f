/** The attacher of the simulated storage: says of each requested attachment that it is there. */
import { isDeleting, isNotFound, unless, VolumeAttachment } from "../../api/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { simulatedDriver } from "./provisioner.js";

export function volumeAttacher(context: ControllerContext): BuiltInController {
  const attachments = context.informers.informer(VolumeAttachment);
  const loop = objectLoop(context, attachments, {
    name: "volume_attacher",
    workers: 4,
    async sync(attachment, { key, client }) {
      if (attachment.spec.attacher !== simulatedDriver || attachment.status?.attached) return;
      if (isDeleting(attachment)) return;
      const merge = { status: { attached: true } };
      await client.resource(VolumeAttachment).status.patch(key, { merge }).catch(unless(isNotFound));
    },
  });
  loop.follow(attachments);
  return { loops: [loop] };
}
