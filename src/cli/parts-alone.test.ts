/** Each part as a command of its own: on the embedded server and on a real one, two processes of each, one of which leads. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { patienceMs } from "../../test/eventually.js";
import { Deployment, Lease } from "../api/index.js";
import { startApiServer } from "../apiserver/index.js";
import { connect } from "../client/index.js";
import { envtestAssets, startEnvtest } from "../testing/envtest.js";
import { runCommandLine } from "./program.js";
import type { Terminal } from "./terminal.js";
import { writePrivateFile } from "../base/index.js";

interface Started {
  readonly printed: { out: string; err: string };
  stop(): Promise<number>;
}

function start(...args: readonly string[]): Started {
  const stop = new AbortController();
  const printed = { out: "", err: "" };
  const terminal: Terminal = {
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    stopSignal: () => ({ signal: stop.signal, [Symbol.dispose]: () => {} }),
  };
  const done = runCommandLine(args, terminal);
  return {
    printed,
    stop() {
      stop.abort(new Error("enough"));
      return done;
    },
  };
}

async function embedded(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-parts-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const server = await startApiServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { kubeconfig } = await server.listen({ port: 0 });
  const file = join(folder, "kubeconfig");
  await writePrivateFile(file, kubeconfig);
  return file;
}

async function real(): Promise<string> {
  const server = await startEnvtest({ assets: envtestAssets() ?? "", disableAdmission: ["ServiceAccount"] });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.kubeconfig;
}

/** From nothing but a server to pods that run; then the leaders go, and their places are taken. */
async function bringUp(kubeconfig: string): Promise<void> {
  const flags = ["--kubeconfig", kubeconfig, "--log-level", "error"];
  const first = {
    manager: start("controller-manager", ...flags),
    scheduler: start("scheduler", ...flags),
    nodes: start("nodes", "--nodes", "2", ...flags),
  };
  await expect.poll(() => first.scheduler.printed.out).toContain("placing pods of default-scheduler\n");
  await expect.poll(() => first.nodes.printed.out).toContain("playing the nodes with coxswain.dev/node=simulated\n");
  const second = start("scheduler", ...flags);
  await expect.poll(() => second.printed.out).toMatch(/^waiting: /);
  await using client = await connect({ kubeconfig });
  const deployments = client.resource(Deployment, { namespace: "default" });
  await deployments.create({
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const available = (deployment: Deployment | undefined): boolean => deployment?.status?.availableReplicas === 3;
  await deployments.waitFor("web", available, { timeoutMs: patienceMs });
  const lease = await client.resource(Lease, { namespace: "kube-system" }).get("kube-scheduler");
  expect(second.printed.out).toBe(`waiting: ${lease.spec?.holderIdentity} leads\n`);
  // a leader that stops gives its lease back, so the other need not wait for its end
  expect(await first.scheduler.stop()).toBe(0);
  await expect.poll(() => second.printed.out).toContain("placing pods of default-scheduler\n");
  expect(await Promise.all([second.stop(), first.manager.stop(), first.nodes.stop()])).toEqual([0, 0, 0]);
  expect([first.manager, first.nodes, second].map(({ printed }) => printed.err)).toEqual(["", "", ""]);
}

describe("the parts of a control plane, each by itself", () => {
  test("bring pods to run on the embedded server, one of two leading", async () => bringUp(await embedded()));

  test.skipIf(envtestAssets() === undefined)(
    "bring pods to run on a real kube-apiserver, one of two leading (skipped where KUBEBUILDER_ASSETS is not set)",
    async () => bringUp(await real()),
  );
});
