/** The examples and the operator of the guide under simulation, as they are shipped. */
import { describe, expect, test, vi } from "vitest";
import { Fabric } from "../../examples/network-controller/fabric.js";
import { runNetworkController } from "../../examples/network-controller/controller.js";
import { Network, networkDefinition } from "../../examples/network-controller/network.js";
import { watchShared } from "../../examples/pod-service-watcher/shared.js";
import { Foo, fooDefinition } from "../../examples/sample-controller/foo.js";
import { fooController } from "../../examples/sample-controller/high-level.js";
import { siteController } from "../../examples/site-operator/operator.js";
import { Site, siteDefinition } from "../../examples/site-operator/site.js";
import { Pod, Service } from "../../src/api/index.js";
import { type Running, startRunning } from "../../src/base/index.js";
import { installDefinition } from "../../src/client/index.js";
import type { CustomResourceDefinition } from "../../src/api/index.js";
import { allFaults, type OperatorTools, simulate, type SimulateOptions } from "../../src/testing/index.js";
import { managerWith } from "./operators.js";

const full = process.env["COXSWAIN_FULL"] !== undefined;
const namespace = "default";

async function passes(options: SimulateOptions): Promise<void> {
  const seeds = Number(process.env["COXSWAIN_HISTORIES"] ?? "5");
  const { failures } = await simulate({ systematic: seeds > 100, seeds, ...options });
  expect(failures.map(({ story }) => story)).toEqual([]);
}

const installs =
  (definition: CustomResourceDefinition): NonNullable<SimulateOptions["setup"]> =>
  async ({ client }) =>
    void (await installDefinition(client, definition));

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
    passes({
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

  test("the sample controller", { timeout: 300_000 }, () =>
    passes({
      setup: installs(fooDefinition()),
      operator: (tools) => managerWith(tools, fooController),
      async scenario({ client, sleep }) {
        const foos = client.resource(Foo, { namespace });
        for (const name of ["a", "b"])
          await foos.create({ metadata: { name }, spec: { deploymentName: `${name}-web`, replicas: 1 } });
        await sleep(2_000);
        await foos.patch("a", { merge: { spec: { replicas: 2 } } });
        await sleep(2_000);
      },
      // as its model does, it keeps the old Deployment when spec.deploymentName changes
      faults: allFaults.filter(({ name }) => !name.startsWith("asked-")),
    }),
  );

  test("the network controller", { timeout: 300_000 }, () =>
    passes({
      setup: installs(networkDefinition()),
      operator: ({ client, clock, log }) =>
        startRunning((signal) => {
          const recorder = { normal: () => {}, warning: () => {} };
          return runNetworkController({ client, fabric: new Fabric(), recorder, log, clock }, signal);
        }),
      async scenario({ client, sleep }) {
        const networks = client.resource(Network, { namespace });
        await networks.create({ metadata: { name: "blue" }, spec: { cidr: "10.0.0.0/16", gateway: "10.0.0.1" } });
        await sleep(2_000);
        await networks.create({ metadata: { name: "green" }, spec: { cidr: "10.0.7.0/24", gateway: "10.0.7.1" } });
        await sleep(2_000);
        await networks.delete("blue");
        await sleep(2_000);
      },
    }),
  );

  test("the watcher of pods and services, which writes nothing", { timeout: 300_000 }, () =>
    passes({
      operator: ({ client }) => startRunning((signal) => watchShared(client, () => {}, signal)),
      async scenario({ client, sleep }) {
        const labels = { app: "web" };
        const containers = [{ name: "web", image: "web:1" }];
        const pods = client.resource(Pod, { namespace });
        await pods.create({ metadata: { name: "a", labels }, spec: { containers } });
        await client
          .resource(Service, { namespace })
          .create({ metadata: { name: "web" }, spec: { selector: labels, ports: [{ port: 80 }] } });
        await sleep(1_000);
        await pods.delete("a");
      },
    }),
  );

  test("the controller of the site operator, whose webhooks need a network", { timeout: 300_000 }, () =>
    passes({
      setup: installs(siteDefinition()),
      operator: (tools) => managerWith(tools, siteController),
      async scenario({ client, sleep }) {
        const sites = client.resource(Site, { namespace });
        await sites.create({ metadata: { name: "a" }, spec: { hosts: ["a.example"], port: 80, replicas: 1 } });
        await sleep(2_000);
        await sites.patch("a", { merge: { spec: { hosts: ["a.example", "b.example"] } } });
        await sleep(2_000);
      },
    }),
  );
});
