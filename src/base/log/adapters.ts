/** Loggers that write through a logging library which a program already has. */
import { messageWithCauses, stackOf } from "./errors.js";
import type { Fields, Logger, LogLevel } from "./log.js";

/** A destination of log lines. */
export interface LogTarget {
  write(level: LogLevel, message: string, fields: Fields): void;
  /** Whether lines of this level are kept; asked for each line, because a program may change its level. */
  enabled(level: LogLevel): boolean;
}

/** A logger that gives each line to the target, with the fields of its children merged. */
export function loggerTo(target: LogTarget): Logger {
  const bind = (bound: Fields): Logger => {
    const at =
      (level: LogLevel): Logger["info"] =>
      (message, fields) => {
        if (target.enabled(level)) target.write(level, message, fields === undefined ? bound : { ...bound, ...fields });
      };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      enabled: (level) => target.enabled(level),
      child: (fields) => bind({ ...bound, ...fields }),
    };
  };
  return bind({});
}

/** The part of a pino logger that is used. */
export interface PinoLogger {
  isLevelEnabled(level: string): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The members of a line that pino writes itself. */
const reservedByPino: ReadonlySet<string> = new Set(["level", "time", "pid", "hostname", "name", "msg"]);

/** A logger over pino. The field `error` becomes `err`, which pino prints with its stack and causes. */
export function pinoLogger(pino: PinoLogger): Logger {
  return loggerTo({
    enabled: (level) => pino.isLevelEnabled(level),
    write(level, message, fields) {
      const printed = Object.entries(fields).map(([name, value]) => [
        name === "error" && value instanceof Error ? "err" : unreserved(name, reservedByPino),
        value,
      ]);
      pino[level](Object.fromEntries(printed), message);
    },
  });
}

/** The part of a winston logger that is used. */
export interface WinstonLogger {
  isLevelEnabled(level: string): boolean;
  log(level: string, message: string, fields: object): unknown;
}

/** Winston joins a field `message` with the line's own message, and takes the others for its own. */
const reservedByWinston: ReadonlySet<string> = new Set(["message", "level", "timestamp", "splat"]);

/** A logger over winston. An Error becomes its message with its causes, and its stack a field beside it. */
export function winstonLogger(winston: WinstonLogger): Logger {
  return loggerTo({
    enabled: (level) => winston.isLevelEnabled(level),
    write(level, message, fields) {
      const printed = Object.entries(fields).flatMap(([name, value]) => {
        const own = unreserved(name, reservedByWinston);
        if (!(value instanceof Error)) return [[own, value]];
        return [
          [own, messageWithCauses(value)],
          [`${own}.stack`, stackOf(value).join("\n")],
        ];
      });
      winston.log(level, message, Object.fromEntries(printed));
    },
  });
}

function unreserved(name: string, reserved: ReadonlySet<string>): string {
  return reserved.has(name) ? `field.${name}` : name;
}
