/** The output for an error that a reconciler or a program throws: it shows the line that threw it, everywhere. */
import { describe, expect, test, vi } from "vitest";
import { ConfigMap } from "../../src/api/index.js";
import { createLogger, type LoggerOptions } from "../../src/base/index.js";
import { type ControllerOptions, iterableSource, watch } from "../../src/controller/index.js";
import { Manager, runProgram } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";

function explode(): never {
  throw new TypeError("outer", { cause: new RangeError("inner") });
}

async function linesOf(change: Partial<ControllerOptions<ConfigMap>>, options: LoggerOptions = {}) {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client, clock } = cluster;
  const lines: string[] = [];
  const log = createLogger({ clock, write: (line) => void lines.push(line), ...options });
  const manager = await Manager.create({ client, clock, log });
  manager.controller<ConfigMap>({ name: "broken", for: ConfigMap, reconcile: async () => {}, ...change });
  await using _running = manager.start();
  await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" } });
  await clock.pass(1_000);
  return { lines, journal: manager.explain("default/a") };
}

const here = /at (Object\.)?explode .*failures\.test\.ts:\d+:\d+\)/;

describe("the line that threw", () => {
  const reconcile = async (): Promise<void> => explode();

  test.each(["text", "json"] as const)("stands in the log as %s, with the cause", async (format) => {
    const { lines } = await linesOf({ reconcile }, { format });
    const failed = lines.find((line) => line.includes("reconcile failed")) ?? "";
    expect(failed).toMatch(here);
    expect(failed).toContain("caused by RangeError: inner");
  });

  test("stands in the journal", async () => {
    const { journal } = await linesOf({ reconcile });
    expect(journal).toContain("failed (1 in a row): outer");
    expect(journal).toMatch(here);
    expect(journal).toContain("caused by RangeError: inner");
  });

  test.each([
    ["a finalizer", { finalizer: { name: "example.com/f", run: reconcile }, reconcile }],
    ["a map function", { watches: [watch(ConfigMap, explode)] }],
    ["a source", { sources: [iterableSource("s", explode)] }],
  ] satisfies readonly [string, Partial<ControllerOptions<ConfigMap>>][])("of %s", async (_, change) => {
    const { lines } = await linesOf(change);
    expect(lines.join("")).toMatch(here);
  });

  test("is what a program that fails says last", async () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      expect(await runProgram({ args: [] }, async () => explode())).toBe(1);
      const said = written.mock.calls.map(([text]) => String(text)).join("");
      expect(said).toContain("the program failed");
      expect(said).toMatch(here);
      expect(said).toContain("caused by RangeError: inner");
    } finally {
      written.mockRestore();
    }
  });
});
