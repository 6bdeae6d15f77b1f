/** Proxies that lie, truncate or never end, between the client and its server: each request ends, with words about the proxy. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { FakeClock, Lifetime } from "../../src/base/index.js";
import { Client, ConnectionError, httpTransport } from "../../src/client/index.js";

let lifetime = new Lifetime();
afterEach(async () => {
  await lifetime[Symbol.asyncDispose]();
  lifetime = new Lifetime();
});

/** A proxy that answers the n-th piece that it hears with the n-th of these, and then ends, or stays silent. */
async function proxy(answers: readonly (string | Buffer)[], { ends = true } = {}): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let heard = 0;
    socket.on("error", () => {});
    socket.on("data", () => {
      const answer = answers[heard++];
      if (answer !== undefined) socket.write(answer);
      if (heard >= answers.length && ends) socket.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  lifetime.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

interface Way {
  readonly server?: string;
  readonly scheme?: string;
  readonly user?: string;
}

async function failure(port: number, { server = "https://server.test", scheme = "http", user = "" }: Way = {}) {
  const clock = new FakeClock();
  const way = new URL(`${scheme}://${user}127.0.0.1:${port}`);
  const transport = lifetime.use(httpTransport({ server: new URL(server), proxy: way, clock }));
  const client = new Client({ transport: transport.send, retry: { whenDisconnected: 0 } });
  const error = await client.getText("/").then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConnectionError);
  return (error as ConnectionError).message;
}

const established = "HTTP/1.1 200 Connection established\r\n\r\n";

describe("a tunnel", () => {
  test.each([
    ["nothing", [""], "it closed the connection"],
    ["half of a head", ["HTTP/1.1 200 Conn"], "it closed the connection"],
    ["another protocol", ["SSH-2.0-x\r\n\r\n"], "not HTTP"],
    ["a number that is none", ["HTTP/1.1 2e2 fine\r\n\r\n"], "not HTTP"],
    ["a redirection", ["HTTP/1.1 302 Found\r\nLocation: http://evil.test\r\n\r\n"], "302 Found"],
    ["information without end", ["HTTP/1.1 100 Continue\r\n\r\n"], "100 Continue"],
    ["a page instead of TLS", [`${established}<html>`, ""], "server.test"],
    ["an end instead of TLS", [established, ""], "server.test"],
  ])("of %s", async (_, answers, said) => {
    expect(await failure(await proxy(answers))).toContain(said);
  });

  test.each([
    ["an old version", [Buffer.from([4, 0])], "no way to log in"],
    ["a way that was not offered", [Buffer.from([5, 1])], "no way to log in"],
    ["a password that nobody offered", [Buffer.from([5, 2])], "no way to log in"],
    ["half of a reply", [Buffer.from([5, 0]), Buffer.from([5, 0, 0, 3, 200])], "it closed the connection"],
    ["a code that is none", [Buffer.from([5, 0]), Buffer.from([5, 77, 0, 1, 0, 0, 0, 0, 0, 0])], "code 77"],
  ])("by SOCKS of %s", async (_, answers, said) => {
    expect(await failure(await proxy(answers), { scheme: "socks5" })).toContain(said);
  });

  test.each(["%zz@", `${"u".repeat(256)}:p@`, `u:${"p".repeat(256)}@`])(
    "with a user that cannot be sent: %s",
    async (user) => {
      const port = await proxy([Buffer.from([5, 2]), Buffer.from([1, 0])]);
      expect(await failure(port, { scheme: "socks5", user })).toMatch(/its user|its password/);
    },
  );
});

describe("an answer through a proxy", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
  test.each([
    ["shorter than it says", `${head}Content-Length: 100\r\n\r\nabc`],
    ["of two lengths", `${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
    ["of a negative length", `${head}Content-Length: -3\r\n\r\nabc`],
    ["of a length and of pieces", `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`],
    ["whose piece is cut", `${head}Transfer-Encoding: chunked\r\n\r\nffffff\r\nabc`],
    ["whose piece has no size", `${head}Transfer-Encoding: chunked\r\n\r\n-1\r\nabc`],
  ])("%s", async (_, answer) => {
    expect(await failure(await proxy([answer]), { server: "http://server.test" })).not.toBe("");
  });
});

test("a proxy that says nothing is given up in time", async () => {
  const clock = new FakeClock();
  const port = await proxy([""], { ends: false });
  const way = new URL(`http://127.0.0.1:${port}`);
  const transport = lifetime.use(httpTransport({ server: new URL("https://server.test"), proxy: way, clock }));
  const client = new Client({ transport: transport.send, retry: { whenDisconnected: 0 } });
  const asked = expect(client.getText("/")).rejects.toThrow("no connection to https://server.test within 30000 ms");
  await expect.poll(() => clock.pendingTimers).toBeGreaterThan(0);
  await clock.advance(30_000);
  await asked;
});
