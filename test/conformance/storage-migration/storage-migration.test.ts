/**
 * The same storage migrations with our controllers and with the real kube-controller-manager, on real servers whose
 * feature gate is open: the same ends, and the same words in the definition of a custom kind.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigMap, CustomResourceDefinition, StorageVersionMigration } from "../../../src/api/index.js";
import { Lifetime, startRunning } from "../../../src/base/index.js";
import { runControllers, storageMigrator } from "../../../src/builtin/index.js";
import { type Client, connect } from "../../../src/client/index.js";
import { type Envtest, envtestAssets, startEnvtest } from "../../../src/testing/envtest.js";
import { startGuarded } from "../../../src/testing/guarded-process.js";
import { eventually } from "../../eventually.js";

const assets = envtestAssets();
const full = process.env["COXSWAIN_FULL"] === "1";
const gate = "--feature-gates=StorageVersionMigrator=true";

const migrations = {
  maps: { group: "", resource: "configmaps" },
  widgets: { group: "example.com", resource: "widgets" },
  again: { group: "example.com", resource: "widgets" },
  reviews: { group: "authentication.k8s.io", resource: "tokenreviews" },
} as const;

const version = (name: string, storage: boolean) => ({
  name,
  storage,
  served: true,
  schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
});

/** A custom kind whose objects were stored in another version than new ones are. */
async function prepare(client: Client): Promise<void> {
  const definitions = client.resource(CustomResourceDefinition);
  const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
  const spec = { group: "example.com", names, scope: "Namespaced", versions: [version("v1", true)] } as const;
  await definitions.create({ metadata: { name: "widgets.example.com" }, spec });
  const isMade = async (): Promise<boolean> =>
    (await definitions.get("widgets.example.com")).status?.conditions?.some(
      ({ type, status }) => type === "Established" && status === "True",
    ) ?? false;
  await eventually("the definition is established", isMade);
  const versions = [version("v1", false), version("v2", true)];
  await definitions.patch("widgets.example.com", { merge: { spec: { versions } } });
  await eventually("both versions are stored", async () => {
    const { status } = await definitions.get("widgets.example.com");
    return status?.storedVersions?.length === 2;
  });
  await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" }, data: { a: "1" } });
}

function startTheirs(server: Envtest, lifetime: Lifetime): void {
  const { kubeconfig, directory } = server;
  const same = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
  lifetime.use(
    startGuarded(join(assets ?? "", "kube-controller-manager"), {
      args: [
        ...same.map((flag) => `--${flag}=${kubeconfig}`),
        "--leader-elect=false",
        "--secure-port=0",
        `--cert-dir=${directory}`,
        gate,
      ],
      logFile: join(directory, "kube-controller-manager.log"),
    }),
  );
}

async function endsWith(whose: "ours" | "theirs"): Promise<unknown> {
  await using lifetime = new Lifetime();
  const flags = [gate, "--runtime-config=storagemigration.k8s.io/v1beta1=true"];
  const server = lifetime.use(await startEnvtest({ assets: assets ?? "", flags }));
  const { kubeconfig } = server;
  const client = lifetime.use(await connect({ kubeconfig }));
  await prepare(client);
  const resource = client.resource(StorageVersionMigration);
  for (const [name, of] of Object.entries(migrations)) {
    await resource.create({ metadata: { name }, spec: { resource: of } });
  }
  if (whose === "theirs") startTheirs(server, lifetime);
  else {
    const run = (signal: AbortSignal) => runControllers({ client, controllers: [storageMigrator], signal });
    lifetime.use(startRunning(run));
  }
  const isOver = ({ status }: StorageVersionMigration): boolean =>
    status?.conditions?.some((one) => one.type === "Running" && one.status === "False") ?? false;
  await eventually("all migrations are over", async () => (await resource.list()).items.every(isOver), 240_000);
  const told = (conditions: readonly object[] = []) =>
    conditions.map((one) => ({ ...one, lastTransitionTime: undefined })).map((one) => JSON.stringify(one));
  const { items } = await resource.list();
  const { status } = await client.resource(CustomResourceDefinition).get("widgets.example.com");
  return {
    migrations: Object.fromEntries(
      items.map((one) => [
        one.metadata.name,
        [...told(one.status?.conditions), `at a revision: ${one.status?.resourceVersion !== undefined}`],
      ]),
    ),
    definition: told(status?.conditions?.filter(({ type }) => (type as string) === "StorageMigrating")),
    stored: status?.storedVersions,
  };
}

describe.skipIf(assets === undefined || !full)(
  "storage migrations beside the real ones (skipped where KUBEBUILDER_ASSETS is not set, and but for the full run)",
  () => {
    test(`${Object.keys(migrations).length} migrations come to the same end`, { timeout: 900_000 }, async () => {
      const theirs = await endsWith("theirs");
      expect(theirs).toMatchObject({ stored: ["v2"] });
      expect(await endsWith("ours")).toEqual(theirs);
    });
  },
);
