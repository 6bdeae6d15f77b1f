/** Strategies of disruption budgets, priority classes, leases and runtime classes. */
import { lookup, repeats } from "../../../../base/members.js";
import {
  fieldPath,
  type Lease as AnyLease,
  type PodDisruptionBudget as AnyBudget,
  type PriorityClass,
  type RuntimeClass,
  type Toleration,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { counts } from "../apps/status.js";
import { atMostAll, positiveOrPercent } from "../pod/template.js";
import { tolerations } from "../pod/validation/scheduling.js";
import { changed, filled, having, roundedAmounts } from "../rules/fill.js";
import { conditionRules } from "../rules/conditions.js";
import type { WithSpec } from "../rules/formed.js";
import {
  dns1123Label,
  immutable,
  inTurn,
  type Issues,
  labelMap,
  labelSelector,
  oneOf,
  optionalOneOf,
  type Path,
  required,
  shownSelector,
} from "../rules/issues.js";
import { pathSegment } from "../rules/names.js";
import { resourceRequirements } from "../rules/resources.js";

type Budget = WithSpec<AnyBudget>;
type Lease = WithSpec<AnyLease>;

const spec = fieldPath("spec");

function* budgetRules({ spec: given }: Budget): Issues {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = given;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: minAvailable,
      Selector: shownSelector(selector) ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    };
    yield spec.invalid(shown, "minAvailable and maxUnavailable cannot be both set");
  }
  for (const [field, value] of [
    ["minAvailable", minAvailable],
    ["maxUnavailable", maxUnavailable],
  ] as const) {
    yield* positiveOrPercent(spec.child(field), value);
    yield* atMostAll(spec.child(field), value);
  }
  yield* labelSelector(spec.child("selector"), selector);
  const policies = ["AlwaysAllow", "IfHealthyBudget"];
  yield* optionalOneOf(spec.child("unhealthyPodEvictionPolicy"), unhealthyPodEvictionPolicy, policies);
}

export const disruptionBudgetStrategy: Strategy<Budget> = {
  group: "policy",
  kind: "PodDisruptionBudget",
  lenient: { finalizers: true, prefixOnUpdate: true },
  validateName: pathSegment,
  generation: "spec",
  allowUnconditionalUpdate: false,
  validateCreate: budgetRules,
  status: {
    validateUpdate: ({ status }) =>
      inTurn(
        counts(fieldPath("status"), status, ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"]),
        conditionRules(fieldPath("status", "conditions"), status?.conditions),
      ),
  },
};

const systemClasses: Readonly<Record<string, number>> = lookup({
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
});
const highestOfUsers = 1_000_000_000;

function* priorityRules(priority: PriorityClass): Issues {
  const { name } = priority.metadata;
  if (name.startsWith("system-")) {
    const wrong = systemComplaint(priority);
    if (wrong !== undefined) {
      const why = `priority class names with 'system-' prefix are reserved for system use only. error: ${wrong}`;
      yield fieldPath("metadata", "name").forbidden(why);
    }
  } else if ((priority.value ?? 0) > highestOfUsers) {
    yield fieldPath("value").forbidden(`maximum allowed value of a user defined priority is ${highestOfUsers}`);
  }
  const policies = ["PreemptLowerPriority", "Never"];
  yield* oneOf(fieldPath("preemptionPolicy"), priority.preemptionPolicy, policies);
}

function systemComplaint({ metadata: { name }, value, globalDefault }: PriorityClass): string | undefined {
  const known = systemClasses[name];
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export const priorityClassStrategy: Strategy<PriorityClass> = {
  group: "scheduling.k8s.io",
  kind: "PriorityClass",
  lenient: { prefixOnUpdate: true },
  generation: () => false,
  setDefaults: (priority) => filled(priority, { preemptionPolicy: "PreemptLowerPriority" }),
  validateCreate: priorityRules,
  validateUpdate: (priority, old) =>
    inTurn(
      priority.value === old.value ? [] : [fieldPath("value").forbidden("may not be changed in an update.")],
      immutable(fieldPath("preemptionPolicy"), priority.preemptionPolicy, old.preemptionPolicy),
    ),
};

function* leaseRules({ spec: given }: Lease): Issues {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = given;
  if (duration !== undefined && duration <= 0) {
    yield spec.child("leaseDurationSeconds").invalid(duration, "must be greater than 0");
  }
  if (transitions !== undefined && transitions < 0) {
    yield spec.child("leaseTransitions").invalid(transitions, "must be greater than or equal to 0");
  }
}

/** The feature gate of coordinated leader election is off: its fields are dropped. */
const plainLease = (lease: Lease): Lease =>
  changed(lease, "spec", (given) => having(having(given, "strategy", undefined), "preferredHolder", undefined));

export const leaseStrategy: Strategy<Lease> = {
  group: "coordination.k8s.io",
  kind: "Lease",
  lenient: { finalizers: true, prefixOnUpdate: true },
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: plainLease,
  prepareForUpdate: plainLease,
  validateCreate: leaseRules,
};

function* runtimeRules({ handler, overhead, scheduling }: RuntimeClass): Issues {
  yield* required(fieldPath("handler"), handler, dns1123Label);
  if (overhead?.podFixed !== undefined)
    yield* resourceRequirements(fieldPath("overhead"), { limits: overhead.podFixed });
  if (scheduling === undefined) return;
  yield* labelMap(fieldPath("scheduling", "nodeSelector"), scheduling.nodeSelector);
  const at = fieldPath("scheduling", "tolerations");
  yield* tolerations(at, scheduling.tolerations);
  yield* uniqueTolerations(at, scheduling.tolerations ?? []);
}

function* uniqueTolerations(at: Path, given: readonly Toleration[]): Issues {
  const isRepeat = repeats();
  for (const [here, one] of at.items(given)) {
    const { key = "", operator = "", value = "", effect = "", tolerationSeconds = null } = one;
    const id = JSON.stringify([key, operator, value, effect]);
    if (isRepeat(id)) {
      const shown = {
        Key: key,
        Operator: operator,
        Value: value,
        Effect: effect,
        TolerationSeconds: tolerationSeconds,
      };
      yield here.duplicate(shown);
    }
  }
}

export const runtimeClassStrategy: Strategy<RuntimeClass> = {
  group: "node.k8s.io",
  kind: "RuntimeClass",
  lenient: { finalizers: true },
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  setDefaults: (runtime) => changed(runtime, "overhead", (overhead) => changed(overhead, "podFixed", roundedAmounts)),
  validateCreate: runtimeRules,
  validateUpdate: (runtime, old) =>
    inTurn(runtimeRules(runtime), immutable(fieldPath("handler"), runtime.handler, old.handler)),
};
