/** The examples and the operator of the guide under simulation, as they are shipped. */
import { describe, expect, test, vi } from "vitest";
import { type Running, startRunning } from "../../src/base/index.js";
import { type OperatorTools, simulate, type SimulateOptions } from "../../src/testing/index.js";
import { network, sample, site, watcher } from "./subjects/examples.js";
import { namespace } from "./subjects/workloads.js";

const full = process.env["COXSWAIN_FULL"] !== undefined;

async function passes(histories: number, options: SimulateOptions): Promise<void> {
  const seeds = Number(process.env["COXSWAIN_HISTORIES"] ?? histories);
  const { failures } = await simulate({ systematic: false, seeds, ...options });
  expect(failures.map(({ story }) => story)).toEqual([]);
}

/** The program of the guide: its `main`, which is given a client instead of a kubeconfig. */
async function guide(): Promise<(tools: OperatorTools) => Running> {
  type Main = (run: { flags: OperatorTools; signal: AbortSignal; log: OperatorTools["log"] }) => Promise<void>;
  let main: Main | undefined;
  vi.doMock("coxswain", async (original) => ({
    ...(await original<object>()),
    runProgram: (run: Main) => void (main = run),
    connect: ({ client }: OperatorTools) => client,
    managerOptionsFrom: ({ client, clock, random, log }: OperatorTools) => ({ client, clock, random, log }),
  }));
  try {
    await import("../../examples/getting-started/operator.js");
  } finally {
    vi.doUnmock("coxswain");
  }
  return (tools) => startRunning((signal) => (main as Main)({ flags: tools, signal, log: tools.log }));
}

describe.runIf(full)("converges, whatever fails:", () => {
  test("the operator of the guide", { timeout: 300_000 }, async () =>
    passes(300, {
      operator: await guide(),
      async scenario({ client, sleep }) {
        const websites = await client.dynamic({ apiVersion: "example.com/v1", kind: "Website" }, { namespace });
        await websites.create({ metadata: { name: "a" }, spec: { image: "web:1" } } as never);
        await sleep(2_000);
        await websites.patch("a", { merge: { spec: { image: "web:2", replicas: 2 } } });
        await sleep(2_000);
      },
    }),
  );

  test("the sample controller", { timeout: 300_000 }, () => passes(300, sample));
  test("the network controller", { timeout: 300_000 }, () => passes(600, network));
  test("the watcher of pods and services, which writes nothing", { timeout: 300_000 }, () => passes(1000, watcher));
  test("the controller of the site operator, whose webhooks need a network", { timeout: 300_000 }, () =>
    passes(400, site),
  );
});
