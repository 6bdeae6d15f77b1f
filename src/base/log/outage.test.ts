import { expect, test } from "vitest";
import { FakeClock } from "../time/fake-clock.js";
import { createLogger } from "./log.js";
import { OutageLog } from "./outage.js";

function rig(): { readonly clock: FakeClock; readonly outage: OutageLog; readonly lines: string[] } {
  const clock = new FakeClock();
  const lines: string[] = [];
  const logger = createLogger({ clock, format: "json", write: (line) => lines.push(line) });
  const outage = new OutageLog({ logger, clock, failing: "asking failed", over: "asking works again" });
  return { clock, outage, lines };
}
const read = (line: string): object => {
  const { time: _, ...rest } = JSON.parse(line) as { time: unknown };
  return rest;
};

test("an outage is told at once, then each minute with the number of failures, and when it is over", async () => {
  const { clock, outage, lines } = rig();
  for (let seconds = 0; seconds < 130; seconds += 2) {
    outage.failed({ why: "refused" });
    await clock.advance(2_000);
  }
  outage.worked();
  outage.worked();
  expect(lines.map(read)).toEqual([
    { level: "warn", message: "asking failed", why: "refused" },
    { level: "warn", message: "asking failed", why: "refused", failuresBefore: 29 },
    { level: "warn", message: "asking failed", why: "refused", failuresBefore: 29 },
    { level: "info", message: "asking works again", lastedMs: 130_000 },
  ]);
});

test("what fails and works in turn is told once a minute", async () => {
  const { clock, outage, lines } = rig();
  for (let seconds = 0; seconds < 120; seconds++) {
    outage.failed({});
    outage.worked();
    await clock.advance(1_000);
  }
  expect(lines).toHaveLength(4);
});

test("of failures that somebody else reports only the end is told", () => {
  const { outage, lines } = rig();
  outage.failedElsewhere();
  outage.failedElsewhere();
  expect(lines).toEqual([]);
  outage.worked();
  outage.worked();
  expect(lines.map(read)).toMatchObject([{ message: "asking works again" }]);
});
