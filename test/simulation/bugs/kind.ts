/** The custom kind of the corpus, and the users who ask for it. */
import { crdOf, defineResource, newControllerRef, type ObjectOf, Secret } from "../../../src/api/index.js";
import { installDefinition } from "../../../src/client/index.js";
import type { ScenarioTools, SimulateOptions } from "../../../src/testing/index.js";
import { namespace } from "./bug.js";

export const Cluster = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Cluster",
  plural: "clusters",
  scope: "Namespaced",
  schema: {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["size"],
        properties: {
          size: { type: "integer", minimum: 0, maximum: 9 },
          team: { type: "string", enum: ["red", "blue"] },
          note: { type: "string", maxLength: 20 },
          labels: { type: "object", additionalProperties: { type: "string" } },
        },
      },
      status: {
        type: "object",
        properties: {
          phase: { type: "string" },
          child: { type: "string" },
          observedGeneration: { type: "integer" },
        },
      },
    },
  },
});
export type Cluster = ObjectOf<typeof Cluster>;

export const definition: Required<Pick<SimulateOptions, "setup">> = {
  setup: async ({ client }) => void (await installDefinition(client, crdOf(Cluster))),
};

/** Two clusters, of which one grows. */
export async function clusters({ client, sleep }: ScenarioTools): Promise<void> {
  const all = client.resource(Cluster, { namespace });
  await all.create({ metadata: { name: "a" }, spec: { size: 1, team: "red", labels: { app: "a" } } });
  await all.create({ metadata: { name: "b" }, spec: { size: 2, team: "blue" } });
  await sleep(2_000);
  await all.patch("a", { merge: { spec: { size: 2 } } });
  await sleep(2_000);
}

export const forClusters = { for: Cluster, owns: [Secret] } as const;

interface Child {
  readonly apiVersion: "v1";
  readonly kind: "Secret";
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly ownerReferences: readonly ReturnType<typeof newControllerRef>[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly stringData: Readonly<Record<string, string>>;
}

/** A Secret of the cluster, with its size. */
export function childOf(
  owner: Cluster,
  { name = owner.metadata.name, ...more }: Partial<Pick<Child["metadata"], "name" | "labels" | "annotations">> = {},
  stringData: Readonly<Record<string, string>> = { size: String(owner.spec.size) },
): Child {
  const ownerReferences = [newControllerRef(owner, Cluster)];
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace, ownerReferences, ...more }, stringData };
}
