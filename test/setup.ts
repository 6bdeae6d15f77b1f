/** Runs before each test file: a test that leaves a timer, run, subscription, socket, server or rejection behind fails. */
import { afterAll, beforeEach } from "vitest";
import { detectLeaks, type OpenResource } from "../src/base/index.js";
import { trackSockets } from "./track-sockets.js";

const detection = detectLeaks();
trackSockets();

/** What some test has already failed for, so that its file does not fail for it again. */
const blamed = new Set<number>();
const rejections: unknown[] = [];
process.on("unhandledRejection", (reason) => rejections.push(reason));

// hooks run as a stack, so what is registered first here judges last, after the test's own clean-up
beforeEach(({ onTestFinished }) => {
  const mark = detection.mark();
  rejections.length = 0;
  onTestFinished(() => judge("this test", mark));
});

afterAll(() => judge("this file", 0));

async function judge(who: string, mark: number): Promise<void> {
  const left = (await leftOpen(mark)).filter(({ id }) => !blamed.has(id));
  for (const { id } of left) blamed.add(id);
  const complaints = left.map(({ kind, description, openedAt }) => `${kind} (${description}) opened at ${openedAt}`);
  for (const reason of rejections.splice(0)) complaints.push(`unhandled rejection: ${String(reason)}`);
  if (complaints.length > 0)
    throw new Error(`${who} left behind:\n${complaints.map((line) => `  ${line}`).join("\n")}`);
}

/** A closing socket or an aborted run needs a few turns of the event loop to end; what needs longer was not awaited. */
async function leftOpen(mark: number): Promise<readonly OpenResource[]> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (turn > 1 && detection.openSince(mark).length === 0) return [];
  }
  return detection.openSince(mark);
}
