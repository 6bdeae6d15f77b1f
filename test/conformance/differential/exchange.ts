/**
 * Sends one script of requests to a real kube-apiserver and to ours; gives the differences without those that any two
 * servers have.
 */
import { Agent, request } from "node:https";
import { exactJson, parseExactJson } from "../../../src/api/values/exact-json.js";
import { yamlToJson } from "../../../src/api/yaml/index.js";
import { protobufCodec } from "../../../src/apiserver/codec/index.js";
import type { ApiServer } from "../../../src/apiserver/index.js";
import { systemClock, inOneGo } from "../../../src/base/index.js";
import type { EnvtestAccess } from "../../../src/testing/envtest.js";

export interface Step {
  /** Unique in its script. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Text goes as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly agent?: string;
  /** A user and groups to be impersonated: `joe` or `joe,group`. */
  readonly as?: string;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

export type Send = (step: Step) => Promise<Answer>;

type Headers = Record<string, string | string[]>;

function headersOf({ accept = "application/json", type, body, agent = "differential", as }: Step): Headers {
  const [user, ...groups] = as?.split(",") ?? [];
  return {
    accept,
    "user-agent": agent,
    ...(user === undefined ? {} : { "impersonate-user": user }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups }),
    ...(body === undefined ? {} : { "content-type": type ?? "application/json" }),
  };
}

const bytesOf = ({ body }: Step): Buffer | undefined =>
  body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));

/** Lines of JSON (a watch) become a list; YAML and protobuf are compared by their content. */
function parsed(bytes: Buffer, contentType: string): unknown {
  if (contentType.startsWith(protobufCodec.mediaType) && bytes.length > 0)
    return inOneGo(protobufCodec.decode(bytes, undefined)).object;
  const text = bytes.toString();
  if (contentType.startsWith("application/yaml")) return parseExactJson(yamlToJson(text).json);
  try {
    return parseExactJson(text);
  } catch {
    const lines = text.split("\n").filter((line) => line !== "");
    try {
      return lines.map((line) => parseExactJson(line));
    } catch {
      return text;
    }
  }
}

export function realSender({ url, token, ca }: EnvtestAccess): Send & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 2, ca });
  const send: Send = (step) =>
    new Promise((resolve, reject) => {
      const bytes = bytesOf(step);
      const length = bytes === undefined ? {} : { "content-length": bytes.length };
      const headers = { authorization: `Bearer ${token}`, ...length, ...headersOf(step) };
      const outgoing = request(`${url}${step.path}`, { method: step.method, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const isWarning = (_: string, i: number): boolean =>
            i % 2 === 1 && /^warning$/i.test(response.rawHeaders[i - 1] ?? "");
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers["content-type"] ?? "",
            warnings: response.rawHeaders.filter(isWarning),
            body: parsed(Buffer.concat(chunks), response.headers["content-type"] ?? ""),
          });
        });
      });
      // a request that makes the real server abort has no answer to compare with
      outgoing.on("error", (error) => resolve({ status: 0, contentType: "", warnings: [], body: error.message }));
      outgoing.end(bytes);
    });
  return Object.assign(send, { [Symbol.dispose]: () => agent.destroy() });
}

export function ourSender(server: ApiServer): Send {
  const transport = server.transport({ username: "admin", uid: "admin-uid", groups: ["system:masters"] });
  return async (step) => {
    const bytes = bytesOf(step);
    const { method, path } = step;
    const sent = { method, path, headers: headersOf(step), ...(bytes === undefined ? {} : { body: bytes }) };
    const response = await transport(sent, new AbortController().signal);
    const chunks: Uint8Array[] = [];
    if (response.body instanceof Uint8Array) chunks.push(response.body);
    else for await (const chunk of response.body) chunks.push(chunk);
    return {
      status: response.status,
      contentType: String(response.headers["content-type"] ?? ""),
      warnings: [response.headers["warning"] ?? []].flat(),
      body: parsed(Buffer.concat(chunks), String(response.headers["content-type"] ?? "")),
    };
  };
}

const volatile: Readonly<Record<string, string>> = {
  uid: "<uid>",
  resourceVersion: "<version>",
  creationTimestamp: "<time>",
  deletionTimestamp: "<time>",
  time: "<time>",
  lastTransitionTime: "<time>",
  expirationTimestamp: "<time>",
  continue: "<token>",
  token: "<token>",
  "batch.kubernetes.io/controller-uid": "<uid>",
  "controller-uid": "<uid>",
  clusterIP: "<ip>",
  nodePort: "<port>",
  healthCheckNodePort: "<port>",
  targetPort: "<port>",
  serverAddress: "<address>",
};

/** Replaces values in which any two servers differ; their presence and kind still count. */
export function normalized(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) {
    if (name === "clusterIPs" && value[0] !== "None") return "<ips>";
    const items = value.map((item) => normalized(item, `${name}[]`));
    // sorted by time, and whether two changes fall into one second is chance
    if (name === "managedFields") return items.toSorted((a, b) => (exactJson(a) < exactJson(b) ? -1 : 1));
    // the number of times that a cause is named depends on how many parts of the server check it
    return name === "causes" ? [...new Map(items.map((item) => [exactJson(item), item])).values()] : items;
  }
  if (typeof value === "string") {
    const replaced = volatile[name];
    if (replaced !== undefined && value !== "" && value !== "None") return replaced;
    return (
      value
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
        .replace(/(resource version: )\d+ \(\d+\)/, "$1<version>")
        .replace(/(resource version: \d+, current: )\d+/, "$1<version>")
        .replace(/(in record \()\d+/, "$1<version>")
        .replace(/^10\.0\.\d+\.\d+$/, "<ip>")
        .replace(/^(?:\d+m)?\d+s$|^\d+m$/, "<age>")
        .replace(/(\d+\.\d+\.\d+\.\d+:)\d{5}$/, "$1<port>")
        .replace(/:3\d{4}\/(TCP|UDP)/, ":<port>/$1")
        .replace(/^[1-6]\d{4}$/, "<port>")
        .replace(/(BAD-)[a-z0-9]{5}/g, "$1<suffix>")
        // the result of a patch, with its fields in any order
        .replace(/(^|patch: )Invalid value: "(?:\{\\"|map\[).*[}\]]": /s, "$1Invalid value: <result>: ")
        // a refused change is followed by a difference: of Go structs there, of paths here
        .replace(/\n(@@ |core\.|\S+$)[^]*(?=\]$)|\n(@@ |core\.|\S+$)[^]*$/m, "<difference>")
    );
  }
  if (typeof value === "number" && volatile[name] !== undefined) return volatile[name];
  if (typeof value === "number" && name === "port" && value >= 10_000) return "<port>";
  if (typeof value !== "object" || value === null) return value;
  // columns are described in our own words
  if (name === "columnDefinitions[]") return normalized({ ...value, description: "" });
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, normalized(member, key)]),
  );
}

export type Difference = { readonly real: unknown; readonly ours: unknown };

async function difference(step: Step, real: Send, ours: Send): Promise<Difference | undefined> {
  const [theirs, mine] = await Promise.all([real(step), ours(step)]);
  const answers = { real: normalized(theirs), ours: normalized(mine) };
  return theirs.status === 0 || exactJson(answers.real) === exactJson(answers.ours) ? undefined : answers;
}

/**
 * The longest wait for a real server's caches; a difference that remains is reported. Deleted limit ranges are cached
 * for 30 s.
 */
const settlingMs = 45_000;

/** Asks both servers until they answer alike: many answers of a real server come from caches that lag behind its writes. */
async function settledDifference(step: Step, real: Send, ours: Send): Promise<Difference | undefined> {
  const deadline = systemClock.monotonic() + settlingMs;
  const { signal } = new AbortController();
  for (;;) {
    const found = await difference(step, real, ours);
    if (found === undefined || systemClock.monotonic() >= deadline) return found;
    await systemClock.sleep(10, signal);
  }
}

/** The same write as a dry run, if there is one: options in the body of a deletion hide those in the path. */
function rehearsalOf(step: Step): Step | undefined {
  const hasNone = step.method === "GET" || (step.method === "DELETE" && step.body !== undefined);
  if (hasNone || step.path.includes("dryRun=")) return undefined;
  return {
    ...step,
    name: `${step.name} (dry run)`,
    path: `${step.path}${step.path.includes("?") ? "&" : "?"}dryRun=All`,
  };
}

/**
 * Sends each step to both servers, in order; gives the pairs of answers that differ. Reads are repeated until both
 * answer alike; writes go as dry runs until they do, and then once for real. Known differences are sent and not
 * compared.
 */
export async function differences(
  steps: readonly Step[],
  real: Send,
  ours: Send,
  isKnown: (name: string) => boolean,
): Promise<Record<string, Difference>> {
  const found: Record<string, Difference> = {};
  for (const step of steps) {
    const rehearsal = rehearsalOf(step);
    for (const sent of rehearsal === undefined ? [step] : [rehearsal, step]) {
      const mayRepeat = sent === rehearsal || step.method === "GET";
      const answers = await (mayRepeat && !isKnown(sent.name) ? settledDifference : difference)(sent, real, ours);
      if (answers !== undefined && !isKnown(sent.name)) found[sent.name] = answers;
    }
  }
  return found;
}
