import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import type { Terminal } from "../../src/cli/terminal.js";
import type { StoryTrace } from "../../src/testing/index.js";

/** An operator that does nothing, and a scenario that does what is given. */
const moduleWith = (scenario: string): string => `
const close = async () => {};
export default {
  operator: () => ({ done: new Promise(() => {}), close, [Symbol.asyncDispose]: close }),
  scenario: ${scenario},
  seeds: 2,
};
`;

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly folder: string;
}

async function simulated(text: string, flags: readonly string[] = [], terminal: Partial<Terminal> = {}): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), "simulate-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "operator.mjs");
  await writeFile(file, text);
  const printed = { out: "", err: "" };
  const own: Terminal = {
    out: (line) => void (printed.out += line),
    err: (line) => void (printed.err += line),
    stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
    ...terminal,
  };
  const placed = flags.map((flag) => flag.replace("FOLDER", folder));
  const code = await runCommandLine(["simulate", file, "--workers", "1", ...placed], own);
  return { code, folder, ...printed };
}

const idle = moduleWith("async () => {}");
const failing = moduleWith('async () => { throw new Error("no luck"); }');

test("tells how many histories there were, and that none ends badly", async () => {
  const { code, out } = await simulated(idle);
  expect(code).toBe(0);
  expect(out).toMatch(/^3 histories in /);
  expect(out).toContain("no history ends badly");
});

test("--seeds counts the random histories; --faults chooses their faults", async () => {
  const { out } = await simulated(idle, ["--seeds", "6", "--faults", "crash, pause"]);
  expect(out).toMatch(/^7 histories in /);
  const struck = /faults that struck, by histories: (.*)/.exec(out)?.[1] ?? "";
  expect(struck.split(", ").map((one) => one.split(" ")[0])).toEqual(["crash", "pause"]);
});

test("--seed plays one history", async () => {
  expect((await simulated(idle, ["--seed", "5"])).out).toMatch(/^2 histories in /);
});

test("--for ends the search when the time is over", async () => {
  const { code, out } = await simulated(idle, ["--for", "1ms"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^\d+ histories in /);
});

test("Ctrl-C ends with the report so far; the progress line has histories, coverage, failures and rate", async () => {
  const stop = new AbortController();
  let out = "";
  const { code } = await simulated(idle, ["--seeds", "1000000"], {
    isInteractive: true,
    out(text) {
      out += text;
      if (text.startsWith("\r4 histories")) stop.abort();
    },
    stopSignal: () => ({ signal: stop.signal, [Symbol.dispose]: () => {} }),
  });
  expect(code).toBe(0);
  expect(out).toMatch(/\r4 histories \(0 of 0 single faults\), 0 failures, \d+ a second \n4 histories in /);
});

test("tells the story of a failure, with exit code 1", async () => {
  const { code, out, err } = await simulated(failing, ["--seeds", "5"]);
  expect(code).toBe(1);
  expect(out).toContain("the scenario failed: no luck");
  expect(err).toBe("coxswain: a history ends badly\n");
});

test.each([
  ["FOLDER/story.json", "story.json"],
  ["FOLDER/stories", "stories/simulation-none.json"],
])("--out %s writes the whole record in the Trace Event Format", async (out, path) => {
  const { folder, out: printed } = await simulated(failing, ["--out", out]);
  expect(printed).toContain(`seed none is written to ${join(folder, path)}`);
  const trace = JSON.parse(await readFile(join(folder, path), "utf8")) as StoryTrace;
  expect(trace.otherData).toEqual({
    seed: "none",
    oracle: "scenario-ends",
    messages: ["the scenario failed: no luck"],
    faults: [],
  });
  const rows = trace.traceEvents.filter(({ ph }) => ph === "M").map(({ args }) => (args as { name: string }).name);
  expect(rows).toContain("lives");
  expect(trace.traceEvents.map(({ name }) => name)).toContain("the scenario begins");
});

test("names what is wrong with a file, a seed or a flag", async () => {
  expect((await simulated("export default 1;")).err).toContain("must have the functions operator and scenario");
  expect((await simulated(idle, ["--seed", "x"])).err).toContain("there is no history x");
  expect((await simulated(idle, ["--seeds", "x"])).err).toContain("It must be a number of histories");
  expect((await simulated(idle, ["--for", "10"])).err).toContain("It must be a time such as 90s");
  expect((await simulated(idle, ["--workers", "0"])).err).toContain("It must be a number of processes");
  expect((await simulated(idle, ["--faults", "sloth"])).err).toContain('There is no fault "sloth"');
});
