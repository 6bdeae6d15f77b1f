/** Keeps the writes of a process that does not lead from reaching the server. Wraps a transport. */
import { type Clock, type HttpBody, linkedAbort, systemClock, type Transport } from "../../base/index.js";
import { InterruptedError } from "../../controller/index.js";

/** The fence's view of the elector: the present term, or undefined if we do not lead. */
export interface TermSource {
  readonly term: { readonly epoch: number; readonly leftMs: number } | undefined;
}

/** A write was refused because this process does not lead (any more). Either nothing was sent, or the effect is unknown. */
export class NotLeaderError extends InterruptedError {
  override readonly name = "NotLeaderError";
  /** False if nothing was sent. */
  readonly sent: boolean;

  constructor(message: string, { sent, ...options }: ErrorOptions & { readonly sent: boolean }) {
    super(message, options);
    this.sent = sent;
  }
}

const writes = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Reads pass. A write is sent only during a term, asks the server to give up (`timeout`) when the term is over by our
 * own reckoning, and is cut off at that moment if the answer is not there. By the leader's own reckoning a term ends
 * before anybody else can lead: three seconds before, for a default lease. So an old leader's write lands after a new
 * term has begun only if the network delays it for longer than that after its connection was cut.
 */
export function fencedTransport(
  transport: Transport,
  { leader, clock = systemClock }: { readonly leader: TermSource; readonly clock?: Clock },
): Transport {
  return async (request, signal) => {
    if (!writes.has(request.method)) return transport(request, signal);
    const { term } = leader;
    if (term === undefined) {
      throw new NotLeaderError(`${request.method} ${request.path}: not sent, this process does not lead`, {
        sent: false,
      });
    }
    const limit = linkedAbort(signal);
    const over = new NotLeaderError(
      `${request.method} ${request.path}: cut off, the term with epoch ${term.epoch} is over; it may have been done`,
      { sent: true },
    );
    // renewals extend the term while the write is on its way
    const check = (): void => {
      const now = leader.term;
      if (now?.epoch === term.epoch) timer = clock.timer(now.leftMs, check);
      else limit.abort(over);
    };
    let timer = clock.timer(term.leftMs, check);
    try {
      const response = await transport({ ...request, path: withTimeout(request.path, term.leftMs) }, limit.signal);
      // the caller's signal must reach the transport until the body has been read
      return { ...response, body: endingWith(response.body, () => limit[Symbol.dispose]()) };
    } catch (error) {
      limit[Symbol.dispose]();
      throw error;
    } finally {
      timer[Symbol.dispose]();
    }
  };
}

function endingWith(body: HttpBody, end: () => void): HttpBody {
  if (!(body instanceof Uint8Array)) return untilEnd(body, end);
  end();
  return body;
}

async function* untilEnd(body: AsyncIterable<Uint8Array>, end: () => void): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } finally {
    end();
  }
}

/** The path with a `timeout`, in whole seconds from the server's receipt. A caller's own `timeout` stays. */
function withTimeout(path: string, leftMs: number): string {
  const [bare = "", query = ""] = path.split("?", 2);
  const parameters = new URLSearchParams(query);
  if (parameters.has("timeout")) return path;
  parameters.set("timeout", `${Math.max(1, Math.ceil(leftMs / 1000))}s`);
  return `${bare}?${parameters.toString()}`;
}
