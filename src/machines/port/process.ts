/**
 * Processes in simulated containers: commands are followed, never run. A command that would have to be run says so and
 * ends with 126, a shell's code for a file that cannot be executed.
 */
import { PassThrough, type Readable, type Writable } from "node:stream";
import type { Pod } from "../../api/index.js";
import { allContainers, containerStatus } from "../../api/pods/containers.js";
import { linkedAbort } from "../../base/index.js";
import type { Ending } from "../command/ending.js";
import { readMountedFile } from "../command/mounted-files.js";
import { NotUnderstood } from "../command/not-understood.js";
import { follow, isShell } from "../command/outcome.js";
import { followScript } from "../command/shell.js";
import { type CommandSurroundings, surroundingsOf } from "../command/surroundings.js";
import { containerLog } from "../container-log.js";
import { readLog, sourcesOf } from "./logs.js";
import { endOf, type PortContext } from "./context.js";
import { roomIn } from "../../base/net/streams.js";

export interface ProcessStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  readonly tty: boolean;
}

export interface CommandRequest {
  readonly pod: Pod;
  readonly container: string;
  readonly command: readonly string[];
  /** Ends the process. */
  readonly signal: AbortSignal;
}

const cannotExecute = 126;
/** The exit code of a process that is killed: every process of a container is, when the container ends. */
const killed = 137;

/** Resolves with the exit code. Rejects if the container does not run, or the signal aborts. */
export async function runProcess(
  request: CommandRequest,
  streams: ProcessStreams,
  context: PortContext,
): Promise<number> {
  const { pod, container } = request;
  requireRunning(pod, container);
  const id = containerId(pod, container);
  const goesOn = (now: Pod): boolean => isRunning(now, container) && containerId(now, container) === id;
  using stop = linkedAbort(request.signal);
  const { signal } = stop;
  try {
    const kill = endOf(pod, { goesOn, signal }, context).then(() => killed);
    return await Promise.race([kill, followCommand({ ...request, signal }, streams, context)]);
  } finally {
    stop.abort();
  }
}

async function followCommand(
  { pod, container, command, signal }: CommandRequest,
  streams: ProcessStreams,
  context: PortContext,
): Promise<number> {
  const say = writer(streams);
  if (!context.followCommands) {
    streams.stdin?.resume();
    const why = `pod ${pod.metadata.name} is simulated: no program runs in it, so there is nothing to exec`;
    await say("stderr", `${why} (its logs can be read; --follow-commands follows simple commands)\n`);
    return cannotExecute;
  }
  const spec = allContainers(pod.spec).find(({ name }) => name === container);
  if (spec === undefined) throw new Error(`container not found (${JSON.stringify(container)})`);
  const sources = await sourcesOf(context, pod, signal);
  const surroundings = surroundingsOf(pod, spec, sources);
  const [name = "", ...args] = command;
  try {
    if (name.endsWith("cat") && args.length === 0) return await echo(streams);
    const { environment } = surroundings;
    const reading = { pod, container: spec, environment, sources, client: context.client, signal };
    const mounted = (path: string): Promise<Buffer | undefined> => readMountedFile(path, reading);
    const told = await context.files.run(containerId(pod, container), command, { stdin: streams.stdin, mounted });
    if (told !== undefined) {
      if (told.stderr !== undefined) await say("stderr", told.stderr);
      if (told.stdout !== undefined) await say("stdout", told.stdout);
      return told.code;
    }
    if (name === "date" && args.length === 0) {
      await say("stdout", `${dateText(context.clock.now())}\n`);
      return 0;
    }
    if (isShell(name) && args.length === 0) return await shell(streams, surroundings, { context, signal });
    streams.stdin?.resume();
    return await play(follow(name, args, surroundings), say, { context, signal });
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    await say("stderr", `${command.join(" ")}: ${error.message}, and pod ${pod.metadata.name} is simulated\n`);
    return cannotExecute;
  }
}

/** As `date` writes it in UTC: `Thu Jan  1 00:00:00 UTC 1970`. */
function dateText(now: number): string {
  const [day = "", date = "", month = "", year = "", time = ""] = new Date(now).toUTCString().split(" ");
  return `${day.slice(0, 3)} ${month} ${String(Number(date)).padStart(2)} ${time} UTC ${year}`;
}

/** Another one after each restart. */
const containerId = (pod: Pod, container: string): string =>
  containerStatus(pod.status, container)?.containerID ?? `${pod.metadata.uid}/${container}`;

const isRunning = ({ status }: Pod, container: string): boolean =>
  containerStatus(status, container)?.state?.running !== undefined;

function requireRunning(pod: Pod, container: string): void {
  if (!isRunning(pod, container)) throw new Error(`container not found (${JSON.stringify(container)})`);
}

type Say = (stream: "stdout" | "stderr", text: string | Uint8Array) => Promise<void>;

/** Resolves when the reader has taken the text, or is gone. A terminal has one output, and lines end with a return. */
function writer({ stdout, stderr, tty }: ProcessStreams): Say {
  return async (stream, text) => {
    const out = stream === "stderr" && !tty ? stderr : stdout;
    if (out === undefined || !out.writable) return;
    const shown = tty && typeof text === "string" ? text.replaceAll("\n", "\r\n") : text;
    if (!out.write(shown)) await roomIn(out);
  };
}

interface Life {
  readonly context: PortContext;
  readonly signal: AbortSignal;
}

/** Waits and writes as the command would. */
async function play(ending: Ending, say: Say, { context: { clock, speed }, signal }: Life): Promise<number> {
  const from = clock.monotonic();
  const until = async (ms: number): Promise<void> => {
    const left = ms / speed - (clock.monotonic() - from);
    if (left > 0) await clock.sleep(left, signal);
  };
  for (const { at, text } of ending.output) {
    await until(at);
    await say("stdout", `${text}\n`);
  }
  if (ending.exitCode === undefined) {
    for (;;) await clock.sleep(3_600_000, signal);
  }
  await until(ending.slept);
  return ending.exitCode;
}

/** `cat`: gives back its input until that ends. */
async function echo({ stdin, stdout }: ProcessStreams): Promise<number> {
  if (stdin === undefined) return 0;
  for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
    if (stdout?.writable && !stdout.write(chunk)) await roomIn(stdout);
  }
  return 0;
}

/** Limit on a line that a shell is given. */
const maxLine = 64 * 1024;

/** A shell that follows the lines of its input one by one; each has the surroundings of the container. */
async function shell(streams: ProcessStreams, surroundings: CommandSurroundings, life: Life): Promise<number> {
  const { stdin, tty } = streams;
  const say = writer(streams);
  const prompt = async (): Promise<void> => (tty ? say("stdout", "$ ") : undefined);
  if (stdin === undefined) return 0;
  let code = 0;
  let begun = "";
  await prompt();
  for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
    const typed = String(chunk);
    // a terminal shows the typed letters, and its return key ends a line
    if (tty) await say("stdout", typed.replaceAll("\r", "\n"));
    begun += tty ? typed.replaceAll("\r", "\n") : typed;
    if (begun.includes("\u0004")) return code;
    const lines = begun.split("\n");
    begun = lines.pop() ?? "";
    if (begun.length > maxLine) throw new Error("the line is too long");
    for (const line of lines) {
      if (/^\s*exit\b/.test(line)) return Number(/\d+/.exec(line)?.[0] ?? code) & 255;
      if (line.trim() !== "") code = await followLine(line, surroundings, { say, life });
      await prompt();
    }
  }
  return code;
}

async function followLine(
  line: string,
  surroundings: CommandSurroundings,
  { say, life }: { readonly say: Say; readonly life: Life },
): Promise<number> {
  try {
    return await play(followScript(line, surroundings), say, life);
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    await say("stderr", `sh: ${error.message}, and this container is simulated\n`);
    return 127;
  }
}

/** Limit on the output of a command that is answered as a whole. */
const maxOutput = 1024 * 1024;

export async function outputOf(
  request: CommandRequest,
  context: PortContext,
): Promise<{ readonly output: string; readonly code: number }> {
  const out = new PassThrough();
  let output = "";
  out.on("data", (chunk: Buffer) => {
    if (output.length < maxOutput) output += String(chunk);
  });
  const code = await runProcess(request, { stdout: out, stderr: out, tty: false }, context);
  out.end();
  return { output, code };
}

/** Attaches to the container's own process: shows its output from now on, until it ends. As a kubelet does, it says nothing of the exit code. */
export async function attachTo(
  { pod, container, signal }: CommandRequest,
  streams: ProcessStreams,
  context: PortContext,
): Promise<number> {
  requireRunning(pod, container);
  streams.stdin?.resume();
  const say = writer(streams);
  const before = containerLog(pod, { container, now: context.clock.now(), followCommands: context.followCommands });
  const query = new URLSearchParams({ follow: "true" });
  let skipped = Buffer.byteLength(before.text);
  for await (const chunk of await readLog({ pod, container, query, signal }, context)) {
    const fresh = chunk.subarray(Math.min(skipped, chunk.length));
    skipped -= chunk.length - fresh.length;
    if (fresh.length > 0) await say("stdout", Buffer.from(fresh).toString());
  }
  signal.throwIfAborted();
  return 0;
}
