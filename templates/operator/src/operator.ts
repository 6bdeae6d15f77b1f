/** The operator: keeps a Deployment for every Website, whatever others do to it. */
import { Deployment, isFreeFor, Manager, type ManagerOptions, newControllerRef } from "coxswain";
import { Website } from "./website.js";

/** The Deployment that a Website wants. */
export function deploymentFor(owner: Website): Deployment {
  const { name, namespace = "default" } = owner.metadata;
  const labels = { website: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, ownerReferences: [newControllerRef(owner, Website)] },
    spec: {
      replicas: owner.spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: owner.spec.image }] } },
    },
  };
}

/** Declares, and asks nothing of the server: the program, the tests and `coxswain manifests` call it. */
export function operator(options: ManagerOptions): Manager {
  const manager = new Manager(options);
  manager.controller({
    name: "websites",
    for: Website,
    owns: [Deployment],
    async reconcile({ object, cache, client, events }) {
      const before = cache.get(Deployment, object.metadata);
      if (!isFreeFor(before, object)) throw new Error(`Deployment ${object.metadata.name} belongs to somebody else`);
      const deployment = await client.apply(deploymentFor(object));
      if (deployment.metadata.generation !== before?.metadata.generation)
        events.normal(object, "Deployed", `${object.spec.replicas} of ${object.spec.image} wanted`);
      await client.status(Website).patch(object, { available: deployment.status?.availableReplicas ?? 0 });
    },
  });
  return manager;
}
