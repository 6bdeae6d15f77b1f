/** Warnings about valid but unwise pods and templates. */
import { lookup, repeats } from "../../../../base/members.js";
import {
  type Container,
  type ContainerPort,
  type FieldPath,
  fieldPath,
  goQuote,
  isDns1123Label,
  isLabelValue,
  type NodeSelectorTerm,
  type ObjectMeta,
  parseQuantity,
  type PersistentVolumeClaimSpec,
  type PodAffinityTerm,
  type PodSpec,
  type PodTemplateSpec,
  semanticEqual,
} from "../../../../api/index.js";
import { appArmorContainer, appArmorOf, seccompContainer, seccompPod } from "../pod/profiles.js";
import { addressWarning } from "./address-warnings.js";
import { overlappingPaths } from "./overlapping-paths.js";

export type WarningTexts = Iterable<string>;

const labels: Readonly<Record<string, string>> = lookup({
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
});

/** The warning about a node label that has a newer name. */
export const oldNodeLabel = (label: string): string | undefined => labels[label];

const annotations: Readonly<Record<string, string>> = lookup({
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
});

/** Deprecated kinds of volumes; the second name is the printed one. */
export const oldVolumes: Readonly<Record<string, readonly [since: string, name?: string]>> = lookup({
  photonPersistentDisk: ["deprecated in v1.11, non-functional in v1.16+"],
  gitRepo: ["deprecated in v1.11, and disabled by default in v1.33+"],
  scaleIO: ["deprecated in v1.16, non-functional in v1.22+"],
  flocker: ["deprecated in v1.22, non-functional in v1.25+"],
  storageos: ["deprecated in v1.22, non-functional in v1.25+", "storageOS"],
  quobyte: ["deprecated in v1.22, non-functional in v1.25+"],
  glusterfs: ["deprecated in v1.25, non-functional in v1.26+"],
  cephfs: ["deprecated in v1.28, non-functional in v1.31+"],
  rbd: ["deprecated in v1.28, non-functional in v1.31+"],
});

/** Undefined for a pod, the path of the template otherwise. */
type Root = FieldPath | undefined;

/** The part of the metadata that is read. */
interface Annotated {
  readonly annotations?: ObjectMeta["annotations"] | undefined;
}

interface Subject {
  readonly spec: PodSpec;
  readonly meta: Annotated;
  readonly root: Root;
  readonly at: FieldPath;
}

export const nameWarning = (name: string, use: string): readonly string[] => {
  const complaints = isDns1123Label(name);
  if (complaints.length === 0) return [];
  const why = "which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: this is used in ${use}, ${why}: [${complaints.join(" ")}]`];
};

export function* templateWarnings(root: FieldPath, template: PodTemplateSpec | undefined): WarningTexts {
  if (template?.spec) yield* podWarnings(template.spec, template.metadata ?? {}, root);
}

function* podWarnings(spec: PodSpec, meta: Annotated, root?: FieldPath): WarningTexts {
  const at = root === undefined ? fieldPath("spec") : root.child("spec");
  const subject: Subject = { spec, meta, root, at };
  yield* placement(subject);
  yield* annotated(subject);
  yield* volumes(subject);
  yield* twice(at.child("hostAliases"), spec.hostAliases ?? [], "ip");
  yield* twice(at.child("imagePullSecrets"), spec.imagePullSecrets ?? [], "name");
  for (const [place, { name }] of at.child("imagePullSecrets").items(spec.imagePullSecrets)) {
    if (!name) yield `${place.child("name")}: invalid empty name ""`;
  }
  for (const resource of ["memory", "ephemeral-storage"]) {
    yield* wholeBytes(at.child("overhead"), spec.overhead, resource);
  }
  if (!spec.securityContext?.seccompProfile) yield* oldSeccomp(subject, seccompPod);
  const containers = containersOf(subject);
  for (const [container, here] of containers) yield* containerWarnings(subject, container, here);
  yield* ports(containers);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    yield `${at.child("terminationGracePeriodSeconds")}: must be >= 0; negative values are invalid and will be treated as 1`;
  }
  yield* affinities(subject);
  for (const [itemAt, server] of at.child("dnsConfig", "nameservers").items(spec.dnsConfig?.nameservers)) {
    yield* addressWarning(itemAt, server);
  }
  for (const [index, { ip }] of (spec.hostAliases ?? []).entries()) {
    yield* addressWarning(at.child("hostAliases").index(index).child("ip"), ip);
  }
}

export function warningsOfPod(spec: PodSpec, annotations: Annotated["annotations"]): WarningTexts {
  return podWarnings(spec, { annotations });
}

type Visited = readonly [container: Container, at: FieldPath];

function containersOf({ spec, at }: Subject): readonly Visited[] {
  return (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).map((one, index): Visited => [one as Container, at.child(list).index(index)]),
  );
}

function* placement({ spec, at }: Subject): WarningTexts {
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const old = oldNodeLabel(key);
    if (old !== undefined) yield `${at.child("nodeSelector").key(key)}: ${old}`;
  }
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const here = at.child("affinity", "nodeAffinity");
  for (const [path, term] of here
    .child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    .items(required)) {
    yield* nodeTermWarnings(path, term, false);
  }
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  for (const [place, { preference }] of here
    .child("preferredDuringSchedulingIgnoredDuringExecution")
    .items(preferred)) {
    const path = place.child("preference");
    yield* nodeTermWarnings(path, preference, true);
  }
  for (const [path, { topologyKey, labelSelector }] of at
    .child("topologySpreadConstraints")
    .items(spec.topologySpreadConstraints)) {
    const old = oldNodeLabel(topologyKey);
    if (old !== undefined) yield `${path.child("topologyKey")}: ${topologyKey} is ${old}`;
    if (!labelSelector) yield matchesNothing(path.child("labelSelector"));
  }
}

const matchesNothing = (at: FieldPath): string => `${at}: a null labelSelector results in matching no pod`;

export function* nodeTermWarnings(at: FieldPath, term: NodeSelectorTerm, values: boolean): WarningTexts {
  for (const [here, expression] of at.child("matchExpressions").items(term.matchExpressions)) {
    const old = oldNodeLabel(expression.key);
    if (old !== undefined) yield `${here.child("key")}: ${expression.key} is ${old}`;
    if (!values) continue;
    for (const [place, value] of here.child("values").items(expression.values)) {
      for (const complaint of isLabelValue(value)) {
        yield `${place}: ${value} is invalid, ${complaint}`;
      }
    }
  }
}

function annotationPath({ root }: Subject, key: string): FieldPath {
  return (root === undefined ? fieldPath("metadata") : root.child("metadata")).child("annotations").key(key);
}

function* annotated(subject: Subject): WarningTexts {
  if (subject.meta.annotations === undefined) return;
  for (const [key, why] of Object.entries(annotations)) {
    if (subject.meta.annotations?.[key] !== undefined) yield `${annotationPath(subject, key)}: ${why}`;
  }
}

function* oldSeccomp(subject: Subject, key: string): WarningTexts {
  if (subject.meta.annotations?.[key] === undefined) return;
  yield `${annotationPath(subject, key)}: non-functional in v1.27+; use the "seccompProfile" field instead`;
}

const oldVolumeKinds = Object.entries(oldVolumes);

function* volumes({ spec, at }: Subject): WarningTexts {
  for (const [here, volume] of at.child("volumes").items(spec.volumes)) {
    for (const [kind, [since, name = kind]] of oldVolumeKinds) {
      if ((volume as unknown as Record<string, unknown>)[kind]) yield `${here.child(name)}: ${since}`;
    }
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
    if (claim) yield* claimSpecWarnings(here.child("ephemeral", "volumeClaimTemplate", "spec"), claim);
  }
  yield* overlappingPaths(spec.volumes ?? []);
}

export function* claimSpecWarnings(at: FieldPath, claim: PersistentVolumeClaimSpec): WarningTexts {
  yield* wholeBytes(at.child("resources", "requests"), claim.resources?.requests, "storage");
  yield* wholeBytes(at.child("resources", "limits"), claim.resources?.limits, "storage");
}

function* wholeBytes(
  at: FieldPath,
  amounts: Readonly<Record<string, string>> | undefined,
  resource: string,
): WarningTexts {
  const amount = amounts?.[resource];
  if (amount === undefined || parseQuantity(amount).milliValue() % 1000n === 0n) return;
  yield `${at.key(resource)}: fractional byte value ${goQuote(amount)} is invalid, must be an integer`;
}

function* twice<F extends string>(
  at: FieldPath,
  list: readonly { readonly [K in F]?: string }[],
  field: F,
): WarningTexts {
  if (list.length < 2) return;
  const isRepeat = repeats();
  for (const [here, item] of at.items(list)) {
    const value = item[field] ?? "";
    if (isRepeat(value)) yield `${here.child(field)}: duplicate ${field} ${goQuote(value)}`;
  }
}

function* containerWarnings(subject: Subject, container: Container, at: FieldPath): WarningTexts {
  const { securityContext: security, name, resources } = container;
  if (!security?.seccompProfile) yield* oldSeccomp(subject, `${seccompContainer}${name}`);
  if (subject.root !== undefined && !security?.appArmorProfile)
    yield* oldAppArmor(subject, `${appArmorContainer}${name}`);
  for (const resource of ["memory", "ephemeral-storage"]) {
    yield* wholeBytes(at.child("resources", "limits"), resources?.limits, resource);
    yield* wholeBytes(at.child("resources", "requests"), resources?.requests, resource);
  }
  const seen = new Set<string>();
  for (const [here, { name: variable, value = "", valueFrom }] of at.child("env").items(container.env)) {
    const own = `$(${variable})`;
    if (seen.has(variable) && (valueFrom || value === own || !value.includes(own))) {
      const why = `hides previous definition of ${goQuote(variable)}, which may be dropped when using apply`;
      yield `${here}: ${why}`;
    }
    seen.add(variable);
  }
}

function* oldAppArmor(subject: Subject, key: string): WarningTexts {
  const annotation = subject.meta.annotations?.[key];
  if (annotation === undefined) return;
  const common = subject.spec.securityContext?.appArmorProfile;
  if (common && semanticEqual(common, appArmorOf(annotation))) return;
  yield `${annotationPath(subject, key)}: deprecated since v1.30; use the "appArmorProfile" field instead`;
}

/** A port with its number among all ports of the pod, which orders warnings. */
interface SeenPort {
  readonly port: ContainerPort;
  readonly here: FieldPath;
  readonly number: number;
}

/** The ports of containers under one number and protocol. */
class TakenPorts {
  readonly #all: SeenPort[] = [];
  /** By host port, and by host port and address. */
  readonly #onHost = new Map<string, SeenPort[]>();

  add(seen: SeenPort): void {
    const { hostPort = 0, hostIP = "" } = seen.port;
    this.#all.push(seen);
    for (const key of [`${hostPort}`, `${hostPort}/${hostIP}`]) {
      const known = this.#onHost.get(key);
      if (known === undefined) this.#onHost.set(key, [seen]);
      else known.push(seen);
    }
  }

  /** Only the ports that clash, so that finding them costs no more than naming them. */
  clashingWith({ hostPort = 0, hostIP = "" }: ContainerPort): readonly SeenPort[] {
    if (hostPort === 0) return this.#all;
    const keys = hostIP === "" ? [`${hostPort}`] : [`${hostPort}/`, `${hostPort}/${hostIP}`];
    const found = ["0", ...keys].flatMap((key) => this.#onHost.get(key) ?? []);
    return found.sort((a, b) => a.number - b.number);
  }
}

function* ports(containers: readonly Visited[]): WarningTexts {
  const taken = new Map<string, TakenPorts>();
  const all = containers.flatMap(([container, at]) =>
    (container.ports ?? []).map((port, index) => ({ port, here: at.child("ports").index(index) })),
  );
  for (const [number, { port, here }] of all.entries()) {
    if (port.hostIP && !port.hostPort) yield `${here}: hostIP set without hostPort: ${shownPort(port)}`;
    const key = `${port.containerPort}/${port.protocol}`;
    const others = taken.get(key) ?? new TakenPorts();
    for (const other of others.clashingWith(port)) {
      yield `${here}: ${clash(port, other.port)} port definition with ${other.here}`;
    }
    others.add({ port, here, number });
    taken.set(key, others);
  }
  const names = new Map<string, FieldPath>();
  for (const { port, here } of all) {
    if (!port.name) continue;
    const other = names.get(port.name);
    if (other === undefined) names.set(port.name, here);
    else {
      const why = `services and probes that select ports by name will use ${other}`;
      yield `${here}: duplicate port name ${goQuote(port.name)} with ${other}, ${why}`;
    }
  }
}

/** The port as Go prints the struct. */
const shownPort = ({ name = "", hostPort = 0, containerPort, protocol, hostIP = "" }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol ?? ""} HostIP:${hostIP}}`;

/** The word for two ports that clash. */
function clash(a: ContainerPort, b: ContainerPort): string {
  const [port, other] = [a.hostPort ?? 0, b.hostPort ?? 0];
  if (port === other && (a.hostIP ?? "") === (b.hostIP ?? "")) return "duplicate";
  return port === 0 || other === 0 ? "overlapping" : "dangerously ambiguous";
}

function* affinities({ spec, at }: Subject): WarningTexts {
  for (const which of ["podAffinity", "podAntiAffinity"] as const) {
    const given = spec.affinity?.[which];
    if (!given) continue;
    const here = at.child("affinity", which);
    const lacks = (term: PodAffinityTerm): boolean => !term.labelSelector;
    for (const [path, term] of here
      .child("requiredDuringSchedulingIgnoredDuringExecution")
      .items(given.requiredDuringSchedulingIgnoredDuringExecution)) {
      if (lacks(term)) yield matchesNothing(path.child("labelSelector"));
    }
    for (const [path, { podAffinityTerm }] of here
      .child("preferredDuringSchedulingIgnoredDuringExecution")
      .items(given.preferredDuringSchedulingIgnoredDuringExecution)) {
      if (lacks(podAffinityTerm)) yield matchesNothing(path.child("podAffinityTerm", "labelSelector"));
    }
  }
}
