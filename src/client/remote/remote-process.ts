/** A process in a container, with its streams. */
import { type Closable, closable, linkedAbort } from "../../base/index.js";
import type { Status } from "../../api/status.js";
import { ConnectionError, refusedCall, sentStatus } from "../failure.js";
import { BodyQueue, type BodySource } from "../transport/body-queue.js";
import type { Channel, OpenChannel } from "./web-socket.js";

/** The channel number in the first byte of a message. */
const stdin = 0;
const stdout = 1;
const stderr = 2;
const outcome = 3;
const size = 4;
/** Version 5: the stream named by the next byte has ended. */
const closing = 255;

/** Version 5 can close standard input; older servers speak version 4. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

/**
 * Standard output and error have one reader each, and both must be read if both were requested: unread output holds up
 * the other stream. Disposing ends the connection; the process decides whether it then ends.
 */
export interface RemoteProcess extends Closable {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  write(input: string | Uint8Array): Promise<void>;
  /** Closes the input of the process. */
  endInput(): Promise<void>;
  resize(size: { readonly columns: number; readonly rows: number }): Promise<void>;
  /** The exit code. Rejects if the process could not be run or the connection broke. */
  readonly exit: Promise<number>;
}

export interface ProcessRequest {
  readonly open: OpenChannel;
  readonly path: string;
  readonly title: string;
  readonly signal?: AbortSignal | undefined;
}

export async function startProcess({ open, path, title, signal }: ProcessRequest): Promise<RemoteProcess> {
  const abort = linkedAbort(signal);
  const channel = await open({ path, protocols, title }, abort.signal);
  const gate = flowGate();
  const output = new BodyQueue(gate);
  const errors = new BodyQueue(gate);
  const exit = receive(channel, { output, errors, title, gate }).finally(() => abort[Symbol.dispose]());
  // a caller may ignore the outcome
  exit.catch(() => {});
  const send = (kind: number, data: string | Uint8Array): Promise<void> =>
    channel.send(Buffer.concat([Buffer.from([kind]), Buffer.from(data as string)]));
  return {
    stdout: output,
    stderr: errors,
    write: (input) => send(stdin, input),
    async endInput() {
      if (channel.protocol !== protocols[0]) {
        throw new ConnectionError(
          "malformed",
          `${title}: the server speaks ${channel.protocol}, which cannot end input`,
        );
      }
      await send(closing, Buffer.from([stdin]));
    },
    resize: ({ columns, rows }) => send(size, JSON.stringify({ Width: columns, Height: rows })),
    exit,
    ...closable(() => channel.close()),
  };
}

interface Receiving {
  readonly output: BodyQueue;
  readonly errors: BodyQueue;
  readonly title: string;
  readonly gate: FlowGate;
}

interface FlowGate extends BodySource {
  /** Resolves when neither stream has too much unread output. */
  open(): Promise<void> | undefined;
}

function flowGate(): FlowGate {
  let waiting: Promise<void> | undefined;
  let release = (): void => {};
  return {
    pause() {
      waiting ??= new Promise((resolve) => {
        release = resolve;
      });
    },
    resume() {
      release();
      waiting = undefined;
    },
    cancel() {
      release();
      waiting = undefined;
    },
    open: () => waiting,
  };
}

async function receive(channel: Channel, { output, errors, title, gate }: Receiving): Promise<number> {
  let status: Status | undefined;
  try {
    for await (const message of channel.messages) {
      const data = message.subarray(1);
      if (message[0] === stdout && data.length > 0) output.push(data);
      else if (message[0] === stderr && data.length > 0) errors.push(data);
      else if (message[0] === outcome) status = statusIn(data) ?? status;
      await gate.open();
    }
    output.end();
    errors.end();
  } catch (error) {
    const failure = error instanceof Error ? error : new ConnectionError("closed", String(error));
    output.fail(failure);
    errors.fail(failure);
    if (status === undefined) throw failure;
  }
  if (status === undefined)
    throw new ConnectionError("closed", `${title}: the connection ended before the process did`);
  return exitCode(status, title);
}

function statusIn(data: Uint8Array): Status | undefined {
  try {
    // kubelets leave its kind out
    return sentStatus({ kind: "Status", ...(JSON.parse(Buffer.from(data).toString("utf8")) as object) });
  } catch {
    return undefined;
  }
}

function exitCode(status: Status, title: string): number {
  if (status.status === "Success") return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
  if (!/^\d+$/.test(cause?.message ?? "")) throw refusedCall(title, status);
  return Number(cause?.message);
}
