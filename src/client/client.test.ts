import { describe, expect, test } from "vitest";
import { ConfigMap, Pod } from "../api/generated/core-v1.js";
import { isConflict, isExpired, isTooLargeResourceVersion, isTooManyRequests } from "../api/errors/status-guards.js";
import { newConflict, type StatusError } from "../api/index.js";
import { FakeClock, seededRandom, type Transport } from "../base/index.js";
import { Client } from "./client.js";
import { ConnectionError, isConnectionFailure } from "./failure.js";
import { buildRequest, selectorText } from "./request/request.js";
import { delayWhenAsked, delayWhenDisconnected, defaultRetryPolicy } from "./request/retry.js";
import { retryOnConflict } from "./resource/retry-on-conflict.js";
import { type Answer, failure, scripted, settle, map, maps } from "../../test/client/scripted.js";

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

describe("an answer that no API server gives", () => {
  test("a Status with members of wrong types is an error that the guards can read", async () => {
    const weird = {
      kind: "Status",
      status: "Failure",
      message: { toString: 1 },
      reason: 5,
      code: "x",
      details: { name: {}, causes: [null, 1, { reason: "FieldValueInvalid", message: [] }], retryAfterSeconds: "x" },
    };
    const { client } = scripted(() => ({ code: 409, body: weird }));
    const error = (await maps(client)
      .get("a")
      .catch((caught: unknown) => caught)) as StatusError;
    expect(error.message).toContain("no message (409)");
    expect(error.status.details).toEqual({ causes: [{ reason: "FieldValueInvalid" }] });
    expect([isTooManyRequests(error), isTooLargeResourceVersion(error)]).toEqual([false, false]);
  });

  test("a redirection is not followed, and the error says where it leads", async () => {
    const { client, asked } = scripted(() => ({ code: 302, body: {}, headers: { location: "https://elsewhere/x" } }));
    await expect(maps(client).get("a")).rejects.toThrow('answers 302 and redirects to "https://elsewhere/x"');
    expect(asked.length).toBe(1);
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
    await expect(call).rejects.toSatisfy((error) => isConnectionFailure(error, "timeout"));
    expect(clock.pendingTimers).toBe(0);
  });

  test("attempts are reported for metrics", async () => {
    const reports: unknown[] = [];
    const { client } = scripted((_, index) =>
      index === 0 ? { code: 503, body: "x", headers: { "retry-after": "0" } } : { body: map },
    );
    client.watchAttempts(({ method, code, title }) => reports.push([method, code, title]));
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

test("types are exact: a pod's client gives pods, and drafts need no kind", async () => {
  const { client } = scripted(() => ({ body: { ...map, kind: "Pod" } }));
  const pods = client.resource(Pod, { namespace: "n" });
  const pod: Pod = await pods.create({ metadata: { generateName: "a-" }, spec: { containers: [{ name: "a" }] } });
  const phase: string | undefined = pod.status?.phase;
  expect(phase).toBeUndefined();
});
