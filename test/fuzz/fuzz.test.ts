import { describe, expect, test } from "vitest";
import { seededRandom, systemClock } from "../../src/base/index.js";
import { fuzz, type FuzzEvent } from "./driver.js";
import { longestInput, mutated } from "./mutate.js";
import { bytesOf, Finding, type TargetKind, textOf, withinTurns } from "./target.js";
import { allTargets } from "./targets/index.js";

const full = process.env["COXSWAIN_FULL"] === "1";
const seed = process.env["COXSWAIN_SEED"] ?? "1";

interface Bounds {
  readonly targets: readonly TargetKind[];
  readonly inputs: number;
  readonly isLate?: () => boolean;
}

/** The fuzzer's events for this number of inputs: the seeds, and the inputs that it made. */
async function eventsOf({ targets, inputs, isLate = () => false }: Bounds): Promise<readonly FuzzEvent[]> {
  const events: FuzzEvent[] = [];
  let left = inputs;
  for await (const event of fuzz({ targets, random: seededRandom(seed) })) {
    if (event.type === "running" && (left-- === 0 || isLate())) break;
    events.push(event);
  }
  return events;
}

/** The time bounds the long run and is not judged: a slow machine tries fewer inputs. */
const longestMs = 60_000 / allTargets.length;

describe("whatever is sent, nothing breaks", () => {
  test.each(allTargets)("$name", async (target) => {
    const deadline = systemClock.monotonic() + longestMs;
    const inputs = target.seeds.length + (full ? 10_000 : 40);
    const isLate = (): boolean => full && systemClock.monotonic() > deadline;
    const findings = (await eventsOf({ targets: [target], inputs, isLate })).filter(({ type }) => type === "finding");
    expect(findings.map((finding) => ({ ...finding, input: textOf(finding.input) }))).toEqual([]);
  });

  test.each(allTargets)("the seeds of $name are told apart, so they reach what they are for", async (target) => {
    const events = await eventsOf({ targets: [target], inputs: target.seeds.length });
    expect(events.filter(({ type }) => type === "kept").length).toBeGreaterThan(1);
  });
});

/** Breaks when an input holds two of its letters. */
const fragile: TargetKind = {
  name: "fragile",
  seeds: [bytesOf("a")],
  words: ["x", "y"],
  open: async () => ({
    async run(input) {
      const text = textOf(input);
      if (text.includes("xx")) throw new Finding("two of x");
      if (text.includes("yy")) throw new TypeError("two of y");
      return { kind: text.slice(0, 1), detail: "" };
    },
    [Symbol.asyncDispose]: async () => {},
  }),
};

describe("the fuzzer", () => {
  test("finds what breaks, tells each place once, and that the input is enough", async () => {
    const events = await eventsOf({ targets: [fragile], inputs: 5_000 });
    const findings = events.filter((event) => event.type === "finding").map(({ what }) => what.split("\n")[0]);
    expect(findings).toHaveLength(2);
    expect(new Set(findings)).toEqual(new Set(["Finding: two of x", "TypeError: two of y"]));
    expect(events.find(({ type }) => type === "finding")).toMatchObject({
      what: expect.stringContaining("with this input alone") as string,
    });
  });

  test("does the same with the same seed", async () => {
    const run = async (): Promise<readonly string[]> =>
      (await eventsOf({ targets: [fragile], inputs: 500 })).map(({ type, input }) => `${type} ${textOf(input)}`);
    expect(await run()).toEqual(await run());
  });

  test("tells an input before it runs it, for it may be the last", async () => {
    const [first, second] = await eventsOf({ targets: [fragile], inputs: 1 });
    expect([first?.type, second?.type]).toEqual(["running", "kept"]);
  });

  test("runs the corpus of earlier runs", async () => {
    const corpus = new Map([["fragile", [bytesOf("axx")]]]);
    const told: string[] = [];
    for await (const event of fuzz({ targets: [fragile], random: seededRandom(1), corpus })) {
      told.push(event.type);
      if (event.type === "finding") break;
    }
    expect(told).toEqual(["running", "kept", "running", "finding"]);
  });

  test("leaves out what ended an earlier run", async () => {
    const deadly = new Map([["fragile", [bytesOf("axx")]]]);
    const corpus = new Map([["fragile", ["axx", "ayy"].map(bytesOf)]]);
    const ran: string[] = [];
    for await (const { type, input } of fuzz({ targets: [fragile], random: seededRandom(1), corpus, deadly })) {
      if (type === "running") ran.push(textOf(input));
      if (type === "finding") break;
    }
    expect(ran).toEqual(["a", "ayy"]);
  });

  test("says so of a finding that needs earlier inputs", async () => {
    let runs = 0;
    const forgetting = {
      ...fragile,
      seeds: ["a", "b"].map(bytesOf),
      open: async () => ({
        async run() {
          if (++runs === 2) throw new Finding("the second input");
          return { kind: "fine", detail: "" };
        },
        [Symbol.asyncDispose]: async () => {},
      }),
    };
    const events = await eventsOf({ targets: [forgetting], inputs: 2 });
    expect(events.at(-1)).toMatchObject({ what: expect.stringContaining("only after earlier inputs") as string });
  });

  test("takes what never ends for a finding", async () => {
    await expect(withinTurns(new Promise(() => {}), "it", 10)).rejects.toThrow("it has not ended after 10 turns");
  });

  test("makes no input longer than the longest", () => {
    const random = seededRandom(seed);
    let input: Uint8Array = bytesOf("{}");
    for (let i = 0; i < 2_000; i++) {
      input = mutated(input, { random, words: ["a".repeat(1_000)], other: input });
      expect(input.length).toBeLessThanOrEqual(longestInput);
    }
  });
});
