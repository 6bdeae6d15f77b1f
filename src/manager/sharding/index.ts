/** sharding: several processes share the objects of a program, each of which is reconciled by one process at a time. */
export { checkSharding, type ShardingOptions, shardingOf } from "./options.js";
export type { GroupClient } from "./leases.js";
export { Sharder, type SharderOptions } from "./sharder.js";
export type { ShardPass } from "./holds.js";
