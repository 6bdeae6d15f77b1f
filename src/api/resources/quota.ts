/**
 * Quota usage of objects, and the quotas that apply to them. Pure: admission charges an object by it before the object
 * is stored, and the controller counts existing objects by it.
 */
import type {
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
  Service,
} from "../generated/core-v1.js";
import type { ResourceClaim } from "../generated/resource-v1.js";
import type { KubeObject } from "../object.js";
import type { GroupResource } from "../resource-type.js";
import { parseQuantity, Quantity } from "../values/quantity.js";
import { type Amounts, addAmounts, amountsOf, type ResourceList } from "./amounts.js";
import { type QuotaDevices, deviceUsage, isDeviceQuota, isExtendedQuota } from "./device-quota.js";
import { podAmounts } from "./pod-amounts.js";

const one = Quantity.of(1);
const storageClassSuffix = ".storageclass.storage.k8s.io/";

/** `count/deployments.apps`, which counts objects of any kind. */
function quotaCountName({ group, resource }: GroupResource): string {
  return group === "" ? `count/${resource}` : `count/${resource}.${group}`;
}

/** Kinds with a quota name of their own from the time before `count/…` names existed. */
const bareNames = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

const computeNames = ["cpu", "memory", "ephemeral-storage"];
const podNames = new Set([
  "count/pods",
  "pods",
  ...computeNames,
  ...computeNames.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
const serviceNames = new Set(["count/services", "services", "services.nodeports", "services.loadbalancers"]);
const claimNames = ["persistentvolumeclaims", "requests.storage"];

const isCore = ({ group, resource }: GroupResource, name: string): boolean => group === "" && resource === name;

/** The names among these quota names that are about the given kind, sorted. */
export function quotaNamesFor(of: GroupResource, names: readonly string[], devices?: QuotaDevices): readonly string[] {
  return names.filter(nameFilter(of, devices)).toSorted();
}

function nameFilter(of: GroupResource, devices: QuotaDevices | undefined): (name: string) => boolean {
  if (isCore(of, "pods")) return (name) => podNames.has(name) || isHugePages(name) || isExtendedQuota(name);
  if (isDeviceClaim(of)) return (name) => isDeviceQuota(name, devices);
  if (isCore(of, "services")) return (name) => serviceNames.has(name);
  if (isCore(of, "persistentvolumeclaims")) {
    return (name) =>
      name === "count/persistentvolumeclaims" ||
      claimNames.some((own) => name === own || name.endsWith(`${storageClassSuffix}${own}`));
  }
  const own = quotaCountName(of);
  const bare = of.group === "" && bareNames.has(of.resource) ? of.resource : own;
  return (name) => name === own || name === bare;
}

const isHugePages = (name: string): boolean => name.startsWith("hugepages-") || name.startsWith("requests.hugepages-");
const isDeviceClaim = ({ group, resource }: GroupResource): boolean =>
  group === "resource.k8s.io" && resource === "resourceclaims";

export interface QuotaCircumstances {
  /** Tells whether a pod that is being deleted is overdue. */
  readonly now: number;
  /** Without it, claims of devices are not charged for the extended resources that their classes provide. */
  readonly devices?: QuotaDevices;
}

/** The amounts that one object uses. */
export function quotaUsage(of: GroupResource, object: KubeObject, { now, devices }: QuotaCircumstances): Amounts {
  if (isDeviceClaim(of)) {
    return deviceUsage(object as ResourceClaim, { around: devices, podUsage: (pod) => podUsage(pod, now) });
  }
  if (isCore(of, "pods")) return podUsage(object as Pod, now);
  if (isCore(of, "services")) return serviceUsage(object as Service);
  if (isCore(of, "persistentvolumeclaims")) return claimUsage(object as PersistentVolumeClaim);
  const own = new Map([[quotaCountName(of), one]]);
  return of.group === "" && bareNames.has(of.resource) ? own.set(of.resource, one) : own;
}

function podUsage(pod: Pod, now: number): Amounts {
  const counted: Amounts = new Map([["count/pods", one]]);
  if (!isCharged(pod, now)) return counted;
  const options = { overhead: true, granted: true };
  return addAmounts(counted, computeUsage(podAmounts(pod, "requests", options), podAmounts(pod, "limits", options)));
}

/** A finished or overdue pod is charged only as an object (`count/pods`). */
function isCharged({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

/** Requests and limits under the names that quotas use for them. */
export function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const result = new Map<string, Quantity>([["pods", one]]);
  for (const name of computeNames) {
    const request = requests.get(name);
    const limit = limits.get(name);
    if (request !== undefined) result.set(name, request).set(`requests.${name}`, request);
    if (limit !== undefined) result.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith("hugepages-")) result.set(name, request).set(`requests.${name}`, request);
    else if (isExtendedQuota(`requests.${name}`)) result.set(`requests.${name}`, request);
  }
  return result;
}

function serviceUsage({ spec }: Service): Amounts {
  const ports = spec?.ports ?? [];
  const balanced = spec?.type === "LoadBalancer";
  const sparing = balanced && spec.allocateLoadBalancerNodePorts === false;
  const numbered = sparing ? ports.filter(({ nodePort }) => nodePort) : ports;
  const exposed = spec?.type === "NodePort" || balanced ? numbered.length : 0;
  return new Map([
    ["count/services", one],
    ["services", one],
    ["services.loadbalancers", Quantity.of(balanced ? 1 : 0)],
    ["services.nodeports", Quantity.of(exposed)],
  ]);
}

function claimUsage({ metadata, spec, status }: PersistentVolumeClaim): Amounts {
  const result = new Map<string, Quantity>([
    ["persistentvolumeclaims", one],
    ["count/persistentvolumeclaims", one],
  ]);
  const className = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? (spec?.storageClassName || "");
  if (className !== "") result.set(`${className}${storageClassSuffix}persistentvolumeclaims`, one);
  const asked = spec?.resources?.requests?.["storage"];
  if (asked === undefined) return result;
  const given = status?.allocatedResources?.["storage"];
  const request = parseQuantity(asked).roundUp(0);
  const granted = given === undefined ? request : parseQuantity(given).roundUp(0);
  const size = granted.compare(request) > 0 ? granted : request;
  result.set("requests.storage", size);
  if (className !== "") result.set(`${className}${storageClassSuffix}requests.storage`, size);
  return result;
}

/** The scopes of a quota as requirements; a scope without an operator means `Exists`. */
export function quotaScopes({
  scopes = [],
  scopeSelector,
}: ResourceQuotaSpec): readonly ScopedResourceSelectorRequirement[] {
  return [
    ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" as const })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
}

/** Whether a quota with this spec and these hard limits charges the object. */
export function quotaMatches(
  of: GroupResource,
  object: KubeObject,
  {
    spec,
    hard,
    devices,
  }: { readonly spec: ResourceQuotaSpec; readonly hard: ResourceList } & Pick<QuotaCircumstances, "devices">,
): boolean {
  if (quotaNamesFor(of, Object.keys(hard), devices).length === 0) return false;
  return quotaScopes(spec).every((scope) => quotaScopeMatches(of, object, scope));
}

/** Whether the object is in a scope of a quota. */
export function quotaScopeMatches(
  of: GroupResource,
  object: KubeObject,
  scope: ScopedResourceSelectorRequirement,
): boolean {
  if (isCore(of, "pods")) return podInScope(object as Pod, scope);
  if (isCore(of, "persistentvolumeclaims") && scope.scopeName === "VolumeAttributesClass") {
    const { spec, status } = object as PersistentVolumeClaim;
    const names = [
      spec?.volumeAttributesClassName,
      status?.currentVolumeAttributesClassName,
      status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
    ].filter((name): name is string => Boolean(name));
    return names.length === 0 ? selects(scope, undefined) : names.some((name) => selects(scope, name));
  }
  return false;
}

function podInScope(pod: Pod, scope: ScopedResourceSelectorRequirement): boolean {
  const { activeDeadlineSeconds, priorityClassName, affinity } = pod.spec ?? { containers: [] };
  const ends = activeDeadlineSeconds !== undefined && activeDeadlineSeconds >= 0;
  switch (scope.scopeName) {
    case "Terminating":
      return ends;
    case "NotTerminating":
      return !ends;
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass":
      return selects(scope, priorityClassName || undefined);
    case "CrossNamespacePodAffinity": {
      const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one): readonly PodAffinityTerm[] => [
        ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
        ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
      ]);
      return terms.some(({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector);
    }
    default:
      return false;
  }
}

function selects({ operator, values = [] }: ScopedResourceSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "In":
      return value !== undefined && values.includes(value);
    default:
      return value === undefined || !values.includes(value);
  }
}

/** True if no container sets a request or limit for cpu or memory. */
function isBestEffort({ spec }: Pod): boolean {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return [spec?.resources, ...containers.map(({ resources }) => resources)].every((resources) =>
    [resources?.requests, resources?.limits].every((list) =>
      [...amountsOf(list)].every(([name, amount]) => (name !== "cpu" && name !== "memory") || amount.sign <= 0),
    ),
  );
}
