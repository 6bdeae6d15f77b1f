/** A cluster with controllers, an operator over loopback HTTPS, and the command line, on whatever runtime runs this file. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const own = createRequire(import.meta.url)("coxswain/package.json");
const modules = {};
for (const path of Object.keys(own.exports))
  if (!path.endsWith(".json")) modules[path] = await import(path.replace(".", "coxswain"));
const { connect, Deployment, installDefinition, Manager } = modules["."];
const { crdOf, defineResource, newControllerRef, ReplicaSet } = modules["./api"];
const { startCluster } = modules["./testing"];

const schema = {
  type: "object",
  properties: { spec: { type: "object", properties: { image: { type: "string" } } } },
};
const Foo = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Foo",
  plural: "foos",
  scope: "Namespaced",
  schema,
});

const folder = await mkdtemp(join(tmpdir(), "coxswain-runtime-"));
const kubeconfig = join(folder, "kubeconfig");

async function reconciles() {
  const cluster = await startCluster({ controllers: ["*"], nodes: 1 });
  const listener = await cluster.server.listen({ address: "127.0.0.1", port: 0 });
  await writeFile(kubeconfig, listener.kubeconfig, { mode: 0o600 });
  const client = await connect({ kubeconfig });
  await installDefinition(client, crdOf(Foo));
  const manager = await Manager.create({ client });
  manager.controller({
    name: "foos",
    for: Foo,
    owns: [Deployment],
    async reconcile({ object, client: writer }) {
      const { name, namespace } = object.metadata;
      const labels = { foo: name };
      await writer.apply({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name, namespace, ownerReferences: [newControllerRef(object, Foo)] },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "c", image: object.spec.image }] } },
        },
      });
    },
  });
  const running = manager.start();
  await client.resource(Foo, { namespace: "default" }).create({ metadata: { name: "a" }, spec: { image: "nginx" } });
  await client
    .resource(Deployment, { namespace: "default" })
    .waitFor("a", (now) => now?.status?.availableReplicas === 1);
  const { items } = await client.resource(ReplicaSet, { namespace: "default" }).list();
  await running.close();
  await client.close();
  await listener.close();
  await cluster.close();
  return `a Foo has ${items.length} ReplicaSet`;
}

/** The command line under this same runtime. */
function coxswain(...args) {
  const command = new URL("cli/main.js", import.meta.resolve("coxswain")).pathname;
  const permissions = process.versions.deno === undefined ? [] : ["run", "-A"];
  return spawn(process.execPath, [...permissions, command, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

async function output(child, enough = () => false) {
  let text = "";
  const ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
  child.stdout.on("data", (chunk) => {
    const wasEnough = enough(text);
    text += String(chunk);
    // once: a second signal would end it at once; and not by `child.kill`, after which Deno hides the exit code
    if (enough(text) && !wasEnough) process.kill(child.pid, "SIGTERM");
  });
  return { code: await ended, text: text.trim() };
}

const say = (line) => void process.stdout.write(`${line}\n`);
say(`imported ${Object.keys(modules).length} entry points`);
say(await reconciles());
const { text: version } = await output(coxswain("version"));
say(version);
const up = await output(
  coxswain("up", "--port", "0", "--status-port", "0", "--kubeconfig-out", kubeconfig, "--nodes", "1"),
  (text) => /export KUBECONFIG/.test(text),
);
say(`up ended with ${up.code}`);
await rm(folder, { recursive: true, force: true });
