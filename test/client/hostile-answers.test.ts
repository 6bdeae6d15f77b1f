import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { Pod } from "../../src/api/index.js";
import { type HttpHeaders, Lifetime } from "../../src/base/index.js";
import {
  type AnswerLimits,
  type Channel,
  Client,
  type HttpTransportOptions,
  httpTransport,
} from "../../src/client/index.js";

const kibibyte = 1024;
const limits: AnswerLimits = { objectBytes: 256 * kibibyte, answerBytes: 512 * kibibyte, listBytes: 1024 * kibibyte };

let lifetime = new Lifetime();
afterEach(async () => {
  await lifetime[Symbol.asyncDispose]();
  lifetime = new Lifetime();
});

interface Endless {
  readonly client: Client;
  /** The number of bytes that the client was given. */
  readonly sent: () => number;
}

/** A client whose server answers with a beginning, and then with the same piece for ever; each request with the next beginning. */
function endless(
  beginning: (request: number) => string,
  piece: string,
  { status = 200, headers = {} as HttpHeaders } = {},
): Endless {
  let sent = 0;
  let requests = 0;
  async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
    yield Buffer.from(beginning(requests++));
    if (piece === "") return;
    for (const bytes = Buffer.from(piece.repeat(Math.ceil(16_384 / piece.length))); ; sent += bytes.length) yield bytes;
  }
  const transport = () => Promise.resolve({ status, headers, body: body() });
  return { client: new Client({ transport, limits, retry: { whenAsked: 3 } }), sent: () => sent };
}

const read = async (stream: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of stream);
};
const item = JSON.stringify({ metadata: { name: "a" }, spec: { note: "x".repeat(300) } });
const listed = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[';

describe("what has no end is given up at the limit that the error names", () => {
  for (const [what, server, call, limit] of [
    [
      "an object",
      endless(() => '{"a":"', "x"),
      ({ client }) => client.resource(Pod, { namespace: "a" }).get("a"),
      "answerBytes",
    ],
    ["a text", endless(() => "", "x"), ({ client }) => client.getText("/version"), "answerBytes"],
    ["a refusal", endless(() => "no", "x", { status: 403 }), ({ client }) => client.getText("/version"), "answerBytes"],
    [
      "a list's item",
      endless(() => `${listed}{"a":"`, "x"),
      ({ client }) => client.resource(Pod).list(),
      "objectBytes",
    ],
    [
      "a list's items",
      endless(() => `${listed}${item}`, `,${item}`),
      ({ client }) => client.resource(Pod).list(),
      "listBytes",
    ],
    [
      "the rest of a list",
      endless(() => '{"metadata":{"a":"', "x"),
      ({ client }) => client.resource(Pod).list(),
      "answerBytes",
    ],
    [
      "nothing among a list's items",
      endless(() => listed, " "),
      ({ client }) => client.resource(Pod).list(),
      "listBytes",
    ],
    [
      "a watch's event",
      endless(() => '{"type":"ADDED","object":{"a":"', "x"),
      ({ client }) => read(client.resource(Pod).watch()),
      "objectBytes",
    ],
    [
      "the list that a watch begins with",
      endless(() => "", `{"type":"ADDED","object":${item}}\n`),
      ({ client }) => read(client.resource(Pod).watch({ sendInitialEvents: true })),
      "listBytes",
    ],
    [
      "a list of objects that are nothing",
      endless(() => `${listed}{}`, ",{}"),
      ({ client }) => client.resource(Pod).list(),
      "listBytes",
    ],
    ["a log's line", endless(() => "", "x"), ({ client }) => read(client.pods("a").logs("a").lines()), "objectBytes"],
  ] as readonly (readonly [string, Endless, (server: Endless) => Promise<unknown>, keyof AnswerLimits])[])
    test(what, async () => {
      await expect(call(server)).rejects.toMatchObject({
        failure: "oversized",
        message: expect.stringContaining(`has more than ${limits[limit]} bytes, the client's limits.${limit}`),
      });
      expect(server.sent()).toBeLessThan(2 * limits[limit]);
    });

  test("a watch after the list that it began with has no end", async () => {
    const end = '{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}\n';
    const { client } = endless(() => end, `{"type":"ADDED","object":${item}}\n`);
    let events = 0;
    for await (const _ of client.resource(Pod).watch({ sendInitialEvents: true })) if (++events === 10_000) break;
    expect(events * item.length).toBeGreaterThan(2 * limits.listBytes);
  });

  const page = (count: number, request: number): string =>
    `${listed.replace('"1"', `"1","continue":"${request}"`)}${Array.from({ length: count }, () => item).join()}]}`;

  test("a list's pages", async () => {
    const { client } = endless((request) => page(100, request), "");
    await expect(client.resource(Pod).listAll()).rejects.toMatchObject({ failure: "oversized", message: /listBytes/ });
  });

  test("pages without items", async () => {
    const { client } = endless((request) => page(0, request), "");
    await expect(client.resource(Pod).listAll()).rejects.toThrow(/100 pages of the list are empty/);
    await expect(read(client.resource(Pod).each())).rejects.toThrow(/100 pages of the list are empty/);
  });

  test("the wait that a server asks for", async () => {
    const { client } = endless(() => "busy", "", { status: 503, headers: { "retry-after": "999999999999" } });
    await expect(client.getText("/version")).rejects.toThrow(/503/);
  });

  test("the output of a command", async () => {
    let isOpen = true;
    async function* messages(): AsyncGenerator<Uint8Array, void, undefined> {
      while (isOpen) yield Buffer.concat([Buffer.from([1]), Buffer.alloc(16_384)]);
    }
    const close = async (): Promise<void> => void (isOpen = false);
    const channel: Channel = {
      protocol: "v5.channel.k8s.io",
      messages: messages(),
      send: async () => {},
      close,
      [Symbol.asyncDispose]: close,
    };
    const client = new Client({
      transport: () => Promise.reject(new Error("unused")),
      limits,
      openChannel: async () => channel,
    });
    await expect(client.pods("a").run("a", { command: ["yes"] })).rejects.toMatchObject({ failure: "oversized" });
  });
});

describe("JSON of another shape than promised is refused as malformed", () => {
  const bookmark = "not a watch event: a bookmark without metadata";
  const event = "not a watch event: an event without an object";
  for (const [line, message] of [
    ['{"type":"BOOKMARK","object":null}', bookmark],
    ['{"type":"BOOKMARK","object":{}}', bookmark],
    ['{"type":"BOOKMARK","object":[]}', bookmark],
    ['{"type":"BOOKMARK","object":{"metadata":null}}', bookmark],
    ['{"type":"ADDED","object":null}', event],
    ['{"type":"MODIFIED","object":[]}', event],
    ["null", "not a watch event: null"],
  ] as const)
    test.each([true, false])(`the event ${line}, initial events asked for: %s`, async (sendInitialEvents) => {
      const { client } = endless(() => `${line}\n`, "");
      const watch = client.resource(Pod).watch({ sendInitialEvents });
      await expect(read(watch)).rejects.toMatchObject({
        failure: "malformed",
        message: expect.stringContaining(message),
      });
    });

  test.each(["null", "[]", '"a"', "1"])("the list %s", async (body) => {
    const { client } = endless(() => body, "");
    await expect(client.resource(Pod).list()).rejects.toMatchObject({
      failure: "malformed",
      message: expect.stringContaining(`it has no metadata: ${body}`),
    });
  });
});

/** A server on a socket that answers each request by the same bytes, then by `piece` for as long as it is read. */
async function serve(
  head: string,
  piece: Buffer | undefined,
  options: Partial<HttpTransportOptions> = {},
): Promise<Client> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(head, "latin1");
      const more = (): void => {
        while (piece !== undefined && !socket.destroyed && socket.write(piece));
      };
      socket.on("drain", more);
      more();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  lifetime.defer(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const transport = lifetime.use(httpTransport({ server: url, ...options }));
  return new Client({ transport: transport.send, limits, retry: { whenDisconnected: 0 } });
}

describe("over HTTP/1.1", () => {
  const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  for (const [what, head, piece, message] of [
    ["a body without end", "HTTP/1.1 200 OK\r\n\r\n", "x".repeat(65_536), /limits\.answerBytes/],
    ["chunks without end", chunked, `1000\r\n${"x".repeat(4096)}\r\n`, /limits\.answerBytes/],
    ["a chunk without end", `${chunked}ffffffffff\r\n`, "x".repeat(65_536), /limits\.answerBytes/],
    ["headers without end", "HTTP/1.1 200 OK\r\n", "a: b\r\n", /headers of more than 262144 bytes/],
    ["a header without end", "HTTP/1.1 200 OK\r\na: ", "b".repeat(65_536), /headers of more than 262144 bytes/],
    ["announcements without end", "", "HTTP/1.1 103 Early Hints\r\n\r\n", /more than 64 informational answers/],
    ["an extension without end", `${chunked}5;`, "x".repeat(1000), /extension of more than 4096 bytes/],
    ["a trailer without end", `${chunked}0\r\n`, "a: b\r\n", /trailer of more than 65536 bytes/],
  ] as const)
    test(`${what} is given up, and the connection with it`, async () => {
      const client = await serve(head, Buffer.from(piece.repeat(Math.ceil(16_384 / piece.length))));
      await expect(client.getText("/")).rejects.toThrow(message);
    });

  test("what is small because it is compressed counts as what it is", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * kibibyte));
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`;
    const client = await serve(head + bomb.toString("latin1"), undefined, { compression: true });
    await expect(client.getText("/")).rejects.toThrow(/limits\.answerBytes/);
  });

  test("a proxy whose reply has no end is given up", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      const more = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, "b")));
      };
      socket.on("drain", more);
      socket.once("data", more);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    lifetime.defer(() => void server.close());
    const proxy = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const transport = lifetime.use(httpTransport({ server: new URL("https://server.test"), proxy }));
    const client = new Client({ transport: transport.send, retry: { whenDisconnected: 0 } });
    await expect(client.getText("/")).rejects.toThrow(/its reply has more than 65536 bytes/);
  });
});

test("the limits are the client's to set", async () => {
  const body = Buffer.alloc(100, "x");
  const client = new Client({
    transport: async () => ({ status: 200, headers: {}, body }),
    limits: { answerBytes: 99 },
  });
  await expect(client.getText("/")).rejects.toThrow(
    "get /: the answer has more than 99 bytes, the client's limits.answerBytes",
  );
});
