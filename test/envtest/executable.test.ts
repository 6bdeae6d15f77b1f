import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEnvtest } from "../../src/testing/index.js";

const full = process.env["COXSWAIN_FULL"] === "1";

describe.skipIf(!full)("the single executable (skipped where COXSWAIN_FULL is not set)", () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-executable-"));
  const coxswain = join(folder, "coxswain");
  const run = (...args: readonly string[]): string =>
    execFileSync(coxswain, args, { cwd: folder, encoding: "utf8", env: { PATH: "/usr/bin:/bin", HOME: folder } });

  beforeAll(() => {
    execFileSync("npm", ["run", "--silent", "build:executable"], { stdio: ["ignore", "ignore", "inherit"] });
    copyFileSync(".cache/executable/coxswain", coxswain);
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is one file that says its version, away from the checkout", () => {
    expect(run("--version")).toMatch(/^coxswain \d+\.\d+\.\d+\n$/);
    expect(statSync(coxswain).size).toBeLessThan(150e6);
  });

  test("stands in for kube-apiserver and etcd by itself", async () => {
    const assets = run("envtest", "path").trim();
    expect(assets.startsWith(folder)).toBe(true);
    await using cluster = await startEnvtest({ assets, flags: ["--controllers=*"] });
    expect(cluster.url).toMatch(/^https:/);
  });
});
