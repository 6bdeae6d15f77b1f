/** The plan of a sharded group: takes the names of its members, gives the owner of each shard; and finds the shard of a text. */
import { fnv1a } from "../../base/random.js";

/**
 * The owner of each shard, by rendezvous hashing: every pair of a shard and a member has a score, and pairs are taken by
 * falling score. No member gets more than its share, rounded up. All members that see the same others make the same
 * plan, in whatever order they see them. Without members there is no plan.
 */
export function planShards(members: readonly string[], shards: number): readonly string[] {
  const owners: string[] = [];
  if (members.length === 0) return owners;
  const share = Math.ceil(shards / members.length);
  const loads = new Map<string, number>();
  const pairs = members
    .flatMap((member) =>
      Array.from({ length: shards }, (_, shard) => ({ member, shard, score: scoreOf(member, shard) })),
    )
    .sort((a, b) => b.score - a.score || (a.member < b.member ? -1 : 1));
  for (const { member, shard } of pairs) {
    const load = loads.get(member) ?? 0;
    if (owners[shard] !== undefined || load === share) continue;
    owners[shard] = member;
    loads.set(member, load + 1);
  }
  return owners;
}

/** The shard of a text; the same in every process and version, or two replicas would reconcile one object. */
export function shardOf(text: string, shards: number): number {
  return scatter(text) % shards;
}

const scoreOf = (member: string, shard: number): number => scatter(`${shard}/${member}`);

/** FNV-1a, and the last mixing step of MurmurHash3, without which similar texts have similar hashes. */
function scatter(text: string): number {
  let hash = fnv1a(text);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
