import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MetricsRegistry } from "./registry.js";

describe("MetricsRegistry", () => {
  test("exposes counters, gauges and histograms in the Prometheus text format, sorted by name", () => {
    const registry = new MetricsRegistry();
    const adds = registry.counter({ name: "workqueue_adds_total", help: "Adds.", labels: ["name"] });
    adds.with({ name: "foo" }).inc();
    adds.with({ name: "foo" }).inc(2.5);
    adds.with({ name: "bar" }).inc();
    const depth = registry.gauge({ name: "depth", help: "Depth." });
    depth.set(5);
    depth.inc();
    depth.dec(3);
    const seconds = registry.histogram({ name: "seconds", help: "Time.", buckets: [0.1, 1], labels: ["verb"] });
    for (const value of [0.05, 0.1, 0.5, 7]) seconds.with({ verb: "GET" }).observe(value);
    expect(registry.expose()).toBe(`# HELP depth Depth.
# TYPE depth gauge
depth 3
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{verb="GET",le="0.1"} 2
seconds_bucket{verb="GET",le="1"} 3
seconds_bucket{verb="GET",le="+Inf"} 4
seconds_sum{verb="GET"} 7.65
seconds_count{verb="GET"} 4
# HELP workqueue_adds_total Adds.
# TYPE workqueue_adds_total counter
workqueue_adds_total{name="foo"} 3.5
workqueue_adds_total{name="bar"} 1
`);
  });

  test("exposes OpenMetrics: families without _total, floats, the end mark", () => {
    const registry = new MetricsRegistry();
    registry.counter({ name: "adds_total", help: 'With "quotes".' }).inc(3);
    registry.counter({ name: "bare", help: "No suffix." }).inc();
    registry.histogram({ name: "seconds", help: "Time.", buckets: [1, 2.5] }).observe(2);
    expect(registry.expose({ format: "openmetrics" })).toBe(`# HELP adds With \\"quotes\\".
# TYPE adds counter
adds_total 3.0
# HELP bare No suffix.
# TYPE bare counter
bare_total 1.0
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{le="1.0"} 0
seconds_bucket{le="2.5"} 1
seconds_bucket{le="+Inf"} 1
seconds_sum 2.0
seconds_count 1
# EOF
`);
  });

  test("escapes backslash, line feed and, in label values, quotes", () => {
    const registry = new MetricsRegistry();
    const gauge = registry.gauge({ name: "g", help: 'a "b" \\ c\nd', labels: ["l"] });
    gauge.with({ l: 'x"y\\z\n' }).set(1);
    expect(registry.expose()).toBe('# HELP g a "b" \\\\ c\\nd\n# TYPE g gauge\ng{l="x\\"y\\\\z\\n"} 1\n');
  });

  test("any label value survives escaping", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const registry = new MetricsRegistry();
        registry
          .gauge({ name: "g", help: "", labels: ["l"] })
          .with({ l: value })
          .set(1);
        const line = registry.expose().split("\n")[2] ?? "";
        const escaped = /^g\{l="((?:[^"\\\n]|\\["\\n])*)"\} 1$/s.exec(line)?.[1];
        expect(escaped?.replace(/\\(["\\n])/g, (_, char: string) => (char === "n" ? "\n" : char))).toBe(value);
      }),
    );
  });

  test.each([
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [Number.NaN, "NaN"],
    [1e21, "1e+21"],
    [-0.5, "-0.5"],
    [0, "0"],
  ])("prints the number %d as %s", (value, printed) => {
    const registry = new MetricsRegistry();
    registry.gauge({ name: "g", help: "" }).set(value);
    expect(registry.expose()).toContain(`\ng ${printed}\n`);
  });

  test("a metric without labels is there before its first use; one with labels has no series until then", () => {
    const registry = new MetricsRegistry();
    registry.counter({ name: "a", help: "" });
    registry.counter({ name: "b", help: "", labels: ["l"] });
    expect(registry.expose()).toBe("# HELP a \n# TYPE a counter\na 0\n# HELP b \n# TYPE b counter\n");
  });

  test("asking twice gives the same metric and the same series", () => {
    const registry = new MetricsRegistry();
    const first = registry.histogram({ name: "h", help: "", labels: ["a", "b"], buckets: [1] });
    const second = registry.histogram({ name: "h", help: "", labels: ["a", "b"], buckets: [1] });
    expect(second).toBe(first);
    expect(second.with({ b: "2", a: "1" })).toBe(first.with({ a: "1", b: "2" }));
    expect(first.with({ a: "1,", b: "2" })).not.toBe(first.with({ a: "1", b: ",2" }));
  });

  test("refuses what contradicts an earlier declaration, and says how", () => {
    const registry = new MetricsRegistry();
    registry.histogram({ name: "h", help: "", labels: ["a"], buckets: [1] });
    expect(() => registry.counter({ name: "h", help: "" })).toThrow("already declared as a histogram, not a counter");
    expect(() => registry.histogram({ name: "h", help: "", labels: ["b"] })).toThrow("other labels: a");
    expect(() => registry.histogram({ name: "h", help: "", labels: ["a"], buckets: [2] })).toThrow("other buckets: 1");
  });

  test("refuses invalid names, labels, buckets and movements", () => {
    const registry = new MetricsRegistry();
    expect(() => registry.counter({ name: "a-b", help: "" })).toThrow('invalid metric name "a-b"');
    expect(() => registry.gauge({ name: "a", help: "", labels: ["__x"] })).toThrow('invalid label name "__x"');
    expect(() => registry.gauge({ name: "a", help: "", labels: ["x", "x"] })).toThrow('invalid label name "x"');
    expect(() => registry.histogram({ name: "a", help: "", labels: ["le"] })).toThrow('invalid label name "le"');
    expect(() => registry.histogram({ name: "a", help: "", buckets: [2, 1] })).toThrow("ascending");
    expect(() => registry.counter({ name: "a", help: "" }).inc(-1)).toThrow("cannot grow by -1");
    const labelled = registry.counter({ name: "c", help: "", labels: ["x"] });
    expect(() => labelled.inc()).toThrow("has labels (x)");
    expect(() => labelled.with({} as { x: string })).toThrow("no value for label x");
    expect(() => labelled.with({ x: "", y: "" } as { x: string })).toThrow("has no label y");
  });

  test("a removed series is gone from the text", () => {
    const registry = new MetricsRegistry();
    const gauge = registry.gauge({ name: "g", help: "", labels: ["l"] });
    gauge.with({ l: "a" }).set(1);
    expect([gauge.remove({ l: "a" }), gauge.remove({ l: "a" })]).toEqual([true, false]);
    expect(registry.expose()).toBe("# HELP g \n# TYPE g gauge\n");
  });

  test("asks collectors before each exposition until they are disposed", () => {
    const registry = new MetricsRegistry();
    const age = registry.gauge({ name: "age", help: "" });
    {
      using _ = registry.beforeExpose(() => age.inc());
      expect(registry.expose()).toContain("\nage 1\n");
      expect(registry.expose()).toContain("\nage 2\n");
    }
    expect(registry.expose()).toContain("\nage 2\n");
  });

  test("a histogram counts what a naive count of values up to each bound gives", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -20, max: 20, noNaN: true })), (values) => {
        const buckets = [-5, 0, 0.5, 3, 10];
        const histogram = new MetricsRegistry().histogram({ name: "h", help: "", buckets });
        for (const value of values) histogram.observe(value);
        const naive = [...buckets, Number.POSITIVE_INFINITY].map((le) => values.filter((value) => value <= le).length);
        expect(histogram.with({}).cumulativeCounts()).toEqual(naive);
        expect(histogram.with({}).count).toBe(values.length);
      }),
    );
  });
});
