/** Conditions of an object's status, with the generation that they speak of and honest times. */
import { type Condition, formatTime, type KubeObject, type NewCondition, setCondition } from "../../api/index.js";
import { type Clock, systemClock } from "../../base/index.js";

interface WithConditions extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * The conditions of the object with these in them, for `client.status(Kind).patch(object, { conditions })`. Each carries the object's
 * generation; the time of a transition changes only with the status. If nothing changes the same array comes back, and nothing is written.
 */
export function withConditions(
  object: WithConditions,
  conditions: readonly Omit<NewCondition, "observedGeneration">[],
  { clock = systemClock }: { readonly clock?: Clock } = {},
): readonly Condition[] {
  const now = formatTime(clock.now());
  const { generation } = object.metadata;
  let result = object.status?.conditions ?? [];
  for (const condition of conditions) {
    result = setCondition(
      result,
      { ...condition, ...(generation === undefined ? {} : { observedGeneration: generation }) },
      now,
    );
  }
  return result;
}
