/** The checks of an ID token besides its signature; each gives the reason to refuse it, in upstream's words. */
import type { Claims } from "./mapping.js";
import { goQuotes } from "../../../api/go-quote.js";

/** Tolerance for clocks that differ. */
const leewayMs = 60_000;

const kindOf = (value: unknown): string => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);

const texts = (value: unknown): readonly string[] | undefined => {
  const list = Array.isArray(value) ? value : [value];
  return list.every((item) => typeof item === "string") ? list : undefined;
};

/** Seconds may be written as a text. Undefined for an absent time. */
function secondsOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === "number" ? Math.trunc(number) : Number.NaN;
}

/** Claims that the protocol defines must have its types. */
export function typeFault(claims: Claims): string | undefined {
  const failed = (name: string, type: string): string =>
    `oidc: failed to unmarshal claims: json: cannot unmarshal ${kindOf(claims[name])} into Go struct field idToken.${name} of type ${type}`;
  for (const name of ["iss", "sub", "nonce", "at_hash"]) {
    const value = claims[name] ?? "";
    if (typeof value !== "string") return failed(name, "string");
  }
  for (const name of ["exp", "iat", "nbf"]) {
    if (Number.isNaN(secondsOf(claims[name]))) return failed(name, "json.Number");
  }
  return texts(claims["aud"] ?? []) === undefined ? failed("aud", "string") : undefined;
}

/** The token must be meant for one of the audiences. */
export function audienceFault({ aud }: Claims, audiences: readonly string[]): string | undefined {
  const named = texts(aud ?? []) ?? [];
  if (named.some((audience) => audiences.includes(audience))) return undefined;
  const [only = "", ...others] = audiences;
  if (others.length === 0) return `oidc: expected audience ${JSON.stringify(only)} got ${goQuotes(named)}`;
  return `oidc: expected audience in ${goQuotes(audiences.toSorted())} got ${goQuotes(named)}`;
}

export function timeFault({ exp, nbf }: Claims, now: number): string | undefined {
  const end = secondsOf(exp);
  if (end === undefined || end * 1000 < now)
    return `oidc: token is expired (Token Expiry: ${end === undefined ? noTime : goTime(end * 1000)})`;
  const start = secondsOf(nbf);
  if (start !== undefined && now + leewayMs < start * 1000)
    return `oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(start * 1000)}`;
  return undefined;
}

const noTime = "0001-01-01 00:00:00 +0000 UTC";
/** The greatest time that a Date can have. */
const maxMs = 8.64e15;

/** A time as Go prints it. */
function goTime(ms: number): string {
  const text = new Date(Math.max(-maxMs, Math.min(maxMs, ms))).toISOString();
  return `${text.replace("T", " ").replace(/\.000Z$|Z$/, "")} +0000 UTC`;
}
