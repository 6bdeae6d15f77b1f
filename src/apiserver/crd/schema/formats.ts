/** The string formats that a schema may ask for; an unknown one asks for nothing. */
import { isIP, isIPv4, isIPv6 } from "node:net";
import { isDns1123Label, isDns1123Subdomain, parseDuration } from "../../../api/index.js";

function parses(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  const version = isIP(address);
  return more.length === 0 && version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

const hostname = /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\.?$/;
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const matching = (pattern: RegExp) => (text: string) => pattern.test(text);

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}

/** By name without dashes. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matching(/^[0-9a-f]{24}$/i),
  uri: (text) => text.startsWith("/") || parses(() => new URL(text)),
  email: matching(/^[^\s@<>]+@[^\s@<>]+$/),
  hostname: (text) => text.length <= 255 && hostname.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: matching(/^([0-9a-f]{2}([:-]))([0-9a-f]{2}\2){4,6}[0-9a-f]{2}$|^([0-9a-f]{4}\.){2,3}[0-9a-f]{4}$/i),
  uuid: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  hexcolor: matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matching(/^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/),
  ssn: matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  byte: (text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0,
  date: isDate,
  datetime: (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text.replace(" ", "T"))),
  duration: (text) =>
    parses(() => parseDuration(text)) ||
    /^\d+(\.\d+)?\s*(ns|us|µs|ms|s|m|h|d|w|seconds?|minutes?|hours?|days?|weeks?)$/.test(text),
  k8sshortname: (text) => isDns1123Label(text).length === 0,
  k8slongname: (text) => isDns1123Subdomain(text).length === 0,
};

/** Known by name, and let pass whatever the text. */
const unchecked = new Set(["isbn", "isbn10", "isbn13", "creditcard", "password"]);

/** Whether a format means anything for a type. */
export function isKnownFormat(type: string | undefined, format: string): boolean {
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  if (type !== undefined && type !== "string") return false;
  const name = format.replaceAll("-", "");
  return Object.hasOwn(formats, name) || unchecked.has(name);
}

/** True also for formats that are not known. */
export function hasFormat(format: string, text: string): boolean {
  return formats[format.replaceAll("-", "")]?.(text) ?? true;
}
