/** Finds what an object itself says is wrong: takes its manifest, gives sentences for people, the most important first. */
import type { KubeObject } from "../../api/index.js";
import { conditionsOf, recordOf, recordsOf, type ShownCondition, statusFields } from "./status.js";
import { isOrdinaryWait } from "./state.js";
import { asText } from "../../base/members.js";

const most = 5;

/** A rollout, or a pod that starts, is no trouble: both are false for a while. */
const mustBeTrue: ReadonlySet<string> = new Set([
  "Ready",
  "PodScheduled",
  "AbleToScale",
  "ScalingActive",
  "Established",
  "NamesAccepted",
]);
const mustBeFalse =
  /^(?:Failed|Degraded|Stalled|NetworkUnavailable)$|(?:Failure|Pressure|ContentRemaining|FinalizersRemaining)$/;

export function troublesOf(object: KubeObject): readonly string[] {
  const conditions = conditionsOf(object)
    .filter((condition) => isTrouble(condition, object.kind === "Pod"))
    .map(({ type, status, reason, message }) => told(status === "True" ? type : `not ${type}`, reason, message));
  const containers = object.kind === "Pod" ? containerTroubles(object) : [];
  return [...endingOf(object), ...containers, ...conditions].slice(0, most);
}

function isTrouble({ type, status, reason }: ShownCondition, isPod: boolean): boolean {
  // the containers of a pod say more
  if (isPod) return type === "PodScheduled" && status === "False";
  if (type === "Progressing") return reason === "ProgressDeadlineExceeded";
  return status === "True" ? mustBeFalse.test(type) : mustBeTrue.has(type);
}

/** The reason why a deleted object is still there. */
function endingOf({ metadata: { deletionTimestamp, finalizers = [] } }: KubeObject): readonly string[] {
  if (deletionTimestamp === undefined || finalizers.length === 0) return [];
  const names = finalizers.join(", ");
  return [`Deleted at ${deletionTimestamp}, and still there: it waits until its finalizers are removed: ${names}`];
}

function containerTroubles(pod: KubeObject): readonly string[] {
  const { initContainerStatuses, containerStatuses } = statusFields(pod);
  return [...recordsOf(initContainerStatuses), ...recordsOf(containerStatuses)].flatMap(
    ({ name, state, lastState }) => {
      const waiting = recordOf(state, "waiting");
      const reason = asText(waiting["reason"]);
      if (reason === "" || isOrdinaryWait(reason)) return [];
      const { exitCode, reason: ended } = recordOf(lastState, "terminated");
      const last = typeof exitCode === "number" ? `; it ended with ${exitCode} (${asText(ended)}) last` : "";
      return [`${told(`container ${asText(name)}`, reason, asText(waiting["message"]))}${last}`];
    },
  );
}

const told = (subject: string, reason: string, message: string): string =>
  [subject, reason, message].filter((part) => part !== "").join(": ");
