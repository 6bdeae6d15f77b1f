import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Namespace } from "../api/index.js";
import { connect } from "../client/index.js";
import { runCommandLine } from "./program.js";
import type { Terminal } from "./terminal.js";

function fakeTerminal() {
  const stop = new AbortController();
  const printed = { out: "", err: "" };
  const terminal: Terminal = {
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    stopSignal: () => ({ signal: stop.signal, [Symbol.dispose]: () => {} }),
  };
  return { terminal, printed, stop };
}

async function run(...args: string[]) {
  const { terminal, printed } = fakeTerminal();
  const code = await runCommandLine(args, terminal);
  return { code, ...printed };
}

/** Until the text appears, a turn of the event loop at a time. */
async function until(there: () => boolean): Promise<void> {
  while (!there()) await new Promise((resolve) => setImmediate(resolve));
}

describe("coxswain", () => {
  test.each([
    { args: ["up", "--nonsense"], named: "'--nonsense'" },
    { args: ["up", "--status-port", "70000"], named: "--status-port <port>" },
    { args: ["up", "--status-port", "http"], named: "'http'" },
    { args: ["up", "--status-port"], named: "--status-port <port>" },
    { args: ["up", "--log-level", "loud"], named: "--log-level <level>" },
    { args: ["up", "--controllers", "deploymint"], named: "--controllers <names>" },
    { args: ["up", "sideways"], named: "too many arguments for 'up'" },
    { args: ["up", "--nodes", "many"], named: "--nodes <count>" },
    { args: ["up", "--speed", "0"], named: "--speed <factor>" },
    { args: ["up", "--bind", "nonsense"], named: "such as 127.0.0.1" },
    { args: ["up", "--data-dir", ""], named: "--data-dir <folder>" },
    { args: ["up", "--service-cluster-ip-range", "10.0.0.0"], named: "such as 10.96.0.0/16" },
    { args: ["apiserver", "--service-cluster-ip-range", "10.0.0.0/16,10.1.0.0/16"], named: "one of each family" },
    { args: ["up", "--kubeconfig-out", ""], named: "--kubeconfig-out <file>" },
    { args: ["up", "--authorization-mode", "Nodes"], named: "--authorization-mode <modes>" },
    { args: ["scheduler", "--scheduler-name", ""], named: "--scheduler-name <name>" },
    { args: ["nodes", "--nodes", "5001"], named: "from 0 to 5000" },
    { args: ["scheduler", "--nonsense"], named: "'--nonsense'" },
    { args: ["controller-manager", "--controllers", "deploymint"], named: "--controllers <names>" },
    { args: ["controller-manager", "--concurrency", "deploymint=2"], named: "--concurrency <list>" },
    {
      args: ["controller-manager", "--horizontal-pod-autoscaler-sync-period", "often"],
      named: "--horizontal-pod-autoscaler-sync-period <time>",
    },
    {
      args: ["controller-manager", "--horizontal-pod-autoscaler-sync-period", "0s"],
      named: "--horizontal-pod-autoscaler-sync-period <time>",
    },
    {
      args: ["controller-manager", "--horizontal-pod-autoscaler-tolerance", "-1"],
      named: "--horizontal-pod-autoscaler-tolerance <share>",
    },
    { args: ["controller-manager", "--node-cidr-mask-size", "wide"], named: "such as 24" },
    { args: ["controller-manager", "--feature-gates", "Nonsense=true"], named: "StorageVersionMigrator" },
    { args: ["up", "--concurrency", "deploymint"], named: "cronjob-controller" },
    { args: ["up", "--concurrency", "deployment=0"], named: "from 1 to 1000" },
    { args: ["simulate"], named: "'file'" },
    { args: ["simulate", "x.js", "--for", "long"], named: "--for <time>" },
    { args: ["simulate", "x.js", "--workers", "0"], named: "--workers <count>" },
    { args: ["simulate", "x.js", "--faults", "lagg"], named: "time-travel" },
    { args: ["node", "stop"], named: "'name'" },
    { args: ["node", "explode", "node-1"], named: "explode" },
    { args: ["version", "-o", "xml"], named: "--output <format>" },
    { args: ["--nonsense"], named: "'--nonsense'" },
    { args: ["explain", "web"], named: '"web" is not an object' },
    { args: ["explain", "deployment/web", "--page", "here"], named: "--page takes an address" },
    { args: ["pu"], named: "'pu'" },
  ])("answers $args with exit code 2 and an error that names $named", async ({ args, named }) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("error: ");
    expect(err).toContain(named);
  });

  test.each([[["--help"]], [["up", "--help"]], [["help", "up"]], [[]]])(
    "prints help for %j and exits with 0",
    async (args) => {
      const { code, out } = await run(...args);
      expect(code).toBe(0);
      expect(out).toContain("Usage: coxswain");
    },
  );

  test("version says the version, as text or JSON", async () => {
    expect(await run("--version")).toMatchObject({ code: 0, out: expect.stringMatching(/^coxswain \d+\.\d+\.\d+\n$/) });
    expect((await run("version")).out).toMatch(/^coxswain \d+\.\d+\.\d+ \(node v/);
    expect(JSON.parse((await run("version", "-o", "json")).out)).toMatchObject({ node: process.version });
  });

  test("up serves the API and its status, runs the controllers, and stops when it is told to", async () => {
    const { terminal, printed, stop } = fakeTerminal();
    const done = runCommandLine(await upOnFreePorts(), terminal);
    await until(() => printed.out.includes("Ctrl-C"));
    expect(printed.out).toMatch(/^ {2}API server {3}https:\/\/127\.0\.0\.1:\d+$/m);
    expect(printed.out).toMatch(/^ {2}controllers {2}[1-9]\d*, built-in$/m);
    const url = /http:\S+(?=\/readyz)/.exec(printed.out)?.[0] ?? "";
    const [ready, metrics, open, missing] = await Promise.all([
      fetch(`${url}/readyz`),
      fetch(`${url}/metrics`),
      fetch(`${url}/metrics`, { headers: { accept: "application/openmetrics-text; version=1.0.0" } }),
      fetch(`${url}/nothing`),
    ]);
    expect([ready.status, await ready.text(), missing.status]).toEqual([200, "ok", 404]);
    expect(await metrics.text()).toMatch(/^# TYPE workqueue_adds_total counter$/m);
    expect(await open.text()).toContain("# EOF\n");
    await missing.text();
    stop.abort(new Error("enough"));
    expect(await done).toBe(0);
  });

  test("explain prints why an object is as it is, and says where it looked if no page answers", async () => {
    const { terminal, printed, stop } = fakeTerminal();
    const args = await upOnFreePorts();
    const done = runCommandLine(args, terminal);
    await until(() => printed.out.includes("Ctrl-C"));
    const page = /^ {2}page +(http:\S+)$/m.exec(printed.out)?.[1] ?? "";
    const explained = await run("explain", "namespace/default", "--page", page);
    expect(explained.code).toBe(0);
    expect(explained.out).toMatch(/^Namespace default\n/);
    expect(explained.out).toMatch(/^\d\d:\d\d:\d\d\.\d{3} \w+#\d+ reconciled default after .* ms: done$/m);
    expect(explained.out).toMatch(/^ {2}because Namespace default added @\d+, written elsewhere$/m);
    expect(await run("explain", "nonsense/x", "--page", page)).toMatchObject({
      code: 1,
      err: expect.stringContaining('a resource type "nonsense"'),
    });
    stop.abort(new Error("enough"));
    expect(await done).toBe(0);
    expect(await run("explain", "namespace/default", "--page", page)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`no page answers at ${page}`),
    });
  });

  test("node takes a simulated node's power and gives it back, and says what it cannot do", async () => {
    const { terminal, printed, stop } = fakeTerminal();
    const args = await upOnFreePorts();
    const done = runCommandLine(args, terminal);
    await until(() => printed.out.includes("Ctrl-C"));
    const power = (...words: string[]) => run("node", ...words, "--kubeconfig", args.at(-1) ?? "");
    expect(await power("stop", "node-1")).toMatchObject({ code: 0, out: "node/node-1 is off\n" });
    expect(await power("stop", "node-1")).toMatchObject({ code: 0, out: "node/node-1 is off already\n" });
    expect((await power("list")).out).toMatch(
      /^NAME {5}POWER {3}STATUS {3}PODS\nnode-1 {3}off {5}Ready {4}0\nnode-2 {3}on {6}Ready {4}0\n/,
    );
    expect(await power("start", "node-1")).toMatchObject({ code: 0, out: "node/node-1 is on\n" });
    expect(await power("stop", "node-9")).toMatchObject({ code: 1, err: "coxswain: there is no node node-9\n" });
    stop.abort(new Error("enough"));
    expect(await done).toBe(0);
  });

  test("up fails with exit code 1 and the reason when the port is taken, and leaves nothing running", async () => {
    const first = fakeTerminal();
    const done = runCommandLine(await upOnFreePorts(), first.terminal);
    await until(() => first.printed.out.includes("Ctrl-C"));
    const port = /API server +https:\S+:(\d+)$/m.exec(first.printed.out)?.[1] ?? "";
    const { code, err } = await run(...(await upOnFreePorts()), "--port", port);
    expect(code).toBe(1);
    expect(err).toMatch(/^coxswain: .*EADDRINUSE.*\nStop what uses the port, or choose another/);
    first.stop.abort(new Error("enough"));
    expect(await done).toBe(0);
  });

  test("a status port that is taken does not stop up: it takes another, and says which", async () => {
    const first = fakeTerminal();
    const second = fakeTerminal();
    const running = runCommandLine(await upOnFreePorts(), first.terminal);
    await until(() => first.printed.out.includes("Ctrl-C"));
    const port = /:(\d+)\/readyz/.exec(first.printed.out)?.[1] ?? "";
    const other = runCommandLine([...(await upOnFreePorts()), "--status-port", port], second.terminal);
    await until(() => second.printed.out.includes("Ctrl-C"));
    const url = /http:\S+(?=\/readyz)/.exec(second.printed.out)?.[0] ?? "";
    expect(url).not.toContain(`:${port}`);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    for (const { stop } of [first, second]) stop.abort(new Error("enough"));
    expect([await running, await other]).toEqual([0, 0]);
  });
});

describe("coxswain up, and the files that it leaves", () => {
  const start = async (args: readonly string[]) => {
    const { terminal, printed, stop } = fakeTerminal();
    const done = runCommandLine(args, terminal);
    await until(() => printed.out.includes("Ctrl-C"));
    return async () => {
      stop.abort(new Error("enough"));
      expect(await done).toBe(0);
    };
  };

  test("a kubeconfig is replaced only by a start that succeeds, and only when its server is gone; the next server has the same authority", async () => {
    const args = await upOnFreePorts();
    const kubeconfig = args.at(-1) ?? "";
    const written = (): Promise<string> => readFile(kubeconfig, "utf8");
    const authorityIn = (text: string): string | undefined => /certificate-authority-data: (.*)/.exec(text)?.[1];
    const revision = async (): Promise<number> => {
      await using client = await connect({ kubeconfig });
      return Number((await client.resource(Namespace).get("default")).metadata.resourceVersion);
    };
    const endFirst = await start(args);
    const before = await written();
    const revisionBefore = await revision();
    expect(await run(...args)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /kubeconfig leads to a cluster that is running at https:.*: it is left as it is; choose another file with --kubeconfig-out\n$/,
      ),
    });
    await endFirst();
    const busy = createServer().listen(0, "127.0.0.1");
    await once(busy, "listening");
    const { port } = busy.address() as AddressInfo;
    expect(await run(...args, "--port", String(port))).toMatchObject({
      code: 1,
      err: expect.stringContaining("EADDRINUSE"),
    });
    busy.close();
    expect(await written()).toBe(before);
    const endSecond = await start(args);
    const after = await written();
    expect([after === before, authorityIn(after)]).toEqual([false, authorityIn(before)]);
    expect(await revision()).toBeGreaterThan(revisionBefore);
    await endSecond();
  });

  test.skipIf(process.platform !== "linux")(
    "a data folder that cannot be written to is named, without a word of ports (/proc, on Linux)",
    async () => {
      const { code, err } = await run(...(await upOnFreePorts()), "--data-dir", "/proc/self");
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(
          /^coxswain: cannot use the data folder \/proc\/self: .*: choose one that can be written to\n$/,
        ),
      ]);
    },
  );

  test("a data folder that is a file is named", async () => {
    const args = await upOnFreePorts();
    const file = join(dirname(args.at(-1) ?? ""), "file");
    await writeFile(file, "");
    const { code, err } = await run(...args, "--data-dir", file);
    expect([code, err]).toEqual([1, expect.stringContaining(`cannot make the folder ${file} (EEXIST`)]);
  });
});

async function upOnFreePorts(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-up-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const kubeconfig = join(folder, "kubeconfig");
  // a free port for the server frees that of its status too
  return ["up", "--port", "0", "--log-level", "off", "--kubeconfig-out", kubeconfig];
}
