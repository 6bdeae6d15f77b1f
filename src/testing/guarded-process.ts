/**
 * Child processes that cannot outlive us: takes a program, gives a handle that stops it; a crash of this process stops
 * it too.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";

export interface GuardedProcess extends AsyncDisposable {
  /** Resolves with the exit code when the program has ended, for whatever reason. */
  readonly exited: Promise<number>;
  /** The id of the program itself, for a test that kills or pauses it. */
  pid(): Promise<number>;
  /** The last part of the program's standard error, for error messages. */
  tail(): string;
}

export interface GuardedProcessOptions {
  readonly args: readonly string[];
  /** The file for the program's output. */
  readonly logFile: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The guard is a shell that starts the program and then reads a pipe that only this process holds. When the pipe
 * closes, because we want it or because we died, the shell ends the program. When the program ends by itself, the
 * watcher ends too, because the program's process id may then belong to another process.
 */
const guard = `
"$@" </dev/null & pid=$!
echo $pid >&3
( cat; kill $pid; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; kill -0 $pid || exit; done; kill -9 $pid ) <&4 >/dev/null 2>&1 3>&- & watcher=$!
wait $pid
code=$?
kill $watcher 2>/dev/null
exit $code
`;

export function startGuarded(program: string, options: GuardedProcessOptions): GuardedProcess {
  const child = spawn("bash", ["-c", guard, "guard", program, ...options.args], {
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    env: { ...process.env, ...options.env },
  });
  const log = createWriteStream(options.logFile, { flags: "a" });
  // a log that cannot be written is no reason to fail
  log.on("error", () => {});
  let tail = "";
  child.stdout?.pipe(log, { end: false });
  child.stderr?.on("data", (chunk: Buffer) => {
    log.write(chunk);
    tail = (tail + chunk.toString()).slice(-2000);
  });
  // output may arrive after the exit
  child.once("close", () => log.end());
  const exited = (async () => {
    const [code] = (await once(child, "exit")) as [number | null];
    return code ?? -1;
  })();
  const pid = readPid(child);
  return {
    exited,
    pid: () => pid,
    tail: () => tail,
    async [Symbol.asyncDispose]() {
      endPipe(child);
      await exited;
    },
  };
}

async function readPid(child: ChildProcess): Promise<number> {
  const [line] = (await once(child.stdio[3] as NodeJS.ReadableStream, "data")) as [Buffer];
  return Number(line.toString().trim());
}

function endPipe(child: ChildProcess): void {
  const pipe = child.stdio[4] as NodeJS.WritableStream | null | undefined;
  pipe?.end();
}
