/** Keeps a Deployment for every Website. */
import { connect, Deployment, installDefinition, isFreeFor, Manager, managerOptionsFrom, runProgram } from "coxswain";
import { crdOf, defineResource, newControllerRef, type ObjectOf } from "coxswain/api";

const Website = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Website",
  plural: "websites",
  scope: "Namespaced",
  schema: {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["image"],
        properties: { image: { type: "string" }, replicas: { type: "integer", minimum: 0, default: 1 } },
      },
      status: { type: "object", properties: { available: { type: "integer" } } },
    },
  },
});
type Website = ObjectOf<typeof Website>;

function deploymentFor(site: Website): Deployment {
  const { name, namespace = "default" } = site.metadata;
  const labels = { website: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, ownerReferences: [newControllerRef(site, Website)] },
    spec: {
      replicas: site.spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: site.spec.image }] } },
    },
  };
}

process.exitCode = await runProgram(async ({ flags, signal, log }) => {
  await using client = await connect(flags);
  await installDefinition(client, crdOf(Website), { signal });
  const manager = await Manager.create(managerOptionsFrom(flags, { name: "website", client, log }));
  manager.controller({
    name: "website",
    for: Website,
    owns: [Deployment],
    async reconcile({ object: site, cache, client, events }) {
      const before = cache.get(Deployment, site.metadata);
      if (!isFreeFor(before, site)) throw new Error(`Deployment ${site.metadata.name} belongs to somebody else`);
      const deployment = await client.apply(deploymentFor(site));
      if (deployment.metadata.generation !== before?.metadata.generation)
        events.normal(site, "Deployed", `${site.spec.replicas} of ${site.spec.image} wanted`);
      await client.status(Website).patch(site, { available: deployment.status?.availableReplicas ?? 0 });
    },
  });
  await manager.run({ signal });
});
