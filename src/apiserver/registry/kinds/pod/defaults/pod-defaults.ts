/** Defaults of pods and of pod templates. */
import {
  type Container,
  parseQuantity,
  type Pod,
  type PodSpec,
  type PodStatus,
  type PodTemplateSpec,
  type ResourceRequirements,
} from "../../../../../api/index.js";
import { own } from "../../../../../base/members.js";
import { changed, each, filled, having, roundedAmounts, roundedRequirements } from "../../rules/fill.js";
import { isHugePages, isOvercommitAllowed } from "../../rules/resources.js";
import { containerAmounts, isPodLevelResource } from "../validation/pod-resources.js";
import { containerStatusDefaults } from "../container-statuses.js";
import { containerDefaults } from "./container-defaults.js";
import { volumeDefaults } from "./volume-defaults.js";

/** Defaults that also apply to templates. */
function podSpecDefaults(given: PodSpec): PodSpec {
  // the feature gate of pod groups is off
  const spec = having(given, "schedulingGroup", undefined);
  let result = filled(spec, {
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: "default-scheduler",
  });
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  result = having(having(result, "serviceAccountName", account), "serviceAccount", account);
  result = changed(result, "volumes", (volumes) => each(volumes, volumeDefaults));
  result = changed(result, "initContainers", (containers) => each(containers, containerDefaults));
  result = changed(result, "containers", (containers) => each(containers, containerDefaults));
  result = changed(result, "ephemeralContainers", (containers) => each(containers, containerDefaults as never));
  result = changed(result, "overhead", roundedAmounts);
  return changed(result, "resources", roundedRequirements);
}

export function templateDefaults<T extends PodTemplateSpec>(template: T): T {
  return changed(template, "spec", podSpecDefaults as never);
}

/** Missing requests default to the limits. */
function requestsFromLimits(container: Container): Container {
  const { limits, requests } = container.resources ?? {};
  if (limits === undefined) return container;
  const missing = Object.entries(limits).filter(([name]) => own(requests, name) === undefined);
  if (missing.length === 0) return container;
  return {
    ...container,
    resources: { ...container.resources, requests: { ...requests, ...Object.fromEntries(missing) } },
  };
}

function hostPortsOf(container: Container): Container {
  return changed(container, "ports", (ports) =>
    each(ports, (port) => (port.hostPort ? port : { ...port, hostPort: port.containerPort })),
  );
}

type Amounts = Readonly<Record<string, string>>;

function podLevelLimits(spec: PodSpec, resources: ResourceRequirements): Amounts | undefined {
  const { limits, requests } = resources;
  if (Object.keys({ ...limits, ...requests }).length === 0) return limits;
  const missing = [...containerAmounts(spec, "limits")].filter(
    ([name]) => isHugePages(name) && own(requests, name) === undefined && own(limits, name) === undefined,
  );
  return missing.length === 0
    ? limits
    : { ...limits, ...Object.fromEntries(missing.map(([name, amount]) => [name, String(amount)])) };
}

function podLevelRequests(spec: PodSpec, { limits, requests }: ResourceRequirements): Amounts | undefined {
  if (limits === undefined || Object.keys(limits).length === 0) return requests;
  const result: Record<string, string> = { ...requests };
  for (const [name, amount] of containerAmounts(spec, "requests")) {
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) result[name] ??= String(amount);
  }
  for (const [name, limit] of Object.entries(limits)) if (isPodLevelResource(name)) result[name] ??= limit;
  return Object.keys(result).length === 0 ? requests : result;
}

function podResourcesDefaults(spec: PodSpec): PodSpec {
  return changed(spec, "resources", (resources) => {
    const limits = podLevelLimits(spec, resources);
    const limited = having(resources, "limits", limits);
    return having(limited, "requests", podLevelRequests(spec, limited));
  });
}

/** `podIP` is the first of `podIPs`; where they differ, `podIP` wins. */
function withAddress(status: PodStatus): PodStatus {
  const { podIP, podIPs = [] } = status;
  const first = podIPs[0]?.ip;
  if (podIP) return podIP === first ? status : { ...status, podIPs: [{ ip: podIP }] };
  return first ? { ...status, podIP: first } : status;
}

/** The defaults outside the spec. */
export const podStatusDefaults = <T extends Pod>(pod: T): T =>
  changed(pod as Pod, "status", (status) => containerStatusDefaults(withAddress(status))) as T;

export function podDefaults<T extends Pod>(pod: T): T {
  return changed(podStatusDefaults(pod) as Pod, "spec", specDefaults) as T;
}

function specDefaults(spec: PodSpec): PodSpec {
  let result = changed(spec, "containers", (containers) => each(containers, requestsFromLimits));
  result = changed(result, "initContainers", (containers) => each(containers, requestsFromLimits));
  result = filled(podResourcesDefaults(result), { enableServiceLinks: true });
  if (result.hostNetwork === true) {
    result = changed(result, "containers", (containers) => each(containers, hostPortsOf));
    result = changed(result, "initContainers", (containers) => each(containers, hostPortsOf));
  }
  const grace = result.terminationGracePeriodSeconds ?? 0;
  return podSpecDefaults(grace < 0 ? { ...result, terminationGracePeriodSeconds: 1 } : result);
}

const qosResources = ["cpu", "memory"] as const;

/** Guaranteed: all limits are set and equal the requests. BestEffort: no requests or limits. Otherwise Burstable. */
export function qosClassOf(spec: PodSpec): "Guaranteed" | "Burstable" | "BestEffort" {
  const requirements: readonly (ResourceRequirements | undefined)[] =
    spec.resources === undefined
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources)
      : [spec.resources];
  if (requirements.every((one) => one?.requests === undefined && one?.limits === undefined)) return "BestEffort";
  const total = (list: "requests" | "limits", name: string): ReturnType<typeof parseQuantity> =>
    requirements
      .map((one) => parseQuantity(one?.[list]?.[name] ?? "0"))
      .filter((amount) => amount.sign > 0)
      .reduce((sum, amount) => sum.add(amount), parseQuantity("0"));
  const sums = qosResources.map((name) => ({ requests: total("requests", name), limits: total("limits", name) }));
  if (sums.every(({ requests, limits }) => requests.isZero && limits.isZero)) return "BestEffort";
  const limited = requirements.every((one) =>
    qosResources.every((name) => parseQuantity(one?.limits?.[name] ?? "0").sign > 0),
  );
  return limited && sums.every(({ requests, limits }) => requests.equals(limits)) ? "Guaranteed" : "Burstable";
}
