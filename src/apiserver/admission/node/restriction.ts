/** NodeRestriction: a node may change its own Node, its own pods, and the few other objects that a kubelet keeps. */
import {
  type CertificateSigningRequest,
  type KubeObject,
  newForbidden,
  newNotFound,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
  type ResourceSlice,
  semanticEqual,
  type TokenRequest,
} from "../../../api/index.js";
import { lookup } from "../../../base/members.js";
import { parseRequest } from "../../../base/x509/request.js";
import { nodeOf } from "../../auth/node/identity.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import { type Authorizer, type Decide, deciding } from "../../contracts/authorizer.js";
import { storageKey } from "../../contracts/endpoint.js";
import type { WithSpec } from "../../registry/kinds/rules/formed.js";
import type { Store } from "../../storage/contract.js";
import { tokenFault } from "./tokens.js";
import { apiObjectIn } from "./mirror-pods.js";
import { after } from "../../../base/time/awaitable.js";
import { isMirrorPod, mirrorAnnotation } from "../../../api/pods/mirror.js";

/** The text that refuses, or undefined. A text that begins a NotFound is thrown instead. */
type Rule = (asked: Asked) => string | undefined;

interface Asked {
  readonly node: string;
  readonly request: AdmissionRequest;
  readonly store: Store;
  readonly decide: Decide;
}

/** Off unless it is named among the plug-ins to switch on, as upstream. */
export function nodeRestriction(store: Store, authorizer: Authorizer): AdmissionPlugin {
  const check = (request: AdmissionRequest): void | Promise<void> => {
    const node = nodeOf(request.user);
    if (node === undefined) return;
    return deciding(authorizer, (decide) => {
      const why =
        node === ""
          ? `could not determine node from user ${JSON.stringify(request.user.username)}`
          : rules[`${request.resource.group}/${request.resource.resource}`]?.({ node, request, store, decide });
      if (why !== undefined) throw newForbidden(request.resource, nameOf(request), why);
    });
  };
  return {
    name: "NodeRestriction",
    mutate(request) {
      return after(check(request), () => request.object);
    },
    validate(request) {
      return request.object === undefined ? check(request) : undefined;
    },
  };
}

function nameOf({ name, object }: AdmissionRequest): string {
  const { name: own, generateName } = (object?.metadata ?? {}) as Partial<KubeObject["metadata"]>;
  return name || own || generateName || "Unknown";
}

const quoted = (text: string): string => JSON.stringify(text);

const rules: Readonly<Record<string, Rule>> = lookup({
  "/pods": podRule,
  "/nodes": nodeRule,
  "/persistentvolumeclaims": claimRule,
  "/serviceaccounts": tokenRule,
  "coordination.k8s.io/leases": leaseRule,
  "storage.k8s.io/csinodes": csiNodeRule,
  "resource.k8s.io/resourceslices": sliceRule,
  "certificates.k8s.io/certificatesigningrequests": certificateRule,
});

function podRule(asked: Asked): string | undefined {
  const { request, node } = asked;
  const { operation, subresource } = request;
  switch (subresource) {
    case "":
      if (operation === "CREATE") return mirrorPodFault(asked);
      if (operation !== "DELETE")
        return `unexpected operation ${quoted(operation)}, node ${quoted(node)} can only create and delete mirror pods`;
      return storedPod(asked, request.name).spec?.nodeName === node
        ? undefined
        : `node ${quoted(node)} can only delete pods with spec.nodeName set to itself`;
    case "status":
      return podStatusFault(asked);
    case "eviction":
      return storedPod(asked, request.name || nameOf(request)).spec?.nodeName === node
        ? undefined
        : `node ${node} can only evict pods with spec.nodeName set to itself`;
    default:
      return `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`;
  }
}

function storedPod({ store, request: { namespace } }: Asked, name: string): Pod {
  const stored = store.get("pods", storageKey(namespace, name));
  if (stored === undefined) throw newNotFound({ group: "", resource: "pod" }, name);
  return stored.object as Pod;
}

function mirrorPodFault({ request, node, store }: Asked): string | undefined {
  const { metadata, spec } = request.object as Pod;
  if (!isMirrorPod({ metadata }))
    return `pod does not have ${quoted(mirrorAnnotation)} annotation, node ${quoted(node)} can only create mirror pods`;
  if (spec?.nodeName !== node) return `node ${quoted(node)} can only create pods with spec.nodeName set to itself`;
  const [owner, second] = metadata.ownerReferences ?? [];
  if (second !== undefined)
    return `node ${quoted(node)} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    return `node ${quoted(node)} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true)
    return `node ${quoted(node)} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true)
    return `node ${quoted(node)} must not set blockOwnerDeletion on an owner reference`;
  const own = store.get("nodes", node)?.object.metadata.uid;
  if (own === undefined) throw newNotFound({ group: "", resource: "node" }, node);
  if (owner.uid !== own) return `node ${node} UID mismatch: expected ${owner.uid} got ${own}`;
  const found = apiObjectIn(request.object as Pod);
  return found && `node ${quoted(node)} can not create pods that reference ${found}`;
}

function podStatusFault({ request, node }: Asked): string | undefined {
  const { operation, old, object } = request;
  if (operation !== "UPDATE") return `unexpected operation ${quoted(operation)}`;
  const [before, after] = [old as Pod, object as Pod];
  if (before.spec?.nodeName !== node)
    return `node ${quoted(node)} can only update pod status for pods with spec.nodeName set to itself`;
  if (!semanticEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {}))
    return `node ${quoted(node)} cannot update labels through pod status`;
  const claims = (pod: Pod): unknown =>
    (pod.status?.resourceClaimStatuses ?? []).map((one) => [one.name, one.resourceClaimName ?? null]);
  if (!semanticEqual(claims(before), claims(after))) return `node ${quoted(node)} cannot update resource claim statues`;
  const extended = (pod: Pod): unknown => pod.status?.extendedResourceClaimStatus ?? null;
  if (!semanticEqual(extended(before), extended(after)))
    return `node ${quoted(node)} cannot update extended resource claim status`;
  return undefined;
}

function nodeRule({ request, node }: Asked): string | undefined {
  const { operation, old, object } = request;
  const name = nameOf(request);
  if (name !== node) return `node ${quoted(node)} is not allowed to modify node ${quoted(name)}`;
  if (operation === "CREATE") return newNodeFault(node, object as Node);
  return operation === "UPDATE" ? changedNodeFault(node, old as Node, object as Node) : undefined;
}

function newNodeFault(node: string, { metadata, spec }: Node): string | undefined {
  if (spec?.configSource !== undefined)
    return `node ${quoted(node)} is not allowed to create pods with a non-nil configSource`;
  const forbidden = forbiddenLabels(metadata.labels ?? {}, {});
  return forbidden === "" ? undefined : `node ${quoted(node)} is not allowed to set the following labels: ${forbidden}`;
}

function changedNodeFault(node: string, before: Node, after: Node): string | undefined {
  const source = after.spec?.configSource;
  if (source !== undefined && !semanticEqual(source, before.spec?.configSource))
    return `node ${quoted(node)} is not allowed to update configSource to a new non-nil configSource`;
  if (!semanticEqual(after.spec?.taints ?? [], before.spec?.taints ?? []))
    return `node ${quoted(node)} is not allowed to modify taints`;
  if (!semanticEqual(after.metadata.ownerReferences ?? [], before.metadata.ownerReferences ?? []))
    return `node ${quoted(node)} is not allowed to modify ownerReferences`;
  const forbidden = forbiddenLabels(after.metadata.labels ?? {}, before.metadata.labels ?? {});
  return forbidden === "" ? undefined : `is not allowed to modify labels: ${forbidden}`;
}

type Labels = Readonly<Record<string, string>>;

const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);

const isIn = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

/** The labels that differ and that a node may not change, with commas between. */
function forbiddenLabels(after: Labels, before: Labels): string {
  const changed = new Set([...Object.keys(after), ...Object.keys(before)].filter((key) => after[key] !== before[key]));
  const forbidden = [...changed].filter((label) => {
    const slash = label.indexOf("/");
    const domain = slash === -1 ? "" : label.slice(0, slash);
    if (isIn(domain, "node-restriction.kubernetes.io")) return true;
    if (!isIn(domain, "kubernetes.io") && !isIn(domain, "k8s.io")) return false;
    const isKubelets = kubeletLabels.has(label) || isIn(domain, "kubelet.kubernetes.io");
    return !isKubelets && !isIn(domain, "node.kubernetes.io");
  });
  return forbidden.toSorted().join(", ");
}

function claimRule({ request, node }: Asked): string | undefined {
  const { operation, subresource, old, object } = request;
  if (subresource !== "status") return "may only update PVC status";
  if (operation !== "UPDATE") return `unexpected operation ${quoted(operation)}`;
  const rest = (claim: PersistentVolumeClaim): unknown => {
    const { resourceVersion: _v, managedFields: _m, ...metadata } = claim.metadata;
    const { capacity: _c, conditions: _k, ...status } = claim.status ?? {};
    const { allocatedResources: _a, allocatedResourceStatuses: _s, ...others } = status;
    return { ...claim, metadata, status: others };
  };
  if (semanticEqual(rest(old as PersistentVolumeClaim), rest(object as PersistentVolumeClaim))) return undefined;
  return `node ${quoted(node)} is not allowed to update fields other than status.quantity and status.conditions`;
}

function tokenRule(asked: Asked): string | undefined {
  const { request, node, store, decide } = asked;
  if (request.operation !== "CREATE" || request.subresource !== "token") return undefined;
  const { boundObjectRef: ref, audiences = [] } = (request.object as WithSpec<TokenRequest>).spec;
  if (ref?.apiVersion !== "v1" || ref.kind !== "Pod" || !ref.name) return "node requested token not bound to a pod";
  if (!ref.uid) return "node requested token with a pod binding without a uid";
  const pod = storedPod(asked, ref.name);
  if (ref.uid !== pod.metadata.uid) {
    const what = `the UID in the bound object reference (${ref.uid}) does not match the UID in record`;
    return `${what}. The object might have been deleted and then recreated`;
  }
  if (pod.spec?.nodeName !== node) return "node requested token bound to a pod scheduled on a different node";
  return tokenFault({ audiences, pod, store, decide, request });
}

const leaseNamespace = "kube-node-lease";

function leaseRule({ request, node }: Asked): string | undefined {
  if (request.namespace !== leaseNamespace) return `can only access leases in the "${leaseNamespace}" system namespace`;
  return nameOf(request) === node ? undefined : "can only access node lease with the same name as the requesting node";
}

function csiNodeRule({ request, node }: Asked): string | undefined {
  return nameOf(request) === node ? undefined : "can only access CSINode with the same name as the requesting node";
}

function sliceRule({ request: { operation, object, old }, node }: Asked): string | undefined {
  if (operation !== "CREATE" && operation !== "DELETE") return undefined;
  const slice = (operation === "CREATE" ? object : old) as ResourceSlice | undefined;
  if (slice?.spec?.nodeName === node) return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
}

const nodeSigners = new Set(["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"]);

function certificateRule({ request, node }: Asked): string | undefined {
  if (request.operation !== "CREATE") return undefined;
  const { spec } = request.object as CertificateSigningRequest;
  if (!nodeSigners.has(spec.signerName)) return undefined;
  let commonName: string;
  try {
    ({ commonName } = parseRequest(Buffer.from(spec.request ?? "", "base64").toString("latin1")));
  } catch {
    return "unable to parse csr: PEM block type must be CERTIFICATE REQUEST";
  }
  return commonName === `system:node:${node}` ? undefined : `can only create a node CSR with CN=system:node:${node}`;
}
