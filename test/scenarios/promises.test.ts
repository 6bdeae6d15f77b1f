/** Sentences of docs/controllers.md and docs/testing.md, each held by a test that fails when it is false. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Script } from "node:vm";
import { describe, expect, test } from "vitest";
import { ConfigMap, Deployment, Pod } from "../../src/api/index.js";
import { Manager } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";
import { repository } from "../source-files.js";

describe("docs/controllers.md", () => {
  test("every eighth turn goes to the priority that has waited longest", async () => {
    await using cluster = await startCluster({ clock: "virtual" });
    const { client, clock } = cluster;
    const manager = await Manager.create({ client });
    const order: string[] = [];
    const other = { a: "b", b: "a" } as const;
    const controller = manager.controller({
      name: "c",
      for: ConfigMap,
      concurrency: 1,
      slowHotLoops: false,
      async reconcile({ object: { metadata } }) {
        order.push(metadata.name);
        // one of the two always waits, and comes before what the initial list brought
        const { name, namespace = "" } = metadata;
        if ((name === "a" || name === "b") && order.length < 40) controller.enqueue({ namespace, name: other[name] });
      },
    });
    const maps = client.resource(ConfigMap, { namespace: "default" });
    for (const name of ["a", "b", "old-1", "old-2", "old-3"]) await maps.create({ metadata: { name } });
    for (const name of ["a", "b"]) controller.enqueue({ namespace: "default", name });
    await using _running = manager.start();
    await clock.pass(10_000);
    const turns = ["old-1", "old-2", "old-3"].map((name) => order.indexOf(name) + 1);
    expect(turns.toSorted((a, b) => a - b)).toEqual([8, 16, 24]);
  });

  test("client owns the fields that it applies, whoever had them", async () => {
    await using cluster = await startCluster({ clock: "virtual" });
    const { client, clock } = cluster;
    const maps = client.resource(ConfigMap, { namespace: "default" });
    const applied = (value: string) => ({ metadata: { name: "a" }, data: { key: value } });
    await maps.apply(applied("theirs"), { fieldManager: "somebody" });
    const manager = await Manager.create({ client });
    manager.controller({
      name: "mine",
      for: ConfigMap,
      async reconcile({ object, client: own }) {
        const { name, namespace } = object.metadata;
        const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
        if (name === "a") await own.apply({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { key: "ours" } });
      },
    });
    await using _running = manager.start();
    await clock.pass(1_000);
    const { data, metadata } = await maps.get("a");
    expect(data).toEqual({ key: "ours" });
    const owners = metadata.managedFields?.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('"f:key"'));
    expect(owners?.map(({ manager: owner }) => owner)).toEqual(["mine"]);
  });

  test("the restarter changes the template of Deployments that mount a changed ConfigMap, and of no other", async () => {
    await using cluster = await startCluster({ clock: "virtual" });
    const { client, clock } = cluster;
    const manager = await Manager.create({ client });
    await addFromGuide("restarter", manager);
    const maps = client.resource(ConfigMap, { namespace: "default" });
    const deployments = client.resource(Deployment, { namespace: "default" });
    for (const name of ["used", "unused"]) await maps.create({ metadata: { name }, data: { v: "1" } });
    for (const name of ["used", "unused"]) {
      const volumes = [{ name: "v", configMap: { name } }];
      const template = { metadata: { labels: { name } }, spec: { containers: [{ name: "c", image: "i" }], volumes } };
      await deployments.create({ metadata: { name }, spec: { selector: { matchLabels: { name } }, template } });
    }
    await using _running = manager.start();
    await clock.pass(5_000);
    const generations = async () =>
      (await deployments.list()).items.map(({ metadata: { name, generation } }) => [name, generation]);
    const before = await generations();
    await maps.patch("used", { merge: { data: { v: "2" } } });
    await clock.pass(60_000);
    const [unused, used] = before.map(([name, generation]) => [name, Number(generation)] as const);
    expect(await generations()).toEqual([unused, [used?.[0], (used?.[1] ?? 0) + 1]]);
  });
});

/** Runs the snippet of docs/controllers.md that has a controller of this name. */
async function addFromGuide(name: string, manager: Manager): Promise<void> {
  const guide = readFileSync(`${repository}docs/controllers.md`, "utf8");
  const snippets = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  const snippet = snippets.find((code) => code.includes(`name: "${name}"`));
  const folder = `${repository}.cache/promises`;
  mkdirSync(folder, { recursive: true });
  const imports = `import { ConfigMap, Deployment, type Manager, watch } from "../../src/index.js";`;
  const file = `${folder}/${name}.ts`;
  writeFileSync(file, `${imports}\nexport function add(manager: Manager): void {\n${snippet}}\n`);
  const { add } = (await import(/* @vite-ignore */ file)) as { readonly add: (manager: Manager) => void };
  add(manager);
}

describe("docs/testing.md", () => {
  test.each([
    ["without the volume binder among the controllers, pods do not wait for their claims", [], "Running"],
    ["with it they do", ["persistentvolume-binder-controller"], "Pending"],
  ] as const)("%s", async (_, controllers, phase) => {
    await using cluster = await startCluster({ clock: "virtual", nodes: 1, controllers });
    const { client, clock } = cluster;
    const pods = client.resource(Pod, { namespace: "default" });
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "missing" } }];
    await pods.create({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }], volumes } });
    await clock.pass(60_000);
    expect((await pods.get("p")).status?.phase).toBe(phase);
  });

  test.runIf(process.versions.node.startsWith("20."))(
    "Node 20 cannot run await using as it stands (Node 20 only)",
    () => {
      expect(() => new Script("async () => { await using a = b; }")).toThrow(SyntaxError);
    },
  );
});
