import { expect, test } from "vitest";
import { sourceFiles } from "../../../test/source-files.js";
import { plots, Recorder } from "./recorder.js";

test("each plot reads a metric that a part of the program declares", () => {
  const source = sourceFiles("src").filter(({ path }) => !path.endsWith(".test.ts"));
  const isDeclared = (metric: string): boolean => {
    // names of work queues and handlers are put together from a prefix and a word
    const parts = metric.split("_");
    const spellings = [0, 1, 2].map((i) => `"${parts.slice(i).join("_")}"`);
    return source.some(({ text }) => spellings.some((spelling) => text.includes(spelling)));
  };
  const unknown = plots.flatMap(({ metric }) => (metric === undefined || isDeclared(metric) ? [] : [metric]));
  expect(unknown).toEqual([]);
});

test("a process without a metric has no plot of it; rates are between two readings, and the busiest lines are drawn", () => {
  const recorder = new Recorder();
  const reading = (at: number, count: number) => ({
    at,
    counters: {
      apiserver_request_total: [
        { labels: ["GET", "", "v1", "pods", "", "200"], value: count },
        { labels: ["GET", "", "v1", "pods", "", "403"], value: count / 10 },
      ],
    },
  });
  recorder.take(reading(1_000, 100), undefined);
  recorder.take(reading(3_000, 140), undefined);
  const titles = recorder.plots.map(({ title }) => title);
  expect(titles).toContain("Refusals");
  expect(titles).not.toContain("Leadership");
  const lineOf = (title: string) => recorder.lines(plots.find((plot) => plot.title === title) ?? plots[0]!);
  expect(lineOf("Requests")).toEqual({ names: ["GET"], more: 0, data: [[3], [22]] });
  expect(lineOf("Refusals")).toEqual({ names: ["403 pods"], more: 0, data: [[3], [2]] });
});

const latency = plots.find(({ title }) => title === "Latency") ?? plots[0]!;

test("a mean of no requests is no number, and a plot says how many lines it has no room for", () => {
  const recorder = new Recorder();
  const verbs = Array.from({ length: 11 }, (_, i) => `V${i}`);
  const reading = (at: number, count: number) => ({
    at,
    counters: {
      apiserver_request_duration_seconds: verbs.map((verb) => ({ labels: [verb], value: count, sum: count * 0.004 })),
    },
  });
  for (const [at, count] of [
    [1_000, 10],
    [2_000, 20],
    [3_000, 20],
  ] as const)
    recorder.take(reading(at, count), undefined);
  const { names, more, data } = recorder.lines(latency);
  expect([names.length, more]).toEqual([8, 3]);
  expect(data[1]).toEqual([expect.closeTo(4), null]);
});
