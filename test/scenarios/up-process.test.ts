/** `coxswain up` as a process: signals, terminals, files and folders that are in the way, and the data that survives its end. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Deployment, Pod } from "../../src/api/index.js";
import { connect } from "../../src/client/index.js";
import { patienceMs } from "../eventually.js";

const main = join(process.cwd(), "dist", "cli", "main.js");
const quiet = ["--port", "0", "--status-port", "0", "--log-level", "warn"];

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "coxswain-up-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

interface Up {
  readonly child: ChildProcess;
  readonly kubeconfig: string;
  printed(): string;
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Resolves when it says that it is ready, or has ended. */
async function up(directory: string, ...args: readonly string[]): Promise<Up> {
  const kubeconfig = join(directory, "kubeconfig");
  const child = spawn(process.execPath, [main, "up", ...quiet, "--kubeconfig-out", kubeconfig, ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  const ended = once(child, "close");
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (text: Buffer) => {
        printed += String(text);
        if (printed.includes("Press Ctrl-C to stop.")) resolve();
      });
    }
  });
  await Promise.race([ready, ended]);
  const end = async (signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> => {
    child.kill(signal);
    await ended;
    return child.exitCode ?? child.signalCode;
  };
  return { child, kubeconfig, printed: () => printed, end };
}

/** A process that cannot start: its output, and its exit code. */
function fails(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<{ code: unknown; said: string }> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...environment }, timeout: patienceMs };
    execFile(process.execPath, [main, ...args], options, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, said: out + err }),
    );
  });
}

const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "nginx" }] } },
  },
};

async function podsOf(kubeconfig: string): Promise<readonly string[]> {
  await using client = await connect({ kubeconfig });
  const { items } = await client.resource(Pod, { namespace: "default" }).list();
  return items
    .map(
      ({ metadata, spec, status }) =>
        `${metadata.uid} ${spec?.nodeName} ${status?.phase} ${status?.containerStatuses?.[0]?.restartCount}`,
    )
    .toSorted();
}

describe.skipIf(!existsSync(main))("coxswain up as a process (needs a build in dist)", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s stops it in order: exit code 0, and the data folder is free",
    async (signal) => {
      const directory = await folder();
      const running = await up(directory, "--data-dir", join(directory, "data"), "--nodes", "1");
      const locks = async (): Promise<readonly string[]> =>
        (await readdir(join(directory, "data"))).filter((name) => name.startsWith("lock"));
      expect(await locks()).toHaveLength(1);
      expect(await running.end(signal)).toBe(0);
      expect(await locks()).toEqual([]);
    },
  );

  test("what it held is there again after kill -9, and pods go on where they were, not restarted", async () => {
    const directory = await folder();
    const data = ["--data-dir", join(directory, "data")];
    const first = await up(directory, ...data);
    {
      await using client = await connect({ kubeconfig: first.kubeconfig });
      const deployments = client.resource(Deployment, { namespace: "default" });
      await deployments.create(web);
      const signal = AbortSignal.timeout(patienceMs);
      await deployments.waitFor("web", (now) => now?.status?.availableReplicas === 3, { signal });
    }
    const before = await podsOf(first.kubeconfig);
    expect(before).toHaveLength(3);
    expect(await first.end("SIGKILL")).toBe("SIGKILL");
    const second = await up(directory, ...data);
    expect(await podsOf(second.kubeconfig)).toEqual(before);
    {
      await using client = await connect({ kubeconfig: second.kubeconfig });
      const deployments = client.resource(Deployment, { namespace: "default" });
      await deployments.patch("web", { merge: { spec: { replicas: 4 } } });
      const signal = AbortSignal.timeout(patienceMs);
      await deployments.waitFor("web", (now) => now?.status?.availableReplicas === 4, { signal });
    }
    expect(await podsOf(second.kubeconfig)).toEqual(expect.arrayContaining([...before]));
    expect(await second.end("SIGTERM")).toBe(0);
  });

  test("a port or a data folder in use is named with what to do, and the one who has it goes on", async () => {
    const directory = await folder();
    const data = join(directory, "data");
    const first = await up(directory, "--data-dir", data, "--nodes", "0");
    const port = /^ready https:\/\/127\.0\.0\.1:(\d+)$/m.exec(first.printed())?.[1] ?? "";
    const other = ["--status-port", "0", "--kubeconfig-out", join(directory, "other")];
    const [samePort, sameFolder] = await Promise.all([
      fails(["up", "--port", port, ...other]),
      fails(["up", "--port", "0", ...other, "--data-dir", data]),
    ]);
    expect(samePort.said).toContain(`address already in use 127.0.0.1:${port}\nStop what uses the port, or choose`);
    expect(sameFolder.said).toContain(`the data folder ${data} is in use by process ${first.child.pid}`);
    expect([samePort.code, sameFolder.code]).toEqual([1, 1]);
    expect(existsSync(join(directory, "other"))).toBe(false);
    expect(await podsOf(first.kubeconfig)).toEqual([]);
    expect(await first.end("SIGTERM")).toBe(0);
  });

  test("a data folder of a newer version is refused and untouched, one with a torn end is mended with a word", async () => {
    const directory = await folder();
    const data = join(directory, "data");
    await (await up(directory, "--data-dir", data, "--nodes", "0")).end("SIGTERM");
    const log = (await readdir(data)).find((name) => name.startsWith("log-")) ?? "";
    const bytes = await readFile(join(data, log));
    await cp(data, join(directory, "newer"), { recursive: true });
    const newer = join(directory, "newer", log);
    await writeFile(newer, Buffer.concat([Buffer.from("coxlog9\n"), bytes.subarray(8)]));
    const before = await readFile(newer);
    const refused = await up(directory, "--data-dir", join(directory, "newer"));
    expect(refused.printed()).toContain("was written by another version of Coxswain");
    expect(refused.printed()).toContain("nothing was changed");
    expect(refused.child.exitCode).toBe(1);
    expect((await readFile(newer)).equals(before)).toBe(true);
    await writeFile(join(data, log), bytes.subarray(0, bytes.length - 7));
    const mended = await up(directory, "--data-dir", data, "--nodes", "0");
    expect(mended.printed()).toContain("the torn end of the log was cut off");
    expect(await mended.end("SIGTERM")).toBe(0);
  });

  test("its kubeconfig replaces its own of before, never a file with other clusters, and says where it cannot write", async () => {
    const directory = await folder();
    const kubeconfig = join(directory, "kubeconfig");
    await writeFile(kubeconfig, "");
    await (await up(directory, "--nodes", "0")).end("SIGTERM");
    const first = await readFile(kubeconfig, "utf8");
    expect([(await stat(kubeconfig)).mode & 0o777, first]).toEqual([0o600, expect.stringContaining("name: coxswain")]);
    await (await up(directory, "--nodes", "0")).end("SIGTERM");
    expect(await readFile(kubeconfig, "utf8")).not.toBe(first);
    const theirs = first.replaceAll("name: coxswain", "name: production");
    await writeFile(kubeconfig, theirs);
    const refused = await up(directory);
    expect(refused.printed()).toContain("kubeconfig has other clusters in it (production): it is left as it is");
    expect([refused.child.exitCode, await readFile(kubeconfig, "utf8")]).toEqual([1, theirs]);
    for (const path of [directory, join(directory, "no", "such", "folder")]) {
      const { code, said } = await fails(["up", "--port", "0", "--status-port", "0", "--kubeconfig-out", path]);
      expect([code, said]).toEqual([1, expect.stringContaining("choose another file with --kubeconfig-out")]);
    }
    expect((await readdir(directory)).filter((name) => name.includes("tmp"))).toEqual([]);
  });

  test.skipIf(!existsSync("/usr/bin/script"))(
    "a terminal has a line that is rewritten, a dumb one plain lines (skipped where there is no script command)",
    async () => {
      const directory = await folder();
      /** The output until Ctrl-C, which is pressed when the text is seen. */
      const onTerminal = async (until: string, environment: NodeJS.ProcessEnv): Promise<string> => {
        const kubeconfig = join(directory, "kubeconfig");
        const line = `${process.execPath} ${main} up --port 0 --status-port 0 --kubeconfig-out ${kubeconfig}`;
        const env = { ...process.env, TERM: "xterm", ...environment };
        const child = spawn("/usr/bin/script", ["-qec", line, "/dev/null"], { env });
        onTestFinished(() => void child.kill("SIGTERM"));
        let shown = "";
        child.stdout.on("data", (text: Buffer) => {
          const wasSeen = shown.includes(until);
          shown += String(text);
          if (!wasSeen && shown.includes(until)) child.stdin.write("\u0003");
        });
        await once(child, "close");
        return shown;
      };
      const rich = await onTerminal("nodes 3/3 ready", {});
      const dumb = await onTerminal("to stop.", { TERM: "dumb", NO_COLOR: "1" });
      expect(rich).toContain("\r\u001b[2Knodes 3/3 ready · pods 0 running · deployments 0/0 available · ");
      expect(rich).toContain("stopping");
      expect(dumb).toContain("stopping");
      expect(dumb).not.toContain("\u001b");
    },
  );
});
