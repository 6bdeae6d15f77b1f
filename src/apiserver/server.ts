/** The API server put together: storage, registry, admission, handler; reachable in-process at once and on a port when it listens. */
import { randomBytes } from "node:crypto";
import {
  type Clock,
  Lifetime,
  linkedAbort,
  type Logger,
  MetricsRegistry,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
  type Transport,
} from "../base/index.js";
import { jsonCodec, protobufCodec, yamlCodec } from "./codec/index.js";
import { namespaceLifecycle } from "./admission/namespace-lifecycle.js";
import { type Authenticator, byCertificate, byIdentity, byToken } from "./auth/authenticate.js";
import { allowEveryone, type Authorizer } from "./auth/authorize.js";
import type { UserInfo } from "./auth/user.js";
import { bootstrap } from "./bootstrap.js";
import { discoveryRoute } from "./http/documents.js";
import { createHandler, defaultLimits, type Handler, type Limits } from "./http/handler.js";
import { healthRoute, isHealthPath, metricsRoute, pathsRoute, versionRoute } from "./http/health.js";
import { createRoute } from "./http/route.js";
import { inProcessTransport } from "./listen/in-process.js";
import { isLoopback, listen, type Listener } from "./listen/listener.js";
import { builtInEndpoints } from "./registry/built-in.js";
import { noFieldManager } from "./registry/field-manager.js";
import { Registry } from "./registry/registry.js";
import type { Machinery } from "./registry/scope.js";
import type { Store } from "./storage/storage.js";
import { MvccStore } from "./storage/store.js";
import { type CertificateAuthority, createAuthority, type KeyAndCertificate } from "./tls/certificate.js";
import { kubeconfigOf } from "./tls/kubeconfig.js";

export interface ApiServerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
  /** Default: memory only. Disposed with the server. */
  readonly store?: Store;
  /** A folder in which objects survive; instead of `store`. */
  readonly dataDir?: string;
  readonly limits?: Partial<Limits>;
  /** Bearer tokens that are believed, besides the administrator's. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** Default: whoever is known may do everything. */
  readonly authorizer?: Authorizer;
  /** Stored objects are frozen deeply: for tests. */
  readonly freeze?: boolean;
}

export interface ListenAddress {
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** False: plain HTTP, on loopback only. Default true. */
  readonly tls?: boolean;
  /** Further names for which the serving certificate is good. */
  readonly hosts?: readonly string[];
}

export interface ServerListener extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** For the administrator, to this address. */
  readonly kubeconfig: string;
  /** PEM of the authority; undefined without TLS. */
  readonly authority: string | undefined;
}

/** Disposing makes it unready, lets requests in flight finish, ends watches and flushes the log, in that order. */
export interface ApiServer extends AsyncDisposable {
  readonly store: Store;
  readonly registry: Registry;
  readonly metrics: MetricsRegistry;
  /** The administrator's bearer token. */
  readonly token: string;
  readonly handle: Handler;
  /** In-process, as the given user; as the administrator if none is given. */
  transport(user?: UserInfo): Transport;
  listen(where?: ListenAddress): Promise<ServerListener>;
}

const administrator: UserInfo = { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };

export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { clock = systemClock, random = systemRandom, log = silentLogger, metrics = new MetricsRegistry() } = options;
  const store = options.store ?? new MvccStore({ clock, freeze: options.freeze ?? false });
  const lifetime = new Lifetime();
  lifetime.use(store);
  const stopping = linkedAbort();
  const token = randomBytes(24).toString("base64url");
  const machinery: Machinery = { store, clock, random, admission: [namespaceLifecycle(store)] };
  const { groups, endpoints } = builtInEndpoints({
    strategies: [],
    fieldManager: noFieldManager,
    table: defaultTable,
    conversions: new Map(),
  });
  const registry = new Registry(groups, endpoints);
  const state = { ready: false, address: "127.0.0.1:443" };
  const route = createRoute({
    special: new Map(),
    documents: [
      discoveryRoute(registry, () => state.address),
      healthRoute({
        checks: { ping: () => undefined, log: () => undefined, storage: () => undefined },
        readiness: {
          shutdown: () => (stopping.signal.aborted ? "stopping" : undefined),
          bootstrap: () => (state.ready ? undefined : "starting"),
        },
      }),
      versionRoute,
      metricsRoute(metrics),
      pathsRoute,
    ],
  });
  const authenticators: readonly Authenticator[] = [
    byIdentity,
    byCertificate,
    byToken((sent) => (sent === token ? administrator : options.tokens?.get(sent))),
  ];
  const { handle, idle } = createHandler({
    machinery,
    registry,
    codecs: [jsonCodec, yamlCodec, protobufCodec],
    authenticators,
    authorizer: options.authorizer ?? allowEveryone,
    limits: { ...defaultLimits, ...options.limits },
    log,
    metrics,
    stopping: stopping.signal,
    route,
    isPublic: (path) => isHealthPath(path),
  });
  lifetime.defer(() => idle());
  await bootstrap(machinery, registry);
  state.ready = true;
  let authority: CertificateAuthority | undefined;
  return {
    store,
    registry,
    metrics,
    token,
    handle,
    transport: (user = administrator) => inProcessTransport(handle, user),
    async listen(where = {}) {
      authority ??= createAuthority({ commonName: "coxswain-ca", now: clock.now() });
      const listener = await listenOn(where, {
        handle,
        authority,
        log,
        token,
        bodyBytes: options.limits?.bodyBytes ?? defaultLimits.bodyBytes,
      });
      state.address = listener.url.replace(/^https?:\/\//, "");
      lifetime.use(listener);
      return listener;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error("the server is stopping"));
      await lifetime[Symbol.asyncDispose]();
    },
  };
}

interface ListenParts {
  readonly handle: Handler;
  readonly authority: CertificateAuthority;
  readonly log: Logger;
  readonly token: string;
  readonly bodyBytes: number;
}

async function listenOn(where: ListenAddress, parts: ListenParts): Promise<ServerListener> {
  const { address = "127.0.0.1", port = 0, tls = true, hosts = [] } = where;
  const { handle, authority, log, bodyBytes } = parts;
  const serving = tls ? servingCertificate(authority, address, hosts) : undefined;
  const listener: Listener = await listen({
    handle,
    address,
    port,
    log,
    bodyBytes,
    ...(serving === undefined
      ? {}
      : { tls: { key: serving.key, certificate: serving.certificate, clientAuthority: authority.certificate } }),
  });
  const client = authority.issue({
    commonName: administrator.username,
    organizations: ["system:masters"],
    use: "client",
  });
  const server = isLoopback(address) || hosts.length > 0 ? listener.url : `https://127.0.0.1:${listener.port}`;
  return {
    url: listener.url,
    port: listener.port,
    authority: tls ? authority.certificate : undefined,
    kubeconfig: tls
      ? kubeconfigOf({ server, authority: authority.certificate, client })
      : kubeconfigOf({ server: listener.url, token: parts.token }),
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

function servingCertificate(
  authority: CertificateAuthority,
  address: string,
  hosts: readonly string[],
): KeyAndCertificate {
  const wildcard = address === "0.0.0.0" || address === "::";
  const names = [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ];
  const addresses = ["127.0.0.1", "::1", "10.96.0.1", ...(wildcard || address === "localhost" ? [] : [address])];
  return authority.issue({
    commonName: "coxswain-apiserver",
    use: "server",
    hosts: [...new Set([...names, ...addresses, ...hosts])],
  });
}

const defaultTable = () => ({
  columns: [
    { name: "Name", type: "string", format: "name", description: "", priority: 0 },
    { name: "Created At", type: "date", format: "", description: "", priority: 0 },
  ],
  cells: (object: { readonly metadata: { readonly name: string; readonly creationTimestamp?: string } }) => [
    object.metadata.name,
    object.metadata.creationTimestamp ?? null,
  ],
});
