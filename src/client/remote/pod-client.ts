/** Operations on running pods: logs, commands, ports, eviction. */
import { defined } from "../../base/defined.js";
import type { DeleteOptions } from "../request/options.js";
import { type Exchange, type OpenAnswer, readJson } from "../request/exchange.js";
import { inCall } from "../failure.js";
import { oversized } from "../request/limits.js";
import { buildRequest, pathOf, type Query, queryText, titleOf } from "../request/request.js";
import { piecesOf } from "../stream/chunks.js";
import { type ForwardedConnection, forwardConnection, listenLocally, type PortForward } from "./port-forward.js";
import { type RemoteProcess, startProcess } from "./remote-process.js";
import type { OpenChannel } from "./web-socket.js";

const podType = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" } as const;

export interface LogOptions {
  readonly signal?: AbortSignal;
  readonly container?: string;
  /** Continues while the container runs. */
  readonly follow?: boolean;
  /** Reads the container before its last restart. */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly limitBytes?: number;
}

export interface ExecOptions {
  readonly command: readonly string[];
  readonly container?: string;
  readonly stdin?: boolean;
  /** True by default. */
  readonly stdout?: boolean;
  /** True by default, but false with a terminal, which has only one output. */
  readonly stderr?: boolean;
  readonly tty?: boolean;
  readonly signal?: AbortSignal;
}

export type AttachOptions = Omit<ExecOptions, "command">;

export interface ForwardOptions {
  /** 0, the default, takes any free port. */
  readonly localPort?: number;
  /** 127.0.0.1 by default. */
  readonly address?: string;
  readonly signal?: AbortSignal;
  /** A failed connection ends alone; this is called with its error. */
  readonly onError?: (error: Error) => void;
}

export interface PodClientOptions {
  readonly exchange: Exchange;
  readonly namespace: string;
  readonly openChannel: OpenChannel | undefined;
}

/** Bytes as the container wrote them. */
export interface LogStream extends AsyncIterable<Uint8Array> {
  /** Lines without their line breaks; a last line without one counts. */
  lines(): AsyncIterable<string>;
}

export class PodClient {
  readonly #options: PodClientOptions;

  constructor(options: PodClientOptions) {
    this.#options = options;
  }

  logs(name: string, { signal, ...query }: LogOptions = {}): LogStream {
    const { exchange, namespace } = this.#options;
    const operation = { verb: "get", type: podType, namespace, name, subresource: "log", accept: "*/*" } as const;
    const built = buildRequest({ ...operation, query: { ...query } });
    const open = (): Promise<OpenAnswer> => exchange.open(built, defined({ signal }));
    async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
      const { response, attempt } = await open();
      try {
        yield* piecesOf(response.body, exchange.settings.clock);
      } catch (error) {
        throw inCall(built.title, error);
      } finally {
        attempt.end();
      }
    }
    const { objectBytes } = exchange.settings.limits;
    return { [Symbol.asyncIterator]: chunks, lines: () => linesOf(chunks(), objectBytes) };
  }

  /** Starts a command in a container. */
  exec(name: string, options: ExecOptions): Promise<RemoteProcess> {
    const commands = options.command.map((part) => `&command=${encodeURIComponent(part)}`).join("");
    return this.#process("exec", name, { options, extra: commands });
  }

  /** Attaches to the main process of a container. */
  attach(name: string, options: AttachOptions = {}): Promise<RemoteProcess> {
    return this.#process("attach", name, { options, extra: "" });
  }

  /** Runs a command to its end. Output beyond `limits.answerBytes` is an error: read it from `exec` instead. */
  async run(
    name: string,
    options: Omit<ExecOptions, "stdin" | "tty"> & { readonly input?: string | Uint8Array },
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
    const { input, ...rest } = options;
    await using process = await this.exec(name, { ...rest, ...(input === undefined ? {} : { stdin: true }) });
    if (input !== undefined) {
      await process.write(input);
      await process.endInput();
    }
    const { answerBytes } = this.#options.exchange.settings.limits;
    const [exitCode, stdout, stderr] = await Promise.all([
      process.exit,
      textOf(process.stdout, answerBytes),
      textOf(process.stderr, answerBytes),
    ]);
    return { exitCode, stdout, stderr };
  }

  /** One connection to a port of the pod. */
  dial(name: string, port: number, options: { readonly signal?: AbortSignal } = {}): Promise<ForwardedConnection> {
    const { path, title } = this.#connect("portforward", name, `?ports=${port}`);
    return forwardConnection({ open: this.#opener(), path, title, signal: options.signal });
  }

  /** A local port whose connections end in the pod, until it is disposed. */
  portForward(name: string, port: number, options: ForwardOptions = {}): Promise<PortForward> {
    const { localPort = 0, address = "127.0.0.1", signal, onError } = options;
    const connect = (): Promise<ForwardedConnection> => this.dial(name, port, defined({ signal }));
    return listenLocally({ localPort, address, connect, onError });
  }

  /** Evicts the pod if its disruption budget allows it; a 429 means that it does not, now. */
  async evict(name: string, { signal, timeoutMs, ...deleteOptions }: DeleteOptions = {}): Promise<void> {
    const { exchange, namespace } = this.#options;
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace }, deleteOptions };
    const target = { type: podType, namespace, name, subresource: "eviction" };
    const call = { ...defined({ signal, timeoutMs }) };
    await exchange.run(buildRequest({ verb: "create", ...target, body }), call, readJson);
  }

  #process(
    subresource: "exec" | "attach",
    name: string,
    { options, extra }: { readonly options: AttachOptions; readonly extra: string },
  ): Promise<RemoteProcess> {
    const { container, stdin = false, stdout = true, tty = false, signal } = options;
    const query: Query = { stdin, stdout, stderr: options.stderr ?? !tty, tty, container };
    const { path, title } = this.#connect(subresource, name, queryText(query) + extra);
    return startProcess({ open: this.#opener(), path, title, signal });
  }

  #connect(subresource: string, name: string, query: string): { readonly path: string; readonly title: string } {
    const target = { type: podType, namespace: this.#options.namespace, name, subresource };
    return { path: pathOf(target) + query, title: titleOf({ verb: "connect", ...target }) };
  }

  #opener(): OpenChannel {
    const { openChannel } = this.#options;
    if (openChannel === undefined) throw new TypeError("this client's transport opens no WebSockets");
    return openChannel;
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw oversized("the command's output", "answerBytes", maxBytes);
    all.push(chunk);
  }
  return Buffer.concat(all).toString("utf8");
}

/** `begun` holds the parts of a line whose end has not come. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    begun.push(first);
    length += first.length;
    if (length > maxBytes) throw oversized("a line of the log", "objectBytes", maxBytes);
    const last = others.pop();
    if (last === undefined) continue;
    yield begun.join("");
    yield* others;
    begun = [last];
    length = last.length;
  }
  begun.push(decoder.decode());
  const rest = begun.join("");
  if (rest !== "") yield rest;
}
