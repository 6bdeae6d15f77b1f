/**
 * A client for one piece of work: calls end with the work's signal, and the work carries out its own writes.
 */
import type { KubeObject } from "../api/object.js";
import type { ObjectOf, ResourceType } from "../api/resource-type.js";
import type { Discovery } from "./discovery/discovery.js";
import type { Exchange } from "./request/exchange.js";
import type { RequestTarget, Verb } from "./request/request.js";
import { type MetadataClient, metadataClient, type PartialObjectMetadata } from "./resource/metadata-client.js";
import { ResourceClient, type ResourceScope } from "./resource/resource-client.js";
import type { ResourceContext } from "./resource/verbs.js";

/** A request that may change something: where it goes, and what it does there. A create has no name yet. */
export interface WriteCall extends RequestTarget {
  readonly verb: Extract<Verb, "create" | "update" | "patch" | "apply" | "delete" | "deletecollection">;
}

export interface PieceOfWork {
  /** Ends calls that bring no signal of their own. */
  readonly signal: AbortSignal;
  /** Carries out a write: calls `send` once, and gives its outcome on. */
  write<T>(call: WriteCall, send: () => Promise<T>): Promise<T>;
}

/** The part of a client that reads and writes objects. */
export interface WorkClient {
  readonly discovery: Discovery;
  /** `client.resource(Pod, { namespace })`: the verbs on a kind, typed by its descriptor. */
  resource<T extends KubeObject>(type: ResourceType<T>, scope?: ResourceScope<T>): ResourceClient<T>;
  /** As above for one of several kinds, as in a loop over `[Pod, Service]`. */
  resource<R extends ResourceType>(type: R, scope?: ResourceScope<ObjectOf<R>>): ResourceClient<ObjectOf<R>>;
  /** Reads only the metadata of a kind's objects. */
  metadata(type: ResourceType, scope?: ResourceScope<PartialObjectMetadata>): MetadataClient;
}

export class ClientDuring implements WorkClient {
  readonly discovery: Discovery;
  readonly #context: ResourceContext;

  constructor(context: ResourceContext, discovery: Discovery, work: PieceOfWork) {
    this.discovery = discovery;
    this.#context = { ...context, exchange: exchangeDuring(context.exchange, work) };
  }

  resource<T extends KubeObject>(type: ResourceType<T>, scope?: ResourceScope<T>): ResourceClient<T>;
  resource<R extends ResourceType>(type: R, scope?: ResourceScope<ObjectOf<R>>): ResourceClient<ObjectOf<R>>;
  resource<T extends KubeObject>(type: ResourceType<T>, scope: ResourceScope<T> = {}): ResourceClient<T> {
    return new ResourceClient(this.#context, type, scope);
  }

  metadata(type: ResourceType, scope: ResourceScope<PartialObjectMetadata> = {}): MetadataClient {
    return metadataClient(this.#context, type, scope);
  }
}

const reads: ReadonlySet<Verb> = new Set<Verb>(["get", "list", "watch", "connect"]);

function exchangeDuring(exchange: Exchange, work: PieceOfWork): Exchange {
  const { signal } = work;
  return {
    settings: exchange.settings,
    run(built, options, read) {
      const call = options.signal === undefined ? { ...options, signal } : options;
      const { target } = built;
      if (target === undefined || reads.has(target.verb)) return exchange.run(built, call, read);
      return work.write(target as WriteCall, () => exchange.run(built, call, read));
    },
    open: (built, options) => exchange.open(built, options.signal === undefined ? { ...options, signal } : options),
  };
}
