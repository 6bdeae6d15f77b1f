/** Is a node alive? Takes what is known of it and when it was last seen to change, gives its conditions. Pure. */
import { formatTime, type Lease, type Node, type NodeCondition, parseTime } from "../../api/index.js";

/** A node that has reported at least once may be silent for so long. */
const graceMs = 50_000;
/** And one that never reported, since it was made. */
const startupGraceMs = 60_000;

/** What we saw of a node's signs of life, by our own clock: the node's clock is never trusted. */
export interface SignsOfLife {
  readonly heartbeat: string | undefined;
  readonly renewal: string | undefined;
  /** When one of the two was last seen to change; of a node that has given neither, when it was made. */
  readonly seenAt: number;
}

export function observeSigns(
  before: SignsOfLife | undefined,
  node: Node,
  lease: Lease | undefined,
  now: number,
): SignsOfLife {
  const heartbeat = readyOf(node)?.lastHeartbeatTime;
  // a lease that is gone is no sign
  const renewal = lease?.spec?.renewTime ?? before?.renewal;
  if (before !== undefined && before.heartbeat === heartbeat && before.renewal === renewal) return before;
  const { creationTimestamp } = node.metadata;
  const isNew = before === undefined && readyOf(node) === undefined && renewal === undefined;
  return { heartbeat, renewal, seenAt: isNew && creationTimestamp !== undefined ? parseTime(creationTimestamp) : now };
}

export const readyOf = ({ status }: Node): NodeCondition | undefined =>
  status?.conditions?.find(({ type }) => type === "Ready");

export const isExpired = (node: Node, signs: SignsOfLife, now: number): boolean =>
  now > signs.seenAt + (readyOf(node) === undefined ? startupGraceMs : graceMs);

const judged = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] as const;

/** Of a node that is silent nothing is known: its conditions say so. The very same array if they do already. */
export function unknownConditions({ metadata, status }: Node, now: number): readonly NodeCondition[] {
  const before = status?.conditions ?? [];
  const time = formatTime(now);
  const silent = before.map((condition): NodeCondition => {
    if (!(judged as readonly string[]).includes(condition.type) || condition.status === "Unknown") return condition;
    const message = "Kubelet stopped posting node status.";
    return { ...condition, status: "Unknown", reason: "NodeStatusUnknown", message, lastTransitionTime: time };
  });
  const missing = judged
    .filter((type) => !before.some((condition) => condition.type === type))
    .map(
      (type): NodeCondition => ({
        type,
        status: "Unknown",
        lastHeartbeatTime: metadata.creationTimestamp ?? time,
        lastTransitionTime: time,
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
      }),
    );
  return missing.length === 0 && silent.every((condition, i) => condition === before[i])
    ? before
    : [...silent, ...missing];
}
