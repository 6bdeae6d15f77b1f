/** Both versions on the embedded server, and on a real one where there is one. */
import { afterEach, describe, expect, test } from "vitest";
import { Client, connect, Pod, Service } from "coxswain";
import { Namespace } from "coxswain/api";
import { startRunning } from "coxswain/base";
import { startApiServer } from "../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { watchPods } from "./informer-only.js";
import { type Print, watchShared } from "./shared.js";

let lifetimes: AsyncDisposable[] = [];
afterEach(async () => {
  for (const lifetime of lifetimes.reverse()) await lifetime[Symbol.asyncDispose]();
  lifetimes = [];
});

async function embedded(): Promise<Client> {
  const server = await startApiServer();
  lifetimes.push(server);
  return new Client({ transport: server.transport() });
}

const real = async (): Promise<Client> => connect({ kubeconfig: (await realCluster()).kubeconfig });
let tests = 0;

type Watch = (client: Client, print: Print, signal: AbortSignal) => Promise<void>;

/** What the program prints, without the test's namespace. */
async function start(open: () => Promise<Client>, watch: Watch) {
  const client = await open();
  lifetimes.push(client);
  const namespace = `watched-${process.pid}-${++tests}`;
  await client.resource(Namespace).create({ metadata: { name: namespace } });
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line.replaceAll(`${namespace}/`, ""));
  lifetimes.push(startRunning((signal) => watch(client, print, signal)));
  const said = (line: string | RegExp): Promise<void> =>
    expect.poll(() => lines, { timeout: 20_000 }).toContainEqual(expect.stringMatching(line));
  return { pods: client.resource(Pod, { namespace }), services: client.resource(Service, { namespace }), lines, said };
}

const pod = (name: string, nodeName?: string) => ({
  metadata: { name, labels: { app: "web", tier: "front" } },
  spec: { containers: [{ name: "main", image: "nginx" }], ...(nodeName === undefined ? {} : { nodeName }) },
});

function suite(open: () => Promise<Client>): void {
  test("the shared version tells what happens to pods and services, and what it means for the others", async () => {
    const { pods, services, said, lines } = await start(open, watchShared);
    await said(/^watching /);
    await services.create({ metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } });
    await services.create({
      metadata: { name: "back" },
      spec: { selector: { app: "web", tier: "back" }, ports: [{ port: 81 }] },
    });
    await said(/^service web: added, app=web, ports 80$/);
    await said(/^service back: 0 pods behind it$/);

    const node = `node-${process.pid}-${tests}`;
    await pods.create(pod("one", node));
    await pods.create(pod("two", node));
    await said(new RegExp(`^pod one: added, Pending on ${node}$`));
    await said(new RegExp(`^node ${node}: 2 pods$`));
    await said(/^service web: gains two$/);
    expect(lines).not.toContain("service back: gains two");

    await pods.status.patch("one", { merge: { status: { phase: "Running" } } });
    await said(new RegExp(`^pod one: Pending on ${node} → Running on ${node}$`));
    await services.patch("back", { merge: { spec: { selector: { tier: "front" } } } });
    await said(/^service back: app=web,tier=back, ports 81 → app=web,tier=front, ports 81$/);
    await said(/^service back: 2 pods behind it$/);

    await pods.delete("one", { gracePeriodSeconds: 0 });
    await said(/^pod one: deleted$/);
    await said(new RegExp(`^node ${node}: 1 pod$`));
    await said(/^service web: loses one$/);
    await services.delete("web");
    await said(/^service web: deleted$/);
  });

  test("the version without a factory tells what happens to pods", async () => {
    const { pods, said } = await start(open, watchPods);
    const node = `node-${process.pid}-${tests}`;
    await pods.create(pod("one", node));
    await said(new RegExp(`^pod one: added, Pending on ${node} \\(pod 1 of that node\\)$`));
    await pods.status.patch("one", { merge: { status: { phase: "Running" } } });
    await said(new RegExp(`^pod one: Pending on ${node} → Running on ${node}$`));
    await pods.delete("one", { gracePeriodSeconds: 0 });
    await said(/^pod one: deleted, \d+ left$/);
  });
}

describe("the pod and service watcher on the embedded server", () => suite(embedded));
describe.skipIf(!hasRealCluster())("the pod and service watcher on a real server (needs KUBEBUILDER_ASSETS)", () =>
  suite(real),
);
