import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigMap, Pod } from "../api/generated/core-v1.js";
import { isConflict, isExpired, isTooManyRequests } from "../api/errors/status-guards.js";
import { newConflict } from "../api/index.js";
import { FakeClock, type HttpRequest, type HttpResponse, seededRandom, type Transport } from "../base/index.js";
import { Client, type ClientOptions } from "./client.js";
import { ConnectionError, hasFailed } from "./request/failure.js";
import { buildRequest, selectorText } from "./request/request.js";
import { delayWhenAsked, delayWhenDisconnected, defaultRetryPolicy } from "./request/retry.js";
import { retryOnConflict } from "./resource/retry-on-conflict.js";
import { faultyTransport, seededFaults } from "./transport/faulty.js";

interface Answer {
  readonly code?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const json = ({ code = 200, body = {}, headers = {} }: Answer): HttpResponse => ({
  status: code,
  headers: { "content-type": "application/json", ...headers },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

const failure = (code: number, reason: string): object => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: reason,
  reason,
  code,
});

/** A client whose requests are answered by a function, and the paths that were asked. */
function scripted(
  answer: (request: HttpRequest, index: number) => Answer | Error,
  options: Partial<ClientOptions> = {},
): { client: Client; asked: string[]; clock: FakeClock } {
  const asked: string[] = [];
  const clock = new FakeClock();
  const transport: Transport = async (request) => {
    asked.push(`${request.method} ${request.path}`);
    const given = answer(request, asked.length - 1);
    if (given instanceof Error) throw given;
    return json(given);
  };
  return { client: new Client({ transport, clock, random: seededRandom(1), ...options }), asked, clock };
}

/** Runs the clock until the call has settled. */
async function settle<T>(clock: FakeClock, call: Promise<T>): Promise<T> {
  let done = false;
  const watched = call.finally(() => (done = true));
  watched.catch(() => {});
  for (let i = 0; i < 200 && !done; i++) await clock.advance(500);
  return watched;
}

const map = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "n" } };
const maps = (client: Client) => client.resource(ConfigMap, { namespace: "n" });

describe("a built request", () => {
  test("has the path, query and body of its verb", () => {
    const type = ConfigMap;
    const { request, title } = buildRequest({
      verb: "update",
      type,
      namespace: "n",
      name: "a:b",
      subresource: "status",
      query: { dryRun: "All", fieldManager: "x y", force: undefined },
      body: { data: {} },
    });
    expect(title).toBe("update configmaps/status n/a:b");
    expect({ ...request, body: Buffer.from(request.body ?? []).toString() }).toEqual({
      method: "PUT",
      path: "/api/v1/namespaces/n/configmaps/a%3Ab/status?dryRun=All&fieldManager=x%20y",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: '{"data":{}}',
    });
  });

  test("takes selectors as text or as what must be equal", () => {
    expect([selectorText({ a: "1", b: "2" }), selectorText("x in (y)"), selectorText({}), selectorText("")]).toEqual([
      "a=1,b=2",
      "x in (y)",
      undefined,
      undefined,
    ]);
  });

  test("says on the wire what the options say", async () => {
    const { client, asked } = scripted(() => ({ body: map }), { fieldManager: "me", fieldValidation: "Warn" });
    await maps(client).create({ metadata: { name: "a" } }, { dryRun: true });
    await maps(client).patch("a", { merge: {} }, { fieldManager: "other", fieldValidation: "Strict" });
    await maps(client).apply({ metadata: { name: "a" } }, { force: true });
    await maps(client).get("a", { resourceVersion: "0" });
    expect(asked).toEqual([
      "POST /api/v1/namespaces/n/configmaps?dryRun=All&fieldManager=me&fieldValidation=Warn",
      "PATCH /api/v1/namespaces/n/configmaps/a?fieldManager=other&fieldValidation=Strict",
      "PATCH /api/v1/namespaces/n/configmaps/a?fieldManager=me&fieldValidation=Warn&force=true",
      "GET /api/v1/namespaces/n/configmaps/a?resourceVersion=0",
    ]);
  });
});

describe("repetition", () => {
  const attempted = { method: "POST", asked: 0, disconnected: 0 };

  test("is asked for by 429 and 5xx with a number of seconds, ten times at most", () => {
    const delay = (code: number, retryAfter?: string, asked = 0): number | undefined =>
      delayWhenAsked(defaultRetryPolicy, { ...attempted, asked }, { code, retryAfter });
    expect([delay(429, "2"), delay(503, "0"), delay(500, "1")]).toEqual([2000, 0, 1000]);
    expect([delay(429), delay(404, "1"), delay(503, "Wed, 21 Oct 2015"), delay(429, "1", 10)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("after a broken connection is for reads, and for writes that the server cannot have seen", () => {
    const random = { ...seededRandom(1), next: () => 0.5 };
    const delay = (method: string, error: unknown, disconnected = 0): number | undefined =>
      delayWhenDisconnected(defaultRetryPolicy, { ...attempted, method, disconnected }, { error, random });
    const closed = new ConnectionError("closed", "x");
    const unseen = new ConnectionError("refused", "x", { unprocessed: true });
    expect([delay("GET", closed), delay("GET", closed, 2), delay("POST", closed)]).toEqual([150, 600, undefined]);
    expect([delay("POST", unseen), delay("POST", unseen, 4)]).toEqual([150, undefined]);
    expect(delay("GET", new ConnectionError("certificate", "x", { unprocessed: true }))).toBeUndefined();
    expect(delay("GET", new Error("x"))).toBeUndefined();
  });

  test("waits as long as the server asks, and gives up with its last answer", async () => {
    const { client, asked, clock } = scripted((_, index) =>
      index < 2 ? { code: 429, body: failure(429, "TooManyRequests"), headers: { "retry-after": "3" } } : { body: map },
    );
    const call = maps(client).create({ metadata: { name: "a" } });
    await clock.advance(2_999);
    expect(asked.length).toBe(1);
    await clock.advance(1);
    expect(asked.length).toBe(2);
    await clock.advance(3_000);
    expect((await call).metadata.name).toBe("a");
    const tired = scripted(() => ({
      code: 429,
      body: failure(429, "TooManyRequests"),
      headers: { "retry-after": "1" },
    }));
    const error = await settle(tired.clock, maps(tired.client).get("a")).catch((caught: unknown) => caught);
    expect([isTooManyRequests(error), tired.asked.length]).toEqual([true, 11]);
  });

  test("ends at once when the caller aborts while it waits", async () => {
    const { client } = scripted(() => ({ code: 503, body: failure(503, "x"), headers: { "retry-after": "60" } }));
    const stop = new AbortController();
    const call = maps(client).get("a", { signal: stop.signal });
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });

  test("of a conflicting change reads anew, five times at most; other errors pass", async () => {
    const clock = new FakeClock();
    let tries = 0;
    const conflict = newConflict({ group: "", resource: "pods" }, "a", "x");
    const options = { clock, random: seededRandom(1) };
    const change = async (): Promise<number> => {
      if (++tries < 3) throw conflict;
      return tries;
    };
    expect(await settle(clock, retryOnConflict(change, options))).toBe(3);
    tries = -100;
    const error = await settle(clock, retryOnConflict(change, options)).catch((caught: unknown) => caught);
    expect([isConflict(error), tries]).toEqual([true, -95]);
    await expect(retryOnConflict(() => Promise.reject(new Error("other")), options)).rejects.toThrow("other");
  });
});

describe("limits", () => {
  test("the rate is limited when it is asked for, also for repetitions", async () => {
    const { client, asked, clock } = scripted(() => ({ body: map }), { rateLimit: { ratePerSecond: 2, burst: 3 } });
    const calls = Array.from({ length: 5 }, () => maps(client).get("a"));
    await clock.advance(0);
    expect(asked.length).toBe(3);
    await clock.advance(500);
    expect(asked.length).toBe(4);
    await clock.advance(500);
    await Promise.all(calls);
  });

  test("a request that takes too long is ended by the client's clock", async () => {
    const clock = new FakeClock();
    const transport: Transport = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const call = maps(new Client({ transport, clock })).get("a");
    call.catch(() => {});
    await clock.advance(60_000);
    await expect(call).rejects.toSatisfy((error) => hasFailed(error, "timeout"));
    expect(clock.pendingTimers).toBe(0);
  });

  test("attempts are reported for metrics", async () => {
    const reports: unknown[] = [];
    const { client } = scripted(
      (_, index) => (index === 0 ? { code: 503, body: "x", headers: { "retry-after": "0" } } : { body: map }),
      {
        onAttempt: ({ method, code, title }) => reports.push([method, code, title]),
      },
    );
    await maps(client).get("a");
    expect(reports).toEqual([
      ["GET", 503, "get configmaps n/a"],
      ["GET", 200, "get configmaps n/a"],
    ]);
  });
});

describe("pages", () => {
  const page = (names: readonly string[], token?: string): Answer => ({
    body: {
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: {
        resourceVersion: token === undefined ? "9" : "5",
        ...(token === undefined ? {} : { continue: token }),
      },
      items: names.map((name) => ({ metadata: { name } })),
    },
  });

  test("a revision that expires between pages leads to one full list, with what was asked at first", async () => {
    const { client, asked } = scripted((_, index) =>
      index === 0 ? page(["a"], "t") : index === 1 ? { code: 410, body: failure(410, "Expired") } : page(["a", "b"]),
    );
    const list = await maps(client).listAll({ pageSize: 1, resourceVersion: "4", resourceVersionMatch: "Exact" });
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expect([list.metadata.resourceVersion, list.paginated]).toEqual(["9", true]);
    const base = "GET /api/v1/namespaces/n/configmaps";
    expect(asked).toEqual([
      `${base}?limit=1&resourceVersion=4&resourceVersionMatch=Exact`,
      `${base}?limit=1&continue=t`,
      `${base}?resourceVersion=4&resourceVersionMatch=Exact`,
    ]);
  });

  test("one that expires on the first page, or where no full list is wanted, is an error", async () => {
    const gone = { code: 410, body: failure(410, "Expired") };
    const first = maps(scripted(() => gone).client).listAll();
    expect(isExpired(await first.catch((error: unknown) => error))).toBe(true);
    const { client } = scripted((_, index) => (index === 0 ? page(["a"], "t") : gone));
    const second = maps(client).listAll({ fullListIfExpired: false });
    expect(isExpired(await second.catch((error: unknown) => error))).toBe(true);
    const seen: string[] = [];
    const each = async (): Promise<void> => {
      for await (const { metadata } of maps(scripted((_, i) => (i === 0 ? page(["a"], "t") : gone)).client).each())
        seen.push(metadata.name);
    };
    expect(isExpired(await each().catch((error: unknown) => error))).toBe(true);
    expect(seen).toEqual(["a"]);
  });

  test("the whole has the first page's revision", async () => {
    const { client } = scripted((_, index) => (index === 0 ? page(["a"], "t") : page(["b"])));
    const { metadata, items } = await maps(client).listAll();
    expect([metadata, items.length]).toEqual([{ resourceVersion: "5" }, 2]);
  });
});

describe("discovery", () => {
  const group = (name: string, version = "v1"): object => ({
    name,
    versions: [{ groupVersion: `${name}/${version}`, version }],
    preferredVersion: { groupVersion: `${name}/${version}`, version },
  });
  const resources = (groupVersion: string, ...entries: readonly object[]): Answer => ({
    body: { kind: "APIResourceList", groupVersion, resources: entries },
  });
  const legacy = (request: HttpRequest): Answer => {
    switch (request.path) {
      case "/api":
        return { body: { kind: "APIVersions", versions: ["v1"] } };
      case "/apis":
        return { body: { kind: "APIGroupList", groups: [group("good.test"), group("broken.test")] } };
      case "/api/v1":
        return resources(
          "v1",
          { name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["get"], shortNames: ["po"] },
          { name: "pods/status", singularName: "", namespaced: true, kind: "Pod", verbs: ["get"] },
        );
      case "/apis/good.test/v1":
        return resources("good.test/v1", {
          name: "things",
          singularName: "thing",
          namespaced: false,
          kind: "Thing",
          verbs: ["get"],
        });
      default:
        return { code: 503, body: failure(503, "ServiceUnavailable") };
    }
  };

  test("of an old server goes group by group, and one that is broken does not hide the rest", async () => {
    const { client } = scripted(legacy);
    const { resources: found, failures } = await client.discovery.all();
    expect(found.map(({ group: of, plural, scope, subresources }) => [of, plural, scope, subresources])).toEqual([
      ["", "pods", "Namespaced", ["status"]],
      ["good.test", "things", "Cluster", []],
    ]);
    expect(failures.map(({ apiVersion }) => apiVersion)).toEqual(["broken.test/v1"]);
    await expect(client.discovery.find("nothing")).rejects.toThrow(
      'resource type "nothing"; it could not be asked about broken.test/v1',
    );
  });

  test("is asked once, and again for a name that was not there", async () => {
    let defined = false;
    const list = (): Answer => ({
      body: {
        kind: "APIGroupDiscoveryList",
        items: defined
          ? [
              {
                metadata: { name: "new.test" },
                versions: [
                  {
                    version: "v1",
                    resources: [{ resource: "news", responseKind: { kind: "News" }, scope: "Cluster", verbs: ["get"] }],
                  },
                ],
              },
            ]
          : [{ metadata: { name: "stale.test" }, versions: [{ version: "v1", freshness: "Stale" }] }],
      },
    });
    const { client, asked, clock } = scripted((request) =>
      request.path === "/apis" ? list() : { code: 404, body: failure(404, "NotFound") },
    );
    expect((await client.discovery.all()).failures.map(({ apiVersion }) => apiVersion)).toEqual(["stale.test/v1"]);
    await client.discovery.all();
    expect(asked.length).toBe(2);
    defined = true;
    await expect(client.discovery.find("news")).rejects.toThrow("doesn't have");
    await clock.advance(1_000);
    expect((await client.dynamic("news")).type.kind).toBe("News");
    expect(asked.length).toBe(4);
  });
});

describe("planned faults", () => {
  test("are the same for the same seed, and readers that repeat see the truth through them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const run = async (): Promise<readonly string[]> => {
          const clock = new FakeClock();
          const faults: string[] = [];
          const inner: Transport = async () => json({ body: map });
          const transport = faultyTransport(inner, {
            plan: seededFaults({
              random: seededRandom(seed),
              rate: 0.3,
              kinds: ["refuse", "drop", "lose-answer", "delay", "duplicate", "reset"],
            }),
            clock,
            onFault: ({ type }, _, index) => faults.push(`${index} ${type}`),
          });
          const retry = { whenDisconnected: 50 };
          const client = new Client({ transport, clock, random: seededRandom(seed), retry });
          for (let i = 0; i < 5; i++) expect(await settle(clock, maps(client).get("a"))).toEqual(map);
          return faults;
        };
        expect(await run()).toEqual(await run());
      }),
      { numRuns: 20 },
    );
  });

  test("can answer, cut and repeat by name", async () => {
    let calls = 0;
    const inner: Transport = async () => {
      calls++;
      return json({ body: map });
    };
    const with_ = (fault: Parameters<typeof faultyTransport>[1]["plan"]): Client =>
      new Client({ transport: faultyTransport(inner, { plan: fault }), retry: { whenDisconnected: 0, whenAsked: 0 } });
    expect(
      isConflict(
        await maps(with_(() => ({ type: "answer", code: 409 })))
          .get("a")
          .catch((error: unknown) => error),
      ),
    ).toBe(true);
    expect(calls).toBe(0);
    await maps(with_(() => ({ type: "duplicate" }))).get("a");
    expect(calls).toBe(2);
    const cut = await maps(with_(() => ({ type: "truncate", afterBytes: 10 })))
      .get("a")
      .catch((error: unknown) => error);
    expect(hasFailed(cut, "malformed")).toBe(true);
  });
});

test("types are exact: a pod's client gives pods, and drafts need no kind", async () => {
  const { client } = scripted(() => ({ body: { ...map, kind: "Pod" } }));
  const pods = client.resource(Pod, { namespace: "n" });
  const pod: Pod = await pods.create({ metadata: { generateName: "a-" }, spec: { containers: [{ name: "a" }] } });
  const phase: string | undefined = pod.status?.phase;
  expect(phase).toBeUndefined();
});
