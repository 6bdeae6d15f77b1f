/**
 * aggregation: groups and versions that other servers answer for. Follows the APIServices, checks whether their servers
 * can be reached, merges their documents into this server's, and forwards the requests that are theirs.
 */
import type { Logger } from "../../base/index.js";
import { type APIService, isNotFound, unless } from "../../api/index.js";
import type { KeyAndCertificate } from "../../base/x509/certificate.js";
import type { Machinery, RequestScope } from "../contracts/scope.js";
import type { RemoteServed } from "../discovery/index.js";
import type { Exchange } from "../http/exchange.js";
import type { RemoteRoute } from "../http/route.js";
import type { Backend } from "../outbound/forward.js";
import type { Registry } from "../registry/registry.js";
import { modifyObject } from "../registry/write/modify.js";
import type { Stored, StoreWatch } from "../storage/contract.js";
import { checkAvailability, withFinding } from "./availability.js";
import { type Documents, readDocuments, sameDocuments } from "./documents.js";
import { KeyedRuns } from "./keyed-runs.js";
import { proxyRoute, remoteFor } from "./proxy.js";
import { placeOf, type RemoteService } from "./remote-service.js";
import { Remotes } from "./remotes.js";

export interface AggregationOptions {
  readonly machinery: Machinery;
  readonly registry: Registry;
  readonly log: Logger;
  readonly stopping: AbortSignal;
  /** The scope of the server's own writes. */
  readonly scope: RequestScope;
  readonly requestTimeoutMs: number;
  certificate(): KeyAndCertificate;
  /** The aggregation of the server of which this one is a fork. */
  readonly forkOf?: Aggregation | undefined;
}

/** The interval of checks of a server that can be reached; changes of its service are noticed at once. */
const checkEveryMs = 30_000;
const readEveryMs = 60_000;

/**
 * Invariants:
 * 1. `#documents` has entries of remote APIServices only.
 * 2. The registry has the versions of `#remotes` with the documents in `#documents`.
 * 3. The services and endpoints of the store are followed exactly while there are remote APIServices.
 */
export class Aggregation implements AsyncDisposable {
  readonly route: RemoteRoute;
  /** Whether another server answers the request. */
  readonly isRemote = (exchange: Exchange): boolean => remoteFor(exchange, this.#remotes) !== undefined;
  readonly #options: AggregationOptions;
  readonly #remotes: Remotes;
  readonly #checks: KeyedRuns;
  readonly #readings: KeyedRuns;
  readonly #documents = new Map<string, Documents>();
  #following: readonly StoreWatch[] = [];

  constructor(options: AggregationOptions) {
    const { machinery, log, stopping } = options;
    const { clock, random, store } = machinery;
    this.#options = options;
    const certificate = (): KeyAndCertificate => options.certificate();
    this.#remotes = new Remotes({ store, random, log, certificate, changed: (...change) => this.#changed(...change) });
    const shared = { clock, log, stopping };
    this.#checks = new KeyedRuns({
      ...shared,
      run: (name, signal) => this.#check(name, signal),
      everyMs: checkEveryMs,
      retryMs: 50,
    });
    this.#readings = new KeyedRuns({
      ...shared,
      run: (name, signal) => this.#read(name, signal),
      everyMs: readEveryMs,
      retryMs: 500,
    });
    const lost = (name: string): void => this.#checks.wake(name);
    const describesItself = (name: string): boolean => this.#documents.get(name)?.version.openApiV3?.source === "own";
    const { requestTimeoutMs } = options;
    this.route = proxyRoute({ remotes: this.#remotes, clock, requestTimeoutMs, describesItself, lost });
  }

  start(): void {
    const { forkOf } = this.#options;
    if (forkOf === undefined) return this.#remotes.start();
    for (const [name, documents] of forkOf.#documents) this.#documents.set(name, documents);
    this.#remotes.start([...forkOf.#remotes.names]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#follow(false);
    await Promise.all([this.#checks[Symbol.asyncDispose](), this.#readings[Symbol.asyncDispose]()]);
    this.#remotes[Symbol.dispose]();
  }

  #changed(name: string, before: RemoteService | undefined, now: RemoteService | undefined): void {
    this.#follow(this.#remotes.size > 0);
    if (now === undefined) {
      this.#checks.drop(name);
      this.#readings.drop(name);
      this.#documents.delete(name);
    } else {
      const moved = before === undefined || placeOf(before) !== placeOf(now);
      if (moved) this.#checks.wake(name);
      if (moved || before.available !== now.available) this.#readings.wake(name);
      const shown = ({ groupPriority, versionPriority }: RemoteService): string =>
        `${groupPriority} ${versionPriority}`;
      if (before !== undefined && shown(before) === shown(now)) return;
    }
    this.#publish();
  }

  #follow(wanted: boolean): void {
    if (wanted === this.#following.length > 0) return;
    for (const watch of this.#following) watch[Symbol.dispose]();
    const { store } = this.#options.machinery;
    const after = store.revision;
    const follow = (collection: string, serviceOf: (stored: Stored) => string | undefined): StoreWatch =>
      store.watch({ collection, prefix: "", after }, (events) => {
        for (const { key, current, previous } of events) {
          const [namespace = ""] = key.split("/");
          const stored = current ?? previous;
          const service = stored && serviceOf(stored);
          if (service === undefined) continue;
          for (const name of this.#remotes.servedBy(namespace, service)) this.#checks.wake(name);
        }
      });
    this.#following = wanted
      ? [
          follow("services", ({ key }) => key.split("/")[1]),
          follow("discovery.k8s.io/endpointslices", ({ labels }) => labels?.["kubernetes.io/service-name"]),
        ]
      : [];
  }

  #publish(): void {
    const remote: RemoteServed[] = [];
    for (const name of this.#remotes.names) {
      const { group, version, groupPriority, versionPriority } = this.#remotes.get(name) as RemoteService;
      const documents = this.#documents.get(name)?.version ?? { entries: [], current: false };
      remote.push({ group, version, groupPriority, versionPriority, ...documents });
    }
    this.#options.registry.setRemote(remote);
  }

  async #check(name: string, signal: AbortSignal): Promise<boolean> {
    const { machinery, registry, scope } = this.#options;
    const { store, clock } = machinery;
    const remote = this.#remotes.get(name);
    const endpoint = registry.endpoint("apiregistration.k8s.io", "v1", "apiservices");
    if (remote === undefined || endpoint === undefined) return true;
    const backend = (): Backend => this.#remotes.backend(name);
    const finding = await checkAvailability(remote, { store, clock, signal, backend });
    const now = this.#remotes.get(name);
    if (signal.aborted || now === undefined || placeOf(now) !== placeOf(remote)) return true;
    await modifyObject(endpoint, { namespace: "", name, ownedAs: "status" }, scope, (live) => {
      const { status } = live as APIService;
      const conditions = withFinding(status?.conditions ?? [], finding, clock.now());
      return { ...live, status: { ...status, conditions } } as typeof live;
    }).catch(unless(isNotFound));
    return finding.status === "True";
  }

  async #read(name: string, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options.machinery;
    const remote = this.#remotes.get(name);
    if (remote === undefined) return true;
    const known = this.#documents.get(name);
    const documents = await readDocuments(remote, known, { clock, signal, backend: () => this.#remotes.backend(name) });
    const now = this.#remotes.get(name);
    if (signal.aborted || now === undefined || placeOf(now) !== placeOf(remote)) return true;
    this.#documents.set(name, documents);
    if (!sameDocuments(known, documents)) this.#publish();
    return documents.version.current;
  }
}
