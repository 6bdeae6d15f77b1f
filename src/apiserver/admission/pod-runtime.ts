/**
 * Plug-ins that look at a pod's runtime and node: its runtime class, the topology of its node, and the room on the node
 * when the pod grows.
 */
import {
  deepEqual,
  newForbidden,
  type Node,
  type Pod,
  type PodSpec,
  parseQuantity,
  podAmounts,
  type RuntimeClass,
  StatusError,
} from "../../api/index.js";
import { own } from "../../base/members.js";
import type { Store } from "../storage/contract.js";
import type { AdmissionPlugin, AdmissionRequest } from "../contracts/admission.js";
import { mergedTolerations } from "./tolerations.js";
import { defined, unlessEmpty } from "../../base/defined.js";

const isPods = ({ resource }: AdmissionRequest): boolean => resource.group === "" && resource.resource === "pods";
const isNewPod = (request: AdmissionRequest): boolean =>
  isPods(request) && request.subresource === "" && request.operation === "CREATE";

/** RuntimeClass: a pod takes over the overhead and scheduling of its runtime class, and must not contradict them. */
export function runtimeClasses(store: Store): AdmissionPlugin {
  const classOf = (request: AdmissionRequest): RuntimeClass | undefined => {
    const name = (request.object as Pod).spec?.runtimeClassName;
    if (name === undefined) return undefined;
    const found = store.get("node.k8s.io/runtimeclasses", name)?.object as RuntimeClass | undefined;
    if (found === undefined) refuse(request, `pod rejected: RuntimeClass "${name}" not found`);
    return found;
  };
  return {
    name: "RuntimeClass",
    mutate(request) {
      if (!isNewPod(request)) return request.object;
      const pod = request.object as Pod;
      const runtime = classOf(request);
      if (runtime === undefined || pod.spec === undefined) return pod;
      return { ...pod, spec: withScheduling(request, withOverhead(request, pod.spec, runtime), runtime) };
    },
    validate(request) {
      if (!isNewPod(request)) return;
      const { spec } = request.object as Pod;
      const fixed = classOf(request)?.overhead;
      if (fixed === undefined && spec?.overhead !== undefined) {
        refuse(request, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
      }
    },
  };
}

function refuse({ resource, name }: AdmissionRequest, why: string): never {
  throw newForbidden(resource, name, why);
}

function withOverhead(request: AdmissionRequest, spec: PodSpec, { overhead }: RuntimeClass): PodSpec {
  if (overhead === undefined) return spec;
  const own = spec.overhead ?? {};
  if (Object.keys(own).length > 0 && !deepEqual(own, overhead.podFixed ?? {})) {
    refuse(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  return overhead.podFixed === undefined ? spec : { ...spec, overhead: overhead.podFixed };
}

function withScheduling(request: AdmissionRequest, spec: PodSpec, { scheduling }: RuntimeClass): PodSpec {
  if (scheduling === undefined) return spec;
  const { nodeSelector = {} } = spec;
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const wanted = own(nodeSelector, key);
    if (wanted === undefined || wanted === value) continue;
    const where = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${wanted}`;
    refuse(request, `conflict: ${where}`);
  }
  const selector = { ...nodeSelector, ...scheduling.nodeSelector };
  const tolerations = mergedTolerations([...(spec.tolerations ?? []), ...(scheduling.tolerations ?? [])]);
  return {
    ...spec,
    ...defined({ nodeSelector: unlessEmpty(selector), tolerations: unlessEmpty(tolerations) }),
  };
}

const topology = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/** The topology labels of a node, which its pods get too. */
export function topologyLabels(store: Store, nodeName: string): Readonly<Record<string, string>> {
  const labels = nodeName === "" ? {} : (store.get("nodes", nodeName)?.object.metadata.labels ?? {});
  return Object.fromEntries(Object.entries(labels).filter(([key]) => topology.includes(key)));
}

/**
 * PodTopologyLabels: a pod that is created with a node gets the node's topology labels; other pods get them when they
 * are bound.
 */
export function podTopology(store: Store): AdmissionPlugin {
  return {
    name: "PodTopologyLabels",
    mutate(request) {
      const { object } = request;
      if (!isNewPod(request)) return object;
      const added = topologyLabels(store, (object as Pod).spec?.nodeName ?? "");
      if (Object.keys(added).length === 0) return object;
      return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...added } } };
    },
  };
}

/** PodResizeValidator: a pod cannot grow beyond its node. */
export function podResize(store: Store): AdmissionPlugin {
  return {
    name: "PodResizeValidator",
    validate(request) {
      const { operation, subresource, object, old } = request;
      if (!isPods(request) || operation !== "UPDATE" || subresource !== "resize") return;
      const pod = object as Pod;
      const nodeName = pod.spec?.nodeName;
      if (!nodeName || old?.metadata.generation === pod.metadata.generation) return;
      const node = store.get("nodes", nodeName)?.object as Node | undefined;
      if (node === undefined) return refuse(request, `node "${nodeName}" not found`);
      const os = node.metadata.labels?.["kubernetes.io/os"] ?? "linux";
      if (os !== "linux") {
        const why = `pod resize is only supported on linux nodes, node "${nodeName}" is "${os}"`;
        refuseBecause(request, why, "UnsupportedPlatform");
      }
      const lacking = tooLarge(pod, node);
      if (lacking.length > 0) {
        const why = `node didn't have enough allocatable resources: ${lacking.join("; ")}`;
        refuseBecause(request, why, "NodeCapacity");
      }
    },
  };
}

function refuseBecause({ resource, name }: AdmissionRequest, why: string, reason: string): never {
  const { status } = newForbidden(resource, name, why);
  throw new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } } as typeof status);
}

function tooLarge(pod: Pod, { status }: Node): readonly string[] {
  const requests = podAmounts(pod, "requests", { overhead: true });
  return (["cpu", "memory"] as const).flatMap((name) => {
    const there = parseQuantity(status?.allocatable?.[name] ?? "0");
    const asked = requests.get(name);
    if (asked === undefined || asked.compare(there) <= 0) return [];
    const [request, room] = [asked, there].map((one) => (name === "cpu" ? one.milliValue() : one.value()));
    return [`${name}, requested: ${request}, allocatable: ${room}`];
  });
}
