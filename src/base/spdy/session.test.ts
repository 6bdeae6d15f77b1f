import { type Duplex, duplexPair } from "node:stream";
import { constants, createDeflate, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { busyClock } from "../../../test/busy-clock.js";
import { controlFrame, dataHead, SpdyFrameReader, frameType, numbers } from "./frames.js";
import { HeaderReader, HeaderWriter } from "./headers.js";
import { SpdySession, type SpdyStream } from "./session.js";

async function textOf(stream: Duplex): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function pair(onStream: (stream: SpdyStream) => unknown, maxStreams = 1_000) {
  const [here, there] = duplexPair();
  const client = new SpdySession(here, { side: "client" });
  const server = new SpdySession(there, { side: "server", onStream, maxStreams });
  return {
    client,
    server,
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      server.destroy();
      await Promise.all([client.done, server.done]);
    },
  };
}

describe("a session", () => {
  test("carries streams whose directions end one by one", async () => {
    await using sides = pair(async (stream) => {
      const heard = await textOf(stream);
      stream.end(`${stream.headers.get("name")} heard ${heard.length}`);
    });
    const streams = await Promise.all(["a", "b"].map((name) => sides.client.open(new Map([["Name", name]]))));
    for (const stream of streams) stream.end("x".repeat(100_000));
    expect(await Promise.all(streams.map(textOf))).toEqual(["a heard 100000", "b heard 100000"]);
    await sides.client.close();
    await sides.server.done;
  });

  test("a stream that is not read holds up its sender", async () => {
    const kept: SpdyStream[] = [];
    await using sides = pair((stream) => kept.push(stream));
    const stream = await sides.client.open(new Map());
    let sent = 0;
    const flood = new Promise<void>((resolve) => {
      const more = (): void => {
        while (sent < 100) {
          sent++;
          if (!stream.write(Buffer.alloc(64 * 1024))) return void stream.once("drain", more);
        }
        resolve();
      };
      more();
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBeLessThan(20);
    kept[0]?.resume();
    await flood;
  });

  test("cancelling a stream leaves the others", async () => {
    const theirs: SpdyStream[] = [];
    await using sides = pair((stream) => theirs.push(stream));
    const [one, two] = await Promise.all([sides.client.open(new Map()), sides.client.open(new Map())]);
    one?.destroy();
    two?.end("still here");
    expect(await textOf(theirs[1] as SpdyStream)).toBe("still here");
    expect(theirs[0]?.destroyed).toBe(true);
  });

  test("refuses more streams than its limit", async () => {
    await using sides = pair(() => {}, 1);
    await sides.client.open(new Map());
    await expect(sides.client.open(new Map())).rejects.toThrow("the other side cancelled the stream");
  });

  test("ends all streams when the connection does", async () => {
    await using sides = pair(() => {});
    const stream = await sides.client.open(new Map());
    const closed = new Promise((resolve) => stream.once("close", resolve));
    sides.server.destroy();
    sides.client.destroy();
    await closed;
    await expect(sides.client.open(new Map())).rejects.toThrow("the connection is closed");
  });

  test("ends with its connection although a stream is not read", async () => {
    const kept: SpdyStream[] = [];
    await using sides = pair((stream) => kept.push(stream));
    const stream = await sides.client.open(new Map());
    stream.write(Buffer.alloc(500_000));
    await new Promise((resolve) => setImmediate(resolve));
    sides.client.destroy();
    sides.server.destroy();
    await sides.server.done;
    expect(kept[0]?.destroyed).toBe(true);
  });

  test("takes a flood of frames in slices", async () => {
    const [here, there] = duplexPair();
    const server = new SpdySession(there, { side: "server", clock: busyClock() });
    let heard = 0;
    here.on("data", (bytes: Buffer) => (heard += bytes.length));
    const ping = controlFrame(frameType.ping, numbers(7));
    here.write(Buffer.concat(Array.from({ length: 1_000 }, () => ping)));
    let turns = 0;
    for (; heard < 1_000 * ping.length; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(turns).toBeGreaterThan(50);
    here.destroy();
    server.destroy();
    await server.done;
  });

  test("answers the pings of the other side", async () => {
    const [here, there] = duplexPair();
    const server = new SpdySession(there, { side: "server" });
    here.write(controlFrame(frameType.ping, numbers(7)));
    const [answer] = (await new Promise((resolve) => here.once("data", (bytes) => resolve([bytes])))) as [Buffer];
    expect(answer).toEqual(controlFrame(frameType.ping, numbers(7)));
    here.destroy();
    server.destroy();
    await server.done;
  });

  test.each([
    ["a version that it does not know", Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0])],
    ["a control frame without end", Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff])],
    ["a header block that is no zlib", controlFrame(frameType.open, Buffer.alloc(20))],
  ])("closes the connection for %s", async (_what, bytes) => {
    const [here, there] = duplexPair();
    here.on("error", () => {}).resume();
    const server = new SpdySession(there, { side: "server", onStream: () => {} });
    here.write(bytes);
    await server.done;
    expect(there.destroyed).toBe(true);
    here.destroy();
  });
});

describe("header blocks", () => {
  test("are read as another compressor writes them, one after the other", async () => {
    const deflate = createDeflate();
    const chunks: Buffer[] = [];
    deflate.on("data", (chunk: Buffer) => chunks.push(chunk));
    const reader = new HeaderReader();
    for (const value of ["stdin", "stdout", "stdin"]) {
      const writer = new HeaderWriter();
      const text = writer.write(new Map([["streamtype", value]])).subarray(2 + 5, -5);
      deflate.write(text);
      await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()));
      expect(reader.read(Buffer.concat(chunks.splice(0)))).toEqual(new Map([["streamtype", value]]));
    }
    deflate.destroy();
  });

  test("are read as Go's library writes them, with the dictionary", () => {
    const bytes =
      "800300010000003d0000000100000000000078f9e3c6a7c202253a703a2b294a4dcc851625aca9a0808614cb45a024cc6461c0c0c0c0590489" +
      "c44c50e2663400000000ffff800300010000001800000003000000000000c2aa15540a2512d209000000ffff";
    const reader = new HeaderReader();
    const read = [...new SpdyFrameReader().read(Buffer.from(bytes, "hex"))].map((frame) =>
      frame.type === "control" ? Object.fromEntries(reader.read(frame.payload.subarray(10))) : frame,
    );
    expect(read).toEqual(["error", "data"].map((streamtype) => ({ streamtype, port: "80", requestid: "0" })));
  });

  test("a small block that becomes a large one is refused", async () => {
    const deflate = createDeflate();
    const chunks: Buffer[] = [];
    deflate.on("data", (chunk: Buffer) => chunks.push(chunk));
    deflate.end(Buffer.alloc(1024 * 1024));
    await new Promise((resolve) => deflate.once("end", resolve));
    expect(() => new HeaderReader().read(Buffer.concat(chunks))).toThrow(/larger than/);
  });

  test("a block of very many headers is refused", () => {
    const deflated = deflateRawSync(Buffer.concat([numbers(101), Buffer.alloc(8 * 101)]));
    expect(() => new HeaderReader().read(Buffer.concat([Buffer.of(0x78, 0x01), deflated]))).toThrow("has 101 headers");
  });

  test("any bytes are headers or an error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(new HeaderReader().read(Uint8Array.of(0x78, 0x01, ...bytes))).toBeInstanceOf(Map);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(TypeError);
        }
      }),
    );
  });
});

test("frames are the same, however their bytes are cut", () => {
  const bytes = Buffer.concat([
    dataHead(1, 5, false),
    Buffer.from("hello"),
    controlFrame(frameType.ping, numbers(1)),
    dataHead(3, 0, true),
    dataHead(1, 3, true),
    Buffer.from("end"),
  ]);
  const joined = (cuts: readonly number[]): string => {
    const reader = new SpdyFrameReader();
    const places = [...new Set(cuts)].sort((a, b) => a - b);
    let text = "";
    let from = 0;
    for (const to of [...places, bytes.length]) {
      for (const frame of reader.read(bytes.subarray(from, to))) {
        text +=
          frame.type === "control" ? `<${frame.kind}>` : frame.bytes.toString() + (frame.fin ? `|${frame.id}` : "");
      }
      from = to;
    }
    return text;
  };
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      expect(joined(cuts)).toBe("hello<6>|3end|1");
    }),
  );
});
