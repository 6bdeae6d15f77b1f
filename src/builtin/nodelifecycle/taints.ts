/** The taints that follow from a node's conditions: takes a node, gives the taints it should have. Pure. */
import { lookup, own } from "../../base/members.js";
import { formatTime, type Node, type Taint } from "../../api/index.js";
import { readyOf } from "./health.js";

const prefix = "node.kubernetes.io/";
export const notReadyKey: string = `${prefix}not-ready`;
export const unreachableKey: string = `${prefix}unreachable`;

/** By type and status of the condition. */
const noScheduleKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = lookup({
  Ready: { False: notReadyKey, Unknown: unreachableKey },
  MemoryPressure: { True: `${prefix}memory-pressure` },
  DiskPressure: { True: `${prefix}disk-pressure` },
  PIDPressure: { True: `${prefix}pid-pressure` },
  NetworkUnavailable: { True: `${prefix}network-unavailable` },
});
const unschedulableKey = `${prefix}unschedulable`;
const managedKeys: ReadonlySet<string> = new Set([
  unschedulableKey,
  ...Object.values(noScheduleKeys).flatMap((keys) => Object.values(keys)),
]);

/** Leaves foreign taints alone. A managed taint that stays keeps its time. */
export function withNoScheduleTaints({ spec, status }: Node, now: number): readonly Taint[] {
  const wanted = new Set<string>(spec?.unschedulable === true ? [unschedulableKey] : []);
  for (const { type, status: value } of status?.conditions ?? []) {
    const key = own(own(noScheduleKeys, type), value);
    if (key !== undefined) wanted.add(key);
  }
  const before = spec?.taints ?? [];
  const isManaged = ({ key, effect }: Taint): boolean => effect === "NoSchedule" && managedKeys.has(key);
  const kept = before.filter((taint) => !isManaged(taint) || wanted.has(taint.key));
  const missing = [...wanted].filter((key) => !kept.some((taint) => isManaged(taint) && taint.key === key));
  if (kept.length === before.length && missing.length === 0) return before;
  return [...kept, ...missing.map((key): Taint => ({ key, effect: "NoSchedule", timeAdded: formatTime(now) }))];
}

/** The key of the NoExecute taint for the node's readiness; undefined if it is ready. */
export function noExecuteKey(node: Node): string | undefined {
  const ready = readyOf(node)?.status;
  if (ready === "True" || ready === undefined) return undefined;
  return ready === "False" ? notReadyKey : unreachableKey;
}

export const hasNoExecute = ({ spec }: Node, key: string): boolean =>
  (spec?.taints ?? []).some((taint) => taint.effect === "NoExecute" && taint.key === key);

/** Whether the node is ready and has no taint at all, as most nodes. */
export const isReadyAndUntainted = (node: Node): boolean =>
  noExecuteKey(node) === undefined && (node.spec?.taints ?? []).length === 0;

/** The node's taints with exactly the given one of the two NoExecute taints, or with none. */
export function withNoExecuteTaint({ spec }: Node, key: string | undefined, now: number): readonly Taint[] {
  const isOurs = (taint: Taint): boolean =>
    taint.effect === "NoExecute" && (taint.key === notReadyKey || taint.key === unreachableKey);
  const before = spec?.taints ?? [];
  const kept = before.filter((taint) => !isOurs(taint) || taint.key === key);
  if (key === undefined || kept.some((taint) => isOurs(taint))) return kept.length === before.length ? before : kept;
  return [...kept, { key, effect: "NoExecute", timeAdded: formatTime(now) }];
}
