/** The flags that all controller programs share: parsed from the command line, for `connect`, the manager and the logger. */
import { parseArgs } from "node:util";
import { defined } from "../../base/defined.js";
import { createLogger, type LogLevel, type Logger, messageOf } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import { bytesOf } from "../../controller/cache/options.js";
import type { WebhookServerOptions } from "../../webhook/index.js";
import type { ManagerOptions } from "../options.js";
import { camelCase, checkDeclaration, type FlagValues, type OwnFlags, ownFlagsHelp, ownValue } from "./own-flags.js";

export interface ManagerFlags {
  /** "" if not given: then the environment, the pod's service account or the user's file decide. */
  readonly kubeconfig: string;
  /** The server's address; overrides the kubeconfig's. */
  readonly master: string;
  /** "" for all namespaces. */
  readonly namespace: string;
  readonly leaderElect: boolean;
  /** Controllers that shall not reconcile: names with commas between them, `*` for all; "" for none. */
  readonly pause: string;
  /** The memory of all caches together, as `200Mi`; "" for no limit. */
  readonly cacheMemory: string;
  /** `:8080` or `127.0.0.1:8080`; "" or "0" for none. */
  readonly metricsAddress: string;
  /** The Service in front of this program's webhooks, in the client's namespace; "" if the server finds them on this machine. */
  readonly webhookService: string;
  /** `192.168.1.7:9443`, at which the server reaches the webhooks; with a Service, where they listen; "0" for no webhooks. */
  readonly webhookAddress: string;
  /** 0 logs information, 4 and more logs details. */
  readonly verbosity: number;
  readonly logFormat: "text" | "json";
}

/** The exit code for a malformed command line. */
export const usageExitCode = 2;

/** A malformed command line; the message says what is wrong and shows the usage. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const shared = {
  kubeconfig: { type: "string", default: "" },
  master: { type: "string", default: "" },
  namespace: { type: "string", default: "" },
  "leader-elect": { type: "boolean", default: false },
  pause: { type: "string", default: "" },
  "cache-memory": { type: "string", default: "" },
  "metrics-address": { type: "string", default: "" },
  "webhook-service": { type: "string", default: "" },
  "webhook-address": { type: "string", default: "" },
  v: { type: "string", short: "v", default: "0" },
  "log-format": { type: "string", default: "text" },
  help: { type: "boolean", short: "h", default: false },
} as const;

const sharedHelp = `  --kubeconfig <file>        the cluster and the credentials; only needed outside of a cluster
  --master <url>             the address of the API server; overrides the one in the kubeconfig
  --namespace <name>         look only at this namespace
  --leader-elect             only one of several replicas works at a time
  --pause <names>            controllers that shall not reconcile, e.g. web,backup; * for all
  --cache-memory <amount>    how much memory all caches may take, e.g. 200Mi; beyond it more is read from the server
  --metrics-address <addr>   where to serve /metrics, /healthz and /readyz, e.g. :8080
  --webhook-service <name>   the Service in front of the webhooks; without it the server finds them on loopback
  --webhook-address <addr>   this machine's address for them, if the server is not on it: host:port; 0 serves none
  -v <number>                how much to log: 0 is information, 4 is details
  --log-format text|json
`;

/** Help for the program's own flags, followed by the shared ones. Throws TypeError for invalid declarations. */
export function flagsHelp(own: OwnFlags = {}): string {
  checkDeclaration(own, shared);
  return `flags:\n${ownFlagsHelp(own)}${sharedHelp}`;
}

/**
 * Flags may be written with one dash or two, as in Go programs. Throws UsageError, or TypeError for invalid
 * declarations in `own`.
 */
export function parseFlags<Own extends OwnFlags = Record<never, never>>(
  args: readonly string[],
  own?: Own,
): ManagerFlags & FlagValues<Own> {
  checkDeclaration(own ?? {}, shared);
  const values = textsOf(args, own ?? {});
  if (values["help"] === true) throw new UsageError(flagsHelp(own));
  return { ...sharedValues(values), ...ownValues(values, own ?? {}) } as ManagerFlags & FlagValues<Own>;
}

type Texts = Readonly<Record<string, string | boolean | undefined>>;

function textsOf(args: readonly string[], own: OwnFlags): Texts {
  const declared = Object.entries(own).map(([name, { type, short }]) => {
    const kind = type === "boolean" ? ("boolean" as const) : ("string" as const);
    return [name, short === undefined ? { type: kind } : { type: kind, short }] as const;
  });
  const options = { ...shared, ...Object.fromEntries(declared) };
  const known = new Set(Object.keys(options));
  const doubled = args.map((arg) => {
    if (arg.startsWith("-v=")) return `-${arg}`;
    const name = /^-([a-z][a-z-]+)(?:=.*)?$/.exec(arg)?.[1];
    return name !== undefined && known.has(name) ? `-${arg}` : arg;
  });
  try {
    return parseArgs({ args: doubled, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(
      `${messageOf(error)}
${flagsHelp(own)}`,
      { cause: error },
    );
  }
}

function sharedValues(values: Texts): ManagerFlags {
  const textOf = (name: string): string => String(values[name] ?? "");
  const logFormat = textOf("log-format");
  if (logFormat !== "text" && logFormat !== "json")
    throw new UsageError(`--log-format must be text or json, not ${logFormat}`);
  const verbosity = Number(values["v"]);
  if (!Number.isInteger(verbosity) || verbosity < 0) throw new UsageError(`-v must be a number, not ${textOf("v")}`);
  return {
    kubeconfig: textOf("kubeconfig"),
    master: textOf("master"),
    namespace: textOf("namespace"),
    leaderElect: values["leader-elect"] === true,
    pause: textOf("pause"),
    cacheMemory: amountOf("cache-memory", textOf("cache-memory")),
    metricsAddress: textOf("metrics-address"),
    webhookService: textOf("webhook-service"),
    webhookAddress: textOf("webhook-address"),
    verbosity,
    logFormat,
  };
}

/** The text, once it is sure that it is an amount of memory. */
function amountOf(flag: string, text: string): string {
  try {
    if (text !== "") bytesOf(`--${flag}`, text);
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
  return text;
}

function ownValues(values: Texts, own: OwnFlags): Readonly<Record<string, unknown>> {
  const entries = Object.entries(own).map(([name, flag]) => {
    const text = values[name];
    if (text === undefined) return [camelCase(name), flag.default ?? (flag.type === "boolean" ? false : undefined)];
    try {
      return [camelCase(name), ownValue(name, flag, text)];
    } catch (error) {
      throw new UsageError(messageOf(error), { cause: error });
    }
  });
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

export function loggerFrom({ verbosity, logFormat }: Pick<ManagerFlags, "verbosity" | "logFormat">): Logger {
  const level: LogLevel = verbosity >= 4 ? "debug" : "info";
  return createLogger({ level, format: logFormat });
}

/**
 * Turns flags into options for `Manager.create`. `name` is the name of the lease that replicas share and of the webhooks'
 * configurations; the Secret with their certificates is `name-webhooks`. Lease and Secret are in the client's namespace.
 */
export function managerOptionsFrom(
  flags: ManagerFlags,
  { name, client, log }: { readonly name: string; readonly client: Client; readonly log: Logger },
): ManagerOptions {
  const http = parseAddress(flags.metricsAddress);
  const { namespace } = client;
  return {
    client,
    log,
    ...(flags.namespace === "" ? {} : { namespaces: [flags.namespace] }),
    lease: { namespace, name },
    ...(flags.leaderElect ? { leaderElection: {} } : {}),
    ...(flags.pause === "" ? {} : { paused: flags.pause.split(",").map((controller) => controller.trim()) }),
    ...defined({ cacheMemory: flags.cacheMemory || undefined, http }),
    // served only if there are webhooks or conversions
    ...(flags.webhookAddress === "0" ? {} : { webhooks: webhooksFrom(flags, { name, namespace }) }),
  };
}

function webhooksFrom(
  { webhookService: service, webhookAddress }: ManagerFlags,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): WebhookServerOptions {
  const address = parseAddress(webhookAddress);
  const isAll = address?.host === undefined || address.host === "0.0.0.0" || address.host === "::";
  if (service === "" && address !== undefined && isAll)
    throw new UsageError(`--webhook-address ${webhookAddress}: the server needs a host to find the webhooks`);
  return {
    name,
    certificates: { secret: { name: `${name}-webhooks`, namespace } },
    ...(service === "" ? { port: 0 } : { service: { name: service, namespace } }),
    ...address,
  };
}

/** `:8080` means every address, and has no host; undefined if nothing shall be served. */
export function parseAddress(address: string): { readonly host?: string; readonly port: number } | undefined {
  if (address === "" || address === "0") return undefined;
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new UsageError(`an address reads host:port, not ${JSON.stringify(address)}`);
  const host = match[1] || match[2];
  return host ? { host, port } : { port };
}
