/**
 * Two processes of each part beside a server: the leaders are killed without warning, and the others take over and
 * repair the damage.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Deployment, Lease, Node, Pod } from "../../src/api/index.js";
import { startApiServer } from "../../src/apiserver/index.js";
import { connect } from "../../src/client/index.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { patienceMs } from "../eventually.js";
import { writePrivateFile } from "../../src/base/index.js";

/** Successors wait until the leases have run out, and then begin from nothing. */
const timeoutMs = 4 * patienceMs;

const main = join(process.cwd(), "dist", "cli", "main.js");
const isLong = process.env["COXSWAIN_FULL"] === "1";

async function embedded(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-leaders-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const server = await startApiServer({ systemObjects: true, authorization: "RBAC" });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const file = join(folder, "kubeconfig");
  await writePrivateFile(file, (await server.listen({ port: 0 })).kubeconfig);
  return file;
}

async function real(): Promise<string> {
  const server = await startEnvtest({ assets: envtestAssets() ?? "", disableAdmission: ["ServiceAccount"] });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.kubeconfig;
}

interface Part {
  readonly child: ChildProcess;
  hasSaid(words: string): boolean;
}

/** Resolves once the process has printed the words, as the leader or as a waiting candidate. */
async function start(kubeconfig: string, words: string, args: readonly string[]): Promise<Part> {
  const child = spawn(process.execPath, [main, ...args, "--kubeconfig", kubeconfig, "--log-level", "off"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`${args.join(" ")} ended: ${out}`)));
    child.stdout.on("data", (text: Buffer) => {
      out += String(text);
      if (out.includes(words)) resolve();
    });
  });
  child.removeAllListeners("exit");
  return { child, hasSaid: (wanted) => out.includes(wanted) };
}

const parts = [
  { args: ["controller-manager"], works: "running ", lease: "kube-controller-manager" },
  { args: ["scheduler"], works: "placing pods", lease: "kube-scheduler" },
  { args: ["nodes", "--nodes", "2"], works: "playing the nodes", lease: "coxswain-nodes" },
] as const;

async function killLeaders(kubeconfig: string): Promise<void> {
  const firsts = await Promise.all(parts.map(({ args, works }) => start(kubeconfig, works, args)));
  const seconds = await Promise.all(parts.map(({ args }) => start(kubeconfig, "waiting: ", args)));
  await using client = await connect({ kubeconfig });
  const deployments = client.resource(Deployment, { namespace: "default" });
  const available = (count: number) => (now: Deployment | undefined) =>
    now?.status?.availableReplicas === count && now.status.observedGeneration === now.metadata.generation;
  await deployments.create({
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  await deployments.waitFor("web", available(3), { timeoutMs });
  const leases = client.resource(Lease, { namespace: "kube-system" });
  const holders = (): Promise<readonly unknown[]> =>
    Promise.all(parts.map(async ({ lease }) => (await leases.get(lease)).spec?.holderIdentity));
  const before = await holders();
  // on a machine that stands still for long enough, the second has taken over already
  for (const [i, { works }] of parts.entries())
    (seconds[i]?.hasSaid(works) ? seconds[i] : firsts[i])?.child.kill("SIGKILL");
  // no process works now: damage and requests wait for the successors
  const pods = client.resource(Pod, { namespace: "default" });
  await pods.delete((await pods.list()).items[0]?.metadata.name ?? "", { gracePeriodSeconds: 0 });
  await deployments.patch("web", { merge: { spec: { replicas: 5 } } });
  await deployments.waitFor("web", available(5), { timeoutMs });
  const after = await holders();
  expect(after.filter((holder) => before.includes(holder))).toEqual([]);
  const taints = async (): Promise<unknown> =>
    (await client.resource(Node).list()).items.map(({ spec }) => spec?.taints ?? []);
  await expect.poll(taints, { timeout: timeoutMs }).toEqual([[], []]);
  const phases = async (): Promise<unknown> => (await pods.list()).items.map(({ status }) => status?.phase);
  await expect.poll(phases, { timeout: timeoutMs }).toEqual(Array(5).fill("Running"));
}

describe.skipIf(!existsSync(main) || !isLong)(
  "leaders that are killed (needs a build in dist, and COXSWAIN_FULL=1)",
  () => {
    test("are followed by those who waited, on the embedded server", async () => killLeaders(await embedded()));

    test.skipIf(envtestAssets() === undefined)(
      "are followed by those who waited, on a real kube-apiserver (skipped where KUBEBUILDER_ASSETS is not set)",
      async () => killLeaders(await real()),
    );
  },
);
