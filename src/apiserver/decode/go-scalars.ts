/** Scalars as Go reads and writes them. */
import {
  formatDuration,
  formatMicroTime,
  formatTime,
  parseDuration,
  parseMicroTime,
  parseQuantity,
  parseTime,
} from "../../api/index.js";
import type { Shape } from "../../api/schema/index.js";

/** A value that its type cannot hold; the message is worded as Go does. */
export class GoTypeError extends Error {}

/** The canonical form; undefined if the value is of the wrong JSON type, a GoTypeError if it is text that says nothing. */
export function scalarForm(value: unknown, shape: Shape): unknown {
  switch (shape.kind) {
    case "string":
      return typeof value === "string" ? value : undefined;
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "int32":
      return isInteger(value) && Math.abs(value) <= 2 ** 31 ? value : undefined;
    case "int64":
      return isInteger(value) ? value : undefined;
    case "double":
      return typeof value === "number" ? value : undefined;
    case "intOrString":
      return typeof value === "string" || isInteger(value) ? value : undefined;
    case "quantity":
      return quantityForm(value);
    default:
      return typeof value === "string" ? textForm(value, shape) : undefined;
  }
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** Quantities that were seen, so that the same few are not parsed again and again. */
const quantities = new Map<string, string>();
const maxRememberedQuantities = 1_000;

function quantityForm(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value).trim();
  let known = quantities.get(text);
  if (known === undefined) {
    known = reworded(() => parseQuantity(text).toString());
    if (quantities.size >= maxRememberedQuantities) quantities.clear();
    quantities.set(text, known);
  }
  return known;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function textForm(text: string, shape: Shape): string {
  switch (shape.kind) {
    case "bytes":
      return bytesForm(text);
    case "time": {
      const parsed = reworded(() => parseTime(text));
      return canonicalTime.test(text) ? text : formatTime(parsed);
    }
    case "microTime":
      return formatMicroTime(reworded(() => microsOf(text)));
    case "duration":
      return formatDuration(reworded(() => parseDuration(text)));
    default:
      return text;
  }
}

/** A fraction of another length than six digits is read as well. */
function microsOf(text: string): number {
  try {
    return parseMicroTime(text);
  } catch (error) {
    const [, fraction = ""] = /\.(\d+)/.exec(text) ?? [];
    if (fraction.length === 6) throw error;
    return Math.floor(parseTime(text) / 1_000) * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, "0"));
  }
}

function bytesForm(text: string): string {
  if (base64.test(text)) return text;
  const joined = text.replace(/[\r\n]/g, "");
  if (base64.test(joined)) return joined;
  const bad = joined.search(/[^A-Za-z0-9+/]/);
  throw new GoTypeError(`illegal base64 data at input byte ${bad < 0 ? joined.length - (joined.length % 4) : bad}`);
}

function reworded<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new GoTypeError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
