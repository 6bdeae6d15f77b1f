/**
 * Plug-ins that look at other objects to complete a new pod: its service account, its priority, its tolerations of
 * failing nodes.
 */
import { defined } from "../../base/defined.js";
import { lookup } from "../../base/members.js";
import {
  newForbidden,
  type Pod,
  type PodSpec,
  type PriorityClass,
  type ServiceAccount,
  type Toleration,
} from "../../api/index.js";
import type { Random } from "../../base/index.js";
import { generateName } from "../registry/write/object-meta.js";
import { objectsIn, type Store } from "../storage/contract.js";
import type { AdmissionPlugin, AdmissionRequest } from "../contracts/admission.js";
import { isMirrorPod } from "../../api/pods/mirror.js";

const pods = { group: "", resource: "pods" };

function isPod({ resource, subresource }: AdmissionRequest): boolean {
  return resource.group === "" && resource.resource === "pods" && subresource === "";
}

/** The name for messages: `generateName` while the name is a generated one. */
export function nameBefore({ generateName = "" }: Pod["metadata"], name: string): string {
  const isGenerated = generateName !== "" && /^[a-z0-9]{5}$/.test(name.slice(generateName.length));
  return isGenerated && name.startsWith(generateName) ? generateName : name;
}

/** A plug-in that changes the specs of pods on the given operations; `check` judges them in the end. */
export function onPods(
  name: string,
  operations: readonly AdmissionRequest["operation"][],
  change: (spec: PodSpec, pod: Pod, request: AdmissionRequest) => PodSpec,
  check?: (spec: PodSpec, request: AdmissionRequest) => void,
): AdmissionPlugin {
  const concerns = (request: AdmissionRequest): boolean => isPod(request) && operations.includes(request.operation);
  return {
    name,
    validate(request) {
      const { spec } = (request.object ?? {}) as Pod;
      if (concerns(request) && spec !== undefined) check?.(spec, request);
    },
    mutate(request) {
      if (!concerns(request)) return request.object;
      const pod = request.object as Pod;
      const spec = pod.spec ?? ({ containers: [] } as PodSpec);
      const changed = change(spec, pod, request);
      return changed === spec ? pod : { ...pod, spec: changed };
    },
  };
}

const tokenVolume = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

const nameOfAccount = ({ serviceAccountName }: PodSpec): string => serviceAccountName || "default";

/**
 * ServiceAccount: a pod without an account gets `default`, and the token of its account unless the pod or the account
 * declines it. The volume of the token has one name for all pods of a server, drawn once: it is local to a pod, and
 * pods of one template stay alike.
 */
export function serviceAccounts(store: Store, random: Random): AdmissionPlugin {
  let volume: string | undefined;
  const withAccount = (given: PodSpec, account: ServiceAccount | undefined): PodSpec => {
    const name = nameOfAccount(given);
    const spec = { ...given, serviceAccountName: name, serviceAccount: name };
    if (account === undefined) return spec;
    const withSecrets = (spec.imagePullSecrets ?? []).length > 0 ? spec : withPullSecrets(spec, account);
    const mounts = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
    volume ??= generateName(tokenVolume, random);
    return mounts ? withToken(withSecrets, volume) : withSecrets;
  };
  return onPods("ServiceAccount", ["CREATE"], (given, pod, { namespace, name }) => {
    // the kubelet chooses the account of a mirror pod
    if (isMirrorPod(pod)) return given;
    const accountName = nameOfAccount(given);
    const account = store.get("serviceaccounts", `${namespace}/${accountName}`)?.object as ServiceAccount | undefined;
    // the controller that creates default accounts may lag behind, or not run at all
    if (account === undefined && accountName !== "default") {
      const why = `error looking up service account ${namespace}/${accountName}: serviceaccount ${JSON.stringify(accountName)} not found`;
      throw newForbidden(pods, nameBefore(pod.metadata, name), why);
    }
    return withAccount(given, account);
  });
}

function withPullSecrets(spec: PodSpec, { imagePullSecrets = [] }: ServiceAccount): PodSpec {
  return imagePullSecrets.length === 0 ? spec : { ...spec, imagePullSecrets };
}

function withToken(spec: PodSpec, newName: string): PodSpec {
  const own = spec.volumes?.find(({ name }) => name.startsWith(tokenVolume));
  const name = own?.name ?? newName;
  let used = false;
  const mounted = <T extends { readonly volumeMounts?: PodSpec["containers"][number]["volumeMounts"] }>(
    container: T,
  ): T => {
    if (container.volumeMounts?.some((mount) => mount.mountPath === mountPath)) return container;
    used = true;
    return { ...container, volumeMounts: [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }] };
  };
  const containers = spec.containers.map(mounted);
  const initContainers = spec.initContainers?.map(mounted);
  if (!used) return spec;
  const volume = {
    name,
    projected: {
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
    },
  };
  return {
    ...spec,
    containers,
    ...defined({ initContainers }),
    ...(own === undefined ? { volumes: [...(spec.volumes ?? []), volume] } : {}),
  };
}

const systemPriorities: Readonly<Record<string, number>> = lookup({
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
});
const classes = "scheduling.k8s.io/priorityclasses";

/** Priority: fills in the value of the pod's priority class; without a class name that of the global default, or zero. */
export function priorities(store: Store): AdmissionPlugin {
  const globalDefault = (): PriorityClass | undefined => {
    let lowest: PriorityClass | undefined;
    for (const one of objectsIn<PriorityClass>(store, classes)) {
      if (one.globalDefault && (lowest === undefined || (one.value ?? 0) < (lowest.value ?? 0))) lowest = one;
    }
    return lowest;
  };
  return onPods("Priority", ["CREATE", "UPDATE"], (spec, pod, { name, old }) => {
    const { priorityClassName = "" } = spec;
    if (old !== undefined) return withOldPriority(spec, (old as Pod).spec);
    const chosen =
      priorityClassName === ""
        ? globalDefault()
        : (store.get(classes, priorityClassName)?.object as PriorityClass | undefined);
    const system = systemPriorities[priorityClassName];
    if (priorityClassName !== "" && chosen === undefined && system === undefined) {
      const why = `no PriorityClass with name ${priorityClassName} was found`;
      throw newForbidden(pods, nameBefore(pod.metadata, name), why);
    }
    const priority = priorityOf(spec, chosen);
    if (spec.priority !== undefined && spec.priority !== priority) {
      const why = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`;
      throw newForbidden(pods, nameBefore(pod.metadata, name), why);
    }
    const preemption = preemptionOf(chosen);
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemption) {
      const why = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemption} from the given PriorityClass name`;
      throw newForbidden(pods, nameBefore(pod.metadata, name), why);
    }
    return withPriority(spec, chosen);
  });
}

function withPriority(spec: PodSpec, chosen: PriorityClass | undefined): PodSpec {
  const className = spec.priorityClassName || chosen?.metadata.name;
  return {
    ...spec,
    ...defined({ priorityClassName: className }),
    priority: priorityOf(spec, chosen),
    preemptionPolicy: preemptionOf(chosen),
  };
}

const preemptionOf = (chosen: PriorityClass | undefined): "Never" | "PreemptLowerPriority" =>
  chosen?.preemptionPolicy ?? "PreemptLowerPriority";

const priorityOf = ({ priorityClassName = "" }: PodSpec, chosen: PriorityClass | undefined): number =>
  chosen?.value ?? systemPriorities[priorityClassName] ?? 0;

/** A pod keeps the priority with which it was created, even if an update leaves it out. */
function withOldPriority(spec: PodSpec, old: PodSpec | undefined): PodSpec {
  const { priority, preemptionPolicy } = old ?? {};
  return {
    ...spec,
    ...(spec.priority === undefined && priority !== undefined ? { priority } : {}),
    ...(spec.preemptionPolicy === undefined && preemptionPolicy !== undefined ? { preemptionPolicy } : {}),
  };
}

const failingNodes = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** DefaultTolerationSeconds: five minutes on a failing node, unless the pod has a toleration of its own. */
export const defaultTolerations: AdmissionPlugin = onPods("DefaultTolerationSeconds", ["CREATE", "UPDATE"], (spec) => {
  const given = spec.tolerations ?? [];
  const speaksOf = (key: string): boolean =>
    given.some((one) => (one.key === key || !one.key) && (one.effect === "NoExecute" || !one.effect));
  const added: Toleration[] = failingNodes
    .filter((key) => !speaksOf(key))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
  return added.length === 0 ? spec : { ...spec, tolerations: [...given, ...added] };
});
