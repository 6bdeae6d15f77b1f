/** Real kubectl walks a cluster of our scheduler and simulated nodes: with our controllers on both servers, and with the real ones on ours. */
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { Lifetime, startRunning, systemClock } from "../../src/base/index.js";
import { connect } from "../../src/client/index.js";
import { builtInControllers, runControllers } from "../../src/builtin/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
import { startSimulatedNodes } from "../../src/machines/index.js";
import { startScheduler } from "../../src/scheduler/index.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { startGuarded } from "../../src/testing/guarded-process.js";
import { patienceMs } from "../eventually.js";
import { assertSound } from "./invariants.js";

const assets = envtestAssets() ?? "";
const run = promisify(execFile);

interface Walked extends AsyncDisposable {
  /** Gives the output of kubectl, including errors; rejects if it fails. */
  kubectl(line: string): Promise<string>;
  /** Resolves when every invariant holds, which a cluster that has come to rest must reach soon. */
  sound(): Promise<void>;
}

async function embeddedServer(lifetime: Lifetime): Promise<string> {
  const server = lifetime.use(await startTestServer());
  const listener = lifetime.use(await server.listen());
  const directory = await mkdtemp(join(tmpdir(), "coxswain-kubectl-"));
  lifetime.defer(() => rm(directory, { recursive: true, force: true }));
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, listener.kubeconfig, { mode: 0o600 });
  return kubeconfig;
}

const realServer = async (lifetime: Lifetime): Promise<string> =>
  lifetime.use(await startEnvtest({ assets })).kubeconfig;

interface Parts {
  readonly server: (lifetime: Lifetime) => Promise<string>;
  readonly controllers: "ours" | "real";
}

async function startRealControllers(kubeconfig: string, lifetime: Lifetime): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "coxswain-controllers-"));
  lifetime.defer(() => rm(directory, { recursive: true, force: true }));
  const key = join(directory, "sa.key");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(key, privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
  lifetime.use(
    startGuarded(join(assets, "kube-controller-manager"), {
      args: [
        ...["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map(
          (flag) => `--${flag}=${kubeconfig}`,
        ),
        "--leader-elect=false",
        "--secure-port=0",
        `--service-account-private-key-file=${key}`,
        `--cert-dir=${directory}`,
      ],
      logFile: join(directory, "kube-controller-manager.log"),
    }),
  );
}

async function start({ server, controllers }: Parts): Promise<Walked> {
  const lifetime = new Lifetime();
  const kubeconfig = await server(lifetime);
  const client = lifetime.use(await connect({ kubeconfig }));
  const informers = new SharedInformerFactory(client);
  lifetime.defer(() => informers.shutdown());
  const shared = { client, informers };
  const nodes = lifetime.use(startSimulatedNodes({ ...shared, nodes: 3, speed: 10 }));
  const scheduler = lifetime.use(startScheduler(shared));
  if (controllers === "real") await startRealControllers(kubeconfig, lifetime);
  const ours = controllers === "ours" ? builtInControllers : [];
  lifetime.use(startRunning((signal) => runControllers({ ...shared, controllers: ours, signal })));
  await Promise.all([nodes.started, scheduler.started]);
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return {
    async kubectl(line) {
      const { stdout, stderr } = await run(join(assets, "kubectl"), line.split(" "), { env });
      return stdout + stderr;
    },
    async sound() {
      const deadline = systemClock.monotonic() + patienceMs;
      for (;;) {
        try {
          return await assertSound(client);
        } catch (error) {
          if (systemClock.monotonic() > deadline) throw error;
          await systemClock.sleep(200, new AbortController().signal);
        }
      }
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

/** To drain is to evict again every five seconds, pod by pod. */
const wait = `--timeout=${(2 * patienceMs) / 1000}s`;

describe.skipIf(assets === "")("real kubectl (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  for (const [where, parts, isLong] of [
    ["the embedded server", { server: embeddedServer, controllers: "ours" }, false],
    ["a real kube-apiserver", { server: realServer, controllers: "ours" }, false],
    [
      "the embedded server with the real kube-controller-manager",
      { server: embeddedServer, controllers: "real" },
      true,
    ],
  ] as const) {
    test.skipIf(isLong && process.env["COXSWAIN_FULL"] !== "1")(
      `rolls out, undoes, scales, drains and deletes on ${where}`,
      async () => {
        await using cluster = await start(parts);
        const { kubectl, sound } = cluster;
        await kubectl(`wait --for=condition=Ready node --all ${wait}`);
        await kubectl("create deployment web --image=web:1 --replicas=3");
        expect(await kubectl(`rollout status deployment/web ${wait}`)).toContain("successfully rolled out");
        await sound();
        await kubectl("set image deployment/web web=web:2");
        expect(await kubectl(`rollout status deployment/web ${wait}`)).toContain("successfully rolled out");
        await sound();
        expect(await kubectl("rollout undo deployment/web")).toContain("rolled back");
        await kubectl(`rollout status deployment/web ${wait}`);
        await sound();
        const images = "-o=jsonpath={.items[*].spec.containers[0].image}";
        // pods of the old template may still be terminating
        await expect.poll(() => kubectl(`get pods -l=app=web ${images}`)).toBe("web:1 web:1 web:1");
        expect(await kubectl("rollout history deployment/web")).toMatch(/\n2 .*\n3 /);
        await kubectl("scale deployment/web --replicas=4");
        await kubectl(`rollout status deployment/web ${wait}`);
        await kubectl("expose deployment/web --port=80 --type=LoadBalancer");
        await sound();
        if (parts.controllers === "ours")
          await kubectl(`wait --for=jsonpath={.status.loadBalancer.ingress[0].ip} service/web ${wait}`);

        await kubectl("create poddisruptionbudget web --selector=app=web --min-available=3");
        await kubectl(`wait --for=jsonpath={.status.disruptionsAllowed}=1 pdb/web ${wait}`);
        expect(await kubectl(`drain node-1 --ignore-daemonsets ${wait}`)).toContain("node/node-1 drained");
        await kubectl("uncordon node-1");
        await sound();

        await kubectl("create job sum --image=work");
        await kubectl(`wait --for=condition=Complete job/sum ${wait}`);
        await kubectl(`delete job/sum ${wait}`);
        await kubectl(`delete deployment/web --cascade=foreground ${wait}`);
        await sound();
        await expect
          .poll(() => kubectl("get pods,replicasets"), { timeout: patienceMs })
          .toContain("No resources found");
      },
      600_000,
    );
  }
});
