import { describe, expect, test } from "vitest";
import { ConfigMap, type KubeObject, newExpired, newForbidden, newTooManyRequests } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
import { Client } from "../client.js";
import { ConnectionError } from "../failure.js";
import { type EventCondition, retryWatch, until } from "./retry-watch.js";

type Line = { readonly type: string; readonly object: unknown };
const map = (name: string, revision: string | undefined): object => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, ...(revision === undefined ? {} : { resourceVersion: revision }) },
});
const added = (name: string, revision?: string): Line => ({ type: "ADDED", object: map(name, revision) });
const bookmark = (revision: string): Line => ({ type: "BOOKMARK", object: map("", revision) });
const failed = (error: { readonly status: unknown }): Line => ({ type: "ERROR", object: error.status });

/** A server that answers each watch by the next script: events, or an error instead of an answer. */
function scripted(...scripts: readonly (readonly Line[] | Error)[]): {
  readonly clock: FakeClock;
  readonly asked: { readonly from: string | null; readonly atMs: number }[];
  readonly resource: ReturnType<Client["resource"]>;
} {
  const clock = new FakeClock();
  const asked: { from: string | null; atMs: number }[] = [];
  const client = new Client({
    clock,
    retry: { whenAsked: 0, whenDisconnected: 0 },
    transport: async ({ path }) => {
      const script = scripts[asked.length] ?? [];
      asked.push({ from: new URL(path, "http://x").searchParams.get("resourceVersion"), atMs: clock.monotonic() });
      if (script instanceof ConnectionError) throw script;
      if (script instanceof Error) {
        const { status } = script as unknown as { readonly status: { readonly code: number } };
        return {
          status: status.code,
          headers: { "content-type": "application/json" },
          body: Buffer.from(JSON.stringify(status)),
        };
      }
      return {
        status: 200,
        headers: {},
        body: Buffer.from(script.map((line) => `${JSON.stringify(line)}\n`).join("")),
      };
    },
  });
  return { clock, asked, resource: client.resource(ConfigMap) as never };
}

/** The first events of a watch, up to a number of them or to its failure; time passes as fast as it is waited for. */
async function read(server: ReturnType<typeof scripted>, count: number): Promise<readonly string[]> {
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { type, object } of retryWatch(server.resource, { resourceVersion: "5", clock: server.clock })) {
      seen.push(`${type} ${object.metadata.name}`);
      if (seen.length === count) return;
    }
  })().catch((error: Error) => void seen.push(error.message));
  let done = false;
  void reading.then(() => (done = true));
  for (let i = 0; i < 100 && !done; i++) await server.clock.advance(500);
  await reading;
  return seen;
}

describe("a watch that goes on", () => {
  test("continues from the last revision, of an event or a bookmark, which it keeps to itself", async () => {
    const server = scripted([added("a", "6")], [bookmark("9")], [], [added("b", "10")]);
    expect(await read(server, 2)).toEqual(["ADDED a", "ADDED b"]);
    expect(server.asked.map(({ from }) => from)).toEqual(["5", "6", "9", "9"]);
  });

  test("leaves a second between its attempts, or the time that the server asks for", async () => {
    const busy = newTooManyRequests("later", 7);
    const server = scripted(
      [],
      busy,
      [failed(newTooManyRequests("later", 3))],
      new ConnectionError("refused", "nobody"),
      [added("a", "6")],
    );
    expect(await read(server, 1)).toEqual(["ADDED a"]);
    const times = server.asked.map(({ atMs }) => atMs);
    expect(times.slice(1).map((atMs, i) => atMs - (times[i] as number))).toEqual([1_000, 7_000, 3_000, 1_000]);
  });

  for (const [what, script, message] of [
    ["an expired revision, in the stream", [added("a", "6"), failed(newExpired("too old"))], /too old/],
    ["an expired revision, when it is opened", newExpired("too old"), /too old/],
    ["a user who may not watch", newForbidden({ group: "", resource: "configmaps" }, "", "no"), /forbidden/],
    ["an event without a revision", [added("a")], /has no resourceVersion/],
    ["an event that is none", [{ type: "WHAT", object: {} }], /unknown type/],
  ] as const)
    test(`ends with ${what}`, async () => {
      expect((await read(scripted(script as never), 9)).at(-1)).toMatch(message);
    });

  for (const resourceVersion of ["", "0", "x"])
    test(`does not begin at ${JSON.stringify(resourceVersion)}`, async () => {
      const watch = retryWatch(scripted().resource, { resourceVersion });
      await expect(watch.next()).rejects.toThrow(/needs a revision to begin at/);
    });

  test("ends with the signal's reason, also while it waits", async () => {
    const server = scripted([]);
    const stop = new AbortController();
    const next = retryWatch(server.resource, { resourceVersion: "5", clock: server.clock, signal: stop.signal }).next();
    await server.clock.advance(10);
    stop.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
  });
});

describe("until", () => {
  const named =
    (name: string): EventCondition<KubeObject> =>
    ({ object }) =>
      object.metadata.name === name;

  test("waits for each condition in turn; an event may satisfy several", async () => {
    const server = scripted([added("b", "6"), added("a", "7"), added("b", "8"), added("c", "9")]);
    const any = (): boolean => true;
    const event = await until(server.resource, [named("a"), any, named("b")], {
      resourceVersion: "5",
      clock: server.clock,
    });
    expect(event?.object.metadata.resourceVersion).toBe("8");
    expect(await until(server.resource, [], { resourceVersion: "5", clock: server.clock })).toBeUndefined();
  });

  test("fails with what a condition throws, and after its time", async () => {
    const server = scripted([added("b", "6")], [], []);
    const bad = (): boolean => {
      throw new Error("bad condition");
    };
    await expect(until(server.resource, [bad], { resourceVersion: "5", clock: server.clock })).rejects.toThrow(
      "bad condition",
    );
    const waiting = until(server.resource, [named("z")], {
      resourceVersion: "5",
      clock: server.clock,
      timeoutMs: 5_000,
    });
    const late = expect(waiting).rejects.toMatchObject({
      failure: "timeout",
      message: "ConfigMap is not as wanted after 5000 ms",
    });
    await server.clock.advance(5_000);
    await late;
  });
});
