/** The functions that Kubernetes adds to CEL, for one environment. What a rule may call besides the language itself. */
import { isIP } from "node:net";
import type { Environment } from "@marcbachmann/cel-js";
import { deepEqual, Quantity } from "../../../api/index.js";
import { Pattern } from "../pattern/pattern.js";
import { spend, spendOnPattern } from "./metering.js";
import { Cidr, IpAddress, isCidrText, parseCidr, parseIp } from "./addresses.js";

type List = readonly unknown[];

const equal = (a: unknown, b: unknown): boolean =>
  typeof a === "object" && typeof b === "object" ? deepEqual(plain(a), plain(b)) : a === b;

/** Bigints are not JSON; text is as good for comparing. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

function has(list: List, item: unknown): boolean {
  spend(list.length);
  return list.some((one) => equal(one, item));
}

function compare(a: unknown, b: unknown): number {
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}

function sum(list: List): unknown {
  const [first, ...rest] = list;
  return rest.reduce((total, item) => (total as number) + (item as number), first ?? 0n);
}

function extreme(list: List, sign: 1 | -1): unknown {
  if (list.length === 0) throw new Error(sign === 1 ? "max called on empty list" : "min called on empty list");
  return list.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

function flattened(list: List, depth: number): List {
  return list.flatMap((item) => (Array.isArray(item) && depth > 0 ? flattened(item as List, depth - 1) : [item]));
}

function registerLists(environment: Environment): void {
  environment
    .registerFunction("list.isSorted(): bool", (list: List) =>
      list.every((item, i) => i === 0 || compare(list[i - 1], item) <= 0),
    )
    .registerFunction("list.sum(): dyn", sum)
    .registerFunction("list.min(): dyn", (list: List) => extreme(list, -1))
    .registerFunction("list.max(): dyn", (list: List) => extreme(list, 1))
    .registerFunction("list.indexOf(dyn): int", (list: List, item: unknown) =>
      BigInt(list.findIndex((one) => equal(one, item))),
    )
    .registerFunction("list.lastIndexOf(dyn): int", (list: List, item: unknown) =>
      BigInt(list.findLastIndex((one) => equal(one, item))),
    )
    .registerFunction("list.slice(int, int): list", (list: List, from: bigint, to: bigint) =>
      list.slice(Number(from), Number(to)),
    )
    .registerFunction("list.flatten(): list", (list: List) => flattened(list, 1))
    .registerFunction("list.flatten(int): list", (list: List, depth: bigint) => flattened(list, Number(depth)))
    .registerFunction("list.distinct(): list", (list: List) =>
      list.filter((item, i) => {
        spend(i);
        return list.findIndex((one) => equal(one, item)) === i;
      }),
    )
    .registerFunction("list.reverse(): list", (list: List) => [...list].reverse())
    .registerFunction("list.sort(): list", (list: List) => list.toSorted(compare));
}

class SetsNamespace {}

function registerSets(environment: Environment): void {
  environment
    .registerType("kubernetes.Sets", SetsNamespace)
    .registerConstant("sets", "kubernetes.Sets", new SetsNamespace())
    .registerFunction("kubernetes.Sets.contains(list, list): bool", (_: unknown, a: List, b: List) =>
      b.every((item) => has(a, item)),
    )
    .registerFunction(
      "kubernetes.Sets.equivalent(list, list): bool",
      (_: unknown, a: List, b: List) => a.every((item) => has(b, item)) && b.every((item) => has(a, item)),
    )
    .registerFunction("kubernetes.Sets.intersects(list, list): bool", (_: unknown, a: List, b: List) =>
      a.some((item) => has(b, item)),
    );
}

function registerText(environment: Environment): void {
  const found = (text: string, pattern: string): Iterable<string> => Pattern.of(pattern).matches(text, spendOnPattern);
  environment
    .registerFunction("string.charAt(int): string", (text: string, at: bigint) => text.charAt(Number(at)))
    .registerFunction("string.replace(string, string): string", (text: string, from: string, to: string) =>
      text.replaceAll(from, to),
    )
    .registerFunction(
      "string.replace(string, string, int): string",
      (text: string, from: string, to: string, times: bigint) => replaceSome(text, [from, to], times),
    )
    .registerFunction("string.reverse(): string", (text: string) => Array.from(text).reverse().join(""))
    .registerFunction("string.find(string): string", (text: string, pattern: string) => {
      const [first = ""] = found(text, pattern);
      return first;
    })
    .registerFunction("string.findAll(string): list<string>", (text: string, pattern: string) =>
      Array.from(found(text, pattern)),
    )
    .registerFunction("string.findAll(string, int): list<string>", (text: string, pattern: string, most: bigint) =>
      firstOf(found(text, pattern), most < 0n ? Number.POSITIVE_INFINITY : Number(most)),
    )
    .registerFunction("string.format(list): string", formatText);
}

function firstOf(found: Iterable<string>, most: number): readonly string[] {
  const kept: string[] = [];
  if (most === 0) return kept;
  for (const one of found) if (kept.push(one) === most) break;
  return kept;
}

function replaceSome(text: string, [from, to]: readonly [string, string], times: bigint): string {
  if (times < 0n) return text.replaceAll(from, to);
  const parts = text.split(from);
  const kept = Math.min(Number(times), parts.length - 1);
  return parts.slice(0, kept + 1).join(to) + (kept < parts.length - 1 ? from + parts.slice(kept + 1).join(from) : "");
}

function formatText(pattern: string, values: List): string {
  let next = 0;
  return pattern.replace(
    /%(%|(?:\.(\d+))?([sdfeboxX]))/g,
    (_, whole: string, digits: string | undefined, verb: string) => {
      if (whole === "%") return "%";
      const value = values[next++];
      switch (verb) {
        case "f":
          return Number(value).toFixed(digits === undefined ? 6 : Number(digits));
        case "e":
          return Number(value).toExponential(digits === undefined ? 6 : Number(digits));
        case "b":
          return typeof value === "boolean" ? String(Number(value)) : (value as bigint).toString(2);
        case "o":
          return (value as bigint).toString(8);
        case "x":
        case "X": {
          const text = typeof value === "bigint" ? value.toString(16) : Buffer.from(String(value)).toString("hex");
          return verb === "X" ? text.toUpperCase() : text;
        }
        default:
          return Array.isArray(value) ? `[${value.map(String).join(", ")}]` : String(value);
      }
    },
  );
}

function registerUrls(environment: Environment): void {
  const isUrl = (text: string): boolean => text.startsWith("/") || URL.canParse(text);
  environment
    .registerType("kubernetes.URL", URL)
    .registerFunction("isURL(string): bool", isUrl)
    .registerFunction("url(string): kubernetes.URL", (text: string) => {
      if (!isUrl(text))
        throw new Error(
          `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
        );
      return text.startsWith("/") ? new URL(text, "none://") : new URL(text);
    })
    .registerFunction("kubernetes.URL.getScheme(): string", (url: URL) =>
      url.protocol === "none:" ? "" : url.protocol.slice(0, -1),
    )
    .registerFunction("kubernetes.URL.getHost(): string", (url: URL) => url.host)
    .registerFunction("kubernetes.URL.getHostname(): string", (url: URL) => url.hostname.replace(/^\[|\]$/g, ""))
    .registerFunction("kubernetes.URL.getPort(): string", (url: URL) => url.port)
    .registerFunction("kubernetes.URL.getEscapedPath(): string", (url: URL) => url.pathname)
    .registerFunction("kubernetes.URL.getQuery(): map", (url: URL) =>
      Object.fromEntries([...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)])),
    );
}

function registerQuantities(environment: Environment): void {
  const parse = (text: string): Quantity => Quantity.parse(text);
  const isQuantity = (text: string): boolean => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const sign = (one: Quantity, other: Quantity): number => one.compare(other);
  environment
    .registerType("kubernetes.Quantity", Quantity)
    .registerFunction("isQuantity(string): bool", isQuantity)
    .registerFunction("quantity(string): kubernetes.Quantity", parse)
    .registerFunction(
      "kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool",
      (a: Quantity, b: Quantity) => sign(a, b) > 0,
    )
    .registerFunction(
      "kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool",
      (a: Quantity, b: Quantity) => sign(a, b) < 0,
    )
    .registerFunction("kubernetes.Quantity.compareTo(kubernetes.Quantity): int", (a: Quantity, b: Quantity) =>
      BigInt(sign(a, b)),
    )
    .registerFunction("kubernetes.Quantity.sign(): int", (a: Quantity) => BigInt(sign(a, parse("0"))))
    .registerFunction("kubernetes.Quantity.asApproximateFloat(): double", (a: Quantity) => a.asApproximateFloat())
    .registerFunction("kubernetes.Quantity.isInteger(): bool", (a: Quantity) =>
      Number.isInteger(a.asApproximateFloat()),
    )
    .registerFunction("kubernetes.Quantity.asInteger(): int", (a: Quantity) => a.value())
    .registerFunction("kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity", (a: Quantity, b: Quantity) =>
      a.add(b),
    )
    .registerFunction("kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity", (a: Quantity, b: Quantity) =>
      a.sub(b),
    );
}

function registerAddresses(environment: Environment): void {
  environment
    .registerType("net.IP", IpAddress)
    .registerType("net.CIDR", Cidr)
    .registerFunction("isIP(string): bool", (text: string) => isIP(text) !== 0)
    .registerFunction("ip(string): net.IP", parseIp)
    .registerFunction("net.IP.family(): int", (ip: IpAddress) => BigInt(ip.version))
    .registerFunction("net.IP.isLoopback(): bool", (ip: IpAddress) => ip.isLoopback)
    .registerFunction("net.IP.isUnspecified(): bool", (ip: IpAddress) => ip.bits === 0n)
    .registerFunction("net.IP.isLinkLocalUnicast(): bool", (ip: IpAddress) => ip.isLinkLocal)
    .registerFunction("net.IP.isGlobalUnicast(): bool", (ip: IpAddress) => ip.isGlobal)
    .registerFunction("isCIDR(string): bool", isCidrText)
    .registerFunction("cidr(string): net.CIDR", parseCidr)
    .registerFunction("net.CIDR.ip(): net.IP", (cidr: Cidr) => cidr.address)
    .registerFunction("net.CIDR.prefixLength(): int", (cidr: Cidr) => BigInt(cidr.length))
    .registerFunction("net.CIDR.masked(): net.CIDR", (cidr: Cidr) => cidr.masked())
    .registerFunction("net.CIDR.containsIP(net.IP): bool", (cidr: Cidr, ip: IpAddress) => cidr.contains(ip))
    .registerFunction("net.CIDR.containsIP(string): bool", (cidr: Cidr, ip: string) => cidr.contains(parseIp(ip)))
    .registerFunction(
      "net.CIDR.containsCIDR(net.CIDR): bool",
      (cidr: Cidr, other: Cidr) => other.length >= cidr.length && cidr.contains(other.address),
    )
    .registerFunction("net.CIDR.containsCIDR(string): bool", (cidr: Cidr, text: string) => {
      const other = parseCidr(text);
      return other.length >= cidr.length && cidr.contains(other.address);
    });
}

export function registerLibrary(environment: Environment): void {
  for (const register of [
    registerLists,
    registerSets,
    registerText,
    registerUrls,
    registerQuantities,
    registerAddresses,
  ])
    register(environment);
}
