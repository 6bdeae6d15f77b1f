/**
 * Random lives of workloads: the same changes on both sides, each after the last has come to rest. The name contains
 * the seed.
 */
import {
  DaemonSet,
  Deployment,
  type KubeObject,
  Pod,
  type ResourceType,
  StatefulSet,
} from "../../../../src/api/index.js";
import { type Random, seededRandom } from "../../../../src/base/index.js";
import type { Scenario, Stage } from "../scenario.js";
import { selector, template } from "./shapes.js";

/** The number of lives of each kind. */
const lives = Number(process.env["CONTROLLER_LIVES"] ?? 3);
const changesInALife = 7;
const firstSeed = Number(process.env["CONTROLLER_SEED"] ?? 1);

type Change = (random: Random) => unknown;

const oneOf = <T>(random: Random, values: readonly T[]): T => values[random.int(values.length)] as T;

const newImage: Change = (random) => ({
  spec: { template: { spec: { containers: [{ name: "c", image: oneOf(random, ["one", "two", "three"]) }] } } },
});
const newSize: Change = (random) => ({ spec: { replicas: oneOf(random, [0, 1, 2, 3, 5]) } });
const newProof: Change = (random) => ({ spec: { minReadySeconds: oneOf(random, [0, 1]) } });
const newNote: Change = (random) => ({ metadata: { annotations: { note: oneOf(random, ["a", "b"]) } } });
const newHistory: Change = (random) => ({ spec: { revisionHistoryLimit: oneOf(random, [0, 1, 10]) } });

/** Makes pods of the template ready or never ready. */
const newReadiness: Change = (random) => ({
  spec: { template: { metadata: { annotations: { "coxswain.dev/ready": oneOf(random, ["false", null, null]) } } } },
});
const newSurge: Change = (random) => {
  const [maxSurge, maxUnavailable] = oneOf(random, [
    [1, 0],
    [0, 1],
    ["50%", "50%"],
    ["100%", 0],
  ] as const);
  return { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } } };
};

const changesOfDeployments: readonly Change[] = [
  newImage,
  newImage,
  newSize,
  newSize,
  newProof,
  newNote,
  newHistory,
  newReadiness,
  newSurge,
  (random) => ({ spec: { paused: oneOf(random, [true, false, false]) } }),
  (random) => ({
    spec: { strategy: oneOf(random, [{ type: "Recreate", rollingUpdate: null }, { type: "RollingUpdate" }]) },
  }),
];

const changesOfStatefulSets: readonly Change[] = [
  newImage,
  newImage,
  newSize,
  newSize,
  newProof,
  newHistory,
  newReadiness,
  (random) => ({
    spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: oneOf(random, [0, 1, 2]) } } },
  }),
  () => ({ spec: { updateStrategy: { type: "OnDelete", rollingUpdate: null } } }),
  (random) => ({ spec: { ordinals: { start: oneOf(random, [0, 1, 4]) } } }),
];

const changesOfDaemonSets: readonly Change[] = [
  newImage,
  newImage,
  newNote,
  newHistory,
  newProof,
  newReadiness,
  (random) => {
    const [maxSurge, maxUnavailable] = oneOf(random, [
      [0, 1],
      [0, "100%"],
      [1, 0],
      ["100%", 0],
    ] as const);
    return { spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } } };
  },
  () => ({ spec: { updateStrategy: { type: "OnDelete", rollingUpdate: null } } }),
];

/** Pod names are random, so pods are chosen by a description that is the same on both sides. */
const looksOf = ({ metadata, spec }: Pod): string =>
  [
    spec?.containers[0]?.image,
    metadata.annotations?.["coxswain.dev/ready"],
    metadata.labels?.["pod-template-generation"],
    metadata.name,
  ].join();

/** Deletes a pod or changes the workload; then waits until everything is at rest. */
async function live<T extends KubeObject>(
  stage: Stage,
  type: ResourceType<T>,
  { random, changes }: { readonly random: Random; readonly changes: readonly Change[] },
): Promise<void> {
  await stage.quiet();
  for (let step = 0; step < changesInALife; step++) {
    const pods = (await stage.pods()).toSorted((a, b) => (looksOf(a) < looksOf(b) ? -1 : 1));
    // drawn in any case, so that later draws do not depend on the pods
    const deletes = random.next() < 0.2;
    const change = oneOf(random, changes)(random);
    if (deletes && pods[0] !== undefined) await stage.of(Pod).delete(pods[0].metadata.name);
    else await stage.patch(type, "w", change);
    await stage.quiet();
    if (step === Math.floor(changesInALife / 2)) stage.note("half");
  }
}

const scenarioOf = <T extends KubeObject>(
  kind: string,
  seed: number,
  {
    type,
    spec,
    changes,
  }: { readonly type: ResourceType<T>; readonly spec: unknown; readonly changes: readonly Change[] },
): Scenario => ({
  name: `random-${kind}-${seed}`,
  loose: true,
  async run(stage) {
    const random = seededRandom(seed);
    await stage.create(type, { metadata: { name: "w" }, spec } as never);
    await live(stage, type, { random, changes });
  },
});

const daemonTemplate = template({
  spec: { nodeSelector: { own: "daemons" }, tolerations: [{ key: "own", operator: "Exists" as const }] },
});

export const randomLives: readonly Scenario[] = Array.from({ length: lives }, (_, i) => firstSeed + i).flatMap(
  (seed) => [
    scenarioOf("deployment", seed, {
      type: Deployment,
      spec: { replicas: 2, selector, template: template() },
      changes: changesOfDeployments,
    }),
    scenarioOf("statefulset", seed, {
      type: StatefulSet,
      spec: { replicas: 2, serviceName: "w", selector, template: template() },
      changes: changesOfStatefulSets,
    }),
    scenarioOf("parallel", seed, {
      type: StatefulSet,
      spec: { replicas: 2, serviceName: "w", podManagementPolicy: "Parallel", selector, template: template() },
      changes: changesOfStatefulSets,
    }),
    scenarioOf("daemonset", seed, {
      type: DaemonSet,
      spec: { selector, template: daemonTemplate },
      changes: changesOfDaemonSets,
    }),
  ],
);
