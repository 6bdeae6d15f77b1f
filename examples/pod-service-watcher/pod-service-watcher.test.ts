/** Both versions on the embedded server in this process and over HTTPS, and on a real one where there is one; and among faults. */
import { describe, expect, test } from "vitest";
import { type Client, Pod, Service } from "coxswain";
import { Namespace } from "coxswain/api";
import { startRunning } from "coxswain/base";
import { faultyWorld, readFaults } from "../testing/faults.js";
import { keep, ownNamespace, servers, soonMs } from "../testing/servers.js";
import { watchPods } from "./informer-only.js";
import { type Print, watchShared } from "./shared.js";

type Watch = (client: Client, print: Print, signal: AbortSignal) => Promise<void>;

/** The program's output, without the test's namespace. */
async function start(open: () => Promise<Client>, watch: Watch) {
  const client = await open();
  const namespace = ownNamespace("watched");
  await client.resource(Namespace).create({ metadata: { name: namespace } });
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line.replaceAll(`${namespace}/`, ""));
  keep(startRunning((signal) => watch(client, print, signal)));
  const said = (line: string | RegExp): Promise<void> =>
    expect.poll(() => lines, { timeout: soonMs }).toContainEqual(expect.stringMatching(line));
  const node = `node-of-${namespace}`;
  return {
    pods: client.resource(Pod, { namespace }),
    services: client.resource(Service, { namespace }),
    node,
    lines,
    said,
  };
}

const pod = (name: string, nodeName?: string) => ({
  metadata: { name, labels: { app: "web", tier: "front" } },
  spec: { containers: [{ name: "main", image: "nginx" }], ...(nodeName === undefined ? {} : { nodeName }) },
});

function suite(open: () => Promise<Client>): void {
  test("the shared version tells what happens to pods and services, and what it means for the others", async () => {
    const { pods, services, node, said, lines } = await start(open, watchShared);
    await said(/^watching /);
    await services.create({ metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } });
    await services.create({
      metadata: { name: "back" },
      spec: { selector: { app: "web", tier: "back" }, ports: [{ port: 81 }] },
    });
    await said(/^service web: added, app=web, ports 80$/);
    await said(/^service back: 0 pods behind it$/);

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
    const { pods, node, said } = await start(open, watchPods);
    await pods.create(pod("one", node));
    await said(new RegExp(`^pod one: added, Pending on ${node} \\(pod 1 of that node\\)$`));
    await pods.status.patch("one", { merge: { status: { phase: "Running" } } });
    await said(new RegExp(`^pod one: Pending on ${node} → Running on ${node}$`));
    await pods.delete("one", { gracePeriodSeconds: 0 });
    await said(/^pod one: deleted, \d+ left$/);
  });
}

for (const { where, skip, open } of servers)
  describe.skipIf(skip)(`the pod and service watcher on ${where}`, () => suite(open));

describe("the pod and service watcher among faults", () => {
  for (const [style, watch] of Object.entries({ shared: watchShared, "informer-only": watchPods })) {
    for (const [when, wrap] of Object.entries(readFaults)) {
      test(`the ${style} version tells each end of a pod, once, when ${when}; and writes nothing`, async () => {
        const { client, start: run, requests } = await faultyWorld();
        const pods = client.resource(Pod, { namespace: "default" });
        await pods.create(pod("early", "node"));
        const lines: string[] = [];
        run((faulty, signal) => watch(faulty, (line) => void lines.push(line), signal), wrap());
        const about = (name: string): readonly string[] =>
          lines.filter((line) => line.startsWith(`pod default/${name}:`));
        const said = (name: string, end: string): Promise<void> =>
          expect.poll(() => about(name).at(-1) ?? "", { timeout: soonMs }).toContain(end);
        await said("early", "added, Pending on node");
        for (let i = 0; i < 3; i++) {
          await pods.create(pod(`p${i}`, "node"));
          await pods.status.patch(`p${i}`, { merge: { status: { phase: "Running" } } });
          await said(`p${i}`, "Running on node");
        }
        for (const name of ["early", "p0", "p1", "p2"]) {
          await pods.delete(name, { gracePeriodSeconds: 0 });
          await said(name, "deleted");
        }
        for (const name of ["early", "p0", "p1", "p2"]) {
          expect(about(name).filter((line) => line.includes("added"))).toHaveLength(1);
          expect(about(name).filter((line) => line.includes("deleted"))).toHaveLength(1);
        }
        expect(requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
      });
    }

    test(`the ${style} version tells what is there when it dies and is started again`, async () => {
      const { client, start: run } = await faultyWorld();
      const pods = client.resource(Pod, { namespace: "default" });
      const life = async (end: string): Promise<AsyncDisposable> => {
        const lines: string[] = [];
        const running = run((own, signal) => watch(own, (line) => void lines.push(line), signal));
        await expect.poll(() => lines, { timeout: soonMs }).toContainEqual(expect.stringContaining(end));
        return running;
      };
      await pods.create(pod("a", "node"));
      await (await life("pod default/a: added, Pending on node"))[Symbol.asyncDispose]();
      await pods.status.patch("a", { merge: { status: { phase: "Running" } } });
      await life("pod default/a: added, Running on node");
    });
  }
});
