/** The client: a transport, and the settings that all calls through it share. */
import { defined } from "../base/defined.js";
import {
  checkNumbers,
  type Clock,
  type Random,
  systemClock,
  systemRandom,
  TokenBucket,
  type Transport,
} from "../base/index.js";
import type { KubeObject } from "../api/object.js";
import { checkResourceType, type ObjectOf, type ResourceType } from "../api/resource-type.js";
import { Discovery } from "./discovery/discovery.js";
import { ClientDuring, type PieceOfWork, type WorkClient } from "./during.js";
import type { Unstructured } from "./discovery/documents.js";
import type { KindReference } from "./discovery/rest-mapper.js";
import { PodClient } from "./remote/pod-client.js";
import type { OpenChannel } from "./remote/web-socket.js";
import { type AttemptReport, createExchange, type Exchange, type RateLimiter, readAll } from "./request/exchange.js";
import { LeanAnswers } from "./request/lean-answers.js";
import { type AnswerLimits, defaultLimits } from "./request/limits.js";
import type { CallOptions, FieldValidation } from "./request/options.js";
import { defaultRetryPolicy, type RetryPolicy } from "./request/retry.js";
import { type MetadataClient, metadataClient, type PartialObjectMetadata } from "./resource/metadata-client.js";
import { ResourceClient, type ResourceScope } from "./resource/resource-client.js";
import type { ResourceContext } from "./resource/verbs.js";

export interface ClientOptions {
  readonly transport: Transport;
  /** Names the writer in the server's record of field owners; needed for apply. */
  readonly fieldManager?: string;
  readonly fieldValidation?: FieldValidation;
  readonly userAgent?: string;
  /** The longest time of one attempt of a request, and of a pause in a list; a minute by default, 0 for no limit. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** The largest answers that are accepted; a call with a larger answer fails with a `ConnectionError` of failure `oversized`. */
  readonly limits?: Partial<AnswerLimits>;
  /** Off by default: the server's own priority and fairness knows better. A watch waits once, to open. */
  readonly rateLimit?: { readonly ratePerSecond: number; readonly burst: number } | RateLimiter;
  /**
   * Reads the answers of writes as caches read objects: without `metadata.managedFields`, and each part only at its
   * first use. Objects of a server in the same process share their parts with it, and must not be changed. For programs
   * that write much and rarely look at the answers.
   */
  readonly leanAnswers?: boolean;
  /** The default for `WatchOptions.idleTimeoutMs`. */
  readonly idleTimeoutMs?: number;
  readonly onWarning?: (warning: string, title: string) => void;
  /** The server's host and port, for metrics. */
  readonly host?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Makes caches that are filled through this client freeze their objects by default: for tests, in which a program
   * that changes a cached object shall fail. Clients of test clusters set it.
   */
  readonly freezeCaches?: boolean;
  /**
   * Whether the first calls remember where they were made, so that the error of a call that nobody awaits leads there.
   * True by default; false saves some microseconds a call where clients are made by the thousands.
   */
  readonly rememberCalls?: boolean;
  /**
   * Tells of a served collection that has no objects now: an informer then opens its watch when the first object has
   * come, from the revision at which there was none. For programs beside their server, where each watch costs both.
   */
  readonly emptyCollection?: (type: ResourceType) => EmptyCollection | undefined;
  /** The namespace that the configuration names; calls do not use it unless they are told to. */
  readonly namespace?: string;
  /** Opens WebSockets, for commands and ports in pods. */
  readonly openChannel?: OpenChannel;
  /** Releases the transport's resources; called when the client is disposed. */
  readonly close?: () => Promise<void>;
}

/** A collection without objects, as of a revision. */
export interface EmptyCollection {
  readonly resourceVersion: string;
  /** Resolves when there has been an object since; rejects with the signal's reason. */
  filled(signal: AbortSignal): Promise<void>;
}

const defaults = {
  timeoutMs: 60_000,
  idleTimeoutMs: 300_000,
  userAgent: defaultUserAgent(process.argv[1]),
  clock: systemClock,
  random: systemRandom,
} as const;

/** Holds no resources itself; disposing it closes its transport, if the transport was made for it. */
export class Client implements WorkClient, AsyncDisposable {
  readonly exchange: Exchange;
  /** The clock that its requests wait by; caches and managers over it take it for theirs. */
  readonly clock: Clock;
  readonly namespace: string;
  readonly freezeCaches: boolean;
  readonly emptyCollection: ClientOptions["emptyCollection"];
  /** The server's host and port; "" if it is in this process. */
  readonly host: string;
  readonly discovery: Discovery;
  readonly #context: ResourceContext;
  readonly #openChannel: OpenChannel | undefined;
  readonly #close: (() => Promise<void>) | undefined;
  readonly #options: ClientOptions;
  readonly #attempts = new Set<(report: AttemptReport) => void>();

  constructor(options: ClientOptions) {
    this.#options = options;
    const settings = { ...defaults, ...options };
    if (typeof options.transport !== "function")
      throw new TypeError("client: transport is missing; connect(…) makes a client for a server");
    checkNumbers("client", options, { timeoutMs: { endless: true }, idleTimeoutMs: { endless: true } });
    const attempts = { whole: true, endless: true };
    const retryRules = { whenAsked: attempts, whenDisconnected: attempts, baseMs: {}, capMs: { endless: true } };
    checkNumbers("client: retry", options.retry ?? {}, retryRules);
    const { clock, rateLimit } = settings;
    this.clock = clock;
    this.namespace = settings.namespace ?? "default";
    this.host = settings.host ?? "";
    this.freezeCaches = settings.freezeCaches ?? false;
    this.emptyCollection = settings.emptyCollection;
    this.#openChannel = settings.openChannel;
    this.#close = settings.close;
    this.exchange = createExchange({
      transport: settings.transport,
      clock,
      random: settings.random,
      retry: { ...defaultRetryPolicy, ...settings.retry },
      timeoutMs: settings.timeoutMs,
      limits: { ...defaultLimits, ...settings.limits },
      userAgent: settings.userAgent,
      limiter: rateLimit === undefined || "take" in rateLimit ? rateLimit : new TokenBucket({ ...rateLimit, clock }),
      onWarning: settings.onWarning,
      attempts: this.#attempts,
      rememberCalls: settings.rememberCalls ?? true,
    });
    this.discovery = new Discovery({ exchange: this.exchange, clock });
    this.#context = {
      exchange: this.exchange,
      idleTimeoutMs: settings.idleTimeoutMs,
      fieldManager: settings.fieldManager,
      fieldValidation: settings.fieldValidation,
      lean: settings.leanAnswers ? new LeanAnswers() : undefined,
    };
  }

  /** `client.resource(Pod, { namespace })`: the verbs on a kind, typed by its descriptor. */
  resource<T extends KubeObject>(type: ResourceType<T>, scope?: ResourceScope<T>): ResourceClient<T>;
  /** As above for one of several kinds, as in a loop over `[Pod, Service]`. */
  resource<R extends ResourceType>(type: R, scope?: ResourceScope<ObjectOf<R>>): ResourceClient<ObjectOf<R>>;
  resource<T extends KubeObject>(type: ResourceType<T>, scope: ResourceScope<T> = {}): ResourceClient<T> {
    checkResourceType("client.resource", type);
    return new ResourceClient(this.#context, type, scope);
  }

  /**
   * As `resource`, for a kind that is not known at compile time: by name (`deploy`, `foos.example.com`) or by an
   * object's apiVersion and kind.
   */
  async dynamic(
    reference: string | KindReference,
    scope: ResourceScope<Unstructured> = {},
  ): Promise<ResourceClient<Unstructured>> {
    const { discovery } = this;
    const type = await (typeof reference === "string" ? discovery.find(reference) : discovery.findKind(reference));
    return this.resource(type, scope);
  }

  /** Reads only the metadata of a kind's objects, a small part of large objects. */
  metadata(type: ResourceType, scope: ResourceScope<PartialObjectMetadata> = {}): MetadataClient {
    return metadataClient(this.#context, type, scope);
  }

  /** Logs, commands, ports and eviction of running pods; in the configuration's namespace by default. */
  pods(namespace: string = this.namespace): PodClient {
    return new PodClient({ exchange: this.exchange, namespace, openChannel: this.#openChannel });
  }

  /** The text at a path that is not a resource: `/healthz`, `/metrics`, `/openapi/v3`. */
  getText(path: string, options: CallOptions & { readonly accept?: string } = {}): Promise<string> {
    const headers = { accept: options.accept ?? "*/*" };
    const built = { request: { method: "GET", path, headers }, title: `get ${path}` };
    return this.exchange.run(built, options, async ({ body }, max) => (await readAll(body, max)).toString("utf8"));
  }

  /** This client for one piece of work, which gives calls their signal and carries out its own writes. */
  during(work: PieceOfWork): WorkClient {
    return new ClientDuring(this.#context, this.discovery, work);
  }

  /**
   * A client like this one whose requests pass through `wrap`. Disposing it closes nothing: the transport stays this
   * client's. The `onWarning` that is given is told if this client was made without one.
   */
  through(
    wrap: (transport: Transport) => Transport,
    { onWarning, ...options }: Pick<ClientOptions, "fieldManager" | "onWarning"> = {},
  ): Client {
    const { close: _, ...rest } = this.#options;
    const told = rest.onWarning ?? onWarning;
    const heard = defined({ onWarning: told });
    const client = new Client({ ...rest, ...options, ...heard, transport: wrap(rest.transport) });
    client.watchAttempts((report) => this.#told(report));
    return client;
  }

  /** Calls back after each attempt of a request of this client, and of those made by `through`. Disposing ends that. */
  watchAttempts(listener: (report: AttemptReport) => void): Disposable {
    const tell = (report: AttemptReport): void => listener(report);
    this.#attempts.add(tell);
    return { [Symbol.dispose]: () => void this.#attempts.delete(tell) };
  }

  #told(report: AttemptReport): void {
    for (const tell of this.#attempts) tell(report);
  }

  /** The same as disposing, for programs without `await using`. */
  async close(): Promise<void> {
    await this.#close?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Begins with the program's name and a slash, as other clients' user agents do: for writes without a field manager, a
 * server takes the text before the slash.
 */
export function defaultUserAgent(script: string | undefined): string {
  const name = (script ?? "").split(/[\\/]/).at(-1) ?? "";
  const program =
    name
      .replace(/\.[cm]?[jt]s$/, "")
      .replace(/[^\w.-]+/g, "-")
      .slice(0, 64) || "coxswain";
  return `${program}/node-${process.versions.node} (${process.platform}/${process.arch}) coxswain`;
}
