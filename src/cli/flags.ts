/** Parsers of flag values; a bad value is an error that commander reports with the flag's name. */
import { isIP } from "node:net";
import { InvalidArgumentError, Option } from "commander";
import type { ApiServerOptions } from "../apiserver/index.js";
import { featureGates, type FeatureGate, readGates } from "../apiserver/configuration/feature-gates.js";
import { defined } from "../base/defined.js";
import { createLogger, type LogLevel, type Logger } from "../base/index.js";
import { parseRange } from "../base/net/ranges.js";

interface NumberRule {
  readonly min: number;
  readonly max: number;
  /** Completes "It must be …". */
  readonly what: string;
  /** True if the number may have a fraction. */
  readonly fraction?: boolean;
}

/** A parser for commander that refuses anything but such a number. */
export function numberParser({ min, max, what, fraction = false }: NumberRule): (text: string) => number {
  return (text) => {
    const number = (fraction ? /^\d+(\.\d+)?$/ : /^\d{1,9}$/).test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max)) throw new InvalidArgumentError(`It must be ${what}.`);
    return number;
  };
}

export const parsePort: (text: string) => number = numberParser({
  min: 0,
  max: 65_535,
  what: "a port number from 0 to 65535 (0 takes a free one)",
});

export const parseCount: (text: string) => number = numberParser({
  min: 0,
  max: 5_000,
  what: "a number from 0 to 5000",
});

export const parseDevices: (text: string) => number = numberParser({
  min: 0,
  max: 64,
  what: "a number from 0 to 64",
});

export const parseSpeed: (text: string) => number = numberParser({
  min: 0.001,
  max: 1_000_000,
  what: "a number from 0.001 to 1000000; 10 is ten times as fast",
  fraction: true,
});

export function parseBindAddress(text: string): string {
  if (isIP(text) === 0 && text !== "localhost") {
    throw new InvalidArgumentError("It must be an IP address of this machine, such as 127.0.0.1, 0.0.0.0 or ::1.");
  }
  return text;
}

/** One CIDR, or one of each family. */
function parseServiceRange(text: string): string {
  const families = text.split(",").map((one) => parseRange(one.trim())?.family);
  if (families.length > 2 || families.includes(undefined) || new Set(families).size !== families.length) {
    throw new InvalidArgumentError(
      "It must be a CIDR such as 10.96.0.0/16, or one of each family: 10.96.0.0/16,fd00::/112.",
    );
  }
  return text;
}

/** As upstream, the plug-ins that are on in any case may be named too. */
const parsePlugins = (text: string): readonly string[] => text.split(",").filter((name) => name !== "");

function parseGates(text: string): ReadonlySet<FeatureGate> {
  const { on, unknown } = readGates(text.split(","));
  if (unknown.length === 0) return on;
  throw new InvalidArgumentError(
    `It must be of ${[...featureGates].join(", ")}, with =true or =false, and commas between.`,
  );
}

export function parsePath(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must be the path of a file or folder.");
  return text;
}

export function parseName(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError("It must be a name of small letters, digits, '-' and '.'.");
  }
  return text;
}

/** Whether simulated containers do as their commands would. */
export const followCommandsOption = (): Option =>
  new Option(
    "--follow-commands",
    "let containers end and log as simple commands would (sleep 30, sh -c 'exit 3'), which are read and never run",
  ).default(false);

/** The flags of a command that serves the API. */
export interface ServerFlags extends LogFlags {
  readonly bind: string;
  readonly port: number;
  readonly dataDir?: string;
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
  readonly admissionControlConfigFile?: string;
  readonly maxObjectBytes: number;
  readonly serviceClusterIpRange?: string;
  readonly enableBootstrapTokenAuth: boolean;
  readonly featureGates: ReadonlySet<FeatureGate>;
}

/** The options of a server that its flags set; that of its data is the command's own. */
export const serverSettings = (flags: ServerFlags): ApiServerOptions => ({
  enabledAdmission: flags.enableAdmissionPlugins,
  disabledAdmission: flags.disableAdmissionPlugins,
  ...(flags.admissionControlConfigFile && { admissionConfiguration: { file: flags.admissionControlConfigFile } }),
  limits: { objectBytes: flags.maxObjectBytes },
  bootstrapTokens: flags.enableBootstrapTokenAuth,
  cbor: flags.featureGates.has("CBORServingAndStorage"),
  serviceNetwork: defined({ cidr: flags.serviceClusterIpRange }),
});

const maxObjectBytes = 64 * 1024 * 1024;

export const serverOptions = (): readonly Option[] => [
  new Option("--bind <address>", "the address to listen on").argParser(parseBindAddress).default("127.0.0.1"),
  new Option("--port <port>", "the port of the API server; 0 takes a free one").argParser(parsePort).default(6443),
  new Option(
    "--data-dir <folder>",
    "keep objects in this folder; without it they are gone when the server stops",
  ).argParser(parsePath),
  new Option(
    "--enable-admission-plugins <names>",
    "switch on admission plug-ins that are off by default, as NodeRestriction and AlwaysPullImages are",
  )
    .argParser(parsePlugins)
    .default([], "none"),
  new Option("--disable-admission-plugins <names>", "switch off admission plug-ins that are on by default")
    .argParser(parsePlugins)
    .default([], "none"),
  new Option(
    "--admission-control-config-file <file>",
    "the settings of admission plug-ins: an AdmissionConfiguration",
  ).argParser(parsePath),
  new Option(
    "--max-object-bytes <bytes>",
    "the largest object that is stored; as large as in a real cluster unless told",
  )
    .argParser(
      numberParser({ min: 1024, max: maxObjectBytes, what: `a number of bytes from 1024 to ${maxObjectBytes}` }),
    )
    .default(1.5 * 1024 * 1024),
  new Option(
    "--service-cluster-ip-range <cidrs>",
    "the addresses of services: a range, or one of each family (10.96.0.0/16,fd00::/112)",
  ).argParser(parseServiceRange),
  new Option("--enable-bootstrap-token-auth", "let bootstrap tokens in kube-system authenticate").default(false),
  new Option(
    "--feature-gates <gates>",
    `switch on features that are off by default: ${[...featureGates].join(", ")}=true`,
  )
    .argParser(parseGates)
    .default(new Set(), "none"),
  ...logOptions(),
];

export interface LogFlags {
  readonly logLevel: LogLevel | "off";
  readonly logFormat: "text" | "json";
}

export const logOptions = (): readonly Option[] => [
  new Option("--log-level <level>", "the least severe lines to write")
    .choices(["debug", "info", "warn", "error", "off"])
    .default("info"),
  new Option("--log-format <format>", "how lines are written").choices(["text", "json"]).default("text"),
];

/** Colour is left to the logger when lines go to the process's own standard error. */
export function loggerOf(flags: LogFlags, write?: (line: string) => void): Logger {
  return createLogger({ level: flags.logLevel, format: flags.logFormat, ...defined({ write }) });
}
