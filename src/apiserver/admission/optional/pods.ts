/** Plug-ins about pods that are off by default: images, spreading, nodes and tolerations that a namespace prescribes. */
import {
  deepEqual,
  type Namespace,
  newForbidden,
  newFailure,
  newNotFound,
  type Pod,
  type PodSpec,
  type StatusError,
  type Toleration,
} from "../../../api/index.js";
import { allContainers } from "../../../api/pods/containers.js";
import { messageOf } from "../../../base/index.js";
import { isRecord, own } from "../../../base/members.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import { qosClassOf } from "../../registry/kinds/pod/defaults/pod-defaults.js";
import { isExtendedResource } from "../../registry/kinds/rules/resources.js";
import type { Store } from "../../storage/contract.js";
import { nameBefore, onPods } from "../pods.js";
import { coverage, mergedTolerations } from "../tolerations.js";
import { defined } from "../../../base/defined.js";

const pods = { group: "", resource: "pods" };

type AnyContainer = { readonly image?: string; readonly imagePullPolicy?: string };

function hasNewImage({ operation, object, old }: AdmissionRequest): boolean {
  if (operation !== "UPDATE") return true;
  const imagesOf = (pod: Pod): readonly string[] => allContainers(pod.spec).map(({ image = "" }) => image);
  const known = new Set(imagesOf(old as Pod));
  return imagesOf(object as Pod).some((image) => !known.has(image));
}

const always = <T extends AnyContainer>(containers: readonly T[]): readonly T[] =>
  containers.map((one) => (one.imagePullPolicy === "Always" ? one : { ...one, imagePullPolicy: "Always" }));

/** AlwaysPullImages: every image is pulled each time, so that a private image serves only users who may pull it. */
export const alwaysPullImages: AdmissionPlugin = onPods(
  "AlwaysPullImages",
  ["CREATE", "UPDATE"],
  (spec, _pod, request) => {
    if (!hasNewImage(request)) return spec;
    const { initContainers, ephemeralContainers, volumes } = spec;
    const pulled = volumes?.map((one) =>
      one.image === undefined ? one : { ...one, image: { ...one.image, pullPolicy: "Always" as const } },
    );
    return {
      ...spec,
      containers: always(spec.containers),
      ...(initContainers && { initContainers: always(initContainers) }),
      ...(ephemeralContainers && { ephemeralContainers: always(ephemeralContainers) }),
      ...defined({ volumes: pulled }),
    };
  },
  (spec, request) => {
    if (!hasNewImage(request)) return;
    for (const part of ["initContainers", "containers", "ephemeralContainers"] as const) {
      for (const [i, { imagePullPolicy = "" }] of (spec[part] ?? []).entries()) {
        if (imagePullPolicy === "Always") continue;
        const what = `spec.${part}[${i}].imagePullPolicy: Unsupported value: ${JSON.stringify(imagePullPolicy)}`;
        const why = `${what}: supported values: "Always"`;
        throw newForbidden(pods, nameBefore((request.object as Pod).metadata, request.name), why);
      }
    }
  },
);

const hostname = "kubernetes.io/hostname";

/** LimitPodHardAntiAffinityTopology: pods may insist on being apart from others by node only. */
export const hardAntiAffinity: AdmissionPlugin = onPods(
  "LimitPodHardAntiAffinityTopology",
  ["CREATE", "UPDATE"],
  (spec) => spec,
  ({ affinity }, { name }) => {
    for (const { topologyKey } of affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
      if (topologyKey === hostname) continue;
      const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${topologyKey} but only key ${hostname} is allowed`;
      throw newForbidden(pods, name, why);
    }
  },
);

/** ExtendedResourceToleration: a pod that asks for an extended resource tolerates the taint of nodes that have it. */
export const extendedResourceToleration: AdmissionPlugin = onPods(
  "ExtendedResourceToleration",
  ["CREATE", "UPDATE"],
  (spec) => {
    const asked = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      Object.keys(resources?.requests ?? {}),
    );
    const names = [...new Set(asked.filter(isExtendedResource))].toSorted();
    if (names.length === 0) return spec;
    return { ...spec, tolerations: names.reduce(withToleration, spec.tolerations ?? []) };
  },
);

function withToleration(given: readonly Toleration[], key: string): readonly Toleration[] {
  const wanted: Toleration = { key, operator: "Exists", effect: "NoSchedule" };
  const isAlike = ({ key: of, operator, value = "", effect }: Toleration): boolean =>
    of === key && operator === "Exists" && value === "" && effect === "NoSchedule";
  if (given.some((one) => deepEqual(one, wanted))) return given;
  if (!given.some(isAlike)) return [...given, wanted];
  return given.map((one) => (isAlike(one) ? wanted : one));
}

function namespaceOf(store: Store, name: string): Namespace {
  const found = store.get("namespaces", name)?.object as Namespace | undefined;
  if (found === undefined) throw newNotFound({ group: "", resource: "namespaces" }, name);
  return found;
}

/** An error that upstream's plug-in gives without a status. */
const failed = (message: string): StatusError => newFailure({ message, code: 500 });

/** Selectors as `a=b,c=d` by namespace, whose pods may ask for no other labels, and one for `clusterDefaultNodeSelector`. */
export type NodeSelectors = ReadonlyMap<string, string>;

const nodeSelectorKey = "scheduler.alpha.kubernetes.io/node-selector";

/** PodNodeSelector: the pods of a namespace go to the nodes that its annotation, or the settings, select. */
export function podNodeSelector(store: Store, selectors: NodeSelectors): AdmissionPlugin {
  const selectorFor = (spec: PodSpec, request: AdmissionRequest): Readonly<Record<string, string>> => {
    const annotation = namespaceOf(store, request.namespace).metadata.annotations?.[nodeSelectorKey];
    const wanted = labelsIn(annotation ?? selectors.get("clusterDefaultNodeSelector") ?? "");
    for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) {
      if (Object.hasOwn(wanted, key) && wanted[key] !== value)
        throw newForbidden(
          pods,
          request.name,
          "pod node label selector conflicts with its namespace node label selector",
        );
    }
    return wanted;
  };
  const requirePermitted = ({ nodeSelector = {} }: PodSpec, { namespace, name }: AdmissionRequest): void => {
    const permitted = labelsIn(selectors.get(namespace) ?? "");
    if (Object.keys(permitted).length === 0) return;
    if (Object.entries(nodeSelector).every(([key, value]) => own(permitted, key) === value)) return;
    throw newForbidden(pods, name, "pod node label selector labels conflict with its namespace whitelist");
  };
  return onPods(
    "PodNodeSelector",
    ["CREATE"],
    (spec, _pod, request) => {
      const wanted = selectorFor(spec, request);
      const selected =
        Object.keys(wanted).length === 0 ? spec : { ...spec, nodeSelector: { ...wanted, ...spec.nodeSelector } };
      requirePermitted(selected, request);
      return selected;
    },
    (spec, request) => {
      selectorFor(spec, request);
      requirePermitted(spec, request);
    },
  );
}

/** Labels as `a=b,c=d`. */
function labelsIn(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const part of text === "" ? [] : text.split(",")) {
    const pair = part.split("=");
    if (pair.length !== 2) throw failed(`invalid selector: [${pair.join(" ")}]`);
    const [key = "", value = ""] = pair;
    found[key.trim()] = value.trim();
  }
  return found;
}

const defaultsKey = "scheduler.alpha.kubernetes.io/defaultTolerations";
const permittedKey = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
const memoryPressure: Toleration = {
  key: "node.kubernetes.io/memory-pressure",
  operator: "Exists",
  effect: "NoSchedule",
};

/** The tolerations of namespaces that say nothing themselves. */
export interface TolerationSettings {
  readonly defaults: readonly Toleration[];
  /** Empty: all are permitted. */
  readonly permitted: readonly Toleration[];
}

/** PodTolerationRestriction: pods get the tolerations of their namespace, and may have the ones that the namespace permits. */
export function podTolerationRestriction(store: Store, settings: TolerationSettings): AdmissionPlugin {
  /** Undefined if the namespace says nothing. */
  const inNamespace = ({ namespace }: AdmissionRequest, key: string): readonly Toleration[] | undefined => {
    const text = namespaceOf(store, namespace).metadata.annotations?.[key];
    return text === undefined ? undefined : tolerationsIn(text);
  };
  const check = (spec: PodSpec, request: AdmissionRequest): void => {
    const { tolerations = [] } = spec;
    if (tolerations.length === 0) return;
    const said = inNamespace(request, permittedKey);
    const permitted = said ?? settings.permitted;
    if (permitted.length === 0 || tolerations.every(coverage(permitted))) return;
    const scope = said === undefined ? "cluster" : "namespace";
    throw failed(
      `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`,
    );
  };
  return onPods(
    "PodTolerationRestriction",
    ["CREATE", "UPDATE"],
    (spec, _pod, request) => {
      const extra = [
        ...(request.operation === "CREATE" ? (inNamespace(request, defaultsKey) ?? settings.defaults) : []),
        ...(qosClassOf(spec) === "BestEffort" ? [] : [memoryPressure]),
      ];
      const { tolerations = [] } = spec;
      const merged =
        extra.length === 0 ? spec : { ...spec, tolerations: mergedTolerations([...tolerations, ...extra]) };
      check(merged, request);
      return merged;
    },
    check,
  );
}

function tolerationsIn(text: string): readonly Toleration[] {
  if (text === "") return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw failed(messageOf(error));
  }
  if (value === null) return [];
  if (Array.isArray(value) && value.every(isRecord)) return value as readonly Toleration[];
  throw failed("json: cannot unmarshal the annotation into Go value of type []v1.Toleration");
}
