/** Leader election by two processes over a real kube-apiserver, which a simulation cannot show. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { ConfigMap, Lease, parseMicroTime } from "../../src/api/index.js";
import { systemClock } from "../../src/base/index.js";
import { connect } from "../../src/client/index.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { patienceMs } from "../eventually.js";

const built = (layer: string): string => join(process.cwd(), "dist", layer, "index.js");
const isBuilt = existsSync(built("manager"));
/** So long that a leader on a busy machine keeps its lease. */
const rules = { leaseDurationMs: 10_000, renewDeadlineMs: 9_000, retryPeriodMs: 400 } as const;

/** Leads, writes through the fence all the time while it may, and says so. */
const program = `
import { connect } from ${JSON.stringify(pathToFileURL(built("client")).href)};
import { fencedTransport, leaseClient, LeaderElector } from ${JSON.stringify(pathToFileURL(built("manager")).href)};
import { ConfigMap } from ${JSON.stringify(pathToFileURL(built("api")).href)};
const [kubeconfig, identity, name] = process.argv.slice(1);
const client = await connect({ kubeconfig });
const lease = { namespace: "default", name };
const say = (what) => process.stdout.write(what + "\\n");
const elector = new LeaderElector({
  lease, identity, leases: leaseClient(client, lease), ...${JSON.stringify(rules)},
  callbacks: {
    onStartedLeading: ({ epoch }) => say("leads " + epoch),
    onStoppedLeading: () => say("stopped"),
  },
});
elector.start();
const fenced = client.through((transport) => fencedTransport(transport, { leader: elector }));
const maps = fenced.resource(ConfigMap, { namespace: "default" });
for (;;) {
  try {
    await maps.patch(name, { merge: { data: { writer: identity } } });
  } catch (error) {
    if (error.name === "NotLeaderError") say("refused " + error.sent);
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
}
`;

class Replica implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: { readonly line: string; readonly at: number }[] = [];

  constructor(kubeconfig: string, identity: string, name: string) {
    this.#child = spawn(process.execPath, ["--input-type=module", "-e", program, kubeconfig, identity, name], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      const at = systemClock.monotonic();
      for (const line of chunk.toString().split("\n")) if (line !== "") this.#lines.push({ line, at });
    });
  }

  get lines(): readonly string[] {
    return this.#lines.map(({ line }) => line);
  }

  /** When it first said something that begins so, after a moment. */
  async said(begin: string, { after = 0, withinMs = patienceMs } = {}): Promise<number> {
    for (const deadline = systemClock.monotonic() + withinMs; systemClock.monotonic() < deadline; ) {
      const found = this.#lines.find(({ line, at }) => at > after && line.startsWith(begin));
      if (found !== undefined) return found.at;
      await systemClock.sleep(20, new AbortController().signal);
    }
    throw new Error(`a replica did not say ${JSON.stringify(begin)} within ${withinMs} ms: ${this.lines.join(", ")}`);
  }

  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): number {
    this.#child.kill(name);
    return systemClock.monotonic();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}

describe.skipIf(!hasRealCluster() || !isBuilt)(
  "leader election over a real kube-apiserver (skipped without KUBEBUILDER_ASSETS or a build in dist)",
  () => {
    test("the leader is killed: the other one leads when the lease has run out, not before", async () => {
      const { kubeconfig } = await realCluster();
      await using client = await connect({ kubeconfig });
      await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "election-kill" } });
      await using a = new Replica(kubeconfig, "a", "election-kill");
      await a.said("leads 0");
      await using b = new Replica(kubeconfig, "b", "election-kill");
      await b.said("refused");
      a.signal("SIGKILL");
      const leases = client.resource(Lease, { namespace: "default" });
      const { spec: left } = await leases.get("election-kill");
      expect(left).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 10, leaseTransitions: 0 });
      await b.said("leads 1");
      const { spec: taken } = await leases.get("election-kill");
      expect(taken).toMatchObject({ holderIdentity: "b", leaseDurationSeconds: 10, leaseTransitions: 1 });
      const waitedMicros = parseMicroTime(taken?.acquireTime ?? "") - parseMicroTime(left?.renewTime ?? "");
      expect(waitedMicros / 1_000).toBeGreaterThanOrEqual(rules.leaseDurationMs);
    });

    test("the leader is stopped for a while: when it goes on it does not lead, and what it writes does not land", async () => {
      const { kubeconfig } = await realCluster();
      await using client = await connect({ kubeconfig });
      const maps = client.resource(ConfigMap, { namespace: "default" });
      await maps.create({ metadata: { name: "election-stop" } });
      await using a = new Replica(kubeconfig, "a", "election-stop");
      await a.said("leads 0");
      await using b = new Replica(kubeconfig, "b", "election-stop");
      await b.said("refused");
      a.signal("SIGSTOP");
      await b.said("leads 1");
      await maps.waitFor("election-stop", (map) => map?.data?.["writer"] === "b", { timeoutMs: patienceMs });
      const wokeAt = a.signal("SIGCONT");
      await a.said("stopped", { after: wokeAt });
      await a.said("refused", { after: wokeAt });
      expect((await maps.get("election-stop")).data).toEqual({ writer: "b" });
    });
  },
);
