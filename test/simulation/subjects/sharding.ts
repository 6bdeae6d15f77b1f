/** Two managers that share the objects of four namespaces, and cache their own shards alone. */
import { ConfigMap, Namespace, newControllerRef, Secret } from "../../../src/api/index.js";
import { Manager } from "../../../src/manager/index.js";
import type { SimulateOptions } from "../../../src/testing/index.js";

const tenants = ["tenant-0", "tenant-1", "tenant-2", "tenant-3"];

const subject: SimulateOptions = {
  replicas: 2,
  async setup({ client }) {
    for (const name of tenants) await client.resource(Namespace).create({ metadata: { name } });
  },
  async operator({ client, clock, random, replica }) {
    const lease = { name: "copies", namespace: "default" };
    const sharding = { lease, shards: 4, identity: `replica-${replica}`, limitCaches: true };
    const manager = await Manager.create({ client, clock, random, sharding });
    manager.controller({
      name: "copies",
      for: ConfigMap,
      owns: [Secret],
      // two writes, so that two processes at one key would show
      async reconcile({ object, client: writer }) {
        const { name, namespace = "" } = object.metadata;
        for (const part of ["first", "second"]) {
          const metadata = { name: `${name}-${part}`, namespace, ownerReferences: [newControllerRef(object)] };
          await writer.apply({ apiVersion: "v1", kind: "Secret", metadata, stringData: object.data ?? {} });
        }
      },
    });
    return manager;
  },
  async scenario({ client, sleep }) {
    const maps = (namespace: string) => client.resource(ConfigMap, { namespace });
    for (const namespace of tenants) {
      await maps(namespace).create({ metadata: { name: "a" }, data: { key: "1" } });
      await sleep(10_000);
    }
    for (const namespace of tenants) await maps(namespace).patch("a", { merge: { data: { key: "2" } } });
  },
};
export default subject;
