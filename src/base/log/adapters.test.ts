import { Writable } from "node:stream";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import winston from "winston";
import type { Logger } from "./log.js";
import { pinoLogger, winstonLogger } from "./adapters.js";

interface Lines {
  readonly log: Logger;
  readonly lines: Readonly<Record<string, unknown>>[];
  quieter(): void;
}

function overPino(): Lines {
  const lines: Record<string, unknown>[] = [];
  const library = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log: pinoLogger(library), lines, quieter: () => (library.level = "error") };
}

function overWinston(): Lines {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const library = winston.createLogger({
    level: "info",
    format: winston.format.json(),
    transports: [new winston.transports.Stream({ stream })],
  });
  return { log: winstonLogger(library), lines, quieter: () => (library.level = "error") };
}

describe.each([
  ["pino", overPino, "msg", "err"],
  ["winston", overWinston, "message", "error"],
] as const)("a logger over %s", (_, make, message, error) => {
  test("writes lines with the fields of its children, and none below the level", () => {
    const { log, lines, quieter } = make();
    const child = log.child({ controller: "foo" });
    child.info("starts", { workers: 4 });
    child.debug("never");
    expect([log.enabled("debug"), log.enabled("warn")]).toEqual([false, true]);
    quieter();
    child.warn("not any more");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ [message]: "starts", controller: "foo", workers: 4 });
  });

  test("writes an error with its causes and its stack", () => {
    const { log, lines } = make();
    log.error("reconcile failed", { error: new Error("outer", { cause: new Error("inner") }), key: "default/a" });
    expect(lines[0]).toMatchObject({ [message]: "reconcile failed", key: "default/a" });
    const text = JSON.stringify(lines[0]);
    expect(text).toContain("outer: inner");
    expect(text).toContain("adapters.test");
    expect(lines[0]).toHaveProperty(error);
  });

  test("keeps a field that the library has a meaning for", () => {
    const { log, lines } = make();
    log.info("told", { message: "of the field", level: "high", missing: undefined });
    expect(lines[0]?.[message]).toMatch(/^told$/);
    expect(lines[0]).toMatchObject({ "field.level": "high" });
    expect(JSON.stringify(lines[0])).toContain("of the field");
  });
});
