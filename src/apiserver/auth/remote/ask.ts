/** Asks a webhook about a token or a permission: sends a review, tries again where that may help, and gives the answer's status. */
import { parseExactJson } from "../../../api/values/exact-json.js";
import { isRecord } from "../../../base/members.js";
import { type Clock, exponentialBackoff, type Random } from "../../../base/index.js";
import { timeLimit } from "../../../base/time/time-limit.js";
import type { HookEndpoint } from "../../configuration/kubeconfig.js";
import type { KeptConnections } from "../../outbound/kept-connections.js";
import { postTo } from "../../outbound/post.js";
import { hostOf, type Received } from "../../outbound/send.js";
import { goWords } from "../../../base/net/go-words.js";
import { clientWords } from "../../outbound/words.js";

export interface Asking {
  readonly clock: Clock;
  readonly random: Random;
  readonly connections: KeptConnections;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

interface Question {
  readonly endpoint: HookEndpoint;
  /** For one attempt. */
  readonly timeoutMs: number;
  readonly review: { readonly kind: string; readonly apiVersion: string; readonly spec: object };
  /** The pause before the second attempt. Default 500 ms. */
  readonly firstPauseMs?: number;
  /** Called after each attempt, with its status if there was an answer. */
  attempted?(outcome: Attempt): void;
}

interface Attempt {
  readonly result: "success" | "timeout" | "error" | "canceled";
  readonly seconds: number;
}

/** As upstream: each further pause is half as long again. */
const attempts = 5;
const factor = 1.5;
const jitter = 0.2;

/** An attempt failed; `isPassing` if another may succeed. */
class Failure extends Error {
  override readonly name = "Failure";
  readonly result: Attempt["result"];
  readonly isPassing: boolean;

  constructor(message: string, { result, isPassing }: Pick<Failure, "result" | "isPassing">) {
    super(message);
    this.result = result;
    this.isPassing = isPassing;
  }
}

/** The status of the review. Rejects with an Error in the words of Kubernetes' client. */
export async function askWebhook(question: Question, asking: Asking): Promise<Readonly<Record<string, unknown>>> {
  const { clock, random, stopping } = asking;
  const backoff = exponentialBackoff({ baseMs: question.firstPauseMs ?? 500, factor, jitter, random });
  for (let attempt = 1; ; attempt++) {
    const startedAt = clock.monotonic();
    const told = (result: Attempt["result"]): void =>
      question.attempted?.({ result, seconds: (clock.monotonic() - startedAt) / 1000 });
    try {
      const status = await attemptOnce(question, asking);
      told("success");
      return status;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      told(error.result);
      if (!error.isPassing || attempt === attempts) throw error;
    }
    await clock.sleep(backoff.next(), stopping);
  }
}

async function attemptOnce(
  { endpoint, timeoutMs, review }: Question,
  { clock, stopping, connections }: Asking,
): Promise<Readonly<Record<string, unknown>>> {
  const url = new URL(endpoint.url);
  url.searchParams.set("timeout", `${timeoutMs / 1000}s`);
  using request = timeLimit(clock, timeoutMs, "the time for the request is over", stopping);
  const body = JSON.stringify({
    kind: review.kind,
    apiVersion: review.apiVersion,
    metadata: {},
    spec: review.spec,
    status: {},
  });
  const sending = { connections, signal: request.signal };
  const answer = await postTo({ ...endpoint, url: url.href }, body, sending).catch((error: unknown) => {
    const [host, port] = [hostOf(url), Number(url.port || 443)];
    const { code } = error as { readonly code?: string };
    const isLate = request.signal.aborted && !stopping.aborted;
    const result = isLate ? "timeout" : stopping.aborted ? "canceled" : "error";
    const why = `Post ${JSON.stringify(url.href)}: ${goWords(error, { host, port }, isLate)}`;
    throw new Failure(why, { result, isPassing: code === "ECONNRESET" && !stopping.aborted });
  });
  return statusIn(answer, review.kind);
}

const passingStatuses: ReadonlySet<number> = new Set([429, 500, 504]);

function statusIn(answer: Received, kind: string): Readonly<Record<string, unknown>> {
  const { status: code, headers, text } = answer;
  if (code < 200 || code > 206) {
    const isPassing = passingStatuses.has(code) || headers["retry-after"] !== undefined;
    throw new Failure(clientWords(answer), { result: code === 504 ? "timeout" : "error", isPassing });
  }
  const failed = (why: string): Failure => new Failure(why, { result: "error", isPassing: false });
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    throw failed("couldn't get version/kind; json parse error: the answer is no JSON");
  }
  if (!isRecord(value) || value["kind"] !== kind) throw failed(`the answer is no ${kind}`);
  const { status = {} } = value;
  if (!isRecord(status)) throw failed("the status of the answer is no object");
  return status;
}
