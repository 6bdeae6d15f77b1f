/** An operator for Sites: a controller, a webhook that fills in and judges, and the conversion of old versions. */
import { type Client, type ControllerOptions, Deployment, type Logger, Manager, newControllerRef } from "coxswain";
import { fieldPath } from "coxswain/api";
import { Site } from "./site.js";

const spec = fieldPath("spec");

const place = ({
  metadata: { name, namespace = "" },
}: Site): { readonly name: string; readonly namespace: string } => ({
  name,
  namespace,
});

export const siteController: ControllerOptions<Site> = {
  name: "sites",
  for: Site,
  owns: [Deployment],
  reconcile: async ({ object: site, client: writer }) => {
    const labels = { site: site.metadata.name };
    const containers = [{ name: "web", image: "nginx", env: [{ name: "HOSTS", value: site.spec.hosts.join(" ") }] }];
    const deployment = await writer.apply(Deployment, {
      metadata: { ...place(site), ownerReferences: [newControllerRef(site, Site)] },
      spec: {
        replicas: site.spec.replicas ?? 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    await writer.status(Site).patch(site, { readyReplicas: deployment.status?.readyReplicas ?? 0 });
  },
};

export interface OperatorOptions {
  readonly client: Client;
  readonly log: Logger;
  /** The port of the webhooks; 0 takes any free one. */
  readonly port: number;
}

export function siteManager({ client, log, port }: OperatorOptions): Manager {
  const manager = new Manager({
    client,
    log,
    webhooks: {
      name: "site-operator",
      port,
      certificates: { secret: { name: "site-operator-webhooks", namespace: "default" } },
    },
  });

  manager.webhook({
    for: Site,
    default: ({ object }) =>
      object.spec.replicas === undefined ? { ...object, spec: { ...object.spec, replicas: 1 } } : object,
    validate: ({ object, old }) => {
      const { hosts, port: own } = object.spec;
      const doubled = hosts.filter((host, i) => hosts.indexOf(host) < i);
      return [
        ...doubled.map((host) => spec.child("hosts").index(hosts.lastIndexOf(host)).duplicate(host)),
        ...(old !== undefined && old.spec.port !== own ? [spec.child("port").forbidden("the port is fixed")] : []),
      ];
    },
    warn: ({ object }) => (object.spec.replicas === 0 ? `${object.metadata.name} will not be reachable` : undefined),
  });

  manager.controller(siteController);
  return manager;
}
