import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { createAuthority } from "../../src/base/x509/certificate.js";
import { systemClock } from "../../src/base/index.js";
import { Client, isConnectionFailure } from "../../src/client/index.js";
import { httpTransport } from "../../src/client/http-transport.js";
import { clientOf, draft, pods, use } from "./over-tcp.js";
import { authority, json, pod, serveH1, serveH2, serveProxy, serveSocks } from "./servers.js";

describe("TLS", () => {
  const old = createAuthority({ commonName: "test-ca", now: systemClock.now() - 3 * 365 * 24 * 3_600_000 });
  const cases = [
    [
      "a wrong authority",
      { authority: createAuthority({ commonName: "other-ca", now: systemClock.now() }) },
      /not trusted here/,
    ],
    ["a wrong name", { hosts: ["example.test"] }, /does not match certificate's altnames/i],
  ] as const;
  for (const [what, options, message] of cases) {
    test(`${what} is refused and said`, async () => {
      const server = use(await serveH2((stream) => json(stream, pod("a")), options));
      const call = pods(clientOf(server.url)).get("a");
      await expect(call).rejects.toMatchObject({
        failure: "certificate",
        message: expect.stringMatching(message) as string,
      });
      await expect(pods(clientOf(server.url, { insecureSkipTlsVerify: true })).get("a")).resolves.toBeTruthy();
    });
  }

  test("an expired certificate is refused and said", async () => {
    const server = use(await serveH2((stream) => json(stream, pod("a")), { authority: old }));
    const client = clientOf(server.url, { tls: async () => ({ ca: old.certificate }) });
    await expect(pods(client).get("a")).rejects.toThrow("the server's certificate has expired (CERT_HAS_EXPIRED)");
  });

  test("the certificate may have another name, if that name is expected", async () => {
    const server = use(await serveH2((stream) => json(stream, pod("a")), { hosts: ["example.test"] }));
    const named = pods(clientOf(server.url, { tlsServerName: "example.test" }));
    expect((await named.get("a")).metadata.name).toBe("a");
  });

  test("a rotated client certificate is used for new requests, on a new connection", async () => {
    const seen: unknown[] = [];
    const server = use(
      await serveH2(
        (stream) => {
          const socket = stream.session?.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } };
          seen.push(socket.getPeerCertificate().subject.CN);
          json(stream, pod("a"));
        },
        { mutual: true },
      ),
    );
    const identity = (name: string) => {
      const { key, certificate } = authority.issue({ commonName: name, use: "client" });
      return { ca: authority.certificate, key, cert: certificate };
    };
    let current = identity("before");
    const http = use(httpTransport({ server: new URL(server.url), tls: async () => current }));
    const client = new Client({ transport: http.send });
    await pods(client).get("a");
    current = identity("after");
    await pods(client).get("a");
    await http.rotate();
    await pods(client).get("a");
    expect(seen).toEqual(["before", "before", "after"]);
  });

  test("a server that wants a client certificate is understood", async () => {
    const server = use(await serveH2((stream) => json(stream, pod("a")), { mutual: true }));
    const call = pods(clientOf(server.url, {}, { retry: { whenDisconnected: 0 } })).get("a");
    await expect(call).rejects.toMatchObject({ failure: "certificate" });
  });
});

describe("HTTP/1.1", () => {
  test("is spoken with a TLS server that has no HTTP/2, on kept connections", async () => {
    const server = use(await serveH1((_, response) => response.end(JSON.stringify(pod("a"))), { tls: true }));
    const client = clientOf(server.url);
    for (let i = 0; i < 3; i++) expect((await pods(client).get("a")).metadata.name).toBe("a");
    // the first connection only asked for the protocol
    expect(server.accepted.length).toBe(2);
  });

  test("is spoken where the URL says http, with bodies both ways and aborts that close", async () => {
    const received: string[] = [];
    const server = use(
      await serveH1((request, response) => {
        if (request.url?.includes("watch")) return response.writeHead(200).flushHeaders();
        request.setEncoding("utf8").on("data", (text: string) => received.push(text));
        request.on("end", () => response.end(JSON.stringify(pod("a"))));
      }),
    );
    const client = clientOf(server.url);
    await pods(client).create(draft);
    expect(JSON.parse(received.join(""))).toEqual({ kind: "Pod", apiVersion: "v1", metadata: { name: "a" } });
    const stop = new AbortController();
    const watch = pods(client).watch({ signal: stop.signal });
    await watch.open();
    const reading = watch[Symbol.asyncIterator]().next();
    const closed = once(server.accepted.at(-1) as never, "close");
    stop.abort();
    await expect(reading).rejects.toBe(stop.signal.reason);
    await closed;
  });

  test("a connection that breaks in the body is an error of the call", async () => {
    const server = use(
      await serveH1((_, response) => {
        response.writeHead(200, { "content-length": "1000" }).write("{");
        setImmediate(() => response.destroy());
      }),
    );
    const call = pods(clientOf(server.url, {}, { retry: { whenDisconnected: 0 } })).get("a");
    await expect(call).rejects.toMatchObject({ failure: "closed" });
  });
});

describe("proxies", () => {
  test("an HTTP proxy is asked to connect, with its user and password, and refusals are told without them", async () => {
    const server = use(await serveH2((stream) => json(stream, pod("a"))));
    let line = "200 OK";
    const proxy = use(await serveProxy(() => line));
    const at = new URL(proxy.url);
    at.username = "me";
    at.password = "hunter2";
    expect((await pods(clientOf(server.url, { proxy: at })).get("a")).metadata.name).toBe("a");
    expect(proxy.asked[0]).toContain(`Proxy-Authorization: Basic ${Buffer.from("me:hunter2").toString("base64")}`);
    line = "407 Proxy Authentication Required";
    const error = await pods(clientOf(server.url, { proxy: at }))
      .get("a")
      .catch((caught: Error) => caught);
    expect(isConnectionFailure(error, "proxy")).toBe(true);
    expect((error as Error).message).toContain("407 Proxy Authentication Required");
    expect((error as Error).message).not.toContain("hunter2");
  });

  test("a plain HTTP server behind one is asked for by whole URLs, without a tunnel", async () => {
    const asked: string[] = [];
    let code = 200;
    const proxy = use(
      await serveH1((request, response) => {
        asked.push(
          `${request.method} ${request.url} ${request.headers.host} ${request.headers["proxy-authorization"]}`,
        );
        response.writeHead(code).end(JSON.stringify(pod("a")));
      }),
    );
    const at = new URL(proxy.url);
    at.username = "me";
    at.password = "hunter2";
    const client = clientOf("http://server.test:8080/prefix", { proxy: at });
    expect((await pods(client).get("a")).metadata.name).toBe("a");
    const login = `Basic ${Buffer.from("me:hunter2").toString("base64")}`;
    const url = "http://server.test:8080/prefix/api/v1/namespaces/default/pods/a";
    expect(asked).toEqual([`GET ${url} server.test:8080 ${login}`]);
    code = 407;
    await expect(pods(client).get("a")).rejects.toMatchObject({ failure: "proxy", message: /407/ });
  });

  test("SOCKS 5 works, and a proxy that is not there is named as such", async () => {
    const server = use(await serveH2((stream) => json(stream, pod("a"))));
    const proxy = await serveSocks();
    const client = clientOf(server.url, { proxy: new URL(proxy.url) });
    expect((await pods(client).get("a")).metadata.name).toBe("a");
    expect(proxy.asked).toEqual([new URL(server.url).host]);
    await proxy[Symbol.asyncDispose]();
    await expect(pods(clientOf(server.url, { proxy: new URL(proxy.url) })).get("a")).rejects.toMatchObject({
      failure: "proxy",
    });
  });
});
