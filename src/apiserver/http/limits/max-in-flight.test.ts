import { expect, test } from "vitest";
import type { Answer } from "../../contracts/answer.js";
import { Rejected } from "../../flow/flow-control.js";
import type { Exchange } from "../exchange.js";
import { MaxInFlight } from "./max-in-flight.js";

const asked = (verb: string, groups: readonly string[] = []): Exchange =>
  ({ info: { type: "resource", verb, subresource: "" }, user: { username: "u", groups } }) as unknown as Exchange;
const done: Answer = { status: 200, headers: {}, body: new Uint8Array() };

/** Work that lasts until it is told to end. */
function lasting(): { readonly work: () => Promise<Answer>; end(answer?: Answer): void } {
  let finish: (answer: Answer) => void = () => {};
  const promise = new Promise<Answer>((resolve) => (finish = resolve));
  return { work: () => promise, end: (answer = done) => finish(answer) };
}

test("reads and writes have limits of their own, and nobody waits", async () => {
  const limit = new MaxInFlight({ readsInFlight: 1, writesInFlight: 1 });
  const [read, write] = [lasting(), lasting()];
  const reading = limit.during(asked("list"), read.work);
  await expect(limit.during(asked("get"), async () => done)).rejects.toBeInstanceOf(Rejected);
  const writing = limit.during(asked("update"), write.work);
  await expect(limit.during(asked("delete"), async () => done)).rejects.toMatchObject({ afterSeconds: 1 });
  read.end();
  write.end();
  await Promise.all([reading, writing]);
  expect(await limit.during(asked("get"), async () => done)).toBe(done);
});

test("watches do not count, and administrators are let in", async () => {
  const limit = new MaxInFlight({ readsInFlight: 1, writesInFlight: 1 });
  const read = lasting();
  const reading = limit.during(asked("list"), read.work);
  expect(await limit.during(asked("watch"), async () => done)).toBe(done);
  expect(await limit.during(asked("get", ["system:masters"]), async () => done)).toBe(done);
  read.end();
  await reading;
});

test("a request counts to the end of its body, and a failed one no more", async () => {
  const limit = new MaxInFlight({ readsInFlight: 1, writesInFlight: 0 });
  const failing = limit.during(asked("get"), () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(1);
  }
  const { body } = await limit.during(asked("list"), async () => ({ ...done, body: pieces() }));
  await expect(limit.during(asked("get"), async () => done)).rejects.toBeInstanceOf(Rejected);
  for await (const _ of body as AsyncIterable<Uint8Array>) continue;
  expect(await limit.during(asked("get"), async () => done)).toBe(done);
});
