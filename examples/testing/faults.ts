/** Faults between an example and its server: plans of faults, lagging caches, and a process that dies at a write. */
import { Client } from "coxswain";
import {
  type HttpBody,
  type HttpRequest,
  type Running,
  startRunning,
  systemClock,
  type Transport,
} from "coxswain/base";
import { type Fault, type FaultPlan, faultyTransport } from "coxswain/client";
import { startTestServer } from "../../src/testing/cluster.js";
import { keep } from "./servers.js";

const isWatch = ({ path }: HttpRequest): boolean => /[?&]watch=(?:true|1)/.test(path);
const isRead = ({ method }: HttpRequest): boolean => method === "GET";
const isEvent = ({ path }: HttpRequest): boolean => /\/events(?:\/|\?|$)/.test(path);
/** Events are best effort, and nothing depends on them: they are counted, but get no faults. */
export const isWrite = (request: HttpRequest): boolean => !isRead(request) && !isEvent(request);

/** Applies the fault to the first `count` requests of each method and address. */
function first(count: number, match: (request: HttpRequest) => boolean, fault: Fault): FaultPlan {
  const struck = new Map<string, number>();
  return (request) => {
    if (!match(request)) return undefined;
    const key = `${request.method} ${request.path.split("?")[0]}`;
    const before = struck.get(key) ?? 0;
    struck.set(key, before + 1);
    return before < count ? fault : undefined;
  };
}

type Wrap = (transport: Transport) => Transport;

const planned =
  (plan: () => FaultPlan): (() => Wrap) =>
  () => {
    const made = plan();
    return (transport) => faultyTransport(transport, { plan: made });
  };

/** Faults of a reader: its lists fail, its watches are cut, its events come late. */
export const readFaults: Readonly<Record<string, () => Wrap>> = {
  "every list and watch fails on the server once": planned(() => first(1, isRead, { type: "answer", code: 500 })),
  "watches break": planned(() => first(2, isWatch, { type: "reset", afterBytes: 900 })),
  "watches end in the middle of an object": planned(() => first(2, isWatch, { type: "truncate", afterBytes: 900 })),
  "caches are stale": () => (transport) => lagging(transport, 120),
};

export const writeFaults: Readonly<Record<string, () => Wrap>> = {
  "every write fails on the server once": planned(() => first(1, isWrite, { type: "answer", code: 500 })),
  "every write meets a conflict twice": planned(() => first(2, isWrite, { type: "answer", code: 409 })),
  "every write is lost on its way once": planned(() => first(1, isWrite, { type: "drop" })),
  "every answer to a write is lost once": planned(() => first(1, isWrite, { type: "lose-answer" })),
  "every write arrives twice": planned(() => first(Infinity, isWrite, { type: "duplicate" })),
};

/** Delays watch events by `ms`; writes are as fast as ever, so that a controller is ahead of its caches. */
function lagging(transport: Transport, ms: number): Transport {
  return async (request, signal) => {
    const response = await transport(request, signal);
    return isWatch(request) ? { ...response, body: late(response.body, ms, signal) } : response;
  };
}

async function* late(body: HttpBody, ms: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    await systemClock.sleep(ms, signal);
    yield chunk;
  }
}

export type Program = (client: Client, signal: AbortSignal) => Promise<void>;

export interface FaultyWorld {
  /** A client without faults. */
  readonly client: Client;
  /** Runs a program whose requests meet these faults. */
  start(run: Program, wrap?: Wrap): Running;
  /** The requests of the programs as `METHOD path`, including lost ones. */
  readonly requests: readonly string[];
}

/** An embedded server of the test's own, and programs that reach it through faults. */
export async function faultyWorld(): Promise<FaultyWorld> {
  const server = keep(await startTestServer());
  const client = keep(new Client({ transport: server.transport() }));
  const requests: string[] = [];
  return {
    client,
    requests,
    start(run, wrap = (transport) => transport) {
      const inner = wrap(server.transport());
      const counted: Transport = (request, signal) => {
        requests.push(`${request.method} ${request.path.split("?")[0]}`);
        return inner(request, signal);
      };
      const faulty = keep(new Client({ transport: counted }));
      return keep(startRunning((signal) => run(faulty, signal)));
    },
  };
}

/** Creations and patches of Events among the requests. */
export function eventWrites(requests: readonly string[]): readonly string[] {
  return requests.filter((request) => !request.startsWith("GET ") && /\/events(?:\/|$)/.test(request));
}

/** A process that dies at its write number `at`, counted from 0: before it reaches the server, or before its answer is back. */
export function dyingAt(
  at: number,
  fate: "drop" | "lose-answer",
): { readonly wrap: Wrap; readonly death: Promise<void> } {
  let writes = 0;
  let died = (): void => {};
  const death = new Promise<void>((resolve) => {
    died = resolve;
  });
  // from that write on nothing gets through any more, as if the process were gone
  const plan: FaultPlan = (request) => {
    if (writes > at) return { type: "drop" };
    if (!isWrite(request) || writes++ < at) return undefined;
    died();
    return { type: fate };
  };
  return { wrap: (transport) => faultyTransport(transport, { plan }), death };
}
