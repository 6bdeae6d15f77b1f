/** Tokens that are known beforehand, and their users. Compared by digests, so that the time that an answer takes tells nothing of a token. To authentication. */
import { createHash } from "node:crypto";
import type { UserInfo } from "./user.js";

const digest = (text: string): string => createHash("sha256").update(text).digest("base64");

/** Nobody can steer what a digest begins with, so it may be looked up and compared like any text. */
export const sameSecret = (a: string, b: string): boolean => digest(a) === digest(b);

/** Gives the user of a token, undefined for any other text. */
export function knownTokens(users: Iterable<readonly [string, UserInfo]>): (token: string) => UserInfo | undefined {
  const byDigest = new Map([...users].map(([token, user]) => [digest(token), user] as const));
  return (token) => byDigest.get(digest(token));
}
