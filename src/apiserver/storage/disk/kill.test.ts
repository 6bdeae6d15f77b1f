import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { type Random, seededRandom, silentLogger, systemClock } from "../../../base/index.js";
import { openDiskStore } from "./open.js";

const dist = join(process.cwd(), "dist/apiserver/index.js");
const rounds = process.env["COXSWAIN_FULL"] === "1" ? 300 : 8;
const stores = 4;

/** Writes as fast as it can and prints each acknowledged write, until it is killed. */
const program = `
import { openDiskStore } from ${JSON.stringify(pathToFileURL(dist).href)};
const log = { debug() {}, info() {}, warn() {}, error() {}, enabled: () => false, child: () => log };
const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: () => new Promise(() => {}), timer: () => ({ [Symbol.dispose]() {} }) };
const store = await openDiskStore({ directory: process.argv[1], clock, log, segmentBytes: 20_000 });
let n = 0;
const writer = async (name) => {
  for (;;) {
    const key = name + (n++ % 20);
    const expected = store.get("items", key)?.revision ?? 0;
    const object = { apiVersion: "v1", kind: "Item", metadata: { name: key }, n };
    const { revision } = store.commit([{ type: "put", collection: "items", key, expected, object }]);
    await store.settled(revision);
    process.stdout.write(revision + " " + key + "\\n");
  }
};
for (const name of ["a", "b", "c"]) writer(name);
`;

async function runAndKill(directory: string, afterMs: number): Promise<ReadonlyMap<string, number>> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = exited.then(() => {
    throw new Error("the writer ended before it wrote anything");
  });
  await Promise.race([once(child.stdout, "data"), ended]);
  // it is to be killed
  ended.catch(() => {});
  await systemClock.sleep(afterMs, new AbortController().signal);
  child.kill("SIGKILL");
  await exited;
  // a last line without its end was cut off with the process
  const lines = text.split("\n").slice(0, -1);
  return new Map(lines.map((line) => line.split(" ")).map(([revision, key]) => [key as string, Number(revision)]));
}

/** Kills writers one after the other; each continues with the data of the previous one. */
async function surviveKills(kills: number, random: Random): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "coxswain-kill-"));
  let highest = 0;
  try {
    for (let round = 0; round < kills; round++) {
      const acknowledged = await runAndKill(directory, random.int(40));
      await using store = await openDiskStore({ directory, clock: systemClock, log: silentLogger });
      const lost = [...acknowledged].filter(([key, revision]) => (store.get("items", key)?.revision ?? 0) < revision);
      expect(lost).toEqual([]);
      expect(store.revision).toBeGreaterThanOrEqual(Math.max(highest, ...acknowledged.values()));
      highest = store.revision;
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

describe.skipIf(!existsSync(dist))("a store on disk (skipped until there is a build in dist)", () => {
  test(`killed at any moment, ${rounds} times over, has every write that was acknowledged`, async () => {
    const random = seededRandom("kill");
    // most of the time goes by with processes that start and disks that write: that of several stores goes by at once
    await Promise.all(Array.from({ length: stores }, (_, i) => surviveKills(rounds / stores, random.fork(`${i}`))));
  });
});
