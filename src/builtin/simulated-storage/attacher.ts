/** The attacher of the simulated storage: says of each requested attachment that it is there. */
import { isDeleting, isNotFound, unless, VolumeAttachment } from "../../api/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { simulatedDriver } from "./provisioner.js";

export function volumeAttacher(context: ControllerContext): BuiltInController {
  const attachments = context.informers.informer(VolumeAttachment);
  const loop = keyLoop(context, {
    name: "volume_attacher",
    kind: "VolumeAttachment",
    workers: 4,
    async sync({ key, client }) {
      const attachment = attachments.indexer.get(key);
      if (attachment?.spec.attacher !== simulatedDriver || attachment.status?.attached) return;
      if (isDeleting(attachment)) return;
      const merge = { status: { attached: true } };
      await client.resource(VolumeAttachment).status.patch(key, { merge }).catch(unless(isNotFound));
    },
  });
  loop.follow(attachments);
  return { loops: [loop] };
}
