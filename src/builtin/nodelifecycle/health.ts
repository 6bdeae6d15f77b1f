/** The health of a node: takes its state and the time of its last change, gives its conditions. Pure. */
import { findCondition, formatTime, type Lease, type Node, type NodeCondition, parseTime } from "../../api/index.js";

/** A node that has reported at least once may be silent for this time. */
const graceMs = 50_000;
/** A node that has never reported may be silent for this time after its creation. */
const startupGraceMs = 60_000;

/** A moment on both clocks of this process. Wall time may be set: silence is measured by the steady one. */
export interface ClockReading {
  readonly wallMs: number;
  readonly steadyMs: number;
}

/** A node's signs of life, by this process's own clock: the node's clock is never trusted. */
export interface SignsOfLife {
  readonly heartbeat: string | undefined;
  readonly renewal: string | undefined;
  /** When one of the two was last seen to change, in steady time; for a node that has given neither, its creation. */
  readonly seenAtMs: number;
}

export function observeSigns(
  before: SignsOfLife | undefined,
  node: Node,
  lease: Lease | undefined,
  { wallMs, steadyMs }: ClockReading,
): SignsOfLife {
  const heartbeat = readyOf(node)?.lastHeartbeatTime;
  // a lease that is gone is no sign
  const renewal = lease?.spec?.renewTime ?? before?.renewal;
  if (before !== undefined && before.heartbeat === heartbeat && before.renewal === renewal) return before;
  const { creationTimestamp } = node.metadata;
  const isNew = before === undefined && readyOf(node) === undefined && renewal === undefined;
  const ageMs = isNew && creationTimestamp !== undefined ? wallMs - parseTime(creationTimestamp) : 0;
  return { heartbeat, renewal, seenAtMs: steadyMs - ageMs };
}

export const readyOf = ({ status }: Node): NodeCondition | undefined => findCondition(status?.conditions, "Ready");

export const isSilent = (node: Node, signs: SignsOfLife, { steadyMs }: ClockReading): boolean =>
  steadyMs > signs.seenAtMs + (readyOf(node) === undefined ? startupGraceMs : graceMs);

const judged = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] as const;

/** The conditions of a silent node, whose state is Unknown. The very same array if they already are. */
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
