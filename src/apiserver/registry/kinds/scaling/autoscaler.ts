/** The strategy of HorizontalPodAutoscalers, in the shape of v2. */
import {
  type CrossVersionObjectReference,
  fieldPath,
  type HorizontalPodAutoscaler as AnyAutoscaler,
  type HorizontalPodAutoscalerSpec,
  type HPAScalingRules,
  type MetricSpec,
  type MetricTarget,
  parseGroupVersion,
  parseQuantity,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { counts } from "../apps/status.js";
import { changed, filled, nullIfEmpty } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import {
  dns1123Label,
  type Issues,
  optionalOneOf,
  type Path,
  pathSegmentName,
  positive,
  required,
} from "../rules/issues.js";
import { containerResourceName, nonNegativeQuantity } from "../rules/resources.js";

type Autoscaler = WithSpec<AnyAutoscaler>;

const spec = fieldPath("spec");

const upRules: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};
const downRules: HPAScalingRules = {
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
};
const cpuMetric: MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
};

function autoscalerDefaults(autoscaler: Autoscaler): Autoscaler {
  return changed(autoscaler, "spec", (given) => {
    const least = filled(given, { minReplicas: 1 });
    const measured = (least.metrics ?? []).length > 0 ? least : { ...least, metrics: [cpuMetric] };
    return changed(measured, "behavior", (behavior) => ({
      ...behavior,
      scaleUp: filled(behavior.scaleUp ?? {}, upRules),
      scaleDown: filled(behavior.scaleDown ?? {}, downRules),
    }));
  });
}

function* autoscalerRules({ spec: given }: Autoscaler, old?: Autoscaler): Issues {
  const { minReplicas, maxReplicas, metrics = [], behavior } = given;
  const least = old?.spec.minReplicas === 0 ? 0 : 1;
  if (minReplicas !== undefined && minReplicas < least) {
    yield spec.child("minReplicas").invalid(minReplicas, `must be greater than or equal to ${least}`);
  }
  if (maxReplicas === 0) yield spec.child("maxReplicas").required("must be set and greater than 0");
  else if (maxReplicas < 0) {
    yield spec.child("maxReplicas").invalid(maxReplicas, "must be greater than or equal to 1");
  }
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    yield spec.child("maxReplicas").invalid(maxReplicas, "must be greater than or equal to `minReplicas`");
  }
  const target = given.scaleTargetRef;
  const before = old?.spec.scaleTargetRef;
  const sameTarget = before?.apiVersion === target.apiVersion && before?.kind === target.kind;
  yield* reference(spec.child("scaleTargetRef"), target);
  if (!sameTarget) {
    yield* versionOf(spec.child("scaleTargetRef", "apiVersion"), target, target.kind === "ReplicationController");
  }
  yield* metricRules(spec.child("metrics"), metrics, given);
  yield* scalingRules(spec.child("behavior", "scaleUp"), behavior?.scaleUp);
  yield* scalingRules(spec.child("behavior", "scaleDown"), behavior?.scaleDown);
}

function* reference(at: Path, given: CrossVersionObjectReference): Issues {
  yield* required(at.child("kind"), given.kind, pathSegmentName);
  yield* required(at.child("name"), given.name, pathSegmentName);
}

/** Only some references may lack a group. */
function* versionOf(at: Path, { apiVersion = "" }: CrossVersionObjectReference, mayLackGroup: boolean): Issues {
  try {
    const { group } = parseGroupVersion(apiVersion);
    if (group === "" && !mayLackGroup) yield at.invalid(apiVersion, "apiVersion must specify API group");
  } catch (error) {
    yield at.invalid(apiVersion, (error as Error).message);
  }
}

const sources = {
  Object: "object",
  Pods: "pods",
  Resource: "resource",
  External: "external",
  ContainerResource: "containerResource",
} as const;
const sourceTypes = Object.keys(sources).sort();
/** In the order in which upstream checks them. */
const sourceFields = ["object", "external", "pods", "resource", "containerResource"] as const;

function* metricRules(at: Path, metrics: readonly MetricSpec[], given: HorizontalPodAutoscalerSpec): Issues {
  for (const [here, metric] of at.items(metrics)) yield* metricRule(here, metric);
  const idle = metrics.some(({ type }) => type === "Object" || type === "External");
  if (given.minReplicas === 0 && !idle) {
    const why = "must specify at least one Object or External metric to support scaling to zero replicas";
    yield at.forbidden(why);
  }
}

function* metricRule(at: Path, metric: MetricSpec): Issues {
  const type: string = metric.type ?? "";
  const here = at.child("type");
  if (type === "") yield here.required("must specify a metric source type");
  const known = Object.hasOwn(sources, type);
  if (!known) yield here.notSupported(type, sourceTypes);
  const present = sourceFields.filter((field) => metric[field] !== undefined);
  const first = present[0];
  if (first !== undefined) yield* sourceRules(at.child(first), first, metric);
  const expected = known ? sources[type as keyof typeof sources] : undefined;
  if (expected === undefined) yield here.notSupported(type, sourceTypes);
  else if (metric[expected] === undefined) {
    yield at.child(expected).required("must populate information for the given metric source");
  }
  if (present.length === 1) return;
  for (const field of present) {
    if (field !== expected) yield at.child(field).forbidden("must populate the given metric source only");
  }
}

type Source = NonNullable<MetricSpec["object"]> &
  NonNullable<MetricSpec["pods"]> &
  NonNullable<MetricSpec["resource"]> &
  NonNullable<MetricSpec["containerResource"]>;

function* sourceRules(at: Path, field: (typeof sourceFields)[number], metric: MetricSpec): Issues {
  const source = metric[field] as Source;
  const target = at.child("target");
  const { value, averageValue, averageUtilization } = source.target;
  if (field === "resource" || field === "containerResource") {
    yield* resourceSource(at, field, source);
    yield* targetRules(target, source.target);
    if (averageUtilization === undefined && averageValue === undefined) {
      const why = "must set either a target raw value or a target utilization";
      yield target.child("averageUtilization").required(why);
    } else if (averageUtilization !== undefined && averageValue !== undefined) {
      yield target.child("averageValue").forbidden("may not set both a target raw value and a target utilization");
    }
    return;
  }
  if (field === "object") {
    const here = at.child("describedObject");
    yield* reference(here, source.describedObject);
    yield* versionOf(here.child("apiVersion"), source.describedObject, true);
  }
  yield* required(at.child("metric", "name"), source.metric?.name, pathSegmentName, "must specify a metric name");
  yield* targetRules(target, source.target);
  const missing = {
    object: "must set either a target value or averageValue",
    external: "must set either a target value for metric or a per-pod target",
    pods: "must specify a positive target averageValue",
  }[field];
  if (averageValue === undefined && (field === "pods" || value === undefined)) {
    yield target.child("averageValue").required(missing);
  }
  if (field === "external" && value !== undefined && averageValue !== undefined) {
    yield target.child("value").forbidden("may not set both a target value for metric and a per-pod target");
  }
}

function* resourceSource(at: Path, field: "resource" | "containerResource", { name, container }: Source): Issues {
  if (!name) yield at.child("name").required("must specify a resource name");
  else if (field === "containerResource") yield* containerResourceName(at.child("name"), name);
  if (field === "resource") return;
  yield* required(at.child("container"), container, dns1123Label, "must specify a container");
}

function* targetRules(at: Path, target: MetricTarget): Issues {
  const type: string = target.type ?? "";
  if (type === "") yield at.child("type").required("must specify a metric target type");
  if (type !== "Utilization" && type !== "Value" && type !== "AverageValue") {
    yield at.child("type").invalid(type, "must be either Utilization, Value, or AverageValue");
  }
  for (const field of ["value", "averageValue"] as const) {
    const amount = target[field];
    if (amount !== undefined && parseQuantity(amount).sign !== 1) {
      yield at.child(field).invalid(amount, "must be positive");
    }
  }
  const { averageUtilization: use } = target;
  if (use !== undefined && use < 1) yield at.child("averageUtilization").invalid(use, "must be greater than 0");
}

function* scalingRules(at: Path, rules: HPAScalingRules | undefined): Issues {
  if (rules === undefined) return;
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const here = at.child("stabilizationWindowSeconds");
  if (window < 0) yield here.invalid(window, "must be greater than or equal to zero");
  if (window > 3600) yield here.invalid(window, "must be less than or equal to 3600");
  yield* optionalOneOf(at.child("selectPolicy"), selectPolicy, ["Disabled", "Max", "Min"]);
  if (policies.length === 0) yield at.child("policies").required("must specify at least one Policy");
  for (const [policyAt, { type, value, periodSeconds }] of at.child("policies").items(policies)) {
    yield* optionalOneOf(policyAt.child("type"), type ?? "", ["Percent", "Pods"]);
    yield* positive(policyAt.child("value"), value);
    yield* positive(policyAt.child("periodSeconds"), periodSeconds);
    if (periodSeconds > 1800) {
      yield policyAt.child("periodSeconds").invalid(periodSeconds, "must be less than or equal to 1800");
    }
  }
  if (tolerance !== undefined) yield* nonNegativeQuantity(at.child("tolerance"), tolerance);
}

export const autoscalerStrategy: Strategy<Autoscaler> = {
  group: "autoscaling",
  kind: "HorizontalPodAutoscaler",
  lenient: { prefixOnUpdate: true },
  setDefaults: autoscalerDefaults,
  validateCreate: (autoscaler) => autoscalerRules(autoscaler),
  validateUpdate: autoscalerRules,
  status: {
    prepareForUpdate: (autoscaler) => changed(autoscaler, "status", (status) => nullIfEmpty(status, "currentMetrics")),
    validateUpdate: ({ status }) => counts(fieldPath("status"), status, ["currentReplicas", "desiredReplicas"]),
  },
};
