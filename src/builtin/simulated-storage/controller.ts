/** A simulated CSI driver with the programs that accompany a real one: provisioner, resizer and attacher. */
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { volumeAttacher } from "./attacher.js";
import { volumeProvisioner } from "./provisioner.js";
import { volumeResizer } from "./resizer.js";

export const simulatedStorage = (context: ControllerContext): BuiltInController => ({
  loops: [volumeProvisioner, volumeResizer, volumeAttacher].flatMap((create) => create(context).loops),
});
