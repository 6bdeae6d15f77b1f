import fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigMap } from "../../../src/api/index.js";
import type { KeysAnswer, WhyAnswer } from "../../../src/dashboard/wire.js";
import { Manager } from "../../../src/manager/index.js";
import { simulate } from "../../../src/testing/index.js";
import { Recording } from "./recording.js";
import { readTrace } from "./trace.js";

const noPause = async (): Promise<void> => {};

async function failure(): Promise<string> {
  const report = await simulate({
    async operator({ client, clock, random }) {
      const manager = await Manager.create({ client, clock, random });
      manager.controller({
        name: "stamp",
        for: ConfigMap,
        async reconcile({ object, client: writes }) {
          const { name, namespace = "" } = object.metadata;
          if (name === "sealed") throw new Error("the vault is sealed");
          const data = { stamped: "yes" };
          await writes.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data });
        },
      });
      return manager;
    },
    async scenario({ client, sleep }) {
      const maps = client.resource(ConfigMap, { namespace: "default" });
      await maps.create({ metadata: { name: "a" } });
      await maps.create({ metadata: { name: "sealed" } });
      await sleep(1_000);
      throw new Error("the end is bad");
    },
    seeds: 0,
  });
  return JSON.stringify(report.failures[0]?.trace);
}

test("a recording of simulate answers for each of its moments as a process would", async () => {
  const recording = new Recording("rec.json", await readTrace(await failure(), noPause));
  const { story, end, trace } = recording;
  expect([trace.oracle, trace.omitted]).toEqual([expect.stringMatching(/./), 0]);
  expect(story.map(({ moment }) => moment.at)).toEqual(story.map(({ moment }) => moment.at).toSorted((a, b) => a - b));
  const last = recording.watchedAt(end);
  expect([...last.lanes.values()]).toMatchObject([{ kind: "ConfigMap", objects: 2, listeners: [{ name: "stamp" }] }]);
  expect(last.controllers.get("stamp")).toMatchObject({ kind: "ConfigMap", lastError: { key: "default/sealed" } });
  const [first] = story;
  expect(recording.watchedAt(first?.moment ?? end).runs).toEqual([]);
  const failed = story.find(({ run }) => run?.result.type === "failed");
  const until = (failed?.moment.at ?? 0) + 1;
  const keys = (await recording.answer(`keys?controller=stamp&state=failing&until=${until}`)) as KeysAnswer;
  expect(keys.rows).toMatchObject([{ key: "default/sealed", error: expect.stringContaining("the vault is sealed") }]);
  const why = (await recording.answer("why?kind=configmap&namespace=default&name=a")) as WhyAnswer;
  expect(why.object.kind).toBe("ConfigMap");
  expect(why.revisions.some(({ writer, run }) => writer === "stamp" && run !== undefined)).toBe(true);
  expect(why.chain.links.some(({ from, how }) => from !== undefined && how === "wrote")).toBe(true);
  await expect(recording.answer("map")).rejects.toThrow("a recording has no objects");
  await expect(recording.answer("numbers")).rejects.toThrow("a recording has no numbers");
});

test("a long file is read in slices, and entries that are too many or too large are left out and counted", async () => {
  const event = { ph: "i", name: "x", ts: 1, tid: 1, args: {} };
  const many = Array.from({ length: 100_010 }, (_, i) => ({ ...event, ts: i }));
  const large = { ...event, args: { text: "x".repeat(1_100_000) } };
  const text = JSON.stringify({ otherData: { seed: "s" }, traceEvents: [large, ...many] });
  let pauses = 0;
  const trace = await readTrace(text, async () => void (pauses += 1));
  expect([trace.entries.length, trace.omitted, trace.seed]).toEqual([100_000, 11, "s"]);
  expect(pauses).toBeGreaterThan(20);
});

test.each([
  ["", "not JSON at character 0"],
  ["{", "not JSON at character 1"],
  ['{"traceEvents":[{"ph":"i"', "the text ends within a value"],
  ['{"traceEvents":["', "the text ends within a string"],
  ["nonsense", "not JSON"],
  ["{}", "it is not a recording of simulate"],
  ['{"traceEvents":7}', "not JSON at character 15"],
])("%j is refused with the reason", async (text, why) => {
  await expect(readTrace(text, noPause)).rejects.toThrow(why);
});

test("whatever a file has in the place of an entry, the views get texts and numbers", async () => {
  const wild = fc.dictionary(
    fc.constantFrom(
      "ph",
      "name",
      "cat",
      "ts",
      "dur",
      "tid",
      "args",
      "run",
      "type",
      "controller",
      "key",
      "reasons",
      "writes",
      "result",
      "target",
    ),
    fc.oneof(fc.constantFrom("reconcile", "request", "event", "i", "X", "M", 1, -1, null), fc.jsonValue()),
  );
  const nested = fc.tuple(wild, wild, wild).map(([a, b, c]) => ({ ...a, args: { ...b, run: c, target: c } }));
  await fc.assert(
    fc.asyncProperty(fc.array(nested, { maxLength: 8 }), async (events) => {
      const recording = new Recording("wild", await readTrace(JSON.stringify({ traceEvents: events }), noPause));
      for (const { text, actor, moment } of recording.story) {
        expect([typeof text, typeof actor, Number.isFinite(moment.at)]).toEqual(["string", "string", true]);
      }
      recording.watchedAt(recording.end);
      await recording.answer("keys?controller=x&state=failing");
      await recording.answer("why?kind=Pod&name=x");
    }),
    { numRuns: 300 },
  );
});
