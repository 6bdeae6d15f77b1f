/** A program of controllers as a process: its signals and exit codes, which no fake can show. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";

const built = join(process.cwd(), "dist", "manager", "index.js");

/** Says when it runs and when it is asked to stop; `stubborn` then goes on for ever. */
const program = `
import { runProgram } from ${JSON.stringify(pathToFileURL(built).href)};
const [how, ...args] = process.argv.slice(1);
process.exitCode = await runProgram({ args }, async ({ signal }) => {
  if (how === "broken") throw new Error("boom");
  const going = setInterval(() => {}, 1000);
  signal.addEventListener("abort", () => {
    console.log("asked to stop");
    if (how !== "stubborn") clearInterval(going);
  });
  console.log("runs");
  await new Promise((resolve) => how !== "stubborn" && signal.addEventListener("abort", resolve));
});
`;

function start(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", program, "--", ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  });
}

async function said(child: ChildProcess, what: string): Promise<void> {
  for await (const [chunk] of child.stdout === null ? [] : onData(child.stdout))
    if (String(chunk).includes(what)) return;
}

async function* onData(stream: NodeJS.ReadableStream): AsyncGenerator<readonly unknown[]> {
  for (;;) yield await once(stream, "data");
}

const exit = async (child: ChildProcess): Promise<unknown> => (await once(child, "exit"))[0];

describe.skipIf(!existsSync(built))("a program as a process (needs a build in dist)", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${signal} asks for a stop, and the exit code is 0`, async () => {
      const child = start("obedient");
      await said(child, "runs");
      const code = exit(child);
      child.kill(signal);
      expect(await code).toBe(0);
    });
  }

  test("a second signal exits at once with code 1, whatever is still going on", async () => {
    const child = start("stubborn");
    await said(child, "runs");
    const stopping = said(child, "asked to stop");
    child.kill("SIGTERM");
    await stopping;
    expect(child.exitCode).toBeNull();
    const code = exit(child);
    child.kill("SIGINT");
    expect(await code).toBe(1);
  });

  test("a failure is exit code 1, a command line that makes no sense 2", async () => {
    expect([await exit(start("broken")), await exit(start("obedient", "--nonsense"))]).toEqual([1, 2]);
  });
});
