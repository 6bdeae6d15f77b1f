/** Allocates the devices of pods: keeps account of devices in use, and writes claims before their pods are bound. */
import {
  type AllocationResult,
  DeviceClass,
  findCondition,
  formatTime,
  isConflict,
  metaNamespaceKey,
  type Node,
  type Pod,
  ResourceClaim,
  ResourceSlice,
} from "../../api/index.js";
import { abortable, type Clock, messageOf, type Random, type Steps } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import type { HandlerRegistration, SharedInformerFactory } from "../../informer/index.js";
import { deviceFinalizer } from "../../placement/device-claims.js";
import type { ClusterEvent } from "../filters/filter.js";
import type { PodInfo } from "../state/pod-info.js";
import { AllocatedDevices } from "./allocated.js";
import { claimsFor, devicesOn, type DeviceView, isReachable } from "./device-filter.js";
import { poolIdOf } from "./pools.js";
import { claimName, type DeviceTest } from "./requests.js";
import { allocationOf } from "./result.js";
import { Selectors } from "./selectors.js";

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

/** The allocations that were decided for a pod, by the uids of its claims. */
export type DeviceReservation = ReadonlyMap<string, AllocationResult>;

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
  readonly #wakes = new Set<() => void>();

  constructor(options: DeviceClaimsOptions) {
    this.#options = options;
    this.#selectors = new Selectors(options.selector);
    const claims = options.informers.informer(ResourceClaim).indexer;
    const classes = options.informers.informer(DeviceClass).indexer;
    const slices = options.informers.informer(ResourceSlice);
    slices.addIndexers({
      [onNode]: ({ spec }) => [spec.nodeName && (spec.sharedCounters ?? []).length === 0 ? spec.nodeName : noNode],
      [ofPool]: (slice) => [poolIdOf(slice)],
    });
    this.view = {
      inUse: this.#devices,
      claim: (key) => claims.get(key),
      isPending: ({ metadata: { uid = "" } }) => this.#pending.has(uid),
      deviceClass: (name) => classes.get(name),
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
    const any = { onAdd: changed, onUpdate: changed };
    return [
      informers.informer(ResourceSlice).addEventHandler(any),
      informers.informer(DeviceClass).addEventHandler(any),
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
        onEvent({ type: "device-claim-changed", claim: now, ...(previous && { previous }) });
        for (const wake of this.#wakes) wake();
      }),
    ];
  }

  /** The reason why a pod is not tried at all: its claims are not there yet. */
  whyHeld(pod: Pod): string | undefined {
    const claims = claimsFor(pod, this.view);
    return typeof claims === "string" ? claims : undefined;
  }

  /** Decides the devices of a pod that has been given the node. Nothing else gets them from now on. */
  reserve({ pod }: PodInfo, node: Node): DeviceReservation {
    const claims = claimsFor(pod, this.view);
    const found = typeof claims === "string" ? claims : devicesOn(claims, node, this.view);
    if (typeof found === "string") throw new Error(`running Reserve plugin "DynamicResources": ${found}`);
    const reserved = new Map<string, AllocationResult>();
    for (const each of found) {
      const { uid = "" } = each.claim.metadata;
      const newShareId = (): string => this.#newId();
      const allocation = allocationOf(each, { node: node.metadata.name, newShareId });
      this.#pending.add(uid);
      this.#devices.set(uid, allocation);
      reserved.set(uid, allocation);
    }
    return reserved;
  }

  /** Writes the allocations and the reservations of a pod, and waits until its devices are ready. */
  async bind({ pod }: PodInfo, { reserved, timeoutMs }: DeviceBinding, signal: AbortSignal): Promise<void> {
    try {
      const claims = claimsFor(pod, this.view);
      if (typeof claims === "string") throw new Error(claims);
      for (const claim of claims) {
        const isReserved = claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid);
        if (!isReserved) await this.#write(claim, { pod, reserved }, signal);
      }
      const waiting = claims.filter((claim) => hasConditions(reserved.get(claim.metadata.uid ?? "")));
      if (waiting.length > 0) await this.#ready(waiting, timeoutMs, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Error(`running PreBind plugin "DynamicResources": ${messageOf(error)}`, { cause: error });
    }
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
        const what = decided.reserved.has(cached.metadata.uid ?? "")
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
      let wake = (): void => {};
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      this.#wakes.add(wake);
      using _timer = this.#options.clock.timer(left, wake);
      try {
        await abortable(changed, signal);
      } finally {
        this.#wakes.delete(wake);
      }
    }
  }

  /** Gives up the claims of a pod that could not be bound: claims that were written stay allocated. */
  async release({ pod }: PodInfo, reserved: DeviceReservation, signal: AbortSignal): Promise<void> {
    const claims = this.#options.client.resource(ResourceClaim);
    for (const uid of reserved.keys()) {
      if (this.#pending.delete(uid)) this.#devices.set(uid, undefined);
    }
    const known = claimsFor(pod, this.view);
    for (const claim of typeof known === "string" ? [] : known) {
      if (!claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid)) continue;
      const reservedFor = [{ $patch: "delete", uid: pod.metadata.uid }];
      const strategic = { metadata: { uid: claim.metadata.uid }, status: { reservedFor } };
      await claims.status.patch(claim.metadata, { strategic }, { signal }).catch(() => {});
    }
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
  const decided = reserved.get(uid);
  const has = claim.status?.allocation;
  if (deletionTimestamp !== undefined) throw new Error(`claim ${named} got deleted in the meantime`);
  if (decided !== undefined && has !== undefined) {
    throw new Error(`claim ${named} got allocated elsewhere in the meantime`);
  }
  const held = decided ?? has;
  if (held === undefined) throw new Error(`claim ${named} got deallocated elsewhere in the meantime`);
  return held;
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
    const isTrue = (type: string): boolean => findCondition(status?.conditions, type)?.status === "True";
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
