import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { type Run, webSocketProcess } from "./channels.js";

const streams = { stdin: false, stdout: true, stderr: true, tty: false };

/** The messages of each channel, for a client that offers the protocol. */
async function outputs(protocol: string, run: Run): Promise<Readonly<Record<number, string>>> {
  const server = createServer();
  const { signal } = new AbortController();
  server.on(
    "upgrade",
    (request, socket, head) => void webSocketProcess({ request, socket, head, signal }, streams, run),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, protocol);
  const texts: Record<number, string> = {};
  client.on("message", (message: Buffer) => {
    const [channel = 0] = message;
    texts[channel] = (texts[channel] ?? "") + message.subarray(1).toString();
  });
  await once(client, "close");
  server.close();
  await once(server, "close");
  expect(client.protocol).toBe(protocol);
  return texts;
}

const exits =
  (code: number): Run =>
  ({ stdout }) => {
    stdout?.write("out");
    return Promise.resolve(code);
  };

test("a process tells of its end by a Status, and by its message alone in the first protocol", async () => {
  const message = "command terminated with non-zero exit code: exit status 3";
  const { 1: out, 3: status = "" } = await outputs("v4.channel.k8s.io", exits(3));
  expect(out).toBe("out");
  expect(JSON.parse(status)).toMatchObject({ status: "Failure", message, reason: "NonZeroExitCode" });
  expect(await outputs("channel.k8s.io", exits(3))).toEqual({ 1: "out", 3: message });
  expect(await outputs("channel.k8s.io", exits(0))).toEqual({ 1: "out" });
});
