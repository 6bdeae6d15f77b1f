/** Reads kube-apiserver's file of static tokens: lines of token, user, uid and, in quotes, groups with commas between. */
import type { UserInfo } from "../../apiserver/index.js";

/** Throws for a line with fewer than three columns. A token that comes twice is the later user's. */
export function tokensIn(text: string): ReadonlyMap<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [token = "", username, uid, groups = ""] = columns(line);
    if (username === undefined || uid === undefined) {
      throw new Error(`line ${index + 1} of the token file has fewer columns than token, user and uid`);
    }
    if (token === "") continue;
    const named = groups.split(",").map((group) => group.trim());
    users.set(token, { username, uid, groups: named.filter((group) => group !== "") });
  }
  return users;
}

/** Comma-separated values (RFC 4180), in one line. */
function columns(line: string): readonly string[] {
  const found = line.matchAll(/(?:^|,)(?:\s*"((?:[^"]|"")*)"\s*(?![^,])|([^,]*))/g);
  return [...found].map(([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain.trim());
}
