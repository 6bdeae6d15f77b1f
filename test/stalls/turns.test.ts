import { beforeAll, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../src/base/index.js";
import { type Counted, countedModule } from "./counted.js";
import {
  configMap,
  definition,
  definitions,
  fields,
  many,
  maps,
  object,
  patch,
  post,
  type Sent,
  widget,
  widgets,
} from "./requests.js";
import type * as Server from "./server.js";

/**
 * The work between two readings of the server's clock, each of which is a chance to pause, as a share of the characters
 * of the stored object: encoding it once, when it is committed, is the longest step of built-in kinds; judging a custom
 * object by its schema is longer.
 */
const longestShare = 1.3;
const longestCustomShare = 2;
const parts = 8_000;

let counted: Counted<typeof Server>;

beforeAll(async () => {
  counted = await countedModule<typeof Server>("test/stalls/server.ts");
}, 120_000);

interface Write {
  readonly name: string;
  readonly before?: readonly Sent[];
  readonly request: Sent;
}

const apply = (path: string, manager: string, body: object): Sent =>
  patch(`${path}?force=true&fieldManager=${manager}`, "apply-patch+yaml", body);
const data = (n: number, value: string, prefix = "k"): object => ({ data: fields(n, () => value, prefix) });
const stored = (value: string): readonly Sent[] => [post(maps, configMap(data(parts, value)))];
const one = `${maps}/stall`;
const items = many(parts / 2, (i) => ({ k: `k${i}` }));
const itemType = { type: "object", required: ["k"], properties: { k: { type: "string" }, v: { type: "integer" } } };
const list = { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], items: itemType };
const defined = post(definitions, definition(object({ spec: object({ l: list }) })));

const writes: readonly Write[] = [
  { name: "create", request: post(maps, configMap(data(parts, "v"))) },
  {
    name: "update of all values",
    before: stored("v"),
    request: { ...post(one, configMap(data(parts, "w"))), method: "PUT" },
  },
  {
    name: "update of all keys",
    before: stored("v"),
    request: { ...post(one, configMap(data(parts, "v", "x"))), method: "PUT" },
  },
  { name: "merge patch", before: stored("v"), request: patch(one, "merge-patch+json", data(parts, "w")) },
  {
    name: "strategic merge patch",
    before: stored("v"),
    request: patch(one, "strategic-merge-patch+json", data(parts, "w")),
  },
  {
    name: "JSON patch",
    before: stored("v"),
    request: patch(one, "json-patch+json", [{ op: "add", path: "/data", value: fields(parts, () => "w") }]),
  },
  { name: "apply that creates", request: apply(one, "a", configMap(data(parts, "v"))) },
  { name: "apply that takes from another", before: stored("v"), request: apply(one, "a", configMap(data(parts, "w"))) },
  {
    name: "apply that conflicts with another",
    before: stored("v"),
    request: patch(`${one}?fieldManager=a`, "apply-patch+yaml", configMap(data(parts, "w"))),
  },
  {
    name: "apply that removes what it no longer mentions",
    before: [apply(one, "a", configMap(data(parts, "v")))],
    request: apply(one, "a", configMap(data(parts / 2, "v", "x"))),
  },
  { name: "custom object", before: [defined], request: post(widgets, widget({ l: items })) },
  {
    name: "apply of a custom object",
    before: [defined, apply(`${widgets}/stall`, "a", widget({ l: items }))],
    request: apply(`${widgets}/stall`, "a", widget({ l: items.slice(1).map((item) => ({ ...item, v: 1 })) })),
  },
];

/** A definition is served a little later. */
const served = (send: (sent: Sent) => Promise<[number, number]>): Promise<void> =>
  expect.poll(async () => (await send({ method: "GET", path: widgets }))[0]).toBe(200);

describe("no turn of a large write does more than one phase of its work", () => {
  test.each(writes)("$name", async ({ before = [], request }) => {
    const { startTestServer, seededRandom } = counted.module;
    let read = 0;
    let longest = 0;
    /** Each reading notes the work since the last one. */
    const clock: Clock = {
      ...systemClock,
      monotonic: () => {
        const now = counted.now();
        longest = Math.max(longest, now - read);
        read = now;
        return systemClock.monotonic();
      },
    };
    await using server = await startTestServer({ clock, random: seededRandom(1), freeze: false });
    const send = async ({ method, path, type = "application/json", body = "" }: Sent): Promise<[number, number]> => {
      const sent = { method, path, headers: { "content-type": type }, body: Buffer.from(body) };
      const answer = await server.transport()(sent, new AbortController().signal);
      return [answer.status, (answer.body as Uint8Array).length];
    };
    const sizeNow = async (): Promise<number> => {
      const [status, size] = await send({ method: "GET", path });
      return status === 200 ? size : 0;
    };
    const path = request.path.startsWith(maps) ? one : `${widgets}/stall`;
    for (const sent of before) {
      if (sent.path.startsWith(widgets)) await served(send);
      expect((await send(sent))[0]).toBeLessThan(300);
    }
    if (path !== one) await served(send);
    const sizeBefore = await sizeNow();
    await counted.steps(async () => {
      longest = read = 0;
      expect([200, 201, 409]).toContain((await send(request))[0]);
    });
    const share = longest / Math.max(sizeBefore, await sizeNow());
    expect(longest).toBeGreaterThan(parts);
    expect(share).toBeLessThan(path === one ? longestShare : longestCustomShare);
  });
});
