/** Parts of objects, as types: the parts that appliers and patchers send. */
import type { DraftMeta, KubeObject } from "./object.js";

type Leaf = string | number | boolean | bigint | null | undefined;

/** Any part of a T, at any depth. Each item of a list may be partial too. */
export type DeepPartial<T> = unknown extends T
  ? T
  : T extends Leaf
    ? T
    : T extends readonly (infer Item)[]
      ? readonly DeepPartial<Item>[]
      : { readonly [Key in keyof T]?: DeepPartial<T[Key]> | undefined };

/** Any part of a T, where null removes a field. Lists are replaced as a whole, so their items are complete. */
export type MergePatch<T> = unknown extends T
  ? T
  : T extends Leaf | readonly unknown[]
    ? T
    : { readonly [Key in keyof T]?: MergePatch<T[Key]> | null | undefined };

/**
 * The fields of a T that an applier wants to own, under the object's name. Kind and version follow from the descriptor.
 */
export type ApplyConfiguration<T extends KubeObject = KubeObject> = DeepPartial<
  Omit<T, "apiVersion" | "kind" | "metadata">
> & {
  readonly apiVersion?: T["apiVersion"];
  readonly kind?: T["kind"];
  readonly metadata: DraftMeta & { readonly name: string };
};
