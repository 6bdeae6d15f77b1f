import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type FrameHead,
  FrameReader,
  frame,
  frameFlags,
  frameTypes,
  numberFrame,
  settingsFrame,
  unpadded,
} from "./frames.js";
import { ProtocolViolation } from "../transport/headers.js";

const head: fc.Arbitrary<FrameHead> = fc.record({
  type: fc.integer({ min: 0, max: 12 }),
  flags: fc.integer({ min: 0, max: 255 }),
  stream: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
});
const frames = fc.array(fc.record({ head, payload: fc.uint8Array({ maxLength: 60 }) }), { maxLength: 8 });

/** A reader's results for bytes that come in these pieces; the pieces of DATA are joined again. */
function readInPieces(bytes: Buffer, cuts: readonly number[]): unknown[] {
  const seen: unknown[] = [];
  let data: Buffer[] = [];
  const reader = new FrameReader(
    {
      frame: (at, payload) => seen.push({ head: at, payload: payload.toString("hex") }),
      data(at, piece, last) {
        data.push(piece);
        if (!last) return;
        seen.push({ head: at, payload: Buffer.concat(data).toString("hex") });
        data = [];
      },
    },
    1000,
  );
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  for (let i = 1; i < places.length; i++) reader.push(bytes.subarray(places[i - 1], places[i]));
  return seen;
}

describe("frames", () => {
  test("survive any chunking", () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(), { maxLength: 20 }), (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(({ head: at, payload }) => frame(at, payload)));
        const expected = sent.map((one) => ({ head: one.head, payload: Buffer.from(one.payload).toString("hex") }));
        expect(readInPieces(bytes, cuts)).toEqual(expected);
      }),
    );
  });

  test("of every single byte by itself are the same frames", () => {
    const bytes = Buffer.concat([settingsFrame([[3, 100]]), numberFrame(frameTypes.windowUpdate, 5, 77)]);
    expect(readInPieces(bytes, [...bytes.keys()])).toEqual(readInPieces(bytes, []));
  });

  test("that are larger than was agreed are refused before they are kept", () => {
    const reader = new FrameReader({ frame: () => {}, data: () => {} }, 1000);
    const start = frame({ type: 1, flags: 0, stream: 1 }, Buffer.alloc(1001)).subarray(0, 9);
    expect(() => reader.push(start)).toThrow(ProtocolViolation);
  });
});

describe("padding and priority", () => {
  const { padded, priority } = frameFlags;
  const cases = [
    ["none", 0, [1, 2, 3], [1, 2, 3]],
    ["padding", padded, [2, 7, 8, 0, 0], [7, 8]],
    ["priority", priority, [0, 0, 0, 0, 16, 9], [9]],
    ["both", padded | priority, [1, 0, 0, 0, 0, 16, 9, 0], [9]],
  ] as const;
  for (const [name, flags, payload, expected] of cases) {
    test(`${name}: only the contents are left`, () => {
      expect([...unpadded({ type: frameTypes.headers, flags, stream: 1 }, Buffer.from(payload))]).toEqual(expected);
    });
  }

  test("more padding than there is payload is a violation", () => {
    expect(() => unpadded({ type: 0, flags: padded, stream: 1 }, Buffer.from([3, 0, 0]))).toThrow(ProtocolViolation);
  });
});
