import { expect, test } from "vitest";
import type { MetricSpec } from "../../api/index.js";
import type { Client } from "../../client/index.js";
import { readMetric, type Reader } from "./read.js";

const cpu: MetricSpec = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization" } } };
const external: MetricSpec = { type: "External", external: { metric: { name: "m" }, target: { type: "Value" } } };

/** The reading of a metric from a server that answers with this text. */
function readingOf(metric: MetricSpec, text: string) {
  const client = { getText: () => Promise.resolve(text) } as unknown as Client;
  const { signal } = new AbortController();
  return readMetric(metric, "app=web", { client, namespace: "default", signal } as unknown as Reader);
}

const podMetrics = (change: object, usage: object = { cpu: "250m" }): string =>
  JSON.stringify({ items: [{ metadata: { name: "p" }, containers: [{ name: "c", usage }], ...change }] });

test("a server that leaves members out tells of zeros, as upstream reads it", async () => {
  const values = new Map([["p", { value: 250n, timestamp: 0, windowMs: 0 }]]);
  expect(await readingOf(cpu, podMetrics({}))).toEqual({ type: "pods", values });
  expect(await readingOf(external, '{"items":[{},{"value":3},{"value":"-2"},{"value":"9E"}]}')).toEqual({
    type: "external",
    // more thousandths than 64 bits hold are nothing
    values: [0n, 3_000n, -2_000n, 0n],
  });
});

test.each([
  ["an answer that is no JSON", "<html>", /^unable to fetch metrics from resource metrics API: .*JSON/],
  ["an answer that is no list", '{"items":{"a":1}}', /resource metrics API: the answer is no list of metrics$/],
  ["items that are none", '{"items":[null]}', /resource metrics API: the answer is no list of metrics$/],
  ["another answer", "7", /^no metrics returned from resource metrics API$/],
  ["a usage that is no number", podMetrics({}, { cpu: "lots" }), /lots|quantities must match/],
  ["a usage of another type", podMetrics({}, { cpu: {} }), /^a text was expected, and not \{\}$/],
  ["a time that is none", podMetrics({ timestamp: "yesterday" }), /yesterday/],
  ["a time of another type", podMetrics({ timestamp: 7 }), /^a text was expected, and not 7$/],
  ["a window that is none", podMetrics({ window: "wide" }), /wide/],
])("%s is a problem of the metric, in words", async (_title, text, problem) => {
  expect(await readingOf(cpu, text)).toEqual({ type: "none", problem: expect.stringMatching(problem) as string });
});
