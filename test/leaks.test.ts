import { describe, expect, test } from "vitest";
import { runFixture } from "./fixtures/run.js";

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly failureMessages: readonly string[] }[];
  }[];
}

/** The title of each fixture test, with the report of what it left behind. */
async function failuresOf(name: string): Promise<Record<string, string | undefined>> {
  const report = JSON.parse((await runFixture(name, "--reporter=json")).stdout) as Report;
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return Object.fromEntries(results.map(({ title, failureMessages }) => [title, failureMessages[0]]));
}

describe("the leak detector", () => {
  test("fails the test that left something, naming what and where", async () => {
    const failures = await failuresOf("leaks");
    const here = /^Error: this test left behind:\n {2}(.*?)(?: opened at .*leaks\.fixture\.ts:\d+:\d+)?$/ms;
    const told = Object.entries(failures).map(([title, message]) => [
      title,
      message && here.exec(message.split("\n    at ")[0] ?? "")?.[1]?.replace(/:\d+/g, ":port"),
    ]);
    expect(Object.fromEntries(told)).toEqual({
      "leaves a timer": "timer (3600000 ms)",
      "leaves a timer on a fake clock": "timer (5 ms on a FakeClock)",
      "leaves a sleeping run": "run (patrol)",
      "winds up anew what was open before it": undefined,
      "leaves a subscription": "subscription (handler of pods)",
      "leaves a rejection": "unhandled rejection: Error: nobody listens",
      "leaves a server": 'server ({"address":"127.0.0.1","family":"IPv4","port":port})',
      "leaves a socket": "socket (to 127.0.0.1:port)",
      "cleans up when it is finished": undefined,
      "cleans up by itself": undefined,
      "lets an abandoned world go": undefined,
    });
  });
});
