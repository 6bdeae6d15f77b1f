/** A Job's podFailurePolicy: takes a failed pod, gives the consequence for the Job. Pure. */
import type { Job, Pod, PodFailurePolicyRule } from "../../../api/index.js";

export interface FailureVerdict {
  /** True if the failure counts towards the back-off limit. */
  readonly counts: boolean;
  /** The message with which the whole Job must fail, if it must. */
  readonly failJob?: string;
  /** True if the pod's index must not be tried again. */
  readonly failIndex?: boolean;
  /** The action of the rule that decided; undefined if no rule did. */
  readonly action?: PodFailurePolicyRule["action"];
}

/** The first rule that matches decides; a failure that no rule matches counts. */
export function judgeFailure({ spec }: Job, pod: Pod): FailureVerdict {
  const rules = spec?.podFailurePolicy?.rules ?? [];
  for (const [i, rule] of rules.entries()) {
    const what = matches(rule, pod);
    if (what === undefined) continue;
    const { namespace, name } = pod.metadata;
    switch (rule.action) {
      case "FailJob":
        return {
          counts: true,
          failJob: `${what(`${namespace}/${name}`)} matching FailJob rule at index ${i}`,
          action: rule.action,
        };
      case "Ignore":
        return { counts: false, action: rule.action };
      case "FailIndex":
        return { counts: true, failIndex: true, action: rule.action };
      default:
        return { counts: true, action: rule.action };
    }
  }
  return { counts: true };
}

type Describe = (pod: string) => string;

function matches({ onExitCodes, onPodConditions = [] }: PodFailurePolicyRule, pod: Pod): Describe | undefined {
  if (onExitCodes !== undefined) {
    const { operator, values, containerName } = onExitCodes;
    const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
    for (const { name, state } of statuses) {
      const code = state?.terminated?.exitCode ?? 0;
      if (code === 0 || (containerName !== undefined && containerName !== name)) continue;
      if (values.includes(code) === (operator === "In")) {
        return (podName) => `Container ${name} for pod ${podName} failed with exit code ${code}`;
      }
    }
    return undefined;
  }
  const found = pod.status?.conditions?.find((condition) =>
    onPodConditions.some(({ type, status = "True" }) => condition.type === type && condition.status === status),
  );
  return found && ((podName) => `Pod ${podName} has condition ${found.type}`);
}
