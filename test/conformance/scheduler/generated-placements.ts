/** Sets of nodes and pods by seed, placed by several profiles, for the comparison of schedulers. */
import type { PodSpec } from "../../../src/api/index.js";
import { seededRandom } from "../../../src/base/index.js";
import { all, node, pod, type Scenario, scenario } from "./scenario.js";

/** Pods of random sizes come to nodes of random sizes, one after the other. */
export function generatedPlacements(seed: number, schedulers: readonly string[]): Scenario {
  const random = seededRandom(`placements ${seed}`);
  const pick = <T>(...items: readonly T[]): T => items[random.int(items.length)] as T;
  const nodes = Array.from({ length: 2 + random.int(3) }, (_, i) => {
    // odd sizes, so that hardly two nodes have the same score
    const has = { cpu: `${2_003 + random.int(14_000)}m`, memory: `${2_003 + random.int(30_000)}Mi`, pods: "30" };
    const gpus = random.int(2) === 0 ? {} : { "example.com/gpu": String(1 + random.int(8)) };
    const taints = random.int(4) === 0 ? [{ key: "k", effect: "PreferNoSchedule" as const }] : [];
    return node(`n${i + 1}`, { labels: { size: pick("s", "m", "l") }, has: { ...has, ...gpus }, taints });
  });
  const affinity = (): Partial<PodSpec> =>
    random.int(3) > 0
      ? {}
      : {
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 1 + random.int(100),
                  preference: { matchExpressions: [{ key: "size", operator: "In", values: [pick("s", "m", "l")] }] },
                },
              ],
            },
          },
        };
  const pods = Array.from({ length: 4 + random.int(4) }, (_, i) =>
    pod(`p${i}`, {
      asks: {
        cpu: `${101 + random.int(2_000)}m`,
        memory: `${101 + random.int(4_000)}Mi`,
        ...(random.int(4) === 0 && { "example.com/gpu": String(1 + random.int(3)) }),
      },
      spec: { schedulerName: pick(...schedulers), ...affinity() },
    }),
  );
  return scenario(`placements by seed ${seed}`, all(...nodes), ...pods);
}
