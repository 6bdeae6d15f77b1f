/** The replicas of a fleet share its clusters: takes the shards of a process, says on which clusters it may work. */
import type { Sharder } from "../sharding/index.js";
import { shardOf } from "../sharding/plan.js";
import type { TermSource } from "../leader-election/index.js";

/** The right to work on a cluster, until it is disposed. */
interface ClusterTurn extends Disposable {
  /** Aborts when the cluster is to be given to another replica: the work must end, and runs in flight may finish. */
  readonly leaving: AbortSignal;
  /** Aborts when the cluster may be another replica's by now. */
  readonly lost: AbortSignal;
  /** For the fence: the cluster is written to only during this term. */
  readonly leader: TermSource;
}

export interface ClusterTurns {
  /** Undefined if the cluster belongs to another replica now. */
  enter(cluster: string): ClusterTurn | undefined;
  /** Called when clusters may have become ours. */
  onAcquired(tell: () => void): Disposable;
}

/** A cluster belongs to a shard by its name, as objects do by their namespace. */
export function clusterTurns(sharder: Sharder): ClusterTurns {
  return {
    enter(cluster) {
      const pass = sharder.enter(shardOf(cluster, sharder.shards));
      if (pass === undefined) return undefined;
      const isOurs = (): boolean => {
        try {
          pass.check();
          return true;
        } catch {
          return false;
        }
      };
      return {
        leaving: pass.leaving,
        lost: pass.lost,
        leader: {
          get term() {
            return isOurs() ? sharder.term : undefined;
          },
        },
        [Symbol.dispose]: () => pass[Symbol.dispose](),
      };
    },
    onAcquired: (tell) => sharder.onAcquired(tell),
  };
}
