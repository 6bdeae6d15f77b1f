/** The names of attachable volumes, as the attach/detach controller and kubelets write them into a node's status. Pure. */
import { createHash } from "node:crypto";
import type { Node, PersistentVolume } from "../api/index.js";

const prefix = "kubernetes.io/csi/";

/** A node with this annotation leaves the attachment of its volumes to the controller. */
export const attachesByController = "volumes.kubernetes.io/controller-managed-attach-detach";

/** Undefined for a volume of no CSI driver: such a volume is not attached by the control plane. */
export function attachableName({ spec }: PersistentVolume): string | undefined {
  return spec?.csi === undefined ? undefined : `${prefix}${spec.csi.driver}^${spec.csi.volumeHandle}`;
}

/** The name of the VolumeAttachment that stands for a volume on a node; undefined for a volume of no CSI driver. */
export function attachmentName(volume: string, node: string): string | undefined {
  const split = volume.indexOf("^");
  if (!volume.startsWith(prefix) || split < 0) return undefined;
  const [driver, handle] = [volume.slice(prefix.length, split), volume.slice(split + 1)];
  return `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;
}

/** False for an attachment that a user has made, of which kube-controller-manager knows nothing either. */
export const isControllersOwn = (attachment: string): boolean => /^csi-[0-9a-f]{64}$/.test(attachment);

export const isInUse = (node: Node | undefined, volume: string): boolean =>
  node?.status?.volumesInUse?.includes(volume) ?? false;

export const isAttached = (node: Node, volume: string): boolean =>
  node.status?.volumesAttached?.some(({ name }) => name === volume) ?? false;
