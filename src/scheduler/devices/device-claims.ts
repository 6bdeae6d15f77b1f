/** Allocates the devices of pods: keeps account of devices in use, and writes claims before their pods are bound. */
import {
  type AllocationResult,
  DeviceClass,
  findCondition,
  formatTime,
  implicitResourcePrefix,
  isConditionTrue,
  isConflict,
  metaNamespaceKey,
  type Node,
  type Pod,
  ResourceClaim,
  ResourceSlice,
} from "../../api/index.js";
import { type Clock, messageOf, type Random, type Steps } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import type { HandlerRegistration, ObjectChange, SharedInformerFactory } from "../../informer/index.js";
import { deviceFinalizer } from "../../placement/device-claims.js";
import {
  classesBehind,
  extendedClaimsOf,
  indexByExtendedPod,
  indexByExtendedResource,
} from "../../placement/extended-claims.js";
import type { ClusterEvent } from "../filters/filter.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import { AllocatedDevices } from "./allocated.js";
import { claimsFor, deviceNeeds, devicesOn, type DeviceView, isReachable } from "./device-filter.js";
import { ExtendedClaims } from "./extended-claims.js";
import { type ExtendedClaim, newestClass } from "./extended-resources.js";
import { poolIdOf } from "./pools.js";
import { claimName, type DeviceTest } from "./requests.js";
import { allocationOf } from "./result.js";
import { Selectors } from "./selectors.js";
import { defined } from "../../base/defined.js";
import { Bell } from "../state/bell.js";

const onNode = "resource-slices-on-node";
const ofPool = "resource-slices-of-pool";
/** The name under which slices without a node are indexed; no node can have it. */
const noNode = "";

export interface DeviceClaimsOptions {
  readonly client: Client;
  readonly informers: SharedInformerFactory;
  readonly clock: Clock;
  readonly random: Random;
  /** Compiles the expression of a selector of devices; throws if it is wrong. */
  readonly selector: (expression: string) => DeviceTest;
}

/** The devices that were decided for a pod. */
export interface DeviceReservation {
  /** By the uids of the claims. */
  readonly allocations: Map<string, AllocationResult>;
  /** The claim for the pod's extended resources, before it is made. */
  readonly extended: ExtendedClaim | undefined;
  /** The claim for the pod's extended resources, after it was made. */
  made?: ResourceClaim;
}

interface DeviceBinding {
  readonly reserved: DeviceReservation;
  /** The devices must be ready within this time. */
  readonly timeoutMs: number;
}

/**
 * Invariants:
 * 1. `#devices` counts the allocation of each cached claim, and of each pending one.
 * 2. A claim is pending from the decision to allocate it until the cache shows an allocation, or the write has failed.
 */
export class DeviceClaims {
  readonly view: DeviceView;
  readonly #options: DeviceClaimsOptions;
  readonly #devices = new AllocatedDevices();
  readonly #pending = new Set<string>();
  readonly #selectors: Selectors;
  readonly #bell = new Bell();
  readonly #extended: ExtendedClaims;

  constructor(options: DeviceClaimsOptions) {
    this.#options = options;
    this.#selectors = new Selectors(options.selector);
    this.#extended = new ExtendedClaims(options.client);
    const claims = options.informers.informer(ResourceClaim);
    indexByExtendedPod(claims);
    const classes = options.informers.informer(DeviceClass);
    indexByExtendedResource(classes);
    const slices = options.informers.informer(ResourceSlice);
    slices.addIndexers({
      [onNode]: ({ spec }) => [spec.nodeName && (spec.sharedCounters ?? []).length === 0 ? spec.nodeName : noNode],
      [ofPool]: (slice) => [poolIdOf(slice)],
    });
    this.view = {
      inUse: this.#devices,
      claim: (key) => claims.indexer.get(key),
      isPending: ({ metadata: { uid = "" } }) => this.#pending.has(uid),
      deviceClass: (name) => classes.indexer.get(name),
      classBehind: (resource) => newestClass(classesBehind(classes.indexer, resource)),
      extendedClaim: (pod) => extendedClaimsOf(claims.indexer, pod)[0],
      selector: (expression) => this.#selectors.test(expression),
      onNode: (name) => slices.indexer.byIndex(onNode, name),
      shared: () => slices.indexer.byIndex(onNode, noNode),
      ofPool: (id) => slices.indexer.byIndex(ofPool, id),
    };
  }

  /** Judges the devices by the selectors of a pod's claims, with pauses, so that a decision finds this work done. */
  *judge(pod: Pod): Steps<void> {
    const claims = claimsFor(pod, this.view);
    if (typeof claims === "string") return;
    const slices = this.#options.informers.informer(ResourceSlice).indexer.list();
    for (const claim of claims) {
      if (claim.status?.allocation !== undefined) continue;
      yield* this.#selectors.judge(claim, slices, (name) => this.view.deviceClass(name));
    }
  }

  /** Reports each change that may let a pod fit. */
  follow(onEvent: (event: ClusterEvent) => void): readonly HandlerRegistration[] {
    const { informers } = this.#options;
    const changed = (): void => onEvent({ type: "devices-changed" });
    return [
      informers.informer(ResourceSlice).addEventHandler({ onAdd: changed, onUpdate: changed }),
      informers.informer(DeviceClass).addEventHandler((change) => {
        if (change.type === "resync" || change.type === "deleted") return;
        onEvent({ type: "devices-changed", provides: newlyProvided(change) });
      }),
      informers.informer(ResourceClaim).addEventHandler((change) => {
        const { type, object: claim } = change;
        if (type === "resync") return;
        const { uid = "" } = claim.metadata;
        if (type === "deleted") {
          this.#pending.delete(uid);
          this.#devices.set(uid, undefined);
        } else if (claim.status?.allocation !== undefined || !this.#pending.has(uid)) {
          this.#pending.delete(uid);
          this.#devices.set(uid, claim.status?.allocation);
        }
        const previous = type === "added" ? undefined : type === "updated" ? change.previous : claim;
        const now = type === "deleted" ? withoutAllocation(claim) : claim;
        onEvent({ type: "device-claim-changed", claim: now, ...defined({ previous }) });
        this.#bell.ring();
      }),
    ];
  }

  /** The reason why a pod is not tried at all: its claims are not there yet. */
  whyHeld(pod: Pod): string | undefined {
    const claims = claimsFor(pod, this.view);
    return typeof claims === "string" ? claims : undefined;
  }

  /** Whether the pod needs devices. */
  concern(pod: PodInfo): boolean {
    return deviceNeeds(pod, this.view) !== undefined;
  }

  /** Decides the devices of a pod that has been given the node; undefined if it needs none. Nothing else gets them. */
  reserve(
    pod: PodInfo,
    { node, info }: { readonly node: Node; readonly info: NodeInfo },
  ): DeviceReservation | undefined {
    const needs = deviceNeeds(pod, this.view);
    if (needs === undefined) return undefined;
    const on = typeof needs === "string" ? needs : devicesOn(needs, { node, info }, this.view);
    if (typeof on === "string") throw new Error(`running Reserve plugin "DynamicResources": ${on}`);
    const allocations = new Map<string, AllocationResult>();
    for (const each of on.found) {
      const { uid = "" } = each.claim.metadata;
      const newShareId = (): string => this.#newId();
      const allocation = allocationOf(each, { node: node.metadata.name, newShareId });
      this.#pending.add(uid);
      this.#devices.set(uid, allocation);
      allocations.set(uid, allocation);
    }
    return { allocations, extended: on.extended };
  }

  /** Writes the allocations and the reservations of a pod, and waits until its devices are ready. */
  async bind({ pod }: PodInfo, { reserved, timeoutMs }: DeviceBinding, signal: AbortSignal): Promise<void> {
    try {
      const known = claimsFor(pod, this.view);
      if (typeof known === "string") throw new Error(known);
      for (const claim of known) {
        const isReserved = claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid);
        if (!isReserved) await this.#write(claim, { pod, reserved }, signal);
      }
      if (reserved.extended !== undefined) await this.#writeExtended(reserved.extended, { pod, reserved }, signal);
      const claims = [...known, ...(reserved.made ? [reserved.made] : [])];
      const waiting = claims.filter((claim) => hasConditions(reserved.allocations.get(claim.metadata.uid ?? "")));
      if (waiting.length > 0) await this.#ready(waiting, timeoutMs, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Error(`running PreBind plugin "DynamicResources": ${messageOf(error)}`, { cause: error });
    }
  }

  /** Makes the claim for extended resources, with its devices, and tells the pod of it. */
  async #writeExtended(extended: ExtendedClaim, decided: Decided, signal: AbortSignal): Promise<void> {
    const { allocations } = decided.reserved;
    const made = await this.#extended.create(extended, signal);
    decided.reserved.made = made;
    const [before = "", now = ""] = [extended.claim.metadata.uid, made.metadata.uid];
    const allocation = allocations.get(before);
    if (allocation !== undefined) {
      allocations.set(now, allocation);
      this.#pending.add(now);
      this.#devices.set(now, allocation);
    }
    allocations.delete(before);
    this.#forget(before);
    await this.#write(made, decided, signal);
    await this.#extended.tell(decided.pod, { made, mappings: extended.mappings }, signal);
  }

  #forget(uid: string): void {
    if (this.#pending.delete(uid)) this.#devices.set(uid, undefined);
  }

  async #write(cached: ResourceClaim, decided: Decided, signal: AbortSignal): Promise<void> {
    const claims = this.#options.client.resource(ResourceClaim);
    for (let attempt = 0; ; attempt++) {
      const claim = attempt === 0 ? cached : await claims.get(cached.metadata, { signal });
      const held = heldDevices(claim, decided);
      try {
        await this.#reserved(claim, { ...decided, held }, signal);
        return;
      } catch (error) {
        if (isConflict(error) && attempt < 4) continue;
        const what = decided.reserved.allocations.has(cached.metadata.uid ?? "")
          ? "add allocation and reservation"
          : "add reservation";
        throw new Error(`${what} to claim ${claimName(cached)}: ${messageOf(error)}`, { cause: error });
      }
    }
  }

  async #reserved(known: ResourceClaim, { pod, held }: Held, signal: AbortSignal): Promise<void> {
    const claims = this.#options.client.resource(ResourceClaim);
    let claim = known;
    const { finalizers = [] } = claim.metadata;
    if (claim.status?.allocation === undefined && !finalizers.includes(deviceFinalizer)) {
      const metadata = { ...claim.metadata, finalizers: [...finalizers, deviceFinalizer] };
      claim = await claims.update({ ...claim, metadata }, { signal });
    }
    const { name, uid = "" } = pod.metadata;
    const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: "pods", name, uid }];
    const allocationTimestamp = held.allocationTimestamp ?? formatTime(this.#options.clock.now());
    const status = { ...claim.status, allocation: { ...held, allocationTimestamp }, reservedFor };
    await claims.status.update({ ...claim, status }, { signal });
  }

  /** Waits until the drivers report the conditions that the devices need. */
  async #ready(claims: readonly ResourceClaim[], timeoutMs: number, signal: AbortSignal): Promise<void> {
    const deadline = this.#options.clock.monotonic() + timeoutMs;
    while (!claims.every((claim) => isReady(this.view.claim(metaNamespaceKey(claim))))) {
      const left = deadline - this.#options.clock.monotonic();
      if (left <= 0) throw new Error(`device binding timeout: claim=${claims[0]?.metadata.name}`);
      await this.#bell.wait(this.#options.clock, left, signal);
    }
  }

  /** Gives up the claims of a pod that could not be bound: claims that were written stay allocated. */
  async release({ pod }: PodInfo, reserved: DeviceReservation, signal: AbortSignal): Promise<void> {
    const claims = this.#options.client.resource(ResourceClaim);
    for (const uid of reserved.allocations.keys()) this.#forget(uid);
    const known = claimsFor(pod, this.view);
    for (const claim of typeof known === "string" ? [] : known) {
      if (!claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid)) continue;
      const reservedFor = [{ $patch: "delete", uid: pod.metadata.uid }];
      const strategic = { metadata: { uid: claim.metadata.uid }, status: { reservedFor } };
      await claims.status.patch(claim.metadata, { strategic }, { signal }).catch(() => {});
    }
    // a claim that stays is found by the next attempt, and deleted then
    if (reserved.made !== undefined) await this.#extended.delete(reserved.made, signal).catch(() => {});
  }

  /** A claim of the pod that is allocated for other nodes, and that nobody else uses. */
  idleClaim({ pod }: PodInfo, nodes: readonly { readonly node: Node | undefined }[]): ResourceClaim | undefined {
    const claims = claimsFor(pod, this.view);
    return (typeof claims === "string" ? [] : claims).find(
      ({ status }) =>
        status?.allocation !== undefined &&
        (status.reservedFor ?? []).every(({ uid }) => uid === pod.metadata.uid) &&
        nodes.some(({ node }) => node !== undefined && !isReachable(status.allocation?.nodeSelector, node)),
    );
  }

  /** The claim that an earlier attempt made for the pod's extended resources, and left. */
  staleClaim({ pod }: PodInfo): ResourceClaim | undefined {
    return this.view.extendedClaim(pod);
  }

  async delete(stale: ResourceClaim, signal: AbortSignal): Promise<void> {
    await this.#extended.delete(stale, signal);
  }

  /** Takes its devices from a claim, so that it can be allocated for another node. */
  async deallocate(claim: ResourceClaim, signal: AbortSignal): Promise<void> {
    await this.#options.client.resource(ResourceClaim).status.update(withoutAllocation(claim), { signal });
  }

  #newId(): string {
    const { random } = this.#options;
    const digits = (count: number): string => Array.from({ length: count }, () => random.int(16).toString(16)).join("");
    return `${digits(8)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}`;
  }
}

/** A decision about the claims of a pod. */
interface Decided {
  readonly pod: Pod;
  readonly reserved: DeviceReservation;
}

interface Held extends Decided {
  readonly held: AllocationResult;
}

/** The devices that the claim has, or is to get. Throws if it has changed since the decision. */
function heldDevices(claim: ResourceClaim, { reserved }: Decided): AllocationResult {
  const named = claimName(claim);
  const { uid = "", deletionTimestamp } = claim.metadata;
  const decided = reserved.allocations.get(uid);
  const has = claim.status?.allocation;
  if (deletionTimestamp !== undefined) throw new Error(`claim ${named} got deleted in the meantime`);
  if (decided !== undefined && has !== undefined) {
    throw new Error(`claim ${named} got allocated elsewhere in the meantime`);
  }
  const held = decided ?? has;
  if (held === undefined) throw new Error(`claim ${named} got deallocated elsewhere in the meantime`);
  return held;
}

/** The extended resources that a class provides now, and did not before. */
function newlyProvided(change: Exclude<ObjectChange<DeviceClass>, { readonly type: "resync" | "deleted" }>): string[] {
  const { metadata, spec } = change.object;
  const named = spec.extendedResourceName ?? [];
  if (change.type === "added") return [named, `${implicitResourcePrefix}${metadata.name}`].flat();
  return change.previous.spec.extendedResourceName === spec.extendedResourceName ? [] : [named].flat();
}

function withoutAllocation(claim: ResourceClaim): ResourceClaim {
  const { allocation: _allocation, reservedFor: _reservedFor, devices: _devices, ...status } = claim.status ?? {};
  return { ...claim, status };
}

const hasConditions = (allocation: AllocationResult | undefined): boolean =>
  allocation?.devices?.results?.some(({ bindingConditions = [] }) => bindingConditions.length > 0) ?? false;

/** Throws if a device reports that it cannot be prepared. */
function isReady(claim: ResourceClaim | undefined): boolean {
  if (claim?.status?.allocation === undefined) return false;
  return (claim.status.allocation.devices?.results ?? []).every((result) => {
    const { driver, pool, device, bindingConditions = [], bindingFailureConditions = [] } = result;
    if (bindingConditions.length === 0) return true;
    const status = claim.status?.devices?.find(
      (one) => one.driver === driver && one.pool === pool && one.device === device,
    );
    const isTrue = (type: string): boolean => isConditionTrue(status?.conditions, type);
    const failed = bindingFailureConditions.find(isTrue);
    if (failed !== undefined) {
      const { reason = "", message = "" } = findCondition(status?.conditions, failed) ?? {};
      throw new Error(
        `device binding failed: claim=${claim.metadata.name}, reason=${reason}, message=${JSON.stringify(message)}`,
      );
    }
    return bindingConditions.every(isTrue);
  });
}
