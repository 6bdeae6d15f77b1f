/** Views JSON as expressions see the claims of a token: every number is a double, and names of members may be escaped. */
import { JsonList, JsonMap } from "../values/json.js";
import { unescapedName } from "../values/names.js";
import type { Value } from "../values/value.js";

export function claimValue(value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return value as string | boolean | number;
  return Array.isArray(value)
    ? new JsonList(value, claimValue)
    : new ClaimMap(value as Record<string, unknown>, claimValue);
}

class ClaimMap extends JsonMap {
  override get(key: Value): Value | undefined {
    return super.get(typeof key === "string" ? (unescapedName(key) ?? key) : key);
  }
}
