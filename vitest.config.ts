import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.js";
import { sourceFiles } from "./test/source-files.js";
import { SummaryReporter } from "./test/summary-reporter.js";

const full = process.env["COXSWAIN_FULL"] === "1";

/** The full run adds the long tests to a run that has been: it takes only the files that have any. */
const filesWithLongTests = (): string[] =>
  ["src", "test", "examples"]
    .flatMap(sourceFiles)
    .filter(({ path, text }) => path.endsWith(".test.ts") && text.includes("COXSWAIN_FULL"))
    .map(({ path }) => path);

/** Examples import the package by its name, as its users do. */
const source = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

export default defineConfig({
  oxc: { target: "es2023" },
  resolve: {
    alias: [
      { find: /^coxswain$/, replacement: source("index.ts") },
      { find: /^coxswain\/(.*)$/, replacement: source("$1/index.ts") },
    ],
  },
  test: {
    include: full
      ? filesWithLongTests()
      : ["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts", "web/**/*.test.ts"],
    // before anyone has written a long test there is nothing to run, which is no failure
    passWithNoTests: full,
    setupFiles: ["./test/setup.ts"],
    globalSetup: ["./test/global-setup.ts"],
    // only what hangs takes so long: a busy machine may need a minute to start a control plane
    testTimeout: full ? 900_000 : 180_000,
    hookTimeout: 240_000,
    // the same of what is asked for again and again until it holds; by default that is given up after a second
    expect: { poll: { timeout: 120_000 } },
    teardownTimeout: 60_000,
    ...(full ? { sequence: { sequencer: LongestFirst } } : {}),
    pool: "forks",
    // each takes some hundred megabytes, and more of them would wait for the longest file all the same
    maxWorkers: Math.min(8, Math.max(2, availableParallelism())),
    isolate: true,
    reporters: ["default", new SummaryReporter()],
  },
});
