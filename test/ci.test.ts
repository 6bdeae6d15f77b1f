import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { repository } from "./source-files.js";

const vitest = "node node_modules/vitest/vitest.mjs run --config test/fixtures/vitest.config.ts";

/** Runs a script with the functions of .ci/suite, for which "once more" means the fixtures' own vitest. */
function ci(script: string, env: Readonly<Record<string, string>> = {}): Promise<{ status: number; lines: string[] }> {
  const whole = `set -uo pipefail; source .ci/suite; again=(${vitest}); ${script}; summary`;
  return new Promise((resolve) => {
    execFile("bash", ["-c", whole], { cwd: repository, env: { ...process.env, ...env } }, (error, stdout) => {
      resolve({ status: error === null ? 0 : Number(error.code), lines: stdout.trimEnd().split("\n") });
    });
  });
}

describe("a run that decides whether a change lands", () => {
  test("a file that fails and then passes alone is named as flaky with its first failure, and nothing failed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "coxswain-ci-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { status, lines } = await ci(`suite ${vitest} flaky.fixture`, { FLAKY_MARKER: join(folder, "marker") });
    expect(lines.slice(-3)).toEqual([
      "FLAKY test/fixtures/flaky.fixture.ts (passed when it ran once more, alone)",
      expect.stringMatching(/^ {2}first failure: passes the second time: was it here before\?/),
      "2 passed, 0 failed",
    ]);
    expect(status).toBe(0);
  });

  test("a file that fails twice fails the run, and later suites are left out", async () => {
    const { status, lines } = await ci(`suite ${vitest} flaky.fixture; suite echo "5 passed, 0 failed"`);
    expect(lines.at(-1)).toBe("1 passed, 1 failed");
    expect(lines.join("\n")).not.toContain("FLAKY");
    expect(status).toBe(1);
  });

  test("a step that fails without a test counts as one failure", async () => {
    const { status, lines } = await ci(`step false; suite echo "5 passed, 0 failed"`);
    expect([status, lines.at(-1)]).toEqual([1, "0 passed, 1 failed"]);
  });

  test("a suite that fails without a failed file is not run again", async () => {
    const { status, lines } = await ci("suite false");
    expect([status, lines.at(-1)]).toEqual([1, "0 passed, 1 failed"]);
  });
});
