/**
 * The API server: joins storage, registry, admission and handler. Reachable in-process at once, and on a port when it
 * listens.
 */
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
import type { KeyAndCertificate } from "../base/x509/certificate.js";
import { type AdmissionSettings, readAdmissionSettings } from "./admission/settings/read.js";
import { type Audit, type AuditOptions, openAudit } from "./audit/audit.js";
import { assemble, type Assembly } from "./assembly.js";
import { authorizationBy } from "./auth/authorize.js";
import type { Authorizer } from "./contracts/authorizer.js";
import { type ServiceAccountTokens, tokenNames } from "./auth/tokens.js";
import { authorizationFor } from "./auth/modes.js";
import {
  type Authentication,
  type AuthenticationOptions,
  type AuthorizationOption,
  openAuthentication,
  type OpenAuthorization,
  openAuthorization,
} from "./auth/open.js";
import { bootstrapTokens } from "./auth/bootstrap-tokens.js";
import { knownTokens } from "./auth/known-tokens.js";
import { frontProxyName, mastersGroup, type UserInfo } from "./contracts/user.js";
import type { ConfigurationSource } from "./configuration/source.js";
import { bootstrap } from "./bootstrap/bootstrap.js";
import { type Component, startSystemObjects, type SystemObjects } from "./bootstrap/system.js";
import { type Handler, type Limits, limitsOf } from "./http/handler.js";
import { type Gate, gateFor, inProcessTransport } from "./listen/in-process.js";
import { type ListenAddress, type ServerListener, serveOn } from "./listen/serve.js";
import type { UsageSource } from "./measured/usage.js";
import type { MetricValues } from "./measured/values.js";
import type { Registry } from "./registry/registry.js";
import { firstAddress } from "./services/address-ranges.js";
import { defaultServiceNetwork, type ServiceNetwork } from "./services/allocator.js";
import { type KubeletOptions, Kubelets } from "./kubelet/kubelets.js";
import type { PodNetwork } from "./subresources/proxy.js";
import { openStore } from "./open-store.js";
import type { Store } from "./storage/contract.js";
import { MvccStore } from "./storage/mvcc-store.js";
import { type ServerIdentity, serverIdentity } from "./tls/identity.js";

export interface ApiServerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
  /** Default: in memory. Disposed with the server. */
  readonly store?: Store;
  /** A folder that keeps the objects and the server's keys across restarts; instead of `store`. */
  readonly dataDir?: string;
  /** Without `dataDir`: a folder that keeps the keys alone, so that kubeconfigs stay valid for the next server. */
  readonly identityDir?: string;
  /**
   * Without `dataDir`: the first revision. If it is above those of an earlier server, the clients of that server learn
   * that they must list anew. Default 0.
   */
  readonly firstRevision?: number;
  readonly limits?: Partial<Limits>;
  /** Accepted bearer tokens, besides the administrator's. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  readonly serviceAccounts?: ServiceAccountTokens;
  /** Whether bootstrap tokens authenticate, as with kube-apiserver's `--enable-bootstrap-token-auth`. Default false. */
  readonly bootstrapTokens?: boolean;
  /**
   * Whether a request without credentials is that of `system:anonymous`, with the permissions of its roles, as with
   * kube-apiserver's `--anonymous-auth`. Default false: it may read health, and is refused with 401 otherwise.
   */
  readonly anonymous?: boolean;
  /** Whether flow schemas decide about the order of requests. Default true; else `readsInFlight` and `writesInFlight` do. */
  readonly priorityAndFairness?: boolean;
  /** Whether CBOR is spoken too, as with kube-apiserver's feature gate CBORServingAndStorage. Default false. */
  readonly cbor?: boolean;
  /** Issuers of JSON Web Tokens, a webhook for tokens, and proxies that authenticate users themselves. */
  readonly authentication?: AuthenticationOptions;
  /** Records requests, as kube-apiserver does with `--audit-policy-file`. */
  readonly audit?: AuditOptions;
  /** Decides in place of `authorization`. */
  readonly authorizer?: Authorizer;
  /**
   * `RBAC` decides by the stored roles and bindings, `Node` lets nodes read what their pods need; `AlwaysAllow` lets
   * every authenticated user do everything, `AlwaysDeny` nothing. Of several the first that allows decides; a webhook
   * among them, or in an AuthorizationConfiguration, may also deny.
   * Default: RBAC if the server creates the roles that it needs (`systemObjects`), else AlwaysAllow. The administrator
   * may do everything in any case.
   */
  readonly authorization?: AuthorizationOption;
  /** Names of admission plug-ins to switch on that are off by default, as in kube-apiserver's `--enable-admission-plugins`. */
  readonly enabledAdmission?: readonly string[];
  /** The settings of plug-ins: an AdmissionConfiguration of apiserver.config.k8s.io. A file is read at the start alone. */
  readonly admissionConfiguration?: ConfigurationSource;
  /** Names of admission plug-ins to switch off, as in kube-apiserver's `--disable-admission-plugins`. */
  readonly disabledAdmission?: readonly string[];
  readonly serviceNetwork?: Partial<ServiceNetwork>;
  /** The way to the kubelets of nodes, which answer for logs, exec, attach and port forwarding. */
  readonly kubelets?: KubeletOptions;
  /** Leads to the addresses of simulated pods, which the machine's network does not know. */
  readonly podNetwork?: PodNetwork;
  /** Measures nodes and pods; metrics.k8s.io is served if it is given. */
  readonly usage?: UsageSource;
  /** Metrics of objects and from outside; custom.metrics.k8s.io and external.metrics.k8s.io are served if it is given. */
  readonly metricValues?: MetricValues;
  /**
   * Whether to create the objects that every Kubernetes server has, about a hundred and fifty: roles and bindings, flow
   * schemas and priority levels, API services, and the endpoints of the server itself. `true` creates them soon after the
   * start; with `"at once"` they exist when the server is there. Default false.
   */
  readonly systemObjects?: boolean | "at once";
  /** Other control plane components in this process: their ComponentStatuses are healthy. */
  readonly components?: readonly Component[];
  /** Freezes stored objects deeply, for tests. */
  readonly freeze?: boolean;
}

export interface ForkOptions {
  /** By default the same clock. */
  readonly clock?: Clock;
  /** By default a chance of its own, the same for each fork. */
  readonly random?: Random;
}

/** Disposing makes the server unready, lets requests in flight finish, ends watches and flushes the log, in that order. */
export interface ApiServer extends AsyncDisposable {
  readonly store: Store;
  readonly registry: Registry;
  readonly metrics: MetricsRegistry;
  /** The administrator's bearer token. */
  readonly token: string;
  /** PEM of the key that signs service account tokens, for a controller that signs some too. */
  tokenKey(): string;
  /** The authority of the certificates of this server and of its clients, in PEM, for a controller that signs some too. */
  authority(): { readonly certificate: string; readonly key: string };
  readonly handle: Handler;
  /** In-process, as the given user; as the administrator if none is given. */
  transport(user?: UserInfo): Transport;
  listen(where?: ListenAddress): Promise<ServerListener>;
  /**
   * A server of its own with the same objects, revisions, history, kinds and credentials; writes to either are not seen
   * in the other. Takes well under a millisecond, whatever the number of objects. Watches, requests under way, listeners
   * and audit are not taken along. Throws if the server keeps its objects in a folder.
   */
  fork(options?: ForkOptions): ApiServer;
  /** The same as disposing, for programs without `await using`. */
  close(): Promise<void>;
}

const tenYearsMs = 10 * 365 * 86_400_000;

const administrator: UserInfo = { username: "kubernetes-admin", groups: [mastersGroup, "system:authenticated"] };

export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { clock = systemClock, random = systemRandom, log = silentLogger, metrics = new MetricsRegistry() } = options;
  const limits = limitsOf(options.limits ?? {});
  const store = options.store ?? (await openStore(options, { clock, log, objectBytes: limits.objectBytes }));
  const folder = options.dataDir ?? options.identityDir;
  const opened = new Lifetime();
  opened.use(store);
  const closing = async (error: unknown): Promise<never> => {
    await opened[Symbol.asyncDispose]();
    throw error;
  };
  const identity = await serverIdentity({ folder, now: clock.now(), log }).catch(closing);
  const token = randomBytes(24).toString("base64url");
  const audit =
    options.audit &&
    (await openAudit(options.audit, {
      clock,
      random,
      log,
      metrics,
      print: (text) => void process.stdout.write(text),
    }).catch(closing));
  if (audit !== undefined) opened.use(audit);
  const parts = { clock, random, log, metrics };
  const names = tokenNames(options.serviceAccounts ?? {});
  const authentication = await openAuthentication(options.authentication ?? {}, parts, names).catch(closing);
  opened.use(authentication);
  const modes = options.authorization ?? (options.systemObjects ? "RBAC" : "AlwaysAllow");
  const authorizing = await openAuthorization(modes, parts).catch(closing);
  const made = { store, identity, token, audit, authentication, authorizing };
  const { admissionConfiguration, enabledAdmission = [] } = options;
  const admissionSettings = await readAdmissionSettings(admissionConfiguration, enabledAdmission).catch(closing);
  const server = new Server({ options, ...parts, limits, ...made, admissionSettings });
  await server.start();
  if (options.systemObjects === "at once") await server.complete();
  return server;
}

interface ServerParts {
  readonly options: ApiServerOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly limits: Limits;
  readonly store: Store;
  readonly identity: ServerIdentity;
  readonly token: string;
  readonly audit: Audit | undefined;
  readonly authentication: Authentication;
  readonly authorizing: OpenAuthorization;
  readonly admissionSettings: AdmissionSettings;
  readonly forkOf?: Assembly;
}

/** Invariant: everything that the server has begun is in `#lifetime`, and ends in the reverse order. */
class Server implements ApiServer {
  readonly #parts: ServerParts;
  readonly #network: ServiceNetwork;
  readonly #lifetime = new Lifetime();
  readonly #stopping = linkedAbort();
  readonly #assembly: Assembly;
  readonly #gate: Gate;
  #isReady = false;
  #address = "127.0.0.1:443";
  #system: SystemObjects | undefined;
  #proxyCertificate: KeyAndCertificate | undefined;
  /** A listener that is starting. */
  #starting: Promise<ServerListener> | undefined;

  constructor(parts: ServerParts) {
    const { options, store, identity } = parts;
    this.#parts = parts;
    this.#gate = gateFor(parts.clock);
    this.#network = { ...defaultServiceNetwork, ...options.serviceNetwork };
    this.#lifetime.use(store);
    if (parts.forkOf === undefined) {
      this.#lifetime.use(parts.authentication);
      this.#lifetime.use(parts.authorizing);
    }
    const { authorizer } = options;
    const authorization = authorizer ? authorizationBy(authorizer) : authorizationFor(parts.authorizing.chain, store);
    if (authorization.rbac !== undefined) this.#lifetime.use(authorization.rbac);
    if (authorization.following !== undefined) this.#lifetime.use(authorization.following);
    if (parts.audit !== undefined) this.#lifetime.use(parts.audit);
    const kubelets = this.#lifetime.use(
      new Kubelets({ ...options.kubelets, store, certificate: () => this.#kubeletClient() }),
    );
    this.#assembly = assemble({
      ...parts,
      authorization,
      enabledAdmission: options.enabledAdmission ?? [],
      disabledAdmission: options.disabledAdmission ?? [],
      serviceNetwork: this.#network,
      kubelets,
      podNetwork: options.podNetwork,
      usage: options.usage,
      metricValues: options.metricValues,
      serviceAccounts: options.serviceAccounts ?? {},
      tokenKeys: () => options.serviceAccounts?.keys ?? { signing: identity.tokenKey() },
      frontProxy: () => this.#frontProxy(),
      anonymous: options.anonymous ?? false,
      cbor: options.cbor ?? false,
      priorityAndFairness: options.priorityAndFairness ?? true,
      trustedProxies: options.authentication?.frontProxy,
      userOfToken: userOfToken(parts),
      stopping: this.#stopping.signal,
      address: () => this.#address,
      isReady: () => this.#isReady,
    });
    this.#lifetime.use(this.#assembly.following);
    this.#lifetime.use(this.#assembly.flow);
    this.#lifetime.use(this.#assembly.webhooks);
    this.#lifetime.defer(() => this.#assembly.idle());
  }

  get store(): Store {
    return this.#parts.store;
  }

  get registry(): Registry {
    return this.#assembly.registry;
  }

  get metrics(): MetricsRegistry {
    return this.#parts.metrics;
  }

  get token(): string {
    return this.#parts.token;
  }

  get handle(): Handler {
    return this.#assembly.handle;
  }

  tokenKey(): string {
    const { options, identity } = this.#parts;
    return options.serviceAccounts?.keys?.signing ?? identity.tokenKey();
  }

  authority(): { readonly certificate: string; readonly key: string } {
    return this.#parts.identity.authority();
  }

  transport(user: UserInfo = administrator): Transport {
    return inProcessTransport(this.handle, this.#gate, user);
  }

  async start(): Promise<void> {
    const { machinery, registry, services } = this.#assembly;
    services.repair();
    const { cidr } = this.#network;
    await bootstrap(machinery, registry, { address: firstAddress(cidr), cidrs: cidr.split(",") });
    await this.#follow();
  }

  /** Resolves when the system objects exist. */
  complete(): Promise<void> {
    return this.#system?.made ?? Promise.resolve();
  }

  /** Follows the stored definitions, and makes the system objects if they were asked for. */
  #follow(): Promise<void> {
    const { machinery, registry, customKinds, aggregation } = this.#assembly;
    const { options, log } = this.#parts;
    this.#lifetime.use(customKinds);
    this.#lifetime.use(aggregation);
    aggregation.start();
    const following = customKinds.start();
    const begin = (): void => {
      this.#isReady = true;
      if (!options.systemObjects) return;
      const { signal: stopping } = this.#stopping;
      const { components = [] } = options;
      const around = { machinery, registry, customKinds, log, stopping, components, urgent: () => this.#starting };
      this.#system = this.#lifetime.use(startSystemObjects(around));
    };
    if (this.#parts.forkOf === undefined) return following.then(begin);
    begin();
    return Promise.resolve();
  }

  /** Made at the first call. It is good for as long as its authority. */
  #frontProxy(): KeyAndCertificate {
    const { identity, clock } = this.#parts;
    const request = { commonName: frontProxyName, use: "client", now: clock.now(), lifeMs: tenYearsMs } as const;
    return (this.#proxyCertificate ??= identity.frontProxy().issue(request));
  }

  /** The name and group under which kubeadm's servers come to kubelets. */
  #kubeletClient(): KeyAndCertificate {
    const { identity, clock } = this.#parts;
    const names = { commonName: "kube-apiserver-kubelet-client", organizations: [mastersGroup] };
    return identity.authority().issue({ ...names, use: "client", now: clock.now(), lifeMs: tenYearsMs });
  }

  fork({ clock = this.#parts.clock, random = this.#parts.random.fork("fork") }: ForkOptions = {}): ApiServer {
    const { store } = this.#parts;
    if (!(store instanceof MvccStore)) throw new Error("a server can be forked only if its store is the one in memory");
    const metrics = new MetricsRegistry();
    const forked = { store: store.fork(clock), forkOf: this.#assembly };
    const fork = new Server({ ...this.#parts, clock, random, metrics, audit: undefined, ...forked });
    void fork.#follow();
    return fork;
  }

  async listen(where: ListenAddress = {}): Promise<ServerListener> {
    const { identity, log, clock, token, limits, options } = this.#parts;
    const { frontProxy: trustedProxies } = options.authentication ?? {};
    const parts = { handle: this.handle, authority: identity.authority(), log, clock, token, limits, trustedProxies };
    this.#starting = serveOn(where, { ...parts, ...administrator });
    const listener = this.#lifetime.use(await this.#starting);
    this.#starting = undefined;
    this.#address = listener.url.replace(/^https?:\/\//, "");
    const { address = "127.0.0.1", tls = true, clientAuthority = identity.authority().certificate } = where;
    const authority = tls ? clientAuthority : undefined;
    const frontProxy = identity.frontProxy().certificate;
    await this.#system?.reached({ address, port: listener.port, authority, frontProxy });
    return listener;
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error("the server is stopping"));
    await this.#lifetime[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function userOfToken({ options, store, clock, token }: ServerParts): (token: string) => UserInfo | undefined {
  const known = knownTokens([...(options.tokens ?? []), [token, administrator]]);
  if (options.bootstrapTokens !== true) return known;
  const ofMachine = bootstrapTokens(store, clock);
  return (sent) => known(sent) ?? ofMachine(sent);
}
