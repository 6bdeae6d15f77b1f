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
  /** The name may be left to the server by `generateName`. */
  create<T extends Draft<KubeObject> & Pick<KubeObject, "apiVersion" | "kind">>(
    object: T,
    options?: WriteOptions,
  ): Promise<T & KubeObject>;
  /** Replaces the object. Not sent if the cache has it just so. */
  update<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(object: T, patch: Patch<NoInfer<T>>, options?: PatchOptions): Promise<T>;
  /**
   * Server-side apply. The field manager is the controller's name unless another is given, and takes the fields from
   * whoever has them, unless `force` is false. Not sent if the same was applied before and the cache still has all of
   * it. The object is checked against the kind that is given, or against the built-in kind that its own apiVersion and
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
  /** Only the object with this uid, if it has one. That it is gone already is no error. */
  delete(object: KubeObject, options?: DeleteOptions): Promise<void>;
  status<T extends KubeObject>(type: ResourceType<T>): StatusWriter<T>;
  /** Asks the server, past every cache. */
  live<T extends KubeObject>(type: ResourceType<T>, place: ObjectPlace, options?: GetOptions): Promise<T | undefined>;
  /** The same for an object that one has; undefined if it is gone, also if there is another one of its name by now. */
  reread<T extends KubeObject>(object: T, options?: GetOptions): Promise<T | undefined>;
}
