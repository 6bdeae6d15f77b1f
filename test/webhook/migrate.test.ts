import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { crdOf, CustomResourceDefinition, type KubeObject } from "../../src/api/index.js";
import { runCommandLine } from "../../src/cli/program.js";
import { type Client, connect, installDefinition, migrateStorage } from "../../src/client/index.js";
import { startCluster } from "../../src/testing/cluster.js";
import { envtestAssets } from "../../src/testing/envtest.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { eventually } from "../eventually.js";
import { fooKinds, fooManager } from "./foo.js";

const { Foo, FooV1, FooV1alpha1 } = fooKinds("migration.example.com");
const definition = "foos.migration.example.com";

/** Two objects that are stored in the old version, under a definition that stores the new one. */
async function prepared(client: Client): Promise<void> {
  await installDefinition(client, crdOf(FooV1alpha1, FooV1));
  const manager = fooManager(client, Foo);
  const run = manager.start();
  onTestFinished(() => run.close());
  await eventually("the manager is ready", () => manager.problems().length === 0);
  const old = client.resource(FooV1alpha1, { namespace: "default" });
  // a moment later, the server converts for the webhook
  const probe = { metadata: { name: "probe" }, spec: { size: "1" } };
  await eventually("objects are converted", () =>
    old.create(probe, { dryRun: true }).then(
      () => true,
      () => false,
    ),
  );
  for (const name of ["migrate-a", "migrate-b"]) await old.create({ metadata: { name }, spec: { size: "1" } });
  await installDefinition(client, crdOf(Foo));
  // a real server serves the new definition a moment later
  await eventually("the new version is stored", async () => {
    const made = await client.resource(Foo, { namespace: "default" }).list();
    return made.items.length >= 2;
  });
}

const storedVersions = async (client: Client): Promise<readonly string[] | undefined> =>
  (await client.resource(CustomResourceDefinition).get(definition)).status?.storedVersions;

describe("migration to a new storage version", () => {
  test("writes every object in the new version, and forgets the old one", async () => {
    await using cluster = await startCluster();
    const { client, server } = cluster;
    await prepared(client);
    const storedIn = (): readonly string[] =>
      server.store
        .list({ collection: "migration.example.com/foos", prefix: "", from: "" })
        .items.map(({ object }: { readonly object: KubeObject }) => object.apiVersion);
    expect(storedIn()).toEqual(["migration.example.com/v1alpha1", "migration.example.com/v1alpha1"]);
    expect(await storedVersions(client)).toEqual(["v1alpha1", "v1"]);
    const progress: number[] = [];
    const migration = await migrateStorage(client, Foo, { onProgress: ({ migrated }) => progress.push(migrated) });
    expect(migration).toEqual({ migrated: 2, gone: 0, version: "v1", forgotten: ["v1alpha1"] });
    expect(progress).toEqual([1, 2]);
    expect(storedIn()).toEqual(["migration.example.com/v1", "migration.example.com/v1"]);
    expect(await storedVersions(client)).toEqual(["v1"]);
    expect(await migrateStorage(client, definition)).toMatchObject({ migrated: 2, forgotten: [] });
    await expect(migrateStorage(client, "none.example.com")).rejects.toThrow("not found");
  }, 120_000);

  test.skipIf(!hasRealCluster())(
    "on a real kube-apiserver, by the command; kubectl sees both versions",
    async () => {
      const { kubeconfig } = await realCluster();
      await using client = await connect({ kubeconfig });
      await prepared(client);
      const kubectl = async (...args: readonly string[]): Promise<string> => {
        const program = join(envtestAssets() as string, "kubectl");
        return (await promisify(execFile)(program, [...args, `--kubeconfig=${kubeconfig}`])).stdout;
      };
      const sizes = "jsonpath={.items[*].spec.size}";
      expect(await kubectl("get", "foos.v1alpha1.migration.example.com", "-o", sizes)).toContain("1 1");
      const replicas = "jsonpath={.items[*].spec.replicas}";
      expect(await kubectl("get", "foos.v1.migration.example.com", "-o", replicas)).toContain("1 1");
      const lines: string[] = [];
      const terminal = {
        out: (text: string) => void lines.push(text),
        err: (text: string) => void lines.push(text),
        stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
      };
      expect(await runCommandLine(["migrate", definition, "--kubeconfig", kubeconfig], terminal)).toBe(0);
      expect(lines.join("")).toContain("objects of foos.migration.example.com are stored in v1\n");
      expect(lines.join("")).toContain("no object is stored in v1alpha1 any more");
      expect(await storedVersions(client)).toEqual(["v1"]);
      await client.resource(CustomResourceDefinition).delete(definition);
    },
    120_000,
  );
});
