/** Makes a client from a kubeconfig, flags or a pod's surroundings. The first call of every program that uses the library. */
import { existsSync } from "node:fs";
import { defined } from "../base/defined.js";
import { type Clock, Lifetime, shown, systemClock } from "../base/index.js";
import { Client, type ClientOptions } from "./client.js";
import type { AccessConfig } from "./config/access.js";
import { ConfigError } from "./config/config-error.js";
import { authenticated, credentialsOf } from "./config/credentials.js";
import { sharedExecCredentials } from "./config/exec-plugin.js";
import { inClusterAccess, isInCluster } from "./config/in-cluster.js";
import type { Kubeconfig } from "./config/kubeconfig.js";
import {
  defaultKubeconfigPath,
  environmentPaths,
  loadKubeconfig,
  loadKubeconfigs,
  type Surroundings,
  systemSurroundings,
} from "./config/load.js";
import { type Overrides, parseServer, resolveAccess } from "./config/resolve.js";
import { tlsMaterial } from "./config/tls-material.js";
import { channelOpener } from "./remote/web-socket.js";
import { httpTransport, type HttpTransportOptions } from "./http-transport.js";
import { parseProxy, proxyFromEnvironment } from "./transport/proxy-choice.js";

export interface AccessOptions extends Overrides {
  /** A file, or a kubeconfig that was loaded from one. */
  readonly kubeconfig?: string | Kubeconfig | undefined;
  readonly surroundings?: Surroundings;
}

export interface ConnectOptions
  extends AccessOptions,
    Omit<ClientOptions, "transport" | "close" | "namespace" | "openChannel" | "host">,
    Pick<HttpTransportOptions, "readIdleMs" | "pingTimeoutMs" | "compression" | "http1"> {}

/**
 * `connect({ kubeconfig, master, context })`. Without a kubeconfig it uses the files of KUBECONFIG; else, in a pod, its
 * service account; else ~/.kube/config; else `master` (or KUBERNETES_MASTER) alone. Nothing is sent yet: the first call
 * notices a missing server. Empty text counts as absent, so that flags can be passed on: `connect(flags)`. Disposing
 * the client closes its connections; otherwise they close with the process.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const access = await loadAccess(options);
  return connectTo(access, options);
}

/** A misspelt `kubeconfig` would connect to another cluster, the one that the surroundings name. Other members are the flags of a program. */
function refuseMisspelt(options: unknown): void {
  if (typeof options !== "object" || options === null)
    throw new TypeError(`connect takes options, as in { kubeconfig: "path" }, not ${shown(options)}`);
  const misspelt = Object.keys(options).find((name) =>
    ["kubeconfig", "master", "context"].some((known) => name !== known && name.toLowerCase() === known),
  );
  if (misspelt !== undefined)
    throw new TypeError(`connect: there is no option ${misspelt}; it is written ${misspelt.toLowerCase()}`);
}

/** The configuration that `connect` would use. */
export async function loadAccess(options: AccessOptions = {}): Promise<AccessConfig> {
  refuseMisspelt(options);
  const surroundings = options.surroundings ?? systemSurroundings();
  const overrides = {
    ...options,
    master: options.master || surroundings.env["KUBERNETES_MASTER"] || undefined,
    namespace: options.namespace || undefined,
  };
  const { kubeconfig } = options;
  if (typeof kubeconfig === "object") return resolveAccess(kubeconfig, "kubeconfig", overrides);
  if (kubeconfig) return resolveAccess(await loadKubeconfig(kubeconfig), kubeconfig, overrides);
  const listed = environmentPaths(surroundings);
  if (listed?.some((path) => existsSync(path))) {
    return resolveAccess(await loadKubeconfigs(listed), listed.join(", "), overrides);
  }
  if (isInCluster(surroundings)) return inClusterAccess(surroundings, overrides);
  const usual = defaultKubeconfigPath(surroundings);
  if (listed === undefined && existsSync(usual)) return resolveAccess(await loadKubeconfig(usual), usual, overrides);
  if (overrides.master !== undefined) {
    const server = parseServer(overrides.master, { field: "master" });
    return { source: "master", server, namespace: overrides.namespace ?? "default" };
  }
  const looked = listed === undefined ? usual : `KUBECONFIG=${listed.join(",")}`;
  throw new ConfigError({}, `no configuration: ${looked} does not exist, this is no pod, and no server was named`);
}

export function connectTo(access: AccessConfig, options: Omit<ConnectOptions, keyof Overrides> = {}): Client {
  const clock: Clock = options.clock ?? systemClock;
  const { env } = options.surroundings ?? systemSurroundings();
  const exec = access.exec && sharedExecCredentials({ plugin: access.exec, clock, env });
  const lifetime = new Lifetime();
  const http = lifetime.use(
    httpTransport({
      server: access.server,
      tls: tlsMaterial(access, exec),
      tlsServerName: access.tlsServerName,
      insecureSkipTlsVerify: access.insecureSkipTlsVerify,
      proxy: access.proxy ? parseProxy(access.proxy.reveal()) : proxyFromEnvironment(access.server, env),
      compression: options.compression ?? access.compression,
      ...defined({ readIdleMs: options.readIdleMs, pingTimeoutMs: options.pingTimeoutMs, http1: options.http1 }),
      clock,
    }),
  );
  const credentials = credentialsOf({ access, exec, clock });
  const onRefreshed = (): Promise<void> => http.rotate();
  return new Client({
    ...options,
    namespace: access.namespace,
    host: access.server.host,
    transport: authenticated(http.send, { credentials, onRefreshed }),
    openChannel: channelOpener({
      server: access.server,
      dial: (signal) => http.dial(signal),
      credentials,
      onRefreshed,
    }),
    close: () => lifetime[Symbol.asyncDispose](),
  });
}
