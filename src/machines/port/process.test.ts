import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { ContainerStatus, Pod } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
import type { PortContext } from "./context.js";
import { ContainerFiles } from "./files.js";
import { attachTo, type CommandRequest, type ProcessStreams, runProcess } from "./process.js";

const startedAt = "2000-01-01T00:00:00Z";

const run = (number: number, more: Partial<ContainerStatus> = {}): Partial<ContainerStatus> => ({
  name: "c",
  containerID: `run-${number}`,
  state: { running: { startedAt } },
  ...more,
});

const podWith = (status: Partial<ContainerStatus>, uid = "1"): Pod =>
  ({
    metadata: { name: "web", namespace: "default", uid },
    spec: { containers: [{ name: "c", image: "i", command: ["sh", "-c", "echo one; sleep 5; echo two; sleep 1000"] }] },
    status: { containerStatuses: [status] },
  }) as unknown as Pod;

const finishedAt = "2000-01-01T00:00:09Z";
const terminated = { exitCode: 3, reason: "Error", startedAt, finishedAt };

const ends: [string, Pod | undefined, string][] = [
  ["the pod is gone", undefined, ""],
  ["another pod has its name", podWith(run(0), "2"), ""],
  ["the container has ended", podWith(run(0, { state: { terminated } })), "two\n"],
  ["the container runs anew", podWith(run(1, { lastState: { terminated } })), "two\n"],
];

interface Rig {
  readonly clock: FakeClock;
  readonly stdin: PassThrough;
  readonly text: () => string;
  /** Puts another pod in the place of the first. */
  become(pod: Pod | undefined): void;
  readonly outcome: Promise<unknown>;
  readonly isOver: () => boolean;
}

/** A client of a server without objects. */
const client = {
  resource: () => ({
    getOrUndefined: () => Promise.resolve(undefined),
    list: () => Promise.resolve({ items: [] }),
  }),
};

/** A process that is under way. */
async function start(
  way: (request: CommandRequest, streams: ProcessStreams, context: PortContext) => Promise<number>,
  command: readonly string[],
): Promise<Rig> {
  const clock = new FakeClock({ startMs: Date.parse(startedAt) + 1_000 });
  const first = podWith(run(0));
  let now: Pod | undefined = first;
  const pods = { get: () => now };
  const parts = { client, pods, clock, followCommands: true, speed: 1, files: new ContainerFiles() };
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let text = "";
  stdout.on("data", (chunk: Buffer) => (text += String(chunk)));
  const request = { pod: first, container: "c", command, signal: new AbortController().signal };
  let over = false;
  const outcome = way(request, { stdin, stdout, tty: false }, parts as unknown as PortContext).finally(() => {
    over = true;
  });
  await clock.advance(2_000);
  expect(over).toBe(false);
  return { clock, stdin, text: () => text, become: (pod) => void (now = pod), outcome, isOver: () => over };
}

const commands: (readonly string[])[] = [["sleep", "1000"], ["sh"], ["cat"], ["tar", "xf", "-"]];

test.each(ends)("commands in a container are killed when %s", async (_when, pod) => {
  for (const command of commands) {
    const { clock, become, outcome, isOver } = await start(runProcess, command);
    become(pod);
    await clock.advance(1_000);
    expect([command, isOver()]).toEqual([command, true]);
    expect(await outcome).toBe(137);
    expect(clock.pendingTimers).toBe(0);
  }
});

test.each(ends)("attaching ends with the last output when %s", async (_when, pod, last) => {
  const { clock, become, outcome, isOver, text } = await start(attachTo, []);
  become(pod);
  await clock.advance(1_000);
  expect(isOver()).toBe(true);
  expect(await outcome).toBe(0);
  expect(text()).toBe(last);
  expect(clock.pendingTimers).toBe(0);
});

test("a command that ends by itself keeps its exit code, and nothing goes on after it", async () => {
  const { clock, stdin, outcome, text } = await start(runProcess, ["cat"]);
  stdin.end("back");
  expect(await outcome).toBe(0);
  expect(text()).toBe("back");
  expect(clock.pendingTimers).toBe(0);
});

test("the date is that of the nodes' clock", async () => {
  let text = "";
  const stdout = new PassThrough().on("data", (chunk: Buffer) => (text += String(chunk)));
  const clock = new FakeClock({ startMs: Date.parse("2000-01-02T03:04:05Z") });
  const parts = {
    client,
    clock,
    followCommands: true,
    speed: 1,
    files: new ContainerFiles(),
    pods: { get: () => podWith(run(0)) },
  };
  const request = { pod: podWith(run(0)), container: "c", command: ["date"], signal: new AbortController().signal };
  expect(await runProcess(request, { stdout, tty: false }, parts as unknown as PortContext)).toBe(0);
  expect(text).toBe("Sun Jan  2 03:04:05 UTC 2000\n");
});
