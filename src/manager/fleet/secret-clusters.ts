/** A provider of clusters from Secrets with kubeconfigs: a cluster comes, changes and goes with its Secret. */
import { Secret } from "../../api/index.js";
import { yamlToJson } from "../../api/yaml/index.js";
import { type Logger, messageOf, silentLogger } from "../../base/index.js";
import { aborted } from "../../base/abort.js";
import { type Client, connect, type Kubeconfig, parseKubeconfig } from "../../client/index.js";
import { SharedInformerFactory } from "../../informer/index.js";
import type { ClusterProvider, FleetClusters } from "./fleet.js";

export interface SecretClustersOptions {
  /** The cluster that has the Secrets. */
  readonly client: Client;
  readonly namespace: string;
  /** Selects the Secrets, e.g. `example.com/cluster=true`. */
  readonly labelSelector: string;
  /** The member of the Secret's data that has the kubeconfig; `kubeconfig` by default. */
  readonly key?: string;
  /** Makes the client of a cluster; `connect({ kubeconfig })` by default. */
  readonly connect?: (kubeconfig: Kubeconfig, name: string) => Promise<Client>;
  readonly log?: Logger;
}

/** A Secret's name is that of its cluster. A kubeconfig that cannot be used is logged; the cluster that was there before is removed. */
export function secretClusters(options: SecretClustersOptions): ClusterProvider {
  const { client, namespace, labelSelector, log = silentLogger } = options;
  return {
    name: `secrets ${namespace} ${labelSelector}`,
    async run(fleet, { signal }) {
      const clients = new Map<string, { readonly client: Client; readonly text: string }>();
      let changes: Promise<void> = Promise.resolve();
      const follow = (name: string, text: string | undefined): void => {
        changes = changes
          .then(() => change(name, text))
          .catch((error: unknown) => {
            log.error("a Secret gives no cluster", { cluster: name, error: messageOf(error) });
          });
      };
      const change = async (name: string, text: string | undefined): Promise<void> => {
        const known = clients.get(name);
        if (known?.text === text) return;
        await leave(fleet, name, known?.client);
        clients.delete(name);
        if (text === undefined || signal.aborted) return;
        const joined = await connected(options, name, text);
        clients.set(name, { client: joined, text });
        await fleet.add(name, joined);
      };
      const factory = new SharedInformerFactory(client, { clock: client.clock, logger: log });
      const informer = factory.informer(Secret, { namespace, labelSelector });
      informer.addEventHandler(({ type, object }) =>
        follow(object.metadata.name, type === "deleted" ? undefined : kubeconfigOf(object, options)),
      );
      await using _running = factory.start({ signal });
      await aborted(signal);
      await changes;
      await Promise.all(Array.from(clients, ([name, { client: joined }]) => leave(fleet, name, joined)));
    },
  };
}

/** Undefined if the Secret has none. */
function kubeconfigOf({ data }: Secret, { key = "kubeconfig" }: SecretClustersOptions): string | undefined {
  const text = data?.[key];
  return text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
}

/** The clients of the provider are its own: they are closed when nothing uses them any more. */
async function leave(fleet: FleetClusters, name: string, client: Client | undefined): Promise<void> {
  if (client === undefined) return;
  try {
    await fleet.remove(name);
  } finally {
    await client.close();
  }
}

async function connected(options: SecretClustersOptions, name: string, text: string): Promise<Client> {
  const { key = "kubeconfig", connect: make = (kubeconfig: Kubeconfig) => connect({ kubeconfig }) } = options;
  const where = `${key} of Secret ${options.namespace}/${name}`;
  const kubeconfig = parseKubeconfig(JSON.parse(yamlToJson(text).json), where);
  refuseLocal(kubeconfig, where);
  return await make(kubeconfig, name);
}

/** A right to write Secrets must not be a right to run commands here, or to have files of this machine sent elsewhere. */
function refuseLocal({ users, clusters }: Kubeconfig, where: string): void {
  for (const { name, value } of users) {
    const { exec, authProvider, tokenFile, clientCertificate, clientKey } = value;
    if (exec !== undefined || authProvider !== undefined)
      throw new TypeError(
        `${where}: user ${name} runs a command for its credentials; put a token or a certificate into it`,
      );
    if ((tokenFile ?? clientCertificate ?? clientKey) !== undefined)
      throw new TypeError(`${where}: user ${name} names a file of this machine; put the data into the kubeconfig`);
  }
  for (const { name, value } of clusters)
    if (value.certificateAuthority !== undefined)
      throw new TypeError(`${where}: cluster ${name} names a file of this machine; put the data into the kubeconfig`);
}
