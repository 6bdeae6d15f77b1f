/** The environment of a simulated container, as far as it is known from the pod and the objects that it refers to. */
import { lookup, own } from "../../base/members.js";
import {
  type ConfigMap,
  type Container,
  type EnvVar,
  parseQuantity,
  type Pod,
  type Secret,
  type Service,
} from "../../api/index.js";
import { serviceVariables } from "./service-variables.js";

/** The objects outside the pod that its containers see parts of. */
export interface Sources {
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
  /** The services that the pod's containers find by variables. */
  services(): readonly Service[];
  /** The allocatable resources of the pod's node. */
  allocatable(): Readonly<Record<string, string | number>>;
}

export type ContainerEnvironment = ReadonlyMap<string, string>;

/** Services first, then the order of the spec. A variable with an unknown value is left out. */
export function environmentOf(pod: Pod, container: Container, sources?: Sources): ContainerEnvironment {
  const known = new Map(serviceVariables(sources?.services() ?? []));
  for (const [name, value] of variablesFrom(container, sources)) known.set(name, value);
  for (const variable of container.env ?? []) {
    const value = valueOf(variable, { pod, container, sources });
    if (value !== undefined) known.set(variable.name, dereference(value, known));
  }
  return known;
}

/** The variables that stand in whole config maps and secrets. */
function* variablesFrom({ envFrom = [] }: Container, sources?: Sources): Iterable<readonly [string, string]> {
  for (const { prefix = "", configMapRef, secretRef } of envFrom) {
    const { data = {} } = sources?.configMap(configMapRef?.name ?? "") ?? {};
    for (const [key, value] of Object.entries(data)) yield [prefix + key, value];
    const hidden = sources?.secret(secretRef?.name ?? "")?.data ?? {};
    for (const [key, value] of Object.entries(hidden)) yield [prefix + key, plain(value)];
  }
}

const plain = (base64: string): string => Buffer.from(base64, "base64").toString();

/** Expands `$(NAME)` and `$$` as the kubelet does; an unknown name stays. */
export const dereference = (text: string, environment: ContainerEnvironment): string =>
  text.replaceAll(/\$\$|\$\((?<name>[A-Za-z_][\w.-]*)\)/g, (all, name: string | undefined) =>
    name === undefined ? "$" : (environment.get(name) ?? all),
  );

interface Asking {
  readonly pod: Pod;
  readonly container: Container;
  readonly sources: Sources | undefined;
}

/** The value of one variable; undefined if it is not known. */
export function valueOf({ value, valueFrom }: EnvVar, { pod, container, sources }: Asking): string | undefined {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = valueFrom ?? {};
  if (valueFrom === undefined) return value ?? "";
  if (configMapKeyRef !== undefined)
    return own(sources?.configMap(configMapKeyRef.name ?? "")?.data, configMapKeyRef.key);
  if (secretKeyRef !== undefined) {
    const hidden = own(sources?.secret(secretKeyRef.name ?? "")?.data, secretKeyRef.key);
    return hidden === undefined ? undefined : plain(hidden);
  }
  if (fieldRef !== undefined) return fieldOf(pod, fieldRef.fieldPath);
  if (resourceFieldRef === undefined) return undefined;
  const { resource, divisor = "1", containerName = container.name } = resourceFieldRef;
  const about = pod.spec?.containers.find(({ name }) => name === containerName) ?? container;
  return amountOf(about, { resource, divisor: String(divisor), sources });
}

const fields: Readonly<Record<string, (pod: Pod) => string | undefined>> = lookup({
  "metadata.name": ({ metadata }) => metadata.name,
  "metadata.namespace": ({ metadata }) => metadata.namespace,
  "metadata.uid": ({ metadata }) => metadata.uid,
  "spec.nodeName": ({ spec }) => spec?.nodeName,
  "spec.serviceAccountName": ({ spec }) => spec?.serviceAccountName,
  "status.hostIP": ({ status }) => status?.hostIP,
  "status.podIP": ({ status }) => status?.podIP,
  "status.hostIPs": ({ status }) => status?.hostIPs?.map(({ ip }) => ip).join(","),
  "status.podIPs": ({ status }) => status?.podIPs?.map(({ ip }) => ip).join(","),
});

function fieldOf(pod: Pod, path: string): string | undefined {
  const found = /^metadata\.(?<map>annotations|labels)\['(?<key>.+)'\]$/.exec(path);
  const { map, key = "" } = found?.groups ?? {};
  if (map === "annotations" || map === "labels") return own(pod.metadata[map], key) ?? "";
  return own(fields, path)?.(pod);
}

interface Amount {
  readonly resource: string;
  readonly divisor: string;
  readonly sources: Sources | undefined;
}

/** A resource field, rounded up. A missing limit is the node's allocatable amount. */
function amountOf({ resources }: Container, { resource, divisor, sources }: Amount): string | undefined {
  const [list = "", name = ""] = resource.split(/\.(.*)/s);
  if (list !== "limits" && list !== "requests") return undefined;
  const none = list === "requests" ? "0" : own(sources?.allocatable(), name);
  const amount = own(resources?.[list], name) ?? none;
  if (amount === undefined) return undefined;
  const unit = parseQuantity(divisor === "0" ? "1" : divisor).milliValue();
  return String((parseQuantity(String(amount)).milliValue() + unit - 1n) / unit);
}
