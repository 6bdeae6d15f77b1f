/** Rules for environment variables and ports of a container. */
import {
  type ContainerPort,
  type EnvFromSource,
  type EnvVar,
  type EnvVarSource,
  type FieldError,
  isConfigMapKey,
  isDns1123Subdomain,
  isPortName,
  isRelaxedEnvVarName,
  type ObjectFieldSelector,
  parseQuantity,
  type ResourceFieldSelector,
} from "../../../../../api/index.js";
import {
  dns1123Label,
  dns1123Subdomain,
  formed,
  type Issues,
  noBacksteps,
  oneOf,
  type Path,
  portNumber,
  qualifiedName,
  required,
  type ValueRule,
} from "../../rules/issues.js";
import { repeats } from "../../../../../base/members.js";

const variableName: ValueRule = (at, name) => formed(at, name, isRelaxedEnvVarName(name));

export const portProtocols: readonly string[] = ["SCTP", "TCP", "UDP"];

export function* containerPorts(at: Path, ports: readonly ContainerPort[] = []): Issues {
  const isRepeat = repeats();
  for (const [here, port] of at.items(ports)) {
    if (port.name) {
      const complaints = isPortName(port.name);
      if (complaints.length > 0) yield* formed(here.child("name"), port.name, complaints);
      else if (isRepeat(port.name)) yield here.child("name").duplicate(port.name);
    }
    yield* required(here.child("containerPort"), port.containerPort || undefined, portNumber);
    if (port.hostPort) yield* portNumber(here.child("hostPort"), port.hostPort);
    yield* oneOf(here.child("protocol"), port.protocol, portProtocols);
  }
}

export function* environment(at: Path, variables: readonly EnvVar[] = []): Issues {
  for (const [here, variable] of at.items(variables)) {
    yield* required(here.child("name"), variable.name, variableName);
    if (variable.valueFrom !== undefined) {
      yield* valueSource(here.child("valueFrom"), variable.valueFrom, variable.value ?? "");
    }
  }
}

const environmentFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

function* valueSource(at: Path, source: EnvVarSource, value: string): Issues {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef !== undefined) yield* objectField(at.child("fieldRef"), fieldRef, environmentFields);
  if (resourceFieldRef !== undefined) yield* resourceField(at.child("resourceFieldRef"), resourceFieldRef, false);
  if (configMapKeyRef !== undefined) yield* keyOfObject(at.child("configMapKeyRef"), configMapKeyRef);
  if (secretKeyRef !== undefined) yield* keyOfObject(at.child("secretKeyRef"), secretKeyRef);
  if (fileKeyRef !== undefined) {
    const here = at.child("fileKeyRef");
    yield* required(here.child("key"), fileKeyRef.key, variableName);
    yield* required(here.child("volumeName"), fileKeyRef.volumeName, dns1123Label);
    yield* required(here.child("path"), fileKeyRef.path, noBacksteps);
  }
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
    (one) => one !== undefined,
  ).length;
  if (sources === 0) {
    const choices = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    yield at.invalid("", `must specify one of: ${choices}`);
  } else if (value !== "") yield at.invalid("", "may not be specified when `value` is not empty");
  else if (sources > 1) yield at.invalid("", "may not have more than one field specified at a time");
}

const downwardFields = new Set([
  "metadata.annotations",
  "metadata.labels",
  ...environmentFields,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);

/** `a['b']` is `b` of `a`. */
function subscripted(path: string): { readonly base?: string; readonly subscript?: string } {
  const open = path.indexOf("['", 1);
  if (open === -1 || !path.endsWith("']") || path.length < open + 4) return {};
  return { base: path.slice(0, open), subscript: path.slice(open + 2, -2) };
}

/** A field of the pod, written as a path that may end in a subscript: `metadata.labels['app']`. */
export function* objectField(at: Path, selector: ObjectFieldSelector, allowed: readonly string[]): Issues {
  const { apiVersion = "", fieldPath } = selector;
  if (apiVersion === "") {
    yield at.child("apiVersion").required();
    return;
  }
  if (fieldPath === "") {
    yield at.child("fieldPath").required();
    return;
  }
  const { base, subscript } = subscripted(fieldPath);
  const wrong = (why: string): FieldError =>
    at.child("fieldPath").invalid(fieldPath, `error converting fieldPath: ${why}`);
  if (apiVersion !== "v1") yield wrong(`unsupported pod version: ${apiVersion}`);
  else if (base !== undefined && subscript !== undefined) {
    if (base === "metadata.annotations") yield* qualifiedName(at, subscript.toLowerCase());
    else if (base === "metadata.labels") yield* qualifiedName(at, subscript);
    else yield wrong(`field label does not support subscript: ${fieldPath}`);
  } else {
    const path = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
    if (!downwardFields.has(path)) yield wrong(`field label not supported: ${fieldPath}`);
    else if (!allowed.includes(path)) yield at.child("fieldPath").notSupported(path, [...allowed].sort());
  }
}

const resourceFields = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

export function* resourceField(at: Path, selector: ResourceFieldSelector, inVolume: boolean): Issues {
  const { containerName = "", resource, divisor = "0" } = selector;
  const hugePages = /^(?:requests|limits)\.hugepages-/.test(resource);
  if (inVolume && containerName === "") yield at.child("containerName").required();
  else if (resource === "") yield at.child("resource").required();
  else if (!resourceFields.includes(resource) && !hugePages) {
    yield at.child("resource").notSupported(resource, resourceFields);
  }
  if (parseQuantity(divisor).isZero) return;
  const allBytes =
    "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the";
  const bytes: Readonly<Record<string, string>> = {
    memory: "memory",
    "ephemeral-storage": "local ephemeral storage",
  };
  const name = resource.slice(resource.indexOf(".") + 1);
  if (name === "cpu" && divisor !== "1m" && divisor !== "1") {
    yield at.child("divisor").invalid(resource, "only divisor's values 1m and 1 are supported with the cpu resource");
  } else if (!byteDivisors.includes(divisor) && (hugePages || bytes[name] !== undefined)) {
    yield at.child("divisor").invalid(resource, `${allBytes} ${hugePages ? "hugepages" : bytes[name]} resource`);
  }
}

function* keyOfObject(at: Path, { name = "", key = "" }: { readonly name?: string; readonly key?: string }): Issues {
  yield* dns1123Subdomain(at.child("name"), name);
  yield* required(at.child("key"), key, (here, one) => formed(here, one, isConfigMapKey(one)));
}

export function* environmentFrom(at: Path, sources: readonly EnvFromSource[] = []): Issues {
  for (const [here, { prefix = "", configMapRef, secretRef }] of at.items(sources)) {
    if (prefix !== "") yield* variableName(here.child("prefix"), prefix);
    if (configMapRef !== undefined) yield* objectReference(here.child("configMapRef"), configMapRef);
    if (secretRef !== undefined) yield* objectReference(here.child("secretRef"), secretRef);
    if (configMapRef === undefined && secretRef === undefined) {
      yield at.invalid("", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      yield at.invalid("", "may not have more than one field specified at a time");
    }
  }
}

/** Such a name may end in a dash, like a generateName. */
function* objectReference(at: Path, { name = "" }: { readonly name?: string }): Issues {
  const rule: ValueRule = (here, given) => formed(here, given, isDns1123Subdomain(given.replace(/.-$/, "a")));
  yield* required(at.child("name"), name, rule);
}
