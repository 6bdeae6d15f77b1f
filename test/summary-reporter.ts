/** Ends a test run with what was skipped and why, and a line that people and programs can read: `N passed, M failed`. */
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
      // a file that does not load, or a hook that throws, fails no test of its own; it must count all the same
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
  }
}

function outcome(test: TestCase): keyof Totals {
  const { state } = test.result();
  return state === "pending" ? "failed" : state;
}

/** The outermost suite of which nothing ran stands for its tests, and its name says why; a test skipped by itself has a note. */
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
