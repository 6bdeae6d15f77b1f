/** Custom kinds that know their schema. */
import { checkSchema } from "./check-schema.js";
import type { KubeObject, ObjectMeta } from "../object.js";
import { type GivenNames, namesOf, type ResourceType } from "../resource-type.js";
import type { StructuralSchema, TypeFromSchema } from "./schema.js";

export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** Columns above 0 appear in wide output only. */
  readonly priority?: number;
}

/** The fields behind the `scale` subresource, as simple paths: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** The facts from which a custom kind's type, descriptor and definition are made. */
export interface CustomResourceOptions extends GivenNames {
  /** The schema of the whole object; kind, apiVersion and metadata need not be described. */
  readonly schema: StructuralSchema;
  /** Whether `status` is a subresource. Default: true if the schema has a `status`. */
  readonly status?: boolean;
  readonly scale?: ScalePaths;
  readonly printerColumns?: readonly PrinterColumn[];
  /** Paths that field selectors may use, e.g. `.spec.color`. */
  readonly selectableFields?: readonly string[];
  /** Makes the server warn the users of this version; text replaces the standard warning. */
  readonly deprecated?: boolean | string;
}

type FieldsOf<O extends CustomResourceOptions> = Omit<TypeFromSchema<O["schema"]>, "apiVersion" | "kind" | "metadata">;

/** The type of the objects that the options describe. */
export type CustomObject<O extends CustomResourceOptions> = {
  readonly apiVersion: `${O["group"]}/${O["version"]}`;
  readonly kind: O["kind"];
  readonly metadata: ObjectMeta;
} & { readonly [Key in keyof FieldsOf<O>]: FieldsOf<O>[Key] };

/** A descriptor that also carries the definition of its kind. */
export interface CustomResourceType<T extends KubeObject = KubeObject> extends ResourceType<T> {
  readonly definition: CustomResourceOptions;
  /** The versions beside this one, if there are any (`withVersions`). */
  readonly versions?: readonly AnyVersion[];
}

/** A version of a kind beside its hub, without types: methods, so that functions of every kind fit. */
export interface AnyVersion {
  readonly type: CustomResourceType;
  toHub(object: KubeObject): object;
  fromHub(hub: KubeObject): object;
}

export function customResourceType(options: CustomResourceOptions): CustomResourceType {
  if (options.group === "") throw new Error(`${options.kind} needs a group: the core group holds built-in kinds only`);
  if (options.schema.type !== "object") throw new Error(`the schema of ${options.kind} must be of type "object"`);
  checkSchema(`defineResource ${options.kind}`, options.schema);
  return Object.freeze({
    ...namesOf(options),
    subresources: [...(servesStatus(options) ? ["status"] : []), ...(options.scale ? ["scale"] : [])],
    definition: options,
  });
}

export function servesStatus({ status, schema }: CustomResourceOptions): boolean {
  return status ?? schema.properties?.["status"] !== undefined;
}
