/** Credentials from a program, as client.authentication.k8s.io defines the protocol. */
import { defined } from "../../base/defined.js";
import type { Clock } from "../../base/index.js";
import { ConnectionError, messageOf } from "../failure.js";
import type { EnvironmentVariables } from "../transport/proxy-choice.js";
import type { AccessConfig } from "./access.js";
import { Redacted } from "./redacted.js";

export interface ExecCredential {
  readonly token?: Redacted;
  readonly certificate?: { readonly cert: string; readonly key: Redacted };
  /** The wall time of expiry. */
  readonly expiresAtMs?: number;
}

export interface ExecCredentials {
  /** Runs the program if there is no valid credential; concurrent callers share one run. */
  current(): Promise<ExecCredential>;
  /** Called when the server refused this credential. True if another one is now current. */
  replace(refused: ExecCredential): Promise<boolean>;
}

export interface ExecPluginOptions {
  readonly plugin: NonNullable<AccessConfig["exec"]>;
  readonly clock: Clock;
  readonly env: EnvironmentVariables;
  /** Whether a person is at the terminal. */
  readonly interactive?: boolean;
}

/** Shared credentials by clock and environment, which tests replace, and then by configuration. */
const shared = new WeakMap<Clock, WeakMap<EnvironmentVariables, Map<string, ExecCredentials>>>();

/**
 * Clients of one process whose plug-ins are configured alike share one credential: the program, which may ask a person
 * or a distant service, runs once for all of them.
 */
export function sharedExecCredentials(options: ExecPluginOptions): ExecCredentials {
  const { clock, env, plugin } = options;
  const ofClock = shared.get(clock) ?? new WeakMap<EnvironmentVariables, Map<string, ExecCredentials>>();
  shared.set(clock, ofClock);
  const alike = ofClock.get(env) ?? new Map<string, ExecCredentials>();
  ofClock.set(env, alike);
  const own = plugin.env?.map(({ name, value }) => [name, value.reveal()]);
  const key = JSON.stringify({ ...plugin, env: own });
  const credentials = alike.get(key) ?? execCredentials(options);
  alike.set(key, credentials);
  return credentials;
}

function execCredentials(options: ExecPluginOptions): ExecCredentials {
  const { clock } = options;
  let current: ExecCredential | undefined;
  let running: Promise<ExecCredential> | undefined;

  const run = (): Promise<ExecCredential> => {
    running ??= runPlugin(options)
      .then((credential) => (current = credential))
      .finally(() => (running = undefined));
    return running;
  };

  return {
    async current() {
      if (current === undefined || (current.expiresAtMs ?? Number.POSITIVE_INFINITY) <= clock.now()) return run();
      return current;
    },
    async replace(refused) {
      if (current === refused) await run();
      return current !== refused;
    },
  };
}

function failed(plugin: ExecPluginOptions["plugin"], why: string, cause?: unknown): ConnectionError {
  return new ConnectionError("credentials", `exec plug-in ${plugin.command}: ${why}`, { cause });
}

async function runPlugin({ plugin, env, clock, interactive: person }: ExecPluginOptions): Promise<ExecCredential> {
  const mode = plugin.interactiveMode ?? "IfAvailable";
  const available = person ?? process.stdin.isTTY === true;
  if (mode === "Always" && !available) throw failed(plugin, "it needs a terminal (interactiveMode is Always)");
  const interactive = mode !== "Never" && available;
  const request = {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: { ...defined({ cluster: plugin.cluster }), interactive },
  };
  const own = Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value.reveal()]));
  const output = await outputOf(plugin, {
    env: { ...env, ...own, KUBERNETES_EXEC_INFO: JSON.stringify(request) },
    interactive,
    clock,
  });
  return parseCredential(plugin, output);
}

/** Limit on the output; certificates with their chains are some kilobytes. */
const maxOutput = 1024 * 1024;
/** Limit on the run time, so that callers do not wait for ever. */
const maxRunMs = 60_000;

async function outputOf(
  plugin: ExecPluginOptions["plugin"],
  {
    env,
    interactive,
    clock,
  }: { readonly env: EnvironmentVariables; readonly interactive: boolean; readonly clock: Clock },
): Promise<string> {
  const { spawn } = await import("node:child_process");
  const stdio = [interactive ? "inherit" : "ignore", "pipe", interactive ? "inherit" : "pipe"] as const;
  const child = spawn(plugin.command, [...(plugin.args ?? [])], { env, stdio: [...stdio], windowsHide: true });
  let output = "";
  let complaint = "";
  let ended: string | undefined;
  /** Ends the program. Processes that it started may hold its output open; these are not waited for. */
  const end = (why: string): void => {
    ended ??= why;
    child.kill("SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  // a person who is asked for a password may take any time
  using _late = interactive ? undefined : clock.timer(maxRunMs, () => end(`it has not ended within ${maxRunMs} ms`));
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (output.length > maxOutput) end(`its output has more than ${maxOutput} characters`);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (complaint = (complaint + text).slice(-500)));
  return await new Promise((resolve, reject) => {
    child.once("error", (error) => {
      const hint = plugin.installHint === undefined ? "" : `\n${plugin.installHint}`;
      reject(failed(plugin, `it cannot be run: ${messageOf(error)}${hint}`, error));
    });
    child.once("close", (code, signal) => {
      if (ended !== undefined) reject(failed(plugin, ended));
      else if (code === 0) resolve(output);
      else reject(failed(plugin, `it ended with ${signal ?? `code ${code}`}: ${complaint.trim() || "no message"}`));
    });
  });
}

interface Answer {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

/** The output may hold secrets, so messages describe the fault and never quote it. */
function parseCredential(plugin: ExecPluginOptions["plugin"], output: string): ExecCredential {
  let answer: Answer;
  try {
    answer = JSON.parse(output) as Answer;
  } catch {
    throw failed(plugin, "its output is not JSON");
  }
  if (answer?.kind !== "ExecCredential") throw failed(plugin, "its output is not an ExecCredential");
  if (answer.apiVersion !== plugin.apiVersion) {
    throw failed(plugin, `it answered in ${String(answer.apiVersion)}, but ${plugin.apiVersion} was asked for`);
  }
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = answer.status ?? {};
  if (!token && !cert && !key) throw failed(plugin, "its output has neither a token nor a certificate");
  if (Boolean(cert) !== Boolean(key)) throw failed(plugin, "its output has only one of certificate and key");
  const expiresAtMs = expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp);
  if (Number.isNaN(expiresAtMs)) throw failed(plugin, "its expirationTimestamp is not a time");
  return defined({
    token: token ? new Redacted(token) : undefined,
    certificate: cert && key ? { cert, key: new Redacted(key) } : undefined,
    expiresAtMs,
  });
}
