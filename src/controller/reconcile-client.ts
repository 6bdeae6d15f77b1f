/** The client that a reconciler writes with. */
import type {
  ApplyConfiguration,
  BuiltIn,
  BuiltInConfiguration,
  Draft,
  KubeObject,
  NotBuiltIn,
  ResourceType,
} from "../api/index.js";
import type { ApplyOptions, DeleteOptions, GetOptions, Patch, PatchOptions, WriteOptions } from "../client/index.js";
import type { ObjectPlace } from "./cache/cluster-cache.js";

/** The fields of a kind's status. */
export type StatusOf<T> = T extends { readonly status?: infer S }
  ? { readonly [Key in keyof NonNullable<S>]?: NonNullable<S>[Key] | undefined }
  : never;

/** Writes the status of a kind's objects. */
export interface StatusWriter<T extends KubeObject> {
  /** Sets the given fields, if one of them differs from the object's; `undefined` removes a field. */
  patch(object: T, fields: StatusOf<T>, options?: PatchOptions): Promise<T>;
}

/** Objects carry apiVersion and kind; the kind must be one that the controller declared. */
export interface ReconcileClient {
  /** Without a name the server makes one from `generateName`. */
  create<T extends Draft<KubeObject> & Pick<KubeObject, "apiVersion" | "kind">>(
    object: T,
    options?: WriteOptions,
  ): Promise<T & KubeObject>;
  /** Replaces the object. Not sent if it equals the cached one. */
  update<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(object: T, patch: Patch<NoInfer<T>>, options?: PatchOptions): Promise<T>;
  /**
   * Server-side apply. The field manager is by default the controller's name. It takes the fields over from other
   * managers, unless `force` is false. Not sent if the same configuration was applied before and the cache still has
   * all of it. A Secret's `stringData` is sent as `data`, so that a key that is left out goes. The object is checked against the given kind, or against the built-in kind that its own apiVersion and
   * kind name.
   */
  apply<T extends KubeObject>(
    type: ResourceType<T>,
    object: ApplyConfiguration<NoInfer<T>>,
    options?: ApplyOptions,
  ): Promise<T>;
  apply<const T extends KubeObject>(object: T & NotBuiltIn<T>, options?: ApplyOptions): Promise<T>;
  apply<ApiVersion extends string, Kind extends string>(
    object: BuiltInConfiguration<ApiVersion, Kind>,
    options?: ApplyOptions,
  ): Promise<BuiltIn<ApiVersion, Kind>>;
  /** Deletes only the object with this uid, if it has one. It is no error if the object is already gone. */
  delete(object: KubeObject, options?: DeleteOptions): Promise<void>;
  status<T extends KubeObject>(type: ResourceType<T>): StatusWriter<T>;
  /**
   * The whole object of a kind that is cached in part, never older than the cached part: from memory if it is kept there
   * (`recent`), else from the server. Undefined if the cache or the server lacks it. Of other kinds, the cached object.
   */
  whole<T extends KubeObject>(type: ResourceType<T>, place: ObjectPlace, options?: GetOptions): Promise<T | undefined>;
  /** Reads from the server, past every cache. */
  live<T extends KubeObject>(type: ResourceType<T>, place: ObjectPlace, options?: GetOptions): Promise<T | undefined>;
  /** Reads an object again from the server; undefined if it is gone, or replaced by another of the same name. */
  reread<T extends KubeObject>(object: T, options?: GetOptions): Promise<T | undefined>;
}
