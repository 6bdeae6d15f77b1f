import { inOneGo } from "../../src/base/index.js";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/api/index.js";
import { type ApiServer, startApiServer } from "../../src/apiserver/index.js";
import { protobufCodec, protobufMediaType } from "../../src/apiserver/codec/index.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { askReal, type RealRequest, type RealResponse } from "../real-answer.js";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const partial = ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const partialList = ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const maps = "/api/v1/namespaces/negotiation/configmaps";
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", labels: { x: "y" } }, data: { k: "v" } };

interface Case extends Omit<RealRequest, "headers"> {
  readonly title: string;
  readonly accept?: string;
  readonly type?: string;
}

const gets: readonly (readonly [title: string, path: string, accept?: string])[] = [
  ["an object without Accept", `${maps}/a`],
  ["an object as JSON", `${maps}/a`, "application/json"],
  ["an object as protobuf", `${maps}/a`, protobufMediaType],
  ["an object as protobuf or JSON", `${maps}/a`, `${protobufMediaType},application/json`],
  ["an object as anything", `${maps}/a`, "*/*"],
  ["an object as any application", `${maps}/a`, "application/*"],
  ["an object by quality", `${maps}/a`, `application/json;q=0.5,${protobufMediaType};q=0.9`],
  ["an object as nothing that is offered", `${maps}/a`, "text/html"],
  ["an object as CBOR", `${maps}/a`, "application/cbor"],
  ["an object as a table", `${maps}/a`, table],
  ["an object as an unknown table version", `${maps}/a`, "application/json;as=Table;v=v2;g=meta.k8s.io"],
  ["an object as a table of beta version", `${maps}/a`, "application/json;as=Table;v=v1beta1;g=meta.k8s.io"],
  [
    "an object as kubectl asks for it",
    `${maps}/a`,
    `${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`,
  ],
  ["an object as a protobuf table", `${maps}/a`, `${protobufMediaType};as=Table;v=v1;g=meta.k8s.io`],
  ["an object as an unknown transform", `${maps}/a`, "application/json;as=Nonsense;v=v1;g=meta.k8s.io"],
  ["an object's metadata as JSON", `${maps}/a`, `application/json${partial}`],
  ["an object's metadata as protobuf", `${maps}/a`, `${protobufMediaType}${partial}`],
  ["an object's metadata as a list", `${maps}/a`, `application/json${partialList}`],
  ["a list as JSON", maps, "application/json"],
  ["a list as protobuf", maps, protobufMediaType],
  ["a list as a table", maps, table],
  ["a list as a table with objects", `${maps}?includeObject=Object`, table],
  ["a list as a table without objects", `${maps}?includeObject=None`, table],
  ["a list as a table with nonsense", `${maps}?includeObject=Some`, table],
  ["a list's metadata as JSON", maps, `application/json${partialList}`],
  ["a list's metadata as protobuf", maps, `${protobufMediaType}${partialList}`],
  ["a list's metadata under the name of one", maps, `application/json${partial}`],
  ["an empty list as a table", `${maps}?labelSelector=none%3Dhere`, table],
  ["an empty list", `${maps}?labelSelector=none%3Dhere`, "application/json"],
  ["an empty list of a kind without a table of its own", "/api/v1/namespaces/negotiation/limitranges", table],
  [
    "a list of a kind without a table of its own",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/negotiation/roles",
    table,
  ],
  ["a page as a table", `${maps}?limit=1`, table],
  ["a page of metadata", `${maps}?limit=1`, `application/json${partialList}`],
  ["a page as protobuf", `${maps}?limit=1`, protobufMediaType],
  ["an object as YAML", `${maps}/a`, "application/yaml"],
  ["a list as YAML", maps, "application/yaml"],
  ["a missing object as YAML", `${maps}/none`, "application/yaml"],
  ["an object, pretty", `${maps}/a?pretty=true`, "application/json"],
  ["a missing object", `${maps}/none`, "application/json"],
  ["a missing object as protobuf", `${maps}/none`, protobufMediaType],
  ["a missing object as a table", `${maps}/none`, table],
  ["an unknown resource", "/api/v1/namespaces/negotiation/nonsense", "application/json"],
  ["an unknown version", "/apis/apps/v9/deployments", "application/json"],
  ["an unknown group", "/apis/nonsense.example/v1/foos", "application/json"],
  ["an unknown path", "/nonsense", "application/json"],
  ["the versions", "/api", "application/json"],
  ["the core resources", "/api/v1", "application/json"],
  ["a group", "/apis/apps", "application/json"],
  ["a group's resources", "/apis/apps/v1", "application/json"],
  ["an unknown group's document", "/apis/nonsense.example", "application/json"],
  ["an unknown version's document", "/apis/apps/v9", "application/json"],
  ["aggregated discovery of the core", "/api", aggregated],
  ["aggregated discovery with a fallback", "/api", `${aggregated},application/json`],
  ["aggregated discovery of a beta version only", "/api", aggregated.replace("v=v2", "v=v2beta1")],
];

const posts: readonly (readonly [title: string, type: string, body: string])[] = [
  ["as JSON", "application/json", JSON.stringify(map)],
  ["as JSON with a character set", "application/json; charset=utf-8", JSON.stringify(map)],
  ["as YAML", "application/yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"],
  ["as plain text", "text/plain", JSON.stringify(map)],
  ["as CBOR", "application/cbor", "x"],
  ["as protobuf that is none", protobufMediaType, "nonsense"],
  ["as JSON that is none", "application/json", "nonsense"],
  ["as another kind", "application/json", JSON.stringify({ ...map, kind: "Secret" })],
  ["as another version", "application/json", JSON.stringify({ ...map, apiVersion: "apps/v1" })],
  ["as an unknown kind", "application/json", JSON.stringify({ ...map, kind: "Nonsense" })],
  ["without kind and version", "application/json", JSON.stringify({ metadata: { name: "a" } })],
  ["with a number as text", "application/json", JSON.stringify({ ...map, data: { k: 1 } })],
];

const review = {
  apiVersion: "authorization.k8s.io/v1",
  kind: "SelfSubjectAccessReview",
  spec: { resourceAttributes: { verb: "get", resource: "pods" } },
};

const cases: readonly Case[] = [
  ...["application/json", protobufMediaType, table].map((accept) => ({
    title: `a review as ${accept}`,
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    accept,
    type: "application/json",
    body: JSON.stringify(review),
  })),
  ...gets.map(([title, path, accept]) => ({ title, path, ...(accept === undefined ? {} : { accept }) })),
  ...posts.map(([title, type, body]) => ({
    title: `a dry create ${title}`,
    method: "POST",
    path: `${maps}?dryRun=All`,
    type,
    body: type === protobufMediaType ? body : body.replace('"a"', '"dry"').replace("name: a", "name: dry"),
  })),
];

/** Removes the parts that may differ: the creator, the time, and the server's address. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "managedFields" && key !== "description");
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      const varying = ["uid", "resourceVersion", "creationTimestamp", "serverAddress", "continue", "reason"];
      if (varying.includes(key) && !(key === "reason" && "code" in value)) return [key, typeof inner];
      return [key, key === "cells" ? (inner as unknown[]).map(ageless) : normal(inner)];
    }),
  );
}

/** An age, or the second in which the object was made. */
const made = /^(?:\d+[smhdy])+$|^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function ageless(cell: unknown): unknown {
  return typeof cell === "string" && made.test(cell) ? "age" : cell;
}

function bodyOf({ headers, bytes }: RealResponse): unknown {
  const type = String(headers["content-type"] ?? "");
  if (type.startsWith(protobufMediaType)) return normal(inOneGo(protobufCodec.decode(bytes, undefined)).object);
  if (type.startsWith("application/yaml")) return normal(load(bytes.toString()) as KubeObject);
  return type.startsWith("application/json") ? normal(JSON.parse(bytes.toString()) as KubeObject) : bytes.toString();
}

function essence(response: RealResponse): unknown {
  const { status, headers } = response;
  return { status, type: headers["content-type"], cache: headers["cache-control"], body: bodyOf(response) };
}

describe.skipIf(!hasRealCluster())("against a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  let server: ApiServer;

  async function askOurs({ method = "GET", path, headers = {}, body }: RealRequest): Promise<RealResponse> {
    const sent = body === undefined ? {} : { body: Buffer.from(body) };
    const response = await server.transport()({ method, path, headers, ...sent }, new AbortController().signal);
    const chunks: Uint8Array[] = [];
    if (response.body instanceof Uint8Array) chunks.push(response.body);
    else for await (const chunk of response.body) chunks.push(chunk);
    const values = Object.entries(response.headers).map(([name, value]) => [name, value as string | string[]]);
    return { status: response.status, headers: Object.fromEntries(values) as never, bytes: Buffer.concat(chunks) };
  }

  beforeAll(async () => {
    server = await startApiServer();
    for (const ask of [askReal, askOurs]) {
      const headers = { "content-type": "application/json" };
      const post = (path: string, object: object) =>
        ask({ method: "POST", path, headers, body: JSON.stringify(object) });
      await post("/api/v1/namespaces", { metadata: { name: "negotiation" } });
      await post("/apis/rbac.authorization.k8s.io/v1/namespaces/negotiation/roles", { metadata: { name: "r" } });
      await post(maps, map);
      await post(maps, { ...map, metadata: { name: "b" } });
    }
  });

  afterAll(() => server[Symbol.asyncDispose]());

  test.each(cases)("$title is answered in the same way", async ({ title: _title, accept, type, ...request }) => {
    const headers = {
      "user-agent": "test",
      ...(accept === undefined ? {} : { accept }),
      ...(type === undefined ? {} : { "content-type": type }),
    };
    const [real, ours] = [await askReal({ ...request, headers }), await askOurs({ ...request, headers })];
    expect(essence(ours)).toEqual(essence(real));
  });

  test("discovery and OpenAPI have tags by which a client keeps them", async () => {
    for (const path of ["/api", "/openapi/v3/apis/apps/v1"]) {
      const headers = { accept: path === "/api" ? aggregated : "application/json" };
      const first = await askOurs({ path, headers });
      const etag = String(first.headers["etag"]);
      expect(etag).toMatch(/^"[0-9A-F]+"$/);
      expect((await askOurs({ path, headers: { ...headers, "if-none-match": etag } })).status).toBe(304);
      const real = await askReal({ path, headers });
      const again = await askReal({ path, headers: { ...headers, "if-none-match": String(real.headers["etag"]) } });
      expect(again.status).toBe(304);
    }
  });
});
