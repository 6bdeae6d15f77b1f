import { describe, expect, test } from "vitest";
import { abortReason, FakeClock, type HttpRequest, onAbort, type Transport } from "../../base/index.js";
import { fencedTransport, NotLeaderError } from "./fence.js";

const never = new AbortController().signal;
const write = (path = "/api/v1/namespaces/default/pods"): HttpRequest => ({ method: "POST", path, headers: {} });
const ok = { status: 200, headers: {}, body: new Uint8Array() };

describe("fence", () => {
  test("reads pass, writes are refused while we do not lead", async () => {
    const fenced = fencedTransport(async () => ok, { leader: { term: undefined }, clock: new FakeClock() });
    expect(await fenced({ method: "GET", path: "/api", headers: {} }, never)).toBe(ok);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const refused = await fenced({ method, path: "/api", headers: {} }, never).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(NotLeaderError);
      expect(refused).toMatchObject({ sent: false, message: `${method} /api: not sent, this process does not lead` });
    }
  });

  test("a write asks the server to give up when the term is over, unless it says a limit itself", async () => {
    const paths: string[] = [];
    const transport: Transport = async ({ path }) => {
      paths.push(path);
      return ok;
    };
    const fenced = fencedTransport(transport, {
      leader: { term: { epoch: 1, leftMs: 7_400 } },
      clock: new FakeClock(),
    });
    await fenced(write("/a"), never);
    await fenced(write("/a?dryRun=All"), never);
    await fenced(write("/a?timeout=1s"), never);
    expect(paths).toEqual(["/a?timeout=8s", "/a?dryRun=All&timeout=8s", "/a?timeout=1s"]);
  });

  test("a write that is on its way when the term ends is cut off; a renewal in time keeps it alive", async () => {
    const clock = new FakeClock();
    const leader: { term: { epoch: number; leftMs: number } | undefined } = { term: { epoch: 1, leftMs: 1_000 } };
    let cut: unknown;
    const hanging: Transport = (_request, signal) =>
      new Promise((_, reject) => {
        onAbort(signal, () => {
          cut = abortReason(signal);
          reject(abortReason(signal));
        });
      });
    const sent = fencedTransport(hanging, { leader, clock })(write(), never).catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(cut).toBeUndefined();
    leader.term = undefined;
    await clock.advance(1_000);
    expect(await sent).toMatchObject({ name: "NotLeaderError", sent: true });
    expect(clock.pendingTimers).toBe(0);
  });

  test("a write of an earlier epoch is cut off even if we lead again", async () => {
    const clock = new FakeClock();
    const leader = { term: { epoch: 1, leftMs: 1_000 } };
    const hanging: Transport = (_request, signal) =>
      new Promise((_, reject) => void onAbort(signal, (reason) => reject(reason)));
    const sent = fencedTransport(hanging, { leader, clock })(write(), never).catch((error: unknown) => error);
    leader.term = { epoch: 2, leftMs: 10_000 };
    await clock.advance(1_000);
    expect(await sent).toBeInstanceOf(NotLeaderError);
  });

  test("the caller's signal reaches the transport until the body is read", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const streaming: Transport = async (_request, signal) => ({
      status: 200,
      headers: {},
      body: (async function* () {
        yield new Uint8Array([1]);
        await new Promise((_, reject) => void onAbort(signal, reject));
      })(),
    });
    const response = await fencedTransport(streaming, { leader: { term: { epoch: 1, leftMs: 1 } }, clock })(
      write(),
      stop.signal,
    );
    expect(clock.pendingTimers).toBe(0);
    const read = (async () => {
      for await (const _ of response.body as AsyncIterable<Uint8Array>) stop.abort(new Error("enough"));
    })();
    await expect(read).rejects.toThrow("enough");
  });
});
