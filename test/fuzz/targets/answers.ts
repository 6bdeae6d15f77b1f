/** Answers of other servers as targets: an input is the text that a webhook, an extension server or an API server sends. */
import { parseExactJson } from "../../../src/api/values/exact-json.js";
import { readVerdict } from "../../../src/apiserver/admission/dynamic/review.js";
import { entriesInAggregated, entriesInPlain } from "../../../src/apiserver/aggregation/discovery.js";
import { answeredObjects, checkedConversion } from "../../../src/apiserver/crd/conversion/review.js";
import { encodeOpenApiV2, openApiPart, withParts } from "../../../src/apiserver/openapi/index.js";
import { inOneGo } from "../../../src/base/index.js";
import { isRecord } from "../../../src/base/members.js";
import { framingOf } from "../../../src/client/http1/framing.js";
import { readHead } from "../../../src/client/http1/head.js";
import { ProtocolViolation } from "../../../src/client/transport/headers.js";
import { bytesOf, Finding, type Outcome, shapeOf, type TargetKind, textOf } from "../target.js";
import { bodyWords } from "./pieces.js";

/** Each reading of the text gives a result, or says in plain words why there is none. */
function reader(
  name: string,
  seeds: readonly unknown[],
  readings: readonly ((value: unknown, text: string) => unknown)[],
): TargetKind {
  const run = async (input: Uint8Array): Promise<Outcome> => {
    const text = textOf(input);
    let value: unknown;
    try {
      value = parseExactJson(text);
    } catch (error) {
      if (error instanceof SyntaxError) return { kind: "no JSON", detail: "" };
      throw error;
    }
    const outcomes = readings.map((read) => {
      try {
        return `read ${typeof read(value, text)}`;
      } catch (error) {
        if (!(error instanceof Error) || error.constructor !== Error) throw error;
        return shapeOf(error.message);
      }
    });
    return { kind: outcomes[0] ?? "", detail: outcomes.join(" | ") };
  };
  return {
    name,
    seeds: seeds.map((seed) => bytesOf(JSON.stringify(seed))),
    words: [...bodyWords, "response", "uid", "allowed", "patch", "$ref", "#/definitions/a", "resources", "verbs"],
    open: async () => ({ run, [Symbol.asyncDispose]: async () => {} }),
  };
}

const metadata = { name: "a", namespace: "default", uid: "u" };
const original = { apiVersion: "example.com/v1", kind: "Widget", metadata };
const conversion = { uid: "u", desired: "example.com/v2", objects: [original] } as const;
const patch = Buffer.from('[{"op":"remove","path":"/a"}]').toString("base64");
const refusal = { message: "no", reason: "Invalid", code: 422, details: { causes: [{ field: "a", message: "b" }] } };
const admission = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
const converted = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" };

const webhookAnswers = reader(
  "webhook-answers",
  [
    { ...admission, response: { uid: "u", allowed: true, patchType: "JSONPatch", patch, warnings: ["careful"] } },
    { ...admission, response: { uid: "u", allowed: false, status: refusal } },
    {
      ...converted,
      response: {
        uid: "u",
        result: { status: "Success" },
        convertedObjects: [
          { ...original, apiVersion: "example.com/v2", metadata: { ...metadata, labels: { a: "b" } } },
        ],
      },
    },
    { ...converted, response: { uid: "u", result: { status: "Failed", message: "no" }, convertedObjects: [] } },
  ],
  [
    (value) => readVerdict(value, { uid: "u", version: "v1", mutating: true }),
    (value) => readVerdict(value, { uid: "u", version: "v1beta1", mutating: false }),
    (value) => answeredObjects(value, { ...conversion, version: "v1beta1" }),
    (value) => {
      const [first] = answeredObjects(value, { ...conversion, version: "v1" });
      return checkedConversion(original, first, conversion.desired);
    },
  ],
);

const root = "/apis/example.com/v1";
const responseKind = { group: "example.com", version: "v1", kind: "Widget" };
const widgets = { resource: "widgets", responseKind, scope: "Namespaced", singularResource: "widget", verbs: ["get"] };
const status = { subresource: "status", responseKind, verbs: ["get"], acceptedTypes: [responseKind] };

const extensionDocuments = reader(
  "extension-documents",
  [
    {
      kind: "APIGroupDiscoveryList",
      items: [
        {
          metadata: { name: "example.com" },
          versions: [{ version: "v1", resources: [{ ...widgets, shortNames: ["w"], subresources: [status] }] }],
        },
      ],
    },
    {
      kind: "APIResourceList",
      resources: [
        { name: "widgets", singularName: "widget", namespaced: true, kind: "Widget", verbs: ["get", "list"] },
        { name: "widgets/status", kind: "Widget", verbs: ["get"] },
      ],
    },
    {
      swagger: "2.0",
      info: { title: "a", version: "b" },
      paths: {
        [`${root}/widgets`]: {
          get: {
            parameters: [{ name: "a", in: "query", type: "string", uniqueItems: true }],
            responses: { 200: { description: "OK", schema: { $ref: "#/definitions/a" } } },
          },
          parameters: [{ in: "body", name: "body", schema: { $ref: "#/definitions/b" } }],
        },
      },
      definitions: {
        a: { type: "object", properties: { b: { $ref: "#/definitions/b" } }, required: ["b"], "x-kubernetes-a": [1] },
        b: { type: "array", items: { type: "string", enum: ["a"] }, default: [], additionalProperties: { type: "a" } },
      },
    },
  ],
  [
    (_, text) => entriesInAggregated(text, "example.com", "v1"),
    (_, text) => entriesInPlain(text),
    (value) => {
      const part = openApiPart(isRecord(value) ? value : {}, root);
      const whole = { swagger: "2.0", info: { title: "", version: "" }, paths: {}, definitions: { a: {} } };
      const merged = withParts(whole as never, [part]);
      try {
        return inOneGo(encodeOpenApiV2(merged));
      } catch {
        // the part is tried once when it arrives, and left out for whatever error
        throw new Error("the part cannot be encoded");
      }
    },
  ],
);

const emptyLine = "\r\n\r\n";

/** Reads an answer as a connection does, in two pieces. */
function readAnswer(input: Uint8Array): string {
  const bytes = Buffer.from(input);
  const end = bytes.indexOf(emptyLine);
  if (end < 0) return "no head";
  const { status, headers, keptMs } = readHead(bytes.toString("latin1", 0, end));
  if (!(keptMs >= 0)) throw new Finding(`a connection is kept for ${keptMs} ms`);
  const framing = framingOf("GET", status, headers);
  let from = end + emptyLine.length;
  let length = 0;
  for (const until of [(from + bytes.length) >> 1, bytes.length]) {
    if (framing.isDone || from === until) continue;
    framing.take(bytes, from, until);
    if (framing.dataEnd < from || framing.taken > until || framing.dataEnd > framing.taken) {
      throw new Finding(
        `of ${until - from} bytes ${framing.taken - from} are taken, ${framing.dataEnd - from} of them`,
      );
    }
    length += framing.dataEnd - from;
    from = framing.taken;
  }
  return `${status} ${framing.isDone} ${String(length).length} digits of bytes`;
}

const http1Answers: TargetKind = {
  name: "http1-answers",
  seeds: [
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\n",
    "HTTP/1.0 404 Not Found\r\nconnection: close\r\nkeep-alive: timeout=5\r\n\r\ngone",
    "HTTP/1.1 304 Not Modified\r\netag: W/a\r\nset-cookie: a\r\nset-cookie: b\r\n\r\n",
    "HTTP/1.1 204 \r\nConnection: keep-alive, upgrade\r\n\r\n",
  ].map(bytesOf),
  words: [
    "\r\n",
    "content-length: ",
    "transfer-encoding: chunked",
    "HTTP/1.1 ",
    "0\r\n\r\n",
    "ffffffffffffffff",
    ";",
    ":",
  ],
  open: async () => ({
    run: async (input) => {
      try {
        const read = readAnswer(input);
        return { kind: read, detail: "" };
      } catch (error) {
        if (error instanceof ProtocolViolation) return { kind: "refused", detail: shapeOf(error.message) };
        throw error;
      }
    },
    [Symbol.asyncDispose]: async () => {},
  }),
};

export const answerTargets: readonly TargetKind[] = [webhookAnswers, extensionDocuments, http1Answers];
