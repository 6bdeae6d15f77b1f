import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtInVersions, type ObjectType, type Shape, builtInTypeOf } from "../../src/api/schema/index.js";
import { FakeClock, seededRandom } from "../../src/base/index.js";
import { startTestServer } from "../../src/testing/cluster.js";

const full = process.env["COXSWAIN_FULL"] === "1";

const { signal } = new AbortController();
let server: Awaited<ReturnType<typeof startTestServer>>;

beforeAll(async () => {
  server = await startTestServer({ clock: new FakeClock(), random: seededRandom(1) });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Values that a field may hold by mistake. */
const values: readonly unknown[] = [null, {}, [], "", "constructor", 0, -1, 1e300, true, [null], [{}], { a: null }];

type Build = (value: unknown) => object;

/** Objects that hold one value at one place of a type, and nothing else. */
function* places(type: ObjectType, depth: number, outer: readonly ObjectType[] = []): Generator<Build> {
  if (depth === 0 || outer.includes(type)) return;
  for (const [name, { shape }] of type.properties) {
    yield (value) => ({ [name]: value });
    const inner = objectIn(shape);
    if (inner === undefined) continue;
    for (const build of places(inner.type, depth - 1, [...outer, type])) {
      yield (value) => ({ [name]: inner.wrapped(build(value)) });
    }
  }
}

/** The type of objects that stand in a field, alone or in lists and maps. */
function objectIn(
  shape: Shape,
): { readonly type: ObjectType; readonly wrapped: (value: unknown) => unknown } | undefined {
  if (shape.kind === "object") return { type: shape.type, wrapped: (value) => value };
  if (shape.kind !== "list" && shape.kind !== "map") return undefined;
  const inner = objectIn(shape.items);
  if (inner === undefined) return undefined;
  const held = (value: unknown): unknown => (shape.kind === "list" ? [value] : { a: value });
  return { type: inner.type, wrapped: (value) => held(inner.wrapped(value)) };
}

const kinds = builtInVersions().flatMap(({ group, version, resources }) =>
  resources.flatMap(({ kind, plural, scope }) => {
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const root = group === "" ? `/api/${version}` : `/apis/${apiVersion}`;
    const path = `${root}${scope === "Namespaced" ? "/namespaces/default" : ""}/${plural}`;
    const type = builtInTypeOf(apiVersion, kind);
    return type === undefined ? [] : [{ apiVersion, kind, path, type }];
  }),
);

describe("an object of which one field is odd, and the rest missing, is no fault of the server's", () => {
  test.each(kinds)("$apiVersion $kind", async ({ apiVersion, kind, path, type }) => {
    const send = server.transport();
    const create = async (body: object): Promise<string | undefined> => {
      const sent = JSON.stringify({ apiVersion, kind, ...body });
      const headers = { "content-type": "application/json" };
      const { status, body: answer } = await send(
        { method: "POST", path: `${path}?dryRun=All`, headers, body: Buffer.from(sent) },
        signal,
      );
      if (status < 500) return undefined;
      // as upstream, a binding without a node is refused so
      const { message } = JSON.parse(Buffer.from(answer as Uint8Array).toString()) as { readonly message?: string };
      return kind === "Binding" && message?.includes("target.name: Required value")
        ? undefined
        : `${status} for ${sent}`;
    };
    const faults = [await create({}), await create({ metadata: { name: "a" } })];
    for (const build of places(type, full ? 4 : 2)) {
      for (const value of values) {
        faults.push(await create({ metadata: { name: "a" }, ...build(value) }));
        if (full) faults.push(await create(build(value)));
      }
    }
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });
});

/** Names that every object of JavaScript answers to. */
const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty"];

describe("names that JavaScript's own objects have are names like others", () => {
  const paths = (name: string): readonly string[] => [
    `/${name}`,
    `/healthz/${name}`,
    `/livez/${name}`,
    `/readyz/${name}?exclude=${name}`,
    `/api/${name}`,
    `/apis/${name}`,
    `/apis/${name}/v1`,
    `/apis/apps/${name}`,
    `/openapi/v3/${name}`,
    `/openapi/v3/apis/${name}/v1`,
    `/api/v1/${name}`,
    `/api/v1/namespaces/default/${name}`,
    `/api/v1/namespaces/default/pods/a/${name}`,
    `/api/v1/nodes/${name}`,
    `/api/v1/pods?fieldSelector=${name}%3Da`,
    `/api/v1/pods?labelSelector=${name}%3Da`,
    `/api/v1/pods?${name}=a`,
    `/api/v1/pods?resourceVersionMatch=${name}&resourceVersion=1`,
  ];
  test.each(inherited)("%s as a resource of a container, of a pod, and of both is refused as a name", async (name) => {
    const send = server.transport();
    const amounts = JSON.parse(`{"${name}":"1"}`) as object;
    for (const resources of [{ requests: amounts }, { limits: amounts }, { requests: amounts, limits: amounts }]) {
      for (const spec of [
        { containers: [{ name: "c", image: "i", resources }] },
        { containers: [{ name: "c", image: "i" }], resources },
        {
          containers: [{ name: "c", image: "i", resources }],
          resources: { requests: { cpu: "1" }, limits: { cpu: "1" } },
        },
      ]) {
        const pod = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec });
        const headers = { "content-type": "application/json" };
        const path = "/api/v1/namespaces/default/pods?dryRun=All";
        const { status } = await send({ method: "POST", path, headers, body: Buffer.from(pod) }, signal);
        expect([pod, status]).toEqual([pod, 422]);
      }
    }
  });

  test("constructor as a label key of a spread constraint is one that the pod does not have", async () => {
    const spread = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: {} };
    const spec = {
      containers: [{ name: "c", image: "i" }],
      topologySpreadConstraints: [{ ...spread, matchLabelKeys: ["constructor"] }],
    };
    const pod = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec });
    const sent = {
      method: "POST",
      path: "/api/v1/namespaces/default/pods?dryRun=All",
      headers: {},
      body: Buffer.from(pod),
    };
    const { status, body } = await server.transport()(sent, signal);
    const made = JSON.parse(Buffer.from(body as Uint8Array).toString()) as { spec?: typeof spec };
    expect([status, made.spec?.topologySpreadConstraints[0]?.labelSelector]).toEqual([201, {}]);
  });

  test.each(inherited)("%s", async (name) => {
    const send = server.transport();
    const faults: string[] = [];
    for (const path of paths(name)) {
      const { status } = await send({ method: "GET", path, headers: { accept: `application/${name}, */*` } }, signal);
      if (status >= 500) faults.push(`${status} for ${path}`);
    }
    const { status } = await send({ method: name, path: "/api/v1/pods", headers: {} }, signal);
    expect({ faults, status }).toEqual({ faults: [], status: 405 });
  });
});

describe("odd positions and kinds get the answers of a real server", () => {
  const apply = "application/apply-patch+yaml";
  test.each([
    ["GET", "/api/v1/pods?limit=1&continue=bnVsbA", undefined, 400, "does not recognize this encoded version"],
    ["GET", "/api/v1/pods?limit=1&continue=NQ", undefined, 400, "invalid continue token"],
    ["GET", "/healthz/__proto__", undefined, 404, "404 page not found"],
    [
      "PATCH",
      "/api/v1/namespaces/default?fieldManager=m",
      '{"apiVersion":{"a":1},"kind":"Namespace"}',
      400,
      "type: /, Kind=Namespace",
    ],
    [
      "PATCH",
      "/api/v1/namespaces/default?fieldManager=m",
      '{"apiVersion":"v1","kind":{"a":1}}',
      400,
      "type: /v1, Kind=",
    ],
  ])("%s %s %s", async (method, path, body, status, words) => {
    const sent = { method, path, headers: { "content-type": apply } };
    const answer = await server.transport()(body === undefined ? sent : { ...sent, body: Buffer.from(body) }, signal);
    expect([answer.status, Buffer.from(answer.body as Uint8Array).toString()]).toEqual([
      status,
      expect.stringContaining(words),
    ]);
  });
});
