/** Decides about the volumes of one node: which to attach, which are attached, and which to detach. Pure. */
import {
  isConditionTrue,
  type AttachedVolume,
  deepEqual,
  type Draft,
  type Node,
  type PersistentVolume,
  type Pod,
  type VolumeAttachment,
} from "../../api/index.js";
import { attachmentName, isControllersOwn, isInUse } from "../../placement/attachments.js";

/** Volumes of a node that cannot be reached are detached this long after their pods have gone. */
const forceAfterMs = 360_000;

const outOfService = "node.kubernetes.io/out-of-service";

export interface WantedVolume {
  /** As nodes name it. */
  readonly name: string;
  readonly volume: PersistentVolume;
  /** The pods on this node that need it. */
  readonly pods: readonly Pod[];
}

export interface NodeVolumes {
  readonly nodeName: string;
  /** Undefined if the node is gone. */
  readonly node: Node | undefined;
  readonly wanted: readonly WantedVolume[];
  /** The attachments to this node. */
  readonly attachments: readonly VolumeAttachment[];
  readonly now: number;
  /** The attachments of a volume, by its own name, to other nodes. */
  elsewhere(volume: string): readonly VolumeAttachment[];
  /** Since when an attachment has been of no use. */
  unwantedSince(attachment: string): number;
}

export type AttachStep =
  | { readonly type: "attach"; readonly attachment: Draft<VolumeAttachment> }
  /** Writes the list of attached volumes; before the attachments that are missing in it are deleted. */
  | { readonly type: "report"; readonly volumes: readonly AttachedVolume[] }
  | { readonly type: "attached"; readonly volume: WantedVolume }
  | { readonly type: "failed"; readonly volume: WantedVolume; readonly message: string }
  | { readonly type: "elsewhere"; readonly volume: WantedVolume; readonly attachments: readonly VolumeAttachment[] }
  /** `forced` if the volume is not asked whether it is still used. */
  | {
      readonly type: "detach";
      readonly attachment: string;
      readonly volume: string | undefined;
      readonly forced: boolean;
    }
  | { readonly type: "wait"; readonly forMs: number };

/** Whether several nodes may have the volume at once. */
const isShareable = ({ spec }: PersistentVolume): boolean => {
  const modes = spec?.accessModes ?? [];
  return modes.length === 0 || modes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
};

export function attachSteps(view: NodeVolumes): readonly AttachStep[] {
  const { node, nodeName, wanted, attachments } = view;
  const listed = node?.status?.volumesAttached ?? [];
  const names = new Map([...wanted, ...listed].map(({ name }) => [attachmentName(name, nodeName), name]));
  const wantedNames = new Set(wanted.map(({ name }) => attachmentName(name, nodeName)));
  const unwanted = attachments.filter(({ metadata: { name } }) => isControllersOwn(name) && !wantedNames.has(name));
  const endings = unwanted.map((one) => ending(view, one, names.get(one.metadata.name)));
  const going = new Set(endings.flatMap((step) => (step?.type === "detach" ? [step.attachment] : [])));
  const beginnings = wanted.flatMap((volume) => beginning(view, volume));
  const isThere = (name: string | undefined): boolean =>
    attachments.some(({ metadata, status }) => metadata.name === name && status?.attached && !going.has(name));
  // volumes of other kinds are not ours
  const kept = listed.filter(({ name }) => {
    const id = attachmentName(name, nodeName);
    return id === undefined || isThere(id);
  });
  const added = wanted.filter(
    ({ name }) => isThere(attachmentName(name, nodeName)) && !kept.some((one) => one.name === name),
  );
  const volumes = [...kept, ...added.map(({ name }) => ({ name, devicePath: "" }))];
  return [
    ...(node === undefined || deepEqual(listed, volumes) ? [] : [{ type: "report", volumes } as const]),
    ...added.map((volume) => ({ type: "attached", volume }) as const),
    ...endings.flatMap((step) => (step === undefined ? [] : [step])),
    ...beginnings,
  ];
}

function beginning({ nodeName, attachments, elsewhere }: NodeVolumes, wanted: WantedVolume): readonly AttachStep[] {
  const name = attachmentName(wanted.name, nodeName) ?? "";
  const attachment = attachments.find(({ metadata }) => metadata.name === name);
  if (attachment !== undefined) {
    const { message } = attachment.status?.attachError ?? {};
    return attachment.status?.attached || message === undefined ? [] : [{ type: "failed", volume: wanted, message }];
  }
  const others = elsewhere(wanted.volume.metadata.name);
  if (others.length > 0 && !isShareable(wanted.volume))
    return [{ type: "elsewhere", volume: wanted, attachments: others }];
  const { spec, metadata } = wanted.volume;
  const source = { persistentVolumeName: metadata.name };
  return [
    {
      type: "attach",
      attachment: { metadata: { name }, spec: { attacher: spec?.csi?.driver ?? "", nodeName, source } },
    },
  ];
}

/** Undefined while the attachment has to stay, or is already on its way out. */
function ending(
  { node, now, unwantedSince }: NodeVolumes,
  { metadata }: VolumeAttachment,
  volume: string | undefined,
): AttachStep | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const isDown = (node?.spec?.taints ?? []).some(({ key }) => key === outOfService);
  const waitedMs = now - unwantedSince(metadata.name);
  const isReady = isConditionTrue(node?.status?.conditions, "Ready");
  const isMounted = node === undefined || (volume !== undefined && isInUse(node, volume));
  const forced = isDown || waitedMs >= forceAfterMs;
  const detach = { type: "detach", attachment: metadata.name, volume, forced } as const;
  if (!isMounted || isDown || (!isReady && forced)) return detach;
  return isReady ? undefined : { type: "wait", forMs: Math.max(1, forceAfterMs - waitedMs) };
}

/** The message for a pod whose volume is attached to other nodes; names only pods of the pod's own namespace. */
export function multiAttachMessage(pod: Pod, volume: PersistentVolume, users: readonly Pod[]): string {
  const local = users.filter(({ metadata }) => metadata.namespace === pod.metadata.namespace);
  const others = users.length - local.length;
  const foreign = `${others} pod(s) in different namespaces`;
  const names = `pod(s) ${local.map(({ metadata }) => metadata.name).join(", ")}`;
  const used = local.length === 0 ? foreign : others === 0 ? names : `${names} and ${foreign}`;
  const why =
    users.length === 0
      ? "Volume is already exclusively attached to one node and can't be attached to another"
      : `Volume is already used by ${used}`;
  return `Multi-Attach error for volume "${volume.metadata.name}" ${why}`;
}
