/** Small operators for tests of the simulation: one that is right, and ones with a single bug each. */
import { ConfigMap, type KubeObject, newControllerRef, Secret } from "../../src/api/index.js";
import type { ControllerOptions } from "../../src/controller/index.js";
import { Manager } from "../../src/manager/index.js";
import type { OperatorTools, ScenarioTools } from "../../src/testing/index.js";

const namespace = "default";

export async function managerWith<T extends KubeObject>(
  { client, clock, random }: OperatorTools,
  controller: ControllerOptions<T>,
): Promise<Manager> {
  const manager = await Manager.create({ client, clock, random });
  manager.controller(controller);
  return manager;
}

/** Each ConfigMap gets a Secret of its name with the same data. */
export const copies: ControllerOptions<ConfigMap> = {
  name: "copies",
  for: ConfigMap,
  owns: [Secret],
  async reconcile({ object, client }) {
    const { name } = object.metadata;
    await client.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace, ownerReferences: [newControllerRef(object)] },
      stringData: object.data ?? {},
    });
  },
};

/** Its Secrets have generated names, and it believes its cache: after a lost answer it makes a second one. */
export const hasty: ControllerOptions<ConfigMap> = {
  ...copies,
  name: "hasty",
  async reconcile({ object, client, cache }) {
    const { uid } = object.metadata;
    const made = cache.list(Secret, { namespace }).some(({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid);
    if (made) return;
    await client.create({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { generateName: "copy-", namespace, ownerReferences: [newControllerRef(object)] },
    });
  },
};

/** It does not watch its Secrets: one that somebody else deletes is not made again. */
export const unwatching: ControllerOptions<ConfigMap> = { ...copies, name: "unwatching", owns: [], reads: [Secret] };

/** It makes two Secrets, and takes the first for a sign that the second is there too: a crash between the two writes is for ever. */
export const inTwoSteps: ControllerOptions<ConfigMap> = {
  ...copies,
  name: "in-two-steps",
  async reconcile({ object, client, cache }) {
    const { name } = object.metadata;
    const secret = (suffix: string) =>
      ({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: `${name}-${suffix}`, namespace, ownerReferences: [newControllerRef(object)] },
      }) as const;
    if (cache.get(Secret, { namespace, name: `${name}-first` }) !== undefined) return;
    await client.create(secret("first"));
    await client.create(secret("second"));
  },
};

export async function twoMaps({ client, sleep }: ScenarioTools): Promise<void> {
  const maps = client.resource(ConfigMap, { namespace });
  await maps.create({ metadata: { name: "a" }, data: { key: "1" } });
  await sleep(1_000);
  await maps.create({ metadata: { name: "b" }, data: { key: "2" } });
  await maps.patch("a", { merge: { data: { key: "3" } } });
}
