/** The connection of one operator process to the server: records every exchange, takes time, and suffers the planned faults. */
import {
  abortable,
  abortReason,
  type Clock,
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  linkedAbort,
  type Random,
  type Transport,
} from "../../../base/index.js";
import { initialEventsEnd } from "../../../api/index.js";
import { ConnectionError, faultyTransport } from "../../../client/index.js";
import type { Strike } from "../fault.js";
import type { AcceptedWrite } from "./children.js";
import type { ProcessClock } from "./process-clock.js";
import {
  type Actor,
  type HistoryRecord,
  isBookkeeping,
  isWrite,
  killedOutcome,
  type Target,
  targetOf,
} from "../record.js";
import type { Views } from "./views.js";
import { defined } from "../../../base/defined.js";

/** The surroundings of a wire. */
export interface WireHost {
  readonly clock: Clock;
  readonly record: HistoryRecord;
  readonly views: Views;
  readonly random: Random;
  /** Called for each request of the operator before it is sent; counts it. */
  strike(target: Target): { readonly strike?: Strike; readonly write?: number };
  /** Called for each watch event before it is delivered; gives its number. */
  event(resource: string): number;
  /** The revision that this process's lists show, if they come from a server that is behind. */
  past(): number | undefined;
  /** Kills the process at the other end of the wire. */
  kill(downMs: number): void;
  /** The server's revision now. */
  revision(): number;
  accepted(write: AcceptedWrite): void;
  /** Whether two states of an object differ in nothing that counts; absent if every difference does. */
  readonly isSame?: ((before: unknown, after: unknown) => boolean) | undefined;
}

interface OpenWatch {
  readonly path: string;
  /** Ends the stream: `end` as a server does after the time that was asked for, `gone` with an event of code 410. */
  cut(how: "end" | "reset" | "gone"): void;
}

/** The longest time that a request, an answer or an event is under way. A process that is gone leaves nothing for longer. */
export const longestWayMs = 4;

/**
 * Invariants:
 * 1. After `sever` nothing reaches the server, and nothing comes back from it.
 * 2. Events of one watch arrive in the order in which the server sent them.
 */
export class Wire {
  readonly transport: Transport = (request, signal) => this.#exchange(request, signal);
  readonly #inner: Transport;
  readonly #host: WireHost;
  readonly #actor: Actor;
  readonly #clock: ProcessClock;
  readonly #watches = new Set<OpenWatch>();
  /** The paths of all watches that the process has asked for. */
  readonly #watched = new Set<string>();
  readonly #severed = linkedAbort();
  #hasWritten = false;

  constructor(inner: Transport, actor: Actor, clock: ProcessClock, host: WireHost) {
    this.#inner = inner;
    this.#actor = actor;
    this.#clock = clock;
    this.#host = host;
  }

  /** True if the server has accepted a write of the process. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** True if a watch of the process is down: it will hear of the changes since when it is up again. */
  get isDeaf(): boolean {
    const open = new Set([...this.#watches].map(({ path }) => path));
    return [...this.#watched].some((path) => !open.has(path));
  }

  /** The process is gone: every exchange ends at once. */
  sever(): void {
    this.#severed.abort(killed());
  }

  cutWatches(how: "end" | "reset" | "gone"): void {
    for (const watch of this.#watches) watch.cut(how);
  }

  [Symbol.dispose](): void {
    this.#severed[Symbol.dispose]();
  }

  async #exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const target = targetOf(request);
    if (this.#severed.signal.aborted) {
      // a process that tries again at once would otherwise leave no turn in which it could be stopped
      await new Promise<void>((resolve) => void this.#host.clock.timer(longestWayMs, resolve));
      throw killed();
    }
    const path = pathOf(request);
    if (target.verb === "watch") this.#watched.add(path);
    const { strike, write } = this.#host.strike(target);
    let before = 0;
    let earlier: unknown;
    const note = (outcome: number | string, revision = "", object?: unknown): void => {
      if (write !== undefined && typeof outcome === "number" && outcome < 300) this.#hasWritten = true;
      this.#host.record.add({
        type: "request",
        atMs: this.#host.record.nowMs,
        actor: this.#actor,
        target,
        ...defined({ write }),
        outcome,
        revision,
        changed:
          write !== undefined &&
          typeof outcome === "number" &&
          outcome < 300 &&
          (revision === "" || Number(revision) > before) &&
          !(earlier !== undefined && this.#host.isSame?.(earlier, object)),
      });
    };
    try {
      await this.#travel(signal);
      if (write !== undefined) earlier = await this.#stateBefore(request, target, signal);
      before = this.#host.revision();
      const response = await this.#send(this.#placed(request, target), signal, strike);
      if (target.verb === "watch") {
        note(response.status);
        if (response.status !== 200) return response;
        return { ...response, body: this.#events(response.body, { target, path, signal }) };
      }
      const object = isWrite(target) || target.verb === "get" ? objectIn(response) : undefined;
      note(response.status, revisionOf(object), object);
      if (write !== undefined && response.status < 300 && target.subresource === "")
        this.#host.accepted({ verb: target.verb, isNew: response.status === 201, answer: object, body: request.body });
      await this.#travel(signal);
      if (strike?.type === "kill-after") {
        this.#host.kill(strike.downMs);
        throw killed();
      }
      return response;
    } catch (error) {
      if (error instanceof ConnectionError) note(error.message);
      throw error;
    }
  }

  /** The object that a request is about to change, if some differences count for nothing. */
  async #stateBefore(request: HttpRequest, target: Target, signal: AbortSignal): Promise<unknown> {
    if (this.#host.isSame === undefined || target.name === "" || target.verb === "delete") return undefined;
    const headers = { ...request.headers, accept: "application/json" };
    const response = await this.#inner({ method: "GET", path: pathOf(request), headers }, signal);
    return response.status === 200 ? objectIn(response) : undefined;
  }

  async #send(request: HttpRequest, signal: AbortSignal, strike: Strike | undefined): Promise<HttpResponse> {
    switch (strike?.type) {
      case undefined:
        return this.#inner(request, signal);
      case "kill-before":
        this.#host.kill(strike.downMs);
        throw killed();
      case "kill-after":
        // the server continues a request whose sender has died
        return this.#inner(request, new AbortController().signal);
      default: {
        using both = linkedAbort(signal, this.#severed.signal);
        return await faultyTransport(this.#inner, { plan: () => strike, clock: this.#host.clock })(
          request,
          both.signal,
        );
      }
    }
  }

  /** A list that may come from a cache shows the past, if this process is connected to a server that is behind. */
  #placed(request: HttpRequest, target: Target): HttpRequest {
    if (target.verb !== "list" && target.verb !== "watch") return request;
    const past = this.#host.past();
    if (past === undefined) return request;
    const [pathname = "", text = ""] = request.path.split("?");
    const query = new URLSearchParams(text);
    if (target.verb === "watch") {
      // a server that is behind may lack streamed lists, too: the operator then lists
      if (query.has("sendInitialEvents")) query.set("resourceVersionMatch", "unsupported");
      return { ...request, path: `${pathname}?${query}` };
    }
    if ((query.get("resourceVersion") ?? "") !== "0") return request;
    query.set("resourceVersion", String(past));
    query.set("resourceVersionMatch", "Exact");
    return { ...request, path: `${pathname}?${query}` };
  }

  /** The way over the network, and the wait for a process that is paused. */
  async #travel(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#host;
    await new Promise<void>((resolve) => void clock.timer(random.int(longestWayMs + 1), resolve));
    if (this.#clock.isPaused) await this.#clock.awake();
    if (signal.aborted) throw abortReason(signal);
    if (this.#severed.signal.aborted) throw killed();
  }

  async *#events(
    body: HttpBody,
    { target, path, signal }: { readonly target: Target; readonly path: string; readonly signal: AbortSignal },
  ): AsyncGenerator<Uint8Array, void, undefined> {
    using ending = linkedAbort(signal, this.#severed.signal);
    let how: "end" | "reset" | "gone" | undefined;
    const watch: OpenWatch = {
      path,
      cut(kind) {
        how = kind;
        ending.abort(new ConnectionError("closed", "the watch was cut"));
      },
    };
    this.#watches.add(watch);
    try {
      for await (const line of linesOf(body, ending.signal)) {
        const shown = await this.#deliver(line, target, ending.signal);
        if (shown === "gone") {
          yield goneLine;
          return;
        }
        if (shown !== undefined) yield shown;
      }
    } catch (error) {
      if (how === undefined || signal.aborted || this.#severed.signal.aborted) throw error;
      if (how === "reset") throw new ConnectionError("closed", "the watch was cut");
      if (how === "gone") yield goneLine;
    } finally {
      this.#watches.delete(watch);
    }
  }

  /** The line, when its time has come; undefined for a bookmark that is withheld. */
  async #deliver(line: Uint8Array, target: Target, signal: AbortSignal): Promise<Uint8Array | "gone" | undefined> {
    const { views, record } = this.#host;
    const event = JSON.parse(Buffer.from(line).toString()) as WireEvent;
    if (event.type === "BOOKMARK") {
      await this.#travel(signal);
      const isNeeded = event.object?.metadata?.annotations?.[initialEventsEnd] === "true";
      return isNeeded || views.hasBookmarks ? line : undefined;
    }
    const number = isBookkeeping(target) ? -1 : this.#host.event(target.resource);
    await this.#travel(signal);
    if ((await views.shown(target.resource, signal)) === "gone") return "gone";
    if (number >= 0) {
      const { namespace = "", name = "", resourceVersion = "" } = event.object?.metadata ?? {};
      record.add({
        type: "event",
        atMs: record.nowMs,
        actor: this.#actor,
        event: event.type,
        resource: target.resource,
        kind: event.object?.kind ?? "",
        key: namespace === "" ? name : `${namespace}/${name}`,
        revision: resourceVersion,
        number,
      });
    }
    return line;
  }
}

interface WireEvent {
  readonly type: string;
  readonly object?: {
    readonly kind?: string;
    readonly metadata?: {
      readonly namespace?: string;
      readonly name?: string;
      readonly resourceVersion?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
  };
}

const goneLine = Buffer.from(
  `${JSON.stringify({
    type: "ERROR",
    object: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "too old resource version",
      reason: "Expired",
      code: 410,
    },
  })}\n`,
);

/** Whole lines of a stream, each with its end; stops with the signal's reason even if the stream is silent. */
async function* linesOf(body: HttpBody, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = (body instanceof Uint8Array ? once(body) : body)[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  try {
    for (;;) {
      const { value, done } = await abortable(chunks.next(), signal);
      if (done === true) return;
      rest = rest.length === 0 ? Buffer.from(value) : Buffer.concat([rest, value]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        const line = rest.subarray(0, end + 1);
        rest = rest.subarray(end + 1);
        if (line.length > 1) yield line;
      }
    }
  } finally {
    void Promise.resolve(chunks.return?.()).catch(() => {});
  }
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield chunk;
}

/** The path of a request without its query. */
const pathOf = ({ path }: HttpRequest): string => path.replace(/\?.*/, "");

const killed = (): ConnectionError => new ConnectionError("closed", killedOutcome);

function objectIn({ body, headers, value }: HttpResponse): unknown {
  if (!(body instanceof Uint8Array)) return undefined;
  if (value !== undefined) return value();
  if (!String(headers["content-type"] ?? "").includes("json")) return undefined;
  return JSON.parse(Buffer.from(body).toString()) as unknown;
}

function revisionOf(object: unknown): string {
  const metadata = (object as { readonly metadata?: { readonly resourceVersion?: string } } | undefined)?.metadata;
  return metadata?.resourceVersion ?? "";
}
