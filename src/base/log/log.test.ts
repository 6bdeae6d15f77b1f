import { describe, expect, test } from "vitest";
import { messageOf, stackOf } from "./errors.js";
import { createLogger, type LoggerOptions, silentLogger } from "./log.js";
import { FakeClock } from "../time/fake-clock.js";

function capture(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6) });
  return { lines, log: createLogger({ clock, write: (line) => lines.push(line), ...options }) };
}

describe("createLogger", () => {
  test("writes text: time, level, message, fields", () => {
    const { lines, log } = capture();
    log.info("cache synced", { kind: "Pod", objects: 3, took: 1.5, stale: false, none: undefined, nil: null });
    log.warn("slow");
    expect(lines).toEqual([
      "2026-01-02T03:04:05.006Z INFO  cache synced kind=Pod objects=3 took=1.5 stale=false nil=null\n",
      "2026-01-02T03:04:05.006Z WARN  slow\n",
    ]);
  });

  test.each([
    ["two words", '"two words"'],
    ["", '""'],
    ["a=b", '"a=b"'],
    ['say "hi"', '"say \\"hi\\""'],
    ["line\nfeed", '"line\\nfeed"'],
    ["\x1b[31m", '"\\u001b[31m"'],
    ["default/web-1", "default/web-1"],
  ])("quotes the text value %j where it could be misread", (value, printed) => {
    const { lines, log } = capture();
    log.info("m", { value });
    expect(lines).toEqual([`2026-01-02T03:04:05.006Z INFO  m value=${printed}\n`]);
  });

  test("a line feed in a message cannot forge another line", () => {
    const { lines, log } = capture();
    log.info("one\n2026 ERROR forged");
    expect(lines).toEqual(['2026-01-02T03:04:05.006Z INFO  "one\\n2026 ERROR forged"\n']);
  });

  test("writes JSON, one object a line, and keeps fields that collide with its own", () => {
    const { lines, log } = capture({ format: "json" });
    log.error("sync failed", { level: 9, error: new Error("outer", { cause: new Error("inner") }), big: 2n ** 70n });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: "2026-01-02T03:04:05.006Z",
        level: "error",
        message: "sync failed",
        "field.level": 9,
        error: "outer: inner",
        "error.stack": expect.stringMatching(/^Error: outer\n {2}at /) as string,
        big: "1180591620717411303424",
      },
    ]);
    expect(lines[0]?.endsWith("}\n")).toBe(true);
  });

  test("says of an error's causes what its message does not say already", () => {
    const { lines, log } = capture({ format: "json" });
    const inner = new Error("ENOENT: no such file", { cause: new Error("root") });
    log.error("failed", { error: new Error("config: cannot be read: ENOENT: no such file", { cause: inner }) });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ error: "config: cannot be read: ENOENT: no such file: root" });
  });

  describe("the stack of an error", () => {
    function fail(): Error {
      const cause = new RangeError("inner\n2026 ERROR forged");
      return Object.assign(new TypeError("outer", { cause }), {});
    }

    test("stands below the line, indented, with that of its causes; a message begins no line", () => {
      const { lines, log } = capture();
      log.error("m", { key: "a", error: fail() });
      const [first, ...rest] = (lines[0] ?? "").trimEnd().split("\n");
      expect(first).toBe('2026-01-02T03:04:05.006Z ERROR m key=a error="outer: inner\\n2026 ERROR forged"');
      expect(rest[0]).toBe("    TypeError: outer");
      expect(rest[1]).toMatch(/^ {6}at fail \(.*log\.test\.ts:\d+:\d+\)$/);
      const caused = rest.findIndex((line) => line === '    caused by "RangeError: inner\\n2026 ERROR forged"');
      expect(rest[caused + 1]).toMatch(/^ {6}at fail \(.*log\.test\.ts:\d+:\d+\)$/);
      expect(rest.every((line) => line.startsWith("    "))).toBe(true);
    });

    test("is without frames of Node and packages where it is folded", () => {
      const { lines, log } = capture({ foldStacks: true });
      log.error("m", { error: fail() });
      expect(lines[0]).toContain("at fail (");
      expect(lines[0]).not.toContain("node_modules");
      expect(lines[0]).toMatch(/… and \d+ of Node and packages/);
    });

    test("is a field of its own in JSON", () => {
      const { lines, log } = capture({ format: "json" });
      log.error("m", { error: fail() });
      const line = JSON.parse(lines[0] ?? "") as Record<string, string>;
      expect(line["error"]).toBe("outer: inner\n2026 ERROR forged");
      expect(line["error.stack"]).toMatch(/^TypeError: outer\n {2}at fail \(.*\n(.*\n)+caused by /);
    });

    test("is told of errors, and of all where details are asked for", () => {
      const calm = capture();
      calm.log.warn("m", { error: fail() });
      expect(calm.lines.join("")).not.toContain("at fail");
      const detailed = capture({ level: "debug" });
      for (const level of ["debug", "info", "warn"] as const) detailed.log[level]("m", { error: fail() });
      expect(detailed.lines.every((line) => line.includes("at fail"))).toBe(true);
    });

    test("tells what a SuppressedError hides, and once if block and clean-up failed alike", () => {
      const suppressed = (first: string, later: string): Error =>
        Object.assign(new Error("An error was suppressed during disposal."), {
          name: "SuppressedError",
          suppressed: new Error(first),
          error: new Error(later),
        });
      expect(messageOf(suppressed("refused", "refused"))).toBe("refused");
      expect(messageOf(suppressed("refused", "lost"))).toBe("refused (and the clean-up failed: lost)");
      expect(stackOf(suppressed("refused", "lost")).filter((line) => line.includes("Error:"))).toEqual([
        "SuppressedError: An error was suppressed during disposal.",
        "  Error: refused",
        "  Error: lost",
      ]);
    });

    test("names what an AggregateError joins, and ends where causes go in a circle", () => {
      const { lines, log } = capture();
      const circle = new Error("circle");
      circle.cause = circle;
      log.error("m", { error: new AggregateError([new Error("one"), "two", circle], "all") });
      expect(lines[0]).toContain("AggregateError: all");
      expect(lines[0]).toContain("\n      Error: one\n");
      expect(lines[0]).toContain("\n      two\n");
      expect(lines[0]?.match(/Error: circle/g)?.length).toBe(8);
    });
  });

  test.each(["text", "json"] as const)("never throws: a cycle or a throwing getter is named (%s)", (format) => {
    const { lines, log } = capture({ format });
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const bad = Object.defineProperty({}, "x", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    log.info("m", { cycle });
    log.info("m", { bad });
    expect(lines[0]).toContain("unprintable: Converting circular structure");
    expect(lines[1]).toContain("unprintable: no");
  });

  test("children carry their fields, the nearest wins", () => {
    const { lines, log } = capture();
    const child = log.child({ controller: "foo", key: "a" }).child({ key: "b" });
    child.info("m", { worker: 1 });
    child.info("m", { key: "c" });
    expect(lines.map((line) => line.slice(31))).toEqual([
      "m controller=foo key=b worker=1\n",
      "m controller=foo key=c\n",
    ]);
  });

  test("a level that is off writes nothing and is the same empty function everywhere", () => {
    const { lines, log } = capture({ level: "warn" });
    log.debug("m");
    log.info("m");
    expect(lines).toEqual([]);
    expect(log.child({ a: 1 }).info).toBe(silentLogger.info);
    expect((["debug", "info", "warn", "error"] as const).map((level) => log.enabled(level))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(createLogger({ level: "off" })).toBe(silentLogger);
  });

  test("has colour only when told so or on a terminal", () => {
    const { lines, log } = capture({ colour: true });
    log.error("m", { a: 1 });
    expect(lines).toEqual(["\x1b[2m2026-01-02T03:04:05.006Z\x1b[0m \x1b[31mERROR\x1b[0m m \x1b[2ma=\x1b[0m1\n"]);
  });
});
