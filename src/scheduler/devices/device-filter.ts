/** The filter and the score for the devices of a pod: accepts the nodes on which all its claims can be served. */
import {
  deepEqual,
  isDeleting,
  isOwnedBy,
  type Node,
  type NodeSelector,
  nodeSelectorTerm,
  type Pod,
  type ResourceClaim,
} from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import { claimNameOf, deviceClaimKeys } from "../../placement/device-claims.js";
import { type ClusterEvent, type Filter, FilterError, refusalOf } from "../filters/filter.js";
import { type Score, toMaximum } from "../scores/score.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import { allocate, type AllocationView, type ClaimDevices } from "./allocate.js";
import {
  type ExtendedClaim,
  type ExtendedNeed,
  extendedNeed,
  extendedOn,
  type ExtendedView,
} from "./extended-resources.js";
import { claimName } from "./requests.js";

/** Reads the caches of claims, slices and classes. */
export interface DeviceView extends AllocationView, ExtendedView {
  claim(key: string): ResourceClaim | undefined;
  /** Whether a decision to allocate the claim is being written. */
  isPending(claim: ResourceClaim): boolean;
}

const filterName = "DynamicResources";
export const notOnNode = "resourceclaim not available on the node";

export const hasDeviceClaims = ({ spec }: Pod): boolean => (spec?.resourceClaims?.length ?? 0) > 0;

/** The claims of a pod, or the reason why they cannot be told. */
export function claimsFor(pod: Pod, view: DeviceView): readonly ResourceClaim[] | string {
  const claims: ResourceClaim[] = [];
  const { namespace = "", name: podName } = pod.metadata;
  for (const entry of pod.spec?.resourceClaims ?? []) {
    const name = claimNameOf(pod, entry);
    if (name === null) continue;
    if (name === undefined) {
      return `pod "${namespace}/${podName}": ResourceClaim not created yet`;
    }
    const claim = view.claim(`${namespace}/${name}`);
    if (claim === undefined) return `resourceclaim.resource.k8s.io "${name}" not found`;
    if (isDeleting(claim)) return `resourceclaim "${name}" is being deleted`;
    if (entry.resourceClaimName === undefined && !isOwnedBy(claim, pod)) {
      return `ResourceClaim ${namespace}/${name} was not created for Pod ${namespace}/${podName} (Pod is not owner)`;
    }
    claims.push(claim);
  }
  return claims;
}

const isAllocated = ({ status }: ResourceClaim): boolean => status?.allocation !== undefined;

/** The reason why no node can serve the pod's claims, whichever there are. */
function whyNowhere({ pod }: PodInfo, view: DeviceView): string | undefined {
  const claims = claimsFor(pod, view);
  if (typeof claims === "string") return claims;
  for (const claim of claims) {
    if (isAllocated(claim)) continue;
    if (view.isPending(claim)) return `resource claim ${claimName(claim)} is in the process of being allocated`;
    for (const { name, exactly, firstAvailable = [] } of claim.spec.devices?.requests ?? []) {
      const asked = exactly
        ? [{ request: name, className: exactly.deviceClassName }]
        : firstAvailable.map((one) => ({ request: `${name}/${one.name}`, className: one.deviceClassName }));
      const missing = asked.find(({ className }) => view.deviceClass(className) === undefined);
      if (missing !== undefined) {
        return `request ${missing.request}: device class ${missing.className} does not exist`;
      }
    }
  }
  return undefined;
}

export function isReachable(selector: NodeSelector | undefined, node: Node): boolean {
  return selector === undefined || selector.nodeSelectorTerms.some((term) => nodeSelectorTerm(term)(node));
}

/** The claims of a pod, and its need of devices behind extended resources. */
export interface DeviceNeeds {
  readonly claims: readonly ResourceClaim[];
  readonly extended: ExtendedNeed | undefined;
}

/** Undefined if the pod needs no devices; a text if its needs cannot be told. */
export function deviceNeeds(info: PodInfo, view: DeviceView): DeviceNeeds | string | undefined {
  const extended = extendedNeed(info, view);
  if (extended === undefined && !hasDeviceClaims(info.pod)) return undefined;
  const claims = claimsFor(info.pod, view);
  return typeof claims === "string" ? claims : { claims, extended };
}

/** The devices of a pod on a node. */
interface NodeDevices {
  /** Of the claims that have none yet. */
  readonly found: readonly ClaimDevices[];
  readonly extended: ExtendedClaim | undefined;
}

/** A text is the reason why the node does not fit. Throws if a claim or a class is at fault. */
export function devicesOn(
  { claims, extended }: DeviceNeeds,
  { node, info }: { readonly node: Node; readonly info: NodeInfo },
  view: DeviceView,
): NodeDevices | string {
  const made = extended && extendedOn(extended, info, view);
  if (typeof made === "string") return made;
  const open = [...claims.filter((claim) => !isAllocated(claim)), ...(made ? [made.claim] : [])];
  const found = open.length === 0 ? [] : allocate(open, node, view);
  return typeof found === "string" ? found : { found, extended: made };
}

export const deviceFilter = (view: DeviceView): Filter => ({
  name: filterName,
  rejects: (info) => (hasDeviceClaims(info.pod) ? whyNowhere(info, view) : undefined),
  prepare(pod) {
    const needs = deviceNeeds(pod, view);
    if (needs === undefined) return undefined;
    if (typeof needs === "string") return () => refusalOf(needs, true);
    return (info) => {
      const { node } = info;
      if (node === undefined) return undefined;
      try {
        const found = devicesOn(needs, { node, info }, view);
        if (typeof found === "string") return refusalOf(found, true);
      } catch (error) {
        throw new FilterError(`running "${filterName}" filter plugin: ${messageOf(error)}`, { cause: error });
      }
      const isThere = needs.claims.every(({ status }) => isReachable(status?.allocation?.nodeSelector, node));
      return isThere ? undefined : refusalOf(notOnNode, true);
    };
  },
  mayFitAfter: (event, { pod }) => mayServe(event, pod, view),
});

function mayServe(event: ClusterEvent, pod: Pod, view: DeviceView): boolean {
  if (event.type === "devices-changed") return true;
  if (event.type === "node-set") {
    const { node, previous } = event;
    return (
      previous === undefined ||
      !deepEqual(previous.metadata.labels, node.metadata.labels) ||
      !deepEqual(previous.status?.allocatable, node.status?.allocatable)
    );
  }
  if (event.type !== "device-claim-changed" || typeof claimsFor(pod, view) === "string") return false;
  const { claim, previous } = event;
  if (previous !== undefined && isAllocated(previous) && !isAllocated(claim)) return true;
  if (!deviceClaimKeys(pod).includes(claimName(claim))) return false;
  return previous === undefined || !deepEqual(previous.status, claim.status);
}

/** A request has at most this number of alternatives. */
const mostAlternatives = 8;

/** Prefers nodes on which requests get the alternatives that they name first. */
export const deviceScore = (view: DeviceView): Score => ({
  name: filterName,
  weight: 2,
  prepare(pod) {
    const needs = hasDeviceClaims(pod.pod) ? deviceNeeds(pod, view) : undefined;
    if (needs === undefined || typeof needs === "string" || !needs.claims.some(hasAlternatives)) return undefined;
    return {
      rate(info) {
        const { node } = info;
        const on = node === undefined ? noDevices : devicesOn(needs, { node, info }, view);
        return typeof on === "string" ? 0 : needs.claims.reduce((sum, claim) => sum + rank(claim, on.found), 0);
      },
      normalise: (raw) => toMaximum(raw),
    };
  },
});

const noDevices: NodeDevices = { found: [], extended: undefined };

const hasAlternatives = ({ spec }: ResourceClaim): boolean =>
  spec.devices?.requests?.some(({ firstAvailable }) => firstAvailable !== undefined) ?? false;

function rank(claim: ResourceClaim, found: readonly ClaimDevices[]): number {
  const given = found.find((one) => one.claim === claim)?.given.map(({ from: { of } }) => of) ?? [];
  const names = new Set(given.map(({ request, alternative }) => `${request}/${alternative}`));
  for (const { request } of claim.status?.allocation?.devices?.results ?? []) names.add(request);
  let sum = 0;
  for (const { name, firstAvailable = [] } of claim.spec.devices?.requests ?? []) {
    for (const [index, one] of firstAvailable.entries()) {
      if (names.has(`${name}/${one.name}`)) sum += mostAlternatives - index;
    }
  }
  return sum;
}
