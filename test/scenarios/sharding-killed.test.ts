/** Processes that share objects over a real kube-apiserver: some are killed, some stopped for a while, and no object has two or none. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { ConfigMap, Lease, Namespace } from "../../src/api/index.js";
import { connect } from "../../src/client/index.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { patienceMs } from "../eventually.js";

const built = (layer: string): string => join(process.cwd(), "dist", layer, "index.js");
const isLong = process.env["COXSWAIN_FULL"] === "1";
const timeoutMs = 4 * patienceMs;

/**
 * Adds one step to the trace of each object whose `wanted` differs from its `done`. A step names the writer and the
 * state that it read; the write is not conditional, so a second writer at the same time would show.
 */
const program = `
import { connect } from ${JSON.stringify(pathToFileURL(built("client")).href)};
import { Manager } from ${JSON.stringify(pathToFileURL(built("manager")).href)};
import { ConfigMap } from ${JSON.stringify(pathToFileURL(built("api")).href)};
const [kubeconfig, identity, group, limitCaches] = process.argv.slice(1);
const client = await connect({ kubeconfig });
const lease = { namespace: "default", name: group };
const times = { leaseDurationMs: 10_000, renewDeadlineMs: 7_000, retryPeriodMs: 500 };
const manager = await Manager.create({ client, sharding: { lease, shards: 8, identity, ...times, limitCaches: limitCaches === "true" } });
manager.controller({
  name: "steps",
  for: ConfigMap,
  cache: { labelSelector: "sharded=" + group },
  async reconcile({ object, client }) {
    const { wanted, done, trace = "" } = object.data ?? {};
    if (wanted === done) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
    const step = identity + ":" + wanted;
    await client.patch(object, { merge: { data: { done: wanted, trace: trace + " " + step } } });
  },
});
process.on("SIGTERM", () => stop.abort());
const stop = new AbortController();
process.stdout.write("runs\\n");
await manager.run({ signal: stop.signal });
process.exit(0);
`;

interface Group {
  readonly group: string;
  readonly limitCaches: boolean;
}

class Replica implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(kubeconfig: string, identity: string, { group, limitCaches }: Group) {
    const args = [kubeconfig, identity, group, String(limitCaches)];
    this.#child = spawn(process.execPath, ["--input-type=module", "-e", program, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  async started(): Promise<this> {
    await once(this.#child.stdout as NonNullable<ChildProcess["stdout"]>, "data");
    return this;
  }

  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT" | "SIGTERM"): void {
    this.#child.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}

describe.skipIf(!hasRealCluster() || !existsSync(built("manager")) || !isLong)(
  "shards over a real kube-apiserver (skipped without KUBEBUILDER_ASSETS, a build in dist or COXSWAIN_FULL=1)",
  () => {
    test.each<[string, Group]>([
      ["that cache everything", { group: "sharded", limitCaches: false }],
      ["that cache their shards alone", { group: "limited", limitCaches: true }],
    ])(
      "kill -9 and SIGSTOP of replicas %s: every change is done by exactly one, and no key is an orphan",
      async (_, settings) => {
        const { group } = settings;
        const tenants = Array.from({ length: 12 }, (_tenant, i) => `${group}-${i}`);
        const { kubeconfig } = await realCluster();
        await using client = await connect({ kubeconfig });
        for (const name of tenants) {
          await client.resource(Namespace).create({ metadata: { name } });
          const metadata = { name: "m", namespace: name, labels: { sharded: group } };
          await client.resource(ConfigMap, { namespace: name }).create({ metadata, data: { wanted: "0", done: "0" } });
        }
        const want = async (text: string): Promise<void> => {
          for (const namespace of tenants)
            await client.resource(ConfigMap, { namespace }).patch("m", { merge: { data: { wanted: text } } });
        };
        const traces = async (): Promise<readonly string[][]> =>
          (await client.resource(ConfigMap).list({ labelSelector: `sharded=${group}` })).items.map(({ data }) =>
            (data?.["trace"] ?? "").trim().split(" "),
          );
        /** The last step of each object, without its writer. */
        const doneBy = async (text: string): Promise<boolean> =>
          (await traces()).every((steps) => steps.at(-1)?.endsWith(`:${text}`) === true);
        const isDone = (text: string): Promise<void> =>
          expect.poll(() => doneBy(text), { timeout: timeoutMs }).toBe(true);
        const holders = async (): Promise<ReadonlySet<string>> => {
          const { items } = await client
            .resource(Lease, { namespace: "default" })
            .list({ labelSelector: `coxswain.dev/sharding=${group},coxswain.dev/sharding-role=shard` });
          return new Set(items.map(({ spec }) => spec?.holderIdentity ?? ""));
        };
        await using a = await new Replica(kubeconfig, "a", settings).started();
        await using b = await new Replica(kubeconfig, "b", settings).started();
        await using c = await new Replica(kubeconfig, "c", settings).started();
        await expect.poll(async () => (await holders()).size, { timeout: timeoutMs }).toBe(3);
        await want("1");
        await isDone("1");
        a.signal("SIGKILL");
        await want("2");
        await isDone("2");
        b.signal("SIGSTOP");
        await want("3");
        await isDone("3");
        expect([...(await holders())]).toEqual(["c"]);
        b.signal("SIGCONT");
        await expect.poll(async () => (await holders()).has("b"), { timeout: timeoutMs }).toBe(true);
        await want("4");
        await isDone("4");
        c.signal("SIGTERM");
        await want("5");
        await isDone("5");
        // each change once, by one writer, and nothing that an old holder wrote later
        for (const steps of await traces())
          expect(steps.map((step) => step.split(":")[1])).toEqual(["1", "2", "3", "4", "5"]);
      },
      10 * timeoutMs,
    );
  },
);
