/** Parsers of flag values; a bad value is an error that commander reports with the flag's name. */
import { isIP } from "node:net";
import { InvalidArgumentError, Option } from "commander";
import { createLogger, type Level, type Logger } from "../base/index.js";

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new InvalidArgumentError("It must be a port number from 0 to 65535 (0 takes a free one).");
  return port;
}

export function parseAddress(text: string): string {
  if (isIP(text) === 0 && text !== "localhost") {
    throw new InvalidArgumentError("It must be an IP address of this machine, such as 127.0.0.1, 0.0.0.0 or ::1.");
  }
  return text;
}

export function parsePath(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must be the path of a file or folder.");
  return text;
}

export function parseName(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError("It must be a name of small letters, digits, '-' and '.'.");
  }
  return text;
}

export function parseCount(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= 5_000)) throw new InvalidArgumentError("It must be a number from 0 to 5000.");
  return count;
}

function parseObjectBytes(text: string): number {
  const bytes = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(bytes >= 1024 && bytes <= 64 * 1024 * 1024)) {
    throw new InvalidArgumentError("It must be a number of bytes from 1024 to 67108864.");
  }
  return bytes;
}

export interface ObjectSizeFlags {
  readonly maxObjectBytes: number;
}

export const objectSizeOption = (): Option =>
  new Option(
    "--max-object-bytes <bytes>",
    "the largest object that is stored; as large as in a real cluster unless told",
  )
    .argParser(parseObjectBytes)
    .default(1.5 * 1024 * 1024);

export function parseSpeed(text: string): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(speed >= 0.001 && speed <= 1_000_000)) {
    throw new InvalidArgumentError("It must be a number from 0.001 to 1000000; 10 is ten times as fast.");
  }
  return speed;
}

export interface LogFlags {
  readonly logLevel: Level | "off";
  readonly logFormat: "text" | "json";
}

export const logOptions = (): readonly Option[] => [
  new Option("--log-level <level>", "the least severe lines to write")
    .choices(["debug", "info", "warn", "error", "off"])
    .default("info"),
  new Option("--log-format <format>", "how lines are written").choices(["text", "json"]).default("text"),
];

export interface AuthorizationFlags {
  readonly authorizationMode: "RBAC" | "AlwaysAllow";
}

export const authorizationOption = (): Option =>
  new Option(
    "--authorization-mode <mode>",
    "who may do what: by roles and bindings, or everybody who is known everything",
  )
    .choices(["RBAC", "AlwaysAllow"])
    .default("RBAC");

/** Colour is left to the logger when lines go to the process's own standard error. */
export function loggerOf(flags: LogFlags, write?: (line: string) => void): Logger {
  return createLogger({ level: flags.logLevel, format: flags.logFormat, ...(write && { write }) });
}
