/** The same requests in CBOR to a real server with its feature gate on, and to ours: the same answers, as JSON. */
import { request as httpsRequest } from "node:https";
import { describe, expect, test } from "vitest";
import { cborToJson } from "../../src/apiserver/codec/cbor/to-json.js";
import { writeCbor } from "../../src/apiserver/codec/cbor/write.js";
import { Lifetime } from "../../src/base/index.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { type EnvtestAccess, envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { patienceMs } from "../eventually.js";
import { statedCount } from "./stated.js";

const assets = envtestAssets();
const cbor = "application/cbor";
const maps = "/api/v1/namespaces/default/configmaps";
const gadgets = "/apis/example.com/v1/namespaces/default/gadgets";
const apply = "application/apply-patch+cbor";

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}
interface Answered {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array;
}
type Send = (asked: Asked) => Promise<Answered>;

const get = (path: string, accept = cbor): Asked => ({ method: "GET", path, headers: { accept } });
const sent = (method: string, path: string, body: Uint8Array, type = cbor): Asked => ({
  method,
  path,
  headers: { accept: cbor, "content-type": type },
  body,
});
const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(" ", ""), "hex");
const map = (name: string, rest: object): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...rest,
});
const gadget = (name: string, spec: object): object => ({
  apiVersion: "example.com/v1",
  kind: "Gadget",
  metadata: { name },
  spec,
});
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { a: "aGVsbG8=", b: "" } };
const table = ";as=Table;v=v1;g=meta.k8s.io";
/** Each byte of a CBOR map key "data" and so on, written by hand where the writer would not do it. */
const named = (name: string): string => `64${Buffer.from(name).toString("hex")}`;
const mapWith = (data: string): Uint8Array =>
  Buffer.concat([
    bytes("d9d9f7 a4"),
    writeCbor("apiVersion").subarray(3),
    writeCbor("v1").subarray(3),
    writeCbor("kind").subarray(3),
    writeCbor("ConfigMap").subarray(3),
    writeCbor("metadata").subarray(3),
    writeCbor({ generateName: "hand-" }).subarray(3),
    bytes(named("data") + data),
  ]);

const steps: Readonly<Record<string, Asked>> = {
  "a definition": sent("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", writeCbor(definition)),
  "an object": sent("POST", maps, writeCbor(map("a", { data: { k: "väl\n" }, binaryData: { b: "AQID" } }))),
  "an object again": sent("POST", maps, writeCbor(map("a", { data: {} }))),
  "an object is read": get(`${maps}/a`),
  "a secret": sent("POST", "/api/v1/namespaces/default/secrets", writeCbor(secret)),
  "a secret is read as JSON": get("/api/v1/namespaces/default/secrets/s", "application/json"),
  "a secret is read": get("/api/v1/namespaces/default/secrets/s"),
  "a missing object": get(`${maps}/none`),
  "a list": get(maps),
  "a table": get(maps, cbor + table),
  metadata: get(`${maps}/a`, `${cbor};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`),
  "metadata of a list": get(maps, `${cbor};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`),
  "a watch": get(`${maps}?watch=1&timeoutSeconds=1&resourceVersion=0&fieldSelector=metadata.name%3Da`),
  "a watch of tables": get(
    `${maps}?watch=1&timeoutSeconds=1&resourceVersion=0&fieldSelector=metadata.name%3Da`,
    cbor + table,
  ),
  "a watch too old": get(`${maps}?watch=1&timeoutSeconds=1&resourceVersion=x`),
  "an update": sent("PUT", `${maps}/a`, writeCbor(map("a", { data: { k: "other" } }))),
  "an unknown field": sent("POST", `${maps}?fieldValidation=Ignore`, writeCbor(map("u", { nonsense: 1 }))),
  "an applied object": sent("PATCH", `${maps}/b?fieldManager=me`, writeCbor(map("b", { data: { x: "y" } })), apply),
  "an applied object again": sent("PATCH", `${maps}/b?fieldManager=me`, writeCbor(map("b", { data: {} })), apply),
  "an applied object of someone else": sent(
    "PATCH",
    `${maps}/a?fieldManager=me`,
    writeCbor(map("a", { data: { k: "mine" } })),
    apply,
  ),
  "an applied text": sent("PATCH", `${maps}/b?fieldManager=me`, bytes("616263"), apply),
  "a scale": sent(
    "PATCH",
    "/apis/apps/v1/namespaces/default/deployments/none/scale?fieldManager=me",
    writeCbor({ apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 1 } }),
    apply,
  ),
  "a patch in an unknown form": sent("PATCH", `${maps}/b`, bytes("a0"), cbor),
  "a custom object": sent(
    "POST",
    gadgets,
    writeCbor(gadget("g", { int: 9007199254740993n, small: -3, float: 0.5, list: [1, null, true], text: "" })),
  ),
  "a custom object is read": get(`${gadgets}/g`),
  "a custom object is read as JSON": get(`${gadgets}/g`, "application/json"),
  "a custom list": get(gadgets),
  "a custom patch in an unknown form": sent("PATCH", `${gadgets}/g`, bytes("a0"), "text/plain"),
  "a review": sent(
    "POST",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    writeCbor({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb: "get", resource: "pods" } },
    }),
  ),
  "a deletion": sent(
    "DELETE",
    `${maps}/b`,
    writeCbor({ kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Foreground" }),
  ),
  nothing: sent("POST", maps, bytes("")),
  "a cut item": sent("POST", maps, bytes("a1 41")),
  "a text and more": sent("POST", maps, bytes("6162 63")),
  "a break": sent("POST", maps, bytes("ff")),
  "a reserved head": sent("POST", maps, bytes("1c")),
  "an open integer": sent("POST", maps, bytes("1f")),
  "a text in an open byte string": sent("POST", maps, bytes("5f 6161 ff")),
  "an open map": sent("POST", maps, mapWith("bf 61 61 7f 61 62 61 63 ff ff")),
  "a tagged base64": sent("POST", maps, mapWith("a1 61 61 d6 43 010203")),
  "a tagged base16": sent("POST", maps, mapWith("a1 61 61 d7 43 0102ff")),
  "a duplicate key": sent("POST", maps, mapWith("a2 61 61 61 62 61 61 61 62")),
  "a bad text": sent("POST", maps, mapWith("a1 61 61 61 ff")),
  "a big number": sent("POST", gadgets, bytes("a1 61 61 c2 41 01")),
  "a word": get(`${maps}/a`, "text/html"),
  "a watch in YAML": get(`${maps}?watch=1&timeoutSeconds=1`, "application/yaml"),
  "a body in an unknown form": sent("POST", maps, bytes("a0"), "text/html"),
};

/** Without what differs from server to server. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const left = { ...value } as Record<string, unknown>;
  if ("generateName" in left) left["name"] = "generated";
  for (const name of [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "time",
    "lastTransitionTime",
  ]) {
    if (name in left) left[name] = name;
  }
  return Object.fromEntries(Object.entries(left).map(([name, member]) => [name, plain(member)]));
}

function shown({ status, type, body }: Answered): unknown {
  const text = (): string => Buffer.from(body).toString();
  if (type.startsWith("application/cbor-seq"))
    return { status, type, events: plain(JSON.parse(cborToJson(Buffer.concat([bytes("9f"), body, bytes("ff")])))) };
  if (type.startsWith(cbor)) return { status, type, body: plain(JSON.parse(cborToJson(body))) };
  return { status, type, body: type.startsWith("application/json") ? plain(JSON.parse(text())) : text() };
}

const sendReal =
  ({ url, token, ca }: EnvtestAccess): Send =>
  ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const length = String(body?.length ?? 0);
      const own = { authorization: `Bearer ${token}`, "user-agent": "script", "content-length": length };
      const options = { method, ca, headers: { ...headers, ...own } };
      const outgoing = httpsRequest(`${url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"] ?? "",
            body: Buffer.concat(chunks),
          }),
        );
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });

async function play(send: Send): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {};
  for (const [title, asked] of Object.entries(steps)) {
    answers[title] = shown(await send(asked));
    if (title === "a definition")
      await expect.poll(async () => (await send(get(gadgets))).status, { timeout: patienceMs }).toBe(200);
  }
  return answers;
}

describe.skipIf(assets === undefined)("CBOR (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  test(
    "is answered as by a real server with the feature gate on",
    async () => {
      await using lifetime = new Lifetime();
      const flags = ["--feature-gates=CBORServingAndStorage=true"];
      const real = lifetime.use(await startEnvtest({ assets: assets ?? "", flags }));
      const server = lifetime.use(await startTestServer({ cbor: true }));
      const transport = server.transport();
      const sendOurs: Send = async ({ method, path, headers, body }) => {
        const request = { method, path, headers: { ...headers, "user-agent": "script" }, ...(body && { body }) };
        const answer = await transport(request, new AbortController().signal);
        const chunks: Uint8Array[] = [];
        if (answer.body instanceof Uint8Array) chunks.push(answer.body);
        else for await (const chunk of answer.body) chunks.push(chunk);
        return {
          status: answer.status,
          type: String(answer.headers["content-type"] ?? ""),
          body: Buffer.concat(chunks),
        };
      };
      const there = await play(sendReal(real));
      const here = await play(sendOurs);
      for (const title of Object.keys(steps)) expect.soft({ [title]: here[title] }).toEqual({ [title]: there[title] });
    },
    5 * patienceMs,
  );
});

test("docs/compatibility.md states the number of requests", () => {
  expect(Object.keys(steps).length).toBe(statedCount("requests in CBOR"));
});
