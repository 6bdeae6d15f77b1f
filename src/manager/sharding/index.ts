/** sharding: several processes share the objects of a program, each of which is reconciled by one process at a time. */
export { checkSharding, type Sharding, type ShardingOptions, shardingOf } from "./options.js";
export { ShardCaches } from "./shard-caches.js";
export type { GroupClient } from "./leases.js";
export { Sharder, type SharderOptions } from "./sharder.js";
export type { Acquisitions, ShardPass } from "./holds.js";
