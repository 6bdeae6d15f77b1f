/** `url(text)` and its parts, read as Go's net/url does: nothing is made canonical. */
import { goQuote } from "../../../api/index.js";
import { type Library, overload, type Overload } from "../checker/environment.js";
import { opaque } from "../values/types.js";
import { ArrayList, EntryMap, ErrorValue, Opaque, type Value } from "../values/value.js";

const type = opaque("kubernetes.URL");

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

class Url extends Opaque {
  readonly type = type;
  readonly text: string;
  readonly parts: Parts;

  constructor(text: string, parts: Parts) {
    super();
    this.text = text;
    this.parts = parts;
  }

  override get size(): number {
    return this.text.length;
  }

  equals(other: this): boolean {
    return this.text === other.text;
  }
}

/** The error of a text that should be an absolute path or URL; undefined if the text is good. */
export function uriFault(text: string): string | undefined {
  const parts = parse(text, true);
  return typeof parts === "string" ? `parse ${goQuote(text)}: ${parts}` : undefined;
}

const shape = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([^?]*)(?:\?(.*))?$/;

/** The parts of a URL, or the reason why the text is none. Without `request`, the part after `#` is left out. */
function parse(text: string, request: boolean): Parts | string {
  // oxlint-disable-next-line no-control-regex
  if (/[\x00-\x1f\x7f]/.test(text)) return "net/url: invalid control character in URL";
  if (text === "" && request) return "empty url";
  const whole = request ? text : text.split("#", 1).join("");
  if (whole.startsWith(":")) return "missing protocol scheme";
  const [, scheme = "", rest = "", query = ""] = shape.exec(whole) ?? [];
  const located = locate(rest, scheme !== "", request);
  return typeof located === "string" ? located : { scheme: scheme.toLowerCase(), query, ...located };
}

/** The host and path from the text between the scheme and the query, or the reason why they are malformed. */
function locate(rest: string, hasScheme: boolean, request: boolean): Location | string {
  if (!rest.startsWith("/")) {
    if (hasScheme) return { host: "", path: "" };
    if (request) return "invalid URI for request";
    if (/^[^/]*:/.test(rest)) return "first path segment in URL cannot contain colon";
  }
  const hasHost = rest.startsWith("//") && (hasScheme || (!request && !rest.startsWith("///")));
  const located = hasHost ? hostAndPath(rest) : { host: "", path: rest };
  if (typeof located === "string") return located;
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/u.exec(located.path)?.[0];
  return escape === undefined ? located : `invalid URL escape ${goQuote(escape)}`;
}

type Location = Pick<Parts, "host" | "path">;

/** The host and path of `//host/path`. */
function hostAndPath(rest: string): Location | string {
  const end = rest.indexOf("/", 2);
  const authority = end < 0 ? rest.slice(2) : rest.slice(2, end);
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return hostFault(host) ?? { host, path: end < 0 ? "" : rest.slice(end) };
}

function hostFault(host: string): string | undefined {
  const bracket = host.lastIndexOf("]");
  if (host.startsWith("[") && bracket < 0) return "missing ']' in host";
  const port = host.startsWith("[") ? host.slice(bracket + 1) : (/:[^:]*$/.exec(host)?.[0] ?? "");
  if (!/^(?::\d*)?$/.test(port)) return `invalid port ${goQuote(port)} after host`;
  const wrong = /[ "<>^`{|}\\]/.exec(host)?.[0];
  return wrong === undefined ? undefined : `invalid character ${goQuote(wrong)} in host name`;
}

/** The path with illegal characters escaped; existing escapes are kept. */
const escapedPath = (path: string): string =>
  path.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]]+/gu, (part) =>
    part.startsWith("%") ? part : encodeURIComponent(part).replace(/%25(?=[0-9A-F]{2})/g, "%"),
  );

const withoutPort = (host: string): string =>
  host.startsWith("[") ? host.slice(1, host.lastIndexOf("]")) : host.replace(/:[^:]*$/, "");

function queryOf(query: string): Value {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const at = pair.indexOf("=");
    const [key, value] = [at < 0 ? pair : pair.slice(0, at), at < 0 ? "" : pair.slice(at + 1)].map(unescaped);
    if (key === undefined || value === undefined) continue;
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  const result = new EntryMap();
  for (const [key, all] of values) result.set(key, new ArrayList(all));
  return result;
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

const part = (id: string, of: (parts: Parts) => Value, result = "string"): Overload =>
  overload(id, `kubernetes.URL.() -> ${result}`, ([{ parts, text }]: [Url], meter) => {
    meter.read(text.length);
    return of(parts);
  });

export const urlLibrary: Library = {
  url: [
    overload("string_to_url", "(string) -> kubernetes.URL", ([text]: [string], meter) => {
      meter.read(text.length);
      const wrong = uriFault(text);
      const parts = wrong === undefined ? parse(text, false) : wrong;
      if (typeof parts !== "string") return new Url(text, parts);
      return new ErrorValue(
        `URL parse error during conversion from string: ${wrong ?? `parse ${goQuote(text)}: ${parts}`}`,
      );
    }),
  ],
  isURL: [
    overload("is_url_string", "(string) -> bool", ([text]: [string], meter) => {
      meter.read(text.length);
      return uriFault(text) === undefined;
    }),
  ],
  getScheme: [part("url_get_scheme", ({ scheme }) => scheme)],
  getHost: [part("url_get_host", ({ host }) => host)],
  getHostname: [part("url_get_hostname", ({ host }) => withoutPort(host))],
  getPort: [part("url_get_port", ({ host }) => /:(\d*)$/.exec(host)?.[1] ?? "")],
  getEscapedPath: [part("url_get_escaped_path", ({ path }) => escapedPath(path))],
  getQuery: [part("url_get_query", ({ query }) => queryOf(query), "map(string, list(string))")],
};
