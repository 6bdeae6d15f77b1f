import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Pod } from "../../api/generated/core-v1.js";
import { type Clock, type HttpBody, type HttpRequest, systemClock, type Transport } from "../../base/index.js";
import { busyClock } from "../../../test/busy-clock.js";
import { isExpired } from "../../api/errors/status-guards.js";
import { Client } from "../client.js";
import { isConnectionFailure } from "../failure.js";
import type { WatchEvent } from "../../api/watch-event.js";

const sent: HttpRequest[] = [];

function answering(body: HttpBody | ((request: HttpRequest) => HttpBody), clock: Clock = systemClock): Client {
  sent.length = 0;
  const transport: Transport = async (request) => {
    sent.push(request);
    return { status: 200, headers: {}, body: typeof body === "function" ? body(request) : body };
  };
  return new Client({ transport, clock });
}

/** The bytes cut at the given places, which may lie inside a character. */
async function* cut(bytes: Buffer, places: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const place of [...places].toSorted((a, b) => a - b)) {
    const to = Math.min(place, bytes.length);
    // copied, and overwritten after use, as a transport that reuses its buffers would
    const chunk = Buffer.from(bytes.subarray(from, to));
    yield chunk;
    chunk.fill(0x7b);
    from = to;
  }
  yield bytes.subarray(from);
}

const pod = (name: string, note: string): object => ({ metadata: { name, namespace: "a", annotations: { note } } });
const whole = (name: string, note: string): object => ({ kind: "Pod", apiVersion: "v1", ...pod(name, note) });
const awkward = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('"items":[{', "\\", '"', "}]}", "\n", "日本🚀"),
);

describe("a list stream", () => {
  test("gives the same items however the bytes are cut, metadata first or last", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(awkward, { maxLength: 6 }),
        fc.array(fc.nat(900), { maxLength: 12 }),
        fc.boolean(),
        fc.constantFrom(undefined, 1),
        async (notes, places, first, indent) => {
          const items = notes.map((note, index) => pod(`p${index}`, note));
          const metadata = { resourceVersion: "7", continue: "c" };
          const list = first
            ? { kind: "PodList", apiVersion: "v1", metadata, items }
            : { apiVersion: "v1", items, kind: "PodList", metadata };
          const bytes = Buffer.from(JSON.stringify(list, undefined, indent));
          const got = await answering(() => cut(bytes, places))
            .resource(Pod)
            .list();
          const complete = notes.map((note, index) => whole(`p${index}`, note));
          expect(got).toEqual({ kind: "PodList", apiVersion: "v1", metadata, items: complete });
        },
      ),
    );
  });

  test("fills in kind and version first, as they stand in an object that came alone", async () => {
    const body = Buffer.from(
      JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items: [pod("a", "")] }),
    );
    const { items } = await answering(body).resource(Pod).list();
    expect(Object.keys(items[0] ?? {})).toEqual(["kind", "apiVersion", "metadata"]);
  });

  test("takes `items: null` for no items", async () => {
    const body = Buffer.from('{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":null}');
    expect((await answering(body).resource(Pod).list()).items).toEqual([]);
  });

  test("that ends too early is a closed connection, and what is no list is malformed", async () => {
    const list = (text: string): Promise<unknown> => answering(Buffer.from(text)).resource(Pod).list({ timeoutMs: 0 });
    await expect(list('{"kind":"PodList","items":[{"metadata"')).rejects.toSatisfy((e) =>
      isConnectionFailure(e, "closed"),
    );
    await expect(list("<html>")).rejects.toSatisfy((e) => isConnectionFailure(e, "malformed"));
    await expect(list('{"items":[1]}')).rejects.toThrow(
      "list pods: the answer is not a list: an item is not an object",
    );
    await expect(list('{"items":[{"a":tru}],"metadata":{}}')).rejects.toSatisfy((e) =>
      isConnectionFailure(e, "malformed"),
    );
  });

  test("leaves the event loop free while a long list is decoded", async () => {
    const items = Array.from({ length: 2_000 }, (_, index) => pod(`p${index}`, "x".repeat(300)));
    const body = Buffer.from(JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items }));
    let turns = 0;
    const spin = (): void => {
      turns++;
      turning = setImmediate(spin);
    };
    let turning = setImmediate(spin);
    await answering(body, busyClock()).resource(Pod).list();
    clearImmediate(turning);
    expect(turns).toBeGreaterThan(1);
  });
});

async function eventsOf(body: HttpBody): Promise<{ events: WatchEvent<Pod>[]; error?: unknown }> {
  const events: WatchEvent<Pod>[] = [];
  try {
    for await (const event of answering(body).resource(Pod).watch({ resourceVersion: "5" })) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events };
}

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const bookmark = { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: "9", creationTimestamp: null } };

describe("a watch stream", () => {
  test("gives the same events however the bytes are cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(awkward, { maxLength: 6 }),
        fc.array(fc.nat(900), { maxLength: 12 }),
        fc.boolean(),
        async (notes, places, lastBreak) => {
          const wanted = [
            ...notes.map((note, index) => ({ type: index % 2 ? "MODIFIED" : "ADDED", object: whole("p", note) })),
            { type: "BOOKMARK", object: bookmark },
          ];
          const text = wanted.map(({ type, object }) => line(type, object)).join("");
          const bytes = Buffer.from(lastBreak ? text : text.trimEnd());
          expect(await eventsOf(cut(bytes, places))).toEqual({ events: wanted });
        },
      ),
    );
  });

  test("understands other spellings of the same JSON", async () => {
    const text = `\r\n{ "object": ${JSON.stringify(whole("p", ""))}, "type": "DELETED" }\r\n`;
    expect(await eventsOf(Buffer.from(text))).toEqual({ events: [{ type: "DELETED", object: whole("p", "") }] });
  });

  test("delivers what came before an ERROR, then throws it as the Status that it is, naming the call", async () => {
    const gone = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "too old",
      reason: "Expired",
      code: 410,
    };
    const { events, error } = await eventsOf(Buffer.from(line("ADDED", whole("p", "")) + line("ERROR", gone)));
    expect(events).toEqual([{ type: "ADDED", object: whole("p", "") }]);
    expect(isExpired(error)).toBe(true);
    expect(String(error)).toContain("watch pods: too old (410 Expired)");
  });

  test("that ends inside an event is a closed connection; what is no event is malformed", async () => {
    expect(
      isConnectionFailure((await eventsOf(Buffer.from('{"type":"ADDED","object":{"metadata"'))).error, "closed"),
    ).toBe(true);
    expect(isConnectionFailure((await eventsOf(Buffer.from("hello\n"))).error, "malformed")).toBe(true);
    expect(
      isConnectionFailure((await eventsOf(Buffer.from('{"type":"ADDED","object":{x}}\n'))).error, "malformed"),
    ).toBe(true);
  });

  test("asks for bookmarks, and hands batches to those who want them", async () => {
    const client = answering(Buffer.from(line("ADDED", whole("a", "")) + line("ADDED", whole("b", ""))));
    const sizes: number[] = [];
    for await (const batch of client.resource(Pod, { namespace: "a" }).watch().batches()) sizes.push(batch.length);
    expect(sizes).toEqual([2]);
    expect(sent[0]?.path).toBe("/api/v1/namespaces/a/pods?watch=true&allowWatchBookmarks=true");
  });
});
