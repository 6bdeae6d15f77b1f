/** Rules for the spec of a pod, in a pod or in a template. */
import {
  fieldPath,
  byteLength,
  type Container,
  type PodDNSConfig,
  type PodResourceClaim,
  type PodSpec,
  rangeComplaint,
  type Volume,
  isDns1123SubdomainWithUnderscore,
} from "../../../../../api/index.js";
import { ipAddress } from "../../rules/addresses.js";
import {
  dns1123Label,
  dns1123Subdomain,
  formed,
  type Issues,
  labelMap,
  oneOf,
  type Path,
  qualifiedName,
} from "../../rules/issues.js";
import { resourceRequirements } from "../../rules/resources.js";
import { podVolumes } from "./pod-volumes.js";
import { ephemeralContainers, initContainers, type PodContext, regularContainers } from "./containers.js";
import { podResources } from "./pod-resources.js";
import { affinity, spreadConstraints, tolerations } from "./scheduling.js";
import { visitedContainers, hostProcess, operatingSystem, podSecurityRules } from "./security.js";
import { repeats } from "../../../../../base/members.js";
import { mirrorAnnotation } from "../../../../../api/pods/mirror.js";

/** The facts about its pod that a spec's rules may use. */
export interface PodFacts {
  /** Used only for ephemeral volumes, whose claims are named after the pod. */
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

/** `pod` is absent for a template. */
export interface SpecOptions {
  readonly pod?: PodFacts;
}

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

export function* podSpec(at: Path, spec: PodSpec, { pod: facts }: SpecOptions = {}): Issues {
  if (spec.terminationGracePeriodSeconds === undefined) {
    yield at.child("terminationGracePeriodSeconds").required();
  }
  const volumes = new Map<string, Volume>();
  const context = { isPod: facts !== undefined, ...(facts?.name ? { podName: facts.name } : {}) };
  yield* podVolumes(at.child("volumes"), spec.volumes ?? [], { context, valid: volumes });
  const claims = spec.resourceClaims ?? [];
  if (claims.length > 0) yield* resourceClaims(at.child("resourceClaims"), claims, facts?.annotations);
  const pod: PodContext = {
    volumes,
    claims: new Set(claims.map(({ name }) => name).filter((name) => !!name)),
    grace: spec.terminationGracePeriodSeconds,
    os: spec.os,
    restartPolicy: spec.restartPolicy ?? "",
    hostUsers: spec.hostUsers ?? true,
  };
  yield* containers(at, spec, pod);
  if (spec.resources !== undefined) yield* podResources(at.child("resources"), spec);
  if (spec.hostNetwork === true) yield* hostNetworkPorts(at.child("containers"), spec, facts !== undefined);
  yield* oneOf(at.child("restartPolicy"), spec.restartPolicy, restartPolicies);
  yield* oneOf(at.child("dnsPolicy"), spec.dnsPolicy, dnsPolicies);
  if (spec.nodeSelector !== undefined) yield* labelMap(at.child("nodeSelector"), spec.nodeSelector);
  yield* podSecurityRules(at, spec);
  if (spec.affinity !== undefined) yield* affinity(at.child("affinity"), spec.affinity);
  if (spec.dnsConfig !== undefined || spec.dnsPolicy === "None") {
    yield* dnsConfig(at.child("dnsConfig"), spec.dnsConfig, spec.dnsPolicy);
  }
  yield* gates(at, spec);
  if (spec.topologySpreadConstraints !== undefined) {
    yield* spreadConstraints(at.child("topologySpreadConstraints"), spec.topologySpreadConstraints);
  }
  yield* hostProcess(at, spec);
  if (spec.hostUsers === false) yield* userNamespace(at, spec);
  if (spec.hostnameOverride !== undefined) yield* hostName(at, spec);
  yield* names(at, spec);
  yield* fileKeyVolumes(at, spec);
}

function* containers(at: Path, spec: PodSpec, pod: PodContext): Issues {
  const regular: readonly Container[] = spec.containers ?? [];
  const init = spec.initContainers ?? [];
  const ephemeral = spec.ephemeralContainers ?? [];
  yield* regularContainers(at.child("containers"), regular, pod);
  if (init.length > 0) yield* initContainers(at.child("initContainers"), init, { ...pod, regular });
  if (ephemeral.length === 0) return;
  yield* ephemeralContainers(at.child("ephemeralContainers"), ephemeral, { ...pod, others: [...regular, ...init] });
}

function* resourceClaims(at: Path, claims: readonly PodResourceClaim[], annotations: PodFacts["annotations"]): Issues {
  const isRepeat = repeats();
  for (const [here, claim] of at.items(claims)) {
    if (annotations?.[mirrorAnnotation] !== undefined) {
      yield fieldPath("").forbidden("static pods do not support resource claims");
      continue;
    }

    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    if (name === "") yield here.child("name").required();
    else if (isRepeat(name)) yield here.child("name").duplicate(name);
    else yield* dns1123Label(here.child("name"), name);
    const shown = {
      Name: name,
      ResourceClaimName: resourceClaimName ?? null,
      ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
    };
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      const why = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      yield here.invalid(shown, why);
    } else if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      yield here.invalid(shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    if (resourceClaimName !== undefined) yield* dns1123Subdomain(here.child("resourceClaimName"), resourceClaimName);
    if (resourceClaimTemplateName !== undefined) {
      yield* dns1123Subdomain(here.child("resourceClaimTemplateName"), resourceClaimTemplateName);
    }
  }
}

/** In the host's network a container port must equal its host port. Templates may leave the host port open. */
function* hostNetworkPorts(at: Path, spec: PodSpec, isPod: boolean): Issues {
  for (const [place, { ports = [] }] of at.items(spec.containers)) {
    for (const [itemAt, { hostPort = 0, containerPort = 0 }] of place.child("ports").items(ports)) {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) continue;
      const here = itemAt.child("hostPort");
      yield here.invalid(hostPort, "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

function* dnsConfig(at: Path, config: PodDNSConfig | undefined, policy: string | undefined): Issues {
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  if (policy === "None") {
    if (config === undefined) {
      yield at.required("must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (nameservers.length === 0) {
      const why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      yield at.child("nameservers").required(why);
      return;
    }
  }
  if (nameservers.length > 3) {
    yield at.child("nameservers").invalid(nameservers, "must not have more than 3 nameservers");
  }
  for (const [place, server] of at.child("nameservers").items(nameservers)) yield* ipAddress(place, server);
  const here = at.child("searches");
  if (searches.length > 32) yield here.invalid(searches, "must not have more than 32 search paths");
  if (byteLength(searches.join(" ")) > 2048) {
    const why = "must not have more than 2048 characters (including spaces) in the search list";
    yield here.invalid(searches, why);
  }
  for (const [itemAt, search] of here.items(searches)) {
    if (search === ".") continue;
    const domain = search.endsWith(".") ? search.slice(0, -1) : search;
    yield* formed(itemAt, domain, isDns1123SubdomainWithUnderscore(domain));
  }
  for (const [index, { name = "" }] of options.entries()) {
    if (name === "") yield at.child("options").index(index).required("must not be empty");
  }
}

function* gates(at: Path, { readinessGates = [], schedulingGates = [] }: PodSpec): Issues {
  for (const [place, { conditionType = "" }] of at.child("readinessGates").items(readinessGates)) {
    yield* qualifiedName(place.child("conditionType"), conditionType);
  }
  const isRepeat = repeats();
  for (const [here, { name = "" }] of at.child("schedulingGates").items(schedulingGates)) {
    yield* qualifiedName(here, name);
    if (isRepeat(name)) yield here.duplicate(name);
  }
}

function* userNamespace(at: Path, spec: PodSpec): Issues {
  const why = "when `hostUsers` is false";
  if (spec.hostPID === true) yield at.child("HostPID").forbidden(why);
  if (spec.hostIPC === true) yield at.child("HostIPC").forbidden(why);
  for (const { container, path } of visitedContainers(at, spec)) {
    if ((container.volumeDevices ?? []).length > 0) yield path.child("volumeDevices").forbidden(why);
  }
}

function* hostName(at: Path, spec: PodSpec): Issues {
  const name = spec.hostnameOverride;
  if (name === undefined) return;
  const here = at.child("hostnameOverride");
  if (spec.setHostnameAsFQDN === true) yield here.forbidden("may not be specified when setHostnameAsFQDN is true");
  if (spec.hostNetwork === true) yield here.forbidden("may not be specified when hostNetwork is true");
  if (byteLength(name) > 64) yield here.tooLong(64);
  yield* dns1123Subdomain(here, name);
}

const largestInt32 = 2 ** 31 - 1;

function* names(at: Path, spec: PodSpec): Issues {
  const { serviceAccountName, nodeName, hostname, subdomain, priorityClassName, runtimeClassName } = spec;
  if (serviceAccountName) yield* dns1123Subdomain(at.child("serviceAccountName"), serviceAccountName);
  if (nodeName) yield* dns1123Subdomain(at.child("nodeName"), nodeName);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > largestInt32)) {
    yield at.child("activeDeadlineSeconds").invalid(deadline, rangeComplaint(1, largestInt32));
  }
  if (hostname) yield* dns1123Label(at.child("hostname"), hostname);
  if (subdomain) yield* dns1123Label(at.child("subdomain"), subdomain);
  yield* tolerations(at.child("tolerations"), spec.tolerations);
  for (const [here, { ip, hostnames = [] }] of at.child("hostAliases").items(spec.hostAliases)) {
    yield* ipAddress(here.child("ip"), ip ?? "");
    for (const [place, name] of here.child("hostnames").items(hostnames)) yield* dns1123Subdomain(place, name);
  }
  if (priorityClassName) yield* dns1123Subdomain(at.child("priorityClassName"), priorityClassName);
  if (runtimeClassName !== undefined) yield* dns1123Subdomain(at.child("runtimeClassName"), runtimeClassName);
  if (spec.preemptionPolicy !== undefined) {
    yield* oneOf(at.child("preemptionPolicy"), spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
  if (spec.overhead !== undefined) yield* resourceRequirements(at.child("overhead"), { limits: spec.overhead });
  yield* operatingSystem(at, spec);
}

/** Variables from files: the file must lie in an emptyDir volume. */
function* fileKeyVolumes(at: Path, spec: PodSpec): Issues {
  const volumes = new Map((spec.volumes ?? []).toReversed().map((volume) => [volume.name, volume]));
  for (const { container, path } of visitedContainers(at, spec)) {
    if (container.env === undefined) continue;
    for (const [place, { valueFrom }] of path.child("env").items(container.env)) {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (valueFrom?.fileKeyRef === undefined) continue;
      const here = place.child("valueFrom", "fileKeyRef", "volumeName");
      const volume = volumes.get(name ?? "");
      if (volume === undefined) yield here.notFound(name ?? "");
      else if (volume.emptyDir === undefined) {
        yield here.invalid(name, "referenced volume must be of type emptyDir");
      }
    }
  }
}
