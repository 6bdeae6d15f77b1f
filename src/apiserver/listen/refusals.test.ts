import { PassThrough } from "node:stream";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { Refusals } from "./refusals.js";

/** Gives the first line of the answer that a connection gets after this error. */
async function answerTo(code: string): Promise<string> {
  const socket = Object.assign(new PassThrough(), { bytesRead: 0 });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  new Refusals().refuse(Object.assign(new Error(code), { code }), socket as unknown as Socket);
  await closed;
  return Buffer.concat(chunks).toString().split("\r\n")[0] ?? "";
}

test("only a request that cannot be parsed is answered; a handshake that took too long is not the request's fault", async () => {
  expect(await answerTo("HPE_INVALID_METHOD")).toBe("HTTP/1.1 400 Bad Request");
  expect(await answerTo("HPE_HEADER_OVERFLOW")).toBe("HTTP/1.1 431 Request Header Fields Too Large");
  expect(await answerTo("ERR_TLS_HANDSHAKE_TIMEOUT")).toBe("");
});
