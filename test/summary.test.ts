import { describe, expect, test } from "vitest";
import { runFixture } from "./fixtures/run.js";

describe("the end of a test run", () => {
  test("lists what was skipped with its reason, counts failing hooks, and has the sums alone on the last line", async () => {
    const { exitCode, stdout } = await runFixture("summary");
    expect(exitCode).toBe(1);
    expect(stdout).toBe(`
skipped:
  test/fixtures/summary.fixture.ts > skips itself: the moon is full
  test/fixtures/summary.fixture.ts > beside a server (skipped where there is none) (2 tests)

2 passed, 2 failed, 3 skipped
`);
  });
});
