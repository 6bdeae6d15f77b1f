/** Conditions of an object's status, with the observed generation and true transition times. */
import { type Condition, formatTime, type KubeObject, setCondition } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { type Clock, systemClock } from "../../base/index.js";

/**
 * A `Condition` without the members that the framework fills in. The status is checked when it is set, so that text
 * needs no `as const`.
 */
export interface GivenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
}

const statuses: readonly string[] = ["True", "False", "Unknown"];

const isStatus = (text: string): text is Condition["status"] => statuses.includes(text);

interface WithConditions extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * The object's conditions with these merged in, for `client.status(Kind).patch(object, { conditions })`. Each carries
 * the object's generation; the transition time changes only with the status. If nothing changes the same array comes
 * back, and nothing is written.
 */
export function withConditions(
  object: WithConditions,
  conditions: readonly GivenCondition[],
  { clock = systemClock }: { readonly clock?: Clock } = {},
): readonly Condition[] {
  const now = formatTime(clock.now());
  const { generation } = object.metadata;
  let result = object.status?.conditions ?? [];
  for (const { status, ...condition } of conditions) {
    if (!isStatus(status))
      throw new TypeError(
        `condition ${condition.type}: status must be True, False or Unknown, not ${JSON.stringify(status)}`,
      );
    result = setCondition(result, { ...condition, status, ...defined({ observedGeneration: generation }) }, now);
  }
  return result;
}
