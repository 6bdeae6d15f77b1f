/** Warnings about valid but unwise objects, by kind. */
import { lookup } from "../../../../base/members.js";
import { createPrivateKey, X509Certificate } from "node:crypto";
import {
  type CronJob,
  type CSIDriver,
  type CSIStorageCapacity,
  type DaemonSet,
  type Deployment,
  type Endpoints,
  type EndpointSlice,
  type FieldPath,
  fieldPath,
  goQuote,
  type Ingress,
  type Job,
  type JobSpec,
  type KubeObject,
  type NetworkPolicy,
  type NetworkPolicyPeer,
  type Node,
  parseQuantity,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type PodTemplate,
  type ReplicaSet,
  type ReplicationController,
  type ResourceQuota,
  type RuntimeClass,
  type Secret,
  semanticEqual,
  type Service,
  type ServiceAccount,
  type ServiceSpec,
  type StatefulSet,
  type StorageClass,
} from "../../../../api/index.js";
import { addressWarning, rangeWarning } from "./address-warnings.js";
import {
  claimSpecWarnings,
  nameWarning,
  nodeTermWarnings,
  oldNodeLabel,
  oldVolumes,
  templateWarnings,
  type WarningTexts,
  warningsOfPod,
} from "./pod-warnings.js";

/** `old` is present for an update. */
type Say<T> = (object: T, old?: T) => WarningTexts;

const spec = fieldPath("spec");
const template = spec.child("template");
const inPodNames = "Pod names and hostnames";

const isNewGeneration = (now: KubeObject, old: KubeObject | undefined): boolean =>
  old === undefined || now.metadata.generation !== old.metadata.generation;

/** Warns of a name that becomes part of pods' names, and of a changed template. */
function* templated(set: Deployment | ReplicaSet | ReplicationController, old?: KubeObject): WarningTexts {
  if (old === undefined) yield* nameWarning(set.metadata.name, inPodNames);
  if (isNewGeneration(set, old)) yield* templateWarnings(template, set.spec?.template);
}

const templateCount = "deprecated.daemonset.template.generation";

function* daemonSet(set: DaemonSet, old?: DaemonSet): WarningTexts {
  const count = ({ metadata }: DaemonSet): string | undefined => metadata.annotations?.[templateCount];
  if (old === undefined || count(set) !== count(old)) yield* templateWarnings(template, set.spec?.template);
}

function* statefulSet(set: StatefulSet, old?: StatefulSet): WarningTexts {
  if (isNewGeneration(set, old)) yield* templateWarnings(template, set.spec?.template);
  for (const [at, claim] of spec.child("volumeClaimTemplates").items(set.spec?.volumeClaimTemplates)) {
    yield* claimSpecWarnings(old === undefined ? at : at.child("Spec"), claim.spec ?? {});
  }
  if ((set.spec?.revisionHistoryLimit ?? 0) < 0) {
    const why = "a negative value retains all historical revisions; a value >= 0 is recommended";
    yield `spec.revisionHistoryLimit: ${why}`;
  }
}

function* jobSpec(at: FieldPath, given: JobSpec | undefined): WarningTexts {
  const { completionMode, completions = 0, parallelism = 0 } = given ?? {};
  if (completionMode === "Indexed" && completions > 100_000 && parallelism > 10_000) {
    const many = "a number of completions higher than 10^5 and a parallelism higher than 10^4";
    const why = "Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
    yield `${at}: In Indexed Jobs with ${many}, ${why}`;
  }
  yield* templateWarnings(at.child("template"), given?.template);
}

function* job(given: Job, old?: Job): WarningTexts {
  if (old === undefined) yield* nameWarning(given.metadata.name, inPodNames);
  if (isNewGeneration(given, old)) yield* jobSpec(spec, given.spec);
}

function* cronJob(given: CronJob, old?: CronJob): WarningTexts {
  if (old === undefined) yield* nameWarning(given.metadata.name, inPodNames);
  if (isNewGeneration(given, old)) yield* jobSpec(spec.child("jobTemplate", "spec"), given.spec?.jobTemplate.spec);
  if (old !== undefined && given.spec?.schedule.includes("TZ")) {
    const help = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";
    yield `cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ${help} for more details`;
  }
}

function* endpoints({ metadata, subsets }: Endpoints): WarningTexts {
  if (metadata.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller") return;
  for (const [here, subset] of fieldPath("subsets").items(subsets)) {
    for (const list of ["addresses", "notReadyAddresses"] as const) {
      for (const [place, { ip }] of here.child(list).items(subset[list])) {
        yield* addressWarning(place.child("ip"), ip);
      }
    }
  }
}

const sliceWriters: readonly string[] = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

function* endpointSlice(slice: EndpointSlice, old?: EndpointSlice): WarningTexts {
  if (old === undefined && slice.addressType === "FQDN") yield "spec.addressType: FQDN endpoints are deprecated";
  if (sliceWriters.includes(slice.metadata.labels?.["endpointslice.kubernetes.io/managed-by"] ?? "")) return;
  for (const [here, { addresses }] of fieldPath("endpoints").items(slice.endpoints)) {
    for (const [place, address] of here.child("addresses").items(addresses)) {
      yield* addressWarning(place, address);
    }
  }
}

function* node({ spec: given }: Node): WarningTexts {
  if (given?.externalID) yield "spec.externalID: this field is deprecated, and is unused by Kubernetes";
  for (const [here, range] of spec.child("podCIDRs").items(given?.podCIDRs)) {
    yield* rangeWarning(here, range);
  }
}

const volumeAnnotations: Readonly<Record<string, string>> = lookup({
  "volume.beta.kubernetes.io/storage-class": 'deprecated since v1.8; use "storageClassName" attribute instead',
  "volume.beta.kubernetes.io/mount-options": 'deprecated since v1.31; use "mountOptions" attribute instead',
});
const metaAnnotations = fieldPath("metadata", "annotations");

function* persistentVolume({ metadata, spec: given = {} }: PersistentVolume): WarningTexts {
  for (const [key, why] of Object.entries(volumeAnnotations)) {
    if (metadata.annotations?.[key] !== undefined) yield `${metaAnnotations.key(key)}: ${why}`;
  }
  if (given.persistentVolumeReclaimPolicy === "Recycle") {
    const why = "The Recycle reclaim policy is deprecated.";
    const instead = "Instead, the recommended approach is to use dynamic provisioning.";
    yield `spec.persistentVolumeReclaimPolicy: ${why} ${instead}`;
  }
  for (const [here, term] of spec
    .child("nodeAffinity", "required", "nodeSelectorTerms")
    .items(given.nodeAffinity?.required?.nodeSelectorTerms)) {
    yield* nodeTermWarnings(here, term, false);
  }
  const kinds = ["cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd"] as const;
  for (const kind of kinds.filter((one) => given[one])) {
    const [since, name = kind] = oldVolumes[kind] as readonly [string, string?];
    yield `${spec.child(name)}: ${since}`;
  }
}

function* claim({ metadata, spec: given = {} }: PersistentVolumeClaim): WarningTexts {
  const old = "volume.beta.kubernetes.io/storage-class";
  if (metadata.annotations?.[old] !== undefined) {
    yield `${metaAnnotations.key(old)}: ${volumeAnnotations[old]}`;
  }
  yield* claimSpecWarnings(spec, given);
}

function* quota({ spec: given }: ResourceQuota, old?: ResourceQuota): WarningTexts {
  if (old !== undefined) return;
  const hard = given?.hard ?? {};
  for (const resource of ["cpu", "memory", "storage", "ephemeral-storage"]) {
    const bare = resource === "cpu" || resource === "memory" ? [resource] : [];
    const request = [`requests.${resource}`, ...bare].find((name) => hard[name] !== undefined);
    const most = hard[`limits.${resource}`];
    if (request === undefined || most === undefined) continue;
    const least = hard[request] as string;
    if (parseQuantity(least).compare(parseQuantity(most)) <= 0) continue;
    yield `ResourceQuota ${request} (${least}) should be less than limits.${resource} (${most})`;
  }
}

/** Warns if the key does not belong to the certificate, in the words of Go's TLS. */
function* secret({ type, data = {} }: Secret): WarningTexts {
  if (type !== "kubernetes.io/tls") return;
  const pem = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
  const [cert, key] = [pem("tls.crt"), pem("tls.key")];
  if (!cert.includes("-----BEGIN")) yield "tls: failed to find any PEM data in certificate input";
  else if (!key.includes("-----BEGIN")) yield "tls: failed to find any PEM data in key input";
  else {
    try {
      if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
        yield "tls: private key does not match public key";
      }
    } catch {
      yield "tls: failed to parse private key";
    }
  }
}

function* service({ metadata, spec: given = {} }: Service): WarningTexts {
  if (metadata.annotations?.["service.kubernetes.io/topology-aware-hints"] !== undefined) {
    const [old, instead] = ["service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"];
    yield `annotation ${old} is deprecated, please use ${instead} instead`;
  }
  const external = given.externalIPs ?? [];
  const headless = given.type === "ClusterIP" && given.clusterIP === "None";
  if (given.clusterIP && given.clusterIP !== "None") yield* addresses(spec.child("clusterIPs"), given.clusterIPs);
  if (headless) yield* ofHeadless(given);
  yield* addresses(spec.child("externalIPs"), external);
  const named = given.type === "ExternalName";
  if (external.length > 0 && !headless && !named) {
    yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters";
  }
  if (given.loadBalancerIP) yield* addressWarning(spec.child("loadBalancerIP"), given.loadBalancerIP);
  for (const [here, range] of spec.child("loadBalancerSourceRanges").items(given.loadBalancerSourceRanges)) {
    yield* rangeWarning(here, range);
  }
  if (named && external.length > 0) yield 'spec.externalIPs is ignored when spec.type is "ExternalName"';
  if (!named && given.externalName) yield 'spec.externalName is ignored when spec.type is not "ExternalName"';
  if (given.trafficDistribution === "PreferClose") {
    yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';
  }
}

function* ofHeadless({ loadBalancerIP, externalIPs = [], sessionAffinity }: ServiceSpec): WarningTexts {
  if (loadBalancerIP) yield "spec.loadBalancerIP is ignored for headless services";
  if (externalIPs.length > 0) yield "spec.externalIPs is ignored for headless services";
  if (sessionAffinity !== "None") yield "spec.SessionAffinity is ignored for headless services";
}

function* addresses(at: FieldPath, list: readonly string[] | undefined): WarningTexts {
  for (const [here, address] of at.items(list)) yield* addressWarning(here, address);
}

function* serviceAccount({ metadata }: ServiceAccount, old?: ServiceAccount): WarningTexts {
  const key = "kubernetes.io/enforce-mountable-secrets";
  if (old?.metadata.annotations?.[key] !== undefined || metadata.annotations?.[key] === undefined) return;
  yield `metadata.annotations[${key}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;
}

function* ingress({ metadata, spec: given }: Ingress, old?: Ingress): WarningTexts {
  const key = "kubernetes.io/ingress.class";
  if (old !== undefined || metadata.annotations?.[key] === undefined || given?.ingressClassName !== undefined) return;
  yield `annotation ${goQuote(key)} is deprecated, please use 'spec.ingressClassName' instead`;
}

function* networkPolicy({ spec: given }: NetworkPolicy): WarningTexts {
  for (const [here, { from }] of spec.child("ingress").items(given?.ingress)) {
    yield* peers(here.child("from"), from);
  }
  for (const [place, { to }] of spec.child("egress").items(given?.egress)) {
    yield* peers(place.child("to"), to);
  }
}

function* peers(at: FieldPath, list: readonly NetworkPolicyPeer[] | undefined): WarningTexts {
  for (const [place, { ipBlock }] of at.items(list)) {
    if (!ipBlock) continue;
    const here = place.child("ipBlock");
    yield* rangeWarning(here.child("cidr"), ipBlock.cidr);
    for (const [itemAt, range] of here.child("except").items(ipBlock.except)) yield* rangeWarning(itemAt, range);
  }
}

function* runtimeClass({ scheduling }: RuntimeClass): WarningTexts {
  for (const key of Object.keys(scheduling?.nodeSelector ?? {})) {
    const old = oldNodeLabel(key);
    if (old !== undefined) yield `scheduling.nodeSelector: ${old}`;
  }
}

function* csiDriver({ spec: given }: CSIDriver, old?: CSIDriver): WarningTexts {
  const tokens = given?.tokenRequests ?? [];
  if (tokens.length === 0 || given?.serviceAccountTokenInSecrets !== undefined) return;
  if (old !== undefined && semanticEqual(old.spec?.tokenRequests, tokens)) return;
  const why = "set to true to prevent possible logging of tokens in volume attributes";
  yield `spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, ${why}`;
}

function* storageCapacity({ nodeTopology }: CSIStorageCapacity): WarningTexts {
  yield* nodeTermWarnings(fieldPath("nodeTopology"), (nodeTopology ?? {}) as never, false);
  for (const key of Object.keys(nodeTopology?.matchLabels ?? {})) {
    const old = oldNodeLabel(key);
    if (old !== undefined) yield `${fieldPath("nodeTopology", "matchLabels").child(key)}: ${old}`;
  }
}

function* storageClass({ allowedTopologies }: StorageClass): WarningTexts {
  for (const [here, { matchLabelExpressions }] of fieldPath("allowedTopologies").items(allowedTopologies)) {
    const at = here.child("matchLabelExpressions");
    for (const [place, { key }] of at.items(matchLabelExpressions)) {
      const old = oldNodeLabel(key);
      if (old !== undefined) yield `${place.child("key")}: ${old}`;
    }
  }
}

function* staticName({ metadata: { name } }: KubeObject): WarningTexts {
  const suffix = ".static.k8s.io";
  if (!name.endsWith(suffix)) return;
  const why = "are reserved for static manifest-based configurations and cannot be managed via the API";
  yield `metadata.name: names ending with ${goQuote(suffix)} ${why}`;
}

/** The key is the kind; no two groups share one here. */
export const warningsOf: ReadonlyMap<string, Say<KubeObject>> = new Map<string, Say<never>>([
  [
    "Pod",
    function* pod({ metadata, spec: given }: Pod, old?: Pod) {
      if (old !== undefined) return;
      yield* nameWarning(metadata.name, "the Pod's hostname");
      if (given) yield* warningsOfPod(given, metadata.annotations);
    },
  ],
  ["Deployment", templated],
  ["ReplicaSet", templated],
  // updates of ReplicationControllers get no warnings
  ["ReplicationController", (object, old) => (old === undefined ? templated(object as ReplicationController) : [])],
  ["DaemonSet", daemonSet],
  ["StatefulSet", statefulSet],
  ["Job", job],
  ["CronJob", cronJob],
  [
    "PodTemplate",
    function* podTemplate(given: PodTemplate, old?: PodTemplate) {
      if (isNewGeneration(given, old)) yield* templateWarnings(fieldPath("template"), given.template);
    },
  ],
  ["Endpoints", endpoints],
  ["EndpointSlice", endpointSlice],
  ["Node", node],
  ["PersistentVolume", persistentVolume],
  ["PersistentVolumeClaim", claim],
  ["ResourceQuota", quota],
  ["Secret", secret],
  ["Service", service],
  ["ServiceAccount", serviceAccount],
  ["Ingress", ingress],
  ["NetworkPolicy", networkPolicy],
  ["RuntimeClass", runtimeClass],
  ["CSIDriver", csiDriver],
  ["CSIStorageCapacity", storageCapacity],
  ["StorageClass", storageClass],
  ["MutatingWebhookConfiguration", staticName],
  ["ValidatingWebhookConfiguration", staticName],
]) as ReadonlyMap<string, unknown> as ReadonlyMap<string, Say<KubeObject>>;
