import type { IncomingMessage } from "node:http";
import { duplexPair } from "node:stream";
import { expect, test } from "vitest";
import { sendMessages } from "../../src/apiserver/listen/web-socket.js";

const request = {
  method: "GET",
  url: "/api/v1/pods?watch=1",
  headers: {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16, 7).toString("base64"),
  },
} as unknown as IncomingMessage;

/** A masked ping with 125 bytes, the most that a control frame holds. */
const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125]), Buffer.alloc(4), Buffer.alloc(125)]);

test("pings of a client that does not read are answered up to a limit", async () => {
  const [ours, theirs] = duplexPair();
  // members of a socket that a WebSocket calls
  for (const name of ["setTimeout", "setNoDelay"]) Object.assign(ours, { [name]: () => ours });
  const never = (async function* () {
    await new Promise<void>((resolve) => void ours.once("close", resolve));
    yield* [] as Uint8Array[];
  })();
  const head = Buffer.alloc(0);
  const sending = sendMessages({ request, socket: ours, head }, "watch", { status: 200, headers: {}, body: never });
  for (let i = 0; i < 10_000; i++) {
    if (!theirs.write(ping)) await new Promise<void>((resolve) => void theirs.once("drain", resolve));
  }
  expect(ours.writableLength).toBeGreaterThan(0);
  expect(ours.writableLength).toBeLessThan(100_000);
  ours.destroy();
  theirs.destroy();
  await sending;
});
