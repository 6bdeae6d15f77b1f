/** Static tokens and their users. Tokens are compared by digest, so that the time of an answer reveals nothing about a token. */
import { createHash } from "node:crypto";
import type { UserInfo } from "../contracts/user.js";

const digest = (text: string): string => createHash("sha256").update(text).digest("base64");

/** A caller cannot choose the prefix of a digest, so digests may be compared like any text. */
export const sameSecret = (a: string, b: string): boolean => digest(a) === digest(b);

/** Gives a function from a token to its user; undefined for an unknown token. */
export function knownTokens(users: Iterable<readonly [string, UserInfo]>): (token: string) => UserInfo | undefined {
  const byDigest = new Map([...users].map(([token, user]) => [digest(token), user] as const));
  return (token) => byDigest.get(digest(token));
}
