import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { ConnectionError, isConnectionFailure } from "../../src/client/index.js";
import { clientOf, draft, pods, use } from "./over-tcp.js";
import { emptyList, failure, json, pod, relayTo, serveH2 } from "./servers.js";

describe("connections", () => {
  test("one serves all requests, one after another and at the same time", async () => {
    const server = use(await serveH2((stream) => json(stream, pod("a"))));
    const client = clientOf(server.url);
    for (let i = 0; i < 5; i++) await pods(client).get("a");
    await Promise.all(Array.from({ length: 50 }, () => pods(client).get("a")));
    expect(server.accepted.length).toBe(1);
  });

  test("when watches take all streams of one, another is opened, and closed when it is no longer needed", async () => {
    const server = use(
      await serveH2(
        (stream, headers) => {
          if (String(headers[":path"]).includes("watch")) stream.respond({ ":status": 200 });
          else json(stream, pod("a"), 201);
        },
        { maxConcurrentStreams: 10 },
      ),
    );
    const client = clientOf(server.url);
    const stop = new AbortController();
    const watches = Array.from({ length: 25 }, () => pods(client).watch({ signal: stop.signal }));
    await pods(client).create(draft);
    await Promise.all(watches.map((watch) => watch.open()));
    expect((await pods(client).create(draft)).metadata.name).toBe("a");
    expect(server.open()).toBe(3);
    const closing = new Promise<void>((resolve) => {
      for (const socket of server.accepted) socket.once("close", () => server.open() === 1 && resolve());
    });
    stop.abort();
    await closing;
  });

  test("aborting a watch frees its stream at the server at once", async () => {
    let closed: Promise<unknown> | undefined;
    const server = use(
      await serveH2((stream) => {
        closed = once(stream, "close");
        stream.respond({ ":status": 200 });
      }),
    );
    const stop = new AbortController();
    const watch = pods(clientOf(server.url)).watch({ signal: stop.signal });
    await watch.open();
    const reading = watch[Symbol.asyncIterator]().next();
    const why = new Error("enough");
    stop.abort(why);
    await expect(reading).rejects.toBe(why);
    await closed;
  });

  test("leaving the loop over a watch frees its stream too", async () => {
    let closed: Promise<unknown> | undefined;
    const server = use(
      await serveH2((stream) => {
        closed = once(stream, "close");
        stream.respond({ ":status": 200 });
        stream.write(`${JSON.stringify({ type: "ADDED", object: pod("a") })}\n`);
      }),
    );
    for await (const event of pods(clientOf(server.url)).watch()) {
      expect(event.type).toBe("ADDED");
      break;
    }
    await closed;
  });

  test("a path before the API's is kept", async () => {
    const paths: unknown[] = [];
    const server = use(
      await serveH2((stream, headers) => {
        paths.push(headers[":path"]);
        json(stream, pod("a"));
      }),
    );
    await pods(clientOf(`${server.url}/k8s/clusters/c-1/`)).get("a");
    expect(paths).toEqual(["/k8s/clusters/c-1/api/v1/namespaces/default/pods/a"]);
  });
});

describe("a server that goes away", () => {
  test("with GOAWAY loses no request: what it did not process is sent again, once, on another connection", async () => {
    const handled: string[] = [];
    const server = use(
      await serveH2((stream, headers) => {
        const first = server.sessions.length === 1;
        if (first && headers[":method"] === "POST") {
          // the last stream processed is the one before
          stream.session?.goaway(0, (stream.id ?? 0) - 2);
          return;
        }
        handled.push(`${String(headers[":method"])} on connection ${server.sessions.length}`);
        json(stream, pod("a"), 200);
      }),
    );
    const client = clientOf(server.url);
    await pods(client).get("a");
    await pods(client).create(draft);
    expect(handled).toEqual(["GET on connection 1", "POST on connection 2"]);
  });

  test("with GOAWAY still finishes what it has begun", async () => {
    const server = use(
      await serveH2((stream, headers) => {
        if (headers[":method"] === "POST") return json(stream, pod("b"));
        stream.respond({ ":status": 200 });
        stream.write('{"kind":"Pod","apiVersion":"v1",');
        stream.session?.goaway(0);
        setImmediate(() => stream.end('"metadata":{"name":"a"}}'));
      }),
    );
    const client = clientOf(server.url);
    const [got, made] = await Promise.all([
      pods(client).get("a"),
      pods(client)
        .get("a")
        .then(() => pods(client).create(draft)),
    ]);
    expect([got.metadata.name, made.metadata.name]).toEqual(["a", "b"]);
  });

  test("by refusing a stream gets it again, whatever the verb", async () => {
    let calls = 0;
    const server = use(await serveH2((stream) => (calls++ === 0 ? stream.close(7) : json(stream, pod("a")))));
    expect((await pods(clientOf(server.url)).create(draft)).metadata.name).toBe("a");
    expect(calls).toBe(2);
  });

  test("in the middle of a read is asked again; in the middle of a write is an error, for it may have been done", async () => {
    let calls = 0;
    const server = use(
      await serveH2((stream, headers) => {
        calls++;
        if (headers[":method"] === "GET" && calls > 1) return json(stream, pod("a"));
        server.accepted.at(-1)?.destroy();
      }),
    );
    const client = clientOf(server.url);
    expect((await pods(client).get("a")).metadata.name).toBe("a");
    calls = 0;
    await expect(pods(client).create(draft)).rejects.toMatchObject({
      failure: "closed",
      unprocessed: false,
      message: expect.stringContaining("create pods in default: ") as string,
    });
    expect(calls).toBe(1);
  });

  test("without a word, its half-open connection is found by a ping that nobody answers", async () => {
    const server = use(await serveH2((stream) => stream.respond({ ":status": 200 })));
    const relay = use(await relayTo(server.url));
    const clock = new FakeClock();
    const watch = pods(clientOf(relay.url, { clock, readIdleMs: 30_000, pingTimeoutMs: 15_000 })).watch();
    await watch.open();
    relay.cut();
    const lost = expect(watch[Symbol.asyncIterator]().next()).rejects.toThrow(
      "gives no sign of life: a ping was not answered",
    );
    // the rest of the server's earlier answer may still come, which makes the client wait again
    await clock.advance(300_000);
    await lost;
  });

  test("a quiet watch on a healthy connection lives through pings", async () => {
    const server = use(
      await serveH2((stream) => {
        stream.respond({ ":status": 200 });
        let pings = 0;
        stream.session?.on("ping", () => {
          if (++pings === 3) stream.end(`${JSON.stringify({ type: "ADDED", object: pod("late") })}\n`);
        });
      }),
    );
    const names: string[] = [];
    for await (const event of pods(clientOf(server.url, { readIdleMs: 5, pingTimeoutMs: 10_000 })).watch()) {
      if (event.type === "ADDED") names.push(event.object.metadata.name);
    }
    expect(names).toEqual(["late"]);
  });

  test("that takes too long is given up after the timeout, and the stream is freed", async () => {
    let closed: Promise<unknown> | undefined;
    const server = use(await serveH2((stream) => void (closed = once(stream, "close"))));
    const call = pods(clientOf(server.url)).get("a", { timeoutMs: 30 });
    await expect(call).rejects.toMatchObject({
      failure: "timeout",
      message: "get pods default/a: no answer within 30 ms",
    });
    await closed;
  });

  test("that stops in the middle of a list is given up", async () => {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const server = use(
      await serveH2((stream, headers) => {
        if (String(headers[":path"]).endsWith("/a")) return json(stream, pod("a"));
        stream.respond({ ":status": 200 });
        stream.write('{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}},');
        begin();
      }),
    );
    const clock = new FakeClock();
    const client = clientOf(server.url, {}, { clock });
    const given = expect(pods(client).list({ timeoutMs: 500 })).rejects.toThrow(
      "list pods in default: the list stopped for 500 ms",
    );
    await begun;
    // on the same connection, this answer comes behind the beginning of the list
    await pods(client).get("a");
    await clock.advance(500);
    await given;
  });

  test("a silent watch ends when not even a bookmark comes", async () => {
    const server = use(await serveH2((stream) => stream.respond({ ":status": 200 })));
    const watch = pods(clientOf(server.url)).watch({ idleTimeoutMs: 20 });
    await expect(watch[Symbol.asyncIterator]().next()).rejects.toSatisfy((error) => isConnectionFailure(error, "idle"));
  });

  test("that nobody listens to is named, and the write is not lost if it comes back in time", async () => {
    const server = await serveH2((stream) => json(stream, pod("a")));
    await server[Symbol.asyncDispose]();
    const call = pods(clientOf(server.url, {}, { retry: { whenDisconnected: 1, baseMs: 1 } })).create(draft);
    await expect(call).rejects.toMatchObject({
      failure: "refused",
      message: `create pods in default: cannot connect to ${server.url}: ECONNREFUSED`,
    });
  });
});

describe("what is sent again", () => {
  test("429 and 503 with Retry-After are, for writes too; without it they are answers", async () => {
    const codes = [429, 503, 201];
    const server = use(
      await serveH2((stream) => {
        const code = codes.shift() ?? 429;
        if (code === 201) json(stream, pod("a"), 201);
        else json(stream, failure(code, "TooManyRequests"), code, codes.length > 0 ? { "retry-after": "0" } : {});
      }),
    );
    const client = clientOf(server.url);
    expect((await pods(client).create(draft)).metadata.name).toBe("a");
    await expect(pods(client).create(draft)).rejects.toMatchObject({ code: 429 });
  });

  test("a stack leads to the caller", async () => {
    const server = use(await serveH2((stream) => json(stream, failure(404, "NotFound"), 404)));
    const client = clientOf(server.url);
    async function theCaller(): Promise<void> {
      await pods(client).get("a");
    }
    const error = await theCaller().catch((caught: unknown) => caught);
    expect((error as Error).stack).toContain("theCaller");
    expect((error as Error).message).toBe("get pods default/a: NotFound (404 NotFound)");
  });

  test("an answer that comes before the request was read is the answer", async () => {
    const server = use(
      await serveH2((stream) => {
        stream.pause();
        stream.respond({ ":status": 413, "content-type": "application/json" });
        stream.end(JSON.stringify(failure(413, "RequestEntityTooLarge")), () => stream.close(0));
      }),
    );
    const maps = clientOf(server.url).resource(ConfigMap, { namespace: "default" });
    const call = maps.create({ metadata: { name: "a" }, data: { big: "x".repeat(8 * 1024 * 1024) } });
    await expect(call).rejects.toMatchObject({ code: 413 });
  });

  test("an answer from something that is no API server is told as it is", async () => {
    const server = use(
      await serveH2((stream) => {
        stream.respond({ ":status": 502, "content-type": "text/html" });
        stream.end("<html>Bad Gateway</html>");
      }),
    );
    await expect(pods(clientOf(server.url)).get("a")).rejects.toThrow(/get pods default\/a: .*Bad Gateway.* \(502/);
  });
});

describe("compressed answers", () => {
  const items = Array.from({ length: 5_000 }, (_, index) => ({ metadata: { name: `p${index}`, labels: { a: "ü" } } }));
  const packed = gzipSync(JSON.stringify({ ...emptyList, items }));

  test("are asked for, unpacked and streamed", async () => {
    const asked: unknown[] = [];
    const server = use(
      await serveH2((stream, headers) => {
        asked.push(headers["accept-encoding"]);
        stream.respond({ ":status": 200, "content-encoding": "gzip" });
        stream.end(packed);
      }),
    );
    const list = await pods(clientOf(server.url, { compression: true })).list();
    expect([list.items.length, list.items.at(-1)?.metadata.labels]).toEqual([5_000, { a: "ü" }]);
    expect(asked).toEqual(["gzip"]);
  });

  test("that are damaged or cut are errors", async () => {
    let body = Buffer.concat([packed.subarray(0, 100), Buffer.alloc(100)]);
    const server = use(
      await serveH2((stream) => {
        stream.respond({ ":status": 200, "content-encoding": "gzip" });
        stream.end(body);
      }),
    );
    const client = clientOf(server.url, { compression: true });
    await expect(pods(client).list()).rejects.toMatchObject({ failure: "malformed" });
    body = packed.subarray(0, packed.length >> 1);
    await expect(pods(client).list()).rejects.toBeInstanceOf(ConnectionError);
  });
});

test("a large object is sent and a large list is read through flow control", async () => {
  const big = "x".repeat(3 * 1024 * 1024);
  const server = use(
    await serveH2((stream, headers) => {
      if (headers[":method"] === "GET") {
        const items = Array.from({ length: 40 }, (_, index) => ({ metadata: { name: `c${index}` }, data: { big } }));
        return json(stream, { kind: "ConfigMapList", apiVersion: "v1", metadata: {}, items });
      }
      let size = 0;
      stream.on("data", (chunk: Buffer) => void (size += chunk.length));
      stream.on("end", () =>
        json(stream, { kind: "ConfigMap", apiVersion: "v1", metadata: { name: `${size > big.length}` } }),
      );
    }),
  );
  const maps = clientOf(server.url).resource(ConfigMap, { namespace: "default" });
  expect((await maps.create({ metadata: { name: "a" }, data: { big } })).metadata.name).toBe("true");
  let bytes = 0;
  for await (const item of maps.stream()) bytes += item.data?.["big"]?.length ?? 0;
  expect(bytes).toBe(40 * big.length);
});
