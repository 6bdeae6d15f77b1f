/** Impersonation: takes the impersonation headers of a request; gives the user whom they ask for, before any permission is checked. */
import { headerValues } from "../../../base/http.js";
import type { HttpHeaders } from "../../../base/index.js";
import { newBadRequest } from "../../../api/index.js";
import { goQuote } from "../../../api/go-quote.js";

const extraPrefix = "impersonate-extra-";

/** A user as the headers describe it. */
export interface Wanted {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Whether the headers ask for impersonation at all. As upstream, an empty user or uid is none. */
export function asksToImpersonate(headers: HttpHeaders): boolean {
  for (const name in headers) {
    if (!name.startsWith("impersonate-")) continue;
    if (name === "impersonate-group" || name.startsWith(extraPrefix)) return true;
    if ((name === "impersonate-user" || name === "impersonate-uid") && headerValues(headers, name)[0]) return true;
  }
  return false;
}

export function wantedUser(headers: HttpHeaders): Wanted {
  const [username = ""] = headerValues(headers, "impersonate-user");
  const [uid = ""] = headerValues(headers, "impersonate-uid");
  const wanted = { username, uid, groups: headerValues(headers, "impersonate-group"), extra: extraOf(headers) };
  if (username === "") throw newBadRequest(`requested ${described(wanted)} without impersonating a user name`);
  return wanted;
}

function extraOf(headers: HttpHeaders): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(headers).filter((name) => name.startsWith(extraPrefix));
  return Object.fromEntries(
    names.map((name) => [decodedKey(name.slice(extraPrefix.length)), headerValues(headers, name)]),
  );
}

/** The key of an extra value, which a header's name carries in percent-encoding. */
export function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The request as Go prints the struct in upstream's message. */
function described({ username, uid, groups, extra }: Wanted): string {
  const list = (texts: readonly string[]): string => `[]string{${texts.map(goQuote).join(", ")}}`;
  const keys = Object.keys(extra).toSorted();
  const map = keys.map((key) => `${goQuote(key)}:${list(extra[key] ?? [])}`).join(", ");
  const fields = [
    `Name:${goQuote(username)}`,
    `UID:${goQuote(uid)}`,
    `Groups:${groups.length === 0 ? "[]string(nil)" : list(groups)}`,
    `Extra:${keys.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${map}}`}`,
  ];
  return `&user.DefaultInfo{${fields.join(", ")}}`;
}
