/** The Leases of a group: takes the decisions of a member, writes the records that tell the others of them. */
import { formatMicroTime, isAlreadyExists, isConflict, isNotFound, type Lease } from "../../api/index.js";
import type { Clock } from "../../base/index.js";
import { type LeaseSpec, newLease } from "../leader-election/index.js";
import {
  type GroupRules,
  groupLabel,
  holderOf,
  layoutAnnotation,
  memberLease,
  remadeAnnotation,
  roleLabel,
  shardLease,
} from "./group.js";

/** Reads and writes the Leases of a group. `update` must fail with a conflict if the resourceVersion is not the current one. */
export interface GroupClient {
  list(signal: AbortSignal): Promise<readonly Lease[]>;
  get(name: string, signal: AbortSignal): Promise<Lease>;
  create(lease: Lease, signal: AbortSignal): Promise<Lease>;
  update(lease: Lease, signal: AbortSignal): Promise<Lease>;
  /** Deletes this state of the Lease, or nothing. */
  delete(lease: Lease, signal: AbortSignal): Promise<void>;
}

type Role = "layout" | "member" | "shard";

export class GroupLeases {
  readonly #client: GroupClient;
  readonly #rules: GroupRules & { readonly namespace: string };
  readonly #clock: Clock;

  constructor(client: GroupClient, rules: GroupRules & { readonly namespace: string }, clock: Clock) {
    this.#client = client;
    this.#rules = rules;
    this.#clock = clock;
  }

  /** Says that this member lives. Its Lease may have been changed or deleted: then it is read, and written again. */
  async renew(known: Lease | undefined, signal: AbortSignal): Promise<Lease> {
    const name = memberLease(this.#rules, this.#rules.identity);
    if (known !== undefined) {
      try {
        return await this.#client.update(this.#record(known, "member"), signal);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    try {
      return await this.#client.update(this.#record(await this.#client.get(name, signal), "member"), signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return this.#client.create(this.#made(name, "member"), signal);
  }

  /** Writes the layout over this state of the group's Lease; false if another writer was first. */
  setLayout(known: Lease | undefined, signal: AbortSignal): Promise<boolean> {
    return this.#write(known, { name: this.#rules.name, role: "layout", signal });
  }

  /** Takes the shard over from this state of its Lease; false if another writer was first. */
  take(shard: number, known: Lease | undefined, signal: AbortSignal): Promise<boolean> {
    return this.#write(known && unmarked(known), { name: shardLease(this.#rules, shard), role: "shard", signal });
  }

  /** Makes the Lease of a shard anew, for this member to take when nobody can believe any more that it holds the former one. */
  async remake(shard: number, signal: AbortSignal): Promise<void> {
    const made = this.#made(shardLease(this.#rules, shard), "shard");
    const annotations = { [remadeAnnotation]: "true" };
    try {
      await this.#client.create({ ...made, metadata: { ...made.metadata, annotations } }, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** Makes the shard free, if its Lease names this member. */
  async release(shard: number, signal: AbortSignal): Promise<void> {
    const lease = await this.#client.get(shardLease(this.#rules, shard), signal);
    if (holderOf(lease) !== this.#rules.identity) return;
    const renewTime = formatMicroTime(this.#clock.now() * 1000);
    await this.#client.update({ ...lease, spec: { ...lease.spec, holderIdentity: "", renewTime } }, signal);
  }

  /** Takes this member out of the group. */
  async leave(signal: AbortSignal): Promise<void> {
    await this.#client.delete(await this.#client.get(memberLease(this.#rules, this.#rules.identity), signal), signal);
  }

  async #write(
    known: Lease | undefined,
    { name, role, signal }: { readonly name: string; readonly role: Role; readonly signal: AbortSignal },
  ): Promise<boolean> {
    try {
      if (known === undefined) await this.#client.create(this.#made(name, role), signal);
      else await this.#client.update(this.#record(known, role), signal);
      return true;
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  #record(lease: Lease, role: Role): Lease {
    const { layout, identity, leaseDurationMs } = this.#rules;
    const now = formatMicroTime(this.#clock.now() * 1000);
    const holderIdentity = role === "layout" ? layout : identity;
    const isRenewal = role === "member" && holderOf(lease) === holderIdentity;
    const spec: LeaseSpec = {
      ...lease.spec,
      holderIdentity,
      leaseDurationSeconds: leaseDurationMs / 1000,
      acquireTime: isRenewal ? (lease.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (lease.spec?.leaseTransitions ?? -1) + (isRenewal ? 0 : 1),
    };
    return { ...lease, spec };
  }

  #made(name: string, role: Role): Lease {
    const { namespace, name: group, layout } = this.#rules;
    const labels = { [groupLabel]: group, [roleLabel]: role };
    const annotations = role === "member" ? { annotations: { [layoutAnnotation]: layout } } : {};
    return this.#record(newLease({ name, namespace, labels, ...annotations }, {}), role);
  }
}

function unmarked(lease: Lease): Lease {
  const { [remadeAnnotation]: _, ...annotations } = lease.metadata.annotations ?? {};
  return { ...lease, metadata: { ...lease.metadata, annotations } };
}
