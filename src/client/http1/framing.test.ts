import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProtocolViolation } from "../transport/headers.js";
import { type BodyFraming, framingOf } from "./framing.js";

/** The body that is read from `wire` if it comes in pieces that end at these places, and the number of bytes taken. */
function read(framing: BodyFraming, wire: Buffer, cuts: readonly number[]): { body: string; taken: number } {
  let body = "";
  let taken = 0;
  const places = [...cuts.map((cut) => cut % (wire.length + 1)), wire.length].sort((a, b) => a - b);
  for (const end of places) {
    // something stands before the piece, as a head does
    const piece = Buffer.concat([Buffer.from("head"), wire.subarray(taken, end)]);
    if (framing.isDone) break;
    framing.take(piece, 4, piece.length);
    body += piece.toString("latin1", 4, framing.dataEnd);
    taken += framing.taken - 4;
  }
  return { body, taken };
}

const text = fc.string({ unit: fc.constantFrom("a", "0", "\r", "\n", ";", "é"), maxLength: 40 });
const cuts = fc.array(fc.nat(), { maxLength: 12 });
const chunk = fc.record({
  data: text.filter((data) => data !== ""),
  extension: fc.constantFrom("", ";a=b", ' ;name="x"', "  "),
  upper: fc.boolean(),
});

function chunked(chunks: readonly { data: string; extension: string; upper: boolean }[], trailer: string): string {
  const parts = chunks.map(({ data, extension, upper }) => {
    const size = data.length.toString(16);
    return `${upper ? size.toUpperCase() : `0${size}`}${extension}\r\n${data}\r\n`;
  });
  return `${parts.join("")}0\r\n${trailer}\r\n`;
}

describe("the framing of a body", () => {
  test("comes off whatever the chunks, their extensions, the trailer and the pieces are, and nothing behind is taken", () => {
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 6 }),
        fc.constantFrom("", "a: b\r\n", "a: b\r\nc: d\r\n"),
        text,
        cuts,
        (chunks, trailer, behind, places) => {
          const wire = chunked(chunks, trailer);
          const framing = framingOf("GET", 200, { "transfer-encoding": "Chunked" });
          const result = read(framing, Buffer.from(wire + behind, "latin1"), places);
          expect(result).toEqual({ body: chunks.map(({ data }) => data).join(""), taken: wire.length });
          expect(framing.isDone).toBe(true);
        },
      ),
    );
  });

  test("is the announced length, if there is one", () => {
    fc.assert(
      fc.property(text, text, cuts, (body, behind, places) => {
        const framing = framingOf("GET", 200, { "content-length": `${body.length}` });
        const result = read(framing, Buffer.from(body + behind, "latin1"), places);
        expect(result).toEqual({ body, taken: body.length });
        expect(framing.isDone).toBe(true);
      }),
    );
  });

  test("without either is the end of the connection", () => {
    const framing = framingOf("GET", 200, {});
    expect(read(framing, Buffer.from("abc"), [1])).toEqual({ body: "abc", taken: 3 });
    expect([framing.isDone, framing.endsWithConnection]).toEqual([false, true]);
  });

  for (const [method, status] of [
    ["HEAD", 200],
    ["GET", 204],
    ["GET", 304],
  ] as const)
    test(`there is none after ${method} and ${status}, whatever is announced`, () => {
      expect(framingOf(method, status, { "content-length": "10" }).isDone).toBe(true);
    });

  for (const wire of ["\r\n", "x\r\n", "5\n", "1\r\nab", "1\r\na\n", "fffffffffffff\r\n", "1 \rx", "-1\r\n"])
    test(`${JSON.stringify(wire)} is no chunk`, () => {
      const framing = framingOf("GET", 200, { "transfer-encoding": "chunked" });
      expect(() => read(framing, Buffer.from(wire), [])).toThrow(ProtocolViolation);
    });

  for (const headers of [
    { "content-length": "1a" },
    { "content-length": ["1", "2"] },
    { "content-length": "-1" },
    { "transfer-encoding": "gzip, chunked" },
    { "transfer-encoding": "identity" },
  ])
    test(`${JSON.stringify(headers)} is not believed`, () => {
      expect(() => framingOf("GET", 200, headers)).toThrow(ProtocolViolation);
    });
});
