/**
 * A client for one piece of work: calls end with the work's signal, and the work carries out its own writes. From
 * `Client.during`; to controllers.
 */
import type { KubeObject } from "../api/object.js";
import type { ObjectOf, ResourceType } from "../api/resource-type.js";
import type { Client, MetadataClient, PartialObjectMetadata } from "./client.js";
import type { Exchange } from "./request/exchange.js";
import type { RequestTarget, Verb } from "./request/request.js";
import { ResourceClient, type ResourceContext, type ResourceScope } from "./resource/resource-client.js";

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
export type WorkClient = Pick<Client, "resource" | "metadata" | "discovery">;

export class ClientDuring implements WorkClient {
  readonly discovery: Client["discovery"];
  readonly #context: ResourceContext;

  constructor(context: ResourceContext, discovery: Client["discovery"], work: PieceOfWork) {
    this.discovery = discovery;
    this.#context = { ...context, exchange: exchangeDuring(context.exchange, work) };
  }

  resource<T extends KubeObject>(type: ResourceType<T>, scope?: ResourceScope<T>): ResourceClient<T>;
  resource<R extends ResourceType>(type: R, scope?: ResourceScope<ObjectOf<R>>): ResourceClient<ObjectOf<R>>;
  resource<T extends KubeObject>(type: ResourceType<T>, scope: ResourceScope<T> = {}): ResourceClient<T> {
    return new ResourceClient(this.#context, type, scope);
  }

  metadata(type: ResourceType, scope: ResourceScope<PartialObjectMetadata> = {}): MetadataClient {
    const partial = type as ResourceType<PartialObjectMetadata>;
    return new ResourceClient(this.#context, partial, { ...scope, as: "metadata" });
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
