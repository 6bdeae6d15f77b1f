/** The verbs on a subresource, e.g. status or scale. */
import type { KubeObject } from "../../api/object.js";
import type { ApplyConfiguration } from "../../api/partial.js";
import { apiVersionOf, type ResourceType } from "../../api/resource-type.js";
import { readObject } from "../request/exchange.js";
import type {
  ApplyOptions,
  CallOptions,
  GetOptions,
  NameOrMetadata,
  Patch,
  PatchOptions,
  WriteOptions,
} from "../request/options.js";
import { applyContentType, buildRequest, type ApiCall, patchBody, type Verb } from "../request/request.js";
import { patchQuery, type ResourceContext, writeQuery } from "./verbs.js";

/** autoscaling/v1: the desired and the present number of replicas. */
export interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

export interface SubresourceOptions {
  readonly name: string;
  readonly context: ResourceContext;
  readonly type: ResourceType;
  locate(verb: Verb, object: NameOrMetadata): ApiCall;
}

/** `S` is the server's object for the subresource: the whole object for `status`, a Scale for `scale`. */
export class SubresourceClient<S extends KubeObject> {
  readonly #options: SubresourceOptions;

  constructor(options: SubresourceOptions) {
    this.#options = options;
  }

  get(name: NameOrMetadata, options: GetOptions = {}): Promise<S> {
    return this.#send({ query: { resourceVersion: options.resourceVersion }, ...this.#at("get", name) }, options);
  }

  /** Replaces the subresource. `status` takes the whole object and ignores everything but its status. */
  update(object: S, options: WriteOptions = {}): Promise<S> {
    const query = writeQuery(options, this.#options.context);
    return this.#send({ query, body: object, ...this.#at("update", object.metadata) }, options);
  }

  patch(name: NameOrMetadata, patch: Patch<S>, options: PatchOptions = {}): Promise<S> {
    const query = patchQuery(options, this.#options.context);
    return this.#send({ query, ...patchBody(patch), ...this.#at("patch", name) }, options);
  }

  apply(object: ApplyConfiguration<S>, options: ApplyOptions = {}): Promise<S> {
    const query = patchQuery(options, this.#options.context);
    if (query["fieldManager"] === undefined) {
      throw new TypeError(`apply of ${this.#options.name} needs a fieldManager, in the call or on the client`);
    }
    const target = this.#at("apply", object.metadata);
    return this.#send({ ...target, query, contentType: applyContentType, body: this.#complete(object) }, options);
  }

  /** Posts a body to it: an Eviction, a Binding, a TokenRequest. */
  create<R = S>(name: NameOrMetadata, body: unknown, options: WriteOptions = {}): Promise<R> {
    const query = writeQuery(options, this.#options.context);
    return this.#send({ query, body, ...this.#at("create", name) }, options);
  }

  /** The status of an object is applied under the object's own kind, which the caller need not repeat. */
  #complete(object: ApplyConfiguration<S>): unknown {
    const { name, type } = this.#options;
    if (name !== "status" || (object.kind !== undefined && object.apiVersion !== undefined)) return object;
    return { ...(object as object), kind: type.kind, apiVersion: apiVersionOf(type) };
  }

  #at(verb: Verb, name: NameOrMetadata): ApiCall {
    return { subresource: this.#options.name, ...this.#options.locate(verb, name) };
  }

  #send<R>(operation: ApiCall, options: CallOptions): Promise<R> {
    const { name, type, context } = this.#options;
    const isLean = name === "status" && operation.verb !== "get";
    const read = isLean ? (context.lean?.of(type) ?? readObject) : readObject;
    return context.exchange.run(buildRequest(operation), options, read) as Promise<R>;
  }
}
