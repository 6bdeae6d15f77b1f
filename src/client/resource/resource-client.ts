/** The verbs on one kind, typed by its descriptor. */
import type { Draft, KubeList, KubeObject } from "../../api/object.js";
import type { ApplyConfiguration } from "../../api/partial.js";
import { apiVersionOf, type ResourceType } from "../../api/resource-type.js";
import { isNotFound } from "../../api/errors/status-guards.js";
import type { Status } from "../../api/status.js";
import { readObject } from "../request/exchange.js";
import type { AnswerLimits } from "../request/limits.js";
import type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  NameOrMetadata,
  Patch,
  PatchOptions,
  WatchOptions,
  WriteOptions,
} from "../request/options.js";
import { applyContentType, buildRequest, type ApiCall, patchBody } from "../request/request.js";
import { type Decode, decodeObject } from "../stream/decode.js";
import { type ListStream, listStream } from "../stream/list-stream.js";
import { eachItem, listAll, type PagedList, type PagerOptions } from "../stream/pager.js";
import { type WatchStream, watchStream } from "../stream/watch-stream.js";
import { createOrUpdate, type Ensured } from "./create-or-update.js";
import { patchFrom, type PatchFromOptions } from "./patch-from.js";
import { type Scale, SubresourceClient } from "./subresource-client.js";
import { acceptOf, deleteBody, listQuery, patchQuery, type ResourceContext, watchQuery, writeQuery } from "./verbs.js";
import { waitFor, type WaitOptions } from "./wait-for.js";
import { unless } from "../../api/errors/unless.js";

export interface ResourceScope<T extends KubeObject = KubeObject> {
  /** Without a namespace, lists and watches are of all namespaces, and names must carry theirs. */
  readonly namespace?: string | undefined;
  /** Decodes the objects of lists and watches; by default they are parsed at once. */
  readonly decode?: Decode<T>;
  /** Asks the server for the objects' metadata only. */
  readonly as?: "metadata";
}

/**
 * Answers are the server's objects: readonly data, not shared with other callers. A refusal is a StatusError that names
 * the call; a missing object is an error (use `getOrUndefined` if it is expected). Nothing is cached.
 */
export class ResourceClient<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly namespace: string | undefined;
  readonly #context: ResourceContext;
  readonly #scope: ResourceScope<T>;
  #decode: Decode<T> | undefined;

  constructor(context: ResourceContext, type: ResourceType<T>, scope: ResourceScope<T> = {}) {
    this.type = type;
    this.namespace = scope.namespace === "" ? undefined : scope.namespace;
    this.#context = context;
    this.#scope = scope;
    this.#decode = scope.decode;
  }

  /** The largest answers that a server may send. */
  get limits(): AnswerLimits {
    return this.#context.exchange.settings.limits;
  }

  /** The same kind in another namespace, or in all. */
  in(namespace: string | undefined): ResourceClient<T> {
    return new ResourceClient(this.#context, this.type, { ...this.#scope, namespace });
  }

  get(name: NameOrMetadata, options: GetOptions = {}): Promise<T> {
    const { resourceVersion } = options;
    const query = resourceVersion === undefined ? undefined : { resourceVersion };
    return this.#send({ query, ...this.#locate("get", name) }, options);
  }

  async getOrUndefined(name: NameOrMetadata, options: GetOptions = {}): Promise<T | undefined> {
    return this.get(name, options).catch(unless(isNotFound));
  }

  /** One request, one answer: everything, or the page that `limit` and `continue` ask for. */
  async list(options: ListOptions = {}): Promise<KubeList<T>> {
    const stream = this.stream(options);
    const items: T[] = [];
    for await (const batch of stream.batches()) for (const item of batch) items.push(item);
    return { ...stream.envelope(), items };
  }

  /** One request whose items are delivered while they arrive. */
  stream(options: ListOptions = {}): ListStream<T> {
    const built = buildRequest({ query: listQuery(options), ...this.#collection("list") });
    return listStream({ exchange: this.#context.exchange, built, decode: this.#decoder(), call: options });
  }

  /** The whole list, requested in pages; if the server forgets its revision meanwhile, in one request. */
  listAll(options: ListOptions & PagerOptions = {}): Promise<PagedList<T>> {
    return listAll(this, options);
  }

  /**
   * Every item of the whole list, page by page. Throws Expired when the server cannot go on: the items so far are then
   * not a list.
   */
  each(options: ListOptions & PagerOptions = {}): AsyncIterable<T> {
    return eachItem(this, options);
  }

  watch(options: WatchOptions = {}): WatchStream<T> {
    const quiet = options.allowWatchBookmarks === false ? 0 : this.#context.idleTimeoutMs;
    return watchStream({
      exchange: this.#context.exchange,
      built: buildRequest({ query: watchQuery(options), ...this.#collection("watch") }),
      decode: this.#decoder(),
      signal: options.signal,
      beginsWithList: options.sendInitialEvents === true,
      idleTimeoutMs: options.idleTimeoutMs ?? quiet,
    });
  }

  create(object: Draft<T>, options: WriteOptions = {}): Promise<T> {
    const namespace = this.#namespaceOf(object.metadata);
    if (namespace === undefined && this.type.scope === "Namespaced") {
      throw new TypeError(`a ${this.type.kind} is created in a namespace: say it in its metadata or on the client`);
    }
    const query = writeQuery(options, this.#context);
    return this.#send({ query, body: this.#complete(object), ...this.#collection("create"), namespace }, options);
  }

  /** Replaces the object, if its resourceVersion is the current one or absent. */
  update(object: T, options: WriteOptions = {}): Promise<T> {
    const query = writeQuery(options, this.#context);
    return this.#send({ query, body: this.#complete(object), ...this.#locate("update", object.metadata) }, options);
  }

  patch(name: NameOrMetadata, patch: Patch<T>, options: PatchOptions = {}): Promise<T> {
    const query = patchQuery(options, this.#context);
    return this.#send({ query, ...patchBody(patch), ...this.#locate("patch", name) }, options);
  }

  /** Server-side apply: the manager owns exactly the fields given. Creates the object if there is none. */
  apply(object: ApplyConfiguration<T>, options: ApplyOptions = {}): Promise<T> {
    const query = patchQuery(options, this.#context);
    if (query["fieldManager"] === undefined) {
      throw new TypeError(`apply of a ${this.type.kind} needs a fieldManager, in the call or on the client`);
    }
    const { name, namespace } = object.metadata;
    const target = this.#locate("apply", namespace === undefined ? { name } : { name, namespace });
    return this.#send({ ...target, query, contentType: applyContentType, body: this.#complete(object) }, options);
  }

  /** Resolves with the object if it stays for a while (finalizers, grace period), else with the server's Status. */
  delete(name: NameOrMetadata, options: DeleteOptions = {}): Promise<T | Status> {
    return this.#send({ body: deleteBody(options), ...this.#locate("delete", name) }, options);
  }

  deleteCollection(options: DeleteCollectionOptions = {}): Promise<KubeList<T> | Status> {
    const query = listQuery(options);
    const operation = { ...this.#collection("deletecollection"), query, body: deleteBody(options) };
    return this.#context.exchange.run(buildRequest(operation), options, readObject<KubeList<T> | Status>);
  }

  get status(): SubresourceClient<T> {
    return this.subresource<T>("status");
  }

  get scale(): SubresourceClient<Scale> {
    return this.subresource<Scale>("scale");
  }

  /** A subresource with verbs of its own, e.g. `eviction`, `token`, `ephemeralcontainers`. */
  subresource<S extends KubeObject = T>(name: string): SubresourceClient<S> {
    return new SubresourceClient<S>({
      name,
      context: this.#context,
      type: this.type,
      locate: (verb, object) => this.#locate(verb, object),
    });
  }

  /**
   * Creates a missing object, updates one that differs, and leaves a right one alone. `change` gets the present object,
   * or undefined.
   */
  createOrUpdate(
    name: NameOrMetadata,
    change: (current: T | undefined) => Draft<T>,
    options: WriteOptions = {},
  ): Promise<Ensured<T>> {
    return createOrUpdate(this, { name, change, options });
  }

  /** Sends the difference between two states of an object as a merge patch; sends nothing if there is none. */
  patchFrom(old: T, now: T, options: PatchFromOptions = {}): Promise<T> {
    return patchFrom(this, { old, now, options });
  }

  /**
   * Watches until the object satisfies the predicate, and resolves with it; the predicate gets `undefined` while the
   * object does not exist.
   */
  waitFor(
    name: NameOrMetadata,
    predicate: (object: T | undefined) => boolean,
    options: WaitOptions = {},
  ): Promise<T | undefined> {
    const { name: plain, namespace } = this.#locate("watch", name);
    const where = namespace === this.namespace ? this : this.in(namespace);
    return waitFor(where, { name: plain, predicate, options, clock: this.#context.exchange.settings.clock });
  }

  #send<R>(operation: ApiCall, options: CallOptions): Promise<R> {
    const { exchange, lean } = this.#context;
    const read = operation.verb === "get" ? lean?.whole : lean?.of(this.type);
    return exchange.run(buildRequest(operation), options, read ?? readObject) as Promise<R>;
  }

  #decoder(): Decode<T> {
    this.#decode ??= decodeObject<T>(this.type);
    return this.#decode;
  }

  #collection(verb: ApiCall["verb"]): ApiCall {
    return { verb, type: this.type, namespace: this.namespace, accept: acceptOf(verb, this.#scope.as) };
  }

  #locate(verb: ApiCall["verb"], object: NameOrMetadata): ApiCall & { readonly name: string } {
    const { type, namespace } = this;
    const accept = acceptOf(verb, this.#scope.as);
    if (typeof object === "string") return { verb, type, namespace, name: object, accept };
    return { verb, type, namespace: this.#namespaceOf(object), name: object.name, accept };
  }

  /** The object's own namespace, which must not contradict the client's. */
  #namespaceOf({ namespace, name }: { readonly name?: string; readonly namespace?: string }): string | undefined {
    if (this.type.scope === "Cluster" || namespace === undefined || namespace === "") return this.namespace;
    if (this.namespace === undefined || this.namespace === namespace) return namespace;
    const { kind } = this.type;
    throw new TypeError(`${kind} "${name}" is of namespace ${namespace}, but this client is of ${this.namespace}`);
  }

  #complete(object: Draft<T> | ApplyConfiguration<T> | T): unknown {
    if (object.kind !== undefined && object.apiVersion !== undefined) return object;
    return { ...(object as object), kind: this.type.kind, apiVersion: apiVersionOf(this.type) };
  }
}
