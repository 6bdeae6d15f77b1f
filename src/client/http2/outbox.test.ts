import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { frame, frameTypes } from "./frames.js";
import { Outbox } from "./outbox.js";

const pong = frame({ type: frameTypes.ping, flags: 1, stream: 0 }, Buffer.alloc(8));
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Takes everything, and has it read by the other side only if `reads`. */
function socketThat(reads: boolean): Socket {
  const socket = {
    destroyed: false,
    writableLength: 0,
    bytesWritten: 0,
    write(bytes: Buffer) {
      socket.bytesWritten += bytes.length;
      if (!reads) socket.writableLength += bytes.length;
    },
  };
  return socket as unknown as Socket;
}

test("a server that asks for signs of life, however slowly, and does not read them is told no more", async () => {
  const outbox = new Outbox(socketThat(false), () => false);
  let answered = 0;
  const ask = async (): Promise<void> => {
    for (; answered < 100_000; answered++) {
      outbox.reply(pong);
      if (answered % 1_000 === 0) await turn();
    }
  };
  await expect(ask()).rejects.toThrow(/does not read 1048576 bytes of answers to PING and SETTINGS/);
  expect(answered).toBe(Math.floor(2 ** 20 / pong.length));
});

test("one that reads may go on asking, and gets each answer", async () => {
  const socket = socketThat(true);
  const outbox = new Outbox(socket, () => false);
  for (let answered = 0; answered < 100_000; answered++) {
    outbox.reply(pong);
    if (answered % 1_000 === 0) await turn();
  }
  await turn();
  expect(socket.bytesWritten).toBe(100_000 * pong.length);
});
