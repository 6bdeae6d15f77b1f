/**
 * Mistakes of users, each of which must not compile, beside the right form, which must. Nothing here runs: `npm run
 * check` compiles it, and a mistake that has become legal is an error there, because its `@ts-expect-error` is then
 * unused.
 */
import {
  ConfigMap,
  defineResource,
  Deployment,
  type KubeObject,
  type ObjectOf,
  Pod,
  type ResourceType,
  Service,
  withVersions,
} from "../../src/api/index.js";
import type { Client } from "../../src/client/index.js";
import { type ReconcileContext, withConditions } from "../../src/controller/index.js";
import { type Manager, runProgram } from "../../src/manager/index.js";

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
        required: ["host"],
        properties: { host: { type: "string", minLength: 1 }, replicas: { type: "integer", default: 1 } },
      },
      status: { type: "object", properties: { ready: { type: "integer" }, message: { type: "string" } } },
    },
  },
});
type Website = ObjectOf<typeof Website>;

const containers = [{ name: "web", image: "nginx" }];

export async function applying({ client }: ReconcileContext<Website>): Promise<void> {
  const metadata = { name: "web", namespace: "default" };
  const deployment: Deployment = await client.apply(Deployment, { metadata, spec: { replicas: 2 } });
  // @ts-expect-error replicas is misspelt
  await client.apply(Deployment, { metadata, spec: { replcias: 2 } });
  // @ts-expect-error a number is wanted
  await client.apply(Deployment, { metadata, spec: { replicas: "2" } });
  // @ts-expect-error the name is missing
  await client.apply(Deployment, { metadata: { namespace: "default" } });
  // @ts-expect-error two levels down
  await client.apply(Deployment, { metadata, spec: { template: { spec: { containers: [{ nmae: "web" }] } } } });

  const again: Deployment = await client.apply({ apiVersion: "apps/v1", kind: "Deployment", metadata });
  // @ts-expect-error checked by apiVersion and kind
  await client.apply({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replcias: 2 } });
  await client.apply({ apiVersion: "v1", kind: "Pod", metadata, spec: { containers } });
  // @ts-expect-error Pods have no replicas
  await client.apply({ apiVersion: "v1", kind: "Pod", metadata, spec: { replicas: 2 } });
  const site: Website = await client.apply(Website, { metadata, spec: { host: "example.com" } });
  // @ts-expect-error hosts is misspelt, in a custom kind
  await client.apply(Website, { metadata, spec: { hosts: "example.com" } });
  void [deployment, again, site];
}

export async function patching({ client, object }: ReconcileContext<Website>, all: Client): Promise<void> {
  await client.patch(object, { merge: { spec: { replicas: null } } });
  // @ts-expect-error replicas is misspelt
  await client.patch(object, { merge: { spec: { replcias: 3 } } });
  await all.resource(Deployment).patch("web", { merge: { metadata: { labels: { a: null } }, spec: { replicas: 3 } } });
  // @ts-expect-error a Deployment has no such field
  await all.resource(Deployment).patch("web", { merge: { specs: { replicas: 3 } } });
  await client.status(Website).patch(object, { ready: 1, message: undefined });
  // @ts-expect-error the status has no such field
  await client.status(Website).patch(object, { redy: 1 });
}

export function changing({ object, cache }: ReconcileContext<Website>): void {
  // @ts-expect-error objects are shared
  object.spec.replicas = 3;
  // @ts-expect-error so are their metadata
  object.metadata.labels = {};
  const map = cache.get(ConfigMap, object.metadata);
  // @ts-expect-error and whatever a cache gives
  if (map !== undefined) map.data = {};
  // @ts-expect-error lists too
  cache.list(Deployment)[0]?.spec?.template.spec?.containers.push({ name: "a" });
}

export function indexing(manager: Manager): void {
  const byHost = manager.index(Website, ({ spec }) => [spec.host]);
  const sites: readonly Website[] = manager.reader.byIndex(byHost, "example.com");
  // @ts-expect-error an index is a value: a name that nobody declared is none
  manager.reader.byIndex(Website, "hosts", "example.com");
  // @ts-expect-error the function sees Websites
  manager.index(Website, ({ spec }) => [spec.hosts]);
  void sites;
}

export async function iterating(client: Client): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for (const type of [Pod, Service, Website]) {
    for (const object of (await client.resource(type, { namespace: "default" }).list()).items) found.push(object);
  }
  const types: readonly ResourceType[] = [Pod, Service, Website];
  for (const type of types) await client.resource(type).list();
  return found;
}

export const misspelt = [
  defineResource({
    group: "example.com",
    version: "v1",
    kind: "Foo",
    plural: "foos",
    scope: "Namespaced",
    schema: {
      type: "object",
      // @ts-expect-error minLenght is no word of a schema
      properties: { spec: { type: "object", properties: { a: { type: "string", minLenght: 1 } } } },
    },
  }),
  defineResource({
    group: "example.com",
    version: "v1",
    kind: "Foo",
    plural: "foos",
    scope: "Namespaced",
    // @ts-expect-error spce is not among the properties
    schema: { type: "object", required: ["spce"], properties: { spec: { type: "object" } } },
  }),
  defineResource<Website>({
    group: "example.com",
    version: "v1",
    kind: "Website",
    plural: "websites",
    // @ts-expect-error scopes are Namespaced or Cluster
    scope: "Namespace",
  }),
];

export function conditions(site: Website & { readonly status?: { readonly conditions?: readonly never[] } }): void {
  const isUp = site.spec.replicas > 0;
  const ready = { type: "Ready", status: isUp ? "True" : "False", reason: "Counted", message: "" };
  withConditions(site, [ready]);
  // @ts-expect-error the reason is missing
  withConditions(site, [{ type: "Ready", status: "True", message: "" }]);
}

export function flags(): Promise<number> {
  return runProgram(
    { flags: { "dns-file": { type: "string" }, workers: { type: "number", default: 2 } } },
    async (program) => {
      const file: string | undefined = program.flags.dnsFile;
      const workers: number = program.flags.workers;
      // @ts-expect-error nobody declared it
      void program.flags.dnsFiel;
      void [file, workers];
    },
  );
}

const Old = defineResource({
  group: "example.com",
  version: "v1alpha1",
  kind: "Website",
  plural: "websites",
  scope: "Namespaced",
  schema: {
    type: "object",
    required: ["spec"],
    properties: {
      spec: { type: "object", required: ["address"], properties: { address: { type: "string" } } },
    },
  },
});

const toHub = ({ spec }: ObjectOf<typeof Old>) => ({ spec: { host: spec.address, replicas: 1 } });

export const versions = [
  withVersions(Website, { type: Old, toHub, fromHub: ({ spec }) => ({ spec: { address: spec.host } }) }),
  // @ts-expect-error the hub has no address
  withVersions(Website, { type: Old, toHub, fromHub: ({ spec }) => ({ spec: { address: spec.address } }) }),
  // @ts-expect-error the old version has no host
  withVersions(Website, { type: Old, toHub, fromHub: ({ spec }) => ({ spec: { host: spec.host } }) }),
  // @ts-expect-error one direction is missing
  withVersions(Website, { type: Old, toHub }),
];

export function hooks(manager: Manager): void {
  manager.webhook({
    for: Website,
    default: ({ object }) => ({ ...object, spec: { ...object.spec, replicas: 2 } }),
    validate: ({ object, old }) =>
      object.spec.host === old?.spec.host ? [] : { field: "spec.host", message: "fixed" },
  });
  // @ts-expect-error a default must give the object back
  manager.webhook({ for: Website, default: () => {} });
  // @ts-expect-error host is misspelt
  manager.webhook({ for: Website, validate: ({ object }) => object.spec.hots });
  // @ts-expect-error objects are readonly
  manager.webhook({ for: Website, warn: ({ object }) => void (object.spec.host = "x") });
}
