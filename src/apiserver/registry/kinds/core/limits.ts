/** Strategies of limit ranges and resource quotas. */
import {
  fieldPath,
  type LimitRange as AnyLimitRange,
  type LimitRangeItem,
  parseQuantity,
  type ResourceQuota as AnyResourceQuota,
  type ResourceQuotaSpec,
} from "../../../../api/index.js";
import { own, repeats } from "../../../../base/members.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, each, nullIfEmpty, roundedAmounts } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { inTurn, type Issues, type Path, qualifiedName } from "../rules/issues.js";
import {
  containerResourceName,
  isOvercommitAllowed,
  isStandardQuotaResource,
  resourceAmount,
  resourceName,
} from "../rules/resources.js";

type LimitRange = WithSpec<AnyLimitRange>;
type ResourceQuota = WithSpec<AnyResourceQuota>;
type Amounts = Readonly<Record<string, string>>;

const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

/** A container's limit defaults to its maximum; its request to its limit, or else to its minimum. */
function itemDefaults(item: LimitRangeItem): LimitRangeItem {
  let result = item;
  if (item.type === "Container") {
    const limit: Amounts = { ...item.max, ...item.default };
    const request: Amounts = { ...item.min, ...limit, ...item.defaultRequest };
    if (Object.keys(limit).length > 0) result = { ...result, default: limit };
    if (Object.keys(request).length > 0) result = { ...result, defaultRequest: request };
  }
  for (const list of lists) result = changed(result, list, roundedAmounts);
  return result;
}

function* limitRules({ spec }: LimitRange): Issues {
  const isRepeat = repeats();
  for (const [at, item] of fieldPath("spec", "limits").items(spec.limits)) {
    yield* typeName(at.child("type"), item.type);
    if (isRepeat(item.type)) yield at.child("type").duplicate(item.type);
    yield* itemNames(at, item);
    for (const name of new Set(lists.flatMap((list) => Object.keys(item[list] ?? {})))) yield* bounds(at, item, name);
  }
}

function* typeName(at: Path, type: string): Issues {
  const wrong = [...qualifiedName(at, type)];
  yield* wrong;
  const standard = ["Pod", "Container", "PersistentVolumeClaim"];
  if (wrong.length === 0 && !type.includes("/") && !standard.includes(type)) {
    yield at.invalid(type, "must be a standard limit type or fully qualified");
  }
}

function* itemNames(at: Path, item: LimitRangeItem): Issues {
  const rule = item.type === "Pod" || item.type === "Container" ? containerResourceName : resourceName;
  for (const list of lists) {
    const names = Object.keys(item[list] ?? {});
    if (item.type === "Pod" && (list === "default" || list === "defaultRequest")) {
      if (names.length > 0) yield at.child(list).forbidden("may not be specified when `type` is 'Pod'");
      continue;
    }
    for (const name of names) yield* rule(at.child(list).key(name), name);
  }
  if (item.type === "PersistentVolumeClaim" && !item.min?.["storage"] && !item.max?.["storage"]) {
    const why = "either minimum or maximum storage value is required, but neither was provided";
    yield at.child("limits").required(why);
  }
}

function exceeds(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && parseQuantity(a).compare(parseQuantity(b)) > 0;
}

function* bounds(at: Path, item: LimitRangeItem, name: string): Issues {
  const pod = item.type === "Pod";
  const [max, min] = [own(item.max, name), own(item.min, name)];
  const limit = pod ? undefined : own(item.default, name);
  const request = pod ? undefined : own(item.defaultRequest, name);
  const on = (list: string): Path => at.child(list).key(name);
  if (exceeds(min, max)) yield on("min").invalid(min, `min value ${min} is greater than max value ${max}`);
  if (exceeds(min, request)) {
    yield on("defaultRequest").invalid(request, `min value ${min} is greater than default request value ${request}`);
  }
  if (exceeds(request, max)) {
    yield on("defaultRequest").invalid(request, `default request value ${request} is greater than max value ${max}`);
  }
  if (exceeds(request, limit)) {
    const why = `default request value ${request} is greater than default limit value ${limit}`;
    yield on("defaultRequest").invalid(request, why);
  }
  if (exceeds(min, limit)) yield on("default").invalid(min, `min value ${min} is greater than default value ${limit}`);
  if (exceeds(limit, max)) yield on("default").invalid(max, `default value ${limit} is greater than max value ${max}`);
  yield* ratio(on("maxLimitRequestRatio"), { ratio: own(item.maxLimitRequestRatio, name), min, max });
  if (
    !isOvercommitAllowed(name) &&
    limit !== undefined &&
    request !== undefined &&
    (exceeds(limit, request) || exceeds(request, limit))
  ) {
    const why = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
    yield on("defaultRequest").invalid(request, why);
  }
}

interface Ratio {
  readonly ratio: string | undefined;
  readonly min: string | undefined;
  readonly max: string | undefined;
}

function* ratio(at: Path, { ratio: given, min, max }: Ratio): Issues {
  if (given === undefined) return;
  if (exceeds("1", given)) yield at.invalid(given, `ratio ${given} is less than 1`);
  if (min === undefined || max === undefined) return;
  const most = parseQuantity(max).asApproximateFloat() / parseQuantity(min).asApproximateFloat();
  if (parseQuantity(given).asApproximateFloat() > most) {
    yield at.invalid(given, `ratio ${given} is greater than max/min = ${most.toFixed(6)}`);
  }
}

const withNullLimits = (range: LimitRange): LimitRange => changed(range, "spec", (spec) => nullIfEmpty(spec, "limits"));

export const limitRangeStrategy: Strategy<LimitRange> = {
  group: "",
  kind: "LimitRange",
  allowCreateOnUpdate: true,
  setDefaults: (range) =>
    changed(range, "spec", (spec) => changed(spec, "limits", (items) => each(items, itemDefaults))),
  // the one kind that needs no name
  prepareForCreate: (range, { newUid }) =>
    withNullLimits(range.metadata.name ? range : { ...range, metadata: { ...range.metadata, name: newUid() } }),
  prepareForUpdate: (range) => withNullLimits(range),
  validateCreate: limitRules,
};

function* quotaName(at: Path, name: string): Issues {
  yield* resourceName(at, name);
  if (!name.includes("/") && !isStandardQuotaResource(name)) {
    yield at.invalid(name, "must be a standard resource for quota");
  }
}

function* amounts(at: Path, given: Amounts | undefined): Issues {
  for (const [name, amount] of Object.entries(given ?? {})) {
    yield* quotaName(at.key(name), name);
    yield* resourceAmount(at.key(name), name, amount);
  }
}

const podScopes = ["Terminating", "NotTerminating", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity"];
const scopes = new Set([...podScopes, "BestEffort", "VolumeAttributesClass"]);
const computeResources = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];

function isInScope(scope: string, name: string): boolean {
  if (podScopes.includes(scope)) return name === "pods" || computeResources.includes(name);
  if (scope === "BestEffort") return name === "pods";
  return scope !== "VolumeAttributesClass" || name === "persistentvolumeclaims" || name === "requests.storage";
}

function outOfScope(scope: string, spec: ResourceQuotaSpec): readonly string[] {
  return Object.keys(spec.hard ?? {}).filter((name) => isStandardQuotaResource(name) && !isInScope(scope, name));
}

function contradict(names: readonly string[]): number {
  return [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ].filter((pair) => pair.every((scope) => names.includes(scope))).length;
}

function* quotaRules(spec: ResourceQuotaSpec): Issues {
  const at = fieldPath("spec");
  yield* amounts(at.child("hard"), spec.hard);
  const given: readonly string[] = spec.scopes ?? [];
  const here = at.child("scopes");
  for (const scope of given) {
    if (!scopes.has(scope)) yield here.invalid(given, "unsupported scope");
    for (const _ of outOfScope(scope, spec)) yield here.invalid(given, "unsupported scope applied to resource");
  }
  for (let i = 0; i < contradict(given); i++) yield here.invalid(given, "conflicting scopes");
  yield* scopeSelector(at.child("scopeSelector", "matchExpressions"), spec);
}

const existOnly = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];

function* scopeSelector(at: Path, spec: ResourceQuotaSpec): Issues {
  const expressions = spec.scopeSelector?.matchExpressions ?? [];
  for (const { scopeName, operator, values = [] } of expressions) {
    if (!scopes.has(scopeName)) yield at.child("scopeName").invalid(scopeName, "unsupported scope");
    for (const _ of outOfScope(scopeName, spec)) {
      const shown = expressions.map((one) => ({
        ScopeName: one.scopeName,
        Operator: one.operator,
        Values: one.values ?? null,
      }));
      yield at.invalid({ MatchExpressions: shown }, "unsupported scope applied to resource");
    }
    if (existOnly.includes(scopeName) && operator !== "Exists") {
      const why =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
      yield at.child("operator").invalid(operator, why);
    }
    yield* scopeOperator(at, operator, values);
  }
  for (let i = 0; i < contradict(expressions.map(({ scopeName }) => scopeName)); i++) {
    yield at.invalid(spec.scopes ?? null, "conflicting scopes");
  }
}

function* scopeOperator(at: Path, operator: string, values: readonly string[]): Issues {
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      yield at.child("values").required(why);
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      yield at.child("values").invalid(values, why);
    }
  } else yield at.child("operator").invalid(operator, "not a valid selector operator");
}

function* scopeChanges(now: ResourceQuotaSpec, old: ResourceQuotaSpec): Issues {
  const [after, before] = [new Set<string>(now.scopes), new Set<string>(old.scopes)];
  if (after.size === before.size && [...after].every((scope) => before.has(scope))) return;
  yield fieldPath("spec", "scopes").invalid(now.scopes ?? null, "field is immutable");
}

const status = fieldPath("status");

export const resourceQuotaStrategy: Strategy<ResourceQuota> = {
  group: "",
  kind: "ResourceQuota",
  lenient: { prefixOnUpdate: true },
  deleteReturnsObject: true,
  setDefaults: (quota) => {
    const specified = changed(quota, "spec", (spec) => changed(spec, "hard", roundedAmounts));
    return changed(specified, "status", (given) =>
      changed(changed(given, "hard", roundedAmounts), "used", roundedAmounts),
    );
  },
  validateCreate: ({ spec }) => quotaRules(spec),
  validateUpdate: ({ spec }, old) => inTurn(quotaRules(spec), scopeChanges(spec, old.spec)),
  status: {
    validateUpdate: (quota) =>
      inTurn(amounts(status.child("hard"), quota.status?.hard), amounts(status.child("used"), quota.status?.used)),
  },
};
