/** A controller that mirrors ConfigMaps into Secrets, on a manager and an embedded server of its own. */
import { ConfigMap, isControlledBy, type KubeObject, newControllerRef, Secret } from "../../src/api/index.js";
import { FakeClock, type Transport } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { type ControllerOptions, TerminalError } from "../../src/controller/index.js";
import { Manager, type ManagerOptions } from "../../src/manager/index.js";
import { startTestServer } from "../../src/testing/cluster.js";

/** Keeps a Secret of the same name and text for each ConfigMap. */
export function mirror(change: Partial<ControllerOptions<ConfigMap>> = {}): ControllerOptions<ConfigMap> {
  return {
    name: "mirror",
    for: ConfigMap,
    owns: [Secret],
    async reconcile({ object, cache, client, events }) {
      const have = cache.get(Secret, object.metadata);
      if (have !== undefined && !isControlledBy(have, object)) {
        events.warning(object, "ErrResourceExists", `Secret ${have.metadata.name} is not ours`);
        throw new TerminalError(`Secret ${have.metadata.name} is not ours`);
      }
      await client.apply(secretFor(object));
      events.normal(object, "Synced", "all well");
    },
    ...change,
  };
}

export function secretFor(object: ConfigMap): Secret {
  const { name, namespace = "" } = object.metadata;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, ownerReferences: [newControllerRef(object)] },
    data: { text: btoa(object.data?.["text"] ?? "") },
  };
}

export async function setup(
  options: Partial<ManagerOptions> & { readonly wrap?: (transport: Transport) => Transport } = {},
) {
  const { wrap = (transport: Transport) => transport, ...rest } = options;
  const clock = new FakeClock();
  const server = await startTestServer({ clock });
  const direct = new Client({ transport: server.transport(), clock });
  const requests: string[] = [];
  const counted: Transport = (request, signal) => {
    requests.push(`${request.method} ${request.path.split("?")[0]}`);
    return server.transport()(request, signal);
  };
  const client = new Client({ transport: wrap(counted), clock });
  const manager = await Manager.create({ client, clock, ...rest });
  const maps = direct.resource(ConfigMap, { namespace: "default" });
  const secrets = direct.resource(Secret, { namespace: "default" });
  const writes = (): string[] =>
    requests.filter((request) => !request.startsWith("GET") && !request.includes("events"));
  return { clock, server, direct, client, manager, maps, secrets, requests, writes };
}

export const map = (name: string, text = "1", metadata: Partial<KubeObject["metadata"]> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", ...metadata },
  data: { text },
});
