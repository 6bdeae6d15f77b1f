/**
 * Ends a test run with the skipped tests and their reasons, and a line for people and programs: `N passed, M failed`.
 * If COXSWAIN_FAILURES names a file, each failed test file becomes a line of it: path, tab, first failure.
 */
import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from "vitest/node";

interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

export class SummaryReporter implements Reporter {
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#write = write;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const totals: Totals = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const skipped = new Map<string, number>();
    for (const module of modules) {
      // a file that does not load, or a hook that throws, fails no test of its own, but must count all the same
      totals.failed += module.errors().length;
      for (const suite of module.children.allSuites()) totals.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const state = outcome(test);
        totals[state] += 1;
        if (state === "skipped") {
          const title = `${module.relativeModuleId} > ${titleOfSkipped(test)}`;
          skipped.set(title, (skipped.get(title) ?? 0) + 1);
        }
      }
    }
    this.#write(summary(totals, skipped));
    const failures = process.env["COXSWAIN_FAILURES"];
    if (failures !== undefined) writeFileSync(failures, failureLines(modules, unhandledErrors).join(""));
  }
}

/** An error outside all test files has no path to run again: its line begins with a dash. */
function failureLines(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): string[] {
  const line = (path: string, failure: string): string => `${path}\t${failure.replace(/\s+/g, " ").slice(0, 300)}\n`;
  const ofModules = modules.flatMap((module) => {
    const failure = firstFailure(module);
    return failure === undefined ? [] : [line(module.relativeModuleId, failure)];
  });
  return [...ofModules, ...unhandledErrors.map(({ message }) => line("-", message))];
}

function firstFailure(module: TestModule): string | undefined {
  for (const test of module.children.allTests()) {
    if (outcome(test) === "failed") return `${test.fullName}: ${test.result().errors?.[0]?.message ?? "did not end"}`;
  }
  for (const suite of module.children.allSuites()) {
    const error = suite.errors()[0];
    if (error !== undefined) return `${suite.fullName}: ${error.message}`;
  }
  return module.errors()[0]?.message;
}

function outcome(test: TestCase): keyof Totals {
  const { state } = test.result();
  return state === "pending" ? "failed" : state;
}

/** The outermost suite without any run stands for its tests, and its name gives the reason; a single skipped test has a note. */
function titleOfSkipped(test: TestCase): string {
  let title = test.fullName;
  for (let at = test.parent; at.type === "suite"; at = at.parent) {
    if (!nothingRan(at)) break;
    title = at.fullName;
  }
  const note = test.result()?.state === "skipped" ? (test.result() as { readonly note?: string }).note : undefined;
  return note === undefined ? title : `${title}: ${note}`;
}

function nothingRan(suite: TestSuite): boolean {
  for (const test of suite.children.allTests()) {
    if (test.result().state !== "skipped") return false;
  }
  return true;
}

function summary({ passed, failed, skipped }: Totals, titles: ReadonlyMap<string, number>): string {
  const lines = [...titles].map(([title, tests]) => `  ${title}${tests > 1 ? ` (${tests} tests)` : ""}`);
  const why = lines.length > 0 ? `\nskipped:\n${lines.join("\n")}\n` : "";
  return `${why}\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`;
}
