import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { ConfigMap } from "../../api/index.js";
import { seededRandom } from "../../base/index.js";
import { connect } from "../connect.js";
import { connectReusing, released } from "./read-buffers.js";

const random = seededRandom(5);

/** A watch of many events, in chunks of any size, some of which come at once. */
async function startServer(events: number): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((_request, response) => {
    void (async () => {
      response.writeHead(200, { "content-type": "application/json" });
      let text = "";
      for (let i = 0; i < events; i++) {
        const object = {
          kind: "ConfigMap",
          apiVersion: "v1",
          metadata: { name: `m${i}`, namespace: "n", resourceVersion: `${i + 1}` },
          data: { text: `${i}-`.repeat(random.int(400)) },
        };
        text += `${JSON.stringify({ type: "ADDED", object })}\n`;
        if (text.length < random.int(300_000)) continue;
        if (!response.write(text)) await once(response, "drain");
        text = "";
      }
      response.end(text);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

test("however slowly and unevenly a stream is read, its bytes stay what they were until they are understood", async () => {
  const events = 6000;
  await using server = await startServer(events);
  await using client = await connect({ master: server.url });
  const read = async (patience: () => boolean): Promise<void> => {
    let next = 0;
    for await (const { type, object } of client.resource(ConfigMap, { namespace: "n" }).watch({})) {
      if (type === "BOOKMARK") continue;
      expect(object.metadata.name).toBe(`m${next}`);
      const text = object.data?.["text"] ?? "";
      expect(text).toBe(`${next}-`.repeat(text.length / `${next}-`.length));
      next += 1;
      if (patience()) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(next).toBe(events);
  };
  await Promise.all([read(() => false), read(() => random.next() < 0.05), read(() => random.next() < 0.3)]);
});

test("memory is used again once every byte read into it was released, and not before", async () => {
  const server = createServer((_request, response) => response.end("x".repeat(20_000)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  /** One connection that reads two answers; between them it does with the first what it is told. */
  const memories = async (between: (chunk: Buffer) => void): Promise<Set<unknown>> => {
    const socket = connectReusing({ host: "127.0.0.1", port });
    const seen = new Set<unknown>();
    for (let i = 0; i < 6; i++) {
      socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      for (let length = 0; length < 20_000; ) {
        const [chunk] = (await once(socket, "data")) as [Buffer];
        seen.add(chunk.buffer);
        length += chunk.length;
        between(chunk);
      }
    }
    socket.destroy();
    return seen;
  };
  const kept = await memories(() => {});
  const reused = await memories((chunk) => released(chunk));
  expect(reused.size).toBeLessThan(kept.size);
  expect([...kept].filter((memory) => reused.has(memory))).toEqual([]);
  const partly = await memories((chunk) => released(chunk.subarray(1)));
  expect(partly.size).toBeGreaterThan(reused.size);
  server.close();
  server.closeAllConnections();
});
