/** One side of the comparison: an API server with simulated nodes, and either our scheduler or the real kube-scheduler. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Pod } from "../../../src/api/index.js";
import { Lifetime, systemClock } from "../../../src/base/index.js";
import { type Client, connect } from "../../../src/client/index.js";
import { startSimulatedNodes } from "../../../src/machines/index.js";
import { type SchedulerConfiguration, startScheduler } from "../../../src/scheduler/index.js";
import { deviceSelector } from "../../../src/apiserver/index.js";
import { startGuarded } from "../../../src/testing/guarded-process.js";
import { embeddedServer, realServer } from "../controllers/server.js";
import { startExtender } from "./extender.js";
import { play } from "./play.js";
import type { Outcome, Scenario, ScenarioSet } from "./scenario.js";

export interface SideParts {
  readonly server: "real" | "embedded";
  readonly scheduler: "real" | "ours";
  readonly configuration?: ScenarioSet["configuration"];
}

export interface Side extends AsyncDisposable {
  play(scenario: Scenario): Promise<readonly Outcome[]>;
}

export async function startSide(parts: SideParts, assets: string): Promise<Side> {
  const lifetime = new Lifetime();
  const { signal } = new AbortController();
  const server = lifetime.use(
    await (parts.server === "real" ? realServer(assets, ["ServiceAccount"]) : embeddedServer()),
  );
  const { kubeconfig } = server;
  const client = lifetime.use(await connect({ kubeconfig, userAgent: "script", fieldManager: "script" }));
  const nodes = lifetime.use(startSimulatedNodes({ client, untaint: true }));
  const extender = lifetime.use(await startExtender(() => client));
  const configuration = parts.configuration?.(extender) ?? {};
  if (parts.scheduler === "real") await startReal(server, { assets, configuration, lifetime });
  else {
    const scheduler = lifetime.use(
      startScheduler({ client: lifetime.use(await connect({ kubeconfig })), deviceSelector, configuration }),
    );
    await scheduler.started;
  }
  await nodes.started;
  return {
    play: (scenario) =>
      play(scenario, { client, settled: () => settled(client), told: () => systemClock.sleep(1_500, signal) }),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

interface RealScheduler {
  readonly assets: string;
  readonly configuration: SchedulerConfiguration;
  readonly lifetime: Lifetime;
}

async function startReal(
  { kubeconfig, directory }: { readonly kubeconfig: string; readonly directory: string },
  { assets, configuration, lifetime }: RealScheduler,
): Promise<void> {
  const config = join(directory, "scheduler.yaml");
  await writeFile(
    config,
    JSON.stringify({
      ...configuration,
      apiVersion: "kubescheduler.config.k8s.io/v1",
      kind: "KubeSchedulerConfiguration",
      leaderElection: { leaderElect: false },
      clientConnection: { kubeconfig, qps: 1000, burst: 1000 },
    }),
  );
  lifetime.use(
    startGuarded(join(assets, "kube-scheduler"), {
      args: [
        `--config=${config}`,
        "--secure-port=0",
        `--authentication-kubeconfig=${kubeconfig}`,
        `--authorization-kubeconfig=${kubeconfig}`,
      ],
      logFile: join(directory, "kube-scheduler.log"),
    }),
  );
}

/** Waits until nothing has changed for a while and every pod has been tried. */
async function settled(client: Client): Promise<void> {
  const { signal } = new AbortController();
  let before = "";
  for (let quiet = 0; quiet < 4; ) {
    await systemClock.sleep(150, signal);
    const { items } = await client.resource(Pod, { namespace: "default" }).list();
    const now = JSON.stringify(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    const isTried = items.every(
      ({ spec, status }) => spec?.nodeName || status?.conditions?.some(({ type }) => type === "PodScheduled"),
    );
    quiet = isTried && now === before ? quiet + 1 : 0;
    before = now;
  }
}
