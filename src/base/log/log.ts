/** Structured log lines: a constant message and fields, as text for people or JSON for machines. */
import { messageOf, messageWithCauses, oneLine, stackOf } from "./errors.js";
import { type Clock, systemClock } from "../time/clock.js";

export type LogLevel = "debug" | "info" | "warn" | "error";

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Messages are constant and fields vary, so that lines can be grouped. A level that is off costs one call of an empty
 * function; guard with `enabled` only where building the fields is itself expensive. Pass an Error as a field as it is:
 * its message and causes are written in the line, and its stack too if the line is an error or the level is debug.
 */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  enabled(level: LogLevel): boolean;
  /** A logger whose lines carry these fields too. */
  child(fields: Fields): Logger;
}

export interface LoggerOptions {
  /** The least severe level that is written; "info" by default. */
  readonly level?: LogLevel | "off";
  /** "text" by default. */
  readonly format?: "text" | "json";
  /** Takes each line with its line feed; standard error by default. */
  readonly write?: (line: string) => void;
  readonly clock?: Clock;
  /** For text only. Default: true if lines go to standard error, it is a terminal, and NO_COLOR is not set. */
  readonly colour?: boolean;
  /**
   * Leaves the frames of Node and of packages out of stacks; for text only. Default: true if lines go to standard error
   * and it is a terminal.
   */
  readonly foldStacks?: boolean;
}

const severity = { debug: 0, info: 1, warn: 2, error: 3, off: 4 } as const;
const ansi = { debug: "\x1b[2m", info: "\x1b[36m", warn: "\x1b[33m", error: "\x1b[31m" } as const;

const nothing = (): void => {};

export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  enabled: () => false,
  child: () => silentLogger,
};

interface Line {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Fields;
  /** Whether the stacks of errors are written. */
  readonly stacks: boolean;
}

type Render = (line: Line) => string;

export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = "info", format = "text", clock = systemClock } = options;
  if (level === "off") return silentLogger;
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const colour = options.colour ?? (options.write === undefined && isColourTerminal());
  const folded = options.foldStacks ?? (options.write === undefined && process.stderr.isTTY === true);
  const render = format === "json" ? renderJson : renderText(colour, folded);
  const threshold = severity[level];

  const bind = (bound: Fields): Logger => {
    const at = (lineLevel: LogLevel): Logger["info"] =>
      severity[lineLevel] < threshold
        ? nothing
        : (message, fields) => {
            const all = fields === undefined ? bound : { ...bound, ...fields };
            const time = new Date(clock.now()).toISOString();
            const stacks = lineLevel === "error" || level === "debug";
            write(render({ time, level: lineLevel, message, fields: all, stacks }));
          };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      enabled: (asked) => severity[asked] >= threshold,
      child: (fields) => bind({ ...bound, ...fields }),
    };
  };
  return bind({});
}

function isColourTerminal(): boolean {
  return process.stderr.isTTY === true && (process.env["NO_COLOR"] ?? "") === "";
}

/** An error's stack is a field beside it: `error.stack`. */
const renderJson: Render = ({ time, level, message, fields, stacks }) => {
  const line: Record<string, unknown> = Object.assign(Object.create(null), { time, level, message });
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    line[name in line ? `field.${name}` : name] = plain(value);
    if (stacks && value instanceof Error) line[`${name}.stack`] = stackOf(value).join("\n");
  }
  return `${safeJson(line)}\n`;
};

/** An error's stack stands below the line, indented, so that none of its lines can be taken for an entry. */
function renderText(colour: boolean, folded: boolean): Render {
  const dim = (text: string): string => (colour ? `\x1b[2m${text}\x1b[0m` : text);
  return ({ time, level, message, fields, stacks }) => {
    const name = level.toUpperCase().padEnd(5);
    let line = `${dim(time)} ${colour ? `${ansi[level]}${name}\x1b[0m` : name} ${oneLine(message)}`;
    for (const [key, value] of Object.entries(fields)) {
      if (value !== undefined) line += ` ${dim(`${textValue(key)}=`)}${textValue(plain(value))}`;
    }
    const errors = stacks ? Object.values(fields).filter((value) => value instanceof Error) : [];
    for (const error of errors)
      line += stackOf(error, { folded })
        .map((text) => `\n    ${dim(text)}`)
        .join("");
    return `${line}\n`;
  };
}

/** Unquoted where the end of the value is clear; quoted as JSON otherwise. */
function textValue(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=\\\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
  return safeJson(value);
}

/** Converts values that JSON loses: errors (with their causes), bigints, symbols and functions. */
function plain(value: unknown): unknown {
  if (value instanceof Error) return messageWithCauses(value);
  if (typeof value === "bigint" || typeof value === "symbol" || typeof value === "function") return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
}

/** Logging never throws: a value that JSON refuses (a cycle, a throwing getter) is replaced by a note. */
function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value, (_, inner: unknown) => plain(inner)) ?? "null";
  } catch (error) {
    return JSON.stringify(`unprintable: ${messageOf(error).split("\n")[0]}`);
  }
}
