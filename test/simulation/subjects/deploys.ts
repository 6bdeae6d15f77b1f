/** A right operator in a world of workload controllers that its user chose without the garbage collector. */
import { ConfigMap, Deployment, newControllerRef, Service } from "../../../src/api/index.js";
import type { SimulateOptions } from "../../../src/testing/index.js";
import { managerWith } from "../operators.js";

const namespace = "default";

/** A Deployment behind a Service for each ConfigMap. */
export const deploys: SimulateOptions = {
  operator: (tools) =>
    managerWith(tools, {
      name: "deploys",
      for: ConfigMap,
      owns: [Deployment, Service],
      async reconcile({ object, client }) {
        const { name } = object.metadata;
        const metadata = { name, namespace, ownerReferences: [newControllerRef(object)] };
        const labels = { app: name };
        const containers = [{ name: "main", image: "web:1" }];
        const template = { metadata: { labels }, spec: { automountServiceAccountToken: false, containers } };
        const replicas = Number(object.data?.["size"]);
        const spec = { replicas, selector: { matchLabels: labels }, template };
        await client.apply({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec });
        const ports = [{ port: 80 }];
        await client.apply({ apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports } });
      },
    }),
  async scenario({ client, sleep }) {
    const maps = client.resource(ConfigMap, { namespace });
    await maps.create({ metadata: { name: "a" }, data: { size: "1" } });
    await sleep(20_000);
    await maps.patch("a", { merge: { data: { size: "2" } } });
    await sleep(20_000);
  },
  world: { controllers: ["deployment", "replicaset", "endpointslice"], nodes: 1 },
};
