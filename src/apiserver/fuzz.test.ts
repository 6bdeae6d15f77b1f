import fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock, seededRandom } from "../base/index.js";
import { startTestServer } from "../testing/cluster.js";

const { signal } = new AbortController();
const full = process.env["COXSWAIN_FULL"] === "1";

const segment = fc.oneof(
  fc.constantFrom(
    "api",
    "apis",
    "v1",
    "apps",
    "namespaces",
    "default",
    "configmaps",
    "pods",
    "deployments",
    "status",
    "scale",
    "watch",
    "openapi",
    "healthz",
    "a",
    "%zz",
    "..",
    "",
  ),
  fc.string({ maxLength: 8 }),
);
const parameter = fc.tuple(
  fc.constantFrom(
    "limit",
    "continue",
    "resourceVersion",
    "resourceVersionMatch",
    "labelSelector",
    "fieldSelector",
    "dryRun",
    "fieldManager",
    "pretty",
    "timeoutSeconds",
    "force",
  ),
  fc.oneof(fc.constantFrom("1", "0", "-1", "true", "All", "app=x", "Exact"), fc.string({ maxLength: 12 })),
);
const json = fc.oneof(
  fc.json({ maxDepth: 5 }),
  fc.string({ maxLength: 200 }),
  fc.constant('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}'),
);
const type = fc.constantFrom(
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "nonsense",
);

test("whatever is sent, the answer is an answer and not a fault of the server's", async () => {
  await using server = await startTestServer({ clock: new FakeClock(), random: seededRandom(1) });
  const send = server.transport();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "NONSENSE"),
      fc.array(segment, { maxLength: 7 }),
      fc.array(parameter, { maxLength: 3 }),
      fc.record({
        body: fc.option(json, { nil: undefined }),
        type,
        accept: fc.constantFrom(
          "application/json",
          "*/*",
          "application/vnd.kubernetes.protobuf",
          "application/json;as=Table;v=v1;g=meta.k8s.io",
          "text/x",
        ),
      }),
      async (method, segments, parameters, { body, type: contentType, accept }) => {
        const path = `/${segments.join("/")}?${new URLSearchParams(parameters).toString()}`;
        const bytes = body === undefined ? {} : { body: Buffer.from(body) };
        const { status } = await send(
          { method, path, headers: { "content-type": contentType, accept }, ...bytes },
          signal,
        );
        // a version that is no number is upstream's own 500
        if (!path.includes("resourceVersion=")) expect([method, path, status < 500]).toEqual([method, path, true]);
      },
    ),
    { numRuns: full ? 20_000 : 500 },
  );
});

test("a body that is nested without end is refused", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  const body = Buffer.from(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  const sent = { method: "POST", path: "/api/v1/namespaces/default/configmaps", headers: {}, body };
  expect((await server.transport()(sent, signal)).status).toBe(400);
});
