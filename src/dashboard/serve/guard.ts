/** Decides whether a request may see the page: it must name this machine, come from the page itself, and know the token if there is one. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isUnnamedHost } from "../../base/machine/loopback.js";

export interface GuardOptions {
  /** Wanted from everybody if it is given; a server that other machines can reach has one. */
  readonly token?: string | undefined;
}

export type Admittance =
  | { readonly type: "allowed" }
  /** The token came in the address: it is kept in a cookie, and the address is shown without it. */
  | { readonly type: "redirected"; readonly to: string; readonly cookie: string }
  | { readonly type: "refused"; readonly status: 400 | 401 | 403 | 405; readonly why: string };

const cookieName = "coxswain-page";

export function judge(
  request: Pick<IncomingMessage, "method" | "url" | "headers">,
  { token }: GuardOptions,
): Admittance {
  const { method, headers, url = "/" } = request;
  if (method !== "GET" && method !== "HEAD") return refused(405, "the page is for reading: GET and HEAD alone");
  if (token === undefined && !isUnnamedHost(headers.host ?? "")) return refused(403, "ask for localhost or an address");
  const stranger = strangerIn(headers);
  if (stranger !== undefined) return refused(403, stranger);
  return token === undefined ? { type: "allowed" } : judgeToken(url, headers, token);
}

/** Why the request is none of the page's own: nothing may embed the page or read its data, but a link may open it. */
function strangerIn(headers: IncomingMessage["headers"]): string | undefined {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined && !isSameHost(origin, host)) return `the origin ${origin} is not this page's`;
  const isOwn = site === undefined || site === "same-origin" || site === "none";
  const isNavigation = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return isOwn || isNavigation ? undefined : `a request from ${String(site)} is not the page's`;
}

function judgeToken(url: string, headers: IncomingMessage["headers"], token: string): Admittance {
  const { pathname, searchParams } = new URL(url, "http://page");
  if (isSame(searchParams.get("token") ?? "", token)) {
    searchParams.delete("token");
    const rest = searchParams.size === 0 ? "" : `?${searchParams.toString()}`;
    const cookie = `${cookieName}=${token}; Path=/; HttpOnly; SameSite=Strict`;
    return { type: "redirected", to: `${pathname}${rest}`, cookie };
  }
  const known = cookieOf(headers.cookie ?? "") ?? headers.authorization?.replace(/^Bearer /i, "") ?? "";
  if (isSame(known, token)) return { type: "allowed" };
  return refused(401, "the page wants its token: open the address that the program printed");
}

const refused = (status: 400 | 401 | 403 | 405, why: string): Admittance => ({ type: "refused", status, why });

function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

function cookieOf(header: string): string | undefined {
  return header
    .split(/; */)
    .find((pair) => pair.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1);
}

/** Takes as long for a wrong text as for the right one. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
