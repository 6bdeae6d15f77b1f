/** Chooses the proxy for a server from the environment, by the rules of Go programs. Pure. */
import { isIP, BlockList } from "node:net";
import { isLoopback } from "../../base/index.js";
import { hostOf, portOf } from "./endpoint.js";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** HTTPS_PROXY or HTTP_PROXY by the server's scheme, unless NO_PROXY excepts the host. Loopback is never proxied. */
export function proxyFromEnvironment(server: URL, environment: EnvironmentVariables): URL | undefined {
  if (isLoopback(hostOf(server))) return undefined;
  const chosen = server.protocol === "https:" ? either(environment, "HTTPS_PROXY") : either(environment, "HTTP_PROXY");
  if (!chosen || isExcepted(server, either(environment, "NO_PROXY") ?? "")) return undefined;
  return parseProxy(chosen);
}

/** A proxy without a scheme means http. */
export function parseProxy(text: string): URL {
  return new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
}

function either(environment: EnvironmentVariables, name: string): string | undefined {
  return environment[name] || environment[name.toLowerCase()];
}

function isExcepted(server: URL, exceptions: string): boolean {
  const host = hostOf(server).toLowerCase();
  return exceptions
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== "" && covers(entry, host, portOf(server)));
}

function covers(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return inNetwork(entry, host);
  const withPort = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry);
  if (withPort !== null && Number(withPort[2]) !== port) return false;
  const name = (withPort?.[1] ?? entry).replace(/^\[(.*)\]$/, "$1");
  if (isIP(name) !== 0) return name === host;
  const suffix = name.replace(/^\*/, "");
  return suffix.startsWith(".") ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function inNetwork(entry: string, host: string): boolean {
  const family = isIP(host);
  const [network = "", bits = ""] = entry.split("/");
  if (family === 0 || isIP(network) !== family || !/^\d+$/.test(bits)) return false;
  const list = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  try {
    list.addSubnet(network, Number(bits), type);
  } catch {
    return false;
  }
  return list.check(host, type);
}
