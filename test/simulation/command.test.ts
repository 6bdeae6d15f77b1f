import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runProgram, type Terminal } from "../../src/cli/program.js";

/** An operator that does nothing, and a scenario that does what is given. */
const moduleWith = (scenario: string): string => `
const close = async () => {};
export default {
  operator: () => ({ done: new Promise(() => {}), close, [Symbol.asyncDispose]: close }),
  scenario: ${scenario},
  seeds: 2,
};
`;

async function simulated(text: string, ...flags: string[]): Promise<{ code: number; out: string; err: string }> {
  const folder = await mkdtemp(join(tmpdir(), "simulate-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "operator.mjs");
  await writeFile(file, text);
  const printed = { out: "", err: "" };
  const terminal: Terminal = {
    out: (line) => void (printed.out += line),
    err: (line) => void (printed.err += line),
    stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
  };
  const code = await runProgram(["simulate", file, "--workers", "1", ...flags], terminal);
  return { code, ...printed };
}

test("tells how many histories there were, and that none ends badly", async () => {
  const { code, out } = await simulated(moduleWith("async () => {}"));
  expect(code).toBe(0);
  expect(out).toMatch(/^3 histories in /);
  expect(out).toContain("no history ends badly");
});

test("tells the story of a failure, with exit code 1", async () => {
  const { code, out, err } = await simulated(moduleWith('async () => { throw new Error("no luck"); }'), "--seeds", "5");
  expect(code).toBe(1);
  expect(out).toContain("the scenario failed: no luck");
  expect(err).toBe("coxswain: a history ends badly\n");
});

test("names what is wrong with a file or a seed", async () => {
  expect((await simulated("export default 1;")).err).toContain("must have the functions operator and scenario");
  expect((await simulated(moduleWith("async () => {}"), "--seed", "x")).err).toContain("there is no history x");
});
