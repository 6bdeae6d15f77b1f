/** Parses URLs as Go's net/url does: gives their parts, or Go's error. */
import { goQuote } from "../../../../api/index.js";

export interface Url {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** The parts, or the error of Go's parser. */
export function parseUrl(text: string): Url | string {
  const fault = faultOf(text);
  return fault === undefined ? parts(text) : `parse ${goQuote(text)}: ${fault}`;
}

function parts(text: string): Url {
  const [, scheme = "", authority = "", query = "", fragment = ""] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*)(?![^/?#]))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  const at = authority.lastIndexOf("@");
  const user = at === -1 ? "" : authority.slice(0, at);
  return { scheme: scheme.toLowerCase(), user, host: authority.slice(at + 1), query, fragment };
}

function faultOf(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- these are the characters in question
  if (/[\u0000-\u001f\u007f]/.test(text)) return "net/url: invalid control character in URL";
  if (text.startsWith(":")) return "missing protocol scheme";
  const { scheme, host } = parts(text);
  const rest = text.slice(scheme === "" ? 0 : scheme.length + 1).split(/[?#]/, 1)[0] as string;
  if (scheme === "" && !rest.startsWith("/") && (rest.split("/", 1)[0] as string).includes(":")) {
    return "first path segment in URL cannot contain colon";
  }
  if (rest.startsWith("//")) {
    const fault = hostFault(host);
    if (fault !== undefined) return fault;
  }
  const path = rest.startsWith("//") ? rest.slice(2).replace(/^[^/]*/, "") : rest;
  return badEscape(path);
}

function hostFault(host: string): string | undefined {
  if (host.startsWith("[")) {
    const end = host.lastIndexOf("]");
    return end === -1 ? "missing ']' in host" : portFault(host.slice(end + 1));
  }
  const colon = host.lastIndexOf(":");
  const fault = colon === -1 ? undefined : portFault(host.slice(colon));
  if (fault !== undefined) return fault;
  const escape = /%(?:[0-7][0-9a-fA-F]|.{0,2})/.exec(host)?.[0];
  if (escape !== undefined) return `invalid URL escape ${goQuote(escape)}`;
  const odd = /[\s"<>\\^`{|}]/.exec(host)?.[0];
  return odd === undefined ? undefined : `invalid character ${goQuote(odd)} in host name`;
}

const portFault = (port: string): string | undefined =>
  /^(?::\d*)?$/.test(port) ? undefined : `invalid port ${goQuote(port)} after host`;

function badEscape(path: string): string | undefined {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)?.[0];
  return bad === undefined ? undefined : `invalid URL escape ${goQuote(bad)}`;
}
