import { describe, expect, test } from "vitest";
import type { DataFile } from "./folder.js";
import { Frames, framesOf, headRoom, sealFrame } from "./frame.js";

const id = Buffer.from("12345678");

/** A file of any length with these bytes from the offset on, and zeros before. It records the longest read. */
function fileFrom(offset: number, bytes: Buffer): DataFile & { longestRead: number } {
  const refuse = (): Promise<never> => Promise.reject(new Error("only read"));
  return {
    longestRead: 0,
    size: async () => offset + bytes.length,
    async read(into, position) {
      this.longestRead = Math.max(this.longestRead, into.length);
      const length = Math.max(Math.min(into.length, offset + bytes.length - position), 0);
      for (let i = 0; i < length; i++) into[i] = bytes[position + i - offset] ?? 0;
      return length;
    },
    write: refuse,
    truncate: refuse,
    sync: refuse,
    close: async () => {},
  };
}

function framesAt(offset: number, payloads: readonly Buffer[]): Buffer {
  let at = offset;
  const frames = payloads.map((payload) => {
    const frame = Buffer.concat([Buffer.alloc(headRoom), payload]);
    sealFrame(frame, id, at);
    at += frame.length;
    return frame;
  });
  return Buffer.concat(frames);
}

const payloads = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144].map((length) => Buffer.alloc(length, length));

async function allOf(frames: Frames): Promise<readonly Buffer[]> {
  const found: Buffer[] = [];
  for (let next = await frames.next(); next !== undefined; next = await frames.next()) found.push(Buffer.from(next));
  return found;
}

describe("frames", () => {
  test.each([0, 2 ** 31 - 20, 2 ** 32 - 20, 2 ** 40])(
    "from byte %d on are read whatever the size of a chunk, and no more than a chunk or a frame at once",
    async (offset) => {
      const bytes = framesAt(offset, payloads);
      for (let chunkBytes = 1; chunkBytes < 200; chunkBytes++) {
        const file = fileFrom(offset, bytes);
        const options = { form: framesOf(id), at: offset, end: offset + bytes.length, chunkBytes };
        expect(await allOf(new Frames(file, options))).toEqual(payloads);
        expect(file.longestRead).toBeLessThanOrEqual(Math.max(chunkBytes, headRoom + 144));
      }
    },
  );

  test("in another place, or of another file, are none", async () => {
    const bytes = framesAt(100, payloads);
    const count = async (at: number, of: Buffer): Promise<number> =>
      (await allOf(new Frames(fileFrom(at, bytes), { form: framesOf(of), at, end: at + bytes.length }))).length;
    expect([await count(100, id), await count(101, id), await count(100, Buffer.from("12345679"))]).toEqual([11, 0, 0]);
  });

  test("behind a torn one are found, at every place and size of chunk", async () => {
    for (let chunkBytes = headRoom; chunkBytes < 60; chunkBytes++) {
      for (let gap = 1; gap < 50; gap++) {
        const noise = Buffer.alloc(gap, 1);
        const options = { form: framesOf(id), at: 0, chunkBytes };
        const whole = Buffer.concat([noise, framesAt(gap, [Buffer.from("payload")])]);
        expect(await new Frames(fileFrom(0, whole), { ...options, end: whole.length }).hasMore()).toBe(true);
        const torn = whole.subarray(0, -1);
        expect(await new Frames(fileFrom(0, torn), { ...options, end: torn.length }).hasMore()).toBe(false);
      }
    }
  });
});
