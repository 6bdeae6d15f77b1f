/** The embedded server as a target: an input is a request as text, and the answer must be one that a server may give. */
import { yamlToJson } from "../../../src/api/yaml/index.js";
import { protobufCodec } from "../../../src/apiserver/codec/index.js";
import {
  FakeClock,
  type HttpHeaders,
  type HttpRequest,
  type HttpResponse,
  type Logger,
  seededRandom,
  silentLogger,
  inOneGo,
} from "../../../src/base/index.js";
import { cborToJson } from "../../../src/apiserver/codec/cbor/to-json.js";
import { startTestServer, type TestServerOptions } from "../../../src/testing/cluster.js";
import { type Material, mutated } from "../mutate.js";
import { Finding, type Outcome, shapeOf, type Target, textOf, withinTurns } from "../target.js";

/** The first line is method and path, then come headers, an empty line and the body. */
export function requestInput(head: string, body: string | Uint8Array = ""): Uint8Array {
  return Buffer.concat([Buffer.from(`${head}\n\n`), Buffer.from(body)]);
}

/**
 * Changes mostly the body, or path and headers if there is no body: a request with another method is mostly answered
 * before they are read.
 */
export function mutateRequest(input: Uint8Array, material: Material): Uint8Array {
  const bytes = Buffer.from(input);
  const end = bytes.indexOf("\n\n") + 2;
  const chance = material.random.int(16);
  if (end === 1 || chance === 0) return mutated(bytes, material);
  const start = bytes.indexOf("/");
  if (end < bytes.length && chance > 3) {
    const other = Buffer.from(material.other);
    const otherBody = other.subarray(other.indexOf("\n\n") + 2);
    return Buffer.concat([bytes.subarray(0, end), mutated(bytes.subarray(end), { ...material, other: otherBody })]);
  }
  if (start === -1 || start > end) return mutated(bytes, material);
  return Buffer.concat([
    bytes.subarray(0, start),
    mutated(bytes.subarray(start, end - 2), material),
    bytes.subarray(end - 2),
  ]);
}

/** Any bytes are some request. */
function requestOf(input: Uint8Array): HttpRequest {
  const bytes = Buffer.from(input);
  const end = bytes.indexOf("\n\n");
  const [line = "", ...fields] = textOf(end === -1 ? bytes : bytes.subarray(0, end)).split("\n");
  const space = line.indexOf(" ");
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(":");
      return [field.slice(0, Math.max(colon, 0)).trim().toLowerCase(), field.slice(colon + 1).trim()] as const;
    }),
  );
  // compression works in other threads, and how many turns that takes is the machine's affair
  delete headers["accept-encoding"];
  const head = { method: line.slice(0, Math.max(space, 0)), path: line.slice(space + 1), headers };
  return end === -1 || end + 2 === bytes.length ? head : { ...head, body: bytes.subarray(end + 2) };
}

/** Requests that would make the server call out are skipped: nothing may be sent to a random address. */
const callsOut = /webhook|apiservice/i;

/** Chunks of an answer that has no end, such as a watch's, that are read before it is left. */
const mostChunks = 3;
const turnsForChunk = 20;

/** After this many turns a request is assumed to wait for time: servers wait some seconds for a future revision. */
const turnsWithoutTime = 200;
const longestWaitMs = 5_000;

/** A server with the objects of `before`. Its clock moves only for a request that waits. */
export async function openServer(
  before: readonly Uint8Array[] = [],
  options: Pick<TestServerOptions, "bootstrapTokens" | "cbor"> = {},
): Promise<Target> {
  const faults: { readonly message: string; readonly error: unknown }[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (message, fields) => void faults.push({ message, error: fields?.["error"] }),
    child: () => log,
  };
  const clock = new FakeClock();
  const server = await startTestServer({ ...options, clock, random: seededRandom(1), log });
  const transport = server.transport();
  let isHung = false;

  const run = async (input: Uint8Array): Promise<Outcome> => {
    const request = requestOf(input);
    if (callsOut.test(Buffer.from(input).toString("latin1"))) return { kind: "not sent", detail: "" };
    const abort = new AbortController();
    try {
      isHung = true;
      const pending = transport(request, abort.signal);
      const answer = await withinTurns(pending, "the request", turnsWithoutTime).catch(async (error: unknown) => {
        if (!(error instanceof Finding)) throw error;
        await clock.advance(longestWaitMs);
        return withinTurns(pending, "the request");
      });
      isHung = false;
      const body = answer.body instanceof Uint8Array ? answer.body : await beginningOf(answer.body);
      const fault = faults.splice(0)[0];
      if (fault !== undefined) throw new Finding(`${fault.message}: ${answer.status}`, { cause: fault.error });
      return outcomeOf(request, answer, body);
    } finally {
      abort.abort();
    }
  };

  for (const input of before) {
    const { kind, detail } = await run(input);
    if (!kind.startsWith("2")) throw new Error(`the server does not take ${textOf(input)}: ${kind} ${detail}`);
    // definitions are served a few turns later
    for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return {
    run,
    // a server waits for its requests, and so one that hangs is left alone
    [Symbol.asyncDispose]: async () => (isHung ? undefined : await server[Symbol.asyncDispose]()),
  };
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const iterator = body[Symbol.asyncIterator]();
  while (chunks.length < mostChunks) {
    const next = iterator.next();
    next.catch(() => {});
    const result = await withinTurns(next, "a chunk", turnsForChunk).catch((error: unknown) => {
      if (error instanceof Finding) return undefined;
      throw error;
    });
    if (result === undefined || result.done === true) break;
    chunks.push(result.value);
  }
  return Buffer.concat(chunks);
}

const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]);

const header = (headers: HttpHeaders, name: string): string => String(headers[name] ?? "");

/** The class of an answer. An error must be a Status that says so itself, in the form that the headers name. */
function outcomeOf(
  { method, path, body: sent }: HttpRequest,
  { status, headers }: HttpResponse,
  body: Uint8Array,
): Outcome {
  const type = header(headers, "content-type");
  const what = `${status} ${methods.has(method) ? method : "other"} ${type.split(";")[0]}`;
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new Finding(`an answer with status ${status}`);
  if (status < 400 || method === "HEAD")
    return { kind: what, detail: `${body.length.toString().length} digits of bytes, ${sent === undefined}` };
  // outside of the API, and where there is no such group or resource, a real server answers in plain words too
  const isPlain = !/^\/apis?\/./.test(path) || (status === 404 && textOf(body) === "404 page not found\n");
  if (type.startsWith("text/plain") && isPlain) return { kind: what, detail: "" };
  const refusal = statusIn(type, body);
  const { kind, reason, message, code, details } = refusal as Readonly<Record<string, unknown>>;
  if (kind !== "Status" || refusal["status"] !== "Failure" || code !== status || typeof message !== "string") {
    throw new Finding(`${status} with a body that is no Status of it: ${textOf(body).slice(0, 300)}`);
  }
  const causes = (details as { readonly causes?: readonly { readonly reason?: string }[] } | undefined)?.causes ?? [];
  const reasons = new Set(causes.map((cause) => cause.reason));
  return { kind: [what, reason, ...reasons].join(" "), detail: shapeOf(message) };
}

function statusIn(type: string, body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    if (type.startsWith("application/vnd.kubernetes.protobuf")) {
      return inOneGo(protobufCodec.decode(body, undefined)).object as unknown as Record<string, unknown>;
    }
    if (type.startsWith("application/cbor")) return JSON.parse(cborToJson(body)) as Record<string, unknown>;
    const text = type.startsWith("application/yaml") ? yamlToJson(textOf(body)).json : textOf(body);
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new Finding(`an error of type ${type} that cannot be read: ${textOf(body).slice(0, 300)}`, { cause: error });
  }
}
