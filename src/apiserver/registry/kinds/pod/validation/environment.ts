/** Rules for environment variables and ports of a container. */
import {
  type ContainerPort,
  type EnvFromSource,
  type EnvVar,
  type EnvVarSource,
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
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
  formed,
  type Issues,
  noBacksteps,
  oneOf,
  type Path,
  portNumber,
  qualifiedName,
} from "../../rules/issues.js";

export const portProtocols: readonly string[] = ["SCTP", "TCP", "UDP"];

export function* containerPorts(at: Path, ports: readonly ContainerPort[] = []): Issues {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const here = at.index(index);
    if (port.name) {
      const complaints = isPortName(port.name);
      if (complaints.length > 0) yield* formed(here.child("name"), port.name, complaints);
      else if (names.has(port.name)) yield fieldDuplicate(here.child("name"), port.name);
      else names.add(port.name);
    }
    if (!port.containerPort) yield fieldRequired(here.child("containerPort"));
    else yield* portNumber(here.child("containerPort"), port.containerPort);
    if (port.hostPort) yield* portNumber(here.child("hostPort"), port.hostPort);
    yield* oneOf(here.child("protocol"), port.protocol, portProtocols);
  }
}

export function* environment(at: Path, variables: readonly EnvVar[] = []): Issues {
  for (const [index, variable] of variables.entries()) {
    const here = at.index(index);
    if (!variable.name) yield fieldRequired(here.child("name"));
    else yield* formed(here.child("name"), variable.name, isRelaxedEnvVarName(variable.name));
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
    if (!fileKeyRef.key) yield fieldRequired(here.child("key"));
    else yield* formed(here.child("key"), fileKeyRef.key, isRelaxedEnvVarName(fileKeyRef.key));
    if (!fileKeyRef.volumeName) yield fieldRequired(here.child("volumeName"));
    else yield* dns1123Label(here.child("volumeName"), fileKeyRef.volumeName);
    if (!fileKeyRef.path) yield fieldRequired(here.child("path"));
    else yield* noBacksteps(here.child("path"), fileKeyRef.path);
  }
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
    (one) => one !== undefined,
  ).length;
  if (sources === 0) {
    const choices = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    yield fieldInvalid(at, "", `must specify one of: ${choices}`);
  } else if (value !== "") yield fieldInvalid(at, "", "may not be specified when `value` is not empty");
  else if (sources > 1) yield fieldInvalid(at, "", "may not have more than one field specified at a time");
}

const downwardFields = new Set([
  "metadata.annotations",
  "metadata.labels",
  ...environmentFields,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);

/** A field of the pod, written as a path that may end in a subscript: `metadata.labels['app']`. */
export function* objectField(at: Path, selector: ObjectFieldSelector, allowed: readonly string[]): Issues {
  const { apiVersion = "", fieldPath } = selector;
  if (apiVersion === "") {
    yield fieldRequired(at.child("apiVersion"));
    return;
  }
  if (fieldPath === "") {
    yield fieldRequired(at.child("fieldPath"));
    return;
  }
  const [, base, subscript] = /^(.+?)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  const wrong = (why: string): ReturnType<typeof fieldInvalid> =>
    fieldInvalid(at.child("fieldPath"), fieldPath, `error converting fieldPath: ${why}`);
  if (apiVersion !== "v1") yield wrong(`unsupported pod version: ${apiVersion}`);
  else if (base !== undefined && subscript !== undefined) {
    if (base === "metadata.annotations") yield* qualifiedName(at, subscript.toLowerCase());
    else if (base === "metadata.labels") yield* qualifiedName(at, subscript);
    else yield wrong(`field label does not support subscript: ${fieldPath}`);
  } else {
    const path = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
    if (!downwardFields.has(path)) yield wrong(`field label not supported: ${fieldPath}`);
    else if (!allowed.includes(path)) yield fieldNotSupported(at.child("fieldPath"), path, [...allowed].sort());
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
  if (inVolume && containerName === "") yield fieldRequired(at.child("containerName"));
  else if (resource === "") yield fieldRequired(at.child("resource"));
  else if (!resourceFields.includes(resource) && !hugePages) {
    yield fieldNotSupported(at.child("resource"), resource, resourceFields);
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
    yield fieldInvalid(
      at.child("divisor"),
      resource,
      "only divisor's values 1m and 1 are supported with the cpu resource",
    );
  } else if (!byteDivisors.includes(divisor) && (hugePages || bytes[name] !== undefined)) {
    yield fieldInvalid(at.child("divisor"), resource, `${allBytes} ${hugePages ? "hugepages" : bytes[name]} resource`);
  }
}

function* keyOfObject(at: Path, { name = "", key = "" }: { readonly name?: string; readonly key?: string }): Issues {
  yield* formed(at.child("name"), name, isDns1123Subdomain(name));
  if (key === "") yield fieldRequired(at.child("key"));
  else yield* formed(at.child("key"), key, isConfigMapKey(key));
}

export function* environmentFrom(at: Path, sources: readonly EnvFromSource[] = []): Issues {
  for (const [index, { prefix = "", configMapRef, secretRef }] of sources.entries()) {
    const here = at.index(index);
    if (prefix !== "") yield* formed(here.child("prefix"), prefix, isRelaxedEnvVarName(prefix));
    if (configMapRef !== undefined) yield* objectReference(here.child("configMapRef"), configMapRef);
    if (secretRef !== undefined) yield* objectReference(here.child("secretRef"), secretRef);
    if (configMapRef === undefined && secretRef === undefined) {
      yield fieldInvalid(at, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      yield fieldInvalid(at, "", "may not have more than one field specified at a time");
    }
  }
}

/** Such a name may end in a dash, like a generateName. */
function* objectReference(at: Path, { name = "" }: { readonly name?: string }): Issues {
  if (name === "") yield fieldRequired(at.child("name"));
  else yield* formed(at.child("name"), name, isDns1123Subdomain(name.replace(/.-$/, "a")));
}
