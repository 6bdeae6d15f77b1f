/**
 * Translates the WebSocket of a client (`v5.channel.k8s.io`, whose streams end one by one) into SPDY to a kubelet, as
 * kube-apiserver does for kubelets that do not know it.
 */
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { newInternalError, type Status } from "../../api/index.js";
import { messageOf, onAbort } from "../../base/index.js";
import { SpdySession, type SpdyStream } from "../../base/spdy/session.js";
import { collected, roomIn } from "../../base/net/streams.js";

/** The number of each stream in the first byte of a message. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
/** The stream that the next byte names has ended. */
const closing = 255;

type StreamName = keyof typeof channels;

export interface Translation {
  /** The streams that the client asked for. */
  readonly streams: readonly StreamName[];
  readonly signal: AbortSignal;
  /** Gives a connection to the kubelet that has been switched to SPDY; rejects with a reason for the client. */
  dial(): Promise<Duplex>;
}

/** Resolves when both connections are closed. A failure is told to the client on its error stream. */
export async function translate(client: WebSocket, { streams, signal, dial }: Translation): Promise<void> {
  const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
  const cut = onAbort(signal, () => client.terminate());
  // nothing is read before there is a place for it
  client.pause();
  let session: SpdySession | undefined;
  try {
    session = new SpdySession(await dial(), { side: "client" });
    client.once("close", () => session?.destroy());
    if (client.readyState !== client.OPEN) session.destroy();
    const opened = new Map<StreamName, SpdyStream>();
    for (const name of ["error", ...streams] as const) {
      opened.set(name, await session.open(new Map([["streamtype", name]])));
    }
    await tell(client, outcomeOf(await carry(client, opened)));
  } catch (error) {
    await tell(client, newInternalError(messageOf(error)).status);
  }
  session?.destroy();
  client.close(1000);
  client.resume();
  await Promise.all([closed, session?.done]);
  cut[Symbol.dispose]();
}

/** Resolves with the text of the error stream when all output has been sent. */
async function carry(client: WebSocket, opened: ReadonlyMap<StreamName, SpdyStream>): Promise<string> {
  const take = (message: Buffer): void => {
    const [channel, ended] = message;
    if (channel === closing) {
      if (ended === channels.stdin) opened.get("stdin")?.end();
      return;
    }
    const name = channel === channels.stdin ? "stdin" : channel === channels.resize ? "resize" : undefined;
    const stream = name && opened.get(name);
    if (stream === undefined || !stream.writable || stream.write(message.subarray(1))) return;
    client.pause();
    void roomIn(stream).then(() => client.resume());
  };
  client.on("message", take);
  client.resume();
  const output = (["stdout", "stderr"] as const).map(async (name) => {
    const stream = opened.get(name);
    if (stream === undefined) return;
    for await (const chunk of stream) await sent(client, Buffer.concat([Buffer.of(channels[name]), chunk as Buffer]));
  });
  const [text] = await Promise.all([textOf(opened.get("error") as SpdyStream), ...output]);
  return text;
}

/** Limit on the kubelet's report of a command's end. */
const maxReport = 64 * 1024;

async function textOf(stream: SpdyStream): Promise<string> {
  const tooLong = (): Error => new Error("error stream protocol error: the message is too long");
  return (await collected(stream, maxReport, tooLong)).toString();
}

const sent = (client: WebSocket, message: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    client.send(message, (error) => (error ? reject(error) : resolve()));
  });

/** A client that is gone is not told. */
const tell = (client: WebSocket, status: object): Promise<void> => {
  const text = Buffer.from(JSON.stringify({ metadata: {}, ...status }));
  return sent(client, Buffer.concat([Buffer.of(channels.error), text])).catch(() => {});
};

/** The reasons of processes are not among the reasons of requests. */
type Outcome = Partial<Omit<Status, "reason">> & { readonly reason?: string };

/** The status that a client gets for the kubelet's, in kube-apiserver's words. */
function outcomeOf(report: string): Outcome {
  const failure = (message: string): Outcome => newInternalError(message).status;
  let status: Outcome;
  try {
    status = JSON.parse(report) as Outcome;
  } catch (error) {
    return failure(`error stream protocol error: ${messageOf(error)} in ${JSON.stringify(report)}`);
  }
  if (status?.status === "Success") return { status: "Success" };
  if (status?.status !== "Failure") return failure("error stream protocol error: unknown error");
  if (status.reason !== "NonZeroExitCode") return failure(String(status.message ?? ""));
  if (status.details === undefined) return failure("error stream protocol error: details must be set");
  const causes = Array.isArray(status.details?.causes) ? status.details.causes : [];
  const cause = causes.find((one) => one?.reason === "ExitCode");
  if (cause === undefined) return failure("error stream protocol error: no ExitCode cause given");
  const code = String(cause.message);
  if (!/^\d{1,3}$/.test(code) || Number(code) > 255) {
    return failure(`error stream protocol error: invalid exit code value ${JSON.stringify(code)}`);
  }
  return {
    status: "Failure",
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: code }] },
  };
}
