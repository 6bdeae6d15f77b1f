/** Runs before each test file: a test that leaves a timer, run, subscription, socket, server or rejection behind fails. */
import fc from "fast-check";
import { afterAll, beforeEach } from "vitest";
import { detectLeaks, type OpenResource, systemClock } from "../src/base/index.js";
import { trackSockets } from "./track-sockets.js";

const detection = detectLeaks();
trackSockets();

// the same seed in every run; COXSWAIN_SEED explores others
fc.configureGlobal({ seed: Number(process.env["COXSWAIN_SEED"] ?? 1) });

/** Only a socket that is never closed takes this long; the fixtures, which leave some on purpose, do not wait for them. */
const farewellMs = Number(process.env["COXSWAIN_FAREWELL_MS"] ?? 60_000);

/** Resources for which a test has already failed, so that its file does not fail for them again. */
const blamed = new Set<number>();
const rejections: unknown[] = [];
process.on("unhandledRejection", (reason) => rejections.push(reason));

// hooks run as a stack: this check was registered first, so it runs last, after the test's own clean-up
beforeEach(({ onTestFinished }) => {
  const mark = detection.mark();
  const before = detection.openSince(0);
  rejections.length = 0;
  onTestFinished(() => judge("this test", mark, before));
});

afterAll(() => judge("this file", 0, []));

async function judge(who: string, mark: number, before: readonly OpenResource[]): Promise<void> {
  const left = withoutSuccessors(await leftOpen(mark), before).filter(({ id }) => !blamed.has(id));
  for (const { id } of left) blamed.add(id);
  const complaints = left.map(({ kind, description, openedAt }) => `${kind} (${description}) opened at ${openedAt}`);
  for (const reason of rejections.splice(0)) complaints.push(`unhandled rejection: ${String(reason)}`);
  if (complaints.length > 0)
    throw new Error(`${who} left behind:\n${complaints.map((line) => `  ${line}`).join("\n")}`);
}

/**
 * A server that several tests share renews its timers. A resource that replaced one that was open before the test, of
 * the same kind and from the same line, belongs to the file and not to the test.
 */
function withoutSuccessors(left: readonly OpenResource[], before: readonly OpenResource[]): readonly OpenResource[] {
  if (left.length === 0 || before.length === 0) return left;
  const nameOf = ({ kind, description, openedAt }: OpenResource): string => `${kind} ${description} ${openedAt}`;
  const open = new Set(detection.openSince(0).map(({ id }) => id));
  const vacant = before.filter(({ id }) => !open.has(id)).map(nameOf);
  return left.filter((resource) => {
    const place = vacant.indexOf(nameOf(resource));
    if (place !== -1) vacant.splice(place, 1);
    return place === -1;
  });
}

/**
 * A closing socket or an aborted run needs a few turns of the event loop to end; a resource that needs longer was not
 * awaited.
 */
async function leftOpen(mark: number): Promise<readonly OpenResource[]> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (turn > 1 && detection.openSince(mark).length === 0) return [];
  }
  // the kernel decides how long the other end's close takes, which on a busy machine is more than a few turns
  const { signal } = new AbortController();
  const deadline = systemClock.monotonic() + farewellMs;
  while (systemClock.monotonic() < deadline && detection.openSince(mark).some(isSocket)) {
    await systemClock.sleep(10, signal);
  }
  return detection.openSince(mark);
}

const isSocket = ({ kind }: OpenResource): boolean => kind === "socket" || kind === "server";
