/** The Deployment that a Foo stands for. Pure; both styles of the controller use it. */
import { Deployment, newControllerRef } from "coxswain";
import { Foo } from "./foo.js";

export const messages = {
  synced: "Foo synced successfully",
  taken: (name: string) => `Resource "${name}" already exists and is not managed by Foo`,
} as const;

export function deploymentFor(foo: Foo): Deployment {
  const labels = { app: "nginx", controller: foo.metadata.name };
  const { namespace } = foo.metadata;
  return {
    apiVersion: "apps/v1",
    kind: Deployment.kind as "Deployment",
    metadata: {
      name: foo.spec?.deploymentName ?? "",
      ...(namespace === undefined ? {} : { namespace }),
      ownerReferences: [newControllerRef(foo, Foo)],
    },
    spec: {
      ...(foo.spec?.replicas === undefined ? {} : { replicas: foo.spec.replicas }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "nginx", image: "nginx:latest" }] },
      },
    },
  };
}
