import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { FakeClock, Lifetime, seededRandom, silentLogger, systemClock } from "../../base/index.js";
import { openAuditLog } from "./log-file.js";
import { EventQueue } from "./sink.js";
import { AuditWebhook } from "./webhook.js";

let lifetime = new Lifetime();
afterEach(async () => {
  await lifetime.close();
  lifetime = new Lifetime();
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "coxswain-audit-"));
  lifetime.defer(() => rm(made, { recursive: true }));
  return made;
}

const nothing = { log: silentLogger, print: () => {}, lost: () => {} };

test("a log is rotated at its size, old files are removed by number, and stopping writes everything", async () => {
  const home = await folder();
  const clock = new FakeClock();
  const path = join(home, "audit.log");
  const big = JSON.stringify({ pad: "x".repeat(600_000) });
  for (let i = 0; i < 5; i++) {
    const log = await openAuditLog({ path, maxSizeMb: 1, maxBackups: 2 }, { clock, ...nothing });
    log.take(big);
    await log[Symbol.asyncDispose]();
    await clock.advance(60_000);
  }
  expect((await readdir(home)).toSorted()).toEqual([
    "audit-2020-01-01T00-03-00.000.log",
    "audit-2020-01-01T00-04-00.000.log",
    "audit.log",
  ]);
  const [line = "", rest] = (await readFile(path, "utf8")).split("\n");
  expect([JSON.parse(line).kind, rest]).toEqual(["Event", ""]);
});

test("a log that cannot be opened is an error at once, and - is the standard output", async () => {
  const clock = new FakeClock();
  await expect(openAuditLog({ path: "/dev/null/x" }, { clock, ...nothing })).rejects.toThrow();
  const printed: string[] = [];
  await using log = await openAuditLog({ path: "-" }, { clock, ...nothing, print: (text) => printed.push(text) });
  log.take('{"level":"Metadata"}');
  expect(printed).toEqual(['{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata"}\n']);
});

test("a queue drops what its bounds do not hold, and one event always fits", () => {
  let dropped = 0;
  const queue = new EventQueue({ maxEvents: 3, maxBytes: 10, dropped: () => dropped++ });
  for (const event of ["x".repeat(20), "y"]) queue.push(event);
  expect([queue.size, dropped]).toEqual([1, 1]);
  expect(queue.shift(5)).toHaveLength(1);
  for (let i = 0; i < 5; i++) queue.push("z");
  expect([queue.size, dropped]).toEqual([3, 3]);
});

interface Receiver {
  readonly url: string;
  readonly batches: unknown[][];
  status: number;
}

async function receiver(): Promise<Receiver> {
  const batches: unknown[][] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      if (state.status === 200) batches.push(JSON.parse(text).items);
      response.writeHead(state.status).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  lifetime.defer(() => new Promise((resolve) => server.close(resolve)));
  const state = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, batches, status: 200 };
  return state;
}

const webhookParts = { random: seededRandom(1), log: silentLogger };

test("events go in batches, and the last ones when the server stops", async () => {
  const target = await receiver();
  {
    await using hook = new AuditWebhook(
      { endpoint: { url: target.url }, maxBatchSize: 2 },
      { ...webhookParts, clock: systemClock, lost: () => {} },
    );
    for (const n of [1, 2, 3]) hook.take(JSON.stringify({ n }));
  }
  expect(target.batches.map((batch) => batch.length)).toEqual([2, 1]);
  expect(target.batches.flat()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test("a batch that is refused is sent again after a pause", async () => {
  const target = await receiver();
  target.status = 500;
  const clock = new FakeClock();
  const options = { endpoint: { url: target.url }, maxBatchSize: 1, initialBackoffMs: 1000 };
  let lost = 0;
  await using hook = new AuditWebhook(options, { ...webhookParts, clock, lost: () => lost++ });
  hook.take("{}");
  // first the limit of the request, then the pause
  await expect.poll(() => clock.nextTimerMs, { timeout: 60_000 }).toBeLessThan(2000);
  target.status = 200;
  await expect
    .poll(
      async () => {
        await clock.advance(1000);
        return target.batches.length;
      },
      { timeout: 60_000 },
    )
    .toBe(1);
  expect(lost).toBe(0);
});

test.each([{ maxBatchSize: 0 }, { initialBackoffMs: Number.NaN }])("%o is refused at the start", (wrong) => {
  const options = { endpoint: { url: "http://127.0.0.1:1/" }, ...wrong };
  expect(() => new AuditWebhook(options, { ...webhookParts, clock: systemClock, lost: () => {} })).toThrow(
    `audit.webhook.${Object.keys(wrong)[0]}: must be a positive number`,
  );
});
